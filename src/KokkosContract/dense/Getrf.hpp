// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_GETRF_HPP
#define KOKKOSCONTRACT_DENSE_GETRF_HPP

// LU with partial pivoting, right-looking:
//
//   factor    one worker: panels of four columns, in which the search for the next pivot goes along
//             with the elimination; what is behind a panel is updated as in LU
//   PivotedColumns, PivotedRows
//             on a GPU, square matrices of up to 32 static rows: in the registers of a few lanes of
//             a warp, which have whole columns, whose rows are interchanged, or whole rows, which
//             stay where they are and only change their places
//   by_rows   several workers, and on a GPU: in step p one of them searches column p, then they
//             swap the rows, column by column, and eliminate, row by row; three barriers a step

#include <KokkosContract/dense/Interchange.hpp>
#include <KokkosContract/dense/LU.hpp>
#include <KokkosContract/lanes/InLanes.hpp>
#include <KokkosContract/lanes/Solve.hpp>
#include <KokkosContract/lanes/WarpRows.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The largest element of those offered, and its row; NaN only if there is nothing else.
template <class Acc>
struct Largest {
  row_number_t<Acc> row;
  size_of_t<Acc> size = all_lanes<Acc>(real_t<Acc>(-1));

  KOKKOS_FORCEINLINE_FUNCTION explicit Largest(int first) : row(row_number<Acc>(first)) {}

  KOKKOS_FORCEINLINE_FUNCTION void offer(const register_t<Acc, 1>& x, int i) {
    const size_of_t<Acc> other = size_of(x);
    if constexpr (is_pack<Acc>) {
      row = select<IsGreater>(other, size, row_number<Acc>(i), row);
    } else {
      row = other > size ? i : row;
    }
    size = select<IsGreater>(other, size, other, size);
  }
};

template <class A, class P, class Acc>
struct PivotedEliminator {
  const Eliminator<A, Acc>& lu;
  const P& pivots;

  using T = typename A::value_type;
  using Register = register_t<Acc, 1>;
  static constexpr int block = Eliminator<A, Acc>::block;
  static constexpr int most_unrolled = 16;
  /// Of packs, so many columns behind a panel are interchanged at once.
  static constexpr int columns_at_once = KOKKOSCONTRACT_VECTOR_REGISTERS / 16;
  /// Steps where both extents are static, else -1.
  static constexpr int static_steps = [] {
    constexpr auto shape = decltype(A::a)::shape;
    constexpr std::ptrdiff_t rows = shape.extent[A::row_dimension];
    constexpr std::ptrdiff_t cols = shape.extent[A::col_dimension];
    if (rows == dynamic || cols == dynamic) return -1;
    return static_cast<int>(rows < cols ? rows : cols);
  }();

  KOKKOS_FORCEINLINE_FUNCTION Register get(int z, int i, int j) const {
    return lu.template get<1, true>(z, i, j, 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int z, int i, int j, const Register& value) const {
    lu.template put<1, true>(z, i, j, 1, value);
  }

  /// The pivot of column p, in rows p and below.
  KOKKOS_FORCEINLINE_FUNCTION Largest<Acc> search(int z, int p) const {
    Largest<Acc> best(p);
    for (int i = p; i < lu.a.rows(); ++i) best.offer(get(z, i, p), i);
    return best;
  }

  // --- several workers ---

  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void by_rows(const L& level) const {
    const A& a = lu.a;
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = 0; p < lu.steps(); ++p) {
      for_each(level, a.batch(), [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
        const int z = static_cast<int>(t);
        pivots.put(z, p, search(z, p).row);
      });
      const int below = a.rows() - p - 1;
      if (below == 0) return;
      level.barrier();
      for_each(level, static_cast<std::ptrdiff_t>(a.batch()) * a.cols(),
               [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
                 const int z = static_cast<int>(t / a.cols());
                 const int j = static_cast<int>(t % a.cols());
                 const row_number_t<Acc> row[1] = {pivots.get(z, p)};
                 interchange<Acc, 1, 1>(a, z, p, row, j, j + 1);
               });
      level.barrier();
      for_each(level, static_cast<std::ptrdiff_t>(a.batch()) * below,
               [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
                 lu.template eliminate_row<W>(static_cast<int>(t / below),
                                              static_cast<int>(t % below) + p + 1, p, a.cols());
               });
      level.barrier();
    }
  }

  // --- one worker ---

  /// Column p, and columns to end - 1 of the rows below row p, without a reciprocal. Returns the
  /// next pivot.
  KOKKOSCONTRACT_SHARED_FUNCTION Largest<Acc> eliminate_by_quotients(int z, int p, int end) const {
    const Register pivot = get(z, p, p);
    const Register divisor = select<IsEqual>(size_of(pivot), all_lanes<Acc>(real_t<Acc>(0)),
                                             to_register(Acc(real_t<Acc>(1))), pivot);
    Largest<Acc> next(p + 1);
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = p + 1; i < lu.a.rows(); ++i) {
      const Register factor = get(z, i, p) / divisor;
      put(z, i, p, factor);
      KOKKOSCONTRACT_NO_UNROLL
      for (int j = p + 1; j < end; ++j) {
        const Register x = get(z, i, j) - factor * get(z, p, j);
        put(z, i, j, x);
        if (j == p + 1) next.offer(x, i);
      }
    }
    return next;
  }

  /// The same with the pivot's reciprocal, of step Q of a panel of B columns. False, with nothing
  /// done, where it has none.
  template <int B, int Q>
  KOKKOS_FORCEINLINE_FUNCTION bool eliminate(int z, int p, Largest<Acc>& next) const {
    if constexpr (!std::is_floating_point_v<scalar_t<Acc>>) {
      return false;
    } else {
      const Acc pivot = from_register<Acc>(get(z, p, p));
      if (!has_reciprocal(pivot)) return false;
      const Register reciprocal = to_register(Acc(real_t<Acc>(1)) / pivot);
      Register pivot_row[B];
      KOKKOSCONTRACT_UNROLL
      for (int c = Q + 1; c < B; ++c) pivot_row[c] = get(z, p, p - Q + c);
      for (int i = p + 1; i < lu.a.rows(); ++i) {
        const Register factor = get(z, i, p) * reciprocal;
        put(z, i, p, factor);
        KOKKOSCONTRACT_UNROLL
        for (int c = Q + 1; c < B; ++c) {
          const Register x = get(z, i, p - Q + c) - factor * pivot_row[c];
          put(z, i, p - Q + c, x);
          if (c == Q + 1) next.offer(x, i);
        }
      }
      return true;
    }
  }

  /// All steps without reciprocals. Returns the 1-based index of the first zero pivot, or 0.
  KOKKOS_FORCEINLINE_FUNCTION int factor_by_quotients(int z) const {
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = 0; p < lu.steps(); ++p) {
      const row_number_t<Acc> row[1] = {search(z, p).row};
      pivots.put(z, p, row[0]);
      interchange<Acc, 1, 1>(lu.a, z, p, row, 0, lu.a.cols());
      KOKKOSCONTRACT_NO_UNROLL
      for (int i = p + 1; i < lu.a.rows(); ++i) {
        lu.template eliminate_row<1>(z, i, p, lu.a.cols());
      }
    }
    return lu.first_zero_pivot(z, 0);
  }

  /// Steps p, p + 1, ... of a panel of B columns, of which p is number Q. Returns whether all
  /// pivots have reciprocals.
  template <int B, int Q>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_panel(int z, int p, const Largest<Acc>& best,
                                                row_number_t<Acc> (&rows)[B]) const {
    const int end = p - Q + B;
    rows[Q] = best.row;
    pivots.put(z, p, best.row);
    const row_number_t<Acc> row[1] = {best.row};
    interchange<Acc, 1, B>(lu.a, z, p, row, p - Q, end);
    Largest<Acc> next(p + 1);
    const bool invertible = eliminate<B, Q>(z, p, next);
    if (!invertible) next = eliminate_by_quotients(z, p, end);
    if constexpr (Q + 1 < B) {
      return factor_panel<B, Q + 1>(z, p + 1, next, rows) && invertible;
    } else {
      return invertible;
    }
  }

  /// Rows p to p + B - 1 behind a panel, by the multipliers in it.
  template <int B, int W>
  KOKKOS_FORCEINLINE_FUNCTION void solve_behind(int z, int p) const {
    if (p + B == lu.a.cols()) return;
    Acc square[B][B];
    KOKKOSCONTRACT_UNROLL
    for (int r = 1; r < B; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < r; ++c) square[r][c] = convert<Acc>(lu.a(z, p + r, p + c));
    }
    lu.template solve_columns<B, W>(z, p, square);
  }

  /// Rows i to i + R - 1 behind and below a panel.
  template <int R, int W>
  KOKKOS_FORCEINLINE_FUNCTION void update_behind(int z, int i, int p) const {
    Acc multiplier[R][block];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int q = 0; q < block; ++q) multiplier[r][q] = convert<Acc>(lu.a(z, i + r, p + q));
    }
    lu.template update_rows<R, W>(z, i, p, multiplier);
  }

  /// A panel, and what is behind it.
  template <int B, int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_columns(int z, int p) const {
    row_number_t<Acc> rows[B];
    const bool invertible = factor_panel<B, 0>(z, p, search(z, p), rows);
    interchange<Acc, B, columns_at_once>(lu.a, z, p, rows, 0, p);
    interchange<Acc, B, columns_at_once>(lu.a, z, p, rows, p + B, lu.a.cols());
    solve_behind<B, W>(z, p);
    if constexpr (B == block) {  // smaller panels have nothing behind or nothing below
      if (p + B == lu.a.cols()) return invertible;
      int i = p + B;
      int left = lu.a.rows() - i;
      for (; left >= 2; left -= 2, i += 2) update_behind<2, W>(z, i, p);
      if (left > 0) update_behind<1, W>(z, i, p);
    }
    return invertible;
  }

  /// Panels of a few static columns, from column First on.
  template <int W, int First>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_unrolled(int z) const {
    constexpr int left = static_steps - First;
    if constexpr (left <= 0) {
      return true;
    } else {
      constexpr int B = left < block ? left : block;
      const bool invertible = factor_columns<B, W>(z, First);
      return factor_unrolled<W, First + B>(z) && invertible;
    }
  }

  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_panels(int z) const {
    bool nonsingular = true;
    int p = 0;
    for (; p + block <= lu.steps(); p += block) {
      nonsingular = factor_columns<block, W>(z, p) && nonsingular;
    }
    const int left = lu.steps() - p;
    bool invertible = true;
    if (left == 3) invertible = factor_columns<3, W>(z, p);
    if (left == 2) invertible = factor_columns<2, W>(z, p);
    if (left == 1) invertible = factor_columns<1, W>(z, p);
    return nonsingular && invertible;
  }

  /// Returns whether no pivot can be zero, because each has a reciprocal.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor(int z) const {
    if constexpr (static_steps > 0 && static_steps <= most_unrolled) {
      return factor_unrolled<W, 0>(z);
    } else {
      return factor_panels<W>(z);
    }
  }

  /// In one function for all levels.
  template <int W>
  KOKKOSCONTRACT_SHARED_FUNCTION void factor_apart(int z) const {
    factor<W>(z);
  }

  /// Returns whether no pivot can be zero; where it returns false, one may be.
  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_all(const L& level) const {
    bool nonsingular = false;
    if (level.size() == 1) {
      nonsingular = true;
      for (int z = 0; z < lu.a.batch(); ++z) nonsingular = factor<W>(z) && nonsingular;
    } else if constexpr (!is_single_worker<L>()) {
      if (lu.a.batch() >= level.size()) {
        for_each(level, lu.a.batch(), [&](std::ptrdiff_t z) KOKKOSCONTRACT_INLINE_LAMBDA {
          factor_apart<W>(static_cast<int>(z));
        });
        level.barrier();
      } else {
        by_rows<W>(level);
      }
    }
    return nonsingular;
  }
};

/// Stands for a right-hand side, where a matrix is only factored.
struct NoRightHandSide {};

/// The pivot's reciprocal, or one where it is zero; then p + 1 becomes `zero`, unless that is set.
/// False in `exact` where the reciprocal does not serve.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T reciprocal_of_pivot(const T& pivot, int p, int& zero, bool& exact) {
  const bool is_zero_pivot = pivot == T(0);
  zero = is_zero_pivot & (zero == 0) ? p + 1 : zero;
  bool exists = true;
  const T reciprocal = short_reciprocal(pivot, exists);
  exact = exact & (exists | is_zero_pivot);  // without branches between the shuffles
  return choose(is_zero_pivot, T(1), reciprocal);
}

/// Of sizes with different ones the larger has the larger; negative where x is.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION int leading_bits(const R& x) {
  if constexpr (std::is_same_v<R, double>) {
    return static_cast<int>(Kokkos::bit_cast<std::int64_t>(x) >> 32);
  } else {
    return Kokkos::bit_cast<int>(x);
  }
}

/// A matrix in registers, whole columns to a lane, with its rows interchanged: a search needs no
/// shuffles, but a row whose number is known at run time only is a choice among all of them.
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

  /// The row of the pivot in column P, in all lanes.
  template <int P>
  KOKKOS_FORCEINLINE_FUNCTION int search() const {
    // Several searches that do not wait for each other, of which the first has the first rows.
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

  /// Swaps row p with a row below it; returns what is row p then.
  KOKKOS_FORCEINLINE_FUNCTION void swap(int p, int row, T (&pivot_row)[M::tile_cols]) {
    // Bit i: it is row i. Numbers would be compared by branches.
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

  /// As PivotedRows::factor.
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

  /// As PivotedRows::finish.
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

/// A matrix in registers, whole rows to a lane, that are not interchanged: a lane knows at which
/// place each of its rows is.
template <class M>
struct PivotedRows {
  using T = typename M::value_type;
  static_assert(M::grid.cols == 1 && M::n <= 32);
  static constexpr int lanes = M::lanes;
  static constexpr int n = M::n;

  M& m;
  int place[M::tile_rows];  ///< negative: behind the last row
  /// Number k * lanes + group.lane of the interchanges.
  int interchange[M::per_lane]{};
  /// The rows that are at places p, in all lanes: four numbers in a register.
  unsigned rows_at[(n + 3) / 4]{};
  /// Of the pivots of this lane's rows.
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
    T reciprocal;  ///< or one, where the pivot is zero
    bool is_zero;
    bool is_exact;  ///< the reciprocal serves
  };

  /// The pivot of column P, the first place of equal ones, in all lanes. Each lane has the largest
  /// of its own elements, and its reciprocal; their leading bits nearly always tell the largest of
  /// all. NaN is larger than numbers, and has no reciprocal.
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
    while (m.group.any_of_wave(others != 0)) {
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

  /// What the lane of row i has for it, in all lanes.
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

  /// Step P; what is behind the n columns goes along.
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
      // What is not finite spoils rows that are done, too; the column's own step finds it.
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

  /// Returns the 1-based index of the first zero pivot, or 0. False in `exact` where a pivot's
  /// reciprocal does not serve; then the result does not, either.
  KOKKOS_FORCEINLINE_FUNCTION int factor(bool& exact) {
    int zero = 0;
    for_each_step<n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      eliminate<decltype(step)::value>(zero, exact);
    });
    return zero;
  }

  /// With the upper triangle, in the column behind the matrix, which ends as the solution: its
  /// element p in the lane that has the row at place p.
  KOKKOS_FORCEINLINE_FUNCTION void solve() {
    for_each_step<n - 1>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int p = n - 1 - decltype(step)::value;  // the first row has nothing above
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

  /// Stores the factors where `stores`. Solves: with the column behind them, and put(x, i) takes
  /// element i of the solution.
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
/// side is one more column, and replaced by the solution where no pivot is zero. False, with
/// nothing done, where there are no such groups or no room; `singular`: a pivot is zero.
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
        WarpMatrix<level_machine_t<L>, Acc, N, A::unit_rows, choice.grid, N + (solves ? 1 : 0)>;
    using Pivoted = std::conditional_t<by_columns, PivotedColumns<M>, PivotedRows<M>>;
    const auto factor_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
      M m{group, {}};
      Pivoted pivoted(m);
      const bool active = z >= 0;
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

/// With a right-hand side: on a GPU, sets `solved` where it is replaced by the solution for each
/// problem whose pivots are not zero.
template <Level L, class A, class P, class Info = NoInfo, class Rhs = NoRightHandSide>
KOKKOS_FORCEINLINE_FUNCTION int getrf(const L& level, const A& a, const P& ipiv,
                                      const Info& info = {}, [[maybe_unused]] const Rhs& rhs = {},
                                      [[maybe_unused]] bool* solved = nullptr) {
  using Op = operand_t<A>;
  using T = value_t<A>;
  using Acc = accumulator_t<T>;
  static_assert(Op::rank == 2 || Op::rank == 3,
                "KokkosContract: Getrf: A must have rank 2, or 3 with a leading batch dimension");
  static_assert(!std::is_const_v<typename Op::value_type>,
                "KokkosContract: Getrf: A is an operand of const elements");
  static_assert(!std::is_const_v<typename operand_t<P>::value_type>,
                "KokkosContract: Getrf: ipiv is an operand of const elements");
  static_assert(!is_shared<A> && !is_shared<P>,
                "KokkosContract: Getrf: A is factored in place and cannot be shared");
  static_assert(!std::is_integral_v<scalar_t<T>>,
                "KokkosContract: Getrf needs a floating-point type");
  constexpr bool batch = Op::rank == 3;
  const Matrix<Op, batch> matrix{as_operand(a)};
  const Acc no_tiny(real_t<Acc>(0));
  const Eliminator<decltype(matrix), Acc> lu{matrix, no_tiny};
  const Pivots<operand_t<P>, batch, Acc> pivots{as_operand(ipiv)};
  if (!pivots.fits(matrix.batch(), lu.steps()) || !info_fits<Op, T>(info, matrix.batch())) {
    return extents_disagree;
  }

  const PivotedEliminator<decltype(matrix), decltype(pivots), Acc> eliminator{lu, pivots};
  constexpr int width = std::is_same_v<T, Acc> && decltype(matrix)::unit_cols ? host_lanes<T>() : 1;
  bool nonsingular = false;
  if constexpr (has_warps<L> && !is_pack<T>) {
    FirstInfo singular;
    if (factor_in_warps<Op>(level, eliminator, info, singular, rhs)) {
      if (solved != nullptr) *solved = true;
      return first_info(level, singular);
    }
    eliminator.template by_rows<1>(level);
  } else if constexpr (runs_on_gpu<L>()) {
    eliminator.template by_rows<1>(level);  // short for one worker, too
  } else {
    nonsingular = eliminator.template factor_all<width>(level);
  }
  if constexpr (std::is_same_v<Info, NoInfo>) {
    if (nonsingular) return 0;
  }
  return report<Op, T>(level, matrix.batch(), info, [&](int z, int l) KOKKOSCONTRACT_INLINE_LAMBDA {
    return lu.first_zero_pivot(z, l);
  });
}

struct GetrfRoutine {
  static constexpr Signature signature{"Getrf", 0};
  static constexpr bool takes_batch = true;
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return getrf(level, arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
