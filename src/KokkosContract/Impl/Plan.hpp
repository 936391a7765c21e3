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
  int overlap = 0;           // instead, the last register starts so many lanes early
  bool cols_outer = false;   // a panel of Y stays in cache, not one of X

  friend constexpr bool operator==(const Plan&, const Plan&) = default;
};

/// What the plan needs to know of the element types and the workers.
struct Machine {
  bool gpu = false;
  bool single_worker = true;
  int native_lanes = 1;  // of the accumulator in a host register, 1 if it is not to be vectorised
  int registers = 16;    // how many accumulators the register file holds
};

/// Cuts a static extent into tiles of at most `most`, as evenly as possible.
constexpr void cut(std::ptrdiff_t extent, int most, int (&tile)[2]) {
  if (extent <= most) {
    tile[0] = extent > 0 ? static_cast<int>(extent) : 1;
  } else {
    const std::ptrdiff_t tiles = (extent + most - 1) / most;
    tile[0] = static_cast<int>((extent + tiles - 1) / tiles);
    tile[1] = static_cast<int>(extent % tile[0]);
  }
}

struct TileShape {
  int rows, cols;
};

/// The tiles in order of preference, by measurement: eight or more independent sums hide the
/// latency of two multiply-adds a cycle, and there is room for the operands in 16 registers.
inline constexpr TileShape tile_shapes[] = {{4, 2}, {3, 3}, {4, 3}, {5, 2}, {2, 4}};

/// Half cycles for one step of the sum over all tiles of static extents cut by `shape`: two
/// multiply-adds a cycle, and three cycles at least.
constexpr std::ptrdiff_t tile_cost(std::ptrdiff_t rows, std::ptrdiff_t cols,
                                   const TileShape& shape) {
  int height[2]{};
  int width[2]{};
  cut(rows, shape.rows, height);
  cut(cols, shape.cols, width);
  std::ptrdiff_t cost = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const std::ptrdiff_t tiles = (i == 0 ? rows / height[0] : (height[1] > 0 ? 1 : 0)) *
                                   (j == 0 ? cols / width[0] : (width[1] > 0 ? 1 : 0));
      const int products = height[i] * width[j];
      cost += tiles * (products > 6 ? products : 6);
    }
  }
  return cost;
}

/// The largest tile. `lanes` is 1 for elements that are registers by themselves.
constexpr TileShape tile_shape(std::ptrdiff_t rows, std::ptrdiff_t cols, int lanes,
                               const Machine& machine) {
  if (machine.gpu && !machine.single_worker) return {1, 1};
  // Sums that take several registers: of packs that do, and of complex numbers.
  if (machine.registers < 4) return {1, 1};
  if (machine.registers == 4) return {1, 3};
  if (machine.registers < 14) return {machine.registers < 8 ? 1 : 2, 2};
  if (rows == 1) return {1, cols == dynamic ? 4 : 8};
  if (cols == 1) return {rows == dynamic ? 4 : 8, 1};
  TileShape best = tile_shapes[0];
  if (rows == dynamic || cols == dynamic) return best;
  if (lanes == 1) {
    return rows == 3 || rows == 5 || (rows % 3 == 0 && rows % 4 != 0) ? tile_shapes[1] : best;
  }
  for (const TileShape& shape : tile_shapes) {
    if (tile_cost(rows, cols, shape) < tile_cost(rows, cols, best)) best = shape;
  }
  return best;
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
        const auto left = static_cast<int>(extent % lanes);
        // A whole register is loaded faster than a part of one.
        if (left != 0 && extent > lanes && nest.y[col] == 1) plan.overlap = lanes - left;
        plan.tail = left != 0 && plan.overlap == 0;
        plan.tail_lanes =
            static_cast<int>(std::bit_ceil(static_cast<unsigned>(plan.tail ? left : 1)));
        registers_per_row = (extent + plan.overlap) / lanes;
      }
    }
  }

  // Rows of packs are so long that a panel of Y, a few columns wide, would share few cache sets.
  plan.cols_outer = plan.lanes > 1;

  const std::ptrdiff_t rows = has_row ? nest.extent[has_row ? row : 0] : 1;
  const TileShape shape = tile_shape(rows, registers_per_row, plan.lanes, machine);
  if (rows == dynamic) {
    plan.rows[0] = shape.rows;
    plan.rows[1] = shape.rows > 1 ? 1 : 0;
  } else {
    cut(rows, shape.rows, plan.rows);
  }
  if (registers_per_row == dynamic) {
    plan.cols[0] = shape.cols;
    plan.cols[1] = shape.cols > 1 && !plan.tail ? 1 : 0;
  } else {
    cut(registers_per_row, shape.cols, plan.cols);
    if (registers_per_row == 0) plan.cols[0] = 0;
    // The last tile is of the second kind then.
    if (plan.overlap > 0 && plan.cols[1] == 0) plan.cols[1] = plan.cols[0];
    if (plan.overlap > 0 && plan.cols[1] == registers_per_row) plan.cols[0] = 0;
  }
  return plan;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
