// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>

#include "../Ranks.hpp"
#include "IterationSums.hpp"
#include "Operator.hpp"

namespace example {

/// Approximate solution of the coarsest level's A x = b. It is linear and symmetric, as a part of a
/// preconditioner of conjugate gradients.
class CoarseSolver {
 public:
  CoarseSolver() = default;
  CoarseSolver(const CoarseSolver&) = delete;
  CoarseSolver& operator=(const CoarseSolver&) = delete;
  virtual ~CoarseSolver() = default;

  /// All ranks that share an unknown get the same value.
  virtual void solve(const DeviceVector& b, const DeviceVector& x) const = 0;
  virtual std::string description() const = 0;
};

/// A cycle of hypre's algebraic multigrid with the assembled matrix of order 1, on the host. There
/// is none where CMake did not find hypre with MPI. Collective.
std::unique_ptr<CoarseSolver> algebraic_multigrid(const Part& part, const Operator& A,
                                                  const Ranks& ranks);

/// Chebyshev's polynomial for all eigenvalues, whose degree grows with the inverse of the mesh
/// width. Collective.
std::unique_ptr<CoarseSolver> polynomial_solver(const Operator& A,
                                                const DeviceVector& inverse_diagonal,
                                                const Ranks& ranks, const IterationSums& sums);

}  // namespace example
