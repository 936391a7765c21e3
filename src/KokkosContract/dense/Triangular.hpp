// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_TRIANGULAR_HPP
#define KOKKOSCONTRACT_DENSE_TRIANGULAR_HPP

// Triangular solves. Every case is a lower triangular system from the left, L X = alpha B:
//
//   transposed   the rows of the Matrix are the columns of the operand, and lower becomes upper
//   upper        both indices of A and the rows of B run backwards
//   right        X op(A) = B is op(A)^T X^T = B^T
//
// The paths:
//   columns      a worker takes whole columns of B, several in a register; no barrier inside.
//                Also on a GPU, for a batch of small matrices in scratch memory
//   tiles        one worker and packs: tiles of rows and columns in registers, from the first row
//                down, and a reciprocal for each row
//   in_warps     on a GPU, up to 32 static rows: L and B in the registers of a few lanes of a warp
//   rows         fewer columns than workers: all work on the rows below the current ones; a barrier
//                a step of several rows. These keep their right-hand sides until the end, and
//                whoever needs their solutions solves for himself, so that one barrier is enough.

#include <KokkosContract/dense/Choose.hpp>
#include <KokkosContract/dense/Gemm.hpp>
#include <KokkosContract/lanes/WarpMatrix.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/operand/Matrix.hpp>
#include <KokkosContract/product/Contract.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Diagonal elements become their reciprocals. False in `exact` where one of a problem does not
/// serve.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION void invert_diagonal(M& m, bool& exact) {
  using T = typename M::value_type;
  constexpr LaneGrid grid = M::grid;
  if constexpr (grid.cols == 1) {
    m.for_diagonal([&](T& d, int, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
      bool exists = true;
      d = short_reciprocal(d, exists);
      exact = exact & (exists | (i >= M::n));
    });
  } else {
    m.for_some_with_diagonal([&](T& d, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      bool exists = true;
      const T reciprocal = short_reciprocal(d, exists);
      if (i == j && i < M::n) {
        d = reciprocal;
        exact = exact && exists;
      }
    });
  }
}

/// Whether a solve adds the shares that lanes of a row have in its sums for all lanes' rows at
/// once, and then hands out what these rows need of each other: by how many shuffles that takes.
consteval bool adds_by_blocks(const LaneGrid& grid) {
  int stages = 0;
  while ((1 << stages) < grid.cols) ++stages;
  return stages + 2 * grid.rows < grid.rows * (stages + 1);
}

/// A triangular system A x = b, where x[r] starts as an element of b in the lanes of one column of
/// the grid, and as zero in the others, and ends as the solution in all of them. Unless
/// it counts as ones, the diagonal of A is inverted.
template <class Triangle, class Diagonal, class M>
KOKKOS_FORCEINLINE_FUNCTION void solve_tiles(M& m, typename M::value_type (&x)[M::tile_rows]) {
  using T = typename M::value_type;
  constexpr LaneGrid grid = M::grid;
  constexpr bool lower = std::is_same_v<Triangle, Uplo::Lower>;
  constexpr bool by_blocks = adds_by_blocks(grid);
  KOKKOSCONTRACT_UNROLL_IN_LANES
  for (int q = 0; q < M::n; ++q) {
    const int p = lower ? q : M::n - 1 - q;
    const int r0 = p / grid.rows;
    if constexpr (by_blocks) {
      if (q == 0 || p % grid.rows == (lower ? 0 : grid.rows - 1)) x[r0] = m.sum_over_cols(x[r0]);
    }
    // The lane that has the diagonal element has the solution.
    T own = by_blocks ? x[r0] : m.sum_over_cols(x[r0]);
    if constexpr (std::is_same_v<Diagonal, Diag::NonUnit>) own = own * m.tile[r0][p / grid.cols];
    const T solution = m.from_lane(own, p % grid.rows, p % grid.cols);
    const T share = choose(m.col() == p % grid.cols, solution, T(0));
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < M::tile_rows; ++r) {
      const bool is_left = r == r0 ? (lower ? m.row() > p % grid.rows : m.row() < p % grid.rows)
                                   : (lower ? r > r0 : r < r0);
      if (r == r0 && by_blocks) {
        if (p % grid.rows == (lower ? grid.rows - 1 : 0)) continue;
        const T factor = m.get_in_row(r, p);
        if (is_left) x[r] = x[r] - factor * solution;
      } else if (is_left) {
        x[r] = x[r] - m.tile[r][p / grid.cols] * share;
      }
    }
    // Of what is solved, too, there is one share that is not zero.
    if (m.row() == p % grid.rows) x[r0] = solution;
  }
}

/// A system of the upper triangle in the first Order rows and columns, with the column behind them
/// as right-hand side; x[r] are the solutions in all lanes of a row. Of a matrix with whole columns
/// or rows in a lane, which stays as it is. False in `exact` where the reciprocal of a diagonal
/// element does not serve.
template <int Order, class M>
KOKKOS_FORCEINLINE_FUNCTION void solve_last_column(const M& m,
                                                   typename M::value_type (&x)[M::tile_rows],
                                                   bool& exact) {
  using T = typename M::value_type;
  constexpr LaneGrid grid = M::grid;
  static_assert(grid.rows == 1 || grid.cols == 1);
  constexpr int shares = (Order + M::lanes - 1) / M::lanes;
  // Of diagonal elements k * lanes + lane.
  T reciprocal[shares];
  KOKKOSCONTRACT_UNROLL_IN_LANES
  for (int k = 0; k < shares; ++k) {
    T d(1);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int l = 0; l < M::lanes; ++l) {
      const int i = k * M::lanes + l;
      if (i < Order) d = choose(l == m.group.lane, m.tile[i / grid.rows][i / grid.cols], d);
    }
    reciprocal[k] = short_reciprocal(d, exact);
  }
  KOKKOSCONTRACT_UNROLL_IN_LANES
  for (int r = 0; r < M::tile_rows; ++r) {
    x[r] = choose(m.col() == Order % grid.cols, m.tile[r][Order / grid.cols], T(0));
  }
  KOKKOSCONTRACT_UNROLL_IN_LANES
  for (int q = 0; q < Order; ++q) {
    const int p = Order - 1 - q;
    const int r0 = p / grid.rows;
    const T own = m.sum_over_cols(x[r0]) * reciprocal[p / M::lanes];
    const T solution = m.group.from(own, p % M::lanes);
    const T factor = choose(m.col() == p % grid.cols, solution, T(0));
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r <= r0; ++r) {
      if (r < r0 || m.row() < p % grid.rows) {
        x[r] = x[r] - m.tile[r][p / grid.cols] * factor;
      }
    }
    if (m.row() == p % grid.rows) x[r0] = solution;
  }
}

/// A system with the adjoint of the lower triangle of A, whose diagonal is inverted. x[r] is what
/// solve_tiles leaves, before and after.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION void solve_tiles_adjoint(M& m,
                                                     typename M::value_type (&x)[M::tile_rows]) {
  using T = typename M::value_type;
  constexpr LaneGrid grid = M::grid;
  constexpr bool by_rows = M::grid.cols == 1;
  // For each of this lane's columns, the products with its rows that are solved; not with whole
  // rows in a lane, which are there to be asked.
  T product[by_rows ? 1 : M::tile_cols]{};
  for_each_step<M::n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
    constexpr int p = M::n - 1 - step.value;
    constexpr int r0 = p / M::grid.rows;
    constexpr int c0 = p / M::grid.cols;
    if constexpr (M::grid.cols == 1) {
      // What is above the diagonal may be anything.
      T sum = choose(m.row() > p % grid.rows, conjugate_if<true>(m.tile[r0][p]) * x[r0], T(0));
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = r0 + 1; r < M::tile_rows; ++r) {
        sum = sum + conjugate_if<true>(m.tile[r][p]) * x[r];
      }
      const T solution = (x[r0] - m.sum_over_rows(sum)) * conjugate_if<true>(m.tile[r0][p]);
      x[r0] = choose(m.row() == p % grid.rows, solution, x[r0]);
    } else {
      const T own = (x[r0] - m.sum_over_rows(product[c0])) * conjugate_if<true>(m.tile[r0][c0]);
      const T solution = m.from_lane(own, p % grid.rows, p % grid.cols);
      if (m.row() == p % grid.rows) x[r0] = solution;
      const T factor = m.row() == p % grid.rows ? solution : T(0);
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = 0; c <= c0; ++c) {
        if (c < c0 || m.col() < p % grid.cols) {
          product[c] = product[c] + conjugate_if<true>(m.tile[r0][c]) * factor;
        }
      }
    }
  });
}

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

  /// Static rows whose sums stay in registers together.
  static constexpr int most_at_once = 6;

  /// Columns j to j + count - 1 (one register) of problem z.
  template <int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void columns(int z, int j, int count) const {
    constexpr std::ptrdiff_t n = A::static_rows;
    if constexpr (n > 0 && n <= most_at_once) {
      rows<static_cast<int>(n), W, Full>(z, 0, j, count);
    } else {
      constexpr int block = 4;
      int i = 0;
      for (; i + block <= b.rows(); i += block) rows<block, W, Full>(z, i, j, count);
      if constexpr (n > 0 && n % block != 0) {
        rows<static_cast<int>(n % block), W, Full>(z, i, j, count);
      } else {
        for (; i < b.rows(); ++i) rows<1, W, Full>(z, i, j, count);
      }
    }
  }

  // --- one worker, packs ---

  /// The largest tile, by how many sums there are registers.
  static constexpr int registers =
      KOKKOSCONTRACT_VECTOR_REGISTERS * KOKKOSCONTRACT_VECTOR_BYTES / static_cast<int>(sizeof(Acc));
  static constexpr int most_rows_of_tile = registers >= 16 ? 4 : (registers >= 8 ? 2 : 1);
  static constexpr int most_cols_of_tile = registers >= 32 ? 4 : (registers >= 16 ? 3 : 2);

  /// Rows i to i + R - 1 of columns j to j + C - 1, those above being solved.
  template <int R, int C>
  KOKKOS_FORCEINLINE_FUNCTION void tile(int z, int i, int j,
                                        const register_t<Acc, 1> (&reciprocal)[R]) const {
    register_t<Acc, 1> sum[R][C];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) sum[r][c] = get<1, true>(z, i + r, j + c, 1);
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
      for (int c = 0; c < C; ++c) x[c] = get<1, true>(z, p, j + c, 1);
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

  /// With alpha = 1.
  KOKKOS_FORCEINLINE_FUNCTION void unscaled_by_tiles() const {
    for (int z = 0; z < b.batch(); ++z) {
      cut_evenly<A::static_rows, most_rows_of_tile>(
          b.rows(), [&]<int R>(int i) KOKKOSCONTRACT_INLINE_LAMBDA { tiles_of_rows<R>(z, i); });
    }
  }

  /// B is scaled before. Not in the tiles, on condition that alpha is not 1: GCC 16 with AVX-512
  /// makes a mask of this condition that holds for the first of two lanes only.
  KOKKOS_FORCEINLINE_FUNCTION void by_tiles() const {
    scale(SerialLevel{});
    const Acc one(real_t<Acc>(1));
    LowerSolver{a, b, one}.unscaled_by_tiles();
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

  /// B = alpha B.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION void scale(const L& level) const {
    if (alpha == Acc(real_t<Acc>(1))) return;
    for_rows(level, 0, [&](int z, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      b(z, i, j) = convert<T>(alpha * convert<Acc>(b(z, i, j)));
    });
    level.barrier();
  }

  /// Rows of a step: as many as a worker likes to have in registers beside others' code.
  static constexpr int step = is_pack<T> || (A::static_rows > 0 && A::static_rows <= most_rows) ? 1
                              : A::static_rows == dynamic                                       ? 4
                                                                                                : 8;

  /// x are the solutions of rows p to p + count - 1, from which all above them is subtracted.
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
                 const int j = static_cast<int>(t % b.cols());
                 t /= b.cols();
                 const int p = static_cast<int>(t % steps) * step;
                 const int z = static_cast<int>(t / steps);
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

  template <class M>
  KOKKOS_FORCEINLINE_FUNCTION void load_lower(M& m, bool active, int z) const {
    m.for_tile([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (active && (UnitDiagonal ? i > j : i >= j)) x = element(z, i, j);
    });
  }

  /// Column j of problem z without reciprocals.
  KOKKOS_FORCEINLINE_FUNCTION void column_by_quotients(int z, int j) const {
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = 0; i < b.rows(); ++i) {
      Acc sum = alpha * convert<Acc>(b(z, i, j));
      KOKKOSCONTRACT_NO_UNROLL
      for (int p = 0; p < i; ++p) sum = sum - element(z, i, p) * convert<Acc>(b(z, p, j));
      b(z, i, j) = convert<T>(UnitDiagonal ? sum : sum / element(z, i, i));
    }
  }

  /// One column; false, with nothing done, where there are no groups of lanes.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool in_warps(const L& level) const {
    constexpr LaneGrid grid = dense_choice<DenseRoutine::solve, L, A, B, true>.grid;
    using M = WarpMatrix<level_machine_t<L>, Acc, A::static_rows, A::unit_rows, grid>;
    const auto solve_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
      const bool active = z >= 0;
      M m{group, {}};
      load_lower(m, active, z);
      Acc x[M::tile_rows]{};
      m.for_rows([&](int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
        if (active) x[r] = alpha * convert<Acc>(b(z, i, 0));
      });
      bool exact = true;
      if constexpr (!UnitDiagonal) invert_diagonal(m, exact);
      solve_tiles<Uplo::Lower, std::conditional_t<UnitDiagonal, Diag::Unit, Diag::NonUnit>>(m, x);
      if (!group.template all<M::lanes>(exact)) {
        if (active && group.lane == 0) column_by_quotients(z, 0);
        return;
      }
      m.for_rows([&](int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
        if (active) b(z, i, 0) = convert<T>(x[r]);
      });
    };
    return for_each_problem<M::lanes, B::is_interleaved>(level, b.batch(), solve_one);
  }

  /// Many columns: each lane has some of them. False as above.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool columns_in_warps(const L& level) const {
    constexpr LaneGrid grid = dense_choice<DenseRoutine::solve, L, A, B, false>.grid;
    using M = WarpMatrix<level_machine_t<L>, Acc, A::static_rows, A::unit_rows, grid>;
    const auto solve_block = [&](const auto& group, int z,
                                 LaneColumns<M>& columns) KOKKOSCONTRACT_INLINE_LAMBDA {
      M m{group, {}};
      load_lower(m, columns.end > 0, z);
      columns.for_elements([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        x = alpha * convert<Acc>(b(z, i, j));
      });
      bool exact = true;
      if constexpr (!UnitDiagonal) invert_diagonal(m, exact);
      columns.template solve<true, UnitDiagonal>(m);
      if (!group.template all<M::lanes>(exact)) {
        columns.for_columns([&](int j) KOKKOSCONTRACT_INLINE_LAMBDA { column_by_quotients(z, j); });
        return;
      }
      columns.for_elements([&](const Acc& x, int i, int j)
                               KOKKOSCONTRACT_INLINE_LAMBDA { b(z, i, j) = convert<T>(x); });
    };
    return for_each_block_of_columns<M, B::is_interleaved>(level, b.batch(), b.cols(), solve_block);
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
    if constexpr (!is_single_worker<L>() && way != DenseWay::thread) {
      if (static_cast<std::ptrdiff_t>(b.cols()) * b.batch() < level.size()) {
        by_rows(level);
        return;
      }
    }
    constexpr int lanes = std::is_same_v<T, Acc> && B::unit_cols ? host_lanes<T>() : 1;
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
  static constexpr Signature signature{"Trsv", 2};
  static constexpr bool takes_batch = true;
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return trsv<Triangle, TransA, Diagonal>(level, arguments...);
  }
};

template <class Where, class Triangle, class TransA, class Diagonal>
struct TrsmRoutine {
  static constexpr Signature signature{"Trsm", 2};
  static constexpr bool takes_batch = true;
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return trsm<Where, Triangle, TransA, Diagonal>(level, arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
