// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "../MachineBounds.hpp"
#include "../Ranks.hpp"
#include "Discretization.hpp"
#include "Partition.hpp"

namespace example {

/// What all ranks can do together. They measure at the same time.
MachineBounds measure_bounds_of_all(const Ranks& ranks);

/// The part of a rank, if each element is cut into 2^refinement in each direction.
std::unique_ptr<const Part> part_of_rank(const Mesh& mesh, int refinement, const Ranks& ranks);

/// One solution. Numbers and times are those of all ranks.
struct Solution {
  int elements = 0;
  int unknowns = 0;
  double error = 0;  ///< in the L2 norm, relative to the solution
  int iterations = 0;
  double residual = 0;
  std::string preconditioner;  ///< a description
  double setup_seconds = 0;    ///< time to set up the preconditioner
  double seconds = 0;          ///< time of all iterations
  double seconds_per_iteration = 0;
  double seconds_per_apply = 0;    ///< time of the operator alone
  double bytes_per_iteration = 0;  ///< bytes that must be moved
  double flops_per_iteration = 0;
  double bytes_per_apply = 0;
  double flops_per_apply = 0;
};

/// The part of a rank, if each element is cut into 2^refinement in each direction. Collective.
std::unique_ptr<const Part> part_of_rank(const Mesh& mesh, int refinement, const Ranks& ranks);

enum class PreconditionerChoice { jacobi, multigrid };

/// Solves -div grad u = f with the Dirichlet values of the exact solution. Each rank has its part
/// of the mesh. Writes the solution to `vtk`, if there is a name. Calls progress(iteration,
/// residual) after each iteration.
Solution solve(const Ranks& ranks, const Part& part, const ElementOrder& element,
               PreconditionerChoice preconditioner, const std::string& vtk,
               const std::function<void(int, double)>& progress);

/// Approximate number of unknowns of a mesh with this many elements.
inline double estimated_unknowns(double elements, int order) {
  return elements * order * order * order;
}

}  // namespace example
