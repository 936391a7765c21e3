// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_COPIES_HPP
#define KOKKOSCONTRACT_TILE_COPIES_HPP

// Copies of slices, from product to product of a call, by all workers of a team of a GPU.

#include <KokkosContract/tile/Pieces.hpp>
#include <climits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The next copies of a worker. Copies by vectors are the fast ones: they are started chunk by
/// chunk (`pieces.start`), without branches. All others are started at the end of a slice.
template <class Machine, class Types, class Products, class Memory>
struct TileCopies {
  using T = typename Types::Input;
  using Pieces = TilePieces<Machine, T, Products>;

  Pieces pieces;
  int left;     ///< terms of this run that remain
  int limit;    ///< if at most this number of terms remain, copies of vectors do not suffice
  int source;   ///< number of the product
  int run_end;  ///< the slice after this run

  /// The first run of products Begin to End - 1.
  template <int Begin, int End>
  KOKKOS_FORCEINLINE_FUNCTION static TileCopies first_run(char* memory, int worker) {
    return run_behind(memory, Begin - 1, INT_MAX, End, worker);
  }

  /// Counts a slice, and does the rest of its work. It is called when all copies of the slice are
  /// started.
  template <int End>
  KOKKOS_FORCEINLINE_FUNCTION void end(const Memory& memory, int stage, int worker) {
    count();
    if (is_rare()) {
      end_rare<End>(memory, stage, worker);
    } else {
      end_quick();
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void count() { left -= depth; }
  KOKKOS_FORCEINLINE_FUNCTION bool is_rare() const { return left <= limit; }
  KOKKOS_FORCEINLINE_FUNCTION void end_quick() {
    pieces.end_step();
    Machine::end_group_of_copies();
    pieces.begin_step(left);
  }
  template <int End>
  KOKKOS_FORCEINLINE_FUNCTION void end_rare(const Memory& memory, int stage, int worker) {
    if (pieces.is_quick()) {
      const auto at =
          Machine::block_address(reinterpret_cast<char*>(memory.stage + stage * Products::slices));
      if constexpr (Products::count > 1) {
        if (!pieces.all_are_vectors()) start_elements(pieces, at);
      } else {
        pieces.start_elements(at, memory.source[source]);
      }
    } else {
      const int slice = run_end - 1 - slices_of(left);
      start_slow(reinterpret_cast<char*>(memory.stage), source, slice, left + depth, stage, worker);
    }
    Machine::end_group_of_copies();
    if (left > 0) {
      pieces.end_step();
      if constexpr (Products::count > 1) begin_part();
    } else {
      begin_run<End>(memory, worker);
    }
    pieces.begin_step(left);
  }

 private:
  static constexpr int depth = SliceFormat<T>::depth;
  /// Prepares the last slice of a run, whose terms may not fill its last vectors.
  KOKKOS_FORCEINLINE_FUNCTION void begin_part() {
    if (pieces.all_are_vectors() && left < depth && is_odd(left)) pieces.stop_vectors();
  }
  /// Whether this number of terms is not a whole number of vectors.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_odd(int terms) {
    return terms % SliceFormat<T>::vector != 0;
  }

  /// Not inlined, because with several products each group would have a copy of its callees.
  KOKKOSCONTRACT_RARE_FUNCTION static void start_elements(const Pieces pieces,
                                                          typename Machine::BlockAddress slices) {
    pieces.start_elements(slices);
  }
  /// Not inlined, for the same reason.
  KOKKOSCONTRACT_RARE_FUNCTION static TileCopies next_run(char* const memory, int source,
                                                          int run_end, int end, int worker) {
    return find_run(Memory(memory), source, run_end, end, worker);
  }
  KOKKOS_FORCEINLINE_FUNCTION static TileCopies run_behind(char* memory, int source, int run_end,
                                                           int end, int worker) {
    if constexpr (Products::count == 1) {
      return find_run(Memory(memory), source, run_end, end, worker);
    } else {
      return next_run(memory, source, run_end, end, worker);
    }
  }
  /// The run after one that ends at this slice, of the same product or of the next one with terms.
  /// If there is none, calls for further slices copy nothing.
  KOKKOS_FORCEINLINE_FUNCTION static TileCopies find_run(const Memory& at, int number, int slice,
                                                         int end, int worker) {
    const bool is_next_product = slice >= at.source[number < 0 ? 0 : number].end;
    if (is_next_product) {
      do {
        ++number;
      } while (number < end && at.source[number].steps() == 0);
    }
    const bool is_over = number == end;
    TileCopies copies;
    copies.source = is_over ? end - 1 : number;
    const TileSource<Types>& source = at.source[copies.source];
    copies.left = source.run;
    if (is_next_product) {
      slice = source.begin;
      if constexpr (Products::has_splits) {
        copies.left -= source.begin % source.slices_of_run * depth;
      }
    }
    copies.run_end = slice + slices_of(copies.left);
    const T* x_data = source.first.data;
    const T* y_data = source.second.data;
    if (slice > 0) {
      x_data += source.sums.offset(slice, source.first.input);
      y_data += source.sums.offset(slice, source.second.input);
    }
    bool is_quick = false;
    with_places(at, copies.source, [&](const auto& x, const auto& y) KOKKOSCONTRACT_INLINE_LAMBDA {
      is_quick = copies.pieces.begin(slices_from(source.first, x, x_data),
                                     slices_from(source.second, y, y_data), source, worker);
    });
    copies.limit = INT_MAX;
    if (is_quick && copies.pieces.all_are_vectors()) {
      copies.limit = Products::count > 1 && is_odd(source.run) ? depth - 1 : 0;
    }
    if constexpr (Products::count > 1) copies.begin_part();
    if (is_over) copies.stop();
    return copies;
  }
  KOKKOS_FORCEINLINE_FUNCTION void stop() {
    pieces.stop();
    limit = 0;
    left = INT_MAX;
  }

  KOKKOS_FORCEINLINE_FUNCTION static int slices_of(int terms) {
    return terms > 0 ? (terms + depth - 1) / depth : 0;
  }
  /// Calls f(places of the rows' input, places of the columns' input) for product `number`, which
  /// is one of Begin to End - 1.
  template <int Begin = 0, int End = Products::count, class F>
  KOKKOS_FORCEINLINE_FUNCTION static void with_places(const Memory& memory, int number,
                                                      const F& f) {
    constexpr int middle =
        middle_group<Products, Begin, End, Products::template end_of_group<Begin + 1>()>();
    if constexpr (middle > Begin) {
      if (number < middle) return with_places<Begin, middle>(memory, number, f);
      return with_places<middle, End>(memory, number, f);
    } else {
      using Product = typename Products::template Product<Begin>;
      const TileSource<Types>& source = memory.source[number];
      f(Product::x_places(memory, source), Product::y_places(memory, source));
    }
  }
  template <int End>
  KOKKOS_FORCEINLINE_FUNCTION void begin_run(const Memory& memory, int worker) {
    if constexpr (Products::count > 1) {
      *this = run_behind(reinterpret_cast<char*>(memory.stage), source, run_end, End, worker);
    } else if (run_end < memory.source[source].end) {
      const TileSource<Types>& of = memory.source[source];
      std::ptrdiff_t by[2];
      find_move(of.sums, run_end, by);
      pieces.move(of, by);
      left = of.run;
      run_end += of.slices_of_run;
    } else {
      stop();
    }
  }
  /// Distance from the last slice of a run to this one, the first of the next run.
  KOKKOSCONTRACT_RARE_FUNCTION static void find_move(const SumModes& sums, int slice,
                                                     std::ptrdiff_t (&by)[2]) {
    for (int input = 0; input < 2; ++input) {
      by[input] = sums.offset(slice, input) - sums.offset(slice - 1, input);
    }
  }
  /// Copies a slice of any inputs, with `terms` terms in bounds. Not inlined, because it would take
  /// registers from the products.
  KOKKOSCONTRACT_RARE_FUNCTION static void start_slow(char* const at, int number, int slice,
                                                      int terms, int stage, int worker) {
    const Memory memory(at);
    const TileSource<Types>& source = memory.source[number];
    T* const to = memory.stage + stage * Products::slices;
    constexpr int workers = Products::workers;
    with_places(memory, number, [&](const auto& x, const auto& y) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr SliceOrder order = slice_order<SliceFormat<T>, std::remove_cvref_t<decltype(x)>,
                                               std::remove_cvref_t<decltype(y)>>();
      source.first.template start_copy<Machine>(x, to + order.x_begin, source.sums, slice, terms,
                                                worker, workers);
      source.second.template start_copy<Machine>(y, to + order.y_begin, source.sums, slice, terms,
                                                 worker, workers);
    });
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
