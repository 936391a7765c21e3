// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_PIVOTEDELIMINATOR_HPP
#define KOKKOSCONTRACT_DENSE_PIVOTEDELIMINATOR_HPP

// LU with partial pivoting in memory, right-looking:
//
//   factor    one worker: panels of four columns, in which the elimination also searches for the
//             next pivot; columns after a panel are updated as in LU. On a host, a matrix that may
//             be large has wider panels (HalvedLU.hpp), which are copied (PivotedPanel.hpp)
//   by_rows   several workers, and on a GPU: in step p one of them searches column p. Then they
//             swap the rows, column by column, and eliminate, row by row. A step has three barriers

#include <KokkosContract/dense/Interchange.hpp>
#include <KokkosContract/dense/LU.hpp>
#include <KokkosContract/dense/PivotedPanel.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class P, class Acc>
struct PivotedPanels;

template <class A, class P, class Acc>
struct PivotedEliminator {
  const Eliminator<A, Acc>& lu;
  const P& pivots;

  using T = typename A::value_type;
  using Register = register_t<Acc, 1>;
  static constexpr int block = Eliminator<A, Acc>::block;
  /// The number of columns after a panel that are interchanged at once, for packs.
  static constexpr int columns_at_once = KOKKOSCONTRACT_VECTOR_REGISTERS / 16;
  /// The number of steps if both extents are static, and -1 otherwise.
  static constexpr int static_steps = [] {
    constexpr auto shape = decltype(A::a)::shape;
    constexpr std::ptrdiff_t rows = shape.extent[A::row_dimension];
    constexpr std::ptrdiff_t cols = shape.extent[A::col_dimension];
    if (rows == dynamic || cols == dynamic) return -1;
    return static_cast<int>(rows < cols ? rows : cols);
  }();

  KOKKOS_FORCEINLINE_FUNCTION Register get(int z, int i, int j) const {
    return load_columns<Acc, 1, true>(lu.a, z, i, j, 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int z, int i, int j, const Register& value) const {
    store_columns<Acc, 1, true>(lu.a, z, i, j, 1, value);
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
      for_each_pair(level, a.batch(), a.cols(), [&](int z, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        const row_number_t<Acc> row[1] = {pivots.get(z, p)};
        interchange<Acc, 1, 1>(a, z, p, row, j, j + 1);
      });
      level.barrier();
      for_each_pair(level, a.batch(), below, [&](int z, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
        lu.template eliminate_row<W>(z, i + p + 1, p, a.cols());
      });
      level.barrier();
    }
  }

  // --- one worker ---

  /// Eliminates with column p, in columns to end - 1 of the rows below row p, without a reciprocal.
  /// Returns the next pivot.
  KOKKOSCONTRACT_SHARED_FUNCTION Largest<Acc> eliminate_by_quotients(int z, int p, int end) const {
    const Register pivot = get(z, p, p);
    const Register divisor = select<IsEqual>(size_of(pivot), all_lanes<Acc>(real_t<Acc>(0)),
                                             to_register(Acc(real_t<Acc>(1))), pivot);
    Largest<Acc> next(p + 1);
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = p + 1; i < lu.a.rows(); ++i) {
      const Register factor = quotient(get(z, i, p), divisor);
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

  /// Eliminates with the pivot's reciprocal, in step Q of a panel of B columns. Returns false, and
  /// does nothing, if the pivot has no reciprocal.
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

  /// Runs all steps without reciprocals. Returns the 1-based index of the first zero pivot, or 0.
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

  /// Runs steps p, p + 1, ... of a panel of B columns. Step p is number Q of the panel. Returns
  /// whether all pivots have reciprocals.
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

  /// Solves for rows p to p + B - 1 after a panel, by the multipliers in it.
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

  /// Updates rows i to i + R - 1 after and below a panel.
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

  /// Factors a panel, and updates the columns after it.
  template <int B, int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_columns(int z, int p) const {
    row_number_t<Acc> rows[B];
    const bool invertible = factor_panel<B, 0>(z, p, search(z, p), rows);
    interchange<Acc, B, columns_at_once>(lu.a, z, p, rows, 0, p);
    interchange<Acc, B, columns_at_once>(lu.a, z, p, rows, p + B, lu.a.cols());
    solve_behind<B, W>(z, p);
    if constexpr (B == block) {  // smaller panels have no columns after them or no rows below them
      if (p + B == lu.a.cols()) return invertible;
      int i = p + B;
      int left = lu.a.rows() - i;
      for (; left >= 2; left -= 2, i += 2) update_behind<2, W>(z, i, p);
      if (left > 0) update_behind<1, W>(z, i, p);
    }
    return invertible;
  }

  /// Factors panels of a few static columns, from column First on.
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

  /// Factors problem z. Returns whether no pivot can be zero, because each has a reciprocal.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor(int z) const {
    if constexpr (static_steps > 0 && static_steps <= most_unrolled_rows) {
      return factor_unrolled<W, 0>(z);
    } else {
      if constexpr (is_halved<DenseRoutine::getrf, A, Acc>) {
        const PivotedPanels<P, Acc> panels{pivots, z};
        if (is_large_for_halves(lu.a, panels)) return factor_halved(lu.a, z, panels);
      }
      return factor_panels<W>(z);
    }
  }

  /// Factors problem z, in one function for all levels.
  template <int W>
  KOKKOSCONTRACT_SHARED_FUNCTION void factor_apart(int z) const {
    factor<W>(z);
  }

  /// Factors all problems. Returns whether no pivot can be zero; if it returns false, one may be.
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

/// The panels of LU with pivots, of problem z, for factor_by_halves.
template <class P, class Acc>
struct PivotedPanels {
  static constexpr HalvedSizes sizes = pivoted_halves;
  const P& pivots;
  int z;

  template <class A>
  static constexpr bool suits(const A& a) {
    return CopiedPanel<Acc>::has_room(a.rows(), sizes.cols_of_panel);
  }

  template <class A>
  KOKKOSCONTRACT_SHARED_FUNCTION bool factor_panel(const A& a, int first, int last) const {
    const A panel = part_matrix(a, 0, first, a.rows(), first, last);
    const PivotedPanel<Acc> copy(panel.rows(), panel.cols());
    copy.template copy<false>(panel);
    const bool nonsingular = copy.factor([&](int p, int row) KOKKOSCONTRACT_INLINE_LAMBDA {
      pivots.put(z, first + p, first + row);
    });
    copy.template copy<true>(panel);
    return nonsingular;
  }

  template <class A>
  KOKKOSCONTRACT_SHARED_FUNCTION void interchange(const A& a, int first, int last, int col,
                                                  int end) const {
    const int width = A::unit_rows ? 1 : end - col;
    KOKKOSCONTRACT_NO_UNROLL
    for (int j = col; j < end; j += width) {
      KOKKOSCONTRACT_NO_UNROLL
      for (int p = first; p < last; ++p) {
        const int row = pivots.get(z, p);
        if (row != p) swap_rows(a, 0, p, row, j, j + width);
      }
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
