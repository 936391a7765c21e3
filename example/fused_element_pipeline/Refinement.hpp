// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

#include "Basis.hpp"
#include "Mesh.hpp"

namespace example {

/// An element's data are contiguous, on the CPU and on the GPU.
template <class Data>
using DeviceArray = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::DefaultExecutionSpace>;

/// A table on the device.
inline DeviceArray<double**> to_device(const Table& table) {
  const DeviceArray<double**> array("table", table.rows(), table.columns());
  const auto host = Kokkos::create_mirror_view(array);
  for (int i = 0; i < table.rows(); ++i)
    for (int j = 0; j < table.columns(); ++j) host(i, j) = table(i, j);
  Kokkos::deep_copy(array, host);
  return array;
}

/// Node coordinates (element, node, c) after cutting each element into 2^refinements parts in each
/// direction. A part's nodes are on its parent's own triquadratic map, so the geometry stays the
/// same.
inline DeviceArray<double* [27][3]> refine(const Mesh& mesh, int refinements) {
  const DeviceArray<double* [27][3]> parents("parents", mesh.size());
  const auto host = Kokkos::create_mirror_view(parents);
  for (std::size_t e = 0; e < mesh.size(); ++e)
    for (int g = 0; g < 27; ++g)
      for (int c = 0; c < 3; ++c) host(e, g, c) = mesh[e][g][c];
  Kokkos::deep_copy(parents, host);

  const int parts = 1 << refinements;            // in each direction
  std::vector<double> positions(2 * parts + 1);  // of all nodes along a line of parts
  for (int i = 0; i <= 2 * parts; ++i) positions[i] = -1 + static_cast<double>(i) / parts;
  const auto N = to_device(lagrange({-1, 0, 1}, positions));

  const int children = parts * parts * parts;
  const DeviceArray<double* [27][3]> nodes(Kokkos::view_alloc("nodes", Kokkos::WithoutInitializing),
                                           mesh.size() * children);
  Kokkos::parallel_for(
      "refine", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, nodes.extent_int(0)),
      KOKKOS_LAMBDA(int e) {
        const int parent = e / children, child = e % children;
        const int first[3] = {2 * (child % parts), 2 * (child / parts % parts),
                              2 * (child / parts / parts)};
        for (int g = 0; g < 27; ++g) {
          const int at[3] = {first[0] + g % 3, first[1] + g / 3 % 3, first[2] + g / 9};
          double x[3] = {};
          for (int h = 0; h < 27; ++h) {
            const double weight = N(at[0], h % 3) * N(at[1], h / 3 % 3) * N(at[2], h / 9);
            for (int c = 0; c < 3; ++c) x[c] += weight * parents(parent, h, c);
          }
          for (int c = 0; c < 3; ++c) nodes(e, g, c) = x[c];
        }
      });
  return nodes;
}

}  // namespace example
