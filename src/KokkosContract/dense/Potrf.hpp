// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_POTRF_HPP
#define KOKKOSCONTRACT_DENSE_POTRF_HPP

// Cholesky. On a GPU, up to 32 static rows, the triangle is in the registers of a few lanes of a
// warp, as whole rows in a lane or distributed in both directions. The warps of a team factor
// larger matrices in blocks (BlockCholesky.hpp). Otherwise it is in memory (CholeskyFactor.hpp).

#include <KokkosContract/dense/BlockCholesky.hpp>
#include <KokkosContract/dense/Choose.hpp>
#include <KokkosContract/dense/TiledCholesky.hpp>
#include <KokkosContract/lanes/InLanes.hpp>
#include <KokkosContract/lanes/LaneRows.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Factors the lower triangle of a matrix in registers, with whole rows in a lane. Elements above
/// it may have any value. The diagonal gets no roots. Returns the 1-based index of its first
/// element that is not positive, or 0. `exact` becomes false if the reciprocal of a root is not
/// usable.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION int factor_lower_rows(M& m, bool& exact) {
  using T = typename M::value_type;
  static_assert(M::grid.cols == 1);
  int failed = 0;
  for_each_step<M::n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
    constexpr int p = decltype(step)::value;
    constexpr int r0 = p / M::lanes;
    const auto d = real_part(m.get(p, p));
    const auto factor = inverse_root_of_diagonal(d, p, failed, exact);
    T column[M::tile_rows];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = r0; r < M::tile_rows; ++r) {
      column[r] = m.tile[r][p] * factor;
      m.tile[r][p] = choose(r > r0 || m.row() > p % M::lanes, column[r], m.tile[r][p]);
    }
    for_each_step<M::n - p - 1>([&](auto next) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int j = p + 1 + decltype(next)::value;
      const T x = conjugate_if<true>(m.group.from(column[j / M::lanes], j % M::lanes));
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = j / M::lanes; r < M::tile_rows; ++r) {
        m.tile[r][j] = m.tile[r][j] - column[r] * x;
      }
    });
  });
  return failed;
}

/// Factors a matrix that is distributed over lanes in both directions.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION int factor_lower_tiles(M& m, bool& exact) {
  using T = typename M::value_type;
  constexpr int g = M::grid.rows;
  static_assert(M::grid.cols == g);
  int failed = 0;
  for_each_step<M::n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
    constexpr int p = step.value;
    constexpr int r0 = p / g;
    const auto d = real_part(m.get(p, p));
    const auto factor = inverse_root_of_diagonal(d, p, failed, exact);
    constexpr int first = M::first_row_behind(p);
    // Column p of the factor, by this lane's rows and by its columns. It is zero in finished rows
    // and columns.
    T by_row[M::tile_rows];
    T by_col[M::tile_rows];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = first; r < M::tile_rows; ++r) {
      T x = m.tile[r][r0] * factor;
      if (r == r0 && m.row() <= p % g) x = T(0);
      by_row[r] = m.group.from(x, M::lane_at(m.row(), p % g));
      by_col[r] = conjugate_if<true>(m.group.from(x, M::lane_at(m.col(), p % g)));
    }
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = first; r < M::tile_rows; ++r) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = first; c < M::tile_rows; ++c) {
        if (c <= r) m.tile[r][c] = m.tile[r][c] - by_row[r] * by_col[c];
      }
      if (m.col() == p % g && (r > r0 || m.row() > p % g)) m.tile[r][r0] = by_row[r];
    }
  });
  return failed;
}

/// Factors all problems in the registers of groups of lanes and stores their infos. Returns false,
/// and does nothing, if there are no such groups or there is no room. `failed`: a problem is not
/// positive definite.
template <class Op, Level L, class A, class Acc, class Info>
KOKKOS_FORCEINLINE_FUNCTION bool factor_in_warps(const L& level,
                                                 const CholeskyFactor<A, Acc>& cholesky,
                                                 const Info& info, FirstInfo& failed) {
  using T = typename A::value_type;
  const A& a = cholesky.a;
  constexpr DenseChoice choice = dense_choice<DenseRoutine::triangle, L, A>;
  if constexpr (choice.way != DenseWay::lanes) {
    return false;
  } else {
    using M = LaneMatrix<level_machine_t<L>, Acc, A::static_rows, A::unit_rows, choice.grid>;
    const auto factor_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
      M m{group, {}};
      load_lower_rows(m, a, z);
      return compute_in_lanes<Exact::in_all_lanes>(
          m, z,
          [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA {
            int found;
            if constexpr (M::grid.cols == 1) {
              found = factor_lower_rows(m, exact);
            } else {
              found = factor_lower_tiles(m, exact);
            }
            m.for_diagonal([&](Acc& x, int, int) KOKKOSCONTRACT_INLINE_LAMBDA {
              x = Acc(CholeskyFactor<A, Acc>::root_if_positive(real_part(x)));
            });
            return found;
          },
          [&](bool stores)
              KOKKOSCONTRACT_INLINE_LAMBDA { store_lower_rows(m, a, stores ? z : -1); },
          [&]() KOKKOSCONTRACT_INLINE_LAMBDA { return cholesky.factor_by_columns(z); });
    };
    return factor_each_problem<M::lanes, A::is_interleaved, Op, T>(level, a.batch(), info, failed,
                                                                   factor_one);
  }
}

/// Factors all problems by the warps of a team. Returns false, and does nothing, if it may not.
/// `failed` is set in the workers that found that a problem is not positive definite.
template <Level L, class A, class Acc>
KOKKOS_FORCEINLINE_FUNCTION bool factor_in_blocks(const L& level,
                                                  const CholeskyFactor<A, Acc>& cholesky,
                                                  bool& failed) {
  if constexpr (dense_choice<DenseRoutine::triangle, L, A>.way == DenseWay::blocks) {
    return factor_in_tiles(level, cholesky, failed) ||
           BlockCholesky<A, Acc>{cholesky.a}.factor(level, failed);
  } else {
    return false;
  }
}

template <class Triangle>
struct PotrfRoutine {
  static constexpr Signature signature{"Potrf", 0};
  static constexpr bool takes_batch = true;
  template <Level L, class A, class Info = NoInfo>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Info& info = {}) {
    using Op = operand_t<A>;
    using T = value_t<A>;
    using Acc = accumulator_t<T>;
    static_assert(Op::rank == 2 || Op::rank == 3,
                  "KokkosContract: Potrf: A must have rank 2, or 3 with a leading batch dimension");
    static_assert(!std::is_const_v<typename Op::value_type>,
                  "KokkosContract: Potrf: A is an operand of const elements");
    static_assert(!is_shared<A>,
                  "KokkosContract: Potrf: A is factored in place and cannot be shared");
    static_assert(!std::is_integral_v<scalar_t<T>>,
                  "KokkosContract: Potrf needs a floating-point type");
    const Matrix<Op, Op::rank == 3, std::is_same_v<Triangle, Uplo::Upper>> matrix{as_operand(a)};
    if (matrix.rows() != matrix.cols() || !info_fits<Op, T>(info, matrix.batch())) {
      return extents_disagree;
    }

    const CholeskyFactor<decltype(matrix), Acc> cholesky{matrix};
    constexpr int width =
        std::is_same_v<T, Acc> && decltype(matrix)::unit_rows ? host_lanes<T>() : 1;
    bool positive = false;
    if constexpr (has_warps<L> && !is_pack<T>) {
      FirstInfo failed;
      if (factor_in_warps<Op>(level, cholesky, info, failed)) return first_info(level, failed);
      bool has_failed = false;
      if (!factor_in_blocks(level, cholesky, has_failed)) {
        cholesky.by_rows(level);
      } else if (!level.any(has_failed)) {
        put_no_infos<Op, T>(level, matrix.batch(), info);
        return 0;
      }
    } else if constexpr (runs_on_gpu<L>()) {
      positive = cholesky.factor_on_device(level);
    } else {
      positive = cholesky.template factor_all<width>(level);
    }
    if constexpr (std::is_same_v<Info, NoInfo>) {
      if (positive) return 0;
    }
    return report<Op, T>(level, matrix.batch(), info,
                         [&](int z, int l) KOKKOSCONTRACT_INLINE_LAMBDA {
                           return cholesky.first_not_positive(z, l);
                         });
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
