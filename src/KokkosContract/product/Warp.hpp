// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_WARP_HPP
#define KOKKOSCONTRACT_PRODUCT_WARP_HPP

// Products of doubles by the tensor cores of a GPU's warps. A warp has a block of tiles of 8 x 8 in
// its registers and reads its inputs from where they are, each element once a block: without shared
// memory, and without waiting for other warps. What the tiles have more than the product is zero.
//
// The columns of Y are numbered so that a lane's two sums are of columns l % 4 and 4 + l % 4: lanes
// that store side by side then fill sectors of 32 bytes.

#include <KokkosContract/lanes/WarpMatrix.hpp>
#include <KokkosContract/level/Stage.hpp>
#include <KokkosContract/machine/TensorCore.hpp>
#include <KokkosContract/nest/Offsets.hpp>
#include <KokkosContract/product/Tiles.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// How a warp goes through a product.
struct WarpPlan {
  bool possible = false;
  bool is_static = false;  // else a class of indices is one mode, and its extent may be dynamic
  int rows = 0;            // of the product; 0: known at run time
  int cols = 0;
  int sums = 0;
  int block_rows = 1;  // tiles of a block
  int block_cols = 1;
  int row_blocks = 1;  // blocks of a problem
  int col_blocks = 1;
  int shared = 1;    // problems in a tile, one below the other
  int together = 1;  // blocks whose inputs are on their way at a time
  int chunk = 1;     // steps of four terms whose inputs are

  static constexpr int tile = 8;
  static constexpr int step = 4;
  /// Whether the tiles have nothing more than the product.
  consteval bool whole_rows() const {
    return is_static && row_blocks * block_rows * tile == rows * shared;
  }
  consteval bool whole_cols() const {
    return is_static && col_blocks * block_cols * tile == cols * shared;
  }

  /// Elements that a lane waits for at a time: what covers the latency of the memory.
  static constexpr int most_loads = 16;
  consteval int steps() const { return (sums + step - 1) / step; }
};

template <int N>
consteval WarpPlan warp_plan(const Nest<N>& nest) {
  WarpPlan plan{};
  plan.rows = static_size(nest, Class::row);
  plan.cols = static_size(nest, Class::col);
  plan.sums = static_size(nest, Class::sum);
  plan.is_static = plan.rows > 0 && plan.cols > 0 && plan.sums > 0;
  if (!plan.is_static) {
    plan.possible = nest.has_x && nest.of(Class::row) == 1 && nest.of(Class::col) == 1 &&
                    nest.of(Class::sum) == 1;
    plan.block_rows = 2;
    plan.block_cols = 2;
    plan.chunk = 2;
    return plan;
  }
  plan.possible = nest.has_x && plan.rows > 2 && plan.cols > 2 && plan.sums > 1;
  if (!plan.possible) return plan;
  const auto cut_evenly = [](int size, int& block, int& blocks) {
    const int tiles = (size + WarpPlan::tile - 1) / WarpPlan::tile;
    blocks = (tiles + 3) / 4;
    block = (tiles + blocks - 1) / blocks;
  };
  cut_evenly(plan.rows, plan.block_rows, plan.row_blocks);
  cut_evenly(plan.cols, plan.block_cols, plan.col_blocks);
  if (plan.rows <= 4 && plan.cols <= 4) plan.shared = 2;
  const int loads = plan.block_rows + plan.block_cols;
  const auto at_most = [](int x, int most) { return x < most ? x : most; };
  plan.chunk = at_most(WarpPlan::most_loads / loads, plan.steps());
  plan.together = at_most(WarpPlan::most_loads / (loads * plan.chunk), 4);
  return plan;
}

/// The warps of a level, if it is made of whole ones and the GPU has the instruction.
struct Warps {
  int index;
  int count;
};
template <class Space>
KOKKOS_FORCEINLINE_FUNCTION Warps warps_of(const VectorLevel<Space>& level) {
  return {0, has_tensor_cores && level.size() == warp_size ? 1 : 0};
}
template <Level L>
KOKKOS_FORCEINLINE_FUNCTION Warps warps_of_block(const L& level) {
  const bool whole = has_tensor_cores && level.size() % warp_size == 0;
  return {level.rank() / warp_size, whole ? level.size() / warp_size : 0};
}
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION Warps warps_of(const TeamVectorLevel<Member>& level) {
  return warps_of_block(level);
}
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION Warps warps_of(const TeamLevel<Member>& level) {
  // With vector lanes, each of them is a team with a problem of its own.
  return lanes_of_thread() > 1 ? Warps{0, 0} : warps_of_block(level);
}

template <class L>
KOKKOS_FORCEINLINE_FUNCTION Warps warps_of(const InPlaceLevel<L>& in_place) {
  return warps_of(in_place.level);
}

template <Nest S, class X, class Y, class C, class Output>
struct WarpExecutor : NestOffsets<S> {
  static constexpr WarpPlan plan = warp_plan(S);
  static constexpr int height = plan.block_rows;
  static constexpr int width = plan.block_cols;
  static constexpr int tile = WarpPlan::tile;

  using Offsets = NestOffsets<S>;
  using Of = typename Offsets::Of;
  using Offsets::loops;

  const Output& output;

  KOKKOS_FORCEINLINE_FUNCTION WarpExecutor(const Loops<S>& nest, const Output& to)
      : Offsets{nest}, output(to) {}

  template <Of O, Class K>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset_in(int flat) const {
    return Offsets::template offset_in<O, K>(flat);
  }

  KOKKOS_FORCEINLINE_FUNCTION static int lane() { return lane_of_warp(); }
  template <Class K, int Static>
  KOKKOS_FORCEINLINE_FUNCTION int size_of() const {
    if constexpr (Static > 0) {
      return Static;
    } else {
      return loops.template extent<S.begin(K)>();
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION int rows() const { return size_of<Class::row, plan.rows>(); }
  KOKKOS_FORCEINLINE_FUNCTION int cols() const { return size_of<Class::col, plan.cols>(); }
  KOKKOS_FORCEINLINE_FUNCTION int sums() const { return size_of<Class::sum, plan.sums>(); }
  KOKKOS_FORCEINLINE_FUNCTION int row_blocks() const {
    return plan.is_static ? plan.row_blocks : (rows() + height * tile - 1) / (height * tile);
  }
  KOKKOS_FORCEINLINE_FUNCTION int col_blocks() const {
    return plan.is_static ? plan.col_blocks : (cols() + width * tile - 1) / (width * tile);
  }

  /// Whether neighbours in X can be read together wherever a lane's are: all strides are even.
  template <int... I>
  KOKKOS_FORCEINLINE_FUNCTION bool has_pairs(const X* x, std::integer_sequence<int, I...>) const {
    constexpr std::ptrdiff_t word = sizeof(double);
    const std::ptrdiff_t strides =
        (std::ptrdiff_t{0} | ... | (I == last_sum ? 0 : loops.template x<I>()));
    return (static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(x)) | strides * word) %
               (2 * word) ==
           0;
  }
  /// Of C, where it is static and the only one.
  static constexpr int row_stride = S.of(Class::row) == 1 && S.c[S.begin(Class::row)] != dynamic
                                        ? static_cast<int>(S.c[S.begin(Class::row)])
                                        : 0;
  static constexpr int last_sum = S.end(Class::sum) - 1;
  static constexpr bool may_have_pairs = S.x[last_sum] == 1 && S.extent[last_sum] % 2 == 0;

  /// Blocks number first + q * apart, for q < plan.together. Pairs: lanes read two neighbouring
  /// terms from X at a time, which belong to two steps.
  template <bool Pairs>
  KOKKOS_FORCEINLINE_FUNCTION void blocks(int first, int apart, int count, int problems, const X* x,
                                          const Y* y, C* c) const {
    constexpr int together = plan.together;
    constexpr int shared = plan.shared;
    constexpr int part = tile / shared;  // rows and columns of a problem in its tile
    constexpr int each = Pairs ? 2 : 1;  // steps whose inputs are read together
    const int rounds = ((sums() + WarpPlan::step - 1) / WarpPlan::step + each - 1) / each;
    constexpr int chunk = (plan.chunk + each - 1) / each;
    const int row = lane() / 4;  // in a tile
    const int col = row % 2 * 4 + row / 2;
    const int term = lane() % 4;
    constexpr int banks = 16;  // of 8 bytes
    const bool flipped = row_stride > 0 && flips_halves(row_stride, banks) && has_flipped_half(row);
    const X* xs[together];
    const Y* ys[together];
    C* cs[together];
    int row0[together];
    int col0[together];
    bool has_row[together];
    bool has_col[together];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int q = 0; q < together; ++q) {
      int u = first + q * apart;
      col0[q] = u % col_blocks() * width * tile;
      u /= col_blocks();
      row0[q] = u % row_blocks() * height * tile;
      u /= row_blocks();
      const bool active = first + q * apart < count;
      const int row_problem = u * shared + row / part;
      const int col_problem = u * shared + col / part;
      has_row[q] = active && row_problem < problems;
      has_col[q] = active && col_problem < problems;
      xs[q] = x + offset_in<Of::x, Class::batch>(row_problem);
      ys[q] = y + offset_in<Of::y, Class::batch>(col_problem);
      cs[q] = c + offset_in<Of::c, Class::batch>(row_problem);
    }
    double sum[together][height][width][2]{};
    const auto add_chunk = [&](int start) KOKKOSCONTRACT_INLINE_LAMBDA {
      double a[chunk][together][height][each];
      double b[chunk][together][width][each];
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int s = 0; s < chunk && (!plan.is_static || start + s < rounds); ++s) {
        const int k = ((start + s) * WarpPlan::step + term) * each;
        const bool is_whole =
            plan.is_static && (start + s + 1) * WarpPlan::step * each <= plan.sums;
        const bool has_term = is_whole || k < sums();
        const std::ptrdiff_t xk = offset_in<Of::x, Class::sum>(k);
        std::ptrdiff_t yk[each];
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int e = 0; e < each; ++e) yk[e] = offset_in<Of::y, Class::sum>(k + e);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int q = 0; q < together; ++q) {
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int i = 0; i < height; ++i) {
            const int r = row0[q] + i * tile + row % part;
            const bool reads = has_row[q] && has_term && (plan.whole_rows() || r < rows());
            const X* at = xs[q] + offset_in<Of::x, Class::row>(r) + xk;
            if constexpr (Pairs) {
              a[s][q][i][0] = a[s][q][i][1] = 0;
              if (reads) load_pair(at, a[s][q][i]);
            } else {
              a[s][q][i][0] = reads ? *at : 0.0;
            }
          }
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int j = 0; j < width; ++j) {
            const int r = col0[q] + j * tile + col % part;
            const bool reads = has_col[q] && has_term && (plan.whole_cols() || r < cols());
            const Y* at = ys[q] + offset_in<Of::y, Class::col>(r);
            KOKKOSCONTRACT_UNROLL_IN_LANES
            for (int e = 0; e < each; ++e) b[s][q][j][e] = reads ? at[yk[e]] : 0.0;
          }
        }
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int s = 0; s < chunk && (!plan.is_static || start + s < rounds); ++s) {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int e = 0; e < each; ++e) {
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int q = 0; q < together; ++q) {
            KOKKOSCONTRACT_UNROLL_IN_LANES
            for (int i = 0; i < height; ++i) {
              KOKKOSCONTRACT_UNROLL_IN_LANES
              for (int j = 0; j < width; ++j) {
                tensor_multiply_add(sum[q][i][j], a[s][q][i][e], b[s][q][j][e]);
              }
            }
          }
        }
      }
    };
    if constexpr (plan.is_static) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int start = 0; start < rounds; start += chunk) add_chunk(start);
    } else {
      KOKKOSCONTRACT_NO_UNROLL
      for (int start = 0; start < rounds; start += chunk) add_chunk(start);
    }
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int q = 0; q < together; ++q) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = 0; i < height; ++i) {
        const int r = row0[q] + i * tile + row % part;
        const bool stores = has_row[q] && (plan.whole_rows() || r < rows());
        C* ci = cs[q] + offset_in<Of::c, Class::row>(r);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int j = 0; j < width; ++j) {
          const double low = sum[q][i][j][0];
          const double high = sum[q][i][j][1];
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int turn = 0; turn < 2; ++turn) {
            const int half = flipped ? 1 - turn : turn;
            const int at = half * 4 + term;
            const int column = col0[q] + j * tile + at % part;
            if (stores && at / part == row / part && (plan.whole_cols() || column < cols())) {
              output.template put<1, true, true, 0, -1>(ci + offset_in<Of::c, Class::col>(column),
                                                        1, half == 0 ? low : high, 1, nullptr);
            }
          }
        }
      }
    }
  }

  template <bool Pairs>
  KOKKOS_FORCEINLINE_FUNCTION void all_blocks(const Warps& warps, const X* x, const Y* y,
                                              C* c) const {
    const int problems = this->batch();
    const int count = (problems + plan.shared - 1) / plan.shared * row_blocks() * col_blocks();
    for (int u = warps.index; u < count; u += warps.count * plan.together) {
      blocks<Pairs>(u, warps.count, count, problems, x, y, c);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void run(const Warps& warps, const X* x, const Y* y, C* c) const {
    warp_barrier(~0U);
    if constexpr (may_have_pairs) {
      using All = std::make_integer_sequence<int, S.end(Class::sum)>;
      if (has_pairs(x, All{})) {
        all_blocks<true>(warps, x, y, c);
        return;
      }
    }
    all_blocks<false>(warps, x, y, c);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
