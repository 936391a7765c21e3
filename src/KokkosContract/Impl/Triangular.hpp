// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_TRIANGULAR_HPP
#define KOKKOSCONTRACT_IMPL_TRIANGULAR_HPP

// Triangular solves. Every case is a lower triangular system from the left, L X = alpha B:
//
//   transposed   the rows of the Matrix are the columns of the operand, and lower becomes upper
//   upper        both indices of A and the rows of B run backwards
//   right        X op(A) = B is op(A)^T X^T = B^T
//
// Two paths:
//   columns      a worker takes whole columns of B, several in a register; no barrier inside
//   rows         fewer columns than workers: all work on the rows below the current one; a barrier
//   a
//                step. A row keeps its right-hand side until the end, and whoever needs its
//                solution divides for himself, so that one barrier is enough.

#include <KokkosContract/Impl/Contract.hpp>
#include <KokkosContract/Impl/Front.hpp>
#include <KokkosContract/Impl/Gemm.hpp>
#include <KokkosContract/Impl/Matrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <bool UnitDiagonal, bool Conjugate, class A, class B, class Acc>
struct LowerSolver {
  const A& a;
  const B& b;
  const Acc& alpha;

  using T = typename B::value_type;

  KOKKOS_FORCEINLINE_FUNCTION Acc element(int z, int i, int p) const {
    return conjugate_if<Conjugate>(convert<Acc>(a(z, i, p)));
  }

  template <int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> get(int z, int i, int j, int count) const {
    if constexpr (W == 1) {
      return to_register(convert<Acc>(b(z, i, j)));
    } else {
      return load<W, true, Full>(&b(z, i, j), 1, count);
    }
  }

  /// Rows i to i + R - 1 of a register of columns, those above being solved: inner products with R
  /// independent sums, then the triangle among them.
  template <int R, int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void rows(int z, int i, int j, int count) const {
    register_t<Acc, W> sum[R];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) sum[r] = splat<W>(alpha) * get<W, Full>(z, i + r, j, count);
    for (int p = 0; p < i; ++p) {
      const register_t<Acc, W> x = get<W, Full>(z, p, j, count);
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < R; ++r) sum[r] = sum[r] - splat<W>(element(z, i + r, p)) * x;
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int q = 0; q < r; ++q) sum[r] = sum[r] - splat<W>(element(z, i + r, i + q)) * sum[q];
      if constexpr (!UnitDiagonal) sum[r] = divide<W>(sum[r], element(z, i + r, i + r));
      if constexpr (W == 1) {
        b(z, i + r, j) = convert<T>(from_register<Acc>(sum[r]));
      } else {
        store<W, true, Full>(&b(z, i + r, j), 1, sum[r], count);
      }
    }
  }

  /// Columns j to j + count - 1 (one register) of problem z.
  template <int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void columns(int z, int j, int count) const {
    constexpr int block = 4;
    const int n = b.rows();
    int i = 0;
    for (; i + block <= n; i += block) rows<block, W, Full>(z, i, j, count);
    for (; i < n; ++i) rows<1, W, Full>(z, i, j, count);
  }

  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void by_columns(const L& level) const {
    const int blocks = (b.cols() + W - 1) / W;
    for_each(level, static_cast<std::ptrdiff_t>(b.batch()) * blocks,
             [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
               const int z = static_cast<int>(t / blocks);
               const int j = static_cast<int>(t % blocks) * W;
               const int count = b.cols() - j;
               if (count >= W) {
                 columns<W, true>(z, j, W);
               } else {
                 columns<W, false>(z, j, count);
               }
             });
    level.barrier();
  }

  /// Calls f(z, i, j) for the elements of B in rows first to n - 1, once each.
  template <Level L, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_rows(const L& level, int first, const F& f) const {
    const std::ptrdiff_t rows = b.rows() - first;
    const std::ptrdiff_t cols = b.cols();
    for_each(level, rows * cols * b.batch(), [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int j = static_cast<int>(t % cols);
      t /= cols;
      f(static_cast<int>(t / rows), static_cast<int>(t % rows) + first, j);
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION Acc solution(int z, int i, int j) const {
    const Acc value = convert<Acc>(b(z, i, j));
    if constexpr (UnitDiagonal) {
      return value;
    } else {
      return from_register<Acc>(divide<1>(to_register(value), element(z, i, i)));
    }
  }

  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION void by_rows(const L& level) const {
    if (!(alpha == Acc(1))) {
      for_rows(level, 0, [&](int z, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        b(z, i, j) = convert<T>(alpha * convert<Acc>(b(z, i, j)));
      });
      level.barrier();
    }
    for (int p = 0; p + 1 < b.rows(); ++p) {
      for_rows(level, p + 1, [&](int z, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        b(z, i, j) = convert<T>(convert<Acc>(b(z, i, j)) - element(z, i, p) * solution(z, p, j));
      });
      level.barrier();
    }
    if constexpr (!UnitDiagonal) {
      for_rows(level, 0, [&](int z, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        b(z, i, j) = convert<T>(solution(z, i, j));
      });
      level.barrier();
    }
  }

  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION void solve(const L& level) const {
    if (is_zero(alpha)) {
      for_rows(level, 0, [&](int z, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        b(z, i, j) = convert<T>(Acc(0));
      });
      level.barrier();
      return;
    }
    if constexpr (!is_single_worker<L>()) {
      if (static_cast<std::ptrdiff_t>(b.cols()) * b.batch() < level.size()) {
        by_rows(level);
        return;
      }
    }
    constexpr int lanes = std::is_same_v<T, Acc> && B::unit_cols ? host_lanes<T>() : 1;
    KOKKOS_IF_ON_HOST((by_columns<lanes>(level);))
    KOKKOS_IF_ON_DEVICE((by_columns<1>(level);))
  }
};

template <class Where, class Triangle, class TransA, class Diagonal, Level L, class Alpha, class A,
          class B>
KOKKOS_FORCEINLINE_FUNCTION int solve_triangular(const L& level, const Alpha& alpha, const A& a,
                                                 const B& b) {
  using OpA = operand_t<A>;
  using OpB = operand_t<B>;
  using Acc = accumulator_t<value_t<A>, value_t<B>>;
  static_assert(!std::is_const_v<typename OpB::value_type>,
                "KokkosContract: the right-hand side is an operand of const elements");
  static_assert(is_complex<scalar_t<value_t<B>>> || !is_complex<scalar_t<Acc>>,
                "KokkosContract: a complex matrix needs a complex right-hand side");
  static_assert(is_pack<value_t<B>> || !is_pack<Acc>,
                "KokkosContract: a matrix of packs needs a right-hand side of packs");
  static_assert(!std::is_integral_v<scalar_t<Acc>>,
                "KokkosContract: a triangular solve needs a floating-point type");
  constexpr bool vector = std::is_same_v<Where, void>;
  constexpr bool right = std::is_same_v<Where, Side::Right>;
  constexpr bool batch = OpB::rank == (vector ? 2 : 3);
  constexpr bool a_batch = has_batch<A, batch>;
  constexpr bool transposed = is_transposed<TransA> != right;
  constexpr bool lower = std::is_same_v<Triangle, Uplo::Lower> != transposed;
  static_assert(
      OpB::rank == (vector ? 1 : 2) || batch,
      "KokkosContract: a right-hand side has rank 1 (Trsv) or 2 (Trsm), or one more for a "
      "leading batch dimension");
  static_assert(
      OpA::rank == (a_batch ? 3 : 2),
      "KokkosContract: a triangular matrix has rank 2, or 3 with a leading batch dimension, "
      "which it needs if the right-hand side has one, unless it is shared(A)");

  const Matrix<OpA, a_batch, transposed, !lower, !lower> matrix{as_operand(a)};
  const Matrix<OpB, batch, right, !lower, false> rhs{as_operand(b)};
  if (matrix.rows() != matrix.cols() || matrix.rows() != rhs.rows() ||
      (a_batch && matrix.batch() != rhs.batch())) {
    return extents_disagree;
  }
  const Acc factor = convert<Acc>(alpha);
  constexpr bool unit = std::is_same_v<Diagonal, Diag::Unit>;
  LowerSolver<unit, is_conjugated<TransA>, decltype(matrix), decltype(rhs), Acc>{matrix, rhs,
                                                                                 factor}
      .solve(level);
  return 0;
}

template <class Triangle, class TransA, class Diagonal, Level L, class Alpha, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION int trsv(const L& level, const Alpha& alpha, const A& a, const B& b) {
  return solve_triangular<void, Triangle, TransA, Diagonal>(level, alpha, a, b);
}

template <class Where, class Triangle, class TransA, class Diagonal, Level L, class Alpha, class A,
          class B>
KOKKOS_FORCEINLINE_FUNCTION int trsm(const L& level, const Alpha& alpha, const A& a, const B& b) {
  return solve_triangular<Where, Triangle, TransA, Diagonal>(level, alpha, a, b);
}

template <class Triangle, class TransA, class Diagonal>
struct TrsvRoutine {
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return trsv<Triangle, TransA, Diagonal>(level, arguments...);
  }
};

template <class Where, class Triangle, class TransA, class Diagonal>
struct TrsmRoutine {
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return trsm<Where, Triangle, TransA, Diagonal>(level, arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
