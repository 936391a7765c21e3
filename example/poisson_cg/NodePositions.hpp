// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "../fused_element_pipeline/Basis.hpp"
#include "../fused_element_pipeline/Refinement.hpp"
#include "Numbering.hpp"

namespace example {

/// Elements of some order, whose nodes are numbered.
struct NumberedElements {
  static constexpr int largest_order = 8;
  DeviceArray<double* [27][3]> geometry;
  NodeNumbers numbers;
  int n;                                   ///< nodes in a direction
  double functions[largest_order + 1][3];  ///< the geometry's functions at the nodes of a line

  NumberedElements(const DeviceArray<double* [27][3]>& of_geometry, int order,
                   const Numbering& numbering)
      : geometry(of_geometry), numbers(numbering.of_element), n(order + 1) {
    const Table table = lagrange({-1, 0, 1}, gauss_lobatto_points(order));
    for (int i = 0; i < n; ++i)
      for (int g = 0; g < 3; ++g) functions[i][g] = table(i, g);
  }
};

/// A kernel that calls f(node, position) for each node of each element. position(x) computes x.
template <class F>
struct ForEachNode {
  NumberedElements elements;
  F f;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const int n = elements.n, of_element = n * n * n;
    const int e = static_cast<int>(i / of_element), node = static_cast<int>(i % of_element);
    const auto position = [&](double (&at)[3]) {
      const auto& along = elements.functions;
      at[0] = at[1] = at[2] = 0;
      for (int g = 0; g < 27; ++g) {
        const double weight =
            along[node / n / n][g / 9] * along[node / n % n][g / 3 % 3] * along[node % n][g % 3];
        for (int d = 0; d < 3; ++d) at[d] += weight * elements.geometry(e, g, d);
      }
    };
    f(elements.numbers.data()[i], position);
  }
};

/// Calls f(node, position) in a kernel, as often as elements have the node.
template <class F>
void for_each_node(const std::string& name, const NumberedElements& elements, const F& f) {
  using Range = Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(name, Range(0, static_cast<std::int64_t>(elements.numbers.size())),
                       ForEachNode<F>{elements, f});
}

/// The position of each node, on the host.
std::vector<Position> node_positions(const NumberedElements& elements, int nodes);

}  // namespace example
