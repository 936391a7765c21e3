// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_LANEGRID_HPP
#define KOKKOSCONTRACT_IMPL_LANEGRID_HPP

#include <KokkosContract/Impl/Config.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Rows x columns of the grid of lanes for matrices of N rows, by measurement: few lanes
/// need few shuffles and instructions for a problem; more of them, fewer registers.
struct LaneGrid {
  int rows;
  int cols;
};
template <int N>
constexpr LaneGrid lane_grid(bool unit_rows) {
  const LaneGrid grid = N <= 4    ? LaneGrid{1, 2}
                        : N <= 8  ? LaneGrid{2, 2}
                        : N <= 16 ? LaneGrid{2, 4}
                        : N <= 24 ? LaneGrid{4, 4}
                                  : LaneGrid{4, 8};
  return unit_rows ? LaneGrid{grid.cols, grid.rows} : grid;
}

/// Up to so many rows, a thread factors and solves a problem in scratch memory alone, by
/// measurement.
inline constexpr int most_rows_of_thread = 12;

/// The same for a solve with one right-hand side, which adds over the columns of the grid.
template <int N>
constexpr LaneGrid vector_grid(bool unit_rows) {
  if (N > 8 && N <= 16) return {2, 2};
  if (N > 24) return {4, 4};
  return lane_grid<N>(unit_rows);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
