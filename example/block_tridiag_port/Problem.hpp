// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The problem of all versions, with their options and results. Block k of each line is A_k x_k-1 +
// D_k x_k + C_k x_k+1 = b_k.

#include <Kokkos_Core.hpp>

namespace example {

struct Options {
  int block = 5, lines = 4096, blocks = 64, right_hand_sides = 1, repeat = 3;
};

struct Times {
  double factor = 1e99,
         solve = 0;     // best time in seconds; a kernel that does both counts in the first
  double residual = 0;  // largest component of b - M x; entries are of order 1
};

/// Written for KokkosBatched, with Kokkos Kernels: only where it was found.
Times solve_with_kokkos_kernels(const Options& options);
/// Written for KokkosBatched, with this library.
Times solve_ported(const Options& options);
/// Restructured for this library.
Times solve_restructured(const Options& options);

/// The blocks of a row, in the order of the versions' arrays.
inline constexpr int lower = 0, diagonal = 1, upper = 2;

/// A number in [-1, 1) for each set of indices, the same wherever it is computed.
KOKKOS_INLINE_FUNCTION double number(int line, int k, int part, int i, int j) {
  unsigned hash = static_cast<unsigned>(line);
  for (const int index : {k, part, i, j}) {
    hash = (hash ^ static_cast<unsigned>(index)) * 2654435761u;
    hash ^= hash >> 15;
  }
  return 2.0 * hash / 4294967296.0 - 1;
}

/// Entry (i, j) of a block of n x n of a diagonally dominant matrix.
KOKKOS_INLINE_FUNCTION double matrix_entry(int line, int k, int part, int i, int j, int n) {
  return number(line, k, part, i, j) / n + (part == diagonal && i == j ? 4 : 0);
}

KOKKOS_INLINE_FUNCTION double vector_entry(int line, int k, int i, int r) {
  return number(line, k, 3, i, r);
}

/// The largest component of b - M x, if x(line, block, i, right-hand side) is the solution. NaN
/// propagates.
template <class Solution>
double residual_of(const Options& options, int lines, const Solution& x) {
  const int n = options.block, blocks = options.blocks, right_hand_sides = options.right_hand_sides;
  double worst = 0;
  Kokkos::parallel_reduce(
      "residual", lines,
      KOKKOS_LAMBDA(int line, double& most) {
        for (int k = 0; k < blocks; ++k)
          for (int i = 0; i < n; ++i)
            for (int r = 0; r < right_hand_sides; ++r) {
              double sum = vector_entry(line, k, i, r);
              for (int part = lower; part <= upper; ++part) {
                const int other = k + part - diagonal;
                if (other < 0 || other == blocks) continue;
                for (int j = 0; j < n; ++j)
                  sum -= matrix_entry(line, k, part, i, j, n) * x(line, other, j, r);
              }
              if (!(Kokkos::abs(sum) <= most)) most = Kokkos::abs(sum);
            }
      },
      Kokkos::Max<double>(worst));
  return worst;
}

}  // namespace example
