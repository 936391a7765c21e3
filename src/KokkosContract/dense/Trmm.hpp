// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_TRMM_HPP
#define KOKKOSCONTRACT_DENSE_TRMM_HPP

// Products with a triangular matrix, in place. As in a triangular solve, every case is a lower
// triangle from the left, B = alpha L B:
//
//   transposed   the rows of the Matrix are the columns of the operand, and lower becomes upper
//   upper        both indices of A and the rows of B run backwards
//   right        B op(A) is (op(A)^T B^T)^T
//
// The algorithms:
//   columns      a worker takes whole columns of B, several in a register, from the last row to the
//                first, because a row of the result needs itself and the rows above it
//   by_halves    one worker of a host, and matrices that may be large (HalvedProduct.hpp)
//   in_warps     on a GPU, up to 32 static rows: both matrices in the registers of a few lanes of a
//                warp

#include <KokkosContract/dense/Choose.hpp>
#include <KokkosContract/dense/Gemm.hpp>
#include <KokkosContract/dense/HalvedProduct.hpp>
#include <KokkosContract/dense/Set.hpp>
#include <KokkosContract/lanes/Solve.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/operand/Matrix.hpp>
#include <KokkosContract/product/Contract.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <bool UnitDiagonal, bool Conjugate, class A, class B, class Acc>
struct LowerMultiplier {
  const A& a;
  const B& b;
  const Acc& alpha;

  KOKKOS_FORCEINLINE_FUNCTION Acc element(int z, int i, int p) const {
    return conjugate_if<Conjugate>(convert<Acc>(a(z, i, p)));
  }

  /// Computes rows i to i + R - 1 of a register of columns: R independent sums, over the triangle
  /// of these rows and the rows above.
  template <int R, int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void rows(int z, int i, int j, int count) const {
    register_t<Acc, W> sum[R];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      sum[r] = load_columns<Acc, W, Full>(b, z, i + r, j, count);
      if constexpr (!UnitDiagonal) sum[r] = splat<W>(element(z, i + r, i + r)) * sum[r];
      KOKKOSCONTRACT_UNROLL
      for (int q = 0; q < r; ++q) {
        sum[r] = sum[r] + splat<W>(element(z, i + r, i + q)) *
                              load_columns<Acc, W, Full>(b, z, i + q, j, count);
      }
    }
    for (int p = 0; p < i; ++p) {
      const register_t<Acc, W> x = load_columns<Acc, W, Full>(b, z, p, j, count);
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < R; ++r) sum[r] = sum[r] + splat<W>(element(z, i + r, p)) * x;
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      store_columns<Acc, W, Full>(b, z, i + r, j, count, splat<W>(alpha) * sum[r]);
    }
  }

  /// Computes columns j to j + count - 1 (one register) of problem z.
  template <int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void columns(int z, int j, int count) const {
    constexpr int block = 4;
    int i = b.rows();
    for (; i >= block; i -= block) rows<block, W, Full>(z, i - block, j, count);
    for (; i > 0; --i) rows<1, W, Full>(z, i - 1, j, count);
  }

  /// Returns false, and does nothing, if there are no groups of lanes, or there is no room.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool in_warps(const L& level) const {
    constexpr DenseChoice choice = dense_choice<DenseRoutine::multiply, L, A, B>;
    if constexpr (choice.way != DenseWay::lanes) {
      return false;
    } else {
      // GCC 13 accepts no member of a local constant in the names that the lambda below uses.
      using M = LaneMatrix<level_machine_t<L>, Acc, A::static_rows, A::unit_rows,
                           dense_choice<DenseRoutine::multiply, L, A, B>.grid>;
      const auto multiply_block = [&](const auto& group, int z,
                                      LaneColumns<M>& block) KOKKOSCONTRACT_INLINE_LAMBDA {
        M m{group, {}};
        m.for_tile([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
          if (block.end > 0 && (UnitDiagonal ? i > j : i >= j)) x = element(z, i, j);
        });
        block.for_elements([&](Acc& x, int i, int j)
                               KOKKOSCONTRACT_INLINE_LAMBDA { x = convert<Acc>(b(z, i, j)); });
        block.template multiply_by_lower<UnitDiagonal>(m);
        block.for_elements([&](const Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
          b(z, i, j) = convert<typename B::value_type>(alpha * x);
        });
      };
      return for_each_block_of_columns<M, B::is_interleaved>(level, b.batch(), b.cols(),
                                                             multiply_block);
    }
  }

  /// Multiplies by products of parts. Returns false, and does nothing, if the matrices are not
  /// large enough.
  KOKKOS_FORCEINLINE_FUNCTION bool by_halves() const {
    constexpr int steps =
        B::unit_cols ? multiplied_halves.least_steps : multiplied_halves.least_steps_with_copies;
    constexpr int cols = B::unit_cols ? host_lanes<Acc>() + 1 : least_cols_of_solved_copy;
    if (b.rows() < steps || b.cols() < cols) return false;
    for (int z = 0; z < b.batch(); ++z) {
      const auto rows = run_time_matrix(b, z);
      if (alpha != Acc(1)) scale_at_once(rows.a, alpha);
      multiply_by_halves<UnitDiagonal>(run_time_matrix(a, z), rows);
    }
    return true;
  }

  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const L& level) const {
    if (in_warps(level)) {
      level.barrier();
      return;
    }
    if constexpr (!runs_on_gpu<L>() && is_halved<DenseRoutine::multiply, A, Acc, B>) {
      if (level.size() == 1 && by_halves()) return;
    }
    by_columns<W>(level);
  }

  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void by_columns(const L& level) const {
    for_columns<W>(level, b.batch(), 0, b.cols(),
                   [&](int z, int begin, int end) KOKKOSCONTRACT_INLINE_LAMBDA {
                     int j = begin;
                     for (; j + W <= end; j += W) columns<W, true>(z, j, W);
                     if (j < end) columns<W, false>(z, j, end - j);
                   });
    level.barrier();
  }
};

template <class Where, class Triangle, class TransA, class Diagonal>
struct TrmmRoutine {
  static constexpr Signature signature{"Trmm", 2};
  static constexpr int ranks[3] = {0, 2, 2};
  static constexpr bool takes_batch = true;
  template <Level L, class Alpha, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Alpha& alpha, const A& a,
                                             const B& b) {
    require_output<B>();
    using OpA = operand_t<A>;
    using OpB = operand_t<B>;
    using T = value_t<B>;
    using Acc = accumulator_t<value_t<A>, T>;
    static_assert(is_complex<scalar_t<T>> || !is_complex<scalar_t<Acc>>,
                  "KokkosContract: Trmm: a complex matrix A needs a complex B");
    static_assert(is_pack<T> || !is_pack<Acc>,
                  "KokkosContract: Trmm: a matrix A of packs needs a B of packs");
    constexpr bool batch = OpB::rank == 3;
    constexpr bool a_batch = has_batch<A, batch>;
    static_assert(OpB::rank == 2 || batch,
                  "KokkosContract: Trmm: B must have rank 2, or 3 with a leading batch dimension");
    static_assert(OpA::rank == (a_batch ? 3 : 2),
                  "KokkosContract: Trmm: A must have the rank of B, unless it is shared(A)");
    constexpr bool right = std::is_same_v<Where, Side::Right>;
    constexpr bool transposed = is_transposed<TransA> != right;
    constexpr bool lower = std::is_same_v<Triangle, Uplo::Lower> != transposed;
    const Matrix<OpA, a_batch, transposed, !lower, !lower> matrix{as_operand(a)};
    const Matrix<OpB, batch, right, !lower, false> multiplied{as_operand(b)};
    if (matrix.rows() != matrix.cols() || matrix.rows() != multiplied.rows() ||
        (a_batch && matrix.batch() != multiplied.batch())) {
      return extents_disagree;
    }
    if (!keeps_value<Acc>(alpha)) return factor_is_no_integer;
    const Acc by = convert<Acc>(factor<factor_t<Acc, Alpha>>(alpha));
    if (is_zero(by)) return SetRoutine::run(level, real_t<Acc>(0), b);
    constexpr bool unit = std::is_same_v<Diagonal, Diag::Unit>;
    const LowerMultiplier<unit, is_conjugated<TransA>, decltype(matrix), decltype(multiplied), Acc>
        multiplier{matrix, multiplied, by};
    constexpr int lanes = column_lanes<Acc, decltype(multiplied)>();
    multiplier.template multiply<runs_on_gpu<L>() ? 1 : lanes>(level);
    clear_zero_lanes(level, alpha, b);
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
