// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_WARP_HPP
#define KOKKOSCONTRACT_PRODUCT_WARP_HPP

// Products by the MMA instructions of a GPU's warps. A warp has a block of tiles in its registers,
// and each tile is the sums of an atom. It reads its inputs from their own memory, each element
// once per block. So it needs no shared memory and does not wait for other warps. The parts of
// tiles outside of the product are zero.

#include <KokkosContract/lanes/LaneMatrix.hpp>
#include <KokkosContract/level/Stage.hpp>
#include <KokkosContract/nest/Offsets.hpp>
#include <KokkosContract/product/Algorithm.hpp>
#include <KokkosContract/product/Tiles.hpp>
#include <KokkosContract/product/WarpLoop.hpp>
#include <KokkosContract/product/WarpVectors.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// How a warp runs a product.
struct WarpPlan {
  bool possible = false;
  bool is_static = false;  // else each class of indices is one mode, and its extent may be dynamic
  int rows = 0;            // rows of the product; 0: known at run time
  int cols = 0;
  int sums = 0;
  int block_rows = 1;  // tiles of a block
  int block_cols = 1;
  int row_blocks = 1;  // blocks of a problem
  int col_blocks = 1;
  int shared = 1;     // problems in a tile, one below the other
  int together = 1;   // blocks whose inputs are in flight at a time
  int chunk = 1;      // steps of an atom's terms whose inputs are in flight at a time
  int tile_rows = 1;  // rows of the atom
  int tile_cols = 1;
  int step = 1;

  /// Whether the rows of the tiles are exactly those of the product.
  consteval bool whole_rows() const {
    return is_static && row_blocks * block_rows * tile_rows == rows * shared;
  }
  consteval bool whole_cols() const {
    return is_static && col_blocks * block_cols * tile_cols == cols * shared;
  }

  consteval int steps() const { return (sums + step - 1) / step; }
};

template <class Atom, int N>
consteval WarpPlan warp_plan(const Nest<N>& nest) {
  WarpPlan plan{};
  plan.tile_rows = Atom::m;
  plan.tile_cols = Atom::n;
  plan.step = Atom::k;
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
  const auto cut_evenly = [](int size, int tile, int& block, int& blocks) {
    const int tiles = (size + tile - 1) / tile;
    blocks = (tiles + 3) / 4;
    block = (tiles + blocks - 1) / blocks;
  };
  cut_evenly(plan.rows, Atom::m, plan.block_rows, plan.row_blocks);
  cut_evenly(plan.cols, Atom::n, plan.block_cols, plan.col_blocks);
  if (plan.rows <= Atom::m / 2 && plan.cols <= Atom::n / 2) plan.shared = 2;
  const int loads = plan.block_rows + plan.block_cols;
  const auto at_most = [](int x, int most) { return x < most ? x : most; };
  plan.chunk = at_most(most_loads_of_warps / loads, plan.steps());
  plan.together = at_most(most_loads_of_warps / (loads * plan.chunk), 4);
  return plan;
}

template <class Machine, class Atom, Nest S, class X, class Y, class C, class Output>
struct WarpExecutor : NestOffsets<S> {
  using Acc = typename Atom::Acc;
  static constexpr WarpPlan plan = warp_plan<Atom>(S);
  static constexpr int height = plan.block_rows;
  static constexpr int width = plan.block_cols;

  using Offsets = NestOffsets<S>;
  using Of = typename Offsets::Of;
  using Offsets::loops;

  const Output& output;

  KOKKOS_FORCEINLINE_FUNCTION WarpExecutor(const Loops<S>& nest, const Output& to)
      : Offsets{nest}, output(to) {}

  template <Class K, int Static>
  KOKKOS_FORCEINLINE_FUNCTION int size_of() const {
    if constexpr (Static > 0) {
      return Static;
    } else {
      return static_cast<int>(loops.template extent<S.begin(K)>());
    }
  }
  /// Whether an int can count the terms and the blocks.
  KOKKOS_FORCEINLINE_FUNCTION bool counts() const {
    bool all = this->counts_parts(static_cast<std::ptrdiff_t>(row_blocks()) * col_blocks());
    if constexpr (!plan.is_static) {
      all = all && loops.template extent<S.begin(Class::sum)>() <= most_extent;
    }
    return all;
  }
  KOKKOS_FORCEINLINE_FUNCTION int rows() const { return size_of<Class::row, plan.rows>(); }
  KOKKOS_FORCEINLINE_FUNCTION int cols() const { return size_of<Class::col, plan.cols>(); }
  KOKKOS_FORCEINLINE_FUNCTION int sums() const { return size_of<Class::sum, plan.sums>(); }
  KOKKOS_FORCEINLINE_FUNCTION bool has_more_elements_than(int count) const {
    return static_cast<std::ptrdiff_t>(rows()) * cols() > count;
  }
  KOKKOS_FORCEINLINE_FUNCTION int row_blocks() const {
    return plan.is_static ? plan.row_blocks : (rows() + height * Atom::m - 1) / (height * Atom::m);
  }
  KOKKOS_FORCEINLINE_FUNCTION int col_blocks() const {
    return plan.is_static ? plan.col_blocks : (cols() + width * Atom::n - 1) / (width * Atom::n);
  }

  /// Whether each lane can read pairs of neighbours in X at once: all strides are even.
  KOKKOS_FORCEINLINE_FUNCTION bool has_pairs(const X* x) const {
    return has_pairs(x, std::make_integer_sequence<int, S.end(Class::sum)>{});
  }
  template <int... I>
  KOKKOS_FORCEINLINE_FUNCTION bool has_pairs(const X* x, std::integer_sequence<int, I...>) const {
    constexpr std::ptrdiff_t word = sizeof(X);
    const std::ptrdiff_t strides =
        (std::ptrdiff_t{0} | ... | (I == last_sum ? 0 : loops.template x<I>()));
    return (static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(x)) | strides * word) %
               (2 * word) ==
           0;
  }
  /// The stride of C's rows, if it is static and there is one mode of rows.
  static constexpr int row_stride = S.of(Class::row) == 1 && S.c[S.begin(Class::row)] != dynamic
                                        ? static_cast<int>(S.c[S.begin(Class::row)])
                                        : 0;
  static constexpr int last_sum = S.end(Class::sum) - 1;
  static constexpr bool may_have_pairs = std::is_same_v<std::remove_const_t<X>, double> &&
                                         S.x[last_sum] == 1 && S.extent[last_sum] % 2 == 0;
  /// Whether rows are stored as in store_conflicts, and there are fewer conflicts if half of the
  /// rows store their second half first.
  static constexpr bool flips = [] {
    if constexpr (row_stride > 0 && cols_of_lane<Atom>() == 2 && Atom::n == 8) {
      return flips_halves(row_stride, Machine::banks * 4 / static_cast<int>(sizeof(Acc)));
    } else {
      return false;
    }
  }();

  /// Blocks number first + q * apart, for q < plan.together, of all `count` blocks.
  struct Range {
    int first, apart, count;
  };

  /// The elements of such blocks. Pairs: lanes read two neighbouring terms from X at a time, which
  /// belong to two steps.
  template <bool Pairs>
  struct Blocks {
    static constexpr int together = plan.together;
    static constexpr int shared = plan.shared;
    static constexpr int part_rows = Atom::m / shared;  // rows of a problem in its tile
    static constexpr int part_cols = Atom::n / shared;
    static constexpr int each = Pairs ? 2 : 1;  // steps whose inputs are read together
    // Sums number g * side_by_side and those after it are in row number g of this lane.
    static constexpr int side_by_side = cols_of_lane<Atom>();
    static_assert(side_by_side <= 2);
    static constexpr int sum_rows = Atom::sum_each / side_by_side;
    using Loop = WarpLoop<Machine, Atom,
                          WarpShape{together, height, width, (plan.chunk + each - 1) / each, each,
                                    plan.is_static}>;
    using Sums = typename Loop::Sums;

    const WarpExecutor& nest;
    AtomLane<Atom> lane;
    int row0[together];
    int col0[together];
    const X* xs[together][Atom::x_each];
    const Y* ys[together][Atom::y_each];
    C* cs[together][sum_rows];
    bool has_x[together][Atom::x_each];
    bool has_y[together][Atom::y_each];
    bool has_sum[together][sum_rows];

    KOKKOS_FORCEINLINE_FUNCTION Blocks(const WarpExecutor& executor, const Range& range, const X* x,
                                       const Y* y, C* c)
        : nest(executor), lane{Machine::lane_of_warp()} {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int q = 0; q < together; ++q) {
        int u = range.first + q * range.apart;
        const bool active = u < range.count;
        col0[q] = take_digit(u, nest.col_blocks()) * width * Atom::n;
        row0[q] = take_digit(u, nest.row_blocks()) * height * Atom::m;
        find_problems(q, active, u * shared, x, y, c);
      }
    }

    KOKKOS_FORCEINLINE_FUNCTION int rounds() const {
      return ((nest.sums() + plan.step - 1) / plan.step + each - 1) / each;
    }

    /// The offsets of a round's terms, and whether they are in bounds.
    struct Terms {
      bool has_x[Atom::x_each];
      std::ptrdiff_t x[Atom::x_each];
      bool has_y[Atom::y_each];
      std::ptrdiff_t y[Atom::y_each][each];
    };
    KOKKOS_FORCEINLINE_FUNCTION Terms terms(int round) const {
      Terms found{};
      const bool is_whole = plan.is_static && (round + 1) * plan.step * each <= plan.sums;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int n = 0; n < Atom::x_each; ++n) {
        const int k = (round * plan.step + lane.x_term(n)) * each;
        found.has_x[n] = is_whole || k < nest.sums();
        found.x[n] = nest.template offset_in<Of::x, Class::sum>(k);
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int n = 0; n < Atom::y_each; ++n) {
        const int k = (round * plan.step + lane.y_term(n)) * each;
        found.has_y[n] = is_whole || k < nest.sums();
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int e = 0; e < each; ++e) {
          found.y[n][e] = nest.template offset_in<Of::y, Class::sum>(k + e);
        }
      }
      return found;
    }

    KOKKOS_FORCEINLINE_FUNCTION void load_x(typename Atom::X (&a)[each][Atom::x_each],
                                            const Terms& terms, int q, int i) const {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int n = 0; n < Atom::x_each; ++n) {
        const int r = row0[q] + i * Atom::m + lane.x_row(n) % part_rows;
        const bool reads = has_x[q][n] && terms.has_x[n] && has_row(r);
        const X* at = xs[q][n] + nest.template offset_in<Of::x, Class::row>(r) + terms.x[n];
        if constexpr (Pairs) {
          double pair[2]{};
          if (reads) Machine::load_pair(at, pair);
          a[0][n] = pair[0];
          a[1][n] = pair[1];
        } else {
          a[0][n] = reads ? *at : X(0);
        }
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION void load_y(typename Atom::Y (&b)[each][Atom::y_each],
                                            const Terms& terms, int q, int j) const {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int n = 0; n < Atom::y_each; ++n) {
        const int r = col0[q] + j * Atom::n + lane.y_col(n) % part_cols;
        const bool reads = has_y[q][n] && terms.has_y[n] && has_col(r);
        const Y* at = ys[q][n] + nest.template offset_in<Of::y, Class::col>(r);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int e = 0; e < each; ++e) b[e][n] = reads ? at[terms.y[n][e]] : Y(0);
      }
    }

    KOKKOS_FORCEINLINE_FUNCTION void store(const Sums& sum) const {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int q = 0; q < together; ++q) {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int i = 0; i < height; ++i) {
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int g = 0; g < sum_rows; ++g) store_row(sum[q][i], q, i, g);
        }
      }
    }

   private:
    KOKKOS_FORCEINLINE_FUNCTION bool has_row(int r) const {
      return plan.whole_rows() || r < nest.rows();
    }
    KOKKOS_FORCEINLINE_FUNCTION bool has_col(int r) const {
      return plan.whole_cols() || r < nest.cols();
    }

    /// Finds the problems of block q, number `first` and those that share its tiles.
    KOKKOS_FORCEINLINE_FUNCTION void find_problems(int q, bool active, int first, const X* x,
                                                   const Y* y, C* c) {
      const int problems = nest.batch();
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = 0; r < Atom::x_each; ++r) {
        const int problem = first + lane.x_row(r) / part_rows;
        has_x[q][r] = active && problem < problems;
        xs[q][r] = x + nest.template offset_in<Of::x, Class::batch>(problem);
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = 0; r < Atom::y_each; ++r) {
        const int problem = first + lane.y_col(r) / part_cols;
        has_y[q][r] = active && problem < problems;
        ys[q][r] = y + nest.template offset_in<Of::y, Class::batch>(problem);
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int g = 0; g < sum_rows; ++g) {
        const int problem = first + lane.sum_row(g * side_by_side) / part_rows;
        has_sum[q][g] = active && problem < problems;
        cs[q][g] = c + nest.template offset_in<Of::c, Class::batch>(problem);
      }
    }

    /// Stores row number g of this lane, of row i of tiles of block q.
    KOKKOS_FORCEINLINE_FUNCTION void store_row(const Acc (&sum)[width][Atom::sum_each], int q,
                                               int i, int g) const {
      const int row = lane.sum_row(g * side_by_side);
      const int r = row0[q] + i * Atom::m + row % part_rows;
      const bool stores = has_sum[q][g] && has_row(r);
      const bool flipped = flips && has_flipped_half(row);
      C* ci = cs[q][g] + nest.template offset_in<Of::c, Class::row>(r);
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int j = 0; j < width; ++j) {
        const Acc low = sum[j][g * side_by_side];
        const Acc high = sum[j][g * side_by_side + side_by_side - 1];
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int turn = 0; turn < side_by_side; ++turn) {
          const int half = flipped ? 1 - turn : turn;
          const int at = half * (Atom::n / side_by_side) + lane.sum_col(g * side_by_side);
          const int column = col0[q] + j * Atom::n + at % part_cols;
          if (stores && at / part_cols == row / part_rows && has_col(column)) {
            nest.output.template put<1, true, true, 0, -1>(
                ci + nest.template offset_in<Of::c, Class::col>(column), 1, half == 0 ? low : high,
                1, nullptr);
          }
        }
      }
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION void run(const Warps& warps, const X* x, const Y* y, C* c) const {
    if constexpr (may_have_pairs) {
      if (has_pairs(x)) return all_blocks<true>(warps, x, y, c);
    }
    all_blocks<false>(warps, x, y, c);
  }

  template <bool Pairs>
  KOKKOS_FORCEINLINE_FUNCTION void all_blocks(const Warps& warps, const X* x, const Y* y,
                                              C* c) const {
    const int count = (this->batch() + plan.shared - 1) / plan.shared * row_blocks() * col_blocks();
    for (int u = warps.index; u < count; u += warps.count * plan.together) {
      const Blocks<Pairs> blocks(*this, Range{u, warps.count, count}, x, y, c);
      typename Blocks<Pairs>::Sums sums{};
      Blocks<Pairs>::Loop::add(sums, blocks, blocks.rounds());
      blocks.store(sums);
    }
  }
};

struct WarpAlgorithm : AlgorithmDefaults<Way::warps, Way::shared> {
  static constexpr const char* text = "warps (matrix instructions of whole warps)";

  template <class Atom, int N>
  static consteval bool fits(const Nest<N>& nest, const ProductFacts& facts) {
    return facts.are_team_of_warps() && facts.matrix_core && plan_of<Atom>(nest).possible &&
           (has_neighbouring_terms<Atom> || !facts.indices);
  }

  /// The choice between warps and copies was found by measurement (Tuned.hpp). Copies in shared
  /// memory read whole lines of memory, even where rows start anywhere. Warps are better in each of
  /// these cases: for one team thread; with an operand in scratch memory; where the inputs leave no
  /// room for copies; where tiles are full and few, and all rows begin at a sector of 32 bytes;
  /// with run-time extents, for larger products.
  template <class Atom, int N>
  static consteval bool is_best(const Nest<N>& nest, const ProductFacts& facts) {
    if constexpr (has_neighbouring_terms<Atom>) return is_best_by_vectors<Atom>(nest, facts);
    const WarpPlan plan = warp_plan<Atom>(nest);
    if (!plan.is_static || facts.of_thread || facts.to_scratch || facts.from_scratch ||
        !fits_stage(nest, facts)) {
      return true;
    }
    const auto is_full = [](int size, int tile) { return size == tile / 2 || size % tile == 0; };
    return in_sectors(nest) && is_full(plan.rows, Atom::m) && is_full(plan.cols, Atom::n) &&
           plan.block_rows * plan.block_cols <= most_blocks_of_warps;
  }
  template <class Atom, int N>
  static consteval ProductChoice choice(const Nest<N>& nest, const ProductFacts& facts,
                                        bool asked) {
    const bool is_static = plan_of<Atom>(nest).is_static;
    const bool may_stage = !has_neighbouring_terms<Atom> && facts.of_thread && in_sectors(nest);
    const bool staged = is_worth_staging(nest, facts) && (asked || !is_static || may_stage);
    return {way, staged, asked || is_static || facts.of_thread ? 0 : least_elements_of_warps};
  }

  template <ProductChoice Chosen, class Call>
  static KOKKOS_FORCEINLINE_FUNCTION int run(const Call& call) {
    using M = level_machine_t<typename Call::L>;
    using Atom = level_atom_t<typename Call::L, typename Call::Acc, typename Call::X,
                              typename Call::Y, Chosen.accuracy>;
    const executor_t<M, Atom, Call> executor(call.loops, call.output);
    const Warps warps = warps_of(call.level);
    if (!call.multiplies || warps.count <= 0 || !executor.counts() ||
        (Chosen.least > 0 && !executor.has_more_elements_than(Chosen.least))) {
      return not_taken;
    }
    M::warp_barrier(whole_warp<M>);
    executor.run(warps, call.x, call.y, call.c);
    return 0;
  }

 private:
  template <class Atom, int N>
  static consteval auto plan_of(const Nest<N>& nest) {
    if constexpr (has_neighbouring_terms<Atom>) {
      return vector_warp_plan<Atom>(nest);
    } else {
      return warp_plan<Atom>(nest);
    }
  }

  template <class M, class Atom, class Call>
  struct Executor {
    using type = WarpExecutor<M, Atom, Call::nest, typename Call::X, typename Call::Y,
                              typename Call::C, typename Call::Output>;
  };
  template <class M, class Atom, class Call>
    requires(has_neighbouring_terms<Atom>)
  struct Executor<M, Atom, Call> {
    using type = VectorWarpExecutor<M, Atom, Call::nest, typename Call::C, typename Call::Output>;
  };
  template <class M, class Atom, class Call>
  using executor_t = typename Executor<M, Atom, Call>::type;

  /// These instructions take more than half of a tile's rows and columns. Floats are faster by them
  /// than by FMAs, from copies in shared memory, only if an operand is in scratch memory.
  template <class Atom, int N>
  static consteval bool is_best_by_vectors(const Nest<N>& nest, const ProductFacts& facts) {
    const bool in_scratch = facts.to_scratch || facts.from_scratch;
    const VectorWarpPlan plan = vector_warp_plan<Atom>(nest);
    const auto is_large = [](int size) { return size == 0 || size > Atom::m / 2; };
    return (facts.input_bytes == 2 || in_scratch) && is_large(plan.rows) && is_large(plan.cols);
  }

  template <int N>
  static consteval bool in_sectors(const Nest<N>& nest) {
    for (int i = nest.begin(Class::row); i < nest.end(Class::sum); ++i) {
      if (nest.extent[i] % 4 != 0) return false;
    }
    return true;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
