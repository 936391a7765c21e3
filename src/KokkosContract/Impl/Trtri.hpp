// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_TRTRI_HPP
#define KOKKOSCONTRACT_IMPL_TRTRI_HPP

// The inverse X of a triangular matrix L, in place. Every case is a lower triangle: an upper one is
// seen transposed. Three ways:
//
//   invert    one worker: x_ij = -1 / l_ii sum_{p = j..i-1} l_ip x_pj, row by row. In a row from
//             the left to the right, l_ij is not needed any more when x_ij takes its place
//   in_warps  on a GPU, up to 32 static rows: solves with the identity in the registers of a few
//             lanes of a warp
//   by_rows   several workers for fewer matrices: in step p the owner of a row below p adds the
//             term of row p, which is final, to its sums, and touches no other row, so that one
//             barrier a step is enough

#include <KokkosContract/Impl/Contract.hpp>
#include <KokkosContract/Impl/Front.hpp>
#include <KokkosContract/Impl/Info.hpp>
#include <KokkosContract/Impl/Matrix.hpp>
#include <KokkosContract/Impl/Triangular.hpp>
#include <KokkosContract/Tags.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <bool UnitDiagonal, class A, class Acc>
struct TriangleInverter {
  const A& a;

  using T = typename A::value_type;
  using Element = register_t<Acc, 1>;

  KOKKOS_FORCEINLINE_FUNCTION Element get(int z, int i, int j) const {
    return to_register(convert<Acc>(a(z, i, j)));
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int z, int i, int j, const Element& x) const {
    a(z, i, j) = convert<T>(from_register<Acc>(x));
  }
  KOKKOS_FORCEINLINE_FUNCTION static Element number(int x) {
    return to_register(Acc(real_t<Acc>(x)));
  }
  KOKKOS_FORCEINLINE_FUNCTION Element diagonal(int z, int i) const {
    if constexpr (UnitDiagonal) {
      return number(1);
    } else {
      return get(z, i, i);
    }
  }
  /// 1 / l_ii
  KOKKOS_FORCEINLINE_FUNCTION Element reciprocal(int z, int i) const {
    if constexpr (UnitDiagonal) {
      return number(1);
    } else {
      return number(1) / get(z, i, i);
    }
  }

  // --- one worker ---

  /// x_ij for C columns from j on: the triangle of X among them, then the rows below it.
  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void columns(int z, int i, int j, const Element& factor) const {
    Element sum[C];
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < C; ++c) {
      sum[c] = get(z, i, j + c) * diagonal(z, j + c);
      KOKKOSCONTRACT_UNROLL
      for (int p = c + 1; p < C; ++p) sum[c] = sum[c] + get(z, i, j + p) * get(z, j + p, j + c);
    }
    for (int p = j + C; p < i; ++p) {
      const Element l = get(z, i, p);
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) sum[c] = sum[c] + l * get(z, p, j + c);
    }
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < C; ++c) put(z, i, j + c, factor * sum[c]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void invert(int z) const {
    constexpr int block = 4;
    for (int i = 0; i < a.rows(); ++i) {
      const Element d = reciprocal(z, i);
      const Element factor = number(0) - d;
      int j = 0;
      for (; j + block <= i; j += block) columns<block>(z, i, j, factor);
      for (; j < i; ++j) columns<1>(z, i, j, factor);
      if constexpr (!UnitDiagonal) put(z, i, i, d);
    }
  }

  // --- several workers ---

  /// Row i, whose sums are complete.
  KOKKOS_FORCEINLINE_FUNCTION void finish_row(int z, int i) const {
    if constexpr (!UnitDiagonal) {
      const Element d = reciprocal(z, i);
      for (int j = 0; j < i; ++j) put(z, i, j, d * get(z, i, j));
      put(z, i, i, d);
    }
  }

  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION void by_rows(const L& level) const {
    if (!UnitDiagonal && a.rows() > 0) {
      for_each(level, a.batch(), [&](std::ptrdiff_t z) KOKKOSCONTRACT_INLINE_LAMBDA {
        finish_row(static_cast<int>(z), 0);
      });
      level.barrier();
    }
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = 0; p + 1 < a.rows(); ++p) {
      const int below = a.rows() - p - 1;
      for_each(level, static_cast<std::ptrdiff_t>(a.batch()) * below,
               [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
                 const int z = static_cast<int>(t / below);
                 const int i = static_cast<int>(t % below) + p + 1;
                 const Element l = get(z, i, p);
                 for (int j = 0; j < p; ++j) put(z, i, j, get(z, i, j) - l * get(z, p, j));
                 put(z, i, p, number(0) - l * diagonal(z, p));
                 if (i == p + 1) finish_row(z, i);
               });
      level.barrier();
    }
  }

#if defined(KOKKOS_ENABLE_CUDA)
  /// False, with nothing done, where there are no groups of lanes or no room, or where a diagonal
  /// element is zero.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool in_warps(const L& level) const {
    if constexpr (!UnitDiagonal) {
      bool any_zero = false;
      for_each(level, static_cast<std::ptrdiff_t>(a.batch()) * a.rows(),
               [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
                 const int i = static_cast<int>(t % a.rows());
                 const int z = static_cast<int>(t / a.rows());
                 any_zero = any_zero || convert<Acc>(a(z, i, i)) == Acc(real_t<Acc>(0));
               });
      if (level.any(any_zero)) return false;
    }
    return with_static_rows<A::static_rows>([&]<int N>() KOKKOSCONTRACT_INLINE_LAMBDA {
      using M = WarpMatrix<Acc, N, A::unit_rows, square_grid<N>()>;
      using Columns = LaneColumns<M>;
      const auto invert_one = [&](const LaneGroup& group, int z,
                                  Columns& columns) KOKKOSCONTRACT_INLINE_LAMBDA {
        M m{group, {}};
        m.for_lower([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
          if (columns.end > 0 && (!UnitDiagonal || i > j)) x = convert<Acc>(a(z, i, j));
        });
        columns.for_elements([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
          x = Acc(real_t<Acc>(i == j ? 1 : 0));
        });
        bool exact = true;
        if constexpr (!UnitDiagonal) invert_diagonal(m, exact);
        columns.template solve<true, UnitDiagonal, true>(m);
        if (group.template any<M::lanes>(!exact)) {
          if (group.lane == 0 && columns.end > 0) invert(z);
          return;
        }
        columns.for_elements([&](const Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
          if (UnitDiagonal ? i > j : i >= j) a(z, i, j) = convert<T>(x);
        });
      };
      return for_each_block_of_columns<M, A::is_interleaved>(level, a.batch(), N, invert_one);
    });
  }
#endif

  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION void invert_all(const L& level) const {
    if constexpr (!is_single_worker<L>()) {
      if (a.batch() < level.size()) {
        by_rows(level);
        return;
      }
    }
    for_each(level, a.batch(),
             [&](std::ptrdiff_t z) KOKKOSCONTRACT_INLINE_LAMBDA { invert(static_cast<int>(z)); });
    level.barrier();
  }
};

template <class Triangle, class Diagonal>
struct TrtriRoutine {
  static constexpr bool takes_batch = true;
  template <Level L, class A, class Info = NoInfo>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Info& info = {}) {
    require_output<A>();
    using Op = operand_t<A>;
    using T = value_t<A>;
    using Acc = accumulator_t<T>;
    static_assert(Op::rank == 2 || Op::rank == 3,
                  "KokkosContract: Trtri: A must have rank 2, or 3 with a leading batch dimension");
    static_assert(!std::is_integral_v<scalar_t<T>>,
                  "KokkosContract: Trtri needs a floating-point type");
    constexpr bool upper = std::is_same_v<Triangle, Uplo::Upper>;
    const Matrix<Op, Op::rank == 3, upper> matrix{as_operand(a)};
    if (matrix.rows() != matrix.cols() || !info_fits<Op, T>(info, matrix.batch())) {
      return extents_disagree;
    }
    constexpr bool unit = std::is_same_v<Diagonal, Diag::Unit>;
    const TriangleInverter<unit, decltype(matrix), Acc> inverter{matrix};
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (has_warps<L> && !is_pack<T>) {
      if (inverter.in_warps(level)) {
        for_each(level, matrix.batch(), [&](std::ptrdiff_t z) KOKKOSCONTRACT_INLINE_LAMBDA {
          put_info<Op, T>(info, static_cast<int>(z), 0, 0);
        });
        level.barrier();
        return 0;
      }
    }
#endif
    int code = 0;
    if constexpr (!unit || !std::is_same_v<Info, NoInfo>) {
      const int looked_at = unit ? 0 : matrix.rows();
      code = report<Op, T>(level, matrix.batch(), info, [&](int z, int lane) {
        return first_zero_of_diagonal(matrix, z, looked_at, lane);
      });
    }
    inverter.invert_all(level);
    return code;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
