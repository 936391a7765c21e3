// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>

#include "Discretization.hpp"

namespace example {

struct ConvergenceHistory {
  int iterations = 0;
  double residual = 0;  ///< relative, in the norm of the preconditioner
  double seconds = 0;
};

/// A vector operation with a sum, in one sweep: x += step p, r -= step A p, and r^T M^-1 r.
struct UpdateAndNorm {
  DeviceVector x, r, p, Ap, inverse_diagonal;
  double step;
  KOKKOS_FUNCTION void operator()(int i, double& sum) const {
    x(i) += step * p(i);
    const double residual = r(i) - step * Ap(i);
    r(i) = residual;
    sum += residual * residual * inverse_diagonal(i);
  }
};

/// p = M^-1 r + beta p, and Ap = 0 for the next sum over elements.
struct NextDirection {
  DeviceVector r, p, Ap, inverse_diagonal;
  double beta;
  KOKKOS_FUNCTION void operator()(int i) const {
    p(i) = inverse_diagonal(i) * r(i) + beta * p(i);
    Ap(i) = 0;
  }
};

struct Product {
  DeviceVector a, b;
  KOKKOS_FUNCTION void operator()(int i, double& sum) const { sum += a(i) * b(i); }
};

/// Words of vectors that an iteration moves at least, for each unknown. They are 2 for p^T A p, and
/// 7 and 5 for the sweeps above. A p reads p and adds to Ap.
inline constexpr double words_of_iteration = 2 + 7 + 5 + 3;

/// Conjugate gradients with the Jacobi preconditioner for the first `unknowns` entries. They start
/// from x = 0, with r = b on entry, and stop when the residual has fallen by `tolerance`. apply(p,
/// Ap) adds A p to Ap. Other entries of the vectors stay zero, or are not read. progress(iteration,
/// residual) is called after each iteration.
template <class Apply, class Progress>
ConvergenceHistory conjugate_gradients(const Apply& apply, const DeviceVector& x,
                                       const DeviceVector& r, const DeviceVector& p,
                                       const DeviceVector& Ap, const DeviceVector& inverse_diagonal,
                                       int unknowns, double tolerance, int most_iterations,
                                       const Progress& progress) {
  const Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace> range(0, unknowns);
  Kokkos::fence();
  const Kokkos::Timer timer;
  ConvergenceHistory history;
  double norm = 0;
  Kokkos::parallel_reduce("CG: norm", range, UpdateAndNorm{x, r, p, Ap, inverse_diagonal, 0}, norm);
  const double norm_of_first = norm;
  double beta = 0;
  history.residual = norm > 0 ? 1 : 0;
  while (history.residual > tolerance && history.iterations < most_iterations) {
    Kokkos::parallel_for("CG: direction", range, NextDirection{r, p, Ap, inverse_diagonal, beta});
    apply(p, Ap);
    double pAp = 0;
    Kokkos::parallel_reduce("CG: product", range, Product{p, Ap}, pAp);
    const double before = norm;
    norm = 0;
    Kokkos::parallel_reduce("CG: update", range,
                            UpdateAndNorm{x, r, p, Ap, inverse_diagonal, before / pAp}, norm);
    beta = norm / before;
    history.residual = std::sqrt(norm / norm_of_first);
    ++history.iterations;
    progress(history.iterations, history.residual);
  }
  Kokkos::fence();
  history.seconds = timer.seconds();
  return history;
}

}  // namespace example
