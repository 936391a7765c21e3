// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../Ranks.hpp"
#include "../fused_element_pipeline/Mesh.hpp"

namespace example {

/// Checks the interpolation between orders, its transpose, and the symmetry of multigrid. Then it
/// solves on the mesh of order 4, refined up to so many times, where 15 iterations must do with
/// each coarse solver.
/// \return whether all is as it should be. Collective.
bool check_multigrid(const Ranks& ranks, const Mesh& mesh, int most_refinements);

}  // namespace example
