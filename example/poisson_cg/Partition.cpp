// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Partition.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>

#ifdef POISSON_CG_METIS
#include <metis.h>
#endif

namespace example {
namespace {

constexpr int points_of_element = 27;
constexpr int middle = 13;                                  // of an element's points
constexpr int middle_of_face[6] = {4, 22, 10, 16, 12, 14};  // begin and end of each direction

/// Base-3 digits of an element's point: 0, 1 or 2 in each direction, the third one first.
std::array<int, 3> digits(int point) { return {point / 9, point / 3 % 3, point % 3}; }
bool is_corner(int point) {
  const auto at = digits(point);
  return at[0] != 1 && at[1] != 1 && at[2] != 1;
}
/// Whether a point is on the closure of a corner, edge or face, which is given by its middle.
bool is_on(int point, int entity) {
  const auto at = digits(point), of = digits(entity);
  for (int d = 0; d < 3; ++d)
    if (of[d] != 1 && at[d] != of[d]) return false;
  return true;
}

/// Elements for each rank, so that their numbers differ by a few percent only.
constexpr std::size_t elements_of_rank = 200;

Mesh cut(const Mesh& mesh, int refinement) {
  if (refinement == 0) return mesh;
  const auto geometry =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), refine(mesh, refinement));
  Mesh result(geometry.extent(0));
  for (std::size_t e = 0; e < result.size(); ++e)
    for (int g = 0; g < points_of_element; ++g)
      for (int d = 0; d < 3; ++d) result[e][g][d] = geometry(e, g, d);
  return result;
}

/// The elements of each face, by the number of its midpoint. An element's absence is -1.
std::vector<std::array<int, 2>> elements_of_faces(const std::vector<int>& point, int points) {
  std::vector<std::array<int, 2>> elements(points, {-1, -1});
  for (std::size_t e = 0; e < point.size() / points_of_element; ++e)
    for (const int m : middle_of_face) {
      auto& [first, second] = elements[point[points_of_element * e + m]];
      if (second != -1) throw std::runtime_error("the mesh has a face of more than two elements");
      (first == -1 ? first : second) = static_cast<int>(e);
    }
  return elements;
}

/// Elements that have a corner in common are in the same part.
void require_one_part(const std::vector<int>& point, int points) {
  std::vector<int> parent(points);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  // The middle of an element is a point of no other one.
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (!is_corner(static_cast<int>(i % points_of_element))) continue;
    const int a = root(point[i]),
              b = root(point[i / points_of_element * points_of_element + middle]);
    parent[a] = b;
  }
  int parts = 0;
  for (std::size_t i = middle; i < point.size(); i += points_of_element)
    parts += root(point[i]) == point[i];
  if (parts > 1)
    throw std::runtime_error("the mesh is in " + std::to_string(parts) +
                             " parts that do not touch: solve on each of them alone");
}

/// Halves a range of elements along its longest direction, and each half again.
void bisect(const Mesh& mesh, std::vector<int>& elements, std::size_t begin, std::size_t end,
            int first_rank, int ranks, std::vector<int>& rank) {
  if (ranks == 1) {
    for (std::size_t i = begin; i < end; ++i) rank[elements[i]] = first_rank;
    return;
  }
  Position low = mesh[elements[begin]][middle], high = low;
  for (std::size_t i = begin; i < end; ++i)
    for (int d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], mesh[elements[i]][middle][d]);
      high[d] = std::max(high[d], mesh[elements[i]][middle][d]);
    }
  int along = 0;
  for (int d = 1; d < 3; ++d)
    if (high[d] - low[d] > high[along] - low[along]) along = d;
  const auto at = [&](std::size_t i) { return elements.begin() + static_cast<std::ptrdiff_t>(i); };
  std::sort(at(begin), at(end), [&](int a, int b) {
    const double x = mesh[a][middle][along], y = mesh[b][middle][along];
    return x < y || (x == y && a < b);
  });
  const int half = ranks / 2;
  const std::size_t cut_at = begin + (end - begin) * half / ranks;
  bisect(mesh, elements, begin, cut_at, first_rank, half, rank);
  bisect(mesh, elements, cut_at, end, first_rank + half, ranks - half, rank);
}

#ifdef POISSON_CG_METIS
/// METIS cuts few faces, for which it has the graph of elements that meet at a face.
bool deal_out_by_metis(const std::vector<std::array<int, 2>>& faces, int ranks,
                       std::vector<int>& rank) {
  std::vector<std::vector<idx_t>> neighbors(rank.size());
  for (const auto& [first, second] : faces)
    if (second != -1) {
      neighbors[first].push_back(second);
      neighbors[second].push_back(first);
    }
  std::vector<idx_t> begins{0}, adjacent, part(rank.size());
  for (const auto& of_element : neighbors) {
    adjacent.insert(adjacent.end(), of_element.begin(), of_element.end());
    begins.push_back(static_cast<idx_t>(adjacent.size()));
  }
  idx_t elements = static_cast<idx_t>(rank.size()), constraints = 1, parts = ranks, edges_cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_UFACTOR] = 1;  // per mille that a part may have more than the mean
  const int status =
      METIS_PartGraphKway(&elements, &constraints, begins.data(), adjacent.data(), nullptr, nullptr,
                          nullptr, &parts, nullptr, nullptr, options, &edges_cut, part.data());
  std::vector<int> count(ranks);
  for (const idx_t p : part) ++count[p];
  if (status != METIS_OK || std::count(count.begin(), count.end(), 0) > 0) return false;
  std::copy(part.begin(), part.end(), rank.begin());
  return true;
}
#else
bool deal_out_by_metis(const std::vector<std::array<int, 2>>&, int, std::vector<int>&) {
  return false;
}
#endif

/// Corners, edges and faces that a rank has in common with others, by the numbers of their middles.
std::unordered_map<int, SharedEntity> shared_entities(const Partition& partition, int rank) {
  const std::vector<int>& point = partition.point;
  const auto rank_of = [&](std::size_t i) { return partition.rank[i / points_of_element]; };
  constexpr int none = -1, several = -2;
  std::vector<int> has(partition.on_boundary.size(), none);  // the rank that has the point
  for (std::size_t i = 0; i < point.size(); ++i)
    if (int& of_point = has[point[i]]; of_point != rank_of(i))
      of_point = of_point == none ? rank_of(i) : several;

  std::unordered_map<int, SharedEntity> entities;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (has[point[i]] != several) continue;
    const auto [found, is_new] = entities.try_emplace(point[i]);
    SharedEntity& entity = found->second;
    if (is_new) {
      entity.on_boundary = partition.on_boundary[point[i]];
      entity.element = partition.mesh[i / points_of_element];
      entity.side = digits(static_cast<int>(i % points_of_element));
    }
    const auto at = std::lower_bound(entity.ranks.begin(), entity.ranks.end(), rank_of(i));
    if (at == entity.ranks.end() || *at != rank_of(i)) entity.ranks.insert(at, rank_of(i));
  }
  std::erase_if(entities, [&](const auto& entry) {
    const std::vector<int>& ranks = entry.second.ranks;
    return !std::binary_search(ranks.begin(), ranks.end(), rank);
  });
  return entities;
}

/// Elements in another sequence.
struct Reorder {
  DeviceArray<double* [27][3]> from, to;
  Kokkos::View<const int*, Kokkos::DefaultExecutionSpace> sequence;
  KOKKOS_FUNCTION void operator()(int e) const {
    for (int g = 0; g < 27; ++g)
      for (int d = 0; d < 3; ++d) to(e, g, d) = from(sequence(e), g, d);
  }
};
DeviceArray<double* [27][3]> reorder(const DeviceArray<double* [27][3]>& elements,
                                     const std::vector<int>& sequence) {
  using Host = Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const DeviceArray<double* [27][3]> result("nodes", elements.extent(0));
  const auto on_device = Kokkos::create_mirror_view_and_copy(
      Kokkos::DefaultExecutionSpace(), Host(sequence.data(), sequence.size()));
  Kokkos::parallel_for("order of elements",
                       Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, elements.extent(0)),
                       Reorder{elements, result, on_device});
  Kokkos::fence();
  return result;
}

}  // namespace

Partition partition(const Mesh& mesh, int refinement, int ranks) {
  Partition result;
  int cuts = 0;
  if (ranks > 1)
    while (cuts < refinement && (mesh.size() << (3 * cuts)) < elements_of_rank * ranks) ++cuts;
  result.mesh = cut(mesh, cuts);
  result.refinement = refinement - cuts;
  const std::size_t elements = result.mesh.size();
  if (elements < static_cast<std::size_t>(ranks))
    throw std::runtime_error("there are more ranks (" + std::to_string(ranks) +
                             ") than elements (" + std::to_string(elements) +
                             "): refine the mesh or start fewer ranks");

  std::vector<Position> positions;
  positions.reserve(points_of_element * elements);
  for (const Hexahedron& element : result.mesh)
    positions.insert(positions.end(), element.begin(), element.end());
  result.point = number_points(positions);
  const int points = 1 + *std::max_element(result.point.begin(), result.point.end());
  require_one_part(result.point, points);

  // A face is on the boundary if only one element has it.
  const auto faces = elements_of_faces(result.point, points);
  result.on_boundary.resize(points);
  for (std::size_t e = 0; e < elements; ++e)
    for (const int face : middle_of_face) {
      if (faces[result.point[points_of_element * e + face]][1] != -1) continue;
      for (int p = 0; p < points_of_element; ++p)
        if (is_on(p, face)) result.on_boundary[result.point[points_of_element * e + p]] = true;
    }

  result.rank.resize(elements);
  if (ranks > 1 && !deal_out_by_metis(faces, ranks, result.rank)) {
    std::vector<int> order(elements);
    std::iota(order.begin(), order.end(), 0);
    bisect(result.mesh, order, 0, elements, 0, ranks, result.rank);
  }
  return result;
}

Part::Part(const Partition& partition, int of_rank)
    : rank(of_rank), refinement(partition.refinement) {
  auto entities = shared_entities(partition, of_rank);
  Mesh own;
  std::vector<const int*> points;  // of each own element
  for (std::size_t e = 0; e < partition.mesh.size(); ++e)
    if (partition.rank[e] == of_rank) {
      own.push_back(partition.mesh[e]);
      points.push_back(&partition.point[points_of_element * e]);
    }
  geometry = refine(own, refinement);

  // Elements of the interface come first. Otherwise the order of the mesh stays.
  const int parts = 1 << refinement, children = parts * parts * parts;
  std::vector<int> others;
  for (int e = 0; e < geometry.extent_int(0); ++e) {
    const int child = e % children;
    const int index[3] = {child / parts / parts, child / parts % parts, child % parts};
    const int* const point = points[e / children];
    const auto touches = [&](int entity) {
      const auto side = digits(entity);
      for (int d = 0; d < 3; ++d)
        if ((side[d] == 0 && index[d] > 0) || (side[d] == 2 && index[d] < parts - 1)) return false;
      return true;
    };
    bool is_shared = false;
    for (int p = 0; p < points_of_element && !is_shared; ++p)
      is_shared = touches(p) && entities.contains(point[p]);
    (is_shared ? place : others).push_back(e);
    std::uint8_t faces = 0;
    for (int f = 0; f < 6; ++f)
      if (touches(middle_of_face[f]) && partition.on_boundary[point[middle_of_face[f]]])
        faces |= static_cast<std::uint8_t>(1 << f);
    boundary_faces.push_back(faces);
  }
  interface_elements = static_cast<int>(place.size());
  place.insert(place.end(), others.begin(), others.end());
  if (interface_elements > 0) {
    geometry = reorder(geometry, place);
    const auto natural = boundary_faces;
    for (std::size_t e = 0; e < place.size(); ++e) boundary_faces[e] = natural[place[e]];
  }

  std::vector<int> in_order;
  in_order.reserve(entities.size());
  for (const auto& [point, entity] : entities) in_order.push_back(point);
  std::sort(in_order.begin(), in_order.end());
  for (const int point : in_order) shared.push_back(std::move(entities[point]));
}

}  // namespace example
