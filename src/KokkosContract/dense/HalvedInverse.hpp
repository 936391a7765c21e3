// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_HALVEDINVERSE_HPP
#define KOKKOSCONTRACT_DENSE_HALVEDINVERSE_HPP

// The inverse of a lower triangle L by one worker of a host, of matrices that may be large. It is a
// recursion: with the inverse X of the first half, the part below becomes -L22^-1 L21 X, and then
// the second half is inverted. The solve keeps L L^-1 - I small (N. J. Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., section 14.2). A panel has few rows. It is solved for
// with the identity.

#include <KokkosContract/dense/HalvedProduct.hpp>
#include <KokkosContract/dense/HalvedSolve.hpp>
#include <KokkosContract/dense/Triangular.hpp>
#include <KokkosContract/dense/Trmm.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Inverts one panel.
template <bool UnitDiagonal, class A>
KOKKOSCONTRACT_SHARED_FUNCTION void invert_panel(A a) {
  using T = typename A::value_type;
  using Rows = Matrix<ContiguousRows<T>, false>;
  constexpr int most = inverted_halves.cols_of_panel;
  const int n = a.rows();
  const T one(1);
  alignas(64) T elements[most * most]{};
  const Rows x{contiguous_rows(elements, n, n, most)};
  for (int i = 0; i < n; ++i) x(0, i, i) = one;
  LowerSolver<UnitDiagonal, false, A, Rows, T>{a, x, one}.template by_columns<host_lanes<T>()>(
      SerialLevel{});
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < (UnitDiagonal ? i : i + 1); ++j) a(0, i, j) = x(0, i, j);
  }
}

/// The transpose of a matrix, whose rows run backwards, and also the columns of a triangle, so that
/// it is lower.
template <bool IsTriangle, class A>
KOKKOS_FORCEINLINE_FUNCTION auto reversed_transpose(const A& a) {
  using Operand = std::remove_cvref_t<decltype(a.a)>;
  const Matrix<Operand, false, true, true, IsTriangle> transpose{a.a};
  return part_matrix(transpose, 0, 0, transpose.rows(), 0, transpose.cols());
}

/// Inverts a lower triangle in place.
template <bool UnitDiagonal, class A>
KOKKOSCONTRACT_SHARED_CODE void invert_by_halves(const A& a) {
  const int n = a.rows();
  constexpr int most = inverted_halves.cols_of_panel;
  if (n <= most) return invert_panel<UnitDiagonal>(a);
  const int half = first_half<most>(n);
  const A first = part_matrix(a, 0, 0, half, 0, half);
  const A second = part_matrix(a, 0, half, n, half, n);
  const A below = part_matrix(a, 0, half, n, 0, half);
  invert_by_halves<UnitDiagonal>(first);
  multiply_by_halves<UnitDiagonal>(reversed_transpose<true>(first),
                                   reversed_transpose<false>(below));
  solve_by_halves<solved_halves.cols_of_panel, UnitDiagonal>(second, below);
  scale_at_once(below.a, typename A::value_type(-1));
  invert_by_halves<UnitDiagonal>(second);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
