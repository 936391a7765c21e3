// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_TILEPLACES_HPP
#define KOKKOSCONTRACT_TILE_TILEPLACES_HPP

// Where the elements of a tile are, and how they come from one layout to another.

#include <KokkosContract/tile/TileProduct.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Where elements are on their way from one layout to another: row-major, with gaps that keep rows
/// of blocks in different banks. Lanes have eight rows of one letter.
consteval int exchange_stride(const TileExtents& tile, int letter) {
  int stride = 1;
  for (int l = tile.rank() - 1; l > letter; --l) {
    stride *= tile.extent[l];
    if (stride % 16 == 0 && tile.extent[l - 1] % 8 == 0) stride += 8;
  }
  return stride;
}
consteval int exchange_size(const TileExtents& tile) {
  return tile.rank() == 0 ? 1 : exchange_stride(tile, 0) * tile.extent[0];
}
/// The parts of a tile that are on their way one after the other: each has one index of the letters
/// before this one, and so many of it.
struct ExchangeParts {
  int letter = 0;
  int indices = 1;
  int count = 1;
};
/// As few as possible, for memory for so many elements.
consteval ExchangeParts exchange_parts(const TileExtents& tile, int size) {
  ExchangeParts parts{};
  if (tile.rank() == 0) return parts;
  while (exchange_stride(tile, parts.letter) > size) parts.count *= tile.extent[parts.letter++];
  const int extent = tile.extent[parts.letter];
  parts.indices = extent;
  while (extent % parts.indices != 0 ||
         parts.indices * exchange_stride(tile, parts.letter) > size) {
    --parts.indices;
  }
  parts.count *= extent / parts.indices;
  return parts;
}

/// Where a lane's elements of a tile are: index of each letter in the tile, of register R of block
/// B.
template <class Atom, TileLayout Layout>
struct TilePlaces {
  int first[Layout.rank > 0 ? Layout.rank : 1];  // of register 0 of block 0
  AtomPlace place;                               // likewise, in the block
  bool is_busy;

  KOKKOS_FORCEINLINE_FUNCTION TilePlaces(int wave, int lane)
      : place(Atom::sum_at(lane, 0)), is_busy(wave < Layout.wave_count()) {
    unrolled<Layout.rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      first[l] = wave_digit<Layout, l>(wave) * (Layout.blocks[l] * Layout.step(l)) +
                 index_in_block<l>(place);
    });
  }
  /// Whether the block has such a row and column: it need not be full.
  template <int R>
  KOKKOS_FORCEINLINE_FUNCTION bool is_in_block() const {
    const AtomPlace at = place_of<R>();
    return (Layout.rows() == Atom::m || at.row < Layout.rows()) &&
           (Layout.cols() == Atom::n || at.col < Layout.cols());
  }
  static consteval int inner_rows(int letter) {
    int n = 1;
    for (int l = Layout.rank - 1; l > letter; --l) n *= Layout.row[l];
    return n;
  }
  static consteval int inner_cols(int letter) {
    int n = 1;
    for (int l = Layout.rank - 1; l > letter; --l) n *= Layout.col[l];
    return n;
  }
  template <int B, int R, int L>
  KOKKOS_FORCEINLINE_FUNCTION int index() const {
    constexpr int of_block = block_digit(Layout, B, L) * Layout.step(L);
    if constexpr (is_as_far_in_each_lane<R, L>()) {
      constexpr int behind = of_block + distance<R, L>(0);
      return first[L] + behind;
    } else {
      return first[L] + of_block + index_in_block<L>(place_of<R>()) - index_in_block<L>(place);
    }
  }

 private:
  template <int L>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int index_in_block(const AtomPlace& at) {
    int i = 0;
    if constexpr (Layout.row[L] > 1) {
      constexpr int inner = inner_rows(L);
      i += at.row / inner % Layout.row[L];
    }
    if constexpr (Layout.col[L] > 1) {
      constexpr int inner = inner_cols(L);
      i += at.col / inner % Layout.col[L];
    }
    return i;
  }
  /// All registers are as far from the first one as in lane 0.
  template <int R>
  KOKKOS_FORCEINLINE_FUNCTION AtomPlace place_of() const {
    constexpr AtomPlace zero = Atom::sum_at(0, 0);
    constexpr AtomPlace to = Atom::sum_at(0, R);
    return {place.row + (to.row - zero.row), place.col + (to.col - zero.col)};
  }
  /// From a lane's first element to register R, along a letter.
  template <int R, int L>
  static consteval int distance(int lane) {
    return index_in_block<L>(Atom::sum_at(lane, R)) - index_in_block<L>(Atom::sum_at(lane, 0));
  }
  /// Then the compiler need not divide, and what follows is an address and a constant.
  template <int R, int L>
  static consteval bool is_as_far_in_each_lane() {
    for (int lane = 1; lane < Atom::lanes; ++lane) {
      if (distance<R, L>(lane) != distance<R, L>(0)) return false;
    }
    return true;
  }
};

/// Where the positions of an input's slices are in a tile, of which so many indices of each letter
/// are there. (Numbers are unsigned: they are divided by constants.)
template <class T, class Atom, TileLayout Layout, class Slice, bool IsRows>
class SlicePlaces {
 public:
  static constexpr int positions = Slice::positions;
  static constexpr int wanted = positions;
  static constexpr bool by_terms = Slice::by_terms;

  KOKKOS_FORCEINLINE_FUNCTION SlicePlaces(const SliceSource<T>& source, const unsigned* limits)
      : source_(source), limits_(limits) {}

  template <class Int = std::ptrdiff_t>
  KOKKOS_FORCEINLINE_FUNCTION Int offset(int position) const {
    Int at = 0;
    for_each_index(position, [&]<int l>(Number<l>, unsigned index) KOKKOSCONTRACT_INLINE_LAMBDA {
      at += offset_of<Int, l>(index);
    });
    return at;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_there(int position) const {
    bool all = is_in_block(position);
    for_each_index(position, [&]<int l>(Number<l>, unsigned index)
                                 KOKKOSCONTRACT_INLINE_LAMBDA { all = all && index < limits_[l]; });
    return all;
  }
  /// It need not be full.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_in_block(int position) {
    constexpr int filled = IsRows ? Layout.rows() : Layout.cols();
    return position % size < filled;
  }
  template <class Int, int Apart>
  KOKKOS_FORCEINLINE_FUNCTION Int offset_of_low(int low) const {
    return offset_of_some<Int, Apart, 0, true>(low);
  }
  template <class Int, int Apart, int High>
  KOKKOS_FORCEINLINE_FUNCTION Int offset_of_high(int low) const {
    return offset_of_some<Int, Apart, High, false>(low);
  }
  /// f(letter, its index in the tile)
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_index(unsigned position, const F& f) {
    unrolled<Layout.rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      if constexpr (Slice::has(l)) f(Number<l>{}, index_of<l>(position));
    });
  }

 private:
  template <int L>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr unsigned index_of(unsigned position) {
    using Places = TilePlaces<Atom, Layout>;
    constexpr unsigned stride = Slice::stride(L) * size;
    constexpr unsigned count = Layout.blocks[L] * Layout.waves[L];
    constexpr unsigned in_block = IsRows ? Layout.row[L] : Layout.col[L];
    constexpr unsigned inner = IsRows ? Places::inner_rows(L) : Places::inner_cols(L);
    return position / stride % count * in_block + position % size / inner % in_block;
  }
  /// Of an index of a letter, or, where it is not there, of the last one that is.
  template <class Int, int L>
  KOKKOS_FORCEINLINE_FUNCTION Int offset_of(unsigned index) const {
    const unsigned last = limits_[L] - 1;
    return static_cast<Int>(index < last ? index : last) * static_cast<Int>(source_.stride[L]);
  }
  /// Of position `low` + High: of the letters whose indices follow from `low` alone, or of the
  /// others.
  template <class Int, int Apart, int High, bool Low>
  KOKKOS_FORCEINLINE_FUNCTION Int offset_of_some(int low) const {
    Int at = 0;
    unrolled<Layout.rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      if constexpr (Slice::has(l)) {
        if constexpr (is_low<Apart>(l) == Low) {
          if constexpr (adds_up<Apart, High, l>()) {
            constexpr unsigned of_high = index_of<l>(High);
            at += offset_of<Int, l>(index_of<l>(low) + of_high);
          } else {
            at += offset_of<Int, l>(index_of<l>(low + High));
          }
        }
      }
    });
    return at;
  }
  /// Whether the index of a sum is the sum of indices, of which one is a constant.
  template <int Apart, int High, int L>
  static consteval bool adds_up() {
    for (int low = 0; low < Apart; ++low) {
      if (index_of<L>(low + High) != index_of<L>(low) + index_of<L>(High)) return false;
    }
    return true;
  }
  template <int Apart>
  static consteval bool is_low(int l) {
    using Places = TilePlaces<Atom, Layout>;
    const int in_block = IsRows ? Layout.row[l] : Layout.col[l];
    const int inner = IsRows ? Places::inner_rows(l) : Places::inner_cols(l);
    const int count = Layout.blocks[l] * Layout.waves[l];
    const bool is_inner_low = in_block == 1 || Apart % (inner * in_block) == 0;
    return is_inner_low && (count == 1 || Apart % (Slice::stride(l) * size * count) == 0);
  }
  static constexpr int size = IsRows ? Atom::m : Atom::n;  // of a row of blocks
  const SliceSource<T>& source_;
  const unsigned* limits_;
};

/// The register of layout To with what layout From has in this one: blocks and rows of blocks
/// change places.
template <class Atom, TileLayout From, TileLayout To>
struct Register {
  static consteval int row_digit(const TileLayout& layout, int row, int letter) {
    for (int l = layout.rank - 1; l > letter; --l) row /= layout.row[l];
    return row % layout.row[letter];
  }
  /// Of the first lane.
  static consteval AtomPlace target(int block, int r) {
    const AtomPlace place = Atom::sum_at(0, r);
    int to_block = 0;
    int to_row = 0;
    for (int l = 0; l < From.rank; ++l) {
      const int in_wave = block_digit(From, block, l) * From.row[l] + row_digit(From, place.row, l);
      to_block = to_block * To.blocks[l] + in_wave / To.row[l];
      to_row = to_row * To.row[l] + in_wave % To.row[l];
    }
    for (int other = 0; other < Atom::sum_each; ++other) {
      const AtomPlace at = Atom::sum_at(0, other);
      if (at.row == to_row && at.col == place.col) return {to_block, other};
    }
    return {-1, -1};
  }
};
template <class Atom, TileLayout From, TileLayout To>
KOKKOS_FORCEINLINE_FUNCTION void change_in_registers(const TileSums<Atom, From>& from,
                                                     TileSums<Atom, To>& to) {
  unrolled<From.block_count()>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
    unrolled<Atom::sum_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr AtomPlace target = Register<Atom, From, To>::target(b, r);
      static_assert(target.row >= 0);
      to.sum[target.row][target.col] = from.sum[b][r];
    });
  });
}

/// f(register, its place in memory) for the elements of a wave that are in a part.
template <TileExtents Extents, ExchangeParts Parts, class Atom, TileLayout Layout, class F>
KOKKOS_FORCEINLINE_FUNCTION void each_in_memory(TileSums<Atom, Layout>& sums, int wave, int lane,
                                                int part, const F& f) {
  const TilePlaces<Atom, Layout> places(wave, lane);
  unrolled<Layout.block_count()>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
    unrolled<Atom::sum_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
      int outer = 0;
      int at = 0;
      unrolled<Layout.rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int extent = Extents.extent[l];
        const int index = places.template index<b, r, l>();
        if constexpr (l <= Parts.letter) outer = outer * extent + index;
        if constexpr (l >= Parts.letter) at += index * exchange_stride(Extents, l);
      });
      const int first = part * Parts.indices;
      const bool is_in_part = static_cast<unsigned>(outer - first) < Parts.indices;
      if (!places.is_busy || !places.template is_in_block<r>() || !is_in_part) return;
      if constexpr (Layout.rank > 0) {
        at -= first % Extents.extent[Parts.letter] * exchange_stride(Extents, Parts.letter);
      }
      f(sums.sum[b][r], at);
    });
  });
}
/// Through memory for Size elements, which nobody reads any more.
template <class Machine, TileExtents Extents, int Size, class Level, class T, class Atom,
          TileLayout From, TileLayout To>
KOKKOS_FORCEINLINE_FUNCTION void change_in_memory(const Level& level, T* buffer, int wave,
                                                  TileSums<Atom, From>& from,
                                                  TileSums<Atom, To>& to) {
  constexpr ExchangeParts parts = exchange_parts(Extents, Size);
  to.clear();
  KOKKOSCONTRACT_NO_UNROLL
  for (int part = 0; part < parts.count; ++part) {
    // Addresses are found each time: kept, they would fill the registers.
    const int lane = Machine::hidden(Machine::lane_of_wave());
    if (part > 0) level.barrier();
    each_in_memory<Extents, parts>(from, wave, lane, part,
                                   [&](const T& sum, int at)
                                       KOKKOSCONTRACT_INLINE_LAMBDA { buffer[at] = sum; });
    level.barrier();
    each_in_memory<Extents, parts>(to, wave, lane, part,
                                   [&](T& sum, int at)
                                       KOKKOSCONTRACT_INLINE_LAMBDA { sum = buffer[at]; });
  }
  level.barrier();
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
