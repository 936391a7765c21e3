// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <vector>

#include "../Ranks.hpp"
#include "IterationSums.hpp"
#include "Operator.hpp"

namespace example {

/// Bounds of eigenvalues.
struct Interval {
  double least = 0, largest = 0;
};

/// The extreme eigenvalues of D^-1 A, where D is the diagonal, by Lanczos' method. Its coefficients
/// are those of conjugate gradients (Saad, Iterative Methods for Sparse Linear Systems, 2nd
/// edition, 6.7.3), which start from numbers that look random. It takes at most so many steps, and
/// stops when the residual has fallen by `tolerance`. The largest eigenvalue settles first.
Interval extreme_eigenvalues(const Operator& A, const DeviceVector& inverse_diagonal,
                             const Ranks& ranks, const IterationSums& sums, int most_steps,
                             double tolerance);

/// Approximate solution of A x = b by a fixed polynomial of D^-1 A, which damps errors of the
/// eigenvalues in an interval (Adams, Brezina, Hu, Tuminaro: Parallel multigrid smoothing, J.
/// Comput. Phys. 188, 2003; the recurrence is algorithm 12.1 of Saad's book). It is linear and
/// symmetric, and ranks need no sums for it. Each application of A is followed by one sweep.
class Chebyshev {
 public:
  /// The last vector is scratch, which is 0 before and after each call.
  Chebyshev(const Operator& A, const DeviceVector& inverse_diagonal, const Interval& eigenvalues,
            int degree, const DeviceVector& product);

  /// x becomes the polynomial's approximation, from x = 0.
  void solve(const DeviceVector& b, const DeviceVector& x) const;
  /// x becomes better.
  void improve(const DeviceVector& b, const DeviceVector& x) const { improve(b, x, 0); }

  int degree() const { return static_cast<int>(steps_.size()); }
  /// Words of vectors that sweeps move for each unknown.
  static constexpr int words_of_first_sweep = 4, words_of_sweep = 8;

  /// direction = keep direction + gain D^-1 (b - A x), x += direction
  struct Step {
    double keep, gain;
  };

 private:
  void improve(const DeviceVector& b, const DeviceVector& x, int first_step) const;

  const Operator& A_;
  DeviceVector inverse_diagonal_, product_, direction_;
  std::vector<Step> steps_;
};

}  // namespace example
