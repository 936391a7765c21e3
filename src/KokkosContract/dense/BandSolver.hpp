// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_BANDSOLVER_HPP
#define KOKKOSCONTRACT_DENSE_BANDSOLVER_HPP

// Solves with triangles of a band. A worker takes whole columns of right-hand sides, a few
// registers of them at once, and goes down their rows. For bands up to most_band_in_registers, the
// last solutions, which the next row needs, stay in registers. Each element of a right-hand side is
// then loaded and stored once per sweep. With a workspace in fast memory between two sweeps,
// right-hand sides are loaded once and solutions are stored once in all. A band between two sizes
// of windows uses the larger one, and its products end at the band.

#include <KokkosContract/dense/Band.hpp>
#include <KokkosContract/dense/Interchange.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// How a substitution uses the diagonal.
enum class BandDiagonal {
  one,      ///< not at all
  divides,  ///< divides a row by it at the end
  scales    ///< divides the right-hand side by it first: the diagonal factor of L D L^H
};

/// Whether a width has its own window. On a GPU the end of a band within a larger window costs more
/// than additional code.
consteval bool is_window(int width) {
  return width <= 10 && (is_device_code() ? width != 7 && width != 9
                                          : width == 1 || width == 3 || width == 5 || width == 10);
}

/// Calls f.operator()<K>() with the least window K that holds a band of this width. If StaticWidth
/// is not 0, it is the width. K is 0 if no window holds the band.
template <int StaticWidth, int First = 1, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_window_of(int width, const F& f) {
  if constexpr (StaticWidth > 0) {
    f.template operator()<StaticWidth>();
  } else if constexpr (First > 10) {
    f.template operator()<0>();
  } else if constexpr (!is_window(First)) {
    for_window_of<0, First + 1>(width, f);
  } else {
    if (width > 0 && width <= First) {
      f.template operator()<First>();
    } else {
      for_window_of<0, First + 1>(width, f);
    }
  }
}
/// Whether a window holds bands of its own width only.
consteval bool is_exact_window(int width) { return width == 1 || is_window(width - 1); }

/// C registers of W columns from column j on. Without Full the only register holds `count` columns.
/// A sweep loads its right-hand sides from the matrix `from`, and stores its solutions in another
/// matrix, or in the same one (Moves = false).
template <class Acc, class From, class B, bool Moves, int W, int C, bool Full>
struct BandColumns {
  static_assert(Full || C == 1);
  static constexpr int registers = C;
  static constexpr int lanes = W;
  using Register = register_t<Acc, W>;
  From from;
  B b;
  int z, j, count;

  KOKKOS_FORCEINLINE_FUNCTION Register get(int i, int c) const {
    return load_columns<Acc, W, Full>(b, z, i, j + c * W, count);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int i, int c, const Register& x) const {
    store_columns<Acc, W, Full>(b, z, i, j + c * W, count, x);
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_right_hand_side(int i, Register (&x)[C]) const {
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < C; ++c) x[c] = load_columns<Acc, W, Full>(from, z, i, j + c * W, count);
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_row(int i, Register (&x)[C]) const {
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < C; ++c) x[c] = get(i, c);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_row(int i, const Register (&x)[C]) const {
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < C; ++c) put(i, c, x[c]);
  }
  /// Moves the right-hand sides in rows first to end - 1, for steps that work in place.
  KOKKOS_FORCEINLINE_FUNCTION void move_rows(int first, int end) const {
    if constexpr (Moves) {
      KOKKOSCONTRACT_NO_UNROLL
      for (int i = first; i < end; ++i) {
        Register x[C];
        load_right_hand_side(i, x);
        store_row(i, x);
      }
    }
  }
};

/// A lower triangle of a band: row i is solved with the `width` rows above it. IsReal: the diagonal
/// is that of a Hermitian matrix's factor. Diagonal(z, i) is diagonal element number i.
template <BandDiagonal Kind, bool Reversed, bool Conjugate, bool IsReal, class Rows, class Diagonal>
struct BandSubstitution {
  Rows rows;
  Diagonal diagonal;

  static constexpr bool is_reversed = Reversed;

  using AccA = accumulator_t<typename Rows::value_type>;

  KOKKOS_FORCEINLINE_FUNCTION auto divisor(int z, int i) const {
    if constexpr (Kind == BandDiagonal::one) {
      return 0;
    } else {
      const auto& stored = diagonal(z, i);
      const auto d = conjugate_if<Conjugate>(
          convert<accumulator_t<std::remove_cvref_t<decltype(stored)>>>(stored));
      if constexpr (IsReal) {
        const auto real = real_part(d);
        return BandDivisor<std::remove_cvref_t<decltype(real)>>(real);
      } else {
        return BandDivisor<std::remove_cvref_t<decltype(d)>>(d);
      }
    }
  }
  template <class Acc, int W>
  KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> factor(int z, int i, int distance) const {
    return splat<W>(convert<Acc>(conjugate_if<Conjugate>(convert<AccA>(rows(z, i, distance)))));
  }

  /// Replaces x, which is row i of the right-hand side, by that row of the solution. above(d, c) is
  /// row i - d of the solution. Whole: there are `width` rows above row i.
  template <int K, bool Whole, class Acc, int W, int C, class Above>
  KOKKOS_FORCEINLINE_FUNCTION void solve_row(int z, int i, int width, const auto& by,
                                             register_t<Acc, W> (&x)[C], const Above& above) const {
    if constexpr (Kind == BandDiagonal::scales) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) x[c] = by.template divide<Acc, W>(x[c]);
    }
    const auto subtract = [&](int d) KOKKOSCONTRACT_INLINE_LAMBDA {
      const auto l = factor<Acc, W>(z, i, d);
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) x[c] = x[c] - l * above(d, c);
    };
    // The row just above comes last, so that the other products do not wait for it.
    if constexpr (K > 0) {
      KOKKOSCONTRACT_UNROLL
      for (int d = K; d > 0; --d) {
        if ((Whole && is_exact_window(K)) || d <= width) subtract(d);
      }
    } else {
      KOKKOSCONTRACT_NO_UNROLL
      for (int d = width; d > 0; --d) subtract(d);
    }
    if constexpr (Kind == BandDiagonal::divides) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) x[c] = by.template divide<Acc, W>(x[c]);
    }
  }

  /// Solves row i, with the rows above in memory.
  template <class Acc, class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void row_in_memory(const Columns& columns, int i) const {
    constexpr int W = Columns::lanes, C = Columns::registers;
    register_t<Acc, W> x[C];
    columns.load_right_hand_side(i, x);
    solve_row<0, false, Acc, W, C>(
        columns.z, i, i < rows.width ? i : rows.width, divisor(columns.z, i), x,
        [&](int d, int c) KOKKOSCONTRACT_INLINE_LAMBDA { return columns.get(i - d, c); });
    columns.store_row(i, x);
  }

  /// Solves rows i to i + step - 1. x holds the K rows above them, and afterwards the rows above
  /// the next ones. Without Whole some rows above may be out of bounds. Together: right-hand sides
  /// are loaded first, and there are no branches between the rows. If the reciprocals are not
  /// usable for this, the rows are solved in memory or, if Long, not at all. In the latter case the
  /// function returns false.
  template <int K, int step, class Acc, bool Together, bool Long, bool Whole, int Size,
            class Columns>
  KOKKOS_FORCEINLINE_FUNCTION bool rows_in_window(
      const Columns& columns, int i,
      register_t<Acc, Columns::lanes> (&x)[Size][Columns::registers]) const {
    constexpr int W = Columns::lanes, C = Columns::registers;
    const auto solve_in_window = [&](int r, const auto& by) KOKKOSCONTRACT_INLINE_LAMBDA {
      solve_row<K, Whole, Acc, W, C>(
          columns.z, i + r, Whole || rows.width < i + r ? rows.width : i + r, by, x[K + r],
          [&](int d, int c) KOKKOSCONTRACT_INLINE_LAMBDA { return x[K + r - d][c]; });
    };
    if constexpr (Together) {
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < step; ++r) columns.load_right_hand_side(i + r, x[K + r]);
      if (multiply_together<step>(columns.z, i, solve_in_window)) {
        KOKKOSCONTRACT_UNROLL
        for (int r = 0; r < step; ++r) columns.store_row(i + r, x[K + r]);
      } else if constexpr (Long) {
        return false;
      } else {
        KOKKOSCONTRACT_NO_UNROLL
        for (int r = 0; r < step; ++r) row_in_memory<Acc>(columns, i + r);
        KOKKOSCONTRACT_UNROLL
        for (int r = step - K < 0 ? 0 : step - K; r < step; ++r) columns.load_row(i + r, x[K + r]);
      }
    } else {
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < step; ++r) {
        columns.load_right_hand_side(i + r, x[K + r]);
        solve_in_window(r, divisor(columns.z, i + r));
        columns.store_row(i + r, x[K + r]);
      }
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < K; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) x[r][c] = x[r + step][c];
    }
    return true;
  }

  /// Calls solve(r, by) for `step` rows from row i on. `by` has the reciprocals of their diagonal,
  /// which do not wait for each other. Returns false, and does nothing, if one of them is not
  /// usable.
  template <int step, class Solve>
  KOKKOS_FORCEINLINE_FUNCTION bool multiply_together(int z, int i, const Solve& solve) const {
    if constexpr (Kind == BandDiagonal::one) {
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < step; ++r) solve(r, 0);
    } else {
      decltype(divisor(z, i)) by[step];
      bool exist = true;
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < step; ++r) {
        by[r] = divisor(z, i + r);
        exist = exist & by[r].exists;
      }
      if (!exist) return false;
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < step; ++r) solve(r, BandReciprocal{by[r].reciprocal});
    }
    return true;
  }

  /// Solves all rows of some columns. Together: the right-hand sides of a step are loaded first.
  /// Long: a step has many rows.
  template <class Acc, bool Together, bool Long, class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void solve(const Columns& columns) const {
    const int n = columns.b.rows();
    for_window_of<Rows::static_width>(rows.width, [&]<int K>() KOKKOSCONTRACT_INLINE_LAMBDA {
      int i = 0;
      if constexpr (K > 0) {
        constexpr int step = band_rows_at_once(K, Long);
        if constexpr (Together && Long && K <= band_longest_window_at_edges) {
          constexpr int few = step < band_rows_at_edges ? step : band_rows_at_edges;
          register_t<Acc, Columns::lanes> x[K + step][Columns::registers];
          KOKKOSCONTRACT_NO_UNROLL
          while (i < n) {
            if (i >= K && n - i >= step &&
                rows_in_window<K, step, Acc, true, true, true>(columns, i, x)) {
              i += step;
            } else if (few < step && i >= K && n - i >= few &&
                       rows_in_window<K, few, Acc, true, true, true>(columns, i, x)) {
              i += few;
            } else {
              rows_in_window<K, 1, Acc, false, true, false>(columns, i, x);
              ++i;
            }
          }
        } else if (n >= K + step) {
          KOKKOSCONTRACT_NO_UNROLL
          for (; i < K; ++i) row_in_memory<Acc>(columns, i);
          register_t<Acc, Columns::lanes> x[K + step][Columns::registers];
          KOKKOSCONTRACT_UNROLL
          for (int r = 0; r < K; ++r) columns.load_row(r, x[r]);
          KOKKOSCONTRACT_NO_UNROLL
          for (; i + step <= n; i += step) {
            rows_in_window<K, step, Acc, Together, false, true>(columns, i, x);
          }
        }
      }
      KOKKOSCONTRACT_NO_UNROLL
      for (; i < n; ++i) row_in_memory<Acc>(columns, i);
    });
  }
};

/// The lower triangle of Gbtrf. Its multipliers follow the interchanges: those of column i (in rows
/// from i + 1 on) were not interchanged afterwards. Forward: interchange row i and eliminate with
/// it. Backward (op(A) is transposed): subtract the rows below from row i and interchange it.
template <bool Backward, bool Conjugate, class Multipliers, class P>
struct BandInterchanges {
  Multipliers lower;  ///< by column i and row i + distance
  P pivots;

  static constexpr bool is_reversed = false;
  using AccA = accumulator_t<typename Multipliers::value_type>;
  using AccP = typename P::accumulator_type;

  template <class Acc, int W>
  KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> factor(int z, int i, int distance) const {
    return splat<W>(convert<Acc>(conjugate_if<Conjugate>(convert<AccA>(lower(z, i, distance)))));
  }

  /// Swaps row(0) with the row that is interchanged with row i. row(d, c) is row i + d of the
  /// right-hand side, and there are `width` rows below row i.
  template <int K, bool Whole, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void interchange(int i, int width, const row_number_t<AccP>& with,
                                               int registers, const Row& row) const {
    const auto swap_with = [&](int d) KOKKOSCONTRACT_INLINE_LAMBDA {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < registers; ++c) {
        if constexpr (is_pack<AccP>) {
          auto x = row(0, c), y = row(d, c);
          swap_lanes<AccP>(with, row_number<AccP>(i + d), x, y);
          row.put(0, c, x);
          row.put(d, c, y);
        } else {
          const auto x = row(0, c);
          row.put(0, c, row(d, c));
          row.put(d, c, x);
        }
      }
    };
    if constexpr (is_pack<AccP>) {
      if (is_in_all_lanes<AccP>(with, i)) return;
    } else {
      if (with == i) return;
    }
    if constexpr (K > 0) {
      KOKKOSCONTRACT_UNROLL
      for (int d = 1; d <= K; ++d) {
        if constexpr (is_pack<AccP>) {
          if ((Whole && is_exact_window(K)) || d <= width) swap_with(d);
        } else {
          if (with == i + d) swap_with(d);
        }
      }
    } else if constexpr (is_pack<AccP>) {
      KOKKOSCONTRACT_NO_UNROLL
      for (int d = 1; d <= width; ++d) swap_with(d);
    } else {
      swap_with(with - i);
    }
  }

  /// Runs step i of the elimination, without the interchange.
  template <int K, bool Whole, class Acc, int W, int C, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void subtract(int z, int i, int width, const Row& row) const {
    const auto subtract_row = [&](int d) KOKKOSCONTRACT_INLINE_LAMBDA {
      const auto l = factor<Acc, W>(z, i, d);
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) {
        const int to = Backward ? 0 : d;
        row.put(to, c, row(to, c) - l * row(Backward ? d : 0, c));
      }
    };
    if constexpr (K > 0) {
      KOKKOSCONTRACT_UNROLL
      for (int k = 1; k <= K; ++k) {
        const int d = Backward ? K + 1 - k : k;
        if ((Whole && is_exact_window(K)) || d <= width) subtract_row(d);
      }
    } else {
      KOKKOSCONTRACT_NO_UNROLL
      for (int d = 1; d <= width; ++d) subtract_row(d);
    }
  }

  /// Runs step i. Whole: there are `width` rows below row i.
  template <int K, bool Whole, class Acc, int W, int C, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void eliminate(int z, int i, int width, const Row& row) const {
    const auto with = pivots.get(z, i);
    if constexpr (!Backward) interchange<K, Whole>(i, width, with, C, row);
    subtract<K, Whole, Acc, W, C>(z, i, width, row);
    if constexpr (Backward) interchange<K, Whole>(i, width, with, C, row);
  }

  /// Whether steps i to i + step - 1 interchange no rows.
  template <int step>
  KOKKOS_FORCEINLINE_FUNCTION bool stay(int z, int i) const {
    bool stay = true;
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < step; ++r) {
      if constexpr (is_pack<AccP>) {
        stay = stay & is_in_all_lanes<AccP>(pivots.get(z, i + r), i + r);
      } else {
        stay = stay & (pivots.get(z, i + r) == i + r);
      }
    }
    return stay;
  }

  template <class Columns>
  struct RowInMemory {
    const Columns& columns;
    int i;
    KOKKOS_FORCEINLINE_FUNCTION auto operator()(int d, int c) const {
      return columns.get(i + d, c);
    }
    KOKKOS_FORCEINLINE_FUNCTION void put(int d, int c, const typename Columns::Register& x) const {
      columns.put(i + d, c, x);
    }
  };
  template <class Register, int N, int C>
  struct RowInWindow {
    Register (&x)[N][C];
    int first;
    KOKKOS_FORCEINLINE_FUNCTION const Register& operator()(int d, int c) const {
      return x[first + d][c];
    }
    KOKKOS_FORCEINLINE_FUNCTION void put(int d, int c, const Register& value) const {
      x[first + d][c] = value;
    }
  };

  template <class Acc, class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void step_in_memory(const Columns& columns, int i) const {
    const int below = columns.b.rows() - 1 - i;
    eliminate<0, false, Acc, Columns::lanes, Columns::registers>(
        columns.z, i, below < lower.width ? below : lower.width, RowInMemory<Columns>{columns, i});
  }

  /// Runs steps with rows i to i + step + K - 1 in x. K of them are in x from the steps before.
  /// Without Whole some of these rows may be out of bounds.
  template <int K, int step, class Acc, bool Whole, int Size, class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void steps_in_window(
      const Columns& columns, int i,
      register_t<Acc, Columns::lanes> (&x)[Size][Columns::registers]) const {
    constexpr int W = Columns::lanes, C = Columns::registers;
    using Row = RowInWindow<register_t<Acc, W>, Size, C>;
    constexpr int loaded = Backward ? 0 : K, stored = Backward ? K : 0;
    constexpr int first = Backward ? Size - K - step : 0;  // first row in x
    const int n = columns.b.rows();
    const auto is_row = [&](int r) KOKKOSCONTRACT_INLINE_LAMBDA {
      return Whole || static_cast<unsigned>(i + r) < static_cast<unsigned>(n);
    };
    KOKKOSCONTRACT_UNROLL
    for (int r = loaded; r < loaded + step; ++r) {
      if (is_row(r)) columns.load_right_hand_side(i + r, x[first + r]);
    }
    if (Whole && stay<step>(columns.z, i)) {
      KOKKOSCONTRACT_UNROLL
      for (int k = 0; k < step; ++k) {
        const int r = Backward ? step - 1 - k : k;
        subtract<K, true, Acc, W, C>(columns.z, i + r, lower.width, Row{x, first + r});
      }
    } else {
      KOKKOSCONTRACT_UNROLL
      for (int k = 0; k < step; ++k) {
        const int r = Backward ? step - 1 - k : k;
        const int below = n - 1 - (i + r);
        const int width = Whole || lower.width < below ? lower.width : below;
        if (is_row(r)) eliminate<K, Whole, Acc, W, C>(columns.z, i + r, width, Row{x, first + r});
      }
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = stored; r < stored + step; ++r) {
      if (is_row(r)) columns.store_row(i + r, x[first + r]);
    }
    KOKKOSCONTRACT_UNROLL
    for (int k = 0; k < K; ++k) {
      const int r = Backward ? K - 1 - k : k;
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) {
        if constexpr (Backward) {
          x[first + r + step][c] = x[first + r][c];
        } else {
          x[r][c] = x[r + step][c];
        }
      }
    }
  }

  /// Sweeps over all rows with the next K rows in a window, at both edges of the matrix, too.
  template <int K, class Acc, class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void solve_with_edges_in_window(const Columns& columns) const {
    constexpr int step = band_rows_at_once(K, true);
    constexpr int few = step < band_rows_at_edges ? step : band_rows_at_edges;
    const int n = columns.b.rows();
    int done = 0;
    register_t<Acc, Columns::lanes> x[K + step][Columns::registers];
    if constexpr (!Backward) {
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < K; ++r) {
        if (r < n) columns.load_right_hand_side(r, x[r]);
      }
    }
    // Forward, all rows are stored when `done` is n. Backward, rows are stored K steps later.
    KOKKOSCONTRACT_NO_UNROLL
    while (done < (Backward ? n + K : n)) {
      if (done >= (Backward ? K : 0) && n - done >= (Backward ? step : step + K)) {
        steps_in_window<K, step, Acc, true>(columns, Backward ? n - done - step : done, x);
        done += step;
      } else if (few < step && done >= (Backward ? K : 0) &&
                 n - done >= (Backward ? few : few + K)) {
        steps_in_window<K, few, Acc, true>(columns, Backward ? n - done - few : done, x);
        done += few;
      } else {
        steps_in_window<K, 1, Acc, false>(columns, Backward ? n - done - 1 : done, x);
        ++done;
      }
    }
  }

  /// Sweeps over rows with the next K rows in a window, as far as the matrix has K rows after them.
  /// `done` counts the rows whose steps are done, and `moved` those that have been moved, in the
  /// order of the sweep.
  template <int K, int step, class Acc, class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void solve_in_window(const Columns& columns, int& done,
                                                   int& moved) const {
    const int n = columns.b.rows();
    register_t<Acc, Columns::lanes> x[K + step][Columns::registers];
    columns.move_rows(Backward ? n - K : 0, Backward ? n : K);
    if constexpr (Backward) {
      KOKKOSCONTRACT_NO_UNROLL
      for (; done < K; ++done) step_in_memory<Acc>(columns, n - 1 - done);
    }
    constexpr int held = Backward ? step : 0;
    const int first = Backward ? n - K : 0;
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < K; ++r) columns.load_row(first + r, x[held + r]);
    const int end = Backward ? n : n - K;
    KOKKOSCONTRACT_NO_UNROLL
    for (; done + step <= end; done += step) {
      steps_in_window<K, step, Acc, true>(columns, Backward ? n - done - step : done, x);
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < K; ++r) {
      columns.store_row((Backward ? n - done : done) + r, x[held + r]);
    }
    moved = Backward ? done : done + K;
  }

  template <class Acc, bool Together, bool Long, class Columns>
  KOKKOS_FORCEINLINE_FUNCTION void solve(const Columns& columns) const {
    const int n = columns.b.rows();
    if (lower.width == 0) return columns.move_rows(0, n);  // there is no row to interchange with
    for_window_of<Multipliers::static_width>(
        lower.width, [&]<int K>() KOKKOSCONTRACT_INLINE_LAMBDA {
          int done = 0;
          int moved = 0;
          if constexpr (K > 0) {
            if constexpr (Together && Long && K <= band_longest_window_at_edges) {
              solve_with_edges_in_window<K, Acc>(columns);
              return;
            }
            constexpr int step = band_rows_at_once(K, Long);
            if (n >= K + step) solve_in_window<K, step, Acc>(columns, done, moved);
          }
          columns.move_rows(Backward ? 0 : moved, Backward ? n - moved : n);
          KOKKOSCONTRACT_NO_UNROLL
          for (; done < n; ++done) step_in_memory<Acc>(columns, Backward ? n - 1 - done : done);
        });
  }
};

/// The substitution for op(A) x = b with the triangle in rows `top` to top + width of a band.
template <class Triangle, class TransA, BandDiagonal Kind, bool IsReal, class Band>
KOKKOS_FORCEINLINE_FUNCTION auto band_substitution(const Band& band, int top, int width) {
  constexpr bool is_reversed = std::is_same_v<Triangle, Uplo::Lower> == is_transposed<TransA>;
  const auto rows = band.template triangle<Triangle, TransA>(top, width);
  const auto diagonal = [rows](int z, int i)
                            KOKKOSCONTRACT_INLINE_LAMBDA -> const auto& { return rows(z, i, 0); };
  using Rows = std::remove_const_t<decltype(rows)>;
  using Diagonal = std::remove_const_t<decltype(diagonal)>;
  return BandSubstitution<Kind, is_reversed, is_conjugated<TransA>, IsReal, Rows, Diagonal>{
      rows, diagonal};
}

/// Stands for the absent workspace of a solve in place.
struct NoWorkspace {};

/// The right-hand sides of a solve, and the destination of the solutions of its first sweep, if it
/// has two: the right-hand sides themselves, or a workspace with the extents of b.
template <class System, class B, class Workspace>
struct BandOperands {
  static constexpr bool has_workspace = !std::is_same_v<Workspace, NoWorkspace>;
  using Between = typename std::conditional_t<
      has_workspace, BandSystem<System::matrix_rank, typename System::Factor, Workspace>, System>;
  static_assert(
      !has_workspace || (std::is_same_v<value_t<B>, typename Between::T> &&
                         System::OpB::rank == Between::OpB::rank),
      "KokkosContract: a workspace has the rank and the elements of the right-hand sides");
  using Acc = typename System::Acc;
  using Rhs = typename System::template Rhs<false>;
  static constexpr int lanes =
      column_lanes<Acc, Rhs>() == column_lanes<Acc, typename Between::template Rhs<false>>()
          ? column_lanes<Acc, Rhs>()
          : 1;

  typename System::OpB b;
  typename Between::OpB between;

  KOKKOS_FORCEINLINE_FUNCTION static BandOperands of(const B& b, const Workspace& w) {
    if constexpr (has_workspace) {
      return {as_operand(b), as_operand(w)};
    } else {
      return {as_operand(b), as_operand(b)};
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION bool fits(int n, int problems) const {
    bool fits = System::fits(b, n, problems);
    if constexpr (has_workspace) {
      const Rhs rhs{b};
      const typename Between::template Rhs<false> w{between};
      fits = fits && Between::fits(between, n, problems) && w.cols() == rhs.cols() &&
             w.batch() == rhs.batch();
    }
    return fits;
  }

  /// Runs one sweep for some columns. A GPU's worker loads several rows together. It loads more of
  /// them if workspaces in scratch memory leave few workers to hide the latency of memory.
  template <class From, class To, int W, int C, bool Full, bool OnGpu, class Sweep>
  KOKKOS_FORCEINLINE_FUNCTION static void sweep_columns(const typename From::OpB& from,
                                                        const typename To::OpB& to, int z, int j,
                                                        int count, const Sweep& sweep) {
    using FromRows = typename From::template Rhs<Sweep::is_reversed>;
    using ToRows = typename To::template Rhs<Sweep::is_reversed>;
    sweep.template solve<Acc, OnGpu, OnGpu && has_workspace>(
        BandColumns<Acc, FromRows, ToRows, has_workspace, W, C, Full>{{from}, {to}, z, j, count});
  }
  template <int W, int C, bool Full, bool OnGpu, class First, class... Second>
  KOKKOS_FORCEINLINE_FUNCTION void solve_columns(int z, int j, int count, const First& first,
                                                 const Second&... second) const {
    sweep_columns<System, Between, W, C, Full, OnGpu>(b, between, z, j, count, first);
    (sweep_columns<Between, System, W, C, Full, OnGpu>(between, b, z, j, count, second), ...);
  }

  /// Solves for all right-hand sides by one sweep, or two. The workers take columns, in which no
  /// worker waits for another.
  template <Level L, class... Sweeps>
  KOKKOS_FORCEINLINE_FUNCTION void solve(const L& level, const Sweeps&... sweeps) const {
    constexpr bool gpu = runs_on_gpu<L>();
    constexpr int W = gpu ? 1 : lanes;
    constexpr int C = gpu || Rhs::is_vector ? 1 : band_registers_of_columns;
    constexpr int part = W * C;
    const Rhs rhs{b};
    const int cols = rhs.cols();
    for_each_pair(level, rhs.batch(), (cols + part - 1) / part,
                  [&](int z, int number) KOKKOSCONTRACT_INLINE_LAMBDA {
                    int j = number * part;
                    if (part == 1 || cols - j >= part) {
                      solve_columns<W, C, true, gpu>(z, j, W, sweeps...);
                    } else if constexpr (part > 1) {
                      KOKKOSCONTRACT_NO_UNROLL
                      for (; j < cols; j += W) {
                        const int count = cols - j < W ? cols - j : W;
                        solve_columns<W, 1, W == 1, gpu>(z, j, count, sweeps...);
                      }
                    }
                  });
    level.barrier();
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
