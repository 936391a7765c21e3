// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of the tests of Getrf and Potrf: a functor of several tensors in all configurations,
// and residuals with the bounds of LAPACK's own tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "Matrices.hpp"
#include "PackLanes.hpp"

namespace KokkosContract::Test {

/// Runs the functor in all configurations, each from the same tensors, which it may overwrite.
/// check(codes) then checks the tensors. No other memory may have changed.
template <class Level, class Functor, class Check, class... Tensors>
void check_everywhere(const Functor& functor, bool each_barrier_needed, const Check& check,
                      Tensors&... tensors) {
  const TensorsOfKernel all{{&tensors...}};
  check_everywhere(
      all, Level::configurations(),
      [&](const Configuration& configuration) {
        return Level::launch(configuration, all.problems(), functor, all.watched());
      },
      check);
  if constexpr (std::is_same_v<Level, Threads>) {
    if (all.watched()[0].bytes > 0) {
      check_barriers(functor, all.watched(), [&] { all.restore(); }, each_barrier_needed);
    }
  }
}

/// The largest sum of absolute values in a column.
template <class W>
long double norm_one(const Dense<W>& a) {
  long double norm = 0;
  for (int j = 0; j < a.extents[1]; ++j) {
    long double sum = 0;
    for (int i = 0; i < a.extents[0]; ++i) sum += magnitude(a(i, j));
    if (!(sum <= norm)) norm = sum;
  }
  return norm;
}

/// error <= 30 n eps size; a NaN fails.
template <class Scalar>
testing::AssertionResult is_residual(long double error, int n, long double size) {
  const long double bound = 30 * n * 2 * unit_roundoff<Scalar>() * size;
  if (error <= bound) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "residual " << error << ", bound " << bound;
}

/// |B - A X| <= 30 n eps |A| |X|.
template <class Scalar, class W>
void expect_solution(const Dense<W>& a, const Dense<W>& x, Dense<W> b) {
  const int n = a.extents[0];
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < b.extents[1]; ++j) {
      for (int p = 0; p < n; ++p) b(i, j) -= a(i, p) * x(p, j);
    }
  }
  EXPECT_TRUE(is_residual<Scalar>(norm_one(b), n, norm_one(a) * norm_one(x)));
}

/// The dimensions of an info View, or of ipiv with `rows`, for elements T.
template <class T>
std::vector<int> entries_of(int batch, int rows) {
  std::vector<int> extents;
  if (batch >= 0) extents.push_back(batch);
  if (rows >= 0) extents.push_back(rows);
  if (KokkosContract::Impl::is_pack<T>) extents.push_back(lanes<T>::count);
  return extents;
}

}  // namespace KokkosContract::Test
