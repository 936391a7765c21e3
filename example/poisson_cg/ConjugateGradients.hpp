// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <string>

#include "../Ranks.hpp"
#include "Discretization.hpp"

namespace example {

struct ConvergenceHistory {
  int iterations = 0;
  int applications = 0;  ///< of A, one more than iterations
  double residual = 0;   ///< relative, in the norm of the preconditioner
  double seconds = 0;
};

/// The Jacobi preconditioner. It is pointwise: an entry of M^-1 r depends on that of r only, so it
/// needs no sweep of its own.
struct Jacobi {
  static constexpr bool pointwise = true;
  DeviceVector inverse_diagonal;
  KOKKOS_FUNCTION double operator()(int i, double r) const { return inverse_diagonal(i) * r; }
};

/// Vectors of the iteration: u is M^-1 r, and w is A u. p is the direction, and s is A p.
struct IterationVectors {
  DeviceVector x, r, u, w, p, s;
};

/// All updates of an iteration in one sweep, and the sum r^T u over the first `owned` entries. w
/// becomes 0 for the next sum over elements. Another preconditioner computes u and the sum later.
template <class Preconditioner>
struct Update {
  IterationVectors v;
  Preconditioner inverse;
  double step, beta;
  int owned;
  KOKKOS_FUNCTION void operator()(int i, double& sum) const {
    const double p = preconditioned(i) + beta * v.p(i), s = v.w(i) + beta * v.s(i);
    v.p(i) = p;
    v.s(i) = s;
    v.w(i) = 0;
    v.x(i) += step * p;
    const double r = v.r(i) - step * s;
    v.r(i) = r;
    if constexpr (Preconditioner::pointwise) {
      const double u = inverse(i, r);
      v.u(i) = u;
      if (i < owned) sum += r * u;
    }
  }
  KOKKOS_FUNCTION double preconditioned(int i) const {
    if constexpr (Preconditioner::pointwise) {
      return inverse(i, v.r(i));
    } else {
      return v.u(i);
    }
  }
};

struct Product {
  DeviceVector a, b;
  KOKKOS_FUNCTION void operator()(int i, double& sum) const { sum += a(i) * b(i); }
};

/// Words of vectors that an iteration moves at least, for each unknown. They are 12 for the sweep
/// above, with Jacobi's diagonal instead of u, and 2 for u^T A u. A u reads u and adds to w.
inline constexpr double words_of_iteration = 12 + 2 + 3;

/// Conjugate gradients of Chronopoulos and Gear, whose iteration has one sum over the ranks. They
/// solve for the first `unknowns` entries of x, of which the rank owns the first `owned`. They
/// start from x = 0, with r = b on entry, and stop when the residual has fallen by `tolerance`.
///
/// A(u, w) computes w = A u, where w is 0 on entry. A preconditioner that is not pointwise has
/// apply(r, u). Other entries of the vectors stay zero, or are not read. progress(iteration,
/// residual) is called after each iteration.
template <class Matrix, class Preconditioner, class Progress>
ConvergenceHistory conjugate_gradients(const Matrix& A, const Preconditioner& inverse,
                                       const DeviceVector& x, const DeviceVector& r, int unknowns,
                                       int owned, const Ranks& ranks, double tolerance,
                                       int most_iterations, const Progress& progress) {
  using Range = Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>;
  const auto vector = [&](const std::string& name) { return DeviceVector(name, x.extent(0)); };
  const IterationVectors v{x, r, vector("u"), vector("w"), vector("p"), vector("s")};
  const auto product = [&](const DeviceVector& a, const DeviceVector& b) {
    double sum = 0;
    Kokkos::parallel_reduce("CG: product", Range(0, owned), Product{a, b}, sum);
    return sum;
  };
  // The sum r^T u over the unknowns of this rank.
  const auto update = [&](double step, double beta) {
    double sum = 0;
    Kokkos::parallel_reduce("CG: update", Range(0, unknowns),
                            Update<Preconditioner>{v, inverse, step, beta, owned}, sum);
    if constexpr (!Preconditioner::pointwise) {
      inverse.apply(v.r, v.u);
      sum = product(v.r, v.u);
    }
    return sum;
  };
  Kokkos::fence();
  ranks.wait_for_all();
  const Kokkos::Timer timer;
  ConvergenceHistory history;
  double first = 0, before = 0, step = 0;
  double sum_of_rank = update(0, 0);
  while (true) {
    A(v.u, v.w);
    double sums[2] = {sum_of_rank, product(v.u, v.w)};
    ranks.sum(sums, 2);
    const double norm = sums[0];
    if (history.applications == 0) first = norm;
    ++history.applications;
    history.iterations = history.applications - 1;
    history.residual = first > 0 ? std::sqrt(norm / first) : 0;
    if (history.iterations > 0) progress(history.iterations, history.residual);
    if (!(history.residual > tolerance) || history.iterations == most_iterations) break;
    const double beta = history.iterations == 0 ? 0 : norm / before;
    step = norm / (sums[1] - (history.iterations == 0 ? 0 : beta * norm / step));
    before = norm;
    sum_of_rank = update(step, beta);
  }
  Kokkos::fence();
  history.seconds = timer.seconds();
  return history;
}

}  // namespace example
