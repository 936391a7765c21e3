// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <vector>

#include "../fused_element_pipeline/Refinement.hpp"

namespace example {

using Position = std::array<double, 3>;

/// Global numbers of the nodes of all elements. The unknowns come first, in the order in which
/// elements have them. The nodes on the boundary follow, where the solution is given. The numbering
/// is computed once, on the host.
struct Numbering {
  int nodes = 0;
  int unknowns = 0;
  std::vector<int> of_element;      ///< (element, a, b, c), c the mesh's first direction
  std::vector<Position> positions;  ///< positions of the nodes

  auto map() const {
    using Numbers =
        Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return Numbers(of_element.data(), of_element.size());
  }
};

/// Numbers of points, the same for points at the same position. They count from 0 on in the order
/// of first appearance.
std::vector<int> number_points(const std::vector<Position>& points);

/// The numbering for elements of some order with this geometry. Nodes at the same position are one
/// node, which needs a mesh whose elements meet face to face.
/// \throws std::runtime_error if a face belongs to more than two elements
Numbering number_nodes(const DeviceArray<double* [27][3]>& geometry, int order);

}  // namespace example
