// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_TRIANGULAR_HPP
#define KOKKOSCONTRACT_DENSE_TRIANGULAR_HPP

// Triangular solves. Every case is a lower triangular system from the left, L X = alpha B:
//
//   transposed   the rows of the Matrix are the columns of the operand, and lower becomes upper
//   upper        both indices of A and the rows of B run backwards
//   right        X op(A) = B is op(A)^T X^T = B^T
//
// The algorithms:
//   columns      a worker takes whole columns of B, several in a register; no barrier inside.
//                Also on a GPU, for a batch of small matrices in scratch memory
//   by_halves    one worker of a host, and matrices that may be large (HalvedSolve.hpp)
//   tiles        one worker and packs: tiles of rows and columns in registers, from the first row
//                down, and a reciprocal for each row
//   in_warps     on a GPU, up to 32 static rows: L and B in the registers of a few lanes of a warp
//   warps        on a GPU, one column: a warp has the rows of the column in registers
//   rows         fewer columns than workers: all work on the rows below the current ones. A step
//                has several rows and one barrier. The current rows keep their right-hand sides
//                until the end, and each worker computes the solutions that it needs. So one
//                barrier a step is enough.

#include <KokkosContract/dense/Choose.hpp>
#include <KokkosContract/dense/Gemm.hpp>
#include <KokkosContract/dense/HalvedSolve.hpp>
#include <KokkosContract/dense/Set.hpp>
#include <KokkosContract/dense/WarpRows.hpp>
#include <KokkosContract/dense/WarpSolve.hpp>
#include <KokkosContract/lanes/InLanes.hpp>
#include <KokkosContract/lanes/Solve.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/operand/Matrix.hpp>
#include <KokkosContract/product/Contract.hpp>

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

  /// Solves for rows i to i + R - 1 of a register of columns, after those above: inner products
  /// with R independent sums, and then the triangle of these rows.
  template <int R, int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void rows(int z, int i, int j, int count) const {
    register_t<Acc, W> sum[R];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r)
      sum[r] = splat<W>(alpha) * load_columns<Acc, W, Full>(b, z, i + r, j, count);
    for (int p = 0; p < i; ++p) {
      const register_t<Acc, W> x = load_columns<Acc, W, Full>(b, z, p, j, count);
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < R; ++r) sum[r] = sum[r] - splat<W>(element(z, i + r, p)) * x;
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int q = 0; q < r; ++q) sum[r] = sum[r] - splat<W>(element(z, i + r, i + q)) * sum[q];
      if constexpr (!UnitDiagonal) sum[r] = divide<W>(sum[r], element(z, i + r, i + r));
      store_columns<Acc, W, Full>(b, z, i + r, j, count, sum[r]);
    }
  }

  /// Solves for columns j to j + count - 1 (one register) of problem z, Block rows at a time.
  template <int W, bool Full, int Block>
  KOKKOS_FORCEINLINE_FUNCTION void columns(int z, int j, int count) const {
    constexpr std::ptrdiff_t n = A::static_rows;
    if constexpr (n > 0 && n <= most_rows_at_once) {
      rows<static_cast<int>(n), W, Full>(z, 0, j, count);
    } else {
      int i = 0;
      for (; i + Block <= b.rows(); i += Block) rows<Block, W, Full>(z, i, j, count);
      if constexpr (n > 0 && n % Block != 0) {
        rows<static_cast<int>(n % Block), W, Full>(z, i, j, count);
      } else {
        for (; i < b.rows(); ++i) rows<1, W, Full>(z, i, j, count);
      }
    }
  }

  // --- one worker, packs ---

  /// The size of the largest tile follows from the number of sums that registers hold.
  static constexpr int registers =
      KOKKOSCONTRACT_VECTOR_REGISTERS * KOKKOSCONTRACT_VECTOR_BYTES / static_cast<int>(sizeof(Acc));
  static constexpr int most_rows_of_tile = registers >= 16 ? 4 : (registers >= 8 ? 2 : 1);
  static constexpr int most_cols_of_tile = registers >= 32 ? 4 : (registers >= 16 ? 3 : 2);

  /// Solves for rows i to i + R - 1 of columns j to j + C - 1, after those above.
  template <int R, int C>
  KOKKOS_FORCEINLINE_FUNCTION void tile(int z, int i, int j,
                                        const register_t<Acc, 1> (&reciprocal)[R]) const {
    register_t<Acc, 1> sum[R][C];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) sum[r][c] = load_columns<Acc, 1, true>(b, z, i + r, j + c, 1);
    }
    const auto subtract = [&](int r, int p, const register_t<Acc, 1>(&x)[C])
                              KOKKOSCONTRACT_INLINE_LAMBDA {
                                const auto factor = splat<1>(element(z, i + r, p));
                                KOKKOSCONTRACT_UNROLL
                                for (int c = 0; c < C; ++c) sum[r][c] = sum[r][c] - factor * x[c];
                              };
    for (int p = 0; p < i; ++p) {
      register_t<Acc, 1> x[C];
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) x[c] = load_columns<Acc, 1, true>(b, z, p, j + c, 1);
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < R; ++r) subtract(r, p, x);
    }
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < R; ++q) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) {
        if constexpr (!UnitDiagonal) sum[q][c] = sum[q][c] * reciprocal[q];
        b(z, i + q, j + c) = convert<T>(from_register<Acc>(sum[q][c]));
      }
      KOKKOSCONTRACT_UNROLL
      for (int r = q + 1; r < R; ++r) subtract(r, i + q, sum[q]);
    }
  }

  template <int R>
  KOKKOS_FORCEINLINE_FUNCTION void tiles_of_rows(int z, int i) const {
    register_t<Acc, 1> reciprocal[R];
    if constexpr (!UnitDiagonal) {
      const bool exist = [&]<int... Row>(std::integer_sequence<int, Row...>)
                             KOKKOSCONTRACT_INLINE_LAMBDA {
                               return has_reciprocal(element(z, i + Row, i + Row)...);
                             }(std::make_integer_sequence<int, R>{});
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < R; ++r) {
        reciprocal[r] = to_register(Acc(real_t<Acc>(1)) / element(z, i + r, i + r));
      }
      if (!exist) {
        for (int r = 0; r < R; ++r) {
          for (int j = 0; j < b.cols(); ++j) rows<1, 1, true>(z, i + r, j, 1);
        }
        return;
      }
    }
    cut_evenly<B::static_cols, most_cols_of_tile>(
        b.cols(),
        [&]<int C>(int j) KOKKOSCONTRACT_INLINE_LAMBDA { tile<R, C>(z, i, j, reciprocal); });
  }

  /// Solves with alpha = 1.
  KOKKOS_FORCEINLINE_FUNCTION void unscaled_by_tiles() const {
    for (int z = 0; z < b.batch(); ++z) {
      cut_evenly<A::static_rows, most_rows_of_tile>(
          b.rows(), [&]<int R>(int i) KOKKOSCONTRACT_INLINE_LAMBDA { tiles_of_rows<R>(z, i); });
    }
  }

  /// B is scaled before the tiles. A condition in the tiles (alpha is not 1) fails: GCC 16 with
  /// AVX-512 makes a mask of it that holds for the first of two lanes only.
  KOKKOS_FORCEINLINE_FUNCTION void by_tiles() const {
    scale(SerialLevel{});
    const Acc one(real_t<Acc>(1));
    LowerSolver{a, b, one}.unscaled_by_tiles();
  }

  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void by_columns(const L& level) const {
    constexpr int rows_at_once = is_plain<L> ? 1 : 4;  // several rows take registers
    const int blocks = (b.cols() + W - 1) / W;
    for_each_pair(level, b.batch(), blocks, [&](int z, int block) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int j = block * W;
      const int count = b.cols() - j;
      if (W == 1 || count >= W) {
        columns<W, true, rows_at_once>(z, j, W);
      } else {
        columns<W, false, rows_at_once>(z, j, count);
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
      const auto j = static_cast<int>(take_digit(t, cols));
      const auto i = static_cast<int>(take_digit(t, rows));
      f(static_cast<int>(t), i + first, j);
    });
  }

  /// Computes B = alpha B.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION void scale(const L& level) const {
    if (alpha == Acc(real_t<Acc>(1))) return;
    for_rows(level, 0, [&](int z, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      b(z, i, j) = convert<T>(alpha * convert<Acc>(b(z, i, j)));
    });
    level.barrier();
  }

  /// Rows of a step: as many as fit in a worker's registers beside other code.
  static constexpr int step = is_pack<T> || (A::static_rows > 0 && A::static_rows <= most_rows) ? 1
                              : A::static_rows == dynamic                                       ? 4
                                                                                                : 8;

  /// Computes x, the solutions of rows p to p + count - 1. The products with all rows above have
  /// been subtracted.
  KOKKOS_FORCEINLINE_FUNCTION void solve_step(int z, int p, int count, int j,
                                              Acc (&x)[step]) const {
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < step; ++q) {
      x[q] = Acc(real_t<Acc>(0));
      if (q >= count) continue;
      x[q] = convert<Acc>(b(z, p + q, j));
      KOKKOSCONTRACT_UNROLL
      for (int s = 0; s < q; ++s) x[q] = x[q] - element(z, p + q, p + s) * x[s];
      if constexpr (!UnitDiagonal) {
        x[q] = from_register<Acc>(divide<1>(to_register(x[q]), element(z, p + q, p + q)));
      }
    }
  }

  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION void by_rows(const L& level) const {
    scale(level);
    const int n = b.rows();
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = 0; p + step < n; p += step) {
      for_rows(level, p + step, [&](int z, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        Acc x[step];
        solve_step(z, p, step, j, x);
        Acc sum = convert<Acc>(b(z, i, j));
        KOKKOSCONTRACT_UNROLL
        for (int q = 0; q < step; ++q) sum = sum - element(z, i, p + q) * x[q];
        b(z, i, j) = convert<T>(sum);
      });
      level.barrier();
    }
    if constexpr (step > 1 || !UnitDiagonal) {
      const std::ptrdiff_t steps = (n + step - 1) / step;
      for_each(level, steps * b.cols() * b.batch(),
               [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
                 const auto j = static_cast<int>(take_digit(t, b.cols()));
                 const int p = static_cast<int>(take_digit(t, steps)) * step;
                 const auto z = static_cast<int>(t);
                 const int count = n - p < step ? n - p : step;
                 Acc x[step];
                 solve_step(z, p, count, j, x);
                 KOKKOSCONTRACT_UNROLL
                 for (int q = 0; q < step; ++q) {
                   if (q < count) b(z, p + q, j) = convert<T>(x[q]);
                 }
               });
      level.barrier();
    }
  }

  /// Solves by products. Returns false, and does nothing, if the matrices are not large enough.
  KOKKOS_FORCEINLINE_FUNCTION bool by_halves() const {
    constexpr bool copies = !B::unit_cols;
    constexpr int steps = copies ? solved_halves.least_steps : solved_halves.cols_of_panel + 1;
    constexpr int cols = copies ? least_cols_of_solved_copy : host_lanes<T>() + 1;
    if (b.rows() < steps || b.cols() < cols) return false;
    for (int z = 0; z < b.batch(); ++z) {
      const auto rhs = part_matrix(b, z, 0, b.rows(), 0, b.cols());
      if (alpha != Acc(1)) scale_at_once(rhs.a, alpha);
      solve_by_halves<solved_halves.cols_of_panel, UnitDiagonal>(
          part_matrix(a, z, 0, b.rows(), 0, b.rows()), rhs);
    }
    return true;
  }

  template <class M>
  KOKKOS_FORCEINLINE_FUNCTION void load_lower(M& m, bool active, int z) const {
    m.for_tile([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (active && (UnitDiagonal ? i > j : i >= j)) x = element(z, i, j);
    });
  }

  /// Solves for column j of problem z without reciprocals.
  KOKKOS_FORCEINLINE_FUNCTION void column_by_quotients(int z, int j) const {
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = 0; i < b.rows(); ++i) {
      Acc sum = alpha * convert<Acc>(b(z, i, j));
      KOKKOSCONTRACT_NO_UNROLL
      for (int p = 0; p < i; ++p) sum = sum - element(z, i, p) * convert<Acc>(b(z, p, j));
      b(z, i, j) = convert<T>(UnitDiagonal ? sum : quotient(sum, element(z, i, i)));
    }
  }

  /// Solves for one column. Returns false, and does nothing, if there are no groups of lanes.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool in_warps(const L& level) const {
    constexpr LaneGrid grid = dense_choice<DenseRoutine::solve, L, A, B, true>.grid;
    using M = LaneMatrix<level_machine_t<L>, Acc, A::static_rows, A::unit_rows, grid>;
    const auto solve_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
      const bool active = z >= 0;
      M m{group, {}};
      load_lower(m, active, z);
      Acc x[M::tile_rows]{};
      m.for_rows([&](int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
        if (active) x[r] = alpha * convert<Acc>(b(z, i, 0));
      });
      (void)compute_in_lanes<Exact::in_each_lane>(
          m, z,
          [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA {
            using D = std::conditional_t<UnitDiagonal, Diag::Unit, Diag::NonUnit>;
            if constexpr (!UnitDiagonal) invert_diagonal(m, exact);
            solve_tiles<Uplo::Lower, D>(m, x);
            return 0;
          },
          [&](bool stores) KOKKOSCONTRACT_INLINE_LAMBDA {
            m.for_rows([&](int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
              if (stores) b(z, i, 0) = convert<T>(x[r]);
            });
          },
          [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
            column_by_quotients(z, 0);
            return 0;
          });
    };
    return for_each_problem<M::lanes, B::is_interleaved>(level, b.batch(), solve_one);
  }

  /// Solves for many columns, distributed over the lanes. Returns false, and does nothing, if there
  /// are no groups of lanes.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool columns_in_warps(const L& level) const {
    constexpr LaneGrid grid = dense_choice<DenseRoutine::solve, L, A, B, false>.grid;
    using M = LaneMatrix<level_machine_t<L>, Acc, A::static_rows, A::unit_rows, grid>;
    const auto solve_block = [&](const auto& group, int z,
                                 LaneColumns<M>& columns) KOKKOSCONTRACT_INLINE_LAMBDA {
      M m{group, {}};
      load_lower(m, columns.end > 0, z);
      columns.for_elements([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        x = alpha * convert<Acc>(b(z, i, j));
      });
      compute_columns_in_lanes(
          m, columns,
          [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA {
            if constexpr (!UnitDiagonal) invert_diagonal(m, exact);
            columns.template solve<true, UnitDiagonal>(m);
          },
          [&](const Acc& x, int i, int j)
              KOKKOSCONTRACT_INLINE_LAMBDA { b(z, i, j) = convert<T>(x); },
          [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
            columns.for_columns([&](int j)
                                    KOKKOSCONTRACT_INLINE_LAMBDA { column_by_quotients(z, j); });
          });
    };
    return for_each_block_of_columns<M, B::is_interleaved>(level, b.batch(), b.cols(), solve_block);
  }

  /// Solves for one column, of each problem in one warp. Returns false, and does nothing, if there
  /// are no whole warps, or their registers have no room.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool by_warps(const L& level) const {
    using M = level_machine_t<L>;
    if (b.cols() != 1 || b.rows() > most_rows_of_lane * M::warp_size) return false;
    return for_each_problem_of_warps(
        level, b.batch(), b.rows(), [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
          if (group.part != 0) return;
          with_rows_of_lane<A::static_rows, M::warp_size>(
              b.rows(), [&]<int RowsOfLane>()
                            KOKKOSCONTRACT_INLINE_LAMBDA { column_in_warp<M, RowsOfLane>(z); });
        });
  }
  template <class Machine, int RowsOfLane>
  KOKKOS_FORCEINLINE_FUNCTION void column_in_warp(int z) const {
    const auto of = [&](int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA { return element(z, i, j); };
    WarpSolve<Machine, Acc, RowsOfLane, UnitDiagonal> column(
        b.rows(),
        [&](int i) KOKKOSCONTRACT_INLINE_LAMBDA { return alpha * convert<Acc>(b(z, i, 0)); }, of);
    const bool exact = column.invert_diagonal();
    Machine::warp_barrier(whole_warp<Machine>);  // one lane may overwrite what others have loaded
    if (exact) {
      column.solve(of);
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int k = 0; k < RowsOfLane; ++k) {
        const int i = column.row(k);
        if (i < b.rows()) b(z, i, 0) = convert<T>(column.x[k]);
      }
    } else if (Machine::lane_of_warp() == 0) {
      column_by_quotients(z, 0);
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
    constexpr DenseWay way = dense_choice<DenseRoutine::solve, L, A, B>.way;
    if constexpr (way == DenseWay::lanes) {
      if (b.cols() == 1 ? in_warps(level) : columns_in_warps(level)) {
        level.barrier();
      } else {
        by_rows(level);
      }
      return;
    }
    if constexpr (is_pack<T> && std::is_same_v<T, Acc> && std::is_floating_point_v<scalar_t<T>>) {
      if constexpr (!runs_on_gpu<L>()) {
        if (level.size() == 1) {
          by_tiles();
          return;
        }
      }
    }
    if constexpr (!runs_on_gpu<L>() && is_halved<DenseRoutine::solve, A, Acc, B>) {
      if (level.size() == 1 && by_halves()) return;
    }
    if constexpr (has_warps<L> && !is_pack<T> && way == DenseWay::memory) {
      if (by_warps(level)) return;
    }
    if constexpr (!is_single_worker<L>() && way != DenseWay::thread) {
      if (static_cast<std::ptrdiff_t>(b.cols()) * b.batch() < level.size()) {
        by_rows(level);
        return;
      }
    }
    constexpr int lanes = column_lanes<Acc, B>();
    by_columns<runs_on_gpu<L>() ? 1 : lanes>(level);
  }
};

template <class Where, class Triangle, class TransA, class Diagonal, Level L, class Alpha, class A,
          class B>
KOKKOS_FORCEINLINE_FUNCTION int solve_triangular(const L& level, const Alpha& alpha, const A& a,
                                                 const B& b) {
  using OpA = operand_t<A>;
  using OpB = operand_t<B>;
  using Acc = accumulator_t<value_t<A>, value_t<B>>;
  require_right_hand_side<A, B>();
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
  clear_zero_lanes(level, alpha, b);
  return 0;
}

template <class Triangle, class TransA, class Diagonal>
struct TrsvRoutine {
  static constexpr Signature signature{"Trsv", 2};
  static constexpr int ranks[3] = {0, 2, 1};
  static constexpr bool takes_batch = true;
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return solve_triangular<void, Triangle, TransA, Diagonal>(level, arguments...);
  }
};

template <class Where, class Triangle, class TransA, class Diagonal>
struct TrsmRoutine {
  static constexpr Signature signature{"Trsm", 2};
  static constexpr int ranks[3] = {0, 2, 2};
  static constexpr bool takes_batch = true;
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return solve_triangular<Where, Triangle, TransA, Diagonal>(level, arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
