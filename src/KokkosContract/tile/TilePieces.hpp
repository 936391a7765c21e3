// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_TILEPIECES_HPP
#define KOKKOSCONTRACT_TILE_TILEPIECES_HPP

// What a worker copies of the slices of the products of a call.

#include <KokkosContract/tile/TilePlan.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Where it is, of products whose slices are by terms.
template <class Machine, class T, class Products>
struct PiecesOfAll {
  PiecesByTerms<Machine, T, Products::least_positions, Products::most_positions, Products::workers,
                false>
      both;
  static constexpr int slots = decltype(both)::slots;
  template <class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION bool begin(const X& x, const Y& y, int run, int worker) {
    return both.begin(x, y, X::Places::positions + Y::Places::positions, run, worker);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool all_are_vectors() const { return both.copies.by_vectors; }
  KOKKOS_FORCEINLINE_FUNCTION bool is_quick() const { return both.copies.is_quick(); }
  KOKKOS_FORCEINLINE_FUNCTION void stop() { both.copies = {}; }
  KOKKOS_FORCEINLINE_FUNCTION void begin_step(int left) { both.begin_step(left); }
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress slices) const {
    both.template start<S>(slices);
  }
  KOKKOS_FORCEINLINE_FUNCTION void start_elements(typename Machine::BlockAddress slices,
                                                  const TileSource<T>& source) const {
    if (!both.copies.by_elements) return;
    unrolled<slots>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
      both.template start_elements<s>(slices, source.first);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_step() { both.end_step(); }
};
/// Of one product, whose slices need not be.
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
  static constexpr int behind_x = Product::Type::X::size * static_cast<int>(sizeof(T));
  template <class Input, class Pieces>
  KOKKOS_FORCEINLINE_FUNCTION static bool begin_one(Pieces& pieces, const Input& input, int run,
                                                    int worker) {
    if constexpr (Input::Places::by_terms) {
      return pieces.begin(input, input, input.places.wanted, run, worker);
    } else {
      return pieces.begin(input, worker);
    }
  }
  template <class InputX, class InputY>
  KOKKOS_FORCEINLINE_FUNCTION bool begin(const InputX& of_x, const InputY& of_y, int run,
                                         int worker) {
    const bool is_x_quick = begin_one(x, of_x, run, worker);
    const bool is_y_quick = begin_one(y, of_y, run, worker);
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
      x.template start<S>(slices);
    } else {
      y.template start<S - slots_of_x>(slices + behind_x);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void start_elements(typename Machine::BlockAddress slices,
                                                  const TileSource<T>& source) const {
    if (x.copies.by_elements) {
      unrolled<slots_of_x>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
        x.template start_elements<s>(slices, source.first);
      });
    }
    if (y.copies.by_elements) {
      unrolled<slots_of_y>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
        y.template start_elements<s>(slices + behind_x, source.second);
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_step() {
    x.end_step();
    y.end_step();
  }
  /// To another run: by these elements in the first and in the second operand.
  KOKKOS_FORCEINLINE_FUNCTION void move(const TileSource<T>& source,
                                        const std::ptrdiff_t (&by)[2]) {
    x.move(by[source.first.input]);
    y.move(by[source.second.input]);
  }
};
template <class Machine, class T>
struct NoPieces {
  static constexpr int slots = 0;
  template <class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION bool begin(const X&, const Y&, int, int) {
    return false;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool all_are_vectors() const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION bool is_quick() const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION void stop() {}
  KOKKOS_FORCEINLINE_FUNCTION void begin_step(int) {}
  template <int>
  KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress) const {}
  KOKKOS_FORCEINLINE_FUNCTION void start_elements(typename Machine::BlockAddress,
                                                  const TileSource<T>&) const {}
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
