// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <vector>

#include "../fused_element_pipeline/Refinement.hpp"

namespace example {

struct Part;
using Position = std::array<double, 3>;

/// Unknowns that several ranks have, among them this one.
struct SharedUnknowns {
  std::vector<int> ranks;     ///< they ascend; the first one owns the unknowns
  std::vector<int> unknowns;  ///< in the same sequence on all of them
};

/// Numbers of the nodes of elements, where the kernels run.
using NodeNumbers = Kokkos::View<const int*, Kokkos::DefaultExecutionSpace>;

/// Numbers of the nodes of a rank's elements. The unknowns that the rank owns come first, in the
/// order in which elements have them. Then come those that other ranks own, and then the nodes on
/// the boundary, where the solution is given.
struct Numbering {
  int nodes = 0;
  int unknowns = 0;
  int owned = 0;                       ///< each unknown is owned by one rank
  NodeNumbers of_element;              ///< (element, a, b, c), c the mesh's first direction
  std::vector<SharedUnknowns> shared;  ///< in the same sequence on all ranks
};

/// Numbers of points, the same for points at the same position. They count from 0 on in the order
/// of first appearance.
std::vector<int> number_points(const std::vector<Position>& points);

/// Whether values on the boundary are given, or unknowns as others are.
enum class Boundary { given, unknown };

/// The numbering for elements of some order. Nodes at the same position are one node, which needs a
/// mesh whose elements meet face to face.
/// \throws std::runtime_error if elements of two ranks do not meet face to face
Numbering number_nodes(const Part& part, int order, Boundary boundary = Boundary::given);

/// The numbering of the same elements for half the order, rounded down, or for less. Nodes are in
/// the sequence of the finer nodes nearest to them on the same edge, face or element, so no
/// positions are compared.
Numbering coarsen(const Numbering& fine, int fine_order, int order);

/// The numbers on the device.
NodeNumbers node_numbers(const std::vector<int>& on_host);

}  // namespace example
