// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_PLAN_HPP
#define KOKKOSCONTRACT_IMPL_PLAN_HPP

// How a nest is run: a compile-time value. The last row mode and the last column mode are cut into
// tiles whose sums stay in registers; all other modes are plain loops around the tiles.
//
//   host, scalars   `lanes` elements of the last column mode (or of the last batch mode, where that
//                   is C's unit-stride mode) per register
//   host, packs     an element is a register
//   GPU             an element per lane; neighbouring workers take neighbouring columns
//
// The tile is chosen so that its sums, one row of Y and one element of X fit the register file,
// with enough independent sums to cover the latency of a fused multiply-add.

#include <KokkosContract/Impl/Lower.hpp>
#include <KokkosContract/Impl/Vec.hpp>
#include <bit>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

struct Plan {
  int lanes = 1;             // elements per register
  bool batch_lanes = false;  // the lanes run along the last batch mode
  int rows[2]{1, 0};         // tile heights: the main one, and the remainder's (0: none)
  int cols[2]{1, 0};         // tile widths in registers, likewise
  bool tail = false;         // the last register of a column is partial
  int tail_lanes = 1;        // its width

  friend constexpr bool operator==(const Plan&, const Plan&) = default;
};

/// What the plan needs to know of the element types and the workers.
struct Machine {
  bool gpu = false;
  bool single_worker = true;
  int native_lanes = 1;  // of the accumulator in a host register, 1 if it is not to be vectorised
  int registers = 16;    // how many accumulators the register file holds
};

/// Cuts a static extent into tiles of at most `most`, as evenly as possible; a dynamic one into
/// tiles of `most` and single ones.
constexpr void cut(std::ptrdiff_t extent, int most, int (&tile)[2]) {
  if (extent == dynamic) {
    tile[0] = most;
    tile[1] = most > 1 ? 1 : 0;
  } else if (extent <= most) {
    tile[0] = extent > 0 ? static_cast<int>(extent) : 1;
    tile[1] = 0;
  } else {
    const std::ptrdiff_t tiles = (extent + most - 1) / most;
    tile[0] = static_cast<int>((extent + tiles - 1) / tiles);
    tile[1] = static_cast<int>(extent % tile[0]);
  }
}

/// Columns (in registers) of a tile for `n` of them in all.
constexpr int tile_width(std::ptrdiff_t n, int registers) {
  const int widest = registers >= 32 ? 4 : (registers >= 16 ? 3 : (registers >= 8 ? 2 : 1));
  if (n == dynamic) return widest > 2 ? 2 : widest;
  if (n <= widest) return n > 0 ? static_cast<int>(n) : 1;
  for (int w = widest; w > 1; --w) {
    if (n % w == 0) return w;
  }
  return widest;
}

template <int N>
constexpr Plan make_plan(const Nest<N>& nest, const Machine& machine) {
  Plan plan{};
  const bool has_row = nest.of(Class::row) > 0;
  const bool has_col = nest.of(Class::col) > 0;
  const bool has_batch = nest.of(Class::batch) > 0;
  const int row = nest.end(Class::row) - 1;
  const int col = nest.end(Class::col) - 1;
  const int batch = nest.end(Class::batch) - 1;
  std::ptrdiff_t registers_per_row = has_col ? nest.extent[has_col ? col : 0] : 1;

  if (!machine.gpu && machine.native_lanes > 1) {
    const bool col_is_unit = has_col && nest.c[has_col ? col : 0] == 1;
    if (has_batch && !col_is_unit && nest.c[has_batch ? batch : 0] == 1) {
      plan.lanes = machine.native_lanes;
      plan.batch_lanes = true;
    } else if (has_col) {
      const std::ptrdiff_t extent = nest.extent[col];
      int lanes = machine.native_lanes;
      while (extent != dynamic && lanes > 1 && extent <= lanes / 2) lanes /= 2;
      plan.lanes = lanes;
      if (extent == dynamic) {
        plan.tail = lanes > 1;
        plan.tail_lanes = lanes;
      } else {
        plan.tail = extent % lanes != 0;
        plan.tail_lanes =
            static_cast<int>(std::bit_ceil(static_cast<unsigned>(plan.tail ? extent % lanes : 1)));
        registers_per_row = extent / lanes;
      }
    }
  }

  int widest = tile_width(registers_per_row, machine.registers);
  int highest = (machine.registers - 1 - widest) / widest;
  if (highest > 8) highest = 8;
  if (highest < 1) highest = 1;
  if (!machine.single_worker && machine.gpu) {
    widest = 1;
    highest = 1;
  }
  const std::ptrdiff_t rows = has_row ? nest.extent[has_row ? row : 0] : 1;
  if (rows == dynamic && highest > 4) highest = 4;
  cut(rows, highest, plan.rows);
  if (registers_per_row == dynamic || registers_per_row > widest) {
    plan.cols[0] = widest;
    plan.cols[1] = registers_per_row == dynamic ? (widest > 1 && !plan.tail ? 1 : 0)
                                                : static_cast<int>(registers_per_row % widest);
  } else {
    plan.cols[0] = static_cast<int>(registers_per_row);
    plan.cols[1] = 0;
  }
  return plan;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
