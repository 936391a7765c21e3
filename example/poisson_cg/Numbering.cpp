// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Numbering.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "../fused_element_pipeline/Basis.hpp"
#include "NodePositions.hpp"
#include "Partition.hpp"

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

  std::vector<std::pair<double, std::size_t>> sorted(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) sorted[i] = {along(points[i]), i};
  std::sort(sorted.begin(), sorted.end());

  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> first(points.size(), none);  // first point at the same position
  std::vector<std::size_t> group;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto [key, point] = sorted[i];
    if (first[point] != none) continue;
    const Position& x = points[point];
    group.clear();
    for (std::size_t j = i; j < sorted.size() && sorted[j].first - key <= 3 * tolerance; ++j) {
      const Position& y = points[sorted[j].second];
      const bool same = std::abs(x[0] - y[0]) <= tolerance && std::abs(x[1] - y[1]) <= tolerance &&
                        std::abs(x[2] - y[2]) <= tolerance;
      if (same) group.push_back(sorted[j].second);
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

namespace {

/// The number of each element's nodes, in the sequence of their first appearance. Elements that
/// were cut from the same one are a grid, so their nodes have indices. Only nodes on the surfaces
/// of these grids are compared by position.
std::vector<int> number_nodes_of_elements(const Part& part, int order,
                                          const std::vector<Position>& at) {
  const int n = order + 1, parts = 1 << part.refinement, children = parts * parts * parts;
  const int line = order * parts + 1;
  const std::size_t of_grid = static_cast<std::size_t>(line) * line * line;
  // f(k, node, is_on_surface) for each k of `at`, and the node of all grids that it is.
  const auto for_each_node = [&](const auto& f) {
    std::size_t k = 0;
    for (const int place : part.place) {
      const int child = place % children;
      const int x = child / parts / parts * order, y = child / parts % parts * order,
                z = child % parts * order;
      const auto is_end = [&](int i) { return i == 0 || i == line - 1; };
      for (int i = x; i < x + n; ++i)
        for (int j = y; j < y + n; ++j) {
          const std::size_t row =
              place / children * of_grid + (static_cast<std::size_t>(i) * line + j) * line;
          const bool is_surface = is_end(i) || is_end(j);
          for (int l = z; l < z + n; ++l) f(k++, row + l, is_surface || is_end(l));
        }
    }
  };

  constexpr int none = -1;
  std::vector<int> of_node(part.place.size() / children * of_grid, none);
  std::vector<Position> surface;
  for_each_node([&](std::size_t k, std::size_t node, bool is_on_surface) {
    if (!is_on_surface || of_node[node] != none) return;
    of_node[node] = static_cast<int>(surface.size());
    surface.push_back(at[k]);
  });
  const std::vector<int> point = number_points(surface);

  std::vector<int> number(at.size()), of_point(surface.size(), none);
  int count = 0;
  for_each_node([&](std::size_t k, std::size_t node, bool is_on_surface) {
    int& of_this = is_on_surface ? of_point[point[of_node[node]]] : of_node[node];
    if (of_this == none) of_this = count++;
    number[k] = of_this;
  });
  return number;
}

/// Nodes of an element's order along a line, from -1 to 1, if it is cut into some parts.
std::vector<double> nodes_of_line(int order, int parts) {
  const std::vector<double> of_part = gauss_lobatto_points(order);
  std::vector<double> nodes{-1};
  for (int part = 0; part < parts; ++part)
    for (int i = 1; i <= order; ++i)
      nodes.push_back(-1 + (2 * part + 1 + of_part[i]) / static_cast<double>(parts));
  return nodes;
}

/// Positions of the nodes inside a corner, edge or face. A row of the table has the geometry's
/// three functions at a node of a line.
std::vector<Position> positions_of(const SharedEntity& entity, const Table& functions) {
  int begin[3], end[3];
  const int n = functions.rows();
  for (int d = 0; d < 3; ++d) {
    begin[d] = entity.side[d] == 0 ? 0 : entity.side[d] == 1 ? 1 : n - 1;
    end[d] = entity.side[d] == 0 ? 1 : entity.side[d] == 1 ? n - 1 : n;
  }
  std::vector<Position> positions;
  for (int i = begin[0]; i < end[0]; ++i)
    for (int j = begin[1]; j < end[1]; ++j)
      for (int k = begin[2]; k < end[2]; ++k) {
        Position at{};
        for (int g = 0; g < 27; ++g)
          for (int d = 0; d < 3; ++d)
            at[d] += functions(i, g / 9) * functions(j, g / 3 % 3) * functions(k, g % 3) *
                     entity.element[g][d];
        positions.push_back(at);
      }
  return positions;
}

/// The nodes of each shared entity, in the order of the first element that has it. They are found
/// by position, among the nodes of elements that touch those of other ranks.
std::vector<std::vector<int>> find_shared_nodes(const Part& part, int order,
                                                const std::vector<int>& number,
                                                const std::vector<Position>& at) {
  std::vector<Position> points;
  std::vector<int> node;  // of each point; those of shared entities follow without
  const std::size_t end =
      part.interface_elements * static_cast<std::size_t>(order + 1) * (order + 1) * (order + 1);
  std::unordered_set<int> taken;
  for (std::size_t i = 0; i < end; ++i)
    if (taken.insert(number[i]).second) {
      points.push_back(at[i]);
      node.push_back(number[i]);
    }
  const Table functions = lagrange({-1, 0, 1}, nodes_of_line(order, 1 << part.refinement));
  std::vector<std::vector<int>> nodes(part.shared.size());
  for (std::size_t s = 0; s < part.shared.size(); ++s) {
    const auto positions = positions_of(part.shared[s], functions);
    points.insert(points.end(), positions.begin(), positions.end());
    nodes[s].resize(positions.size());
  }
  // A point of the first ones is no other's copy, so it is its own number.
  const std::vector<int> first = number_points(points);
  std::size_t i = node.size();
  for (auto& of_entity : nodes)
    for (int& found : of_entity) {
      if (first[i] >= static_cast<int>(node.size()))
        throw std::runtime_error("elements of two ranks do not meet face to face");
      found = node[first[i++]];
    }
  return nodes;
}

/// Which nodes are on faces of the boundary that a rank's elements have.
std::vector<bool> nodes_on_boundary(const Part& part, int order, const std::vector<int>& number,
                                    int nodes) {
  const int n = order + 1, of_element = n * n * n;
  std::vector<bool> on_boundary(nodes);
  for (std::size_t e = 0; e < part.boundary_faces.size(); ++e) {
    const int faces = part.boundary_faces[e];
    for (int i = 0; faces != 0 && i < of_element; ++i) {
      const int index[3] = {i / n / n, i / n % n, i % n};
      for (int d = 0; d < 3; ++d)
        if ((index[d] == 0 && (faces >> 2 * d & 1) != 0) ||
            (index[d] == order && (faces >> (2 * d + 1) & 1) != 0))
          on_boundary[number[of_element * e + i]] = true;
    }
  }
  return on_boundary;
}

}  // namespace

Numbering number_nodes(const Part& part, int order, Boundary boundary) {
  const std::vector<Position> at =
      positions_of(part.geometry, lagrange({-1, 0, 1}, gauss_lobatto_points(order)));
  std::vector<int> number = number_nodes_of_elements(part, order, at);
  const int nodes = number.empty() ? 0 : 1 + *std::max_element(number.begin(), number.end());
  const bool is_given = boundary == Boundary::given;
  std::vector<bool> on_boundary(nodes);  // with given values
  if (is_given) on_boundary = nodes_on_boundary(part, order, number, nodes);
  const auto shared = find_shared_nodes(part, order, number, at);
  std::vector<bool> is_copy(nodes);  // whether another rank owns the node
  for (std::size_t s = 0; s < shared.size(); ++s)
    for (const int i : shared[s]) {
      if (is_given && part.shared[s].on_boundary) on_boundary[i] = true;
      is_copy[i] = part.shared[s].ranks[0] != part.rank;
    }

  Numbering numbering;
  numbering.nodes = nodes;
  std::vector<int> final_number(nodes);
  int next = 0;
  for (int i = 0; i < nodes; ++i)
    if (!on_boundary[i] && !is_copy[i]) final_number[i] = next++;
  numbering.owned = next;
  for (int i = 0; i < nodes; ++i)
    if (!on_boundary[i] && is_copy[i]) final_number[i] = next++;
  numbering.unknowns = next;
  for (int i = 0; i < nodes; ++i)
    if (on_boundary[i]) final_number[i] = next++;
  for (int& i : number) i = final_number[i];
  numbering.of_element = node_numbers(number);
  for (std::size_t s = 0; s < shared.size(); ++s) {
    if ((is_given && part.shared[s].on_boundary) || shared[s].empty()) continue;
    SharedUnknowns unknowns{part.shared[s].ranks, {}};
    for (const int i : shared[s]) unknowns.unknowns.push_back(final_number[i]);
    numbering.shared.push_back(std::move(unknowns));
  }
  return numbering;
}

namespace {

using Space = Kokkos::DefaultExecutionSpace;

/// Nodes of a lower order. The finer nodes beside one, along each direction, are those of an
/// element alone, or of the same edge or face, in whatever direction another element counts. So all
/// elements and ranks find the same ones, and no other node has them.
struct CoarseNodes {
  NodeNumbers fine;
  int fine_order, order;

  /// Calls f(number) for the finer nodes beside node i of all elements.
  template <class F>
  KOKKOS_FUNCTION void for_each_finer(std::int64_t i, const F& f) const {
    const int n = order + 1, m = fine_order + 1, of_element = n * n * n;
    const int node = static_cast<int>(i % of_element);
    const int index[3] = {node / n / n, node / n % n, node % n};
    const auto low = [&](int d) { return index[d] * fine_order / order; };
    const auto high = [&](int d) { return (index[d] * fine_order + order - 1) / order; };
    for (int x = low(0); x <= high(0); ++x)
      for (int y = low(1); y <= high(1); ++y)
        for (int z = low(2); z <= high(2); ++z)
          f(fine.data()[((i / of_element * m + x) * m + y) * m + z]);
  }
  KOKKOS_FUNCTION int first_finer(std::int64_t i) const {
    int least = INT_MAX;
    for_each_finer(i, [&](int number) { least = number < least ? number : least; });
    return least;
  }
};
/// Marks the first of the finer nodes beside each node.
struct MarkFirst {
  CoarseNodes nodes;
  Kokkos::View<int*, Space> marks;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Kokkos::atomic_store(&marks(nodes.first_finer(i)), 1);
  }
};
/// Each mark becomes the number of those before it.
struct Count {
  Kokkos::View<int*, Space> marks;
  KOKKOS_FUNCTION void operator()(int i, int& count, bool is_final) const {
    const int mark = marks(i);
    if (is_final) marks(i) = count;
    count += mark;
  }
};
struct NumberOfMark {
  CoarseNodes nodes;
  Kokkos::View<int*, Space> marks, number;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    number.data()[i] = marks(nodes.first_finer(i));
  }
};
/// The number of the node that each finer one is beside.
struct NumberOfFiner {
  CoarseNodes nodes;
  NodeNumbers number;
  Kokkos::View<int*, Space> of_finer;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    nodes.for_each_finer(
        i, [&](int finer) { Kokkos::atomic_store(&of_finer(finer), number.data()[i]); });
  }
};

using AllNodes = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// The shared unknowns, in the sequence in which the finer ones first are beside them. So it is the
/// same on all ranks.
std::vector<SharedUnknowns> coarsen_shared(const Numbering& fine, const CoarseNodes& nodes,
                                           const Numbering& coarse) {
  if (fine.shared.empty()) return {};
  constexpr int none = -1;
  const Kokkos::View<int*, Space> of_finer("number of finer", fine.nodes);
  Kokkos::deep_copy(of_finer, none);
  Kokkos::parallel_for("numbering: finer",
                       AllNodes(0, static_cast<std::int64_t>(coarse.of_element.size())),
                       NumberOfFiner{nodes, coarse.of_element, of_finer});
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of_finer);
  std::vector<bool> is_taken(coarse.unknowns);
  std::vector<SharedUnknowns> result;
  for (const auto& [ranks, unknowns] : fine.shared) {
    SharedUnknowns of_ranks{ranks, {}};
    for (const int finer : unknowns) {
      const int number = host(finer);
      if (number == none || is_taken[number]) continue;
      is_taken[number] = true;
      of_ranks.unknowns.push_back(number);
    }
    if (!of_ranks.unknowns.empty()) result.push_back(std::move(of_ranks));
  }
  return result;
}

struct StorePosition {
  DeviceArray<double* [3]> positions;
  template <class PositionOfNode>
  KOKKOS_FUNCTION void operator()(int node, const PositionOfNode& position) const {
    double at[3];
    position(at);
    for (int d = 0; d < 3; ++d) Kokkos::atomic_store(&positions(node, d), at[d]);
  }
};

}  // namespace

Numbering coarsen(const Numbering& fine, int fine_order, int order) {
  const CoarseNodes nodes{fine.of_element, fine_order, order};
  const auto cube = [](int n) { return static_cast<std::int64_t>(n) * n * n; };
  const std::int64_t size =
      static_cast<std::int64_t>(fine.of_element.size()) / cube(fine_order + 1) * cube(order + 1);
  const Kokkos::View<int*, Space> marks("marks", fine.nodes + 1);
  const Kokkos::View<int*, Space> number(
      Kokkos::view_alloc("numbers of nodes", Kokkos::WithoutInitializing), size);
  Kokkos::parallel_for("numbering: mark", AllNodes(0, size), MarkFirst{nodes, marks});
  Kokkos::parallel_scan("numbering: count", Kokkos::RangePolicy<Space>(0, fine.nodes + 1),
                        Count{marks});
  Kokkos::parallel_for("numbering: number", AllNodes(0, size), NumberOfMark{nodes, marks, number});
  const auto count_before = [&](int finer) {
    int count = 0;
    Kokkos::deep_copy(count, Kokkos::subview(marks, finer));
    return count;
  };
  Numbering coarse;
  coarse.nodes = count_before(fine.nodes);
  coarse.unknowns = count_before(fine.unknowns);
  coarse.owned = count_before(fine.owned);
  coarse.of_element = number;
  coarse.shared = coarsen_shared(fine, nodes, coarse);
  return coarse;
}

NodeNumbers node_numbers(const std::vector<int>& on_host) {
  using Host = Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const Kokkos::View<int*, Space> result(
      Kokkos::view_alloc("numbers of nodes", Kokkos::WithoutInitializing), on_host.size());
  Kokkos::deep_copy(result, Host(on_host.data(), on_host.size()));
  return result;
}

std::vector<Position> node_positions(const NumberedElements& elements, int nodes) {
  const DeviceArray<double* [3]> positions("positions", nodes);
  for_each_node("positions of nodes", elements, StorePosition{positions});
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), positions);
  std::vector<Position> result(nodes);
  for (int i = 0; i < nodes; ++i) result[i] = {host(i, 0), host(i, 1), host(i, 2)};
  return result;
}

}  // namespace example
