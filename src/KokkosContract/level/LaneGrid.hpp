// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LEVEL_LANEGRID_HPP
#define KOKKOSCONTRACT_LEVEL_LANEGRID_HPP

#include <KokkosContract/core/Config.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Rows x columns of the grid of lanes for matrices of N rows, by measurement: few lanes
/// need few shuffles and instructions for a problem; more of them, fewer registers.
struct LaneGrid {
  int rows;
  int cols;

  KOKKOS_FUNCTION constexpr int size() const { return rows * cols; }
};
consteval LaneGrid contiguous_grid(int n) {
  if (n <= 4) return {1, 2};
  if (n <= 8) return {2, 2};
  if (n <= 16) return {2, 4};
  if (n <= 24) return {4, 4};
  return {4, 8};
}
/// The same where neighbours in memory are of neighbouring problems: the fewer lanes a problem has,
/// the more neighbours a warp reads at once, and the fewer cache lines an instruction touches.
consteval LaneGrid interleaved_grid(int n) {
  if (n <= 4) return {1, 1};
  if (n <= 8) return {1, 2};
  if (n <= 14) return {2, 2};
  return contiguous_grid(n);
}
template <int N>
KOKKOS_FUNCTION constexpr LaneGrid lane_grid(bool unit_rows, bool interleaved = false) {
  const LaneGrid grid = interleaved ? interleaved_grid(N) : contiguous_grid(N);
  return unit_rows ? LaneGrid{grid.cols, grid.rows} : grid;
}

/// Lanes of a warp that store the sums of a product together: four have four elements of a row, the
/// next four of the next row. Where `flips` holds, those of rows 2, 3, 6 and 7 are the next four
/// elements, and the others' turn comes after.
KOKKOS_FUNCTION constexpr bool has_flipped_half(int row) { return row / 2 % 2 != 0; }

/// How often the fullest bank is asked for then.
consteval int store_conflicts(int row_spacing, int banks, bool flips) {
  int asked[32]{};
  int most = 0;
  for (int lane = 0; lane < banks; ++lane) {
    const int row = lane / 4;
    const int half = flips && has_flipped_half(row) ? 4 : 0;
    const int count = ++asked[(row * row_spacing + half + lane % 4) % banks];
    most = count > most ? count : most;
  }
  return most;
}

consteval bool flips_halves(int row_spacing, int banks) {
  return store_conflicts(row_spacing, banks, true) < store_conflicts(row_spacing, banks, false);
}

/// Up to so many rows, a thread factors and solves a problem in scratch memory alone, by
/// measurement.
inline constexpr int most_rows_of_thread = 12;

/// The same for a solve with one right-hand side, which adds over the columns of the grid.
template <int N>
KOKKOS_FUNCTION constexpr LaneGrid vector_grid(bool unit_rows, bool interleaved = false) {
  if (N > 8 && N <= 16) return {2, 2};
  if (N > 24) return {4, 4};
  return lane_grid<N>(unit_rows, interleaved);
}

/// The same for a triangle, which is its own mirror image: as many rows as columns, or whole rows.
template <int N>
consteval LaneGrid triangle_grid() {
  return N <= 8 ? LaneGrid{2, 2} : N <= 16 ? LaneGrid{4, 1} : LaneGrid{4, 4};
}

/// The same for a solve with a triangle and its adjoint.
template <int N>
consteval LaneGrid adjoint_grid(bool unit_rows, bool interleaved = false) {
  if (N > 8 && N <= 16 && !interleaved) return triangle_grid<N>();
  return vector_grid<N>(unit_rows, interleaved);
}

/// The same for what looks at whole columns: a lane has them, as long as it has registers for them.
template <int N>
consteval LaneGrid column_grid(bool unit_rows) {
  const LaneGrid grid = N <= 4    ? LaneGrid{1, 2}
                        : N <= 16 ? LaneGrid{1, 4}
                        : N <= 24 ? LaneGrid{1, 8}
                                  : LaneGrid{1, 16};
  return unit_rows ? LaneGrid{grid.cols, grid.rows} : grid;
}

/// Whether LU with pivots has whole columns, or whole rows, and, if `solves`, a right-hand side.
template <int N>
consteval bool pivots_by_columns(bool unit_rows, bool solves) {
  return !unit_rows && (solves ? N == 3 : N != 4 && N <= 13);
}

/// The same for LU with pivots.
template <int N>
consteval LaneGrid pivot_grid(bool unit_rows, bool solves) {
  if (pivots_by_columns<N>(unit_rows, solves)) return column_grid<N>(false);
  if (N <= 4) return {2, 1};
  if (N <= 16) return {4, 1};
  return {N <= (solves ? 20 : 24) ? 16 : 32, 1};
}

/// The same for a solve with the factors of LU: whole rows of large matrices.
template <int N>
KOKKOS_FUNCTION constexpr LaneGrid solve_grid(bool unit_rows, bool interleaved = false) {
  if (N <= 12 || interleaved) return vector_grid<N>(unit_rows, interleaved);
  return {N <= 16 ? 4 : N <= 24 ? 8 : 16, 1};
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
