// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_BLOCKGETRF_HPP
#define KOKKOSCONTRACT_DENSE_BLOCKGETRF_HPP

// LU with partial pivoting by the warps of a team, of matrices too large for the registers of a few
// lanes. It is right-looking, in wide panels, and each of them in narrow panels (WarpPanel.hpp). A
// warp factors a narrow panel. Then all workers interchange rows in the other columns of the wide
// panel, solve for the rows of U there, and subtract the product. The columns outside of a wide
// panel are interchanged and updated once, after all of its columns. So there are three barriers
// for each narrow panel, and two for each wide one. If there are as many problems as warps, each
// warp has its own ones, and they are barriers of a warp.

#include <KokkosContract/dense/BlockLU.hpp>
#include <KokkosContract/dense/WarpPanel.hpp>
#include <KokkosContract/dense/WarpRows.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Columns of a narrow panel, if a lane has this number of its rows.
template <class Acc>
KOKKOS_FUNCTION constexpr int cols_of_warp_panel(int rows_of_lane) {
  const int cols = bytes_of_warp_panel / (rows_of_lane * static_cast<int>(sizeof(Acc)));
  return cols < most_cols_of_warp_panel ? cols : most_cols_of_warp_panel;
}

/// What B interchanges, or fewer, do together. Rows are counted from the first interchanged one.
template <int B>
struct RowMoves {
  int row[B];        ///< the row that interchange q swaps row q with
  int from[B];       ///< the row that moves to row q
  int displaced[B];  ///< the row that interchange q moves to row[q]

  /// row_of(q) returns row[q].
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION RowMoves(int count, const F& row_of) {
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < B; ++q) row[q] = q < count ? row_of(q) : q;
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < B; ++q) {
      from[q] = row[q];
      displaced[q] = q;
      KOKKOSCONTRACT_UNROLL
      for (int s = 0; s < q; ++s) {
        from[q] = row[s] == row[q] ? displaced[s] : from[q];
        displaced[q] = row[s] == q ? displaced[s] : displaced[q];
      }
    }
  }
};

template <class A, class P, class Acc>
struct BlockGetrf {
  const A& a;
  const P& pivots;

  using T = typename A::value_type;
  static constexpr int most_cols = most_cols_of_warp_panel;
  static_assert(cols_of_wide_panel % most_cols == 0);

  KOKKOS_FORCEINLINE_FUNCTION int steps() const {
    return a.rows() < a.cols() ? a.rows() : a.cols();
  }

  /// One warp factors columns p to p + count - 1 of problem z. Returns whether a pivot is zero.
  template <class Machine, int RowsOfLane>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_panel(int z, int p, int count) const {
    WarpPanel<Machine, Acc, RowsOfLane, cols_of_warp_panel<Acc>(RowsOfLane)> panel(a, z, p, count);
    const bool singular = panel.factor([&](int q, int row) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (Machine::lane_of_warp() == 0) pivots.put(z, p + q, p + row);
    });
    Machine::warp_barrier(whole_warp<Machine>);  // lanes store rows that others have loaded
    panel.store(a, z, p);
    return singular;
  }

  /// Runs interchanges number p to p + count - 1 of problem z in column j, and solves for these
  /// rows of U by the multipliers in them, if wanted.
  KOKKOS_FORCEINLINE_FUNCTION void take_column(int z, int p, int count, int j, bool solves) const {
    const RowMoves<most_cols> moves(
        count, [&](int q) KOKKOSCONTRACT_INLINE_LAMBDA { return pivots.get(z, p + q) - p; });
    // All elements are loaded before any is stored.
    Acc column[most_cols];
    T displaced[most_cols];
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < most_cols; ++q) {
      if (q >= count) continue;
      column[q] = convert<Acc>(a(z, p + moves.from[q], j));
      displaced[q] = a(z, p + moves.displaced[q], j);
    }
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < most_cols; ++q) {
      if (q < count && moves.row[q] >= count) a(z, p + moves.row[q], j) = displaced[q];
    }
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < most_cols; ++q) {
      if (q >= count) continue;
      a(z, p + q, j) = convert<T>(column[q]);
      if (!solves) continue;
      KOKKOSCONTRACT_UNROLL
      for (int r = q + 1; r < most_cols; ++r) {
        if (r < count) column[r] = column[r] - convert<Acc>(a(z, p + r, p + q)) * column[q];
      }
    }
  }

  /// Factors a narrow panel of problem z from column p on, within the wide panel of columns first
  /// to end - 1. Returns the column after it. `singular` is set if this warp found a zero pivot.
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION int factor_narrow(const Group& group, int z, int first, int p,
                                                int last, int end, bool& singular) const {
    using M = typename Group::Machine;
    const int count = with_rows_of_lane<A::static_rows, M::warp_size>(
        a.rows() - p, [&]<int RowsOfLane>() KOKKOSCONTRACT_INLINE_LAMBDA {
          constexpr int B = cols_of_warp_panel<Acc>(RowsOfLane);
          const int cols = last - p < B ? last - p : B;
          if (group.part == 0) singular = factor_panel<M, RowsOfLane>(z, p, cols) || singular;
          return cols;
        });
    const int next = p + count;
    group.barrier();
    const int before = p - first;
    const int behind = end - next;
    if (before + behind == 0) return next;
    for_each(group, before + behind, [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
      const auto at = static_cast<int>(t);
      const bool is_behind = at >= before;
      take_column(z, p, count, is_behind ? next + at - before : first + at, is_behind);
    });
    group.barrier();
    if (next < a.rows() && behind > 0) {
      subtract_in_group<terms_of_subtraction>(group, UpdateOfLU<A>{a}, z,
                                              Rest{p, next, next, next, end});
    }
    return next;
  }

  /// Runs the interchanges of a wide panel in the columns outside of it, solves for its rows of U
  /// behind it, and subtracts the product.
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION void finish_wide(const Group& group, int z, int first, int last,
                                               int end) const {
    const int outside = first + a.cols() - end;
    if (outside == 0) return;
    for_each(group, outside, [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
      const auto at = static_cast<int>(t);
      const int j = at < first ? at : end + at - first;
      KOKKOSCONTRACT_NO_UNROLL
      for (int p = first; p < last; p += most_cols) {
        take_column(z, p, last - p < most_cols ? last - p : most_cols, j, false);
      }
      if (j >= end) solve_for_column<most_cols>(a, z, first, last, j);
    });
    group.barrier();
    if (end < a.cols()) {
      subtract_in_group<terms_of_subtraction>(group, UpdateOfLU<A>{a}, z,
                                              Rest{first, last, last, end, a.cols()});
    }
  }

  /// Factors problem z by the warps of a group.
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION void factor_one(const Group& group, int z, bool& singular) const {
    const int wide =
        steps() <= most_cols_of_single_panel ? most_cols_of_single_panel : cols_of_wide_panel;
    KOKKOSCONTRACT_NO_UNROLL
    for (int first = 0; first < steps(); first += wide) {
      const int full = first + wide;
      const int last = full < steps() ? full : steps();
      // The last panel is followed by no columns whose update could be postponed.
      const int end = full < a.cols() && full < a.rows() ? full : a.cols();
      KOKKOSCONTRACT_NO_UNROLL
      for (int p = first; p < last;) p = factor_narrow(group, z, first, p, last, end, singular);
      finish_wide(group, z, first, last, end);
    }
  }

  /// Factors all problems. Returns false, and does nothing, if the workers are not whole warps, or
  /// the registers of a warp have no room. `singular` is set in the workers that found a zero
  /// pivot.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool factor(const L& level, bool& singular) const {
    if (a.rows() > most_rows_of_lane * level_machine_t<L>::warp_size) return false;
    return for_each_problem_of_warps(level, a.batch(), a.rows(),
                                     [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
                                       factor_one(group, z, singular);
                                     });
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
