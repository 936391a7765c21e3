// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_LU_HPP
#define KOKKOSCONTRACT_DENSE_LU_HPP

// LU without pivoting. On a GPU, up to 32 static rows, it runs in the registers of a few lanes of a
// warp (for a batch in scratch memory only from 13 rows on). Otherwise it runs in memory
// (Eliminator.hpp).

#include <KokkosContract/dense/Eliminator.hpp>
#include <KokkosContract/lanes/InLanes.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Eliminates below row p, which is final.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION void eliminate_tiles(M& m, int p,
                                                 typename M::value_type (&pivot_row)[M::tile_cols],
                                                 const typename M::value_type& reciprocal) {
  using T = typename M::value_type;
  constexpr LaneGrid grid = M::grid;
  const int r0 = p / grid.rows;
  const int c0 = p / grid.cols;
  // Rows and columns up to p are done, so nothing is subtracted from them.
  if (m.col() <= p % grid.cols) pivot_row[c0] = T(0);
  KOKKOSCONTRACT_UNROLL_IN_LANES
  for (int r = 0; r < M::tile_rows; ++r) {
    if (r < M::first_row_behind(p)) continue;
    const bool below = r > r0 || m.row() > p % grid.rows;
    T multiplier = m.get_in_row(r, p) * reciprocal;
    if (!below) multiplier = T(0);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int c = 0; c < M::tile_cols; ++c) {
      if (c >= c0) m.tile[r][c] = m.tile[r][c] - multiplier * pivot_row[c];
    }
    if (below && m.col() == p % grid.cols) m.tile[r][c0] = multiplier;
  }
}

/// Factors a matrix in registers. Returns the 1-based index of the first zero pivot, or 0. `exact`
/// becomes false if a pivot's reciprocal is not usable; then the result is not usable, either.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION int factor_tiles(M& m, const typename M::value_type& tiny,
                                             bool& exact) {
  using T = typename M::value_type;
  constexpr LaneGrid grid = M::grid;
  int zero = 0;
  KOKKOSCONTRACT_UNROLL_IN_LANES
  for (int p = 0; p < M::n; ++p) {
    const int r0 = p / grid.rows;
    const int c0 = p / grid.cols;
    T pivot = m.get(p, p);
    if (!is_zero(tiny)) {
      pivot = push_from_zero(pivot, tiny);
      if (m.row() == p % grid.rows && m.col() == p % grid.cols) m.tile[r0][c0] = pivot;
    }
    const bool is_zero_pivot = pivot == T(0);
    zero = is_zero_pivot & (zero == 0) ? p + 1 : zero;
    bool exists = true;
    T reciprocal = short_reciprocal(pivot, exists);
    exact = exact & (exists | is_zero_pivot);  // without branches between the shuffles
    if (is_zero_pivot) reciprocal = T(1);
    T pivot_row[M::tile_cols];
    // Finished columns are included: without them, compilers need more registers.
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int c = c0; c < M::tile_cols; ++c) pivot_row[c] = m.get_in_col(p, c);
    eliminate_tiles(m, p, pivot_row, reciprocal);
  }
  return zero;
}

/// Factors all problems in the registers of groups of lanes and stores their infos. Returns false,
/// and does nothing, if there are no such groups or there is no room. `singular`: a pivot is zero.
template <class Op, Level L, class E, class Info>
KOKKOS_FORCEINLINE_FUNCTION bool factor_in_warps(const L& level, const E& eliminator,
                                                 const Info& info, bool& singular) {
  using A = std::remove_cvref_t<decltype(eliminator.a)>;
  using Acc = std::remove_cvref_t<decltype(eliminator.tiny)>;
  using T = typename A::value_type;
  const A& a = eliminator.a;
  const Acc& tiny = eliminator.tiny;
  if (a.rows() != a.cols()) return false;
  constexpr DenseChoice choice = dense_choice<DenseRoutine::lu, L, A>;
  if constexpr (choice.way != DenseWay::lanes) {
    return false;
  } else {
    using M = LaneMatrix<level_machine_t<L>, Acc, A::static_rows, A::unit_rows, choice.grid>;
    const auto factor_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
      M m{group, {}};
      const bool active = z >= 0;
      m.for_tile([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        x = active ? convert<Acc>(a(z, i, j)) : Acc(i == j ? 1 : 0);
      });
      return compute_in_lanes<Exact::in_all_lanes>(
          m, z,
          [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA { return factor_tiles(m, tiny, exact); },
          [&](bool stores) KOKKOSCONTRACT_INLINE_LAMBDA {
            if (!stores) return;
            m.for_tile([&](const Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
              // The first row is unchanged.
              if (i > 0 || !is_zero(tiny)) a(z, i, j) = convert<T>(x);
            });
          },
          [&]() KOKKOSCONTRACT_INLINE_LAMBDA { return eliminator.factor_by_quotients(z); });
    };
    FirstInfo first;
    const bool done = factor_each_problem<M::lanes, A::is_interleaved, Op, T>(
        level, a.batch(), info, first, factor_one);
    singular = first.info != 0;
    return done;
  }
}

/// Factors on a GPU: by lanes, or by threads if the matrices are small and in scratch memory.
template <class Op, Level L, class E, class Info>
KOKKOS_FORCEINLINE_FUNCTION bool factor_on_gpu(const L& level, const E& eliminator,
                                               const Info& info, bool& singular) {
  using A = std::remove_cvref_t<decltype(eliminator.a)>;
  if constexpr (dense_choice<DenseRoutine::lu, L, A>.way == DenseWay::thread) {
    for (int z = level.rank(); z < eliminator.a.batch(); z += level.size()) {
      const bool nonsingular = eliminator.template factor<1>(z);
      put_info<Op, typename A::value_type>(info, z, 0, 0);
      // If a pivot is zero, the caller searches for all zero pivots.
      singular = singular || !nonsingular;
    }
    return true;
  } else {
    return factor_in_warps<Op>(level, eliminator, info, singular);
  }
}

template <Level L, class A, class Info, class Tiny>
KOKKOS_FORCEINLINE_FUNCTION int lu_with_info(const L& level, const A& a, const Info& info,
                                             const Tiny& tiny) {
  using Op = operand_t<A>;
  using T = value_t<A>;
  using Acc = accumulator_t<T>;
  static_assert(Op::rank == 2 || Op::rank == 3,
                "KokkosContract: LU: A must have rank 2, or 3 with a leading batch dimension");
  static_assert(!std::is_const_v<typename Op::value_type>,
                "KokkosContract: LU: A is an operand of const elements");
  static_assert(!is_shared<A>, "KokkosContract: LU: A is factored in place and cannot be shared");
  static_assert(!std::is_integral_v<scalar_t<T>>, "KokkosContract: LU needs a floating-point type");
  const Matrix<Op, Op::rank == 3> matrix{as_operand(a)};

  if (!info_fits<Op, T>(info, matrix.batch())) return extents_disagree;

  const Acc shift = convert<Acc>(tiny);
  const Eliminator<decltype(matrix), Acc> eliminator{matrix, shift};
  constexpr int width = column_lanes<Acc, decltype(matrix)>();
  bool nonsingular = false;
  if constexpr (has_warps<L> && !is_pack<T>) {
    bool singular = false;
    if (factor_on_gpu<Op>(level, eliminator, info, singular)) {
      if (!level.any(singular)) return 0;
    } else {
      nonsingular = eliminator.template together<1>(level);
    }
  } else {
    nonsingular = eliminator.template eliminate<runs_on_gpu<L>() ? 1 : width>(level);
  }

  if constexpr (std::is_same_v<Info, NoInfo>) {
    if (nonsingular) return 0;
  }
  return report<Op, T>(level, matrix.batch(), info, [&](int z, int l) KOKKOSCONTRACT_INLINE_LAMBDA {
    return eliminator.first_zero_pivot(z, l);
  });
}

struct LURoutine {
  static constexpr Signature signature{"LU", 0};
  static constexpr bool takes_batch = true;
  template <Level L, class A>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a) {
    return lu_with_info(level, a, NoInfo{}, real_t<value_t<A>>(0));
  }
  /// The second argument is tiny, or an info.
  template <Level L, class A, class Second>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Second& second) {
    if constexpr (is_operand<Second>) {
      return lu_with_info(level, a, second, real_t<value_t<A>>(0));
    } else {
      return lu_with_info(level, a, NoInfo{}, second);
    }
  }
  template <Level L, class A, class Info, class Tiny>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Info& info,
                                             const Tiny& tiny) {
    return lu_with_info(level, a, info, tiny);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
