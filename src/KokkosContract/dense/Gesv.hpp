// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_GESV_HPP
#define KOKKOSCONTRACT_DENSE_GESV_HPP

// The whole solution of a system: factorisation, with or without interchanges, and solves with the
// factors. On a GPU, up to 32 static rows and with one right-hand side, the matrix stays in
// registers in between.

#include <KokkosContract/dense/Getrs.hpp>
#include <KokkosContract/dense/LU.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A right-hand side that is eliminated together with the matrix.
template <class Solver>
struct RightHandSide {
  using T = typename Solver::T;
  const Solver& solver;
  const typename Solver::B& b;
  KOKKOS_FORCEINLINE_FUNCTION void solve_by_quotients(int z) const { solver.by_quotients(z, 0); }
};

/// Solves a system in registers. The right-hand side is eliminated together with the matrix.
template <class A, class P, class B>
struct SystemInLanes {
  using F = Factored<A, B>;
  using Acc = accumulator_t<value_t<A>>;
  using Factors = LUFactors<Trans::NoTranspose>;
  using Rows = Pivots<operand_t<P>, F::a_batch, Acc>;
  using Solver = FactorSolver<typename Factors::First, typename Factors::Second, operand_t<A>,
                              F::a_batch, operand_t<B>, F::batch, Interchanges<Rows, false>>;
  template <class L>
  static constexpr bool has_room =
      F::vector && std::is_same_v<Acc, accumulator_t<value_t<A>, value_t<B>>> &&
      dense_choice<DenseRoutine::gesv, L, Matrix<operand_t<A>, F::a_batch>, typename Solver::B>.way ==
          DenseWay::lanes;

  template <Level L, class Info>
  static KOKKOS_FORCEINLINE_FUNCTION int solve(const L& level, const A& a, const P& ipiv,
                                               const B& b, const Info& info) {
    const Rows pivots{as_operand(ipiv)};
    const Interchanges<Rows, false> rows{pivots};
    const Solver solver(as_operand(a), as_operand(b), rows);
    bool solved = false;
    const int code =
        GetrfRoutine::run(level, a, ipiv, info, RightHandSide<Solver>{solver, solver.b}, &solved);
    if (code < 0 || solved) return code;
    const Matrix<operand_t<A>, F::a_batch> matrices{as_operand(a)};
    for_each(level, matrices.batch(), [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int z = static_cast<int>(t);
      if (first_zero_of_diagonal(matrices, z, Solver::n, 0) == 0) solver.by_quotients(z, 0);
    });
    level.barrier();
    return code;
  }
};

/// Solves with factors. `code` is not 0 if some were found to be singular. Without singular
/// factors, and for packs, solve() solves all problems. Otherwise solve_one(z), by one worker each,
/// solves the problems whose factors are regular.
template <bool Batch, Level L, class Op, class Solve, class SolveOne>
KOKKOS_FORCEINLINE_FUNCTION void solve_where_regular(const L& level, const Op& factors, int code,
                                                     const Solve& solve,
                                                     const SolveOne& solve_one) {
  if (is_pack<value_t<Op>> || !for_any_team(level, code != 0)) return solve();
  const Matrix<Op, Batch> matrices{factors};
  for_each(level, matrices.batch(), [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
    const int z = static_cast<int>(t);
    if (first_zero_of_diagonal(matrices, z, matrices.rows(), 0) == 0) solve_one(z);
  });
  level.barrier();  // a worker that returns may change A while others still read it
}

template <Level L, class A, class P, class B, class Info = NoInfo>
KOKKOS_FORCEINLINE_FUNCTION int gesv(const L& level, const A& a, const P& ipiv, const B& b,
                                     const Info& info = {}) {
  using F = Factored<A, B>;
  using N = Trans::NoTranspose;
  if (!F::extents_agree(a, b)) return extents_disagree;
  if constexpr (SystemInLanes<A, P, B>::template has_room<L>) {
    return SystemInLanes<A, P, B>::solve(level, a, ipiv, b, info);
  } else {
    const int code = GetrfRoutine::run(level, a, ipiv, info);
    if (code < 0) return code;
    solve_where_regular<F::batch>(
        level, as_operand(a), code,
        [&]() KOKKOSCONTRACT_INLINE_LAMBDA { GetrsRoutine<N>::run(level, a, ipiv, b); },
        [&](int z) KOKKOSCONTRACT_INLINE_LAMBDA {
          GetrsRoutine<N>::run(SerialLevel{}, problem_if<F::batch>(as_operand(a), z),
                               problem_if<F::batch>(as_operand(ipiv), z),
                               problem_if<F::batch>(as_operand(b), z));
        });
    return code;
  }
}

/// The steps of LU for a matrix that is followed by further columns. The diagonal is replaced by
/// its reciprocals. Elements below it become arbitrary, because L has been applied to the further
/// columns.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION void eliminate_system(M& m) {
  using T = typename M::value_type;
  for_each_step<M::n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
    constexpr LaneGrid grid = M::grid;
    constexpr int p = step.value;
    constexpr int r0 = p / grid.rows;
    constexpr int c0 = p / grid.cols;
    constexpr int first_row = M::first_row_behind(p);
    bool unused = true;
    const T reciprocal = short_reciprocal(m.get(p, p), unused);
    T pivot_row[M::tile_cols];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int c = c0; c < M::tile_cols; ++c) pivot_row[c] = m.get_in_col(p, c) * reciprocal;
    T factor[M::tile_rows];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = first_row; r < M::tile_rows; ++r) factor[r] = m.get_in_row(r, p);
    // Rows and columns up to p are done, so nothing is subtracted from them.
    pivot_row[c0] = choose(m.col() > p % grid.cols, pivot_row[c0], T(0));
    if constexpr (first_row == r0) {
      factor[r0] = choose(m.row() > p % grid.rows, factor[r0], T(0));
    }
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = first_row; r < M::tile_rows; ++r) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = c0; c < M::tile_cols; ++c) {
        m.tile[r][c] = m.tile[r][c] - factor[r] * pivot_row[c];
      }
    }
    const bool has_pivot = m.row() == p % grid.rows && m.col() == p % grid.cols;
    m.tile[r0][c0] = choose(has_pivot, reciprocal, m.tile[r0][c0]);
  });
}

/// Solves a system without interchanges and with one right-hand side, in the registers of a few
/// lanes.
template <class A, class B>
struct UnpivotedSystemInLanes {
  using F = Factored<A, B>;
  using OpA = operand_t<A>;
  using Factors = LUFactors<Trans::NoTranspose>;
  using Solver = FactorSolver<typename Factors::First, typename Factors::Second, OpA, F::a_batch,
                              operand_t<B>, F::batch, NoInterchanges>;
  using Matrices = Matrix<OpA, F::a_batch>;
  using T = value_t<A>;
  using Acc = typename Solver::Acc;
  template <class L>
  static constexpr DenseChoice choice = dense_choice<DenseRoutine::lu, L, Matrices>;
  template <class L>
  static constexpr bool has_room =
      F::vector && !is_pack<value_t<B>> && choice<L>.way == DenseWay::lanes;
  static constexpr int n = Solver::n;

  /// Returns false, and does nothing, if there are no lanes for it. `singular`: a pivot is zero.
  template <Level L, class Info>
  static KOKKOS_FORCEINLINE_FUNCTION bool solve(const L& level, const A& a, const B& b,
                                                const Info& info, FirstInfo& singular) {
    constexpr bool interleaved = Matrices::is_interleaved;
    constexpr LaneGrid grid = choice<L>.grid;
    using M = LaneMatrix<level_machine_t<L>, Acc, n, Matrices::unit_rows, grid, n + 1>;
    const Matrices matrices{as_operand(a)};
    const NoInterchanges none;
    const Solver solver(as_operand(a), as_operand(b), none);
    using AccA = accumulator_t<T>;
    const AccA no_tiny(real_t<AccA>(0));
    const auto solve_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
      const bool active = z >= 0;
      M m{group, {}};
      m.for_tile([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        if (!active) {
          x = Acc(real_t<Acc>(i == j ? 1 : 0));
        } else if (j < n) {
          x = convert<Acc>(matrices(z, i, j));
        } else {
          x = convert<Acc>(solver.b(z, i, 0));
        }
      });
      Acc solution[M::tile_rows];
      return compute_in_lanes<Exact::in_each_lane>(
          m, z,
          [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA {
            eliminate_system(m);
            m.for_some_with_diagonal([&](const Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
              if (i == j && i < n) exact = exact && has_reciprocal(x);
            });
            KOKKOSCONTRACT_UNROLL_IN_LANES
            for (int r = 0; r < M::tile_rows; ++r) {
              solution[r] =
                  choose(m.col() == n % M::grid.cols, m.tile[r][n / M::grid.cols], Acc(0));
            }
            solve_tiles<Uplo::Upper, Diag::NonUnit>(m, solution);
            return 0;
          },
          [&](bool stores) KOKKOSCONTRACT_INLINE_LAMBDA {
            m.for_rows([&](int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
              if (stores) solver.b(z, i, 0) = convert<typename Solver::T>(solution[r]);
            });
          },
          [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
            const int zero = Eliminator<Matrices, AccA>{matrices, no_tiny}.factor_by_quotients(z);
            if (zero == 0) solver.by_quotients(z, 0);
            return zero;
          });
    };
    return factor_each_problem<M::lanes, interleaved, OpA, T>(level, matrices.batch(), info,
                                                              singular, solve_one);
  }
};

/// Solves by LU and SolveLU.
template <Level L, class A, class B, class Info>
KOKKOS_FORCEINLINE_FUNCTION int factor_and_solve(const L& level, const A& a, const B& b,
                                                 const Info& info) {
  const int code = lu_with_info(level, a, info, real_t<value_t<A>>(0));
  if (code < 0) return code;
  using Solve = SolveLURoutine<Trans::NoTranspose>;
  constexpr bool batch = Factored<A, B>::batch;
  solve_where_regular<batch>(
      level, as_operand(a), code, [&]() KOKKOSCONTRACT_INLINE_LAMBDA { Solve::run(level, a, b); },
      [&](int z) KOKKOSCONTRACT_INLINE_LAMBDA {
        Solve::run(SerialLevel{}, problem_if<batch>(as_operand(a), z),
                   problem_if<batch>(as_operand(b), z));
      });
  return code;
}

template <Level L, class A, class B, class Info = NoInfo>
KOKKOS_FORCEINLINE_FUNCTION int gesv_without_pivoting(const L& level, const A& a, const B& b,
                                                      const Info& info = {}) {
  using F = Factored<A, B>;
  require_output<A>();
  require_output<B>();
  static_assert(is_pack<value_t<B>> || !is_pack<value_t<A>>,
                "KokkosContract: Gesv: a matrix of packs needs a right-hand side of packs");
  if (!F::extents_agree(a, b)) return extents_disagree;
  if constexpr (UnpivotedSystemInLanes<A, B>::template has_room<L>) {
    using OpA = operand_t<A>;
    const Matrix<OpA, F::a_batch> matrices{as_operand(a)};
    if (!info_fits<OpA, value_t<A>>(info, matrices.batch())) return extents_disagree;
    FirstInfo singular;
    if (UnpivotedSystemInLanes<A, B>::solve(level, a, b, info, singular)) {
      return first_info(level, singular);
    }
    // A few lanes that are not a group run short code.
    return factor_and_solve(PlainLevel<L>{level}, a, b, info);
  } else {
    return factor_and_solve(level, a, b, info);
  }
}

template <bool Pivots>
struct GesvRoutine {
  static constexpr Signature signature{"Gesv", 0};
  static constexpr bool takes_batch = true;
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    if constexpr (Pivots) {
      return gesv(level, arguments...);
    } else {
      return gesv_without_pivoting(level, arguments...);
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
