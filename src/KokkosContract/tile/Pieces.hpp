// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_PIECES_HPP
#define KOKKOSCONTRACT_TILE_PIECES_HPP

// The chunks of slices that a worker copies for the products of a call.

#include <KokkosContract/tile/Plan.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Chunks for several products whose slices are by terms that are neighbours. The positions of both
/// inputs form one list, which begins with the larger input.
template <class Machine, class T, class Products>
struct PiecesOfAll {
  using Format = SliceFormat<T>;
  static constexpr int workers = Products::workers;
  static constexpr int apart = workers / Format::pieces;  // positions from one chunk to the next
  static constexpr int slots = (Products::most_positions + apart - 1) / apart;

  /// Whether this chunk is in the larger input (or in the smaller one) in all products that have
  /// it. It may be in neither.
  template <int S, int... N>
  static consteval bool is_in(bool smaller, std::integer_sequence<int, N...>) {
    bool all = true;
    const auto add = [&](int x, int y) {
      const int of_larger = x > y ? x : y;
      if (S * apart >= x + y) return;
      all = all && (smaller ? S * apart >= of_larger : (S + 1) * apart <= of_larger);
    };
    (add(Products::template Product<N>::Type::X::positions,
         Products::template Product<N>::Type::Y::positions),
     ...);
    return all;
  }
  template <int S>
  static constexpr bool in_larger = is_in<S>(false, typename Products::All{});
  template <int S>
  static constexpr bool in_smaller = is_in<S>(true, typename Products::All{});
  template <int S>
  static consteval int others_before() {
    if constexpr (S == 0) {
      return 0;
    } else {
      return others_before<S - 1>() + (in_larger<S - 1> || in_smaller<S - 1> ? 0 : 1);
    }
  }
  static constexpr int others = others_before<slots>();

  // The data of this step. Most chunks are at an offset of 32 bits from the first element of their
  // input. That takes fewer registers and instructions than an address of each chunk.
  const T* larger;
  const T* smaller;
  const T* other[others > 0 ? others : 1];
  int offset[slots];
  int to;     // offset of the first chunk, in bytes
  int count;  // number of this worker's chunks
  int term;
  int elements;  // valid elements of a chunk
  PieceCopies copies;

  template <class X, class Y, class Source>
  KOKKOS_FORCEINLINE_FUNCTION bool begin(const X& x, const Y& y, const Source& source, int worker) {
    constexpr SliceOrder order = slice_order<Format, typename X::Places, typename Y::Places>();
    if constexpr (order.x_begin > order.y_begin) {
      begin_in_order(y, x, worker);
    } else {
      begin_in_order(x, y, worker);
    }
    copies.set(source.is_near, source.by_vectors);
    return source.is_near;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool all_are_vectors() const { return copies.by_vectors; }
  KOKKOS_FORCEINLINE_FUNCTION bool is_quick() const { return copies.is_quick(); }
  KOKKOS_FORCEINLINE_FUNCTION void stop() { copies = {}; }
  KOKKOS_FORCEINLINE_FUNCTION void begin_step(int left) {
    elements = Format::elements_of_piece(left - term);
  }
  KOKKOS_FORCEINLINE_FUNCTION void stop_vectors() { copies.set(true, false); }
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress slices) const {
    copies.template start_vector<Machine>(slices + to + next<S>, from<S>(), elements > 0, has<S>());
  }
  KOKKOS_FORCEINLINE_FUNCTION void start_elements(typename Machine::BlockAddress slices) const {
    unrolled<slots>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
      copies.template start_elements<Machine>(slices + to + next<s>, from<s>(), 1, elements,
                                              has<s>());
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_step() {
    larger += Format::depth;
    smaller += Format::depth;
    unrolled<others>([&]<int n>(Number<n>)
                         KOKKOSCONTRACT_INLINE_LAMBDA { other[n] += Format::depth; });
  }

 private:
  template <int S>
  static constexpr int next = S * apart * Format::depth * static_cast<int>(sizeof(T));
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION bool has() const {
    constexpr bool is_everybodys = (S + 1) * apart <= Products::least_positions;
    return is_everybodys || S < count;
  }
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION const T* from() const {
    if constexpr (in_larger<S>) {
      return Machine::ahead(larger, offset[S]);
    } else if constexpr (in_smaller<S>) {
      return Machine::ahead(smaller, offset[S]);
    } else {
      return other[others_before<S>()];
    }
  }
  template <class Larger, class Smaller>
  KOKKOS_FORCEINLINE_FUNCTION void begin_in_order(const Larger& of_larger,
                                                  const Smaller& of_smaller, int worker) {
    constexpr int all_larger = Larger::Places::positions;
    constexpr int positions = all_larger + Smaller::Places::positions;
    // The compiler knows that this is less than `apart`, so chunks share the values that follow
    // from it.
    const auto me = static_cast<unsigned>(worker) % workers;
    const int position = static_cast<int>(me / Format::pieces);
    term = static_cast<int>(me % Format::pieces) * Format::vector;
    to = Format::place(true, positions, position, term) * static_cast<int>(sizeof(T));
    count = positions <= position ? 0 : (positions - position + apart - 1) / apart;
    larger = of_larger.data;
    smaller = of_smaller.data;
    const int low_of_larger = term + of_larger.places.template offset_of_low<int, apart>(position);
    const int low_of_smaller =
        term + of_smaller.places.template offset_of_low<int, apart>(position);
    // There are no branches, so the reads for all chunks are in flight together.
    unrolled<slots>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int begin = s * apart;
      int at = 0;
      bool is_of_larger = true;
      if constexpr (begin + apart <= all_larger) {
        at = low_of_larger + of_larger.places.template offset_of_high<int, apart, begin>(position);
      } else if constexpr (begin >= all_larger && all_larger % apart == 0 &&
                           begin + apart <= positions) {
        constexpr int high = begin - all_larger;
        at = low_of_smaller + of_smaller.places.template offset_of_high<int, apart, high>(position);
        is_of_larger = false;
      } else if constexpr (begin < positions) {
        // A chunk after the last one repeats the last one.
        const int p = position + begin < positions ? position + begin : positions - 1;
        is_of_larger = p < all_larger;
        at = term + (is_of_larger ? of_larger.places.template offset<int>(p)
                                  : of_smaller.places.template offset<int>(p - all_larger));
      }
      if constexpr (in_larger<s> || in_smaller<s>) {
        offset[s] = at;
      } else {
        other[others_before<s>()] = (is_of_larger ? larger : smaller) + at;
      }
    });
  }
};
/// Chunks for one product, whose slices need not be by terms.
template <class Machine, class T, class Products>
struct PiecesOfOne {
  using Product = typename Products::template Product<0>;
  template <class Slice>
  using Of =
      std::conditional_t<Slice::by_terms,
                         PiecesByTerms<Machine, T, Products::all_wanted ? Slice::positions : 0,
                                       Slice::positions, Products::workers, Products::any_stride>,
                         PiecesByPositions<Machine, T, Slice::positions, Products::workers>>;
  Of<typename Product::Type::X> x;
  Of<typename Product::Type::Y> y;
  static constexpr int slots_of_x = decltype(x)::slots;
  static constexpr int slots_of_y = decltype(y)::slots;
  static constexpr int slots = slots_of_x + slots_of_y;
  static constexpr int begin_x = Product::Type::order.x_begin * static_cast<int>(sizeof(T));
  static constexpr int begin_y = Product::Type::order.y_begin * static_cast<int>(sizeof(T));
  template <class Input, class Pieces>
  KOKKOS_FORCEINLINE_FUNCTION static bool begin_one(Pieces& pieces, const Input& input, int run,
                                                    int worker) {
    if constexpr (Input::Places::by_terms) {
      return pieces.begin(input, input.places.wanted, run, worker);
    } else {
      return pieces.begin(input, worker);
    }
  }
  template <class InputX, class InputY, class Source>
  KOKKOS_FORCEINLINE_FUNCTION bool begin(const InputX& of_x, const InputY& of_y,
                                         const Source& source, int worker) {
    const bool is_x_quick = begin_one(x, of_x, source.run, worker);
    const bool is_y_quick = begin_one(y, of_y, source.run, worker);
    if (is_x_quick && is_y_quick) return true;
    stop();
    return false;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool all_are_vectors() const {
    return x.copies.by_vectors && y.copies.by_vectors;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_quick() const {
    return x.copies.is_quick() && y.copies.is_quick();
  }
  KOKKOS_FORCEINLINE_FUNCTION void stop() {
    x.copies = {};
    y.copies = {};
  }
  KOKKOS_FORCEINLINE_FUNCTION void begin_step(int left) {
    x.begin_step(left);
    y.begin_step(left);
  }
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress slices) const {
    if constexpr (S < slots_of_x) {
      x.template start<S>(slices + begin_x);
    } else {
      y.template start<S - slots_of_x>(slices + begin_y);
    }
  }
  template <class Source>
  KOKKOS_FORCEINLINE_FUNCTION void start_elements(typename Machine::BlockAddress slices,
                                                  const Source& source) const {
    if (x.copies.by_elements) {
      unrolled<slots_of_x>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
        x.template start_elements<s>(slices + begin_x, source.first);
      });
    }
    if (y.copies.by_elements) {
      unrolled<slots_of_y>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
        y.template start_elements<s>(slices + begin_y, source.second);
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_step() {
    x.end_step();
    y.end_step();
  }
  /// Moves to another run: by these elements in the first and in the second operand.
  template <class Source>
  KOKKOS_FORCEINLINE_FUNCTION void move(const Source& source, const std::ptrdiff_t (&by)[2]) {
    x.move(by[source.first.input]);
    y.move(by[source.second.input]);
  }
};
template <class Machine, class T>
struct NoPieces {
  static constexpr int slots = 0;
  template <class X, class Y, class Source>
  KOKKOS_FORCEINLINE_FUNCTION bool begin(const X&, const Y&, const Source&, int) {
    return false;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool all_are_vectors() const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION bool is_quick() const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION void stop_vectors() {}
  KOKKOS_FORCEINLINE_FUNCTION void stop() {}
  KOKKOS_FORCEINLINE_FUNCTION void begin_step(int) {}
  template <int>
  KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress) const {}
  KOKKOS_FORCEINLINE_FUNCTION void start_elements(typename Machine::BlockAddress) const {}
  KOKKOS_FORCEINLINE_FUNCTION void end_step() {}
};
template <class Machine, class T, class Products>
using TilePieces =
    std::conditional_t<Products::by_terms && Products::count != 1,
                       PiecesOfAll<Machine, T, Products>,
                       std::conditional_t<Products::count == 1, PiecesOfOne<Machine, T, Products>,
                                          NoPieces<Machine, T>>>;

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
