// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_BLOCKTILES_HPP
#define KOKKOSCONTRACT_PRODUCT_BLOCKTILES_HPP

// Products of static matrices that are too large to be copied to shared memory as a whole, by a
// GPU's team. Each team tile of C is computed in the registers of all workers, from slices
// (k-tiles) of the inputs, one tile after another. A tile of arbitrary strings and strides
// (GpuTile) needs registers and shared memory for facts that are constants here. So more teams fit
// on an SM.

#include <KokkosContract/block/Indices.hpp>
#include <KokkosContract/block/MainLoop.hpp>
#include <KokkosContract/level/Stage.hpp>
#include <KokkosContract/nest/Offsets.hpp>
#include <KokkosContract/product/Algorithm.hpp>
#include <KokkosContract/product/Output.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// How the slices of an input of a product are copied.
struct BlockInput {
  int own = 0;                // rows of X, columns of Y
  int sums = 0;               // terms
  bool by_terms = false;      // else by positions
  std::ptrdiff_t stride = 0;  // of the index that has no neighbours
};

struct BlockTilePlan {
  bool possible = false;
  int depth = 0;           // terms of a slice
  int rows = 0, cols = 0;  // rows and columns of a tile
  int tiles = 0;           // tiles of C
  BlockInput x, y;

  /// Percent of the computed elements that are in C.
  consteval int percent_filled() const { return 100 * x.own * y.own / (tiles * rows * cols); }
};

/// Finds an input whose elements that fill 16 bytes are neighbours along one index, and aligned.
/// `bytes`: bytes of one element.
template <int N>
consteval bool find_input(const Nest<N>& nest, bool of_x, int bytes, BlockInput& input) {
  const int own = nest.begin(of_x ? Class::row : Class::col);
  const int sum = nest.begin(Class::sum);
  const auto& strides = of_x ? nest.x : nest.y;
  input.own = static_size(nest, of_x ? Class::row : Class::col);
  input.sums = static_size(nest, Class::sum);
  input.by_terms = strides[sum] == 1;
  input.stride = strides[input.by_terms ? own : sum];
  const int vector = 16 / bytes;
  return (input.by_terms || strides[own] == 1) && input.stride != dynamic &&
         input.stride % vector == 0 && (input.by_terms ? input.sums : input.own) % vector == 0;
}

/// Terms of a slice. Slices of doubles are shorter where there are MMA instructions, so that more
/// slices are in flight in the same memory.
inline constexpr int depth_of_block_slices = 8;
inline constexpr int depth_for_matrix_cores = 4;
/// Terms of a slice of 16-bit floats: as many as an MMA instruction takes.
inline constexpr int depth_of_short_slices = 16;

/// Bytes of one stage of a tile.
template <class Format>
consteval int bytes_of_stage(const BlockTilePlan& plan, int rows, int cols) {
  return 16 / Format::vector *
         (Format::size(rows, plan.x.by_terms) + Format::size(cols, plan.y.by_terms));
}
consteval int bytes_of_stage(const BlockTilePlan& plan, int bytes, int rows, int cols) {
  if (bytes == 2) {
    return bytes_of_stage<SliceFormat<std::uint16_t, depth_of_short_slices>>(plan, rows, cols);
  }
  if (bytes == 4) {
    return bytes_of_stage<SliceFormat<float, depth_of_block_slices>>(plan, rows, cols);
  }
  return plan.depth == depth_for_matrix_cores
             ? bytes_of_stage<SliceFormat<double, depth_for_matrix_cores>>(plan, rows, cols)
             : bytes_of_stage<SliceFormat<double, depth_of_block_slices>>(plan, rows, cols);
}

/// The plan for input elements and sums of these sizes. Among tiles that are full enough, or else
/// among all tiles, it takes those whose inputs are read the fewest times. `matrix_core`: there are
/// MMA instructions for the types.
template <int N>
consteval BlockTilePlan block_tile_plan(const Nest<N>& nest, int input_bytes, int bytes,
                                        bool matrix_core) {
  BlockTilePlan plan{};
  const bool few_terms = bytes == 8 && matrix_core;
  plan.depth = few_terms ? depth_for_matrix_cores : depth_of_block_slices;
  if (input_bytes == 2) plan.depth = depth_of_short_slices;
  const bool is_matrix = nest.has_x && nest.of(Class::row) == 1 && nest.of(Class::col) == 1 &&
                         nest.of(Class::sum) == 1 && !nest.conjugate_x && !nest.conjugate_y;
  if (!is_matrix || (bytes != 4 && bytes != 8) || (input_bytes != bytes && input_bytes != 2)) {
    return plan;
  }
  const int rows = static_size(nest, Class::row);
  const int cols = static_size(nest, Class::col);
  const int sums = static_size(nest, Class::sum);
  if (rows < least_rows_of_block_tiles || cols < least_rows_of_block_tiles || sums < 1 ||
      !find_input(nest, true, input_bytes, plan.x) ||
      !find_input(nest, false, input_bytes, plan.y)) {
    return plan;
  }
  // Blocks of each machine's atoms divide these steps, with the same number of blocks for each
  // warp.
  constexpr int step_of_rows = 16, step_of_cols = 32;
  const auto parts = [](int n, int of) { return (n + of - 1) / of; };
  const int most = bytes_of_block_sums[bytes == 4 ? 0 : 1] / bytes * threads_of_team;
  int least_reads = 0;
  bool is_full = false;
  for (int r = step_of_rows; r < rows + step_of_rows; r += step_of_rows) {
    for (int c = step_of_cols; c < cols + step_of_cols; c += step_of_cols) {
      if (r * c > most || 2 * bytes_of_stage(plan, input_bytes, r, c) > stage_bytes) continue;
      // Elements out of bounds are computed, too.
      BlockTilePlan next = plan;
      next.possible = true;
      next.rows = r;
      next.cols = c;
      next.tiles = parts(cols, c) * parts(rows, r);
      const int reads = next.tiles * (r + c);
      const bool next_is_full = next.percent_filled() >= least_percent_of_block_tiles;
      const bool is_better =
          next_is_full == is_full ? !plan.possible || reads < least_reads : next_is_full;
      if (!is_better) continue;
      plan = next;
      least_reads = reads;
      is_full = next_is_full;
    }
  }
  return plan;
}

/// The part of an input's slices that a thread copies, for a tile with this number of rows or
/// columns and of terms: vectors of 16 bytes at constant distances. Terms out of bounds become
/// zero, and rows or columns out of bounds are not copied. Asks: the thread prefetches data into L2
/// that is copied four slices later. This takes no shared memory.
template <class Machine, class T, class Format, BlockInput Input, int Positions, int Terms,
          bool Asks>
class BlockPieces {
  static constexpr bool by_terms = Input.by_terms;
  static constexpr int vector = Format::vector;
  /// Number of workers along memory, and (`across`) across it.
  static constexpr int along = by_terms ? Format::pieces : threads_of_team / Format::depth;
  static constexpr int across = threads_of_team / along;
  static constexpr int apart = by_terms ? across : along * vector;  // positions between its chunks
  static constexpr bool all_positions = Positions % apart == 0 && Input.own % Positions == 0;
  static constexpr bool all_terms = Input.sums == Terms;
  static constexpr std::ptrdiff_t from_step = by_terms ? apart * Input.stride : apart;
  static constexpr int to_step =
      (by_terms ? apart * Format::depth : apart) * static_cast<int>(sizeof(T));
  static_assert(!by_terms || apart % (2 * Format::positions_of_banks) == 0);

  static constexpr std::ptrdiff_t of_term = by_terms ? 1 : Input.stride;
  /// Number of slices, and of workers, that share a cache line.
  static constexpr int line = 128 / static_cast<int>(sizeof(T));
  static constexpr int slices_of_line = by_terms ? line / Format::depth : 1;
  static constexpr int workers_of_line = by_terms ? Format::pieces : line / vector;
  static constexpr int ahead = 4;
  static_assert(ahead % slices_of_line == 0);

  const T* from_;
  int to_;     // offset of the first chunk in a slice, in bytes
  int there_;  // positions of the tile from those of the first chunk on
  int left_;   // terms from those of the first chunk on
  int step_;   // terms to the next slice, forwards or backwards
  bool asks_;  // whether it prefetches its lines

 public:
  static constexpr int slots = (Positions + apart - 1) / apart;

  /// `data` is the tile's first position, and `limit` positions are in bounds from there. With
  /// `backwards`, the last slice comes first.
  KOKKOS_FORCEINLINE_FUNCTION BlockPieces(const T* data, int limit, int worker, bool backwards) {
    const int u = worker % along;
    const int v = worker / along;
    const int position = by_terms ? v : u * vector;
    const int term = by_terms ? u * vector : v;
    const int first = backwards ? Terms - Format::depth : 0;
    from_ = data + position * (by_terms ? Input.stride : 1) + (first + term) * of_term;
    to_ = Format::place(by_terms, Positions, position, term) * static_cast<int>(sizeof(T));
    there_ = (limit < Positions ? limit : Positions) - position;
    left_ = Input.sums - first - term;
    step_ = backwards ? -Format::depth : Format::depth;
    asks_ = worker % workers_of_line == 0;
  }
  /// Starts the copy of vector S of a slice, predicated off if the slice is out of bounds.
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress slice,
                                         bool is_there) const {
    constexpr int position = S * apart;
    Machine::template start_copy_to<16>(
        slice + to_ + S * to_step, reinterpret_cast<const char*>(from_ + S * from_step),
        all_terms || left_ > 0, is_there && (all_positions || position < there_));
  }
  /// Ends the slice with this number, and prefetches a later one.
  KOKKOS_FORCEINLINE_FUNCTION void end_slice(int slice, int slices) {
    if (Asks && asks_ && slice % slices_of_line == 0 && slice + ahead < slices) {
      unrolled<slots>([&]<int S>(Number<S>) KOKKOSCONTRACT_INLINE_LAMBDA {
        if (all_positions || S * apart < there_) {
          Machine::template prefetch<1>(from_ + S * from_step + ahead * step_ * of_term);
        }
      });
    }
    from_ += step_ * of_term;
    left_ -= step_;
  }
};

template <class Machine, Nest S, class Acc, class X, class Y, class C, class Output, Accuracy A>
class BlockTileExecutor : NestOffsets<S> {
  using Of = typename NestOffsets<S>::Of;
  static_assert(std::is_same_v<X, Y>);
  using Types = BlockTypes<X, Acc, C, A>;
  static constexpr bool has_atom = is_atom<atom_of_types<Machine, Types>>;
  static constexpr BlockTilePlan plan = block_tile_plan(S, sizeof(X), sizeof(Acc), has_atom);
  static constexpr int row = S.begin(Class::row);
  static constexpr int col = S.begin(Class::col);

  static constexpr TileExtents extents = [] {
    TileExtents tile = matrix_tile<Acc>(plan.rows, plan.cols, plan.x.by_terms, plan.y.by_terms);
    tile.most_sums = plan.rows * plan.cols / threads_of_team;
    // Rows fill the blocks of FMAs, so that all warps have the same number.
    if (plan.rows % (Machine::warp_size / 4 * tile.rows_of_lane) != 0) tile.rows_of_lane = 1;
    return tile;
  }();
  using Atom = tile_atom_t<Machine, Types, extents>;
  static constexpr TileLayout layout = home_layout(extents, tile_limits<Atom>(extents));
  static_assert(layout.warp_count() * Machine::warp_size == threads_of_team);
  using Format = SliceFormat<X, plan.depth>;
  using Product =
      TileProduct<Machine, Atom,
                  SliceProduct{layout, term_of_matrices, 1, plan.x.by_terms, plan.y.by_terms},
                  Format>;
  /// Two sets of registers hold the fragments of steps in turn.
  static constexpr int slices_at_once = Product::steps % 2 == 0 ? 1 : 2;
  static constexpr int slices = [] {
    const int each = Format::depth * slices_at_once;
    return (plan.x.sums + each - 1) / each * slices_at_once;
  }();
  static constexpr int terms = slices * Format::depth;
  // Without MMA instructions, computation takes longer than the latency of memory.
  using XPieces = BlockPieces<Machine, X, Format, plan.x, plan.rows, terms, has_atom>;
  using YPieces = BlockPieces<Machine, X, Format, plan.y, plan.cols, terms, has_atom>;
  static constexpr int slots = XPieces::slots + YPieces::slots;
  static constexpr int elements = Product::X::size + Product::Y::size;  // elements of a stage
  static constexpr int stages = [] {
    int n = 4;
    while (n > 2 && n * elements * static_cast<int>(sizeof(X)) > stage_bytes) --n;
    return n;
  }();
  static_assert(stages * elements * sizeof(X) <= stage_bytes);

  /// The problem, row and column at which a tile begins, among all tiles of all problems.
  struct Place {
    int problem, row, col;
    KOKKOS_FORCEINLINE_FUNCTION explicit Place(int tile) {
      constexpr int across = (plan.y.own + plan.cols - 1) / plan.cols;
      const auto n = static_cast<unsigned>(Machine::hidden(tile));
      problem = static_cast<int>(n / plan.tiles);
      const int down = static_cast<int>(n % plan.tiles / across);
      const int right = static_cast<int>(n % across);
      row = down * plan.rows;
      col = (down % 2 == 0 ? right : across - 1 - right) * plan.cols;
    }
  };

  const Output& output_;

 public:
  KOKKOS_FORCEINLINE_FUNCTION BlockTileExecutor(const Loops<S>& nest, const Output& output)
      : NestOffsets<S>{nest}, output_(output) {}

  /// Returns false, and does nothing, where tiles do not support the operands. Workers that a tile
  /// does not need wait.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool run(const L& level, const X* x, const Y* y, C* c) const {
    const Stage stage = stage_of(level);
    if (stage.bytes == 0 || !this->counts_parts(plan.tiles) || !fits<Of::x>(x) || !fits<Of::y>(y) ||
        (together > 1 && !is_aligned<Of::c>(c))) {
      return false;
    }
    const int tiles = this->batch() * plan.tiles;
    KOKKOSCONTRACT_NO_UNROLL
    for (int tile = 0; tile < tiles; ++tile) {
      // The position of the tile, and the workers' part of it, are computed for each tile, and
      // again when it is stored. If they were kept, they would fill the registers.
      const int worker = Machine::hidden(level.rank());
      const Place at(tile);
      const X* const xt = x + this->template offset_in<Of::x, Class::batch>(at.problem);
      const Y* const yt = y + this->template offset_in<Of::y, Class::batch>(at.problem);
      // Neighbouring tiles have rows or columns in common. L2 still has their last terms, so every
      // other tile reads the terms backwards.
      const bool backwards = plan.tiles > 1 && tile % 2 == 1;
      TileSums<Atom, layout> sums;
      sums.clear();
      multiply(level, stage.memory,
               XPieces(xt + at.row * this->loops.template x<row>(), plan.x.own - at.row, worker,
                       backwards),
               YPieces(yt + at.col * this->loops.template y<col>(), plan.y.own - at.col, worker,
                       backwards),
               sums);
      if (worker < threads_of_team) store(worker, Place(tile), c, sums);
    }
    return true;
  }

 private:
  static constexpr int stage_size = elements * static_cast<int>(sizeof(X));  // bytes

  /// The copies of a worker to the stages. It holds references only, so that the compiler sees
  /// through it before it unrolls loops.
  template <class Address>
  struct StageCopies {
    const Address& address;
    XPieces& x;
    YPieces& y;

    /// Starts copy number s to a stage.
    template <int s>
    KOKKOS_FORCEINLINE_FUNCTION void start(int stage, bool is_there) const {
      if constexpr (s < XPieces::slots) {
        x.template start<s>(address + stage * stage_size, is_there);
      } else {
        constexpr int behind_x = Product::X::size * static_cast<int>(sizeof(X));
        y.template start<s - XPieces::slots>(address + stage * stage_size + behind_x, is_there);
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION void end_slice(int slice) const {
      Machine::end_group_of_copies();
      x.end_slice(slice, slices);
      y.end_slice(slice, slices);
    }
    /// Starts the copies of the first slices to all stages.
    KOKKOS_FORCEINLINE_FUNCTION void start_first() const {
      KOKKOSCONTRACT_NO_UNROLL
      for (int s = 0; s < stages; ++s) {
        unrolled<slots>([&]<int p>(Number<p>)
                            KOKKOSCONTRACT_INLINE_LAMBDA { start<p>(s, s < slices); });
        end_slice(s);
      }
    }
  };

  template <class Level>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(const Level& level, char* memory, XPieces x,
                                                   YPieces y, TileSums<Atom, layout>& sums) {
    const X* const stage = reinterpret_cast<X*>(Machine::in_block_memory(memory));
    const auto address = Machine::block_address(memory);
    if (level.rank() >= threads_of_team) {
      KOKKOSCONTRACT_NO_UNROLL
      for (int barrier = 0; barrier < slices + 2; ++barrier) level.barrier();
      return;
    }
    const StageCopies<decltype(address)> copies{address, x, y};
    copies.start_first();
    const Product product(level.rank() / Machine::warp_size, Machine::lane_of_warp());
    using Fragments = typename Product::Fragments;
    Fragments even;
    Fragments odd;
    Machine::template finish_groups_of_copies<stages - 1>();
    level.barrier();
    product.template read<0>(even, stage, stage + Product::X::size);
    int at = 0;
    const auto multiply_next = [&](int slice, Fragments& first,
                                   Fragments& second) KOKKOSCONTRACT_INLINE_LAMBDA {
      const X* const now = stage + at * elements;
      const int done = at;
      at = at + 1 == stages ? 0 : at + 1;
      const X* const next = stage + at * elements;
      multiply_slice<Product, slots>(
          sums, first, second,
          SliceCallbacks{[&]<int s>(Number<s>, Fragments& f) KOKKOSCONTRACT_INLINE_LAMBDA {
                           const X* const from = s < Product::steps ? now : next;
                           product.template read<s % Product::steps>(f, from,
                                                                     from + Product::X::size);
                         },
                         Nothing{},
                         [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
                           Machine::template finish_groups_of_copies<stages - 2>();
                           level.barrier();
                         },
                         [&]<int p>(Number<p>) KOKKOSCONTRACT_INLINE_LAMBDA {
                           copies.template start<p>(done, slice + stages < slices);
                         },
                         [&]() KOKKOSCONTRACT_INLINE_LAMBDA { copies.end_slice(slice + stages); }});
    };
    KOKKOSCONTRACT_NO_UNROLL
    for (int slice = 0; slice < slices; slice += slices_at_once) {
      multiply_next(slice, even, odd);
      if constexpr (slices_at_once == 2) multiply_next(slice + 1, odd, even);
    }
    Machine::template finish_groups_of_copies<0>();
    level.barrier();
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(int worker, const Place& at, C* c,
                                         const TileSums<Atom, layout>& sums) const {
    const auto& loops = this->loops;
    c += this->template offset_in<Of::c, Class::batch>(at.problem);
    const TilePlaces<Atom, layout> places(worker / Machine::warp_size, worker % Machine::warp_size);
    int index[Loops<S>::size]{};
    if constexpr (Output::needs_indices) {
      this->template set_indices<Class::batch>(index, at.problem);
    }
    unrolled<layout.block_count()>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<Atom::sum_each / together>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int r = n * together;
        const int i = at.row + places.template index<b, r, 0>();
        const int j = at.col + places.template index<b, r, 1>();
        const bool has_row = plan.x.own % plan.rows == 0 || i < plan.x.own;
        const bool has_col = plan.y.own % plan.cols == 0 || j < plan.y.own;
        if (!has_row || !has_col) return;
        C* const to = c + i * loops.template c<row>() + j * loops.template c<col>();
        if constexpr (together > 1) {
          put_neighbours<r>(to, sums.sum[b]);
        } else {
          if constexpr (Output::needs_indices) {
            index[row] = i;
            index[col] = j;
          }
          output_.template put<1, true, true, 0, -1>(to, 1, to_register(sums.sum[b][r]), 1, index);
        }
      });
    });
  }

  /// Columns of C that a lane stores at once: its neighbouring columns, up to 16 bytes.
  static constexpr int together = [] {
    constexpr int across = cols_of_lane<Atom>();
    const bool is_row_major = S.c[col] == 1 && S.c[row] != dynamic && S.c[row] % across == 0;
    return is_linear<Output> && (std::is_same_v<C, Acc> || sizeof(C) == 2) && is_row_major &&
                   across * sizeof(C) <= 16 && plan.y.own % across == 0
               ? across
               : 1;
  }();
  template <int First>
  KOKKOS_FORCEINLINE_FUNCTION void put_neighbours(C* c, const Acc (&sums)[Atom::sum_each]) const {
    using Neighbours = NeighboursOf<C, together>;
    auto* const to = reinterpret_cast<Neighbours*>(c);
    Neighbours value{};
    if (output_.reads) value = *to;
    unrolled<together>([&]<int e>(Number<e>) KOKKOSCONTRACT_INLINE_LAMBDA {
      value.element[e] = output_.result(sums[First + e], value.element[e], nullptr);
    });
    if constexpr (std::is_same_v<C, double>) {
      Machine::store_pair(c, value.element[0], value.element[1]);
    } else {
      *to = value;
    }
  }

  template <Of O, class T>
  KOKKOS_FORCEINLINE_FUNCTION bool fits(const T* data) const {
    return Machine::is_in_global_memory(data) && is_aligned<O>(data);
  }
  /// Whether C is aligned to 16 bytes, in all problems.
  template <Of O, class T>
  KOKKOS_FORCEINLINE_FUNCTION bool is_aligned(const T* data) const {
    bool all = reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
    unrolled<S.end(Class::batch)>([&]<int m>(Number<m>) KOKKOSCONTRACT_INLINE_LAMBDA {
      all = all && this->template stride<O, m>() % SliceFormat<T>::vector == 0;
    });
    return all;
  }
};

/// The fallback for fewer than 128 workers is in the same kernel, so its registers count for all
/// workers. A fallback for warps, or one that copies its inputs, would take too many of them
/// (docs/tried.md).
struct BlockTileAlgorithm : AlgorithmDefaults<Way::block_tiles, Way::shared> {
  static constexpr const char* text =
      "block_tiles (a team of 128 holds a part of C at a time, from slices of the inputs)";
  static constexpr bool takes_stage = true;
  static constexpr int least_workers = threads_of_team;

  template <class Atom, int N>
  static consteval bool fits(const Nest<N>& nest, const ProductFacts& facts) {
    return facts.are_team_of_warps() && !facts.of_thread && facts.tiles && !facts.to_scratch &&
           !facts.from_scratch && plan(nest, facts, facts.matrix_core).possible;
  }
  /// Team tiles are best where copies of the inputs do not fit, and for 16-bit floats with more
  /// rows or columns than a warp's block. Where warps have MMA instructions for doubles, warps are
  /// as good as tiles that are not full.
  template <class Atom, int N>
  static consteval bool is_best(const Nest<N>& nest, const ProductFacts& facts) {
    if (facts.input_bytes == 2) {
      return static_size(nest, Class::row) > most_rows_of_vector_warps ||
             static_size(nest, Class::col) > most_rows_of_vector_warps;
    }
    if (fits_stage(nest, facts)) return false;
    return facts.bytes != sizeof(double) || !facts.matrix_core ||
           plan(nest, facts, true).percent_filled() >= least_percent_of_block_tiles;
  }
  template <class Atom, int N>
  static consteval ProductChoice choice(const Nest<N>&, const ProductFacts&, bool) {
    return {way};
  }

  template <ProductChoice Chosen, class Call>
  static KOKKOS_FORCEINLINE_FUNCTION int run(const Call& call) {
    const BlockTileExecutor<level_machine_t<typename Call::L>, Call::nest, typename Call::Acc,
                            typename Call::X, typename Call::Y, typename Call::C,
                            typename Call::Output, Chosen.accuracy>
        executor(call.loops, call.output);
    return call.multiplies && call.level.size() >= least_workers &&
                   executor.run(call.level, call.x, call.y, call.c)
               ? 0
               : not_taken;
  }

 private:
  template <int N>
  static consteval BlockTilePlan plan(const Nest<N>& nest, const ProductFacts& facts,
                                      bool matrix_core) {
    return block_tile_plan(nest, facts.input_bytes, facts.bytes, matrix_core);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
