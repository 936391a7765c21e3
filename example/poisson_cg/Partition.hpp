// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "../fused_element_pipeline/Mesh.hpp"
#include "../fused_element_pipeline/Refinement.hpp"
#include "Numbering.hpp"

namespace example {

/// A mesh that is dealt out to ranks. Its elements are those of the file, or parts of them, so that
/// each rank can have many. All ranks know all of them.
struct Partition {
  Mesh mesh;
  int refinement = 0;     ///< how often they are still to be cut
  std::vector<int> rank;  ///< the rank of each

  /// Points at the corners, and in the middle of edges, faces and elements: 27 numbers for each
  /// element. Elements that meet have the same numbers.
  std::vector<int> point;
  std::vector<bool> on_boundary;  ///< of each point: whether it is on the boundary
};

/// Deals out the elements of a mesh, each cut into 2^refinement in each direction. It uses METIS
/// where CMake finds that, and else cuts the mesh along its longest direction, again and again.
/// \throws std::runtime_error if a face belongs to more than two elements, if the mesh has parts
///         that do not touch, or if there are more ranks than elements
Partition partition(const Mesh& mesh, int refinement, int ranks);

/// A corner, edge or face of a partition's element, which several ranks have.
struct SharedEntity {
  std::vector<int> ranks;  ///< they ascend
  bool on_boundary = false;
  Hexahedron element;         ///< the first element that has it, the same for all ranks
  std::array<int, 3> side{};  ///< in each direction, third to first: 0 begin, 1 between, 2 end
};

/// The elements of one rank, after all cuts.
struct Part {
  int rank = 0;
  int refinement = 0;  ///< of the partition's elements
  /// Coordinates of the elements' nodes. Elements that touch those of other ranks come first.
  DeviceArray<double* [27][3]> geometry;
  int interface_elements = 0;  ///< number of those that come first
  /// The place of each element if those that were cut from the same one followed each other, the
  /// first direction fastest.
  std::vector<int> place;
  /// For each element a bit for each of its faces that are on the boundary: 2 d for the begin of
  /// direction d, and 2 d + 1 for its end, where the third direction is counted first.
  std::vector<std::uint8_t> boundary_faces;
  std::vector<SharedEntity> shared;  ///< in the same sequence on all ranks

  Part(const Partition& partition, int of_rank);
};

}  // namespace example
