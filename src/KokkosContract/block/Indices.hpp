// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_BLOCK_INDICES_HPP
#define KOKKOSCONTRACT_BLOCK_INDICES_HPP

// Indices of the elements of a tile, and offsets of the positions of its slices.

#include <KokkosContract/block/Fragments.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Indices of a lane's elements in the tile: the index of each letter, for register R of block B.
template <class Atom, TileLayout Layout>
struct TilePlaces {
  int first[Layout.rank > 0 ? Layout.rank : 1];  // index in register 0 of block 0
  AtomPlace place;                               // row and column of that register in the block
  bool is_busy;

  KOKKOS_FORCEINLINE_FUNCTION TilePlaces(int warp, int lane)
      : place(Atom::sum_at(lane, 0)), is_busy(warp < Layout.warp_count()) {
    unrolled<Layout.rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      first[l] = warp_digit<Layout, l>(warp) * (Layout.blocks[l] * Layout.step(l)) +
                 index_in_block<l>(place);
    });
  }
  /// Whether the block has this row and column; blocks need not be full.
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
  /// Distance along a letter, from register 0 of block 0 to register R of block B.
  template <int B, int R, int L>
  static consteval int ahead() {
    return block_digit(Layout, B, L) * Layout.step(L) + distance<R, L>(0);
  }
  /// Whether the distance is the same in each lane, and sets only bits that no lane has.
  static consteval bool add_bits() {
    return []<int... N>(std::integer_sequence<int, N...>) {
      constexpr int rank = Layout.rank > 0 ? Layout.rank : 1;
      return (true && ... && adds_bits<N / rank, N % rank>());
    }(std::make_integer_sequence<int, Atom::sum_each * Layout.rank>{});
  }
  /// A lane's index in the block, in register R.
  template <int R, int L>
  static constexpr int index_in_lane(int lane) {
    return index_in_block<L>(Atom::sum_at(lane, R));
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
  /// Row and column of register R. All registers are at the same distance from the first one as in
  /// lane 0.
  template <int R>
  KOKKOS_FORCEINLINE_FUNCTION AtomPlace place_of() const {
    constexpr AtomPlace zero = Atom::sum_at(0, 0);
    constexpr AtomPlace to = Atom::sum_at(0, R);
    return {place.row + (to.row - zero.row), place.col + (to.col - zero.col)};
  }
  /// Distance from a lane's first element to register R, along a letter.
  template <int R, int L>
  static consteval int distance(int lane) {
    return index_in_block<L>(Atom::sum_at(lane, R)) - index_in_block<L>(Atom::sum_at(lane, 0));
  }
  template <int R, int L>
  static consteval bool adds_bits() {
    bool all = is_as_far_in_each_lane<R, L>();
    for (int lane = 0; lane < Atom::lanes; ++lane) {
      all = all && (index_in_lane<0, L>(lane) & distance<R, L>(0)) == 0;
    }
    return all;
  }
  /// Whether register R is at the same distance in each lane. The compiler then need not divide,
  /// and later offsets are an address and a constant.
  template <int R, int L>
  static consteval bool is_as_far_in_each_lane() {
    for (int lane = 1; lane < Atom::lanes; ++lane) {
      if (distance<R, L>(lane) != distance<R, L>(0)) return false;
    }
    return true;
  }
};

/// Offsets of the positions of an input's slices in a tile. `limits` is the number of indices in
/// bounds of each letter. The values are unsigned, because they are divided by constants.
template <class T, class Atom, TileLayout Layout, class Slice, bool IsRows>
class SlicePlaces {
 public:
  static constexpr int positions = Slice::positions;
  static constexpr int wanted = positions;
  static constexpr bool by_terms = Slice::by_terms;

  KOKKOS_FORCEINLINE_FUNCTION SlicePlaces(const SliceSource<T>& source, const unsigned* limits)
      : source_(source), limits_(limits) {}

  // Offsets have type Int. If Int is too narrow, they have unspecified values; unsigned values may
  // overflow.
  template <class Int = std::ptrdiff_t>
  KOKKOS_FORCEINLINE_FUNCTION Int offset(int position) const {
    std::make_unsigned_t<Int> at = 0;
    for_each_index(position, [&]<int l>(Number<l>, unsigned index)
                                 KOKKOSCONTRACT_INLINE_LAMBDA { at += offset_of<Int, l>(index); });
    return static_cast<Int>(at);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_there(int position) const {
    bool all = is_in_block(position);
    for_each_index(position, [&]<int l>(Number<l>, unsigned index)
                                 KOKKOSCONTRACT_INLINE_LAMBDA { all = all && index < limits_[l]; });
    return all;
  }
  /// Whether a block has this position; blocks need not be full.
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
  /// Calls f(letter, its index in the tile).
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
    constexpr unsigned count = Layout.blocks[L] * Layout.warps[L];
    constexpr unsigned in_block = IsRows ? Layout.row[L] : Layout.col[L];
    constexpr unsigned inner = IsRows ? Places::inner_rows(L) : Places::inner_cols(L);
    return position / stride % count * in_block + position % size / inner % in_block;
  }
  /// Offset of an index of a letter, clamped to the last index in bounds.
  template <class Int, int L>
  KOKKOS_FORCEINLINE_FUNCTION std::make_unsigned_t<Int> offset_of(unsigned index) const {
    using Unsigned = std::make_unsigned_t<Int>;
    const unsigned last = limits_[L] - 1;
    return static_cast<Unsigned>(index < last ? index : last) *
           static_cast<Unsigned>(source_.stride[L]);
  }
  /// Offset of position `low` + High over some letters: over those whose indices follow from `low`
  /// alone (Low), or over the others.
  template <class Int, int Apart, int High, bool Low>
  KOKKOS_FORCEINLINE_FUNCTION Int offset_of_some(int low) const {
    std::make_unsigned_t<Int> at = 0;
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
    return static_cast<Int>(at);
  }
  /// Whether the index of low + High is the sum of the indices of low and of High. The index of
  /// High is then a constant.
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
    const int count = Layout.blocks[l] * Layout.warps[l];
    const bool is_inner_low = in_block == 1 || Apart % (inner * in_block) == 0;
    return is_inner_low && (count == 1 || Apart % (Slice::stride(l) * size * count) == 0);
  }
  static constexpr int size = IsRows ? Atom::m : Atom::n;  // positions of a row of blocks
  const SliceSource<T>& source_;
  const unsigned* limits_;
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
