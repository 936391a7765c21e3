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
KOKKOS_FUNCTION constexpr LaneGrid contiguous_grid(int n) {
  if (n <= 4) return {1, 2};
  if (n <= 8) return {2, 2};
  if (n <= 16) return {2, 4};
  if (n <= 24) return {4, 4};
  return {4, 8};
}
/// The same where neighbours in memory are of neighbouring problems: the fewer lanes a problem has,
/// the more neighbours a warp reads at once, and the fewer cache lines an instruction touches.
KOKKOS_FUNCTION constexpr LaneGrid interleaved_grid(int n) {
  if (n <= 4) return {1, 1};
  if (n <= 8) return {1, 2};
  if (n <= 14) return {2, 2};
  return contiguous_grid(n);
}
KOKKOS_FUNCTION constexpr LaneGrid lane_grid(int n, bool unit_rows, bool interleaved = false) {
  const LaneGrid grid = interleaved ? interleaved_grid(n) : contiguous_grid(n);
  return unit_rows ? LaneGrid{grid.cols, grid.rows} : grid;
}

/// Rows of the largest matrix that is held in registers.
inline constexpr int most_rows = 32;
/// Up to so many rows, a thread factors and solves a problem in scratch memory alone, by
/// measurement.
inline constexpr int most_rows_of_thread = 12;

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

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
