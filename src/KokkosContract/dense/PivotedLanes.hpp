// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_PIVOTEDLANES_HPP
#define KOKKOSCONTRACT_DENSE_PIVOTEDLANES_HPP

// LU with partial pivoting on a GPU, of square matrices of up to 32 static rows, in the registers
// of a few lanes of a warp. Either lanes have whole columns, whose rows are interchanged
// (PivotedColumns). Or lanes have whole rows, which stay in their lanes while only their indices
// change (PivotedRows).

#include <KokkosContract/dense/PivotedEliminator.hpp>
#include <KokkosContract/lanes/InLanes.hpp>
#include <KokkosContract/lanes/LaneRows.hpp>
#include <KokkosContract/lanes/Solve.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Stands for the absent right-hand side if a matrix is only factored.
struct NoRightHandSide {};

/// The pivot's reciprocal, or one if the pivot is zero. If it is zero, `zero` becomes p + 1, unless
/// it is set. `exact` becomes false if the reciprocal is not usable.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T reciprocal_of_pivot(const T& pivot, int p, int& zero, bool& exact) {
  const bool is_zero_pivot = pivot == T(0);
  zero = is_zero_pivot & (zero == 0) ? p + 1 : zero;
  bool exists = true;
  const T reciprocal = short_reciprocal(pivot, exists);
  exact = exact & (exists | is_zero_pivot);  // without branches between the shuffles
  return choose(is_zero_pivot, T(1), reciprocal);
}

/// A matrix in registers, with whole columns in a lane and its rows interchanged. A search needs no
/// shuffles, but access to a row whose number is known only at run time is a selection among all
/// rows.
template <class M>
struct PivotedColumns {
  using T = typename M::value_type;
  static_assert(M::grid.rows == 1);
  static constexpr int n = M::n;

  M& m;
  /// Number k * lanes + group.lane of the interchanges.
  int interchange[M::per_lane]{};

  KOKKOS_FORCEINLINE_FUNCTION explicit PivotedColumns(M& matrix) : m(matrix) {}

  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void load(const A& a, int z) {
    m.for_tile([&](T& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (z >= 0 && j < n) x = convert<T>(a(z, i, j));
    });
  }

  /// The row of the pivot in column P. All lanes get it.
  template <int P>
  KOKKOS_FORCEINLINE_FUNCTION int search() const {
    if constexpr (P + 1 == n) return P;
    // Several searches do not wait for each other. The first one has the first rows.
    constexpr int searches = 4;
    Largest<T> part[searches] = {Largest<T>(P), Largest<T>(P), Largest<T>(P), Largest<T>(P)};
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int i = P; i < n; ++i) {
      part[(i - P) * searches / (n - P)].offer(m.tile[i][P / M::grid.cols], i);
    }
    Largest<T> best = part[0];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int s = 1; s < searches; ++s) {
      const bool is_better = part[s].size > best.size;
      best.row = choose(is_better, part[s].row, best.row);
      best.size = choose(is_better, part[s].size, best.size);
    }
    return m.group.from(best.row, M::lane_at(0, P % M::grid.cols));
  }

  /// Swaps row p with a row below it. Returns the new row p.
  KOKKOS_FORCEINLINE_FUNCTION void swap(int p, int row, T (&pivot_row)[M::tile_cols]) {
    // Bit i means that it is row i. Comparisons of numbers would be branches.
    const unsigned chosen = 1U << row;
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int c = 0; c < M::tile_cols; ++c) {
      const T before = m.tile[p][c];
      T x = before;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = 0; i < n; ++i) {
        if (i > p) x = choose((chosen & (1U << i)) != 0, m.tile[i][c], x);
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = 0; i < n; ++i) {
        if (i > p) m.tile[i][c] = choose((chosen & (1U << i)) != 0, before, m.tile[i][c]);
      }
      m.tile[p][c] = x;
      pivot_row[c] = x;
    }
  }

  /// Factors like PivotedRows::factor.
  KOKKOS_FORCEINLINE_FUNCTION int factor(bool& exact) {
    int zero = 0;
    for_each_step<n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int p = decltype(step)::value;
      const int row = search<p>();
      if (m.group.lane == p % M::lanes) interchange[p / M::lanes] = row;
      T pivot_row[M::tile_cols];
      swap(p, row, pivot_row);
      const T pivot =
          m.group.from(pivot_row[p / M::grid.cols], M::lane_at(m.row(), p % M::grid.cols));
      const T reciprocal = reciprocal_of_pivot(pivot, p, zero, exact);
      eliminate_tiles(m, p, pivot_row, reciprocal);
    });
    return zero;
  }

  /// Finishes like PivotedRows::finish.
  template <bool Solves, class A, class Put>
  KOKKOS_FORCEINLINE_FUNCTION void finish(const A& a, int z, bool stores, const Put& put) {
    m.for_tile([&](const T& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (stores && j < n) a(z, i, j) = convert<typename A::value_type>(x);
    });
    if constexpr (Solves) {
      T x[M::tile_rows];
      bool unused = true;
      solve_last_column<n>(m, x, unused);
      m.for_rows([&](int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA { put(x[r], i); });
    }
  }
};

/// A matrix in registers, with whole rows in a lane that are not interchanged. A lane knows the
/// index of each of its rows in the interchanged matrix.
template <class M>
struct PivotedRows {
  using T = typename M::value_type;
  static_assert(M::grid.cols == 1 && M::n <= 32);
  static constexpr int lanes = M::lanes;
  static constexpr int n = M::n;

  M& m;
  int place[M::tile_rows];  ///< negative: after the last row
  /// Number k * lanes + group.lane of the interchanges.
  int interchange[M::per_lane]{};
  /// The rows that have moved to each index p, in all lanes: four row numbers in a register.
  unsigned rows_at[(n + 3) / 4]{};
  /// Reciprocals of the pivots of this lane's rows.
  T reciprocal[M::tile_rows]{};

  KOKKOS_FORCEINLINE_FUNCTION explicit PivotedRows(M& matrix) : m(matrix) {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < M::tile_rows; ++r) {
      const int i = r * lanes + m.group.lane;
      place[r] = M::has_row(i) ? i : -1;
    }
  }

  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void load(const A& a, int z) {
    load_rows<n>(m, a, z);
  }

  /// The pivot of a column.
  struct Pivot {
    int row;
    int place;
    T reciprocal;  ///< or one if the pivot is zero
    bool is_zero;
    bool is_exact;  ///< whether the reciprocal is usable
  };

  /// Finds the pivot of column P. Among equal elements it is the one with the lowest index. All
  /// lanes get it. Each lane has the largest of its own elements, and its reciprocal. The leading
  /// bits of these nearly always determine the largest of all. NaN is larger than numbers, and has
  /// no reciprocal.
  template <int P>
  KOKKOS_FORCEINLINE_FUNCTION Pivot search() const {
    using R = size_of_t<T>;
    T own = m.tile[0][P];
    R size = choose(place[0] >= P, size_of(own), R(-1));
    int code = place[0] * 32 + m.group.lane;
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 1; r < M::tile_rows; ++r) {
      const R other = choose(place[r] >= P, size_of(m.tile[r][P]), R(-1));
      const int other_code = place[r] * 32 + r * lanes + m.group.lane;
      const bool is_better = (other > size) | ((other == size) & (other_code < code));
      own = choose(is_better, m.tile[r][P], own);
      size = choose(is_better, other, size);
      code = choose(is_better, other_code, code);
    }
    const bool is_zero = own == T(0);
    bool exists = true;
    const T inverse = choose(is_zero, T(1), short_reciprocal(own, exists));

    const int leading = leading_bits(size);
    int most = leading;
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int apart = lanes / 2; apart > 0; apart /= 2) {
      const int other = m.group.from(most, m.group.lane ^ apart);
      most = other > most ? other : most;
    }
    const auto largest = m.group.template ballot<lanes>(leading == most);
    int lane = m.group.first_of(largest);
    auto others = largest & (largest - 1);
    while (m.group.any_of_warp(others != 0)) {
      const int other_lane = m.group.first_of(others);
      const R size_so_far = m.group.from(size, lane), other = m.group.from(size, other_lane);
      const int code_so_far = m.group.from(code, lane);
      const int other_code = m.group.from(code, other_lane);
      const bool is_better =
          (other > size_so_far) | ((other == size_so_far) & (other_code < code_so_far));
      lane = (others != 0) & is_better ? other_lane : lane;
      others &= others - 1;
    }
    const int flags = (is_zero ? 1 << 10 : 0) + (exists | is_zero ? 1 << 11 : 0);
    const int found = m.group.from(code + flags, lane);
    return {found & 31, (found >> 5) & 31, m.group.from(inverse, lane), (found >> 10 & 1) != 0,
            (found >> 11 & 1) != 0};
  }

  /// The value that the lane of row i has for this row. All lanes get it.
  KOKKOS_FORCEINLINE_FUNCTION T from_row(int i, const T (&of_row)[M::tile_rows]) const {
    T x = of_row[0];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 1; r < M::tile_rows; ++r) x = choose(i >= r * lanes, of_row[r], x);
    return m.group.from(x, i & (lanes - 1));
  }
  KOKKOS_FORCEINLINE_FUNCTION T get(int i, int c) const {
    T column[M::tile_rows];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < M::tile_rows; ++r) column[r] = m.tile[r][c];
    return from_row(i, column);
  }

  /// Runs step P. Columns after the n columns of the matrix are eliminated, too.
  template <int P>
  KOKKOS_FORCEINLINE_FUNCTION void eliminate(int& zero, bool& exact) {
    const auto [row, from, inverse, is_zero, is_exact] = search<P>();
    zero = is_zero & (zero == 0) ? P + 1 : zero;
    exact = exact & is_exact;
    if (m.group.lane == P % lanes) interchange[P / lanes] = from;
    rows_at[P / 4] |= static_cast<unsigned>(row) << (P % 4 * 8);
    T multiplier[M::tile_rows];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < M::tile_rows; ++r) {
      const bool is_pivot = r * lanes + m.group.lane == row;
      place[r] = place[r] == P ? from : place[r];
      place[r] = is_pivot ? P : place[r];
      reciprocal[r] = choose(is_pivot, inverse, reciprocal[r]);
      const T quotient = m.tile[r][P] * inverse;
      m.tile[r][P] = choose(place[r] > P, quotient, m.tile[r][P]);
      // An element that is not finite also spoils finished rows; the column's own step detects it.
      multiplier[r] = choose(place[r] > P, quotient, T(0));
    }
    for_each_step<M::cols - P - 1>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int c = P + 1 + decltype(step)::value;
      const T x = get(row, c);
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = 0; r < M::tile_rows; ++r) {
        m.tile[r][c] = m.tile[r][c] - multiplier[r] * x;
      }
    });
  }

  /// Factors the matrix. Returns the 1-based index of the first zero pivot, or 0. `exact` becomes
  /// false if a pivot's reciprocal is not usable; then the result is not usable, either.
  KOKKOS_FORCEINLINE_FUNCTION int factor(bool& exact) {
    int zero = 0;
    for_each_step<n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      eliminate<decltype(step)::value>(zero, exact);
    });
    return zero;
  }

  /// Solves with the upper triangle, in the column after the matrix, which ends as the solution.
  /// Element p of the solution is in the lane that has the row with index p.
  KOKKOS_FORCEINLINE_FUNCTION void solve() {
    for_each_step<n - 1>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int p = n - 1 - decltype(step)::value;  // the first row has no rows above it
      T solution[M::tile_rows];
      T factor[M::tile_rows];
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = 0; r < M::tile_rows; ++r) {
        solution[r] = m.tile[r][n] * reciprocal[r];
        factor[r] = choose(place[r] < p, m.tile[r][p], T(0));
      }
      const auto row = static_cast<int>(rows_at[p / 4] >> (p % 4 * 8) & 31U);
      const T x = from_row(row, solution);
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = 0; r < M::tile_rows; ++r) m.tile[r][n] = m.tile[r][n] - factor[r] * x;
    });
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < M::tile_rows; ++r) m.tile[r][n] = m.tile[r][n] * reciprocal[r];
  }

  /// Stores the factors if `stores` holds. Solves: also solves for the column after them, and
  /// put(x, i) takes element i of the solution.
  template <bool Solves, class A, class Put>
  KOKKOS_FORCEINLINE_FUNCTION void finish(const A& a, int z, bool stores, const Put& put) {
    if constexpr (Solves) {
      solve();
      m.for_rows([&](int r, int) KOKKOSCONTRACT_INLINE_LAMBDA { put(m.tile[r][n], place[r]); });
    }
    store_rows<n>(m, a, z, stores, place);
  }
};

/// Factors all problems in the registers of groups of lanes and stores their infos. A right-hand
/// side is one more column, which is replaced by the solution if no pivot is zero. Returns false,
/// and does nothing, if there are no such groups or there is no room. `singular`: a pivot is zero.
template <class Op, Level L, class A, class P, class Acc, class Info, class Rhs = NoRightHandSide>
KOKKOS_FORCEINLINE_FUNCTION bool factor_in_warps(const L& level,
                                                 const PivotedEliminator<A, P, Acc>& eliminator,
                                                 const Info& info, FirstInfo& singular,
                                                 [[maybe_unused]] const Rhs& rhs = {}) {
  using T = typename A::value_type;
  const A& a = eliminator.lu.a;
  if (a.rows() != a.cols()) return false;
  constexpr bool solves = !std::is_same_v<Rhs, NoRightHandSide>;
  constexpr DenseRoutine routine = solves ? DenseRoutine::gesv : DenseRoutine::getrf;
  constexpr DenseChoice choice = dense_choice<routine, L, A, A, solves>;
  if constexpr (choice.way != DenseWay::lanes) {
    return false;
  } else {
    constexpr int N = A::static_rows;
    constexpr bool by_columns = choice.grid.rows == 1;
    using M =
        LaneMatrix<level_machine_t<L>, Acc, N, A::unit_rows, choice.grid, N + (solves ? 1 : 0)>;
    using Pivoted = std::conditional_t<by_columns, PivotedColumns<M>, PivotedRows<M>>;
    const auto factor_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
      M m{group, {}};
      Pivoted pivoted(m);
      [[maybe_unused]] const bool active = z >= 0;
      pivoted.load(a, z);
      if constexpr (solves) {
        m.for_tile([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
          if (active && j == N) x = convert<Acc>(rhs.b(z, i, 0));
        });
      }
      int zero = 0;
      return compute_in_lanes<Exact::in_each_lane>(
          m, z,
          [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA { return zero = pivoted.factor(exact); },
          [&](bool stores) KOKKOSCONTRACT_INLINE_LAMBDA {
            if (stores) {
              KOKKOSCONTRACT_UNROLL_IN_LANES
              for (int k = 0; k < M::per_lane; ++k) {
                const int p = k * M::lanes + group.lane;
                if (p < N) eliminator.pivots.put(z, p, pivoted.interchange[k]);
              }
            }
            pivoted.template finish<solves>(a, z, stores,
                                            [&](const Acc& x, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
                                              if constexpr (solves) {
                                                if (stores && zero == 0)
                                                  rhs.b(z, i, 0) = convert<typename Rhs::T>(x);
                                              }
                                            });
          },
          [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
            const int found = eliminator.factor_by_quotients(z);
            if constexpr (solves) {
              if (found == 0) rhs.solve_by_quotients(z);
            }
            return found;
          });
    };
    return factor_each_problem<M::lanes, A::is_interleaved, Op, T>(level, a.batch(), info, singular,
                                                                   factor_one);
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
