// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Numbering.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>

#include "../fused_element_pipeline/Basis.hpp"

namespace example {
namespace {

/// Positions of the nodes of all elements. A row of the table has the geometry's three functions at
/// a node in one direction.
std::vector<Position> positions_of(const DeviceArray<double* [27][3]>& geometry,
                                   const Table& functions) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), geometry);
  const int n = functions.rows();
  const int elements = host.extent_int(0);
  std::vector<Position> positions(static_cast<std::size_t>(elements) * n * n * n);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, elements), [&](int e) {
        for (int i = 0; i < n * n * n; ++i) {
          Position at{};
          for (int g = 0; g < 27; ++g) {
            const double weight = functions(i / n / n, g / 9) * functions(i / n % n, g / 3 % 3) *
                                  functions(i % n, g % 3);
            for (int d = 0; d < 3; ++d) at[d] += weight * host(e, g, d);
          }
          positions[static_cast<std::size_t>(e) * n * n * n + i] = at;
        }
      });
  return positions;
}

}  // namespace

std::vector<int> number_points(const std::vector<Position>& points) {
  // Points at the same position nearly follow each other in the order along a slanted line.
  const auto along = [](const Position& x) { return x[0] + 0.61803 * x[1] + 0.41421 * x[2]; };
  double size = 0;
  for (const Position& x : points)
    for (const double c : x) size = std::max(size, std::abs(c));
  const double tolerance = 1e-9 * size;

  std::vector<double> key(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) key[i] = along(points[i]);
  std::vector<std::size_t> sorted(points.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](auto i, auto j) { return key[i] < key[j]; });

  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> first(points.size(), none);  // first point at the same position
  std::vector<std::size_t> group;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (first[sorted[i]] != none) continue;
    const Position& x = points[sorted[i]];
    group.clear();
    for (std::size_t j = i; j < sorted.size() && key[sorted[j]] - key[sorted[i]] <= 3 * tolerance;
         ++j) {
      const Position& y = points[sorted[j]];
      const bool same = std::abs(x[0] - y[0]) <= tolerance && std::abs(x[1] - y[1]) <= tolerance &&
                        std::abs(x[2] - y[2]) <= tolerance;
      if (same) group.push_back(sorted[j]);
    }
    const std::size_t least = *std::min_element(group.begin(), group.end());
    for (const std::size_t j : group) first[j] = least;
  }

  std::vector<int> number(points.size());
  int count = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    number[i] = first[i] == i ? count++ : number[first[i]];
  return number;
}

Numbering number_nodes(const DeviceArray<double* [27][3]>& geometry, int order) {
  const int n = order + 1;
  const std::size_t elements = geometry.extent(0), of_element = static_cast<std::size_t>(n) * n * n;

  // A face is on the boundary if no other face has its midpoint.
  const std::vector<Position> middles = positions_of(geometry, lagrange({-1, 0, 1}, {-1, 0, 1}));
  constexpr int middle[6] = {4, 22, 10, 16, 12, 14};  // midpoints of faces, of 3^3 points
  std::vector<Position> faces;
  for (std::size_t e = 0; e < elements; ++e)
    for (const int m : middle) faces.push_back(middles[27 * e + m]);
  const std::vector<int> face = number_points(faces);
  std::vector<int> count(face.size());
  for (const int f : face)
    if (++count[f] > 2) throw std::runtime_error("the mesh has a face of more than two elements");

  const std::vector<Position> at =
      positions_of(geometry, lagrange({-1, 0, 1}, gauss_lobatto_points(order)));
  std::vector<int> number = number_points(at);
  const int nodes = number.empty() ? 0 : 1 + *std::max_element(number.begin(), number.end());
  std::vector<bool> on_boundary(nodes);
  for (std::size_t e = 0; e < elements; ++e)
    for (int i = 0; i < static_cast<int>(of_element); ++i) {
      const int index[3] = {i / n / n, i / n % n, i % n};
      for (int d = 0; d < 3; ++d) {
        const bool low = index[d] == 0, high = index[d] == order;
        if (low && count[face[6 * e + 2 * d]] == 1) on_boundary[number[of_element * e + i]] = true;
        if (high && count[face[6 * e + 2 * d + 1]] == 1)
          on_boundary[number[of_element * e + i]] = true;
      }
    }

  Numbering numbering;
  numbering.nodes = nodes;
  numbering.unknowns =
      nodes - static_cast<int>(std::count(on_boundary.begin(), on_boundary.end(), true));
  std::vector<int> final_number(nodes);
  int unknown = 0, given = numbering.unknowns;
  for (int i = 0; i < nodes; ++i) final_number[i] = on_boundary[i] ? given++ : unknown++;
  numbering.positions.resize(nodes);
  for (std::size_t i = 0; i < number.size(); ++i) {
    number[i] = final_number[number[i]];
    numbering.positions[number[i]] = at[i];
  }
  numbering.of_element = std::move(number);
  return numbering;
}

}  // namespace example
