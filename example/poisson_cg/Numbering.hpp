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

/// Numbers of the nodes of a rank's elements. The unknowns that the rank owns come first, in the
/// order in which elements have them. Then come those that other ranks own, and then the nodes on
/// the boundary, where the solution is given. The numbering is computed once, on the host.
struct Numbering {
  int nodes = 0;
  int unknowns = 0;
  int owned = 0;                       ///< each unknown is owned by one rank
  std::vector<int> of_element;         ///< (element, a, b, c), c the mesh's first direction
  std::vector<Position> positions;     ///< positions of the nodes
  std::vector<SharedUnknowns> shared;  ///< in the same sequence on all ranks

  auto map() const {
    using Numbers =
        Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return Numbers(of_element.data(), of_element.size());
  }
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

}  // namespace example
