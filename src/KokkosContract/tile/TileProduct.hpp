// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_TILEPRODUCT_HPP
#define KOKKOSCONTRACT_TILE_TILEPRODUCT_HPP

// The sums of a tile in the registers of waves, and products of slices that are added to them.

#include <KokkosContract/tile/Slices.hpp>
#include <KokkosContract/tile/TileLayout.hpp>
#include <utility>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// In the place of an atom where a machine has none: 8 x 8 (16 x 8) sums, of which a lane has two
/// side by side, by multiply-adds.
template <class T, int Lanes>
struct MultiplyAdds {
  using X = T;
  using Y = T;
  using Acc = T;
  static constexpr int lanes = Lanes;
  static constexpr int m = Lanes / 4, n = 8, k = 1;
  static constexpr int x_each = 1, y_each = 2, sum_each = 2;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace x_at(int lane, int) {
    return {lane / 4, 0};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace y_at(int lane, int r) {
    return {0, lane % 4 * 2 + r};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace sum_at(int lane, int r) {
    return {lane / 4, lane % 4 * 2 + r};
  }
};

template <class Machine, class T>
struct TileAtomOf {
  using found = block_atom_for<Machine, T, T, T>;
  using type = std::conditional_t<is_atom<found>, found, MultiplyAdds<T, Machine::wave>>;
};
template <class Machine, class T>
using tile_atom_t = typename TileAtomOf<Machine, T>::type;

/// Blocks of a wave: what a lane has of them is 512 bytes.
template <class T, class Atom>
consteval TileLimits tile_limits(const TileExtents& tile) {
  const int sums_of_lane = sizeof(T) > 8 ? 512 / static_cast<int>(sizeof(T)) : 64;
  const int most = sums_of_lane / Atom::sum_each;
  return {Atom::m, Atom::n, tile.most_blocks > 0 ? tile.most_blocks : most};
}

/// A wave's elements of a tile.
template <class Atom, TileLayout Layout>
struct TileSums {
  using T = typename Atom::Acc;
  static constexpr int blocks = Layout.block_count();
  T sum[blocks][Atom::sum_each];

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    unrolled<blocks>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<Atom::sum_each>([&]<int r>(Number<r>)
                                   KOKKOSCONTRACT_INLINE_LAMBDA { sum[b][r] = T(0); });
    });
  }
  /// The first blocks become the last ones.
  template <int Blocks>
  KOKKOS_FORCEINLINE_FUNCTION void turn() {
    const TileSums before = *this;
    unrolled<blocks>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<Atom::sum_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
        sum[b][r] = before.sum[(b + Blocks) % blocks][r];
      });
    });
  }
};

// Numbers of blocks, and of what a wave reads for them, digit by digit: the last letter is fastest.

consteval int block_digit(const TileLayout& layout, int block, int letter) {
  for (int l = layout.rank - 1; l > letter; --l) block /= layout.blocks[l];
  return block % layout.blocks[letter];
}
consteval int block_stride(const TileLayout& layout, int letter) {
  int stride = 1;
  for (int l = layout.rank - 1; l > letter; --l) stride *= layout.blocks[l];
  return stride;
}
/// Of what a wave has of an input with these letters, that which a block needs.
consteval int fragment_of_block(const TileLayout& layout, const bool (&has)[max_rank], int block) {
  int fragment = 0;
  for (int l = 0; l < layout.rank; ++l) {
    if (has[l]) fragment = fragment * layout.blocks[l] + block_digit(layout, block, l);
  }
  return fragment;
}
/// Where a letter's blocks are in a slice, from one to the next.
consteval int row_stride(const TileLayout& layout, const bool (&has)[max_rank], int letter) {
  int stride = 1;
  for (int l = layout.rank - 1; l > letter; --l) {
    if (has[l]) stride *= layout.blocks[l] * layout.waves[l];
  }
  return stride;
}
/// The row of blocks of a fragment in a slice, from the wave's first one.
consteval int row_of_fragment(const TileLayout& layout, const bool (&has)[max_rank], int fragment) {
  int row = 0;
  for (int l = layout.rank - 1; l >= 0; --l) {
    if (!has[l]) continue;
    row += fragment % layout.blocks[l] * row_stride(layout, has, l);
    fragment /= layout.blocks[l];
  }
  return row;
}
consteval int wave_stride(const TileLayout& layout, int letter) {
  int stride = 1;
  for (int l = layout.rank - 1; l > letter; --l) stride *= layout.waves[l];
  return stride;
}

/// This wave's digit of a letter.
template <TileLayout Layout, int Letter>
KOKKOS_FORCEINLINE_FUNCTION int wave_digit(int wave) {
  constexpr int stride = wave_stride(Layout, Letter);
  constexpr int count = Layout.waves[Letter];
  return wave / stride % count;
}

/// What a wave has of one input of a product whose layout gives it rows of blocks of Size.
template <class T, TileLayout Layout, TileTerm Term, int Input, bool ByTerms, int Size>
struct SliceOf {
  static consteval bool has(int l) { return Input == 1 ? Term.in_first[l] : Term.in_second[l]; }
  static constexpr int fragments = Input == 1 ? Layout.wave_blocks_along(Term.in_first)
                                              : Layout.wave_blocks_along(Term.in_second);
  static constexpr int positions = Size * (Input == 1 ? Layout.blocks_along(Term.in_first)
                                                      : Layout.blocks_along(Term.in_second));
  static constexpr bool by_terms = ByTerms;
  static constexpr int size = SliceFormat<T>::size(positions, ByTerms);

  static consteval int fragment(int block) {
    return Input == 1 ? fragment_of_block(Layout, Term.in_first, block)
                      : fragment_of_block(Layout, Term.in_second, block);
  }
  static consteval int offset(int fragment) {
    const int row = Input == 1 ? row_of_fragment(Layout, Term.in_first, fragment)
                               : row_of_fragment(Layout, Term.in_second, fragment);
    return row * Size * (ByTerms ? SliceFormat<T>::depth : 1);
  }
  static consteval int stride(int letter) {
    return Input == 1 ? row_stride(Layout, Term.in_first, letter)
                      : row_stride(Layout, Term.in_second, letter);
  }
  /// The wave's first position.
  KOKKOS_FORCEINLINE_FUNCTION static int first(int wave) {
    int row = 0;
    unrolled<Layout.rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      if constexpr (has(l) && Layout.waves[l] > 1) {
        constexpr int step = stride(l) * Layout.blocks[l];
        row += wave_digit<Layout, l>(wave) * step;
      }
    });
    return row * Size;
  }
};

/// Between products: nothing.
struct Nothing {
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Number<N>) const {}
};

/// Elements that are read at once.
template <class T>
struct alignas(2 * sizeof(T)) SlicePair {
  T first, second;
  KOKKOS_FORCEINLINE_FUNCTION static void read(T (&to)[2], const T* from) {
    const SlicePair pair = *reinterpret_cast<const SlicePair*>(from);
    to[0] = pair.first;
    to[1] = pair.second;
  }
};

/// Whether a lane reads two rows of a block at once: positions next to each other, which are then
/// rows that are half a block apart.
template <class Atom, bool XByTerms>
consteval bool has_row_pairs() {
  return !XByTerms && Atom::m == 16 && Atom::x_each == 2 && sizeof(typename Atom::X) == 8;
}
/// The position of a row in a block.
template <bool RowPairs>
KOKKOS_FORCEINLINE_FUNCTION constexpr int position_of_row(int row) {
  return RowPairs ? row % 8 * 2 + row / 8 : row;
}

/// Products of slices X, which has the rows of blocks, and Y, which has the columns.
template <class Machine, class Atom, TileLayout Layout, TileTerm Term, int InputOfRows,
          bool XByTerms, bool YByTerms, bool RowPairs = false>
struct TileProduct {
  using T = typename Atom::Acc;
  using X = SliceOf<T, Layout, Term, InputOfRows, XByTerms, Atom::m>;
  using Y = SliceOf<T, Layout, Term, 3 - InputOfRows, YByTerms, Atom::n>;
  static constexpr int steps = SliceFormat<T>::depth / Atom::k;
  static_assert(steps % 2 == 0);
  static constexpr int blocks = Layout.block_count();
  /// Whether a lane's two columns are neighbours in a slice.
  static constexpr bool col_pairs =
      !YByTerms && Atom::k == 1 && Atom::y_each == 2 && sizeof(T) <= 8;

  /// What one step needs.
  struct Fragments {
    T x[X::fragments][Atom::x_each];
    T y[Y::fragments][Atom::y_each];
  };

  int x_from[steps][Atom::x_each];
  int y_from[steps][Atom::y_each];

  KOKKOS_FORCEINLINE_FUNCTION TileProduct(int wave, int lane) {
    const int x_first = X::first(wave);
    const int y_first = Y::first(wave);
    unrolled<steps>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<Atom::x_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
        const AtomPlace at = Atom::x_at(lane, r);
        x_from[s][r] = SliceFormat<T>::place(XByTerms, X::positions,
                                             x_first + position_of_row<RowPairs>(at.row),
                                             s * Atom::k + at.col);
      });
      unrolled<Atom::y_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
        const AtomPlace at = Atom::y_at(lane, r);
        y_from[s][r] =
            SliceFormat<T>::place(YByTerms, Y::positions, y_first + at.col, s * Atom::k + at.row);
      });
    });
  }

  template <int Step>
  KOKKOS_FORCEINLINE_FUNCTION void read(Fragments& f, const T* x, const T* y) const {
    unrolled<X::fragments>([&]<int i>(Number<i>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int offset = X::offset(i);
      if constexpr (RowPairs) {
        SlicePair<T>::read(f.x[i], x + x_from[Step][0] + offset);
      } else {
        unrolled<Atom::x_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
          f.x[i][r] = x[x_from[Step][r] + offset];
        });
      }
    });
    unrolled<Y::fragments>([&]<int j>(Number<j>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int offset = Y::offset(j);
      if constexpr (col_pairs) {
        SlicePair<T>::read(f.y[j], y + y_from[Step][0] + offset);
      } else {
        unrolled<Atom::y_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
          f.y[j][r] = y[y_from[Step][r] + offset];
        });
      }
    });
  }

  /// What is read is conjugated and multiplied by alpha, whose factor this is, in the input that
  /// has less of it.
  template <bool Scales>
  KOKKOS_FORCEINLINE_FUNCTION static void scale(Fragments& f, const TileFactor<T> factor,
                                                const T& alpha) {
    const auto each_x = [&](const auto& change) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<X::fragments>([&]<int i>(Number<i>) KOKKOSCONTRACT_INLINE_LAMBDA {
        unrolled<Atom::x_each>([&]<int r>(Number<r>)
                                   KOKKOSCONTRACT_INLINE_LAMBDA { change(f.x[i][r]); });
      });
    };
    const auto each_y = [&](const auto& change) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<Y::fragments>([&]<int j>(Number<j>) KOKKOSCONTRACT_INLINE_LAMBDA {
        unrolled<Atom::y_each>([&]<int r>(Number<r>)
                                   KOKKOSCONTRACT_INLINE_LAMBDA { change(f.y[j][r]); });
      });
    };
    if constexpr (is_complex<T>) {
      each_x([&](T& x) KOKKOSCONTRACT_INLINE_LAMBDA { x = factor.template conjugate_if<true>(x); });
      each_y([&](T& y)
                 KOKKOSCONTRACT_INLINE_LAMBDA { y = factor.template conjugate_if<false>(y); });
    }
    if constexpr (Scales) {
      const auto each = [&](const auto& change) KOKKOSCONTRACT_INLINE_LAMBDA {
        if constexpr (X::fragments * Atom::x_each <= Y::fragments * Atom::y_each) {
          each_x(change);
        } else {
          each_y(change);
        }
      };
      each([&](T& x) KOKKOSCONTRACT_INLINE_LAMBDA { x = factor.signed_by(x); });
      // A loop, so that there is a branch.
      KOKKOSCONTRACT_NO_UNROLL
      for (int times = factor.times(); times > 0; --times) {
        const T value = TileFactor<T>::absolute(alpha);
        each([&](T& x) KOKKOSCONTRACT_INLINE_LAMBDA { x *= value; });
      }
    }
  }

  /// Blocks Begin to End - 1 of sums += x y; between(Number<0>), ... of Slots numbers are called on
  /// the way.
  template <int Begin, int End, int Slots, class Between>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(TileSums<Atom, Layout>& sums, const Fragments& f,
                                                   const Between& between) {
    static_assert(Slots == 0 || Begin < End);
    unrolled<End - Begin>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int b = Begin + n;
      constexpr int i = X::fragment(b);
      constexpr int j = Y::fragment(b);
      if constexpr (Atom::k == 1) {
        unrolled<Atom::sum_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
          sums.sum[b][r] = multiply_add(sums.sum[b][r], f.x[i][0], f.y[j][r]);
        });
      } else {
        multiply_add<Machine>(Atom{}, sums.sum[b], f.x[i], f.y[j]);
      }
      constexpr int first = Slots * n / (End - Begin);
      unrolled<Slots*(n + 1) / (End - Begin) - first>(
          [&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA { between(Number<first + s>{}); });
    });
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
