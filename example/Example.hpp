// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of the small examples.
#pragma once

#include <KokkosContract/Fault.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>

namespace example {

/// A View in memory that the host and the device can use.
template <class T>
using Array = Kokkos::View<T, Kokkos::SharedSpace>;

using Member = Kokkos::TeamPolicy<>::member_type;

using KokkosContract::require_success;

/// A number between -1 and 1 for each set of indices.
KOKKOS_INLINE_FUNCTION double entry(int i, int j = 0, int k = 0, int l = 0) {
  return Kokkos::sin(1.0 + i + 2.3 * j + 5.7 * k + 11.1 * l);
}

/// Prints the largest error. Returns 0 if it is within the bound, and 1 otherwise or if it is NaN.
inline int check(const char* what, double error, double bound = 1e-13) {
  const bool passed = error <= bound;
  std::printf("%-40s error %8.1e  %s\n", what, error, passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}

/// The larger of two errors. NaN propagates.
inline double worse(double a, double b) { return b <= a ? a : b; }

/// Problems A_p B_p x_p = b_p, where x holds b.
template <int N>
struct ProductSystems {
  Array<double* [N][N]> A, B;
  Array<double* [N]> b, x;

  explicit ProductSystems(int problems)
      : A("A", problems), B("B", problems), b("b", problems), x("x", problems) {
    for (int p = 0; p < problems; ++p)
      for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
          A(p, i, j) = entry(p, i, j) / N + (i == j ? 2 : 0);
          B(p, i, j) = entry(i, j, p) / N + (i == j ? 2 : 0);
        }
        b(p, i) = x(p, i) = entry(i, p);
      }
  }

  /// The largest residual if x is the solution.
  double residual() const {
    double largest = 0;
    for (int p = 0; p < b.extent_int(0); ++p)
      for (int i = 0; i < N; ++i) {
        double r = b(p, i);
        for (int k = 0; k < N; ++k)
          for (int j = 0; j < N; ++j) r -= A(p, i, k) * B(p, k, j) * x(p, j);
        largest = worse(largest, std::abs(r));
      }
    return largest;
  }
};

}  // namespace example
