// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_TRTRI_HPP
#define KOKKOSCONTRACT_DENSE_TRTRI_HPP

// The inverse X of a triangular matrix L, in place. Every case is a lower triangle: an upper one is
// treated as transposed. There are four algorithms:
//
//   invert    one worker: x_ij = -1 / l_ii sum_{p = j..i-1} l_ip x_pj, row by row, and from left
//             to right in a row: l_ij is no longer needed when x_ij replaces it
//   halves    one worker of a host, and matrices that may be large (HalvedInverse.hpp)
//   in_warps  on a GPU, up to 32 static rows: in the registers of a few lanes of a warp
//   by_rows   several workers for fewer matrices: in step p the owner of a row below p adds the
//             term of row p, which is final, to its sums. It touches no other row, so one barrier
//             a step is enough

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Choose.hpp>
#include <KokkosContract/dense/HalvedInverse.hpp>
#include <KokkosContract/lanes/InLanes.hpp>
#include <KokkosContract/lanes/LaneRows.hpp>
#include <KokkosContract/lanes/Solve.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/operand/Info.hpp>
#include <KokkosContract/operand/Matrix.hpp>
#include <KokkosContract/product/Contract.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// One lane of a Matrix of packs.
template <class M>
struct OneLane {
  using value_type = scalar_t<typename M::value_type>;
  const M& packs;
  int lane;
  KOKKOS_FORCEINLINE_FUNCTION int rows() const { return packs.rows(); }
  KOKKOS_FORCEINLINE_FUNCTION value_type& operator()(int z, int i, int j) const {
    return packs(z, i, j)[lane];
  }
};

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
  /// Computes 1 / l_ii.
  KOKKOS_FORCEINLINE_FUNCTION Element reciprocal(int z, int i) const {
    if constexpr (UnitDiagonal) {
      return number(1);
    } else {
      return quotient(number(1), get(z, i, i));
    }
  }

  // --- one worker ---

  /// Computes x_ij for C columns from j on: first the triangle of X in these columns, and then the
  /// rows below it.
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

  /// Finishes row i, whose sums are complete.
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
      for_each_pair(level, a.batch(), below, [&](int z, int row) KOKKOSCONTRACT_INLINE_LAMBDA {
        const int i = row + p + 1;
        const Element l = get(z, i, p);
        for (int j = 0; j < p; ++j) put(z, i, j, get(z, i, j) - l * get(z, p, j));
        put(z, i, p, number(0) - l * diagonal(z, p));
        if (i == p + 1) finish_row(z, i);
      });
      level.barrier();
    }
  }

  /// Inverts in registers, with whole rows in a lane, in place. In step p, row p is final except
  /// for its factor. The rows below add its terms to their sums, which replace elements that were
  /// used before.
  template <class M>
  KOKKOS_FORCEINLINE_FUNCTION static void invert_rows(M& m, bool& exact) {
    static_assert(M::grid.cols == 1);
    Acc reciprocal[M::tile_rows];
    if constexpr (!UnitDiagonal) {
      m.for_diagonal([&](Acc& d, int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
        bool exists = true;
        reciprocal[r] = short_reciprocal(d, exists);
        exact = exact & (exists | (i >= M::n));
      });
    }
    for_each_step<M::n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int p = decltype(step)::value;
      constexpr int r0 = p / M::lanes;
      constexpr int owner = p % M::lanes;
      Acc factor = Acc(1);
      if constexpr (!UnitDiagonal) factor = m.group.from(reciprocal[r0], owner);
      Acc multiplier[M::tile_rows];
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = r0; r < M::tile_rows; ++r) {
        const bool is_below = r > r0 || m.row() > owner;
        const Acc x = m.tile[r][p];
        multiplier[r] = choose(is_below, x, Acc(0));
        m.tile[r][p] = choose(is_below, -(x * factor), x);
      }
      for_each_step<p>([&](auto column) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int j = decltype(column)::value;
        const Acc x = m.group.from(m.tile[r0][j], owner) * factor;
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int r = r0; r < M::tile_rows; ++r) {
          m.tile[r][j] = m.tile[r][j] - multiplier[r] * x;
        }
      });
    });
    if constexpr (!UnitDiagonal) {
      for_each_step<M::tile_rows>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int r = decltype(step)::value;
        constexpr int end = (r + 1) * M::lanes < M::n ? (r + 1) * M::lanes : M::n;
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int j = 0; j < end; ++j) m.tile[r][j] = m.tile[r][j] * reciprocal[r];
      });
      m.for_diagonal([&](Acc& d, int r, int) KOKKOSCONTRACT_INLINE_LAMBDA { d = reciprocal[r]; });
    }
  }

  /// Inverts larger matrices, which are distributed over lanes in both directions, by solves with
  /// the columns of the identity.
  template <class M>
  KOKKOS_FORCEINLINE_FUNCTION static void invert_columns(M& m, LaneColumns<M>& columns,
                                                         bool& exact) {
    columns.for_elements([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      x = Acc(real_t<Acc>(i == j ? 1 : 0));
    });
    if constexpr (!UnitDiagonal) invert_diagonal(m, exact);
    columns.template solve<true, UnitDiagonal, true>(m);
  }

  /// Inverts all problems in the registers of groups of lanes and stores their infos. Returns
  /// false, and does nothing, if there are no such groups or there is no room. `code`: the first
  /// info that is not zero.
  template <class Op, Level L, class Info>
  KOKKOS_FORCEINLINE_FUNCTION bool in_warps(const L& level, const Info& info, int& code) const {
    constexpr DenseChoice choice = dense_choice<DenseRoutine::inverse, L, A>;
    if constexpr (choice.way != DenseWay::lanes) {
      return false;
    } else {
      constexpr int N = A::static_rows;
      // GCC 13 accepts no member of a local constant in the names that the lambdas below use.
      using M = LaneMatrix<level_machine_t<L>, Acc, N, A::unit_rows,
                           dense_choice<DenseRoutine::inverse, L, A>.grid>;
      const auto invert_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
        M m{group, {}};
        load_lower_rows(m, a, z);
        LaneColumns<M> columns{group.lane, z >= 0 ? N : 0};
        return compute_in_lanes<Exact::in_each_lane>(
            m, z,
            [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA {
              if constexpr (M::grid.cols == 1) {
                invert_rows(m, exact);
              } else {
                invert_columns(m, columns, exact);
              }
              return 0;
            },
            [&](bool stores) KOKKOSCONTRACT_INLINE_LAMBDA {
              if constexpr (M::grid.cols == 1) {
                store_lower_rows<UnitDiagonal>(m, a, stores ? z : -1);
              } else if (stores) {
                columns.for_elements([&](const Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
                  if (UnitDiagonal ? i > j : i >= j) a(z, i, j) = convert<T>(x);
                });
              }
            },
            [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
              const int found = UnitDiagonal ? 0 : first_zero_of_diagonal(a, z, N, 0);
              if (found == 0) invert(z);
              return found;
            });
      };
      FirstInfo singular;
      if (!factor_each_problem<M::lanes, A::is_interleaved, Op, T>(level, a.batch(), info, singular,
                                                                   invert_one)) {
        return false;
      }
      if (UnitDiagonal) {
        level.barrier();
      } else {
        code = first_info(level, singular);
      }
      return true;
    }
  }

  /// Inverts the lanes of a pack that have no zero on their diagonal.
  KOKKOS_FORCEINLINE_FUNCTION void invert_nonsingular_lanes(int z) const {
    for (int l = 0; l < T::length; ++l) {
      if (first_zero_of_diagonal(a, z, a.rows(), l) != 0) continue;
      const OneLane<A> lane{a, l};
      TriangleInverter<UnitDiagonal, OneLane<A>, scalar_t<Acc>>{lane}.invert(z);
    }
  }

  /// Inverts all problems. `singular`: a diagonal has a zero. Such a problem, or its lane of a
  /// pack, is unchanged.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION void invert_all(const L& level, bool singular) const {
    if constexpr (!is_single_worker<L>()) {
      if (!singular && a.batch() < level.size()) {
        by_rows(level);
        return;
      }
    }
    for_each(level, a.batch(), [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int z = static_cast<int>(t);
      if constexpr (is_pack<T>) {
        if (singular) {
          invert_nonsingular_lanes(z);
          return;
        }
      } else if (singular && first_zero_of_diagonal(a, z, a.rows(), 0) != 0) {
        return;
      }
      if constexpr (!runs_on_gpu<L>() && is_halved<DenseRoutine::inverse, A, Acc>) {
        if (a.rows() >= inverted_halves.least_steps) {
          invert_by_halves<UnitDiagonal>(run_time_matrix(a, z));
          return;
        }
      }
      invert(z);
    });
    level.barrier();
  }
};

template <class Triangle, class Diagonal>
struct TrtriRoutine {
  static constexpr Signature signature{"Trtri", 0};
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
    if constexpr (has_warps<L> && !is_pack<T>) {
      int found = 0;
      if (inverter.template in_warps<Op>(level, info, found)) return found;
    }
    int code = 0;
    if constexpr (!unit || !std::is_same_v<Info, NoInfo>) {
      const int looked_at = unit ? 0 : matrix.rows();
      code = report<Op, T>(level, matrix.batch(), info, [&](int z, int lane) {
        return first_zero_of_diagonal(matrix, z, looked_at, lane);
      });
    }
    inverter.invert_all(level, code != 0);
    return code;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
