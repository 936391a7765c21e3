// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_HALVEDLU_HPP
#define KOKKOSCONTRACT_DENSE_HALVEDLU_HPP

// LU by one worker of a host, with or without pivots, of matrices that may be large. It is a
// recursion over columns (S. Toledo, Locality of reference in LU decomposition with partial
// pivoting, SIAM J. Matrix Anal. Appl. 18, 1997). The left half of the columns is factored. Its
// rows of U are solved for in the right half. The product of both is subtracted from the rest,
// which is factored then. So most of the work is in products of large matrices. A panel has few
// columns, which are factored at once.

#include <KokkosContract/dense/BlockLU.hpp>
#include <KokkosContract/dense/Choose.hpp>
#include <KokkosContract/dense/CopiedPanel.hpp>
#include <KokkosContract/dense/Triangular.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The part of problem z in rows i to i_end - 1 and columns j to j_end - 1, with run-time extents.
/// All parts have one type.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto part_matrix(const A& a, int z, int i, int i_end, int j,
                                             int j_end) {
  const auto part = part_of(a, z, i, i_end, j, j_end);
  return Matrix<std::remove_const_t<decltype(part)>, false>{part};
}

/// The size of the first of two parts of n rows or columns, which are more than one panel. It is
/// about n / 2, in whole panels.
template <int Panel>
KOKKOS_FORCEINLINE_FUNCTION int first_half(int n) {
  return (n / 2 + Panel - 1) / Panel * Panel;
}

/// Subtracts a product as subtract_product does, in one function for all callers.
template <class A>
KOKKOSCONTRACT_SHARED_FUNCTION void subtract_apart(const A& a, const Rest& rest) {
  subtract_product<1>(SerialLevel{}, a, 0, rest);
}

/// Solves for rows first to last - 1 of U in columns col to end - 1, for the rows of one panel. The
/// multipliers are to the left of these columns.
template <class A>
KOKKOSCONTRACT_SHARED_FUNCTION void solve_panel(const A& a, int first, int last, int col, int end) {
  using Acc = accumulator_t<typename A::value_type>;
  const Acc one(real_t<Acc>(1));
  const A triangle = part_matrix(a, 0, first, last, first, last);
  const auto solve = [&](const auto& rows) KOKKOSCONTRACT_INLINE_LAMBDA {
    using Rows = std::remove_cvref_t<decltype(rows)>;
    LowerSolver<true, false, A, Rows, Acc>{triangle, rows, one}.solve(SerialLevel{});
  };
  if constexpr (A::unit_cols) {
    solve(part_matrix(a, 0, first, last, col, end));
  } else {
    for (int j = col; j < end; j += cols_of_solved_copy) {
      const int next = end - j < cols_of_solved_copy ? end : j + cols_of_solved_copy;
      with_copied_rows(part_matrix(a, 0, first, last, j, next), solve);
    }
  }
}

/// Solves as solve_panel does, for any number of rows.
template <int Panel, class A>
KOKKOSCONTRACT_SHARED_CODE void solve_by_halves(const A& a, int first, int last, int col, int end) {
  if (last - first <= Panel) return solve_panel(a, first, last, col, end);
  const int middle = first + first_half<Panel>(last - first);
  solve_by_halves<Panel>(a, first, middle, col, end);
  subtract_apart(part_matrix(a, 0, 0, last, 0, a.cols()), Rest{first, middle, middle, col, end});
  solve_by_halves<Panel>(a, middle, last, col, end);
}

/// Factors columns first to last - 1 of matrix A, from row `first` on. E knows the panels:
///
///   sizes                                  the most columns of a panel, and the fewest steps
///   suits(a)                               whether panels pay off for A, and have room
///   factor_panel(a, first, last)           factors a panel, and returns whether no pivot can be
///                                          zero
///   interchange(a, first, last, col, end)  runs the interchanges of steps first to last - 1 in
///                                          columns col to end - 1
///
/// Returns whether no pivot can be zero.
template <class A, class E>
KOKKOSCONTRACT_SHARED_CODE bool factor_by_halves(const A& a, const E& panels, int first, int last) {
  constexpr int most = E::sizes.cols_of_panel;
  if (last - first <= most) return panels.factor_panel(a, first, last);
  const int half = first + first_half<most>(last - first);
  const int middle = half < a.rows() ? half : a.rows();
  const bool left = factor_by_halves(a, panels, first, middle);
  panels.interchange(a, first, middle, middle, last);
  solve_by_halves<most>(a, first, middle, middle, last);
  if (middle == a.rows()) return left;
  subtract_apart(a, Rest{first, middle, middle, middle, last});
  const bool right = factor_by_halves(a, panels, middle, last);
  panels.interchange(a, middle, last < a.rows() ? last : a.rows(), first, middle);
  return left && right;
}

/// Whether one worker factors a matrix A by halves.
template <DenseRoutine R, class A, class Acc>
inline constexpr bool is_halved = is_host_blocked<Acc, typename A::value_type>() &&
                                  dense_choice<R, SerialLevel, A>.way == DenseWay::halves;

/// Whether A is large enough for halves.
template <class A, class E>
KOKKOS_FORCEINLINE_FUNCTION bool is_large_for_halves(const A& a, const E& panels) {
  return a.rows() >= E::sizes.least_steps && a.cols() >= E::sizes.least_steps && panels.suits(a);
}

/// Factors problem z of A by halves.
template <class A, class E>
KOKKOS_FORCEINLINE_FUNCTION bool factor_halved(const A& a, int z, const E& panels) {
  return factor_by_halves(part_matrix(a, z, 0, a.rows(), 0, a.cols()), panels, 0, a.cols());
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
