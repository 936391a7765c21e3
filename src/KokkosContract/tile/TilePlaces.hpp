// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_TILEPLACES_HPP
#define KOKKOSCONTRACT_TILE_TILEPLACES_HPP

// Where the elements of a tile are, and how they come from one layout to another.

#include <KokkosContract/tile/TileProduct.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Where elements are on their way from one layout to another: row-major, with gaps that keep rows
/// of blocks in different banks.
consteval int exchange_stride(const TileExtents& tile, int letter) {
  int stride = 1;
  for (int l = tile.rank() - 1; l > letter; --l) {
    stride *= tile.extent[l];
    if (stride % 16 == 0) stride += 8;
  }
  return stride;
}
consteval int exchange_size(const TileExtents& tile) {
  return tile.rank() == 0 ? 1 : exchange_stride(tile, 0) * tile.extent[0];
}

/// Where a lane's elements of a tile are: index of each letter in the tile, of register R of block
/// B.
template <class Atom, TileLayout Layout>
struct TilePlaces {
  int first[Layout.rank > 0 ? Layout.rank : 1];  // of the wave
  AtomPlace place[Atom::sum_each];
  bool is_busy;

  KOKKOS_FORCEINLINE_FUNCTION TilePlaces(int wave, int lane) : is_busy(wave < Layout.wave_count()) {
    unrolled<Layout.rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      first[l] = wave_digit<Layout, l>(wave) * (Layout.blocks[l] * Layout.step(l));
    });
    unrolled<Atom::sum_each>(
        [&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA { place[r] = Atom::sum_at(lane, r); });
  }
  /// Whether the block has such a row and column: it need not be full.
  template <int R>
  KOKKOS_FORCEINLINE_FUNCTION bool is_in_block() const {
    return (Layout.rows() == Atom::m || place[R].row < Layout.rows()) &&
           (Layout.cols() == Atom::n || place[R].col < Layout.cols());
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
    int i = first[L] + of_block;
    if constexpr (Layout.row[L] > 1) {
      constexpr int inner = inner_rows(L);
      i += place[R].row / inner % Layout.row[L];
    }
    if constexpr (Layout.col[L] > 1) {
      constexpr int inner = inner_cols(L);
      i += place[R].col / inner % Layout.col[L];
    }
    return i;
  }
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
template <class Machine, class Atom, TileLayout From, TileLayout To>
KOKKOS_FORCEINLINE_FUNCTION void change_in_registers(const TileSums<Atom, From>& from,
                                                     TileSums<Atom, To>& to) {
  // Told apart, so that registers change here, and not in each step behind it.
  unrolled<From.block_count()>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
    unrolled<Atom::sum_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr AtomPlace target = Register<Atom, From, To>::target(b, r);
      static_assert(target.row >= 0);
      to.sum[target.row][target.col] = Machine::told_apart(from.sum[b][r]);
    });
  });
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
