// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_TUNED_HPP
#define KOKKOSCONTRACT_MACHINE_TUNED_HPP

// Numbers that are as they are because something else was slower, with the machine on which that
// was measured, the day from which on they are used, and the command. "before 0.1": by the
// benchmark's program at that time, whose call was not written down. Nothing has been measured on
// GPUs of AMD, which use the same numbers.
//
//   H200     NVIDIA H200, CUDA 13
//   Zen 4    AMD EPYC (family 25, model 17), AVX-512 and AVX2, GCC 16

#include <KokkosContract/machine/LaneGrid.hpp>
#include <cstddef>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

// --- Matrices in the registers of a GPU's lanes --------------------------------------------------
// H200; since 2026-11-22, where nothing else is said; before 0.1 (now
// perf_tests/gpu/Perf_SmallDense and, interleaved, Perf_BlockSolver).

/// Rows of the largest matrix that is held there.
inline constexpr int most_rows = 32;

/// Grids of lanes for n rows: few lanes need few shuffles and instructions for a problem; more of
/// them, fewer registers.
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
/// For one right-hand side, where sums are added over the columns of the grid.
KOKKOS_FUNCTION constexpr LaneGrid vector_grid(int n, bool unit_rows, bool interleaved) {
  if (n > 8 && n <= 16) return {2, 2};
  if (n > 24) return {4, 4};
  return lane_grid(n, unit_rows, interleaved);
}
/// For a triangle, which is its own mirror image: as many rows as columns, or whole rows
/// (2026-11-23).
KOKKOS_FUNCTION constexpr LaneGrid triangle_grid(int n) {
  return n <= 8 ? LaneGrid{2, 2} : n <= 16 ? LaneGrid{4, 1} : LaneGrid{4, 4};
}
/// For what looks at whole columns: a lane has them, as long as it has registers for them.
KOKKOS_FUNCTION constexpr LaneGrid column_grid(int n, bool unit_rows) {
  const int lanes = n <= 4 ? 2 : n <= 16 ? 4 : n <= 24 ? 8 : 16;
  return unit_rows ? LaneGrid{lanes, 1} : LaneGrid{1, lanes};
}
/// For LU with pivots: whole columns, or whole rows; with a right-hand side, if `solves`.
KOKKOS_FUNCTION constexpr LaneGrid pivot_grid(int n, bool unit_rows, bool solves) {
  const bool by_columns = !unit_rows && (solves ? n == 3 : n != 4 && n <= 13);
  if (by_columns) return column_grid(n, false);
  if (n <= 4) return {2, 1};
  if (n <= 16) return {4, 1};
  return {n <= (solves ? 20 : 24) ? 16 : 32, 1};
}
/// For the factors of LU and one right-hand side, from so many rows on: whole rows, so that nothing
/// is to be added over lanes.
inline constexpr int least_rows_of_factors = 13;
KOKKOS_FUNCTION constexpr LaneGrid factors_grid(int n) {
  return {n <= 16 ? 4 : n <= 24 ? 8 : 16, 1};
}

/// Up to so many rows, a thread factors and solves a problem in scratch memory alone.
inline constexpr int most_rows_of_thread = 12;

/// Bytes of a row that neighbouring lanes load or store together: a sector of memory, or two of
/// rows of 96 bytes or more, because each line that an instruction touches takes time; but not with
/// 8 or 16 lanes, nor with a column behind, which leaves fewer registers (2026-11-23; Potrf, n =
/// 16: 63 % of the bound and not 48).
KOKKOS_FUNCTION constexpr int bytes_of_row_pieces(int bytes_of_row, int lanes, bool column_behind) {
  return bytes_of_row >= 96 && (lanes == 32 || (lanes == 4 && !column_behind)) ? 64 : 32;
}

// --- Products on a GPU ---------------------------------------------------------------------------
// H200; since 2026-11-22, where nothing else is said; before 0.1 (now perf_tests/gpu/Perf_Gemm and
// Perf_Contract; lines: Perf_FiniteElement).

/// Shared memory of a block that the library takes for copies of inputs.
inline constexpr int stage_bytes = 18432 + 512;
/// The same of calls at the Vector level, by all threads of a block: so much less that ten blocks,
/// which is what 48 registers let be, leave the first cache 60 KB and not 28 (2026-11-28; products
/// of n = 16: 99 % of the bound and not 78).
inline constexpr int stage_bytes_of_threads = 18432 + 256;

/// Elements of C from which on whole warps take products with run-time extents, and blocks of tiles
/// of static ones up to which they do.
inline constexpr int least_elements_of_warps = 9 * 9;
inline constexpr int most_blocks_of_warps = 4;
/// Elements that a lane waits for at a time: what covers the latency of the memory.
inline constexpr int most_loads_of_warps = 16;

/// Rows and columns from which on products that are too large for copies of their inputs go by
/// block tiles; how full these are, where there are matrix instructions; bytes of a worker's sums,
/// of floats and of doubles (2026-11-28).
inline constexpr int least_rows_of_block_tiles = 32;
inline constexpr int least_percent_of_block_tiles = 70;
inline constexpr int bytes_of_block_sums[] = {256, 576};

/// Rows of products whose columns workers have as a whole (2026-11-24).
inline constexpr int most_rows_of_thin = 4;

/// Of a small matrix times lines of a tensor: registers of 4 bytes for a line and its result.
inline constexpr int most_registers_of_lines = 48;

/// Tiles of a worker among many: rows, columns, elements and their bytes.
struct SharedTiles {
  int rows, cols, elements, bytes;
};
inline constexpr SharedTiles most_of_shared_tile{16, 4, 16, 256};
/// Of floats, terms of a sum from which on four of an input are read at once, and elements of tiles
/// then (2026-11-27).
inline constexpr int least_terms_of_vectors = 20;
inline constexpr int most_elements_of_vectors = 32;

// --- Teams of a GPU ------------------------------------------------------------------------------
// H200; since 2026-11-22, where nothing else is said; before 0.1 (now the Team* rows of
// perf_tests/gpu). 7 or 8 blocks of a multiprocessor have room for their problems in shared memory,
// and more of them are not faster.

/// Threads of a block.
inline constexpr int threads_of_team = 128;
/// Bytes of the operands of one problem whose matrices a warp holds (2026-11-23).
inline constexpr double most_bytes_of_warp = 32768;
/// Bytes of inputs that a team copies, of products alone and with factorisations.
inline constexpr double staged_bytes_of_products = 16384;
inline constexpr double staged_bytes_of_factors = 18432;
/// Problems of a product, its factorisation and solution in one kernel, for matrices of n rows:
/// many small teams, some of which load while others factor; and a team's waves.
constexpr int problems_of_pipeline(int n, int wave) {
  const int few = (96 / n + 2) / 4 * 4;
  return n <= 4 ? wave : (few > 4 ? few : 4);
}
constexpr int waves_of_pipeline(int n) { return n > 24 ? 2 : 1; }
/// Waves of the lines of a chain, at most.
inline constexpr int most_waves_of_lines = 16;
/// Lanes of a thread with a problem whose operands have so many bytes: small ones leave the lanes
/// of a wave to several threads.
constexpr int lanes_of_thread(double bytes, int wave) {
  return bytes <= 3 * 128 ? 8 : (bytes <= 3 * 512 ? 16 : wave);
}

// --- Hosts ---------------------------------------------------------------------------------------
// Zen 4; since 2026-11-21, where nothing else is said; before 0.1 (now scripts/bench cpu).

/// Rows and registers of tiles, in order of preference: eight or more independent sums hide the
/// latency of two multiply-adds a cycle, and there is room for the operands in 16 registers
/// (Perf_Gemm*).
struct TileShape {
  int rows, cols;
};
inline constexpr TileShape tile_shapes[] = {{4, 2}, {3, 3}, {4, 3}, {5, 2}, {2, 4}};

/// Multiplications from which on packing pays: later where the operands are matrices whose rows a
/// tile reads by whole registers anyway (Perf_Tccg and Perf_Contract; Perf_Gemm*).
inline constexpr double least_blocked_products = 64. * 64. * 64.;
inline constexpr double least_blocked_matrix_products = 160. * 160. * 160.;
/// Packed blocks: terms, tiles of rows and of columns, and of columns where there are few terms
/// (Perf_Tccg).
struct PackedBlocks {
  int sums, row_tiles, col_tiles, most_col_tiles;
};
inline constexpr PackedBlocks packed_blocks{256, 16, 64, 512};

/// Elements of a small Y that is transposed once, on the stack, where several tiles of rows would
/// do so in registers (Perf_Gemm*).
inline constexpr int most_transposed_elements = 1280;

/// Views with static extents of at most this many elements get code of their own for packed
/// strides, which the compiler unrolls to constant offsets (Perf_Gemm*).
inline constexpr std::ptrdiff_t most_packed_elements = 256;
/// Routines whose operands are all static and this small are inlined: the call would take as long
/// (Perf_Gemm*).
inline constexpr std::ptrdiff_t most_inlined_elements = 16;

/// Static rows of a factorisation whose blocks of columns are unrolled (2026-11-22;
/// Perf_SmallDense).
inline constexpr int most_unrolled_rows = 16;
/// Static rows of a triangular solve whose sums stay in registers together (Perf_Trsv).
inline constexpr int most_rows_at_once = 6;

/// Registers of right-hand sides that a band solve takes at once, so that rows that wait for each
/// other overlap (Perf_Band).
inline constexpr int band_registers_of_columns = KOKKOSCONTRACT_VECTOR_REGISTERS / 8;

/// Bytes of the operands of a team's problems, half of a first-level cache, and so many problems at
/// most (2026-11-22; Perf_SmallDense).
inline constexpr double bytes_of_host_team = 16384;
inline constexpr int most_problems_of_host_team = 64;

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
