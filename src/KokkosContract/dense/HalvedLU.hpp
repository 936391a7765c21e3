// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_HALVEDLU_HPP
#define KOKKOSCONTRACT_DENSE_HALVEDLU_HPP

// LU by one worker of a host, with or without pivots, of matrices that may be large. It is a
// recursion over columns (S. Toledo, Locality of reference in LU decomposition with partial
// pivoting, SIAM J. Matrix Anal. Appl. 18, 1997). The left half of the columns is factored. Its
// rows of U are solved for in the right half. The product of both is subtracted from the rest,
// which is factored then. So most of the work is in products of large matrices. A panel has few
// columns, which are factored at once.

#include <KokkosContract/dense/HalvedSolve.hpp>
#include <KokkosContract/dense/Halves.hpp>
#include <KokkosContract/dense/Triangular.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

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
  solve_by_halves<most, true>(part_matrix(a, 0, first, middle, first, middle),
                              part_matrix(a, 0, first, middle, middle, last));
  if (middle == a.rows()) return left;
  subtract_apart(part_of(a, 0, middle, a.rows(), first, middle),
                 part_of(a, 0, first, middle, middle, last),
                 part_of(a, 0, middle, a.rows(), middle, last));
  const bool right = factor_by_halves(a, panels, middle, last);
  panels.interchange(a, middle, last < a.rows() ? last : a.rows(), first, middle);
  return left && right;
}

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
