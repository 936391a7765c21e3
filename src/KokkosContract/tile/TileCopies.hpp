// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_TILECOPIES_HPP
#define KOKKOSCONTRACT_TILE_TILECOPIES_HPP

// Copies of slices, from product to product of a call, by all workers of a team of a GPU.

#include <KokkosContract/tile/TilePieces.hpp>
#include <climits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Where copies are: in which product, and in which run of its terms. Only what is rare asks for
/// it, so that it need not be in registers.
struct TileCursor {
  int source, end;      ///< numbers of products
  int run_end, slices;  ///< slices: behind the run, and behind the product
};

/// What a worker copies next. The copies of a slice are started piece by piece (`pieces.start`),
/// without branches, where they are quick and by vectors; what is left is done at their end.
template <class Machine, class T, class Products, class Memory>
struct TileCopies {
  using Pieces = TilePieces<Machine, T, Products>;

  Pieces pieces;
  int left;   ///< terms of this run
  int limit;  ///< where so many are left, there is more to do than to start copies of vectors

  /// The first run of the first product that has terms.
  KOKKOS_FORCEINLINE_FUNCTION static TileCopies first_run(const Memory& memory, char* bytes,
                                                          TileCursor& cursor, int worker) {
    if constexpr (Products::count == 1) {
      return find_run(memory, cursor, worker);
    } else {
      return next_run(bytes, cursor, worker);
    }
  }

  /// All copies of a slice are started.
  KOKKOS_FORCEINLINE_FUNCTION void end(const Memory& memory, TileCursor& cursor, int stage,
                                       int worker) {
    if (end_quick()) end_rare(memory, cursor, stage, worker);
  }
  /// The first part of that; true, if there is another one.
  KOKKOS_FORCEINLINE_FUNCTION bool end_quick() {
    left -= depth;
    if (left <= limit) return true;
    pieces.end_step();
    Machine::end_group_of_copies();
    pieces.begin_step(left);
    return false;
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_rare(const Memory& memory, TileCursor& cursor, int stage,
                                            int worker) {
    if (pieces.is_quick()) {
      const auto at =
          Machine::block_address(reinterpret_cast<char*>(memory.stage + stage * Products::slices));
      if constexpr (Products::count > 1) {
        if (!pieces.all_are_vectors()) start_elements(pieces, at);
      } else {
        pieces.start_elements(at, memory.source[cursor.source]);
      }
    } else {
      start_slow(reinterpret_cast<char*>(memory.stage), cursor, left, stage, worker);
    }
    Machine::end_group_of_copies();
    if (left > 0) {
      pieces.end_step();
    } else {
      begin_run(memory, cursor, worker);
    }
    pieces.begin_step(left);
  }

 private:
  static constexpr int depth = SliceFormat<T>::depth;

  /// Of several products each group has a copy of what it calls, so that this is not inlined.
  KOKKOSCONTRACT_RARE_FUNCTION static void start_elements(const Pieces pieces,
                                                          typename Machine::BlockAddress slices) {
    pieces.start_elements(slices);
  }
  /// Likewise.
  KOKKOSCONTRACT_RARE_FUNCTION static TileCopies next_run(char* const memory, TileCursor& cursor,
                                                          int worker) {
    return find_run(Memory(memory), cursor, worker);
  }
  /// The next run, of the same product or of the first one behind it that has terms.
  KOKKOS_FORCEINLINE_FUNCTION static TileCopies find_run(const Memory& at, TileCursor& cursor,
                                                         int worker) {
    int slice = cursor.run_end;
    const bool is_next_product = slice >= cursor.slices;
    if (is_next_product) {
      int next = cursor.source + 1;
      while (next < cursor.end && at.source[next].steps() == 0) ++next;
      cursor.source = next;
      if (next == cursor.end) {
        TileCopies none{};
        none.left = INT_MAX;
        return none;
      }
    }
    const TileSource<T>& source = at.source[cursor.source];
    TileCopies copies;
    copies.left = source.run;
    if (is_next_product) {
      slice = source.begin;
      cursor.slices = source.end;
      if constexpr (Products::has_splits) {
        copies.left -= source.begin % source.slices_of_run * depth;
      }
    }
    cursor.run_end = slice + slices_of(copies.left);
    const T* x_data = source.first.data;
    const T* y_data = source.second.data;
    if (slice > 0) {
      x_data += source.sums.offset(slice, source.first.input);
      y_data += source.sums.offset(slice, source.second.input);
    }
    bool is_quick = false;
    with_places(at, cursor.source, [&](const auto& x, const auto& y) KOKKOSCONTRACT_INLINE_LAMBDA {
      is_quick = copies.pieces.begin(slices_from(source.first, x, x_data),
                                     slices_from(source.second, y, y_data), source, worker);
    });
    copies.limit = is_quick && copies.pieces.all_are_vectors() ? 0 : INT_MAX;
    return copies;
  }

  KOKKOS_FORCEINLINE_FUNCTION static int slices_of(int terms) {
    return terms > 0 ? (terms + depth - 1) / depth : 0;
  }
  /// f(places of the rows' input, places of the columns' input) of a product, which is one of Begin
  /// to End - 1.
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
      const TileSource<T>& source = memory.source[number];
      f(Product::x_places(memory, source), Product::y_places(memory, source));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void begin_run(const Memory& memory, TileCursor& cursor, int worker) {
    if constexpr (Products::count > 1) {
      *this = next_run(reinterpret_cast<char*>(memory.stage), cursor, worker);
    } else if (cursor.run_end < cursor.slices) {
      const TileSource<T>& source = memory.source[cursor.source];
      std::ptrdiff_t by[2];
      find_move(source.sums, cursor.run_end, by);
      pieces.move(source, by);
      left = source.run;
      cursor.run_end += source.slices_of_run;
    } else {
      pieces.stop();
      limit = 0;
      left = INT_MAX;
    }
  }
  /// From the last slice of a run to this one, the first of the next run.
  KOKKOSCONTRACT_RARE_FUNCTION static void find_move(const SumModes& sums, int slice,
                                                     std::ptrdiff_t (&by)[2]) {
    for (int input = 0; input < 2; ++input) {
      by[input] = sums.offset(slice, input) - sums.offset(slice - 1, input);
    }
  }
  /// Whatever the inputs are like, where so many terms of the run are left behind the slice. Not
  /// inlined: it would take registers of the products.
  KOKKOSCONTRACT_RARE_FUNCTION static void start_slow(char* const at, const TileCursor& cursor,
                                                      int terms_left, int stage, int worker) {
    const Memory memory(at);
    const TileSource<T>& source = memory.source[cursor.source];
    T* const to = memory.stage + stage * Products::slices;
    const int slice = cursor.run_end - 1 - slices_of(terms_left);
    const int with_slice = terms_left + depth;
    constexpr int workers = Products::workers;
    with_places(
        memory, cursor.source, [&](const auto& x, const auto& y) KOKKOSCONTRACT_INLINE_LAMBDA {
          constexpr SliceOrder order = slice_order<SliceFormat<T>, std::remove_cvref_t<decltype(x)>,
                                                     std::remove_cvref_t<decltype(y)>>();
          source.first.template start_copy<Machine>(x, to + order.x_begin, source.sums, slice,
                                                    with_slice, worker, workers);
          source.second.template start_copy<Machine>(y, to + order.y_begin, source.sums, slice,
                                                     with_slice, worker, workers);
        });
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
