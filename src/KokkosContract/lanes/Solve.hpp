// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LANES_SOLVE_HPP
#define KOKKOSCONTRACT_LANES_SOLVE_HPP

// Triangular systems whose matrix is in the registers of a group of lanes. A system has one
// right-hand side, whose elements are in the lanes of the matrix's rows. Alternatively it has whole
// columns, distributed over the lanes (LaneColumns).

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/lanes/LaneMatrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Inverts the diagonal elements. `exact` becomes false if a reciprocal of a problem is not usable.
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

/// Whether a solve adds the lanes' partial sums of a row for the rows of all lanes at once. It then
/// distributes the values that these rows need of each other. The choice depends on the number of
/// shuffles.
consteval bool adds_by_blocks(const LaneGrid& grid) {
  int stages = 0;
  while ((1 << stages) < grid.cols) ++stages;
  return stages + 2 * grid.rows < grid.rows * (stages + 1);
}

/// Solves a triangular system A x = b. x[r] starts as an element of b in the lanes of one column of
/// the grid, and as zero in the others. It ends as the solution in all of them. The diagonal of A
/// is inverted, unless it counts as ones.
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
    // As with the sums, only one lane's share of the solution is not zero.
    if (m.row() == p % grid.rows) x[r0] = solution;
  }
}

/// Solves a system with the upper triangle in the first Order rows and columns, and the next column
/// as right-hand side. x[r] is the solution in all lanes of a row. The matrix has whole columns or
/// rows in a lane, and is unchanged. `exact` becomes false if the reciprocal of a diagonal element
/// is not usable.
template <int Order, class M>
KOKKOS_FORCEINLINE_FUNCTION void solve_last_column(const M& m,
                                                   typename M::value_type (&x)[M::tile_rows],
                                                   bool& exact) {
  using T = typename M::value_type;
  constexpr LaneGrid grid = M::grid;
  static_assert(grid.rows == 1 || grid.cols == 1);
  constexpr int shares = (Order + M::lanes - 1) / M::lanes;
  // Reciprocals of the diagonal elements k * lanes + lane.
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

/// Solves a system with the adjoint of the lower triangle of A, whose diagonal is inverted. x[r]
/// has the form that solve_tiles leaves, before and after.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION void solve_tiles_adjoint(M& m,
                                                     typename M::value_type (&x)[M::tile_rows]) {
  using T = typename M::value_type;
  constexpr LaneGrid grid = M::grid;
  constexpr bool by_rows = M::grid.cols == 1;
  // For each of this lane's columns, the products with its solved rows. Whole rows in a lane need
  // none, because they can be read directly.
  T product[by_rows ? 1 : M::tile_cols]{};
  for_each_step<M::n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
    constexpr int p = M::n - 1 - step.value;
    constexpr int r0 = p / M::grid.rows;
    [[maybe_unused]] constexpr int c0 = p / M::grid.cols;
    if constexpr (M::grid.cols == 1) {
      // Elements above the diagonal may have any value.
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

/// Whole columns in the registers of the lanes that have an M. Column number k of a lane is column
/// first + k * M::lanes, if this is less than `end`.
template <class M>
struct LaneColumns {
  using value_type = typename M::value_type;
  static constexpr int each = (M::n + M::lanes - 1) / M::lanes;
  static constexpr int in_group = M::lanes * each;

  int first;
  int end;
  value_type x[M::n][each]{};

  /// Calls f(element, i, j) for this lane's elements.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_elements(const F& f) {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int i = 0; i < M::n; ++i) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int k = 0; k < each; ++k) {
        const int j = first + k * M::lanes;
        if (j < end) f(x[i][k], i, j);
      }
    }
  }
  /// Calls f(j) for this lane's columns.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_columns(const F& f) const {
    for (int j = first; j < end && j < first + in_group; j += M::lanes) f(j);
  }
  /// Solves a triangular system with the matrix m. Its diagonal is one, or inverted. FromIdentity:
  /// the columns are those of a lower triangle, so their first rows are zero.
  template <bool Lower, bool UnitDiagonal, bool FromIdentity = false>
  KOKKOS_FORCEINLINE_FUNCTION void solve(const M& m) {
    for_each_step<M::n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int p = Lower ? step.value : M::n - 1 - step.value;
      constexpr int first_row = Lower ? p + 1 : 0;
      constexpr int end_row = Lower ? M::n : p;
      constexpr int columns = FromIdentity && p / M::lanes + 1 < each ? p / M::lanes + 1 : each;
      if constexpr (!UnitDiagonal) {
        const value_type reciprocal = m.get(p, p);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int k = 0; k < columns; ++k) x[p][k] = x[p][k] * reciprocal;
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = first_row; i < end_row; ++i) {
        const value_type factor = m.get(i, p);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int k = 0; k < columns; ++k) x[i][k] = x[i][k] - factor * x[p][k];
      }
    });
  }
  /// Solves a system with the adjoint of the lower triangle of m, whose diagonal is inverted.
  KOKKOS_FORCEINLINE_FUNCTION void solve_adjoint(const M& m) {
    for_each_step<M::n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int p = M::n - 1 - step.value;
      const value_type reciprocal = conjugate_if<true>(m.get(p, p));
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int k = 0; k < each; ++k) x[p][k] = x[p][k] * reciprocal;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = 0; i < p; ++i) {
        const value_type factor = conjugate_if<true>(m.get(p, i));
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int k = 0; k < each; ++k) x[i][k] = x[i][k] - factor * x[p][k];
      }
    });
  }
  /// Multiplies by the lower triangle of m.
  template <bool UnitDiagonal>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_by_lower(const M& m) {
    for_each_step<M::n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int i = M::n - 1 - step.value;
      if constexpr (!UnitDiagonal) {
        const value_type factor = m.get(i, i);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int k = 0; k < each; ++k) x[i][k] = x[i][k] * factor;
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int p = 0; p < i; ++p) {
        const value_type factor = m.get(i, p);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int k = 0; k < each; ++k) x[i][k] = x[i][k] + factor * x[p][k];
      }
    });
  }
};

/// Calls f(group, z, columns) for blocks of the columns of all problems, as in for_each_problem. If
/// there is no problem, z is 0 and there are no columns.
template <class M, bool Interleaved, Level L, class F>
KOKKOS_FORCEINLINE_FUNCTION bool for_each_block_of_columns(const L& level, int problems, int cols,
                                                           const F& f) {
  using Columns = LaneColumns<M>;
  const int blocks = (cols + Columns::in_group - 1) / Columns::in_group;
  if (static_cast<std::ptrdiff_t>(problems) * blocks > most_extent) return false;
  return for_each_problem<M::lanes, Interleaved>(
      level, problems * blocks, [&](const auto& group, int t) KOKKOSCONTRACT_INLINE_LAMBDA {
        const bool active = t >= 0;
        const int block = active ? t % blocks : 0;
        Columns columns{block * Columns::in_group + group.lane, active ? cols : 0};
        f(group, active ? t / blocks : 0, columns);
      });
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
