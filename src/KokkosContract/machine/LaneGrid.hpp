// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_LANEGRID_HPP
#define KOKKOSCONTRACT_MACHINE_LANEGRID_HPP

#include <KokkosContract/core/Config.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A grid of rows x columns of lanes that hold a matrix together.
struct LaneGrid {
  int rows;
  int cols;

  KOKKOS_FUNCTION constexpr int size() const { return rows * cols; }
};

/// Lanes of a warp store the sums of a product together: four lanes have four elements of a row,
/// and the next four those of the next row. With `flips`, the lanes of rows 2, 3, 6 and 7 store
/// their other four elements first.
KOKKOS_FUNCTION constexpr bool has_flipped_half(int row) { return row / 2 % 2 != 0; }

/// Number of requests to the most used bank when lanes store in this way.
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
