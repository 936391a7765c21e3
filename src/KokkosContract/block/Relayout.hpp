// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_BLOCK_RELAYOUT_HPP
#define KOKKOSCONTRACT_BLOCK_RELAYOUT_HPP

// Relayout of the elements of a tile: in registers, or through memory.

#include <KokkosContract/block/Indices.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The register of layout To that gets the element of a register of layout From. Blocks and rows of
/// blocks are exchanged.
template <class Atom, TileLayout From, TileLayout To>
struct Register {
  static consteval int row_digit(const TileLayout& layout, int row, int letter) {
    for (int l = layout.rank - 1; l > letter; --l) row /= layout.row[l];
    return row % layout.row[letter];
  }
  /// The target of a register in lane 0.
  static consteval AtomPlace target(int block, int r) {
    const AtomPlace place = Atom::sum_at(0, r);
    int to_block = 0;
    int to_row = 0;
    for (int l = 0; l < From.rank; ++l) {
      const int in_warp = block_digit(From, block, l) * From.row[l] + row_digit(From, place.row, l);
      to_block = to_block * To.blocks[l] + in_warp / To.row[l];
      to_row = to_row * To.row[l] + in_warp % To.row[l];
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
  from.for_each([&]<int b, int r>(Number<b>, Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
    constexpr AtomPlace target = Register<Atom, From, To>::target(b, r);
    static_assert(target.row >= 0);
    to.sum[target.row][target.col] = from.sum[b][r];
  });
}

consteval bool has_powers_of_two(const TileExtents& tile) {
  for (int l = 0; l < tile.rank(); ++l) {
    if ((tile.extent[l] & (tile.extent[l] - 1)) != 0) return false;
  }
  return tile.rank() > 0;
}
/// Stride of a letter in the memory of a relayout, which is row-major. Gaps keep rows of blocks in
/// different banks, because lanes have eight rows of one letter. If all extents are powers of two,
/// ExchangeTurn does this instead of gaps.
consteval int exchange_stride(const TileExtents& tile, int letter) {
  int stride = 1;
  for (int l = tile.rank() - 1; l > letter; --l) {
    stride *= tile.extent[l];
    const bool has_gap =
        !has_powers_of_two(tile) && stride % 16 == 0 && tile.extent[l - 1] % 8 == 0;
    if (has_gap) stride += 8;
  }
  return stride;
}
consteval int exchange_size(const TileExtents& tile) {
  return tile.rank() == 0 ? 1 : exchange_stride(tile, 0) * tile.extent[0];
}
/// The parts of a tile that a relayout moves one after another. Each part has one index of each
/// letter before `letter`, and `indices` indices of `letter`.
struct ExchangeParts {
  int letter = 0;
  int indices = 1;
  int count = 1;
  /// The last letter of which a part lacks indices, or -1 if there is one part.
  consteval int last_letter() const { return count == 1 ? -1 : letter; }
};
/// The fewest parts for memory for `size` elements.
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

/// A swizzle of offsets. It keeps the lanes of a warp in different banks, whichever elements are
/// adjacent in registers. `bits` bits from bit `from` on are combined by an exclusive or with those
/// from bit `to` on.
struct ExchangeTurn {
  int from = 0;
  int to = 0;
  int bits = 0;
  KOKKOS_FORCEINLINE_FUNCTION constexpr int turned(int at) const {
    return at ^ ((at >> from & ((1 << bits) - 1)) << to);
  }
};

/// Offsets of the elements of a warp during a relayout.
template <TileExtents Extents, class Atom, TileLayout Layout>
struct ExchangeOfLayout {
  using Places = TilePlaces<Atom, Layout>;
  static constexpr int rank = Layout.rank;

  /// Offsets of registers 0 and 1 of block 0, for each lane.
  struct LanePlaces {
    int first[Atom::lanes]{};
    int next[Atom::lanes]{};
  };
  template <int... L>
  static consteval LanePlaces places_of_lanes(std::integer_sequence<int, L...>) {
    constexpr int next = Atom::sum_each > 1 ? 1 : 0;
    LanePlaces found{};
    const auto add = [&]<int l>(Number<l>, int stride) {
      for (int lane = 0; lane < Atom::lanes; ++lane) {
        found.first[lane] += Places::template index_in_lane<0, l>(lane) * stride;
        found.next[lane] += Places::template index_in_lane<next, l>(lane) * stride;
      }
    };
    (add(Number<L>{}, exchange_stride(Extents, L)), ...);
    return found;
  }
  static constexpr LanePlaces lane_places =
      places_of_lanes(std::make_integer_sequence<int, rank>{});
  /// Whether registers 0 and 1 are neighbours in memory in each lane. If so, registers 2 and 3 are
  /// neighbours, too, in all blocks, because a swizzle keeps them adjacent.
  static consteval bool has_pairs(const ExchangeTurn& turn) {
    if (turn.bits > 0 && turn.to == 0) return false;
    if constexpr (Atom::sum_each % 2 == 0 && sizeof(typename Atom::Acc) <= 8) {
      for (int lane = 0; lane < Atom::lanes; ++lane) {
        const int first = turn.turned(lane_places.first[lane]);
        if (first % 2 != 0 || turn.turned(lane_places.next[lane]) != first + 1) return false;
      }
      return true;
    } else {
      return false;
    }
  }
  /// Number of memory requests for one element of all lanes. One request takes 128 bytes in
  /// different banks.
  static consteval int requests(const ExchangeTurn& turn) {
    using T = typename Atom::Acc;
    const bool pairs = has_pairs(turn);
    const int size = static_cast<int>(sizeof(T)) * (pairs ? 2 : 1);
    const int at_a_time = size < 4 ? 32 : 128 / size;
    int count = 0;
    for (int first = 0; first < Atom::lanes; first += at_a_time) {
      int most = 0;
      int in_bank[64]{};
      for (int lane = first; lane < first + at_a_time && lane < Atom::lanes; ++lane) {
        const int place = turn.turned(lane_places.first[lane]) / (pairs ? 2 : 1);
        const int n = ++in_bank[place % at_a_time];
        most = n > most ? n : most;
      }
      count += most;
    }
    return pairs ? count : 2 * count;
  }
  /// Distance from register 0 of block 0 to register R of block B. Its row is the index over Letter
  /// and the letters before it. Its column is the offset of the letters after it.
  template <int B, int R>
  static consteval AtomPlace ahead(int letter) {
    return ahead_along<B, R>(letter, std::make_integer_sequence<int, rank>{});
  }
  /// The bits that the offsets of lanes may set.
  static consteval int bits_of_lanes(const ExchangeTurn& turn) {
    int bits = 0;
    for (int lane = 0; lane < Atom::lanes; ++lane) bits |= lane_places.first[lane];
    for (int l = 0; l < rank; ++l) {
      const int of_warps = (Layout.warps[l] - 1) * Layout.blocks[l] * Layout.step(l);
      bits |= of_warps * exchange_stride(Extents, l);
    }
    return turn.turned(bits) | (((1 << turn.bits) - 1) << turn.to);
  }

 private:
  template <int B, int R, int... L>
  static consteval AtomPlace ahead_along(int letter, std::integer_sequence<int, L...>) {
    const int index[] = {Places::template ahead<B, R, L>()...};
    AtomPlace sum{0, 0};
    for (int l = 0; l <= letter; ++l) sum.row = sum.row * Extents.extent[l] + index[l];
    for (int l = letter + 1; l < rank; ++l) sum.col += index[l] * exchange_stride(Extents, l);
    return sum;
  }
};

/// The swizzle with the fewest requests in both layouts. It uses only bits that do not select
/// parts.
template <TileExtents Extents, ExchangeParts Parts, class Atom, TileLayout From, TileLayout To>
consteval ExchangeTurn exchange_turn() {
  using OfFrom = ExchangeOfLayout<Extents, Atom, From>;
  using OfTo = ExchangeOfLayout<Extents, Atom, To>;
  ExchangeTurn best{};
  if (!has_powers_of_two(Extents) || !OfFrom::Places::add_bits() || !OfTo::Places::add_bits()) {
    return best;
  }
  int fewest = OfFrom::requests(best) + OfTo::requests(best);
  const int end = exchange_stride(Extents, Parts.last_letter());
  for (int to = 0; to < 3; ++to) {
    for (int bits = 1; bits < 4; ++bits) {
      for (int from = to + bits; 1 << (from + bits) <= end; ++from) {
        const ExchangeTurn turn{from, to, bits};
        const int requests = OfFrom::requests(turn) + OfTo::requests(turn);
        if (requests < fewest) {
          fewest = requests;
          best = turn;
        }
      }
    }
  }
  return best;
}

/// Calls f(register, its offset in memory), or f(register, its neighbour, offset), for the elements
/// of a warp that are in a part.
template <TileExtents Extents, ExchangeParts Parts, ExchangeTurn Turn, class Atom,
          TileLayout Layout, class F>
KOKKOS_FORCEINLINE_FUNCTION void each_in_memory(TileSums<Atom, Layout>& sums, int warp, int lane,
                                                int part, const F& f) {
  using Of = ExchangeOfLayout<Extents, Atom, Layout>;
  using Places = typename Of::Places;
  const Places places(warp, lane);
  if (!places.is_busy) return;
  if constexpr (Turn.bits == 0) {
    constexpr int stride_of_part = exchange_stride(Extents, Parts.letter);
    const int first_of_part = part * Parts.indices;
    unrolled<Layout.block_count()>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<Atom::sum_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
        int outer = 0;
        int at = 0;
        unrolled<Layout.rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
          constexpr int extent = Extents.extent[l];
          const int index = places.template index<b, r, l>();
          if constexpr (l <= Parts.letter) outer = outer * extent + index;
          if constexpr (l > Parts.letter) at += index * exchange_stride(Extents, l);
        });
        const int in_part = outer - first_of_part;
        if (!places.template is_in_block<r>() || static_cast<unsigned>(in_part) >= Parts.indices) {
          return;
        }
        f(sums.sum[b][r], at + in_part * stride_of_part);
      });
    });
  } else {
    // A register is at a constant distance from the first one. This holds after the swizzle of the
    // lanes' bits, too.
    constexpr int last = Parts.last_letter();
    constexpr int stride_of_part = exchange_stride(Extents, last);
    int in_part = 0;
    int first = 0;
    unrolled<Layout.rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int extent = Extents.extent[l];
      if constexpr (l <= last) in_part = in_part * extent + places.first[l];
      if constexpr (l > last) first += places.first[l] * exchange_stride(Extents, l);
    });
    first = Turn.turned(first);
    in_part -= last < 0 ? 0 : part * Parts.indices;
    constexpr int together = Of::has_pairs(Turn) ? 2 : 1;
    constexpr int of_lanes = Of::bits_of_lanes(Turn);
    unrolled<Layout.block_count()>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<Atom::sum_each / together>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int r = n * together;
        constexpr AtomPlace ahead = Of::template ahead<b, r>(last);
        constexpr int turned = Turn.turned(ahead.col);
        constexpr int of_both = turned & of_lanes;
        constexpr int constant = turned - of_both + ahead.row * stride_of_part;
        if (!places.template is_in_block<r>()) return;
        if (last >= 0 && static_cast<unsigned>(in_part + ahead.row) >= Parts.indices) return;
        const int at = (first ^ of_both) + in_part * stride_of_part + constant;
        if constexpr (together == 2) {
          f(sums.sum[b][r], sums.sum[b][r + 1], at);
        } else {
          f(sums.sum[b][r], at);
        }
      });
    });
  }
}

/// The operations on the registers of a warp during a relayout: write, read.
template <class T>
struct WriteInExchange {
  T* to;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const T& sum, int at) const { to[at] = sum; }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const T& sum, const T& next, int at) const {
    *reinterpret_cast<NeighboursOf<T, 2>*>(to + at) = {{sum, next}};
  }
};
template <class T>
struct ReadInExchange {
  const T* from;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(T& sum, int at) const { sum = from[at]; }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(T& sum, T& next, int at) const {
    const auto both = *reinterpret_cast<const NeighboursOf<T, 2>*>(from + at);
    sum = both.element[0];
    next = both.element[1];
  }
};

/// Relayout through memory for Size elements, which no code reads any more.
template <class Machine, TileExtents Extents, int Size, class Level, class T, class Atom,
          TileLayout From, TileLayout To>
KOKKOS_FORCEINLINE_FUNCTION void change_in_memory(const Level& level, T* buffer, int warp,
                                                  TileSums<Atom, From>& from,
                                                  TileSums<Atom, To>& to) {
  constexpr ExchangeParts parts = exchange_parts(Extents, Size);
  constexpr ExchangeTurn turn = exchange_turn<Extents, parts, Atom, From, To>();
  to.clear();
  KOKKOSCONTRACT_NO_UNROLL
  for (int part = 0; part < parts.count; ++part) {
    // Addresses are computed each time. If they were kept, they would fill the registers.
    const int lane = Machine::hidden(Machine::lane_of_warp());
    if (part > 0) level.barrier();
    each_in_memory<Extents, parts, turn>(from, warp, lane, part, WriteInExchange<T>{buffer});
    level.barrier();
    each_in_memory<Extents, parts, turn>(to, warp, lane, part, ReadInExchange<T>{buffer});
  }
  level.barrier();
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
