// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_PLAN_HPP
#define KOKKOSCONTRACT_PRODUCT_PLAN_HPP

// How a nest is run: a compile-time value. The last row mode and the last column mode are cut into
// tiles whose sums stay in registers. All other modes are plain loops around the tiles.
//
//   host, scalars   `lanes` elements of the last column mode (or of the last batch mode, where that
//                   is C's unit-stride mode) per register
//   host, packs     an element is a register
//   GPU             an element per lane; neighbouring workers take neighbouring columns
//
// The tile is chosen so that its sums, one row of Y and one element of X fit the register file,
// with enough independent sums to cover the latency of an FMA.

#include <KokkosContract/core/Digits.hpp>
#include <KokkosContract/core/Vec.hpp>
#include <KokkosContract/machine/Gpu.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/nest/Offsets.hpp>
#include <bit>
#include <iterator>
#include <utility>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

struct Plan {
  int lanes = 1;               // elements per register
  bool batch_lanes = false;    // the lanes run along the last batch mode
  int rows[2]{1, 0};           // tile heights: of the main tiles, and of the remainder (0: none)
  int cols[2]{1, 0};           // tile widths in registers, in the same order
  bool rows_vary = false;      // the last tile has fewer rows, by a number known at run time
  bool cols_vary = false;      // the last tile of a row has fewer columns, known at run time
  bool tail = false;           // the last register of a row is partial
  int tail_lanes = 1;          // its width
  int row_spacing = 1;         // from one row of a tile to the next
  int col_spacing = 1;         // from one register to the next
  int x_terms = 1;             // neighbouring terms of X that are read at once
  int overlap = 0;             // if there is no tail: lanes by which the last register starts early
  bool along_sum = false;      // registers hold terms of a sum, if these are neighbours in memory
  bool has_terms = false;      // there are known to be enough of them
  bool apart_in_y = false;     // with overlap: Y has separate columns for the last register
  bool overlaps = false;       // two tiles, one above the other, cover the output; they may
                               // overlap, and so may their two registers, if they have two
  bool begins_with_c = false;  // sums begin with C if beta = 1 is known at compile time
  bool is_one_tile = false;    // the output is one tile of one register a row, which is inlined
  bool cols_outer = false;     // a panel of Y, not one of X, stays in cache
  bool rolled = false;         // on a GPU: few registers matter more than time
  bool apart = false;          // neighbours, and terms of a sum of unknown extent, are computed one
                               // by one: the compiler does not join them in a register

  friend constexpr bool operator==(const Plan&, const Plan&) = default;
};

/// The workers of a call.
struct Callers {
  bool gpu = false;
  bool single_worker = true;
  bool warps = false;      // the workers are, or may be, lanes of warps
  bool of_thread = false;  // the workers are those of one team thread
  int warp_size = 1;       // lanes of a warp of the workers' machine
  bool plain = false;      // the workers are those of a PlainLevel, whose code takes few registers

  /// Whether the callers are several workers of a GPU.
  consteval bool are_team() const { return gpu && !single_worker; }
  /// Whether the callers are such a team, and there is code for its warps.
  consteval bool are_team_of_warps() const { return are_team() && warps && !plain; }
};

/// The facts about the element types and the workers that a plan needs.
struct Machine : Callers {
  int native_lanes = 1;  // lanes of an accumulator in a host register; 1: it is not vectorised
  int bytes = 1;         // bytes of an accumulator
  int registers = 1;     // accumulators that the register file holds
  bool packs_in_registers = false;
  bool shuffles_multiplier = false;
  bool is_complex = false;  // the accumulator is complex
};

/// Cuts a static extent into tiles of at most `most`, as evenly as possible.
consteval void cut(std::ptrdiff_t extent, int most, int (&tile)[2]) {
  if (extent <= most) {
    tile[0] = extent > 0 ? static_cast<int>(extent) : 1;
  } else {
    const std::ptrdiff_t tiles = (extent + most - 1) / most;
    tile[0] = static_cast<int>((extent + tiles - 1) / tiles);
    tile[1] = static_cast<int>(extent % tile[0]);
  }
}

/// Half cycles for one step of the sum over all tiles of static extents cut by `shape`.
consteval std::ptrdiff_t tile_cost(std::ptrdiff_t rows, std::ptrdiff_t cols,
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
      cost += tiles * (products > least_half_cycles_of_tile ? products : least_half_cycles_of_tile);
    }
  }
  return cost;
}

/// The largest tile. `lanes` is 1 for elements that are registers by themselves.
consteval TileShape tile_shape(std::ptrdiff_t rows, std::ptrdiff_t cols, int lanes,
                               const Machine& machine) {
  if (machine.shuffles_multiplier && has_sums_for_shuffles(machine.registers) && cols != dynamic) {
    return tile_of_shuffles;
  }
  if (const TileShape few = tile_of_few_sums(machine.registers); few.rows > 0) return few;
  // On a GPU no operand should be read twice, because only registers are close.
  if (machine.gpu && rows != dynamic && cols != dynamic && rows * cols <= machine.registers * 2) {
    return {static_cast<int>(rows), static_cast<int>(cols)};
  }
  if (rows == 1) return {1, registers_of_line(cols != dynamic)};
  if (cols == 1) return {registers_of_line(rows != dynamic), 1};
  TileShape best = tile_shapes[0];
  if (rows == dynamic || cols == dynamic) return best;
  if (lanes == 1) return tile_of_numbers(rows);
  for (const TileShape& shape : tile_shapes) {
    if (tile_cost(rows, cols, shape) < tile_cost(rows, cols, best)) best = shape;
  }
  return best;
}

/// Offsets of the elements of an operand that the lanes of a warp, with neighbouring tiles, read at
/// a time. They are computed by simulation.
struct WarpAccess {
  int lanes = 0;
  std::ptrdiff_t at[most_lanes_of_warp]{};

  /// Passes through shared memory. One pass takes the bytes of all banks. An element that several
  /// lanes read counts once.
  constexpr int passes(int bytes) const {
    const int banks =
        bytes < bytes_of_bank ? lanes : (bytes > bytes_of_banks ? 1 : bytes_of_banks / bytes);
    int total = 0;
    for (int first = 0; first < lanes; first += banks) {
      int most = 1;
      for (int l = first; l < first + banks && l < lanes; ++l) {
        int same_bank = 1;
        for (int m = first; m < l && same_bank > 0; ++m) {
          if (at[m] == at[l]) {
            same_bank = 0;
          } else if ((at[l] - at[m]) % banks == 0) {
            ++same_bank;
          }
        }
        most = same_bank > most ? same_bank : most;
      }
      total += most;
    }
    return total;
  }

  /// Number of changes of the memory sector from lane to lane.
  constexpr int sectors(int bytes) const {
    int count = 1;
    for (int l = 1; l < lanes; ++l) {
      if (at[l] * bytes / bytes_of_sector != at[l - 1] * bytes / bytes_of_sector) ++count;
    }
    return count;
  }
};

/// Simulates an access. Unknown strides are assumed to be those of a dense operand.
template <int N>
constexpr WarpAccess warp_access(const Nest<N>& nest, const TileShape& shape,
                                 const std::ptrdiff_t* stride, int warp_size) {
  // The modes in the order in which lanes number their tiles.
  std::ptrdiff_t extent[N > 0 ? N : 1]{};
  std::ptrdiff_t step[N > 0 ? N : 1]{};
  int modes = 0;
  const int col = nest.of(Class::col) > 0 ? nest.end(Class::col) - 1 : -1;
  const int row = nest.of(Class::row) > 0 ? nest.end(Class::row) - 1 : -1;
  std::ptrdiff_t dense[N > 0 ? N : 1]{};
  std::ptrdiff_t size = 1;
  for (int known = 1; known >= 0; --known) {
    for (int i = N - 1; i >= 0; --i) {
      if ((stride[i] != dynamic) != (known == 1) || stride[i] == 0) continue;
      dense[i] = known == 1 ? stride[i] : size;
      if (nest.extent[i] != dynamic) size *= nest.extent[i];
    }
  }
  for (int pass = 0; pass < N + 2; ++pass) {
    const int i = pass == 0 ? col : (pass == 1 ? row : N + 1 - pass);
    if (i < 0 || i >= nest.begin(Class::sum) || (pass > 1 && (i == col || i == row))) continue;
    const int by = pass == 0 ? shape.cols : (pass == 1 ? shape.rows : 1);
    extent[modes] = nest.extent[i] == dynamic ? warp_size : nest.extent[i] / by;
    step[modes] = dense[i];
    ++modes;
  }
  WarpAccess access{warp_size};
  for (int l = 0; l < warp_size; ++l) {
    std::ptrdiff_t t = l;
    for (int m = 0; m < modes && t > 0; ++m) {
      if (extent[m] <= 0) continue;
      access.at[l] += take_digit(t, extent[m]) * step[m];
    }
  }
  return access;
}

/// The tile of a worker among many workers of a GPU.
struct SharedTile : TileShape {
  int x_terms = 1;
};

/// Number of terms of X that a lane loads at once, if these are neighbours and aligned for such a
/// load; else 1. Facts that are not static are checked at run time. Such loads of elements of 8
/// bytes do not save passes through shared memory, and for short sums the stores matter.
template <int N>
consteval int terms_of_vectors(const Nest<N>& nest, int bytes) {
  const int vector = bytes_of_load / bytes;
  const int last = nest.end(Class::sum) - 1;
  if (bytes != sizeof(float) || !nest.has_x || nest.of(Class::sum) == 0 || nest.x[last] != 1)
    return 1;
  for (const Class k : {Class::row, Class::col, Class::sum}) {
    if (static_size(nest, k) == 0) return 1;
  }
  if (nest.extent[last] % vector != 0 || nest.extent[last] < least_terms_of_vectors) return 1;
  for (int i = 0; i < last; ++i) {
    if (nest.x[i] != dynamic && nest.x[i] % vector != 0) return 1;
  }
  return vector;
}
/// Number of consecutive problems whose inputs a team copies.
template <int N>
consteval std::ptrdiff_t problems_of_stage(const Nest<N>& nest, int bytes) {
  const int elements = (static_size(nest, Class::row) + static_size(nest, Class::col)) *
                       static_size(nest, Class::sum);
  const auto fit = static_cast<std::ptrdiff_t>(staged_bytes_of_products) / (elements * bytes);
  return nest.of(Class::batch) == 0 || fit < 1 ? 1 : fit;
}

/// What the model knows about the tiles of a worker among many workers.
template <int N>
struct SharedTileModel {
  Nest<N> nest;
  int bytes;
  int warp_size;
  std::ptrdiff_t rows = 1;
  std::ptrdiff_t cols = 1;
  std::ptrdiff_t outputs = 1;
  std::ptrdiff_t sums = 1;
  int vector;                   ///< terms of X that can be read at once
  std::ptrdiff_t problems = 1;  ///< consecutive problems of a team, where `vector` is above 1

  consteval SharedTileModel(const Nest<N>& product, int bytes_of_sum, int lanes_of_warp)
      : nest(product),
        bytes(bytes_of_sum),
        warp_size(lanes_of_warp),
        vector(terms_of_vectors(product, bytes_of_sum)) {
    if (nest.of(Class::row) > 0) rows = nest.extent[nest.end(Class::row) - 1];
    if (nest.of(Class::col) > 0) cols = nest.extent[nest.end(Class::col) - 1];
    for (int i = 0; i < nest.begin(Class::sum); ++i) {
      const bool many = outputs == dynamic || nest.extent[i] == dynamic;
      outputs = many ? dynamic : outputs * nest.extent[i];
    }
    for (int i = nest.begin(Class::sum); i < nest.end(Class::sum); ++i) {
      sums *= nest.extent[i] == dynamic ? shared_tile_costs.terms : nest.extent[i];
    }
    if (vector > 1) problems = problems_of_stage(nest, bytes);
  }

  /// Whether a tile divides the static extents, leaves tiles to the other workers, and is not too
  /// large.
  [[nodiscard]] consteval bool fits(const TileShape& tile) const {
    const auto [r, c] = tile;
    const bool divides = (r == 1 || (rows != dynamic && rows % r == 0)) &&
                         (c == 1 || (cols != dynamic && cols % c == 0));
    const bool leaves = outputs == dynamic || r * c * warp_size <= outputs;
    const int elements = vector == 1 ? most_of_shared_tile.elements : most_elements_of_vectors;
    return divides && leaves && r * c <= elements && r * c * bytes <= most_of_shared_tile.bytes;
  }
  /// The time per element of the output.
  [[nodiscard]] consteval double cost(const SharedTile& tile) const {
    const int r = tile.rows;
    const int c = tile.cols;
    WarpAccess x = warp_access(nest, tile, nest.x, warp_size);
    for (std::ptrdiff_t& at : x.at) at /= tile.x_terms;
    const double loads = static_cast<double>(r * x.passes(bytes * tile.x_terms)) / tile.x_terms +
                         c * warp_access(nest, tile, nest.y, warp_size).passes(bytes);
    const int stores = 2 * r * c * warp_access(nest, tile, nest.c, warp_size).sectors(bytes);
    const double step = loads + shared_tile_costs.product * r * c;
    const double time =
        (static_cast<double>(sums) * step + stores + shared_tile_costs.start) / (r * c);
    if (vector == 1) return time;
    const std::ptrdiff_t tiles = problems * (rows / r) * (cols / c);
    const std::ptrdiff_t rounds = (tiles + threads_of_team - 1) / threads_of_team;
    return time * static_cast<double>(rounds * threads_of_team) / static_cast<double>(tiles);
  }
};

/// The tile that takes the least time per element of the output. It divides the static extents, and
/// leaves tiles to the other workers.
template <int N>
consteval SharedTile shared_tile(const Nest<N>& nest, int bytes, int warp_size) {
  const SharedTileModel<N> model(nest, bytes, warp_size);
  SharedTile best{{1, 1}};
  double least = model.cost(best);
  for (int terms = model.vector; terms >= 1; terms -= model.vector > 1 ? model.vector - 1 : 1) {
    for (int r = 1; r <= most_of_shared_tile.rows; ++r) {
      for (int c = 1; c <= most_of_shared_tile.cols; ++c) {
        if (!model.fits({r, c})) continue;
        const SharedTile tile{{r, c}, terms};
        const double time = model.cost(tile);
        if (time < least) {
          best = tile;
          least = time;
        }
      }
    }
  }
  return best;
}

/// Whether the terms of a host's sums are neighbours in memory and used once, in a product of a
/// matrix and a vector. `lane` is the mode of the output along which registers would gather the
/// terms.
template <int N>
consteval bool is_along_sum(const Nest<N>& nest, const Machine& machine, int lane) {
  if (machine.gpu || machine.native_lanes < along_sums.lanes || machine.is_complex) return false;
  if (nest.of(Class::row) > 0 || nest.of(Class::sum) == 0) return false;
  const int sum = nest.end(Class::sum) - 1;
  const bool shares_x = lane >= nest.begin(Class::col);
  const bool neighbours = nest.y[sum] == 1 && (!nest.has_x || nest.x[sum] == 1);
  return neighbours && nest.y[lane] != 1 && (shares_x || nest.x[lane] != 1);
}

/// Whether a plan with registers along a sum knows how many of its terms are neighbours.
template <int N>
consteval bool has_known_terms(const Nest<N>& nest) {
  return nest.of(Class::sum) == 1 && nest.extent[nest.begin(Class::sum)] != dynamic;
}

/// Number of lanes of registers along such sums. `lanes` is their number along the output. 1: there
/// are too few terms.
template <int N>
consteval int lanes_along_sum(const Nest<N>& nest, const Machine& machine, int lanes) {
  const int sum = nest.end(Class::sum) - 1;
  const std::ptrdiff_t terms = nest.extent[sum];
  if (lanes < along_sums.lanes && (terms == dynamic || terms >= along_sums.terms_of_lanes)) {
    lanes = along_sums.lanes;
  }
  if (lanes * machine.bytes < along_sums.bytes) return 1;
  if (terms == dynamic) return lanes;
  // More terms may follow from the enclosing mode, if its strides continue the line.
  const bool follow =
      nest.of(Class::sum) > 1 && (nest.y[sum - 1] == dynamic || nest.y[sum - 1] == terms);
  if (terms < along_sums.terms && !follow) return 1;
  if (follow || terms >= lanes) return lanes;
  const auto filled = static_cast<int>(terms & -terms);
  if (filled * machine.bytes >= along_sums.bytes) return filled;
  return are_enough_terms(terms, lanes) ? lanes : 1;
}

/// Whether a host's static product is so small that its elements are computed one by one, all in
/// one tile. The compiler then vectorises them where that pays off, and moves nothing.
template <int N>
consteval bool is_by_elements(const Nest<N>& nest, const Machine& machine) {
  const bool matrices = nest.of(Class::row) > 0 && nest.of(Class::col) > 0;
  if (machine.gpu || machine.native_lanes == 1 || machine.is_complex) return false;
  if (!nest.has_x || nest.of(Class::batch) > 0 || nest.of(Class::sum) != 1) return false;
  if (nest.of(Class::row) > 1 || nest.of(Class::col) != 1) return false;
  std::ptrdiff_t products = 1;
  for (int i = 0; i < N; ++i) {
    if (nest.extent[i] == dynamic) return false;
    products *= nest.extent[i];
  }
  const int col = nest.begin(Class::col);
  const int sum = nest.begin(Class::sum);
  const std::ptrdiff_t cols = nest.extent[col];
  const bool joins = nest.y[col] == 1;  // neighbours in a register are neighbours in memory
  if (matrices) {
    return is_written_out(nest.extent[nest.begin(Class::row)], cols, nest.extent[sum],
                          machine.native_lanes, joins, nest.x[sum] == 1);
  }
  if (products > most_products_by_elements) return false;
  return joins || !fill_registers(cols, nest.extent[sum], machine.bytes) ||
         !is_along_sum(nest, machine, col);
}

/// Whether a host's static product is inlined, because a call would take as long.
template <int N>
consteval bool is_inlined_product(const Nest<N>& nest, const Machine& machine) {
  if (is_by_elements(nest, machine)) return true;
  if (N != 2 || nest.of(Class::col) != 1 || nest.of(Class::sum) != 1) return false;
  const std::ptrdiff_t cols = nest.extent[nest.begin(Class::col)];
  const std::ptrdiff_t terms = nest.extent[nest.begin(Class::sum)];
  return cols != dynamic && terms != dynamic && cols * terms <= most_products_by_elements &&
         is_along_sum(nest, machine, nest.begin(Class::col));
}

/// The plan for products that are written out element by element (is_by_elements).
template <int N>
consteval Plan plan_by_elements(const Nest<N>& nest, const Machine& machine) {
  Plan plan{};
  const int col = nest.begin(Class::col);
  const auto cols = static_cast<int>(nest.extent[col]);
  plan.cols[0] = cols > 0 ? cols : 1;
  if (nest.of(Class::row) > 0) {
    plan.rows[0] = static_cast<int>(nest.extent[nest.begin(Class::row)]);
    plan.begins_with_c = begin_with_output(machine.bytes);
  } else {
    plan.apart = nest.y[col] != 1 && are_kept_apart(cols, machine.native_lanes, machine.bytes);
  }
  return plan;
}

/// Chooses the mode along which a host's registers have lanes. Returns the number of registers for
/// each row.
template <int N>
consteval std::ptrdiff_t set_lanes(Plan& plan, const Nest<N>& nest, const Machine& machine,
                                   bool along_sum) {
  const bool has_col = nest.of(Class::col) > 0;
  const bool has_batch = nest.of(Class::batch) > 0;
  const int col = has_col ? nest.end(Class::col) - 1 : 0;
  const int batch = has_batch ? nest.end(Class::batch) - 1 : 0;
  const std::ptrdiff_t extent = has_col ? nest.extent[col] : 1;
  if (machine.gpu || machine.native_lanes == 1) return extent;
  const bool col_is_unit = has_col && nest.c[col] == 1;
  if (has_batch && !col_is_unit && nest.c[batch] == 1) {
    plan.lanes = machine.native_lanes;
    plan.batch_lanes = true;
    plan.along_sum = along_sum && is_along_sum(nest, machine, batch) &&
                     lanes_along_sum(nest, machine, plan.lanes) == plan.lanes;
    return extent;
  }
  if (!has_col) return extent;
  int lanes = machine.native_lanes;
  while (extent != dynamic && lanes > 1 && extent <= lanes / 2) lanes /= 2;
  if (along_sum && is_along_sum(nest, machine, col)) {
    const int lanes_of_sum = lanes_along_sum(nest, machine, lanes);
    plan.along_sum = lanes_of_sum > 1;
    if (plan.along_sum) lanes = lanes_of_sum;
  }
  plan.lanes = lanes;
  if (extent == dynamic) {
    plan.tail = lanes > 1;
    return extent;
  }
  const auto left = static_cast<int>(extent % lanes);
  // A whole register is loaded faster than a part of one.
  if (left != 0 && extent > lanes && !plan.along_sum) plan.overlap = lanes - left;
  plan.tail = left != 0 && plan.overlap == 0;
  plan.tail_lanes = static_cast<int>(std::bit_ceil(static_cast<unsigned>(plan.tail ? left : 1)));
  if (plan.along_sum) plan.tail_lanes = lanes;
  return (extent + plan.overlap) / lanes;
}

/// Sets the tile of a worker among many workers.
template <int N>
consteval void set_shared_tile(Plan& plan, const Nest<N>& nest, const Machine& machine,
                               const TileShape& asked) {
  const bool has_row = nest.of(Class::row) > 0;
  const int row = nest.end(Class::row) - 1;
  const int col = nest.end(Class::col) - 1;
  const bool rows_known = has_row && nest.extent[row] != dynamic;
  SharedTile shape = shared_tile(nest, machine.bytes, machine.warp_size);
  if (asked.rows > 0) shape = {asked};
  if (has_row && !rows_known) shape.rows = rows_of_dynamic_tile;
  plan.x_terms = shape.x_terms;
  plan.rows[0] = shape.rows;
  plan.cols[0] = shape.cols;
  if (shape.rows > 1 && rows_known)
    plan.row_spacing = static_cast<int>(nest.extent[row]) / shape.rows;
  if (shape.cols > 1) plan.col_spacing = static_cast<int>(nest.extent[col]) / shape.cols;
}

/// Cuts rows, and the registers of a row, into tiles of one worker.
consteval void set_tiles(Plan& plan, std::ptrdiff_t rows, std::ptrdiff_t registers_per_row,
                         const Machine& machine, const TileShape& asked) {
  const TileShape shape = plan.along_sum ? TileShape{1, 1}
                          : asked.rows > 0
                              ? asked
                              : tile_shape(rows, registers_per_row, plan.lanes, machine);
  // One variant of a tile serves all numbers of rows, except for packs. There GCC would test for
  // the existing rows in the innermost loop.
  const bool varies = plan.lanes > 1 && !plan.batch_lanes;
  if (rows == dynamic) {
    plan.rows[0] = shape.rows;
    plan.rows_vary = shape.rows > 1 && varies;
    plan.rows[1] = shape.rows > 1 && !varies ? 1 : 0;
  } else {
    cut(rows, shape.rows, plan.rows);
  }
  if (registers_per_row == dynamic) {
    plan.cols[0] = shape.cols;
    plan.cols_vary = varies;
    plan.cols[1] = shape.cols > 1 ? (varies ? shape.cols : 1) : 0;
    return;
  }
  cut(registers_per_row, shape.cols, plan.cols);
  if (registers_per_row == 0) plan.cols[0] = 0;
  // The last tile then has the second width.
  if (plan.overlap > 0 && plan.cols[1] == 0) plan.cols[1] = plan.cols[0];
  if (plan.overlap > 0 && plan.cols[1] == registers_per_row) plan.cols[0] = 0;
}

/// The plan for all extents. Without along_sum, registers do not hold terms of a sum. `asked`: the
/// tile, or none.
template <int N>
consteval Plan make_plan(const Nest<N>& nest, const Machine& machine, bool along_sum = true,
                         const TileShape& asked = {}) {
  if (asked.rows == 0 && is_by_elements(nest, machine)) return plan_by_elements(nest, machine);
  Plan plan{};
  const std::ptrdiff_t registers_per_row = set_lanes(plan, nest, machine, along_sum);
  // Rows of packs are so long that a panel of Y, a few columns wide, would share few cache sets.
  plan.cols_outer = plan.lanes > 1;
  if (machine.plain) {
    plan.cols[0] = 1;
    plan.rolled = true;
  } else if (machine.gpu && !machine.single_worker) {
    set_shared_tile(plan, nest, machine, asked);
  } else {
    const int row = nest.end(Class::row) - 1;
    const std::ptrdiff_t rows = nest.of(Class::row) > 0 ? nest.extent[row] : 1;
    set_tiles(plan, rows, registers_per_row, machine, asked);
  }
  return plan;
}

/// A plan for some products of small matrices alone. Each plan gets a function of its own. In the
/// function for all extents a small product takes three times as long, because it saves registers
/// for code that it does not reach.
struct SmallPlan {
  Plan plan{};
  int rows[2]{};  // fewest and most rows
  int cols[2]{};
  bool exact = false;  // the tiles must fit the extents exactly
  int terms = 0;       // most terms; 0: any number
  int products = 0;    // most multiplications (n * sums); 0: any number

  KOKKOS_FUNCTION constexpr bool covers(int m, int n, int sums) const {
    const bool fits = m >= rows[0] && m <= rows[1] && n >= cols[0] && n <= cols[1];
    return fits && (terms == 0 || sums <= terms) && (products == 0 || n * sums <= products) &&
           (!exact || (m % plan.rows[0] == plan.rows[1] && n % plan.cols[0] == plan.cols[1]));
  }
};

struct SmallPlans {
  static constexpr int most = static_cast<int>(std::size(tiles_of_packs));
  SmallPlan plan[most]{};
  int count = 0;
  bool copies = false;            // alpha = 1 with beta = 0, the usual case, has code of its own
  bool first_is_inlined = false;  // the first plan is inlined, because a call would take as long
  bool all_is_inlined = false;    // all plans are inlined, for static extents

  /// The first plan after number Plan that covers a product, or `count` if none does.
  template <int Plan>
  KOKKOS_FUNCTION constexpr int next(int m, int n, int sums) const {
    int i = Plan + 1;
    while (i < count && !plan[i].covers(m, n, sums)) ++i;
    return i;
  }
};

/// Whether a host multiplies a matrix by a vector, both with run-time extents.
template <int N>
consteval bool is_dynamic_matrix_times_vector(const Nest<N>& nest, const Machine& machine) {
  if (machine.gpu || machine.native_lanes == 1 || machine.is_complex) return false;
  if (N != 2 || !nest.has_x || nest.of(Class::col) != 1 || nest.of(Class::sum) != 1) return false;
  return nest.extent[0] == dynamic && nest.extent[1] == dynamic && !nest.wide[0] && !nest.wide[1];
}

/// The plans of products with run-time extents, in the order in which they are tried.
template <int N>
consteval SmallPlans small_plans(const Nest<N>& nest, const Machine& machine) {
  SmallPlans small{};
  small.all_is_inlined = is_inlined_product(nest, machine);
  const int row = nest.begin(Class::row);
  const int col = nest.begin(Class::col);
  if (is_dynamic_matrix_times_vector(nest, machine)) {
    const int most = nest.y[col] == 1 ? most_rows_of_strided_loop : most_rows_of_loop;
    SmallPlan& loop = small.plan[small.count++];
    loop = {Plan{}, {1, 1}, {1, most}, false, most};
    small.first_is_inlined = true;
    if (is_along_sum(nest, machine, col)) {
      loop.plan.apart = true;
      constexpr int lanes = lanes_of_small_sums;
      if (machine.native_lanes >= lanes) {
        loop.products = most_products_of_loop;
        SmallPlan& tile = small.plan[small.count++];
        tile = {Plan{}, {1, 1}, {1, lanes}, false, lanes};
        tile.plan.lanes = lanes;
        tile.plan.along_sum = true;
        tile.plan.is_one_tile = true;
      }
    }
    return small;
  }
  const bool is_product = nest.of(Class::batch) == 0 && nest.of(Class::row) == 1 &&
                          nest.of(Class::col) == 1 && nest.of(Class::sum) == 1;
  if (!is_product || machine.gpu) return small;
  if (nest.extent[row] != dynamic || nest.extent[col] != dynamic) return small;
  const Plan general = make_plan(nest, machine);
  const auto add = [&](const SmallTile& tile) {
    SmallPlan& added = small.plan[small.count++];
    added = {general, {tile.least, tile.most}, {tile.least, tile.most}, false};
    added.plan.rows[0] = tile.main.rows;
    added.plan.rows[1] = tile.rest.rows;
    added.plan.cols[0] = tile.main.cols;
    added.plan.cols[1] = tile.rest.cols;
    return &added;
  };
  if (general.rows_vary && general.cols_vary) {
    const int lanes = general.lanes;
    small.first_is_inlined = true;
    SmallPlan* const least = add(smallest_tile);
    least->plan.is_one_tile = true;
    least->cols[1] = lanes;
    SmallPlan* const overlapping = add(overlapping_tile);
    overlapping->plan.overlaps = true;
    overlapping->cols[0] = lanes + 1;
    overlapping->cols[1] = 2 * lanes;
    if (lanes >= least_lanes_of_narrow_tile) {
      SmallPlan* const narrow = add(narrow_tile);
      narrow->plan.overlaps = true;
      narrow->cols[0] = 1;
      narrow->cols[1] = lanes;
    }
  } else if (machine.packs_in_registers && machine.registers >= least_sums_for_packs) {
    for (const SmallTile& tile : tiles_of_packs) add(tile)->exact = true;
  }
  small.copies = small.count > 1;
  return small;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
