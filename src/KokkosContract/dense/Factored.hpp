// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_FACTORED_HPP
#define KOKKOSCONTRACT_DENSE_FACTORED_HPP

// The facts that solves with a factored matrix share: which of their operands have a batch, and
// whether the right-hand sides are vectors or matrices.

#include <KokkosContract/dense/FactorSolver.hpp>
#include <KokkosContract/dense/Triangular.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Problem number z if there is a batch, and the operand itself otherwise.
template <bool Batch, class Op>
KOKKOS_FORCEINLINE_FUNCTION auto problem_if(const Op& op, [[maybe_unused]] int z) {
  if constexpr (Batch) {
    return sliced(op, z);
  } else {
    return op;
  }
}

/// Operands of a solve. A is square, of rank 2, or 3 with a batch. B has its rank, or one less for
/// one right-hand side. With shared(A), A has rank 2 and B has the batch.
template <class A, class B>
struct Factored {
  using OpA = operand_t<A>;
  using OpB = operand_t<B>;
  static constexpr bool batch = is_shared<A> || OpA::rank == 3;
  static constexpr bool a_batch = has_batch<A, batch>;
  static constexpr bool vector = OpB::rank == (batch ? 2 : 1);
  static_assert(
      OpA::rank == (a_batch ? 3 : 2),
      "KokkosContract: a factored matrix has rank 2, or 3 with a leading batch dimension; "
      "shared(A) has rank 2");
  static_assert(
      vector || OpB::rank == (batch ? 3 : 2),
      "KokkosContract: right-hand sides have the rank of A, or one less for a single one");

  static KOKKOS_FORCEINLINE_FUNCTION auto right_hand_sides(const B& b) {
    return Matrix<OpB, batch>{as_operand(b)};
  }

  static KOKKOS_FORCEINLINE_FUNCTION bool extents_agree(const A& a, const B& b) {
    const Matrix<OpA, a_batch> matrix{as_operand(a)};
    const auto rhs = right_hand_sides(b);
    return matrix.rows() == matrix.cols() && matrix.rows() == rhs.rows() &&
           (!a_batch || matrix.batch() == rhs.batch());
  }

  /// Solves op(triangle of A) x = b, in place.
  template <class Triangle, class TransA, class Diagonal, Level L>
  static KOKKOS_FORCEINLINE_FUNCTION void solve(const L& level, const A& a, const B& b) {
    using Where = std::conditional_t<vector, void, Side::Left>;
    const real_t<value_t<B>> one(1);
    solve_triangular<Where, Triangle, TransA, Diagonal>(level, one, a, b);
  }
  template <class Triangle, class TransA, class Diagonal, Level L>
  static KOKKOS_FORCEINLINE_FUNCTION void solve(const L& level,
                                                TriangularFactor<Triangle, TransA, Diagonal>,
                                                const A& a, const B& b) {
    solve<Triangle, TransA, Diagonal>(level, a, b);
  }

  /// Solves with First and then with Second, which are TriangularFactors. Rows: interchanges of b
  /// before or after.
  template <class First, class Second, Level L, class Rows = NoInterchanges>
  static KOKKOS_FORCEINLINE_FUNCTION void solve_both(const L& level, const A& a, const B& b,
                                                     const Rows& rows = {}) {
    using Solver = FactorSolver<First, Second, OpA, a_batch, OpB, batch, Rows>;
    if constexpr (Solver::template choice<L>.way != DenseWay::memory) {
      if (Solver(as_operand(a), as_operand(b), rows).solve(level)) return;
    }
    if constexpr (Rows::come_first) rows.apply(level, right_hand_sides(b));
    solve(level, First{}, a, b);
    solve(level, Second{}, a, b);
    if constexpr (Rows::come_last) rows.apply(level, right_hand_sides(b));
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
