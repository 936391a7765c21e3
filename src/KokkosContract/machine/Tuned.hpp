// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_TUNED_HPP
#define KOKKOSCONTRACT_MACHINE_TUNED_HPP

// Numbers that were found by measurement. Each has the machine, the day from which on it is used,
// and the command. "before 0.1" means a benchmark of that time whose command was not recorded.
// Nothing has been measured on GPUs of AMD, which use the same numbers as those of NVIDIA.
//
//     H200     NVIDIA H200, CUDA 13
//     Zen 4    AMD EPYC (family 25, model 17), AVX-512 and AVX2, GCC 16
//     Xeon     Intel Xeon (family 6, model 207), AVX-512 and SSE2, GCC 16

#include <KokkosContract/Way.hpp>
#include <KokkosContract/machine/LaneGrid.hpp>
#include <cstddef>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

// --- Matrices in the registers of a GPU's lanes --------------------------------------------------
// H200; since 2026-11-22 unless another date is given; before 0.1 (now
// perf_tests/gpu/Perf_SmallDense and, interleaved, Perf_BlockSolver).

/// Rows of the largest matrix that lanes hold in registers.
inline constexpr int most_rows = 32;

// Factorisations of larger matrices by warps (2026-11-30, perf_tests/gpu/Perf_SmallDense).

/// The largest matrix that a warp factors by Cholesky in its registers, and the largest ones for
/// which one warp and two warps of a team are best.
inline constexpr int most_rows_of_tiled_cholesky = 64;
inline constexpr int most_rows_of_large_problem[] = {96, 128};
/// The fewest rows for which a warp takes one of many problems (not measured): half of a warp.
inline constexpr int least_rows_of_warp = 17;
/// A panel of LU with pivots in the registers of a warp: the rows that a lane has at most, the
/// bytes of its rows, and the columns.
inline constexpr int most_rows_of_lane = 8;
inline constexpr int bytes_of_warp_panel = 256;
inline constexpr int most_cols_of_warp_panel = 8;
/// Wide panels postpone the update of the columns behind them. A matrix of few columns is one
/// panel. An update takes a number of terms at once.
inline constexpr int cols_of_wide_panel = 32;
inline constexpr int most_cols_of_single_panel = 48;
inline constexpr int terms_of_subtraction = 8;

/// Grids of lanes for n rows. Fewer lanes need fewer shuffles and instructions for a problem, and
/// more registers.
KOKKOS_FUNCTION constexpr LaneGrid contiguous_grid(int n) {
  if (n <= 4) return {1, 2};
  if (n <= 8) return {2, 2};
  if (n <= 16) return {2, 4};
  if (n <= 24) return {4, 4};
  return {4, 8};
}
/// Grids for interleaved problems. The fewer lanes a problem has, the more neighbours a warp reads
/// at once, and the fewer cache lines an instruction touches.
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
/// Grids for one right-hand side, where sums are added over the columns of the grid.
KOKKOS_FUNCTION constexpr LaneGrid vector_grid(int n, bool unit_rows, bool interleaved) {
  if (n > 8 && n <= 16) return {2, 2};
  if (n > 24) return {4, 4};
  return lane_grid(n, unit_rows, interleaved);
}
/// Grids for a triangle, whose rows and columns are treated alike: as many rows as columns, or
/// whole rows (2026-11-23).
KOKKOS_FUNCTION constexpr LaneGrid triangle_grid(int n) {
  return n <= 8 ? LaneGrid{2, 2} : n <= 16 ? LaneGrid{4, 1} : LaneGrid{4, 4};
}
/// Grids for algorithms that read whole columns. A lane has whole columns as long as its registers
/// suffice.
KOKKOS_FUNCTION constexpr LaneGrid column_grid(int n, bool unit_rows) {
  const int lanes = n <= 4 ? 2 : n <= 16 ? 4 : n <= 24 ? 8 : 16;
  return unit_rows ? LaneGrid{lanes, 1} : LaneGrid{1, lanes};
}
/// Grids for LU with pivots: whole columns, or whole rows. `solves`: there is a right-hand side.
KOKKOS_FUNCTION constexpr LaneGrid pivot_grid(int n, bool unit_rows, bool solves) {
  const bool by_columns = !unit_rows && (solves ? n == 3 : n != 4 && n <= 13);
  if (by_columns) return column_grid(n, false);
  if (n <= 4) return {2, 1};
  if (n <= 16) return {4, 1};
  return {n <= (solves ? 20 : 24) ? 16 : 32, 1};
}
/// Fewest rows from which on lanes have whole rows, for the factors of LU and one right-hand side.
/// No sums are then added across lanes.
inline constexpr int least_rows_of_factors = 13;
KOKKOS_FUNCTION constexpr LaneGrid factors_grid(int n) {
  return {n <= 16 ? 4 : n <= 24 ? 8 : 16, 1};
}

/// Most rows of a problem that one thread factors and solves in scratch memory.
inline constexpr int most_rows_of_thread = 12;

/// Bytes of a row that neighbouring lanes load or store together. It is a sector of memory, or two
/// sectors for rows of 96 bytes or more, because each line that an instruction touches takes time.
/// It is one sector with 8 or 16 lanes, or with an additional column, which leaves fewer registers
/// (2026-11-23; Potrf, n = 16: docs/tried.md).
KOKKOS_FUNCTION constexpr int bytes_of_row_pieces(int bytes_of_row, int lanes, bool column_behind) {
  return bytes_of_row >= 96 && (lanes == 32 || (lanes == 4 && !column_behind)) ? 64 : 32;
}

// --- Products on a GPU ---------------------------------------------------------------------------
// H200; since 2026-11-22 unless another date is given; before 0.1 (now perf_tests/gpu/Perf_Gemm and
// Perf_Contract; lines: Perf_FiniteElement).

/// Shared memory of a block that the library takes for copies of inputs.
inline constexpr int stage_bytes = 18432 + 512;
/// Shared memory of a block for copies by calls at the Vector level. With 48 registers a kernel has
/// ten blocks per SM, which this size leaves 60 KB of L1 (2026-11-28; Perf_Gemm, n = 16:
/// docs/tried.md).
inline constexpr int stage_bytes_of_threads = 18432 + 256;

/// Fewest elements of C for which whole warps run products with run-time extents, and the most
/// tiles of a block for which they run static products.
inline constexpr int least_elements_of_warps = 9 * 9;
inline constexpr int most_blocks_of_warps = 4;
/// Fewest static rows, columns and terms for which whole warps run products of 16-bit floats and of
/// floats by MMA instructions: half of such an instruction (not measured).
inline constexpr int least_extent_of_vector_warps = 8;
/// The most rows and columns of 16-bit floats for which warps are better than team tiles.
inline constexpr int most_rows_of_vector_warps = 32;
/// Elements that a lane loads at a time, to cover the latency of memory.
inline constexpr int most_loads_of_warps = 16;

/// Limits of team tiles, which run products whose inputs are too large to copy: the fewest rows and
/// columns, and the least percentage of filled tiles where there are MMA instructions. The last two
/// are the bytes of a worker's sums, for floats and for doubles (2026-11-28).
inline constexpr int least_rows_of_block_tiles = 32;
inline constexpr int least_percent_of_block_tiles = 70;
inline constexpr int bytes_of_block_sums[] = {256, 576};

/// Most rows of a product whose columns each belong to one worker (2026-11-24).
inline constexpr int most_rows_of_thin = 4;

/// Most registers (of 4 bytes) for a line and its result, in a product of a small matrix and the
/// lines of a tensor.
inline constexpr int most_registers_of_lines = 48;

/// Largest tile of a worker among many: rows, columns, elements and their bytes.
struct SharedTiles {
  int rows, cols, elements, bytes;
};
inline constexpr SharedTiles most_of_shared_tile{16, 4, 16, 256};
/// For floats: the fewest terms of a sum from which on four terms of an input are read at once, and
/// the most elements of a tile in this case (2026-11-27).
inline constexpr int least_terms_of_vectors = 20;
inline constexpr int most_elements_of_vectors = 32;
/// Cost of such a tile, in passes through shared memory, besides its loads and stores.
struct SharedTileCosts {
  double product = 0.5;  ///< for two elements
  int start = 15;
  int terms = 8;  ///< assumed for a mode whose extent is not known
};
inline constexpr SharedTileCosts shared_tile_costs;
/// Rows of a tile if the number of rows is not known.
inline constexpr int rows_of_dynamic_tile = 4;

/// Accumulators of 4 bytes that a worker holds. Its other registers are for operands.
inline constexpr int registers_for_sums = 64;
/// Most elements of a class of modes that an algorithm treats as static.
inline constexpr std::ptrdiff_t most_static_elements = 4096;

// --- Large products on a GPU, from the host ------------------------------------------------------
// H200; since 2026-11-22 unless another date is given; before 0.1 (now perf_tests/gpu/Perf_Large
// and Perf_Tccg). An SM has 128 FMAs of real numbers per cycle.

/// Rows and columns of a tile, the sums of a lane (0: as many as registers allow), the teams of an
/// SM at a time, and the fraction of the SM's peak that they reach.
struct LargeTile {
  int rows, cols;
  int sums;
  int teams;
  double efficiency;
};
/// Tiles for most products, and narrow tiles for products with few columns or terms.
struct LargeTiles {
  LargeTile most, narrow;
  double products_of_cycle;  ///< real products of an SM per cycle, as far as kernels use them
};
inline constexpr LargeTiles large_tiles{{128, 64, 0, 2, 1}, {128, 32, 32, 3, .6}, 128};
inline constexpr LargeTiles large_tiles_of_complex{{64, 64, 0, 2, 1}, {64, 32, 16, 3, .6}, 128};
/// Tiles for 16-bit floats (2026-11-29; Perf_Large).
inline constexpr LargeTiles large_tiles_of_short{{128, 128, 128, 2, 1}, {128, 64, 64, 3, .6}, 512};

/// Least part of a tile that a problem must fill, and least number of multiplications, for tiles to
/// be used.
inline constexpr double least_filled_of_large_tiles = 0.125;
inline constexpr double least_large_products = 64. * 64 * 64;

/// Costs of a large product on an SM besides its multiplications.
struct LargeCosts {
  double memory_bytes_of_cycle = 10;  ///< to and from memory
  double part_of_lone_team = .6;      ///< part of a round, for each team that the last round lacks
  double slices_of_start = 4;         ///< the time in which a team's pipeline fills
  double cycles_of_splits = 16000;    ///< cycles of a second kernel, which adds the parts of a sum
  int most_splits = 64;
  int least_slices_of_split = 16;
};
inline constexpr LargeCosts large_costs;

/// The cost of copies of inputs on an SM, and the memory that they may take.
struct CopyCosts {
  double bytes_of_cycle = 16;  ///< to and from memory
  double cycles_of_launch = 5000;
  double most_bytes = 512. * 1024 * 1024;
};
/// Relative cycles of a product whose inputs have neighbours along two letters of the sum, along
/// one letter, and of a product of matrices.
struct CyclesByLayout {
  double two_letters, one_letter, matrices;
};
inline constexpr CyclesByLayout cycles_by_layout{1.36, 1, .92};

/// How terms and positions of a large product are arranged in k-tiles.
struct LargeOrders {
  double most_rounding = 1.5;     ///< limit for rounding the terms of a mode up to whole k-tiles
  int terms_of_both = 4;          ///< terms of one index, in k-tiles that have terms of two
  int terms_of_small_output = 8;  ///< terms for each row or column from which on C counts as small
};
inline constexpr LargeOrders large_orders;

/// Most bytes of a problem's inputs for which teams with several problems are faster than tiles.
/// The second limit holds from `many_problems` problems on.
inline constexpr double most_bytes_of_problem = 16384;
inline constexpr double most_bytes_of_many_problems = 65536;
inline constexpr int many_problems = 1000;

// --- Teams of a GPU ------------------------------------------------------------------------------
// H200; since 2026-11-22 unless another date is given; before 0.1 (now the Team* rows of
// perf_tests/gpu). Seven or eight blocks of an SM have room for their problems in shared memory,
// and more blocks are not faster.

/// Threads of a block.
inline constexpr int threads_of_team = 128;
/// Most bytes of the operands of a problem whose matrices a warp holds (2026-11-23).
inline constexpr double most_bytes_of_warp = 32768;
/// The most problems of a team for the sake of inputs that all problems share (2026-12-01; three
/// layers of example/mlp of half_t: 34 TFLOP/s with one problem, 46 with three).
inline constexpr int most_problems_with_shared_inputs = 8;
/// Bytes of inputs that a team copies: for products alone, and for products with factorisations.
inline constexpr double staged_bytes_of_products = 16384;
inline constexpr double staged_bytes_of_factors = 18432;
/// Number of problems of a team whose kernel computes a product, its factorisation and the
/// solution, for matrices of n rows; and the number of warps of that team. Many small teams are
/// best, because some of them load while others factor.
constexpr int problems_of_pipeline(int n, int warp_size) {
  const int few = (96 / n + 2) / 4 * 4;
  return n <= 4 ? warp_size : (few > 4 ? few : 4);
}
constexpr int warps_of_pipeline(int n) { return n > 24 ? 2 : 1; }
/// Most warps of a team for the lines of a chain.
inline constexpr int most_warps_of_lines = 16;
/// Number of lanes of a thread whose problem has this many bytes of operands. Small problems leave
/// the lanes of a warp to several threads.
constexpr int lanes_of_thread(double bytes, int warp_size) {
  return bytes <= 3 * 128 ? 8 : (bytes <= 3 * 512 ? 16 : warp_size);
}

// --- Hosts ---------------------------------------------------------------------------------------
// Zen 4; since 2026-11-21 unless another date is given; before 0.1 (now scripts/bench cpu).

/// Rows and registers of tiles, in order of preference. Eight or more independent sums hide the
/// latency of two FMAs per cycle, and the operands fit into 16 registers (Perf_Gemm*).
inline constexpr TileShape tile_shapes[] = {{4, 2}, {3, 3}, {4, 3}, {5, 2}, {2, 4}};
/// The tile for this number of rows where an element is a register by itself.
constexpr TileShape tile_of_numbers(std::ptrdiff_t rows) {
  return rows == 5 || (rows % 3 == 0 && rows % 4 != 0) ? tile_shapes[1] : tile_shapes[0];
}
/// Fewest half cycles that a tile takes for one step of the sum. A core issues two FMAs per cycle,
/// and a step takes at least three cycles.
inline constexpr int least_half_cycles_of_tile = 6;
/// The tile where the register file holds few sums, because a sum takes several registers: sums of
/// packs, and complex sums. A result without rows means that the file holds more sums than that.
constexpr TileShape tile_of_few_sums(int sums) {
  if (sums < 4) return {1, 1};
  if (sums == 4) return {1, 3};
  if (sums < 8) return {1, 2};
  return {sums < 14 ? 2 : 0, 2};
}
/// Whether the register file holds enough sums for a multiplier that is shuffled.
constexpr bool has_sums_for_shuffles(int sums) { return sums > 4; }
/// The tile for such a multiplier, whose parts alternate with FMAs.
inline constexpr TileShape tile_of_shuffles{1, 6};
/// Registers of a tile of one row or of one column. `is_static`: the extent along the tile is
/// static.
constexpr int registers_of_line(bool is_static) { return is_static ? 8 : 4; }

/// Fewest multiplications for which packing pays off. The threshold is higher for matrices whose
/// rows a tile reads by whole registers without packing (Perf_Tccg and Perf_Contract; Perf_Gemm*).
/// It is lower with few registers, whose tiles read the matrices more often. It depends on the
/// distance of the rows, too: at a multiple of 2 or 4 KB their lines share few sets of an L1 cache
/// (AMD EPYC with AVX2, 2026-11-30; Perf_Lapack, and rows of 132 to 516 doubles).
inline constexpr double least_blocked_products = 64. * 64. * 64.;
KOKKOS_FUNCTION constexpr double least_blocked_matrix_products(std::ptrdiff_t bytes_between_rows) {
  if (bytes_between_rows % 4096 == 0) return least_blocked_products;
  const bool is_early = KOKKOSCONTRACT_VECTOR_REGISTERS < 32 || bytes_between_rows % 2048 == 0;
  return is_early ? 96. * 96. * 96. : 160. * 160. * 160.;
}
/// Sizes of packed blocks: terms, tiles of rows, tiles of columns, and tiles of columns if there
/// are few terms (Perf_Tccg).
struct PackedBlocks {
  int sums, row_tiles, col_tiles, most_col_tiles;
};
inline constexpr PackedBlocks packed_blocks{256, 16, 64, 512};

/// Limits of the slices of an output (product/OutputSlices.hpp): bytes of a slice and its input,
/// and the most terms of a sum (Xeon with AVX-512, 2026-11-29; "cpji,lpj->clpi" of Perf_Intrepid2,
/// 64 KB to 1 MB).
inline constexpr double bytes_of_output_slice = 131072;
inline constexpr double most_terms_of_output_slices = 16;
/// Small matrices at points (product/Points.hpp): the fewest rows and lanes, the most elements of a
/// vector at a point, and the most bytes of the copied matrices.
inline constexpr int least_rows_of_points = 4;
inline constexpr int least_lanes_of_points = 4;
inline constexpr int most_elements_of_point_vector = 4;
inline constexpr int bytes_of_point_matrices = 16384;

/// Bytes of a cache line.
inline constexpr std::ptrdiff_t bytes_of_line = 64;

/// Most elements of a small Y that is transposed once, on the stack, if several tiles of rows would
/// transpose it in registers (Perf_Gemm*).
inline constexpr int most_transposed_elements = 1280;

/// Views with static extents of at most this many elements get their own code for packed strides.
/// The compiler then unrolls it to constant offsets (Perf_Gemm*).
inline constexpr std::ptrdiff_t most_packed_elements = 256;
/// Routines whose operands are all static and have at most this many elements are inlined, because
/// a call would take as long as the routine (Perf_Gemm*).
inline constexpr std::ptrdiff_t most_inlined_elements = 16;
/// Limits for registers along a sum whose terms are neighbours in memory (Xeon, 2026-11-29;
/// Perf_SmallProducts).
struct RegistersAlongSum {
  int lanes = 4;           ///< fewest lanes of a machine's registers
  int terms = 4;           ///< fewest terms of a sum
  int terms_of_lanes = 8;  ///< fewest terms for which `lanes` lanes replace fewer
  int bytes = 16;          ///< smallest register
};
inline constexpr RegistersAlongSum along_sums;
/// Whether registers along a sum of this many terms are faster than registers along the output.
KOKKOS_FUNCTION constexpr bool are_enough_terms(std::ptrdiff_t terms, int lanes) {
  return terms >= along_sums.terms && 2 * terms > lanes;
}

/// Most multiplications of a static matrix and a vector that are written out element by element and
/// inlined (Xeon, 2026-11-29; Perf_SmallProducts).
inline constexpr std::ptrdiff_t most_products_by_elements = 36;
/// Whether registers along the sums suit this matrix times a vector: the terms fill the registers.
/// They do not if there are few terms, or an odd number of terms of doubles (Xeon, 2026-11-29;
/// Perf_SmallProducts).
constexpr bool fill_registers(std::ptrdiff_t rows, std::ptrdiff_t terms, int bytes) {
  return terms >= 4 && (bytes == 4 || terms % 2 == 0) && rows >= 4 &&
         (rows <= terms || rows % 4 == 0);
}
/// Whether the multiplications of such a product stay apart. If the compiler joined them, it would
/// gather the elements of neighbours in a register, which takes longer than the multiplications
/// (Xeon, 2026-11-29; Perf_SmallProducts).
constexpr bool are_kept_apart(std::ptrdiff_t rows, int lanes, int bytes) {
  return lanes > 2 && (rows > 4 || (bytes == 4 && rows == 3));
}
/// Whether a static product of matrices is written out element by element. `joins`: the columns are
/// neighbours in memory. `by_lines`: the terms of a sum are neighbours in the first input.
constexpr bool is_written_out(std::ptrdiff_t rows, std::ptrdiff_t cols, std::ptrdiff_t terms,
                              int lanes, bool joins, bool by_lines) {
  const std::ptrdiff_t products = rows * cols * terms;
  if (products <= 8 || (products <= 27 && lanes == 2)) return true;
  return rows == 4 && cols == 4 && terms == 4 && joins && (by_lines || lanes == 2);
}
/// Whether the sums of such a product begin with C, where beta is 1.
constexpr bool begin_with_output(int bytes) { return bytes == 8; }
/// Most rows and columns, known at run time, of a matrix whose product with a vector is an inlined
/// plain loop (Xeon, 2026-11-29; Perf_SmallProducts).
inline constexpr int most_rows_of_loop = 6;
/// Most multiplications of such a loop if registers of eight lanes could run along its sums.
inline constexpr int most_products_of_loop = 30;
/// Most rows of such a loop if columns are neighbours in memory, which registers load at once.
inline constexpr int most_rows_of_strided_loop = 4;
/// Lanes of registers along the sums of somewhat larger products.
inline constexpr int lanes_of_small_sums = 8;

/// Tiles of products of small matrices with run-time extents: the main tile, the tile of the
/// remaining rows and columns, and the fewest and the most rows and columns (Perf_Gemm*).
struct SmallTile {
  TileShape main, rest;
  int least, most;
};
/// A product in one tile, a product with registers that overlap, and a product of few columns,
/// where registers have many lanes.
inline constexpr SmallTile smallest_tile{{4, 0}, {0, 0}, 1, 4};
inline constexpr SmallTile overlapping_tile{{3, 0}, {2, 0}, 4, 6};
inline constexpr SmallTile narrow_tile{{4, 1}, {0, 0}, 5, 8};
inline constexpr int least_lanes_of_narrow_tile = 8;
/// Tiles of packs, where the register file holds enough sums.
inline constexpr SmallTile tiles_of_packs[] = {
    {{3, 3}, {0, 0}, 3, 9}, {{3, 3}, {2, 2}, 5, 5}, {{4, 2}, {3, 1}, 7, 11}};
inline constexpr int least_sums_for_packs = 14;

/// Most static rows of a factorisation whose blocks of columns are unrolled (2026-11-22;
/// Perf_SmallDense).
inline constexpr int most_unrolled_rows = 16;
/// LU, triangular solves and Cholesky by halves (dense/HalvedLU.hpp, HalvedSolve.hpp and
/// HalvedCholesky.hpp): the most columns of a panel (rows, in a solve), and the fewest steps (of a
/// solve: with copies; without them, more than a panel). Smaller matrices with static extents have
/// faster code of their own. A copy for a triangular solve has this many columns (Xeon with
/// AVX-512, 2026-11-30; SerialGetrf, SerialLU, SerialTrsm and SerialPotrf beside OpenBLAS).
struct HalvedSizes {
  int cols_of_panel, least_steps;
};
inline constexpr HalvedSizes pivoted_halves{16, 32};
inline constexpr HalvedSizes unpivoted_halves{32, 32};
inline constexpr HalvedSizes solved_halves{64, 8};
inline constexpr int least_static_steps_of_halves = 128;
inline constexpr int cols_of_solved_copy = 256;
/// Fewest right-hand sides of a copy. Without copies they are more than the lanes of a register.
inline constexpr int least_cols_of_solved_copy = 4;
/// Products with a triangle and inverses of triangles by halves (dense/HalvedProduct.hpp and
/// HalvedInverse.hpp): the most rows of a panel, and the fewest rows of a matrix, which are fewer
/// if a product copies its rows, and those of a matrix with static extents (AMD EPYC with AVX2,
/// 2026-11-30; SerialTrmm and SerialTrtri beside OpenBLAS).
struct MultipliedSizes : HalvedSizes {
  int least_steps_with_copies;
};
inline constexpr MultipliedSizes multiplied_halves{{16, 40}, 8};
inline constexpr HalvedSizes inverted_halves{16, 24};
inline constexpr int least_static_rows_of_halves = 40;
/// Cholesky also copies the squares on the diagonal, of at most this many columns.
struct HalvedCholeskySizes : HalvedSizes {
  int cols_of_square;
};
inline constexpr HalvedCholeskySizes cholesky_of_columns{{32, 33}, 16};
inline constexpr HalvedCholeskySizes cholesky_of_copies{{64, 32}, 64};
/// QR by panels (dense/PanelQR.hpp): the columns of a panel, which are more from so many rows on,
/// the bytes of its copy, the columns that its reflectors are applied to at once, the fewest of
/// them for Ormqr, and the fewest rows and columns of a matrix with and without contiguous rows
/// (AMD EPYC with AVX2, 2026-11-30; SerialGeqrf beside OpenBLAS).
struct PanelQRSizes {
  int cols_of_panel, cols_of_wide_panel, rows_of_wide_panel;
  int bytes_of_panel, cols_of_strip, least_cols_of_target;
  int least_steps_of_rows, least_steps_of_columns;
};
inline constexpr PanelQRSizes qr_panels{8, 16, 160, 1 << 16, 64, 16, 40, 24};
/// Most static rows of a triangular solve that keeps all its sums in registers (Perf_Trsv).
inline constexpr int most_rows_at_once = 6;

/// Registers of right-hand sides that a band solve processes at once, so that rows that depend on
/// each other overlap (Perf_Band).
inline constexpr int band_registers_of_columns = KOKKOSCONTRACT_VECTOR_REGISTERS / 8;
/// Rows that a band solve loads before it computes with them, for this window. There are few where
/// many threads of a GPU hide the latency of the loads, because the widest window sets the
/// registers of all. There are more where a workspace in shared memory leaves few threads.
consteval int band_rows_at_once(int window, bool has_workspace) {
  if (has_workspace) return window <= 3 ? 16 : (window <= 6 ? 8 : 4);
  return window <= 6 ? 4 : 2;
}
/// Rows that a solve with such a workspace loads at once when fewer rows are left (H200,
/// 2026-11-29; Perf_Band, Serial-workspace).
inline constexpr int band_rows_at_edges = 4;
/// The longest window whose rows stay in registers in this case. Longer windows were slower.
inline constexpr int band_longest_window_at_edges = 6;

/// Bytes of the operands of a host team's problems (half of an L1 cache), and the most problems of
/// such a team (2026-11-22; Perf_SmallDense).
inline constexpr double bytes_of_host_team = 16384;
inline constexpr int most_problems_of_host_team = 64;
/// Bytes of the problems' own operands for each byte that all problems share (2026-11-29;
/// Perf_Programs, Linear).
inline constexpr double own_per_shared_byte = 32;

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
