// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What all versions solve, A_k x_k-1 + D_k x_k + C_k x_k+1 = b_k in block k of each line, and what
// they are asked and answer.

#include <Kokkos_Core.hpp>

namespace example {

struct Options {
  int block = 5, lines = 4096, blocks = 64, right_hand_sides = 1, repeat = 3;
};

struct Times {
  double factor = 1e99,
         solve = 0;     // seconds, the best; of a kernel that does both, all is in the first
  double residual = 0;  // the largest component of b - M x, of numbers of order 1
};

/// Written for KokkosBatched, with Kokkos Kernels: only where it was found.
Times solve_with_kokkos_kernels(const Options& options);
/// The same with this library.
Times solve_ported(const Options& options);
/// Restructured.
Times solve_restructured(const Options& options);

/// The blocks of a row, as they lie in the versions' arrays.
inline constexpr int lower = 0, diagonal = 1, upper = 2;

/// Number (i, j) of a block of n x n: in [-1/n, 1/n), and diagonally dominant.
KOKKOS_INLINE_FUNCTION double matrix_entry(int line, int k, int part, int i, int j, int n) {
  const double number = Kokkos::sin(1.0 + line + 3.7 * k + 11.3 * part + 5.1 * i + 2.3 * j);
  return number / n + (part == diagonal && i == j ? 4 : 0);
}

KOKKOS_INLINE_FUNCTION double vector_entry(int line, int k, int i, int r) {
  return Kokkos::cos(2.0 + line + 3.7 * k + 5.1 * i + 7.9 * r);
}

/// The largest component of b - M x, when x(line, block, i, right-hand side) is the solution; NaN
/// if there is one.
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
