// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_WARPSOLVE_HPP
#define KOKKOSCONTRACT_DENSE_WARPSOLVE_HPP

// A lower triangular system with one right-hand side, by one warp of a GPU. Lanes have the rows of
// the right-hand side in registers. They load a few columns of the matrix at a time, and eliminate
// with one of them after the other.

#include <KokkosContract/level/Together.hpp>
#include <KokkosContract/machine/Reciprocal.hpp>
#include <KokkosContract/machine/Tuned.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Row k * warp_size + lane is x[k] of a lane, later divided by its diagonal element.
template <class Machine, class Acc, int RowsOfLane, bool UnitDiagonal>
struct WarpSolve {
  static constexpr int cols = RowsOfLane > 4 ? 2 : (RowsOfLane > 2 ? 4 : 8);
  static constexpr int warp = Machine::warp_size;

  int n;
  Acc x[RowsOfLane];
  Acc reciprocal[RowsOfLane];

  KOKKOS_FORCEINLINE_FUNCTION static int row(int k) { return k * warp + Machine::lane_of_warp(); }

  /// right_hand_side(i) is element i, and element(i, j) one of the matrix.
  template <class F, class E>
  KOKKOS_FORCEINLINE_FUNCTION WarpSolve(int rows, const F& right_hand_side, const E& element)
      : n(rows) {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = 0; k < RowsOfLane; ++k) {
      x[k] = row(k) < n ? right_hand_side(row(k)) : Acc(0);
      reciprocal[k] = Acc(1);
      if constexpr (!UnitDiagonal) {
        if (row(k) < n) reciprocal[k] = element(row(k), row(k));
      }
    }
  }

  /// Inverts the diagonal. Returns whether all of its reciprocals are usable.
  KOKKOS_FORCEINLINE_FUNCTION bool invert_diagonal() {
    if constexpr (UnitDiagonal) return true;
    bool exist = true;
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = 0; k < RowsOfLane; ++k) reciprocal[k] = short_reciprocal(reciprocal[k], exist);
    return !Machine::any_of(whole_warp<Machine>, !exist);
  }

  template <class E>
  KOKKOS_FORCEINLINE_FUNCTION void solve(const E& element) {
    from_rows_of_lane<0>(element);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = 0; k < RowsOfLane; ++k) x[k] = x[k] * reciprocal[k];
  }

 private:
  using Columns = Acc[RowsOfLane][cols];

  /// Eliminates with the columns whose diagonal elements are in rows number K of the lanes, and
  /// with those after them.
  template <int K, class E>
  KOKKOS_FORCEINLINE_FUNCTION void from_rows_of_lane(const E& element) {
    const int end = n - K * warp < warp ? n - K * warp : warp;
    KOKKOSCONTRACT_NO_UNROLL
    for (int first = 0; first < end; first += cols) {
      Columns a;
      load<K>(a, first, element);
      eliminate<K>(a, first);
    }
    if constexpr (K + 1 < RowsOfLane) from_rows_of_lane<K + 1>(element);
  }

  /// Loads columns K * warp_size + first, ... below the diagonal.
  template <int K, class E>
  KOKKOS_FORCEINLINE_FUNCTION void load(Columns& a, int first, const E& element) const {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = K; k < RowsOfLane; ++k) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = 0; c < cols; ++c) {
        const int column = K * warp + first + c;
        const bool is_there = row(k) < n && row(k) > column;
        a[k][c] = is_there ? element(row(k), column) : Acc(0);
      }
    }
  }

  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION void eliminate(const Columns& a, int first) {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int c = 0; c < cols; ++c) {
      const Acc solution =
          told_by_lane<Machine>(whole_warp<Machine>, x[K] * reciprocal[K], first + c);
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int k = K; k < RowsOfLane; ++k) {
        if (k > K || row(k) > K * warp + first + c) x[k] = x[k] - a[k][c] * solution;
      }
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
