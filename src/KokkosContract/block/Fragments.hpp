// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_BLOCK_FRAGMENTS_HPP
#define KOKKOSCONTRACT_BLOCK_FRAGMENTS_HPP

// The sums of a tile in the registers of warps, and products of slices (k-tiles) that are added to
// them.

#include <KokkosContract/block/KTile.hpp>
#include <KokkosContract/block/Layout.hpp>
#include <utility>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Replaces an atom on a machine without one: 8 Rows x 4 Cols (16 Rows x 4 Cols) sums of Terms
/// products, by FMAs. A lane has Rows x Cols neighbouring sums. Four lanes have a row of the block,
/// or two rows where reads are longer. A read of 16 bytes per lane then occupies shared memory half
/// as long, and a store of two columns occupies it longer (ncu, 2026-11-26).
template <class Types, int Lanes, int Rows, int Cols, int Terms>
struct MultiplyAdds {
  using X = typename Types::Input;
  using Y = typename Types::Input;
  using Acc = typename Types::Sum;
  static constexpr int lanes = Lanes;
  static constexpr int m = Lanes / 4 * Rows, n = 4 * Cols, k = Terms;
  static constexpr int rows = Rows, cols = Cols;
  static constexpr int x_each = Rows * Terms, y_each = Cols * Terms, sum_each = Rows * Cols;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace x_at(int lane, int r) {
    return {first_row(lane) + r / Terms, r % Terms};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace y_at(int lane, int r) {
    return {r % Terms, first_col(lane) + r / Terms};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace sum_at(int lane, int r) {
    return {first_row(lane) + r / Cols, first_col(lane) + r % Cols};
  }

 private:
  static constexpr bool in_pairs = Rows > 1 || Cols > 2 || Terms > 1;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int first_row(int lane) {
    return (in_pairs ? lane / 8 * 2 + lane % 2 : lane / 4) * Rows;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int first_col(int lane) {
    return (in_pairs ? lane / 2 : lane) % 4 * Cols;
  }
};
template <class Atom>
inline constexpr bool is_multiply_adds = requires { Atom::rows; };

/// The MMA instruction (atom) of a machine for these types, or NoAtom.
template <class Machine, class Types>
using atom_of_types = block_atom_for<Machine, Types::accuracy, typename Types::Sum,
                                     typename Types::Input, typename Types::Input>;

template <class Machine, class Types, TileExtents Tile>
struct TileAtomOf {
  using found = atom_of_types<Machine, Types>;
  using type = std::conditional_t<is_atom<found>, found,
                                  MultiplyAdds<Types, Machine::warp_size, Tile.rows_of_lane,
                                               Tile.cols_of_lane, Tile.terms_of_lane>>;
};
template <class Machine, class Types, TileExtents Tile>
using tile_atom_t = typename TileAtomOf<Machine, Types, Tile>::type;

/// Whether the lanes of a block of 16 rows have eight rows in one half of their registers, and the
/// eight rows below in the other half.
template <class Atom>
consteval bool has_halves() {
  constexpr int half = Atom::sum_each / 2;
  bool all = Atom::m == 16 && Atom::sum_each % 2 == 0;
  for (int e = 0; all && e < Atom::lanes * half; ++e) {
    const AtomPlace upper = Atom::sum_at(e / half, e % half);
    const AtomPlace lower = Atom::sum_at(e / half, half + e % half);
    all = lower.row == upper.row + 8 && lower.col == upper.col;
  }
  return all;
}

/// Limits of the blocks of a warp. A lane has 512 bytes of them, or fewer if the tile requires it.
template <class Atom>
consteval TileLimits tile_limits(const TileExtents& tile) {
  using T = typename Atom::Acc;
  const int most = sizeof(T) > 8 ? 512 / static_cast<int>(sizeof(T)) : 64;
  TileLimits limits{Atom::m, Atom::n,
                    (tile.most_sums > 0 ? tile.most_sums : most) / Atom::sum_each};
  if constexpr (is_multiply_adds<Atom>) {
    limits.row_reads = Atom::rows;
    limits.col_reads = Atom::cols;
  }
  limits.has_halves = has_halves<Atom>();
  return limits;
}

/// The extents of a tile of a matrix, for its layout. Without an atom a lane reads 16 bytes of
/// floats at once where positions are neighbours. If no input has such neighbours, it reads two
/// terms. Reads of four terms exceeded the registers (perf_tests, Large, 2026-11-26).
template <class T>
consteval TileExtents matrix_tile(int rows, int cols, bool x_by_terms, bool y_by_terms) {
  TileExtents tile{{"ij", 2}, {rows, cols}};
  if constexpr (std::is_same_v<T, float>) {
    constexpr int vector = SliceFormat<T>::vector;
    if (!x_by_terms) tile.rows_of_lane = vector;
    if (!y_by_terms) tile.cols_of_lane = vector;
    if (x_by_terms && y_by_terms) tile.terms_of_lane = 2;
  }
  return tile;
}

/// Whether two atoms have the same sums in the same registers of the same lanes.
template <class A, class B>
consteval bool have_same_sums() {
  if constexpr (std::is_same_v<A, B>) {
    return true;
  } else {
    bool same = A::m == B::m && A::n == B::n && A::lanes == B::lanes && A::sum_each == B::sum_each;
    for (int e = 0; same && e < A::lanes * A::sum_each; ++e) {
      const AtomPlace a = A::sum_at(e / A::sum_each, e % A::sum_each);
      const AtomPlace b = B::sum_at(e / A::sum_each, e % A::sum_each);
      same = a.row == b.row && a.col == b.col;
    }
    return same;
  }
}

/// A warp's elements of a tile.
template <class Atom, TileLayout Layout>
struct TileSums {
  using T = typename Atom::Acc;
  static constexpr int blocks = Layout.block_count();
  T sum[blocks][Atom::sum_each];

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    for_each([&]<int b, int r>(Number<b>, Number<r>)
                 KOKKOSCONTRACT_INLINE_LAMBDA { sum[b][r] = T(0); });
  }
  /// Copies the sums so that the compiler does not recognise the copy. The copy then has its own
  /// registers.
  template <class Machine>
  KOKKOS_FORCEINLINE_FUNCTION void copy_apart(TileSums& to) const {
    const int zero = Machine::unknown_zero();
    for_each([&]<int b, int r>(Number<b>, Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
      to.sum[b][r] = Machine::told_apart(sum[b][r], zero);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply_by(const T& factor) {
    for_each([&]<int b, int r>(Number<b>, Number<r>)
                 KOKKOSCONTRACT_INLINE_LAMBDA { sum[b][r] *= factor; });
  }
  /// Moves the first blocks to the end.
  template <int Blocks>
  KOKKOS_FORCEINLINE_FUNCTION void turn() {
    const TileSums before = *this;
    for_each([&]<int b, int r>(Number<b>, Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
      sum[b][r] = before.sum[(b + Blocks) % blocks][r];
    });
  }
  /// Calls f(block, register) for each sum.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(const F& f) {
    unrolled<blocks * Atom::sum_each>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
      f(Number<n / Atom::sum_each>{}, Number<n % Atom::sum_each>{});
    });
  }
};

// The functions below number blocks, and the fragments that a warp reads for them, digit by digit.
// The last letter is fastest.

consteval int block_digit(const TileLayout& layout, int block, int letter) {
  for (int l = layout.rank - 1; l > letter; --l) block /= layout.blocks[l];
  return block % layout.blocks[letter];
}
/// The fragment that a block needs, among those that a warp has of an input. `has`: the letters of
/// the input.
consteval int fragment_of_block(const TileLayout& layout, const bool (&has)[max_rank], int block) {
  int fragment = 0;
  for (int l = 0; l < layout.rank; ++l) {
    if (has[l]) fragment = fragment * layout.blocks[l] + block_digit(layout, block, l);
  }
  return fragment;
}
/// Distance in a slice from one block to the next along a letter.
consteval int row_stride(const TileLayout& layout, const bool (&has)[max_rank], int letter) {
  int stride = 1;
  for (int l = layout.rank - 1; l > letter; --l) {
    if (has[l]) stride *= layout.blocks[l] * layout.warps[l];
  }
  return stride;
}
/// The row of blocks of a fragment in a slice, counted from the warp's first one.
consteval int row_of_fragment(const TileLayout& layout, const bool (&has)[max_rank], int fragment) {
  int row = 0;
  for (int l = layout.rank - 1; l >= 0; --l) {
    if (!has[l]) continue;
    row += fragment % layout.blocks[l] * row_stride(layout, has, l);
    fragment /= layout.blocks[l];
  }
  return row;
}
consteval int warp_stride(const TileLayout& layout, int letter) {
  int stride = 1;
  for (int l = layout.rank - 1; l > letter; --l) stride *= layout.warps[l];
  return stride;
}

/// This warp's digit of a letter.
template <TileLayout Layout, int Letter>
KOKKOS_FORCEINLINE_FUNCTION int warp_digit(int warp) {
  constexpr int stride = warp_stride(Layout, Letter);
  constexpr int count = Layout.warps[Letter];
  return warp / stride % count;
}

/// A warp's part of one input of a product. The layout gives the input rows of blocks of Size.
template <class Format, TileLayout Layout, TileTerm Term, int Input, bool ByTerms, int Size>
struct SliceOf {
  static consteval bool has(int l) { return Term.in[Input - 1][l]; }
  static constexpr int fragments = Layout.warp_blocks_along(Term.in[Input - 1]);
  static constexpr int positions = Size * Layout.blocks_along(Term.in[Input - 1]);
  static constexpr bool by_terms = ByTerms;
  static constexpr int size = Format::size(positions, ByTerms);

  static consteval int fragment(int block) {
    return fragment_of_block(Layout, Term.in[Input - 1], block);
  }
  static consteval int offset(int fragment) {
    return row_of_fragment(Layout, Term.in[Input - 1], fragment) * Size *
           (ByTerms ? Format::depth : 1);
  }
  static consteval int stride(int letter) { return row_stride(Layout, Term.in[Input - 1], letter); }
  /// The warp's first position.
  KOKKOS_FORCEINLINE_FUNCTION static int first(int warp) {
    int row = 0;
    unrolled<Layout.rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      if constexpr (has(l) && Layout.warps[l] > 1) {
        constexpr int step = stride(l) * Layout.blocks[l];
        row += warp_digit<Layout, l>(warp) * step;
      }
    });
    return row * Size;
  }
};

/// A callback between products that does nothing.
struct Nothing {
  template <class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Arguments&...) const {}
};

/// Copies to[First + n * Step] = from[n].
template <int N, int First, int Step, class T, int Size>
KOKKOS_FORCEINLINE_FUNCTION void read_neighbours(T (&to)[Size], const T* from) {
  if constexpr (sizeof(T) == 2 && N % 2 == 0 && Step == 1) {
    // Copies whole words, as instructions take them.
    const auto words = *reinterpret_cast<const NeighboursOf<std::uint32_t, N / 2>*>(from);
    __builtin_memcpy(static_cast<void*>(to + First), &words, sizeof(words));
  } else {
    const auto neighbours = *reinterpret_cast<const NeighboursOf<T, N>*>(from);
    unrolled<N>([&]<int n>(Number<n>)
                    KOKKOSCONTRACT_INLINE_LAMBDA { to[First + n * Step] = neighbours.element[n]; });
  }
}

/// Whether a lane reads two rows of a block at once. The rows are neighbouring positions, and are
/// half a block apart in the block.
template <class Atom, bool XByTerms>
consteval bool has_row_pairs() {
  return !XByTerms && Atom::m == 16 && Atom::x_each == 2 && sizeof(typename Atom::X) == 8;
}
/// The position of a row of a block.
template <bool RowPairs>
KOKKOS_FORCEINLINE_FUNCTION constexpr int position_of_row(int row) {
  return RowPairs ? row % 8 * 2 + row / 8 : row;
}

/// The term of a product of matrices, each of which has one letter of the tile.
inline constexpr TileTerm term_of_matrices{{{true}, {false, true}}};

/// What is known of a product of two slices. X has the rows of blocks, and Y has the columns.
struct SliceProduct {
  TileLayout layout;
  TileTerm term;
  int input_of_rows = 1;
  bool x_by_terms = false;
  bool y_by_terms = false;
  bool row_pairs = false;  ///< see has_row_pairs
};

/// Computes products of slices that P describes.
template <class Machine, class Atom, SliceProduct P, class Format = SliceFormat<typename Atom::X>>
struct TileProduct {
  static constexpr TileLayout layout = P.layout;
  using T = typename Atom::Acc;
  using ElementX = typename Atom::X;
  using ElementY = typename Atom::Y;
  static_assert(sizeof(ElementX) == sizeof(ElementY), "slices of both inputs have one format");
  using X = SliceOf<Format, P.layout, P.term, P.input_of_rows, P.x_by_terms, Atom::m>;
  using Y = SliceOf<Format, P.layout, P.term, 3 - P.input_of_rows, P.y_by_terms, Atom::n>;
  static constexpr int steps = Format::depth / Atom::k;
  static_assert(Format::depth % Atom::k == 0);
  static constexpr int blocks = layout.block_count();
  static constexpr SliceOrder order = slice_order<Format, X, Y>();
  /// The elements that one step needs.
  struct Fragments {
    ElementX x[X::fragments][Atom::x_each];
    ElementY y[Y::fragments][Atom::y_each];
  };

  // A lane's offsets in a slice. With an atom only the first offset is stored, because the others
  // are at the same distance from it in each lane. Without an atom all are stored, because such a
  // product is limited by computation and not by latency.
  static constexpr bool has_atom = !is_multiply_adds<Atom>;
  static constexpr int kept_steps = has_atom ? 1 : steps;
  static constexpr int kept_of_x = has_atom ? 1 : Atom::x_each;
  static constexpr int kept_of_y = has_atom ? 1 : Atom::y_each;
  int x_from[kept_steps][kept_of_x];
  int y_from[kept_steps][kept_of_y];

  KOKKOS_FORCEINLINE_FUNCTION TileProduct(int warp, int lane) {
    const int x_first = X::first(warp);
    const int y_first = Y::first(warp);
    unrolled<kept_steps>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<kept_of_x>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
        x_from[s][r] = x_place(x_first, lane, s, r);
      });
      unrolled<kept_of_y>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
        y_from[s][r] = y_place(y_first, lane, s, r);
      });
    });
  }

  template <int Step>
  KOKKOS_FORCEINLINE_FUNCTION void read(Fragments& f, const ElementX* x, const ElementY* y) const {
    constexpr int kept = has_atom ? 0 : Step;
    constexpr int terms = (Step - kept) * Atom::k;
    unrolled<X::fragments>([&]<int i>(Number<i>) KOKKOSCONTRACT_INLINE_LAMBDA {
      read_fragment<X, P.x_by_terms, true, X::offset(i), terms>(f.x[i], x, x_from[kept]);
    });
    unrolled<Y::fragments>([&]<int j>(Number<j>) KOKKOSCONTRACT_INLINE_LAMBDA {
      read_fragment<Y, P.y_by_terms, false, Y::offset(j), terms>(f.y[j], y, y_from[kept]);
    });
  }
  /// Reads neighbours (terms or positions) at once: those that are `Terms` terms after `from`.
  template <class Slice, bool ByTerms, bool IsX, int Offset, int Terms, class E, int Each, int Kept>
  KOKKOS_FORCEINLINE_FUNCTION static void read_fragment(E (&f)[Each], const E* slice,
                                                        const int (&from)[Kept]) {
    if constexpr (has_atom) {
      constexpr bool pairs = IsX && P.row_pairs;
      const E* const first = slice + terms_ahead<ByTerms, Slice::positions, Terms>(from[0]);
      // A lane has some terms of each position, in consecutive registers.
      constexpr int run = pairs ? 2 : (ByTerms ? terms_of_lane(IsX) : 1);
      unrolled<Each / run>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
        static_assert(is_same_in_each_lane(IsX, n * run));
        constexpr int ahead = apart(IsX, 0, n * run) + Offset;
        read_neighbours<run, n * run, 1>(f, first + ahead);
      });
    } else {
      constexpr int together = ByTerms ? Atom::k : Each / Atom::k;
      constexpr int run = together * sizeof(E) <= 16 ? together : 1;
      constexpr int step = ByTerms ? 1 : Atom::k;
      unrolled<Each / run>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int first = run == 1 || ByTerms ? n * run : n;
        read_neighbours<run, first, step>(f, slice + from[first] + Offset);
      });
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int x_place(int first, int lane, int s, int r) {
    const AtomPlace at = Atom::x_at(lane, r);
    return Format::place(P.x_by_terms, X::positions, first + position_of_row<P.row_pairs>(at.row),
                         s * Atom::k + at.col);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int y_place(int first, int lane, int s, int r) {
    const AtomPlace at = Atom::y_at(lane, r);
    return Format::place(P.y_by_terms, Y::positions, first + at.col, s * Atom::k + at.row);
  }
  /// The number of terms that a lane has of its first position.
  static consteval int terms_of_lane(bool is_x) {
    int terms = 0;
    for (int r = 0; r < (is_x ? Atom::x_each : Atom::y_each); ++r) {
      terms += is_x ? Atom::x_at(0, r).row == Atom::x_at(0, 0).row
                    : Atom::y_at(0, r).col == Atom::y_at(0, 0).col;
    }
    return terms;
  }
  /// Distance from a lane's first element to another one.
  static consteval int apart(bool is_x, int lane, int r) {
    return is_x ? x_place(0, lane, 0, r) - x_place(0, lane, 0, 0)
                : y_place(0, lane, 0, r) - y_place(0, lane, 0, 0);
  }
  static consteval bool is_same_in_each_lane(bool is_x, int r) {
    for (int lane = 1; lane < Atom::lanes; ++lane) {
      if (apart(is_x, lane, r) != apart(is_x, 0, r)) return false;
    }
    return true;
  }
  /// Calls change(element) for the elements that were read of X, of Y, or of the input of which a
  /// lane reads fewer.
  template <class Change>
  KOKKOS_FORCEINLINE_FUNCTION static void each_x(Fragments& f, const Change& change) {
    unrolled<X::fragments * Atom::x_each>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
      change(f.x[n / Atom::x_each][n % Atom::x_each]);
    });
  }
  template <class Change>
  KOKKOS_FORCEINLINE_FUNCTION static void each_y(Fragments& f, const Change& change) {
    unrolled<Y::fragments * Atom::y_each>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
      change(f.y[n / Atom::y_each][n % Atom::y_each]);
    });
  }
  template <class Change>
  KOKKOS_FORCEINLINE_FUNCTION static void each_of_fewer(Fragments& f, const Change& change) {
    if constexpr (X::fragments * Atom::x_each <= Y::fragments * Atom::y_each) {
      each_x(f, change);
    } else {
      each_y(f, change);
    }
  }
  /// Offset of a later step. Chunks of neighbouring terms are swizzled by an exclusive or, so a
  /// step is an exclusive or, too.
  template <bool ByTerms, int Positions, int Terms>
  KOKKOS_FORCEINLINE_FUNCTION static int terms_ahead(int from) {
    static_assert((Atom::k & (Atom::k - 1)) == 0);
    if constexpr (ByTerms) {
      return from ^ Terms;
    } else {
      return from + Terms * (Positions + Format::gap);
    }
  }

 public:
  /// Conjugates the elements that were read and multiplies them by alpha: by its sign, and by its
  /// absolute value.
  KOKKOS_FORCEINLINE_FUNCTION static void scale(Fragments& f, const TileFactor<T> factor,
                                                const T& absolute) {
    set_signs(f, factor);
    if (Machine::uniform(factor.times() != 0)) {
      each_of_fewer(f, [&](auto& x) KOKKOSCONTRACT_INLINE_LAMBDA { x *= absolute; });
    }
  }
  /// Conjugates the elements and sets alpha's sign.
  KOKKOS_FORCEINLINE_FUNCTION static void set_signs(Fragments& f, const TileFactor<T> factor) {
    if constexpr (is_complex<T>) {
      each_x(f,
             [&](T& x) KOKKOSCONTRACT_INLINE_LAMBDA { x = factor.template conjugate_if<true>(x); });
      each_y(f, [&](T& y)
                    KOKKOSCONTRACT_INLINE_LAMBDA { y = factor.template conjugate_if<false>(y); });
    }
    each_of_fewer(f, [&](auto& x) KOKKOSCONTRACT_INLINE_LAMBDA { x = factor.signed_by(x); });
  }
  /// Multiplies the slices of a stage by alpha's absolute value, by all workers. The copies of the
  /// slices are visible to all workers before this, and a barrier follows. Fragments would be
  /// multiplied in each step instead. A multiplication of doubles, even one that a condition skips,
  /// waits for the MMA instructions before it.
  KOKKOS_FORCEINLINE_FUNCTION static void scale_slices(T* stage, const TileFactor<T> factor,
                                                       const T& absolute, int worker, int workers) {
    constexpr bool in_x = X::positions <= Y::positions;
    constexpr int begin = in_x ? order.x_begin : order.y_begin;
    constexpr int end = begin + (in_x ? X::size : Y::size);
    const T by = factor.template conjugate_if<in_x>(absolute);
    KOKKOSCONTRACT_NO_UNROLL
    for (int e = begin + worker; e < end; e += workers) stage[e] *= by;
  }

  /// Adds x y to the sums of an atom of multiply-adds. It knows no block's number, so that the
  /// compiler sees it once.
  template <class Sum, class OfX, class OfY>
  KOKKOS_FORCEINLINE_FUNCTION static void add_products(Sum& sum, const OfX& x, const OfY& y) {
    unrolled<Atom::k * Atom::sum_each>([&]<int e>(Number<e>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int term = e / Atom::sum_each;
      constexpr int r = e % Atom::sum_each;
      sum[r] = multiply_add(sum[r], convert<T>(x[r / Atom::cols * Atom::k + term]),
                            convert<T>(y[r % Atom::cols * Atom::k + term]));
    });
  }

  /// Adds x y to blocks Begin to End - 1 of sums. Calls between(Number<0>), between(Number<1>), ...
  /// in between, for Slots numbers. The sums may be those of another atom that has the same sums in
  /// the same registers.
  template <int Begin, int End, int Slots, class SumAtom, class Between>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(TileSums<SumAtom, layout>& sums,
                                                   const Fragments& f, const Between& between) {
    static_assert(Slots == 0 || Begin < End);
    static_assert(have_same_sums<Atom, SumAtom>());
    unrolled<End - Begin>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int b = Begin + n;
      constexpr int i = X::fragment(b);
      constexpr int j = Y::fragment(b);
      if constexpr (is_multiply_adds<Atom>) {
        add_products(sums.sum[b], f.x[i], f.y[j]);
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
