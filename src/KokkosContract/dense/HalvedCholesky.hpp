// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_HALVEDCHOLESKY_HPP
#define KOKKOSCONTRACT_DENSE_HALVEDCHOLESKY_HPP

// Cholesky by one worker of a host, of matrices that may be large. It is a recursion over columns.
// The left half of the columns is factored. The product of its lower rows and of their adjoint is
// subtracted from the rest, below its diagonal and on it. The rest is factored then. A panel has
// few columns, which are factored at once. Registers run along columns, so that panels are copied
// unless neighbours in a column are neighbours in memory.

#include <KokkosContract/dense/CopiedPanel.hpp>
#include <KokkosContract/dense/Halves.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class A, class Acc>
struct CholeskyFactor;

template <class A>
inline constexpr HalvedCholeskySizes cholesky_sizes =
    A::unit_rows ? cholesky_of_columns : cholesky_of_copies;

/// Factors the columns of A, whose first rows are a triangle. Returns false at the first diagonal
/// element that is not positive.
template <class A, class T = typename A::value_type>
KOKKOSCONTRACT_SHARED_FUNCTION bool factor_cholesky_panel(A a) {
  if constexpr (A::unit_rows) {
    return CholeskyFactor<A, T>{a}.template factor_blocks<host_lanes<T>()>(0);
  } else {
    using Columns = strided_t<T, StaticShape<2>{{dynamic, dynamic}, {1, dynamic}}>;
    const CopiedPanel<T> panel(a.rows(), a.cols());
    panel.template copy<false, true>(a);
    const int extents[] = {a.rows(), a.cols()};
    const std::ptrdiff_t strides[] = {1, panel.stride};
    const Matrix<Columns, false> columns{Columns(panel.x, extents, strides)};
    const bool positive = factor_cholesky_panel(columns);
    panel.template copy<true, true>(a);
    return positive;
  }
}

/// Columns j to j_end - 1 of the transpose of X.
template <class X>
KOKKOS_FORCEINLINE_FUNCTION auto part_of_transpose(const X& x, int j, int j_end) {
  const Matrix<std::remove_cvref_t<decltype(x.a)>, false, true> transpose{x.a};
  return part_of(transpose, 0, 0, x.cols(), j, j_end);
}

/// Subtracts X times its transpose from the lower triangle of C, which is a small square.
template <class A>
KOKKOSCONTRACT_SHARED_FUNCTION void subtract_from_small_triangle(const A& x, const A& c) {
  using T = typename A::value_type;
  constexpr int most = cholesky_sizes<A>.cols_of_square;
  using Operand = std::remove_cvref_t<decltype(c.a)>;
  const int n = c.rows();
  alignas(64) T elements[most * most];
  const int extents[] = {n, n};
  const std::ptrdiff_t strides[] = {A::unit_cols ? most : 1, A::unit_cols ? 1 : most};
  const A square{Operand(elements, extents, strides)};
  const auto copy = [&](const A& from, const A& to) KOKKOSCONTRACT_INLINE_LAMBDA {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) to(0, i, j) = from(0, i, j);
    }
  };
  for (T& element : elements) element = T(0);
  copy(c, square);
  subtract_apart(x.a, part_of_transpose(x, 0, n), square.a);
  copy(square, c);
}

/// Subtracts X times its transpose from the lower triangle of C, which is a square.
template <class A>
KOKKOSCONTRACT_SHARED_CODE void subtract_from_triangle(const A& x, const A& c) {
  const int n = c.rows();
  constexpr int most = cholesky_sizes<A>.cols_of_square;
  if (n <= most) return subtract_from_small_triangle(x, c);
  const int half = first_half<most>(n);
  const A above = part_matrix(x, 0, 0, half, 0, x.cols());
  const A below = part_matrix(x, 0, half, n, 0, x.cols());
  subtract_from_triangle(above, part_matrix(c, 0, 0, half, 0, half));
  subtract_apart(below.a, part_of_transpose(x, 0, half), part_of(c, 0, half, n, 0, half));
  subtract_from_triangle(below, part_matrix(c, 0, half, n, half, n));
}

/// Factors the columns of A, as factor_cholesky_panel does, for any number of columns.
template <class A>
KOKKOSCONTRACT_SHARED_CODE bool factor_cholesky_by_halves(const A& a) {
  const int n = a.cols(), rows = a.rows();
  constexpr int most = cholesky_sizes<A>.cols_of_panel;
  if (n <= most) return factor_cholesky_panel(a);
  const int half = first_half<most>(n);
  if (!factor_cholesky_by_halves(part_matrix(a, 0, 0, rows, 0, half))) return false;
  const A x = part_matrix(a, 0, half, n, 0, half);
  subtract_from_triangle(x, part_matrix(a, 0, half, n, half, n));
  if (rows > n) {
    subtract_apart(part_of(a, 0, n, rows, 0, half), part_of_transpose(x, 0, n - half),
                   part_of(a, 0, n, rows, half, n));
  }
  return factor_cholesky_by_halves(part_matrix(a, 0, half, rows, half, n));
}

/// Whether problems of A are large enough for halves, and panels have room.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION bool is_large_for_halved_cholesky(const A& a) {
  constexpr HalvedCholeskySizes sizes = cholesky_sizes<A>;
  using Panel = CopiedPanel<typename A::value_type>;
  return a.rows() >= sizes.least_steps &&
         (A::unit_rows || Panel::has_room(a.rows(), sizes.cols_of_panel));
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
