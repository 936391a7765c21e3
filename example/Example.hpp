// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the small examples share.
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>

namespace example {

/// A View in memory that the host and the device can use.
template <class T>
using Array = Kokkos::View<T, Kokkos::SharedSpace>;

using Member = Kokkos::TeamPolicy<>::member_type;

/// Some number between -1 and 1 for each set of indices.
KOKKOS_INLINE_FUNCTION double entry(int i, int j = 0, int k = 0, int l = 0) {
  return Kokkos::sin(1.0 + i + 2.3 * j + 5.7 * k + 11.1 * l);
}

/// Prints the largest error of something; returns 0 if it is within the bound (NaN is not), else 1.
inline int check(const char* what, double error, double bound = 1e-13) {
  const bool passed = error <= bound;
  std::printf("%-40s error %8.1e  %s\n", what, error, passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}

/// The larger of two errors; NaN stays.
inline double worse(double a, double b) { return b <= a ? a : b; }

}  // namespace example
