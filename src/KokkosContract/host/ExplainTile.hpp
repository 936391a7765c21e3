// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HOST_EXPLAINTILE_HPP
#define KOKKOSCONTRACT_HOST_EXPLAINTILE_HPP

// A tile and its products, in words: the TilePlan of a team of a GPU, and the work of HostTile for
// a tile in memory.

#include <KokkosContract/host/Explain.hpp>
#include <KokkosContract/tile/Memory.hpp>
#include <KokkosContract/tile/TileInMemory.hpp>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Writes numbers along letters where they are not 1: "i 16 x j 8".
inline void explain_numbers(std::ostream& os, const char* what, const Labels& letters,
                            const int (&number)[max_rank]) {
  os << what;
  const char* between = " ";
  for (int l = 0; l < letters.rank; ++l) {
    if (number[l] == 1) continue;
    os << between << letters.letter[l] << " " << number[l];
    between = " x ";
  }
  if (between[1] != 'x') os << " 1";
}

inline void explain_layout(std::ostream& os, const Labels& letters, const TileLayout& layout) {
  explain_numbers(os, "rows", letters, layout.row);
  explain_numbers(os, ", columns", letters, layout.col);
  explain_numbers(os, "; blocks of a warp", letters, layout.blocks);
  explain_numbers(os, ", warps", letters, layout.warps);
  os << "\n";
}

/// Extents of a product in a tile. `tensor` has the tile's letters with the tensor's extents.
template <TileExtents Tile, class Argument>
ExtentTable extents_in_tile(const Argument& of, ExtentTable& tensor) {
  struct Whole {
    ExtentTable& table;
    int extent(int l) const { return table.of(Tile.letters.letter[l]); }
  };
  ExtentTable table;
  table.read(Argument::parsed.input[0], as_operand(of.a));
  table.read(Argument::parsed.input[1], as_operand(of.b));
  tensor.read(Tile.letters, Whole{table});
  for (int l = 0; l < Tile.letters.rank; ++l) {
    int& extent = table.of(Tile.letters.letter[l]);
    if (extent > Tile.extent[l]) extent = Tile.extent[l];
  }
  return table;
}

inline void explain_product(std::ostream& os, int place, int number, const Parsed& p,
                            const ExtentTable& table) {
  os << "product " << place + 1;
  if (place != number) os << " (string " << number + 1 << ")";
  os << ": " << text_of(p.input[0]) << "," << text_of(p.input[1]) << "->" << text_of(p.output);
  explain_extents(os, table);
}

// --- In registers of a team of a GPU ------------------------------------------------------------

template <class GpuOfTile, TileExtents Tile, class Products>
struct TileWords {
  using Memory = TileMemory<GpuOfTile, typename Products::Types, Tile>;

  template <TileLayout From, TileLayout To>
  static void explain_change(std::ostream& os, const char* when) {
    if constexpr (!(From == To)) {
      os << when << "elements change place ";
      if constexpr (changes_in_registers(From, To, Products::limits)) {
        os << "in registers\n";
      } else {
        constexpr int size = Memory::template exchanged_at_a_time<Products>();
        constexpr ExchangeParts parts = exchange_parts(Tile, size);
        os << "through scratch memory";
        if constexpr (parts.count > 1) os << ", in " << parts.count << " parts";
        os << "\n";
      }
    }
  }

  /// Writes the product at index N of the order, and the later ones.
  template <int N>
  static void explain_from(std::ostream& os, const ExtentTable* tables) {
    using Product = typename Products::template Product<N>;
    explain_product(os, N, Product::number, Product::parsed, tables[Product::number]);
    os << "  ";
    explain_layout(os, Tile.letters, Product::layout);
    os << "  rows are of the " << (Product::input_of_rows == 1 ? "first" : "second") << " input";
    for (const bool second : {false, true}) {
      os << "; the " << (second ? "second" : "first") << " is copied along "
         << ((second ? Product::second_by_terms : Product::first_by_terms) ? "the sum"
                                                                           : "the tile");
    }
    os << "\n";
    if constexpr (N + 1 < Products::count) {
      explain_change<Product::layout, Products::schedule.layout[N + 1]>(os, "");
      explain_from<N + 1>(os, tables);
    } else {
      explain_change<Product::layout, Products::home>(os, "");
    }
  }

  static void explain(std::ostream& os, const ExtentTable* tables) {
    constexpr int stages = Memory::template stages_of<Products>();
    constexpr int warps = Products::home.warp_count();
    os << "held in registers by " << Products::workers << " workers, " << warps << " warp(s) of "
       << GpuOfTile::warp_size << ", in blocks of " << Products::limits.m << " x "
       << Products::limits.n << "\n  ";
    explain_layout(os, Tile.letters, Products::home);
    explain_change<Products::home, Products::schedule.layout[0]>(
        os, "if the tile is not zero, first: ");
    explain_from<0>(os, tables);
    os << "slices in flight: " << stages << ", of " << SliceFormat<typename Products::T>::depth
       << " terms and " << Memory::template bytes_of_stages<Products>(1) << " bytes\n"
       << "scratch: " << Memory::template bytes_of<Products>() + scratch_alignment
       << " bytes of level 0 while it accumulates\n";
  }
};

// --- In memory ----------------------------------------------------------------------------------

/// Rows, columns and terms of the sum of a product that a host packs. Columns has one bit for each
/// letter of the product's columns.
template <TileExtents Tile, unsigned Columns>
struct PackedSizes {
  double size[3]{1, 1, 1};
  std::string letters[3];

  explicit PackedSizes(ExtentTable table) {
    for (int l = 0; l < Tile.letters.rank; ++l) {
      const char letter = Tile.letters.letter[l];
      add((Columns >> l & 1U) != 0 ? 1 : 0, letter, table.of(letter));
      table.known &= ~letter_bit(letter);
    }
    for (int i = 0; i < 52; ++i) {
      if ((table.known >> i & 1) != 0) add(2, letter_of(i), table.extent[i]);
    }
  }
  void add(int k, char letter, int extent) {
    size[k] *= extent;
    letters[k] += letter;
  }
};

/// The products that a host's tile adds together, as far as they have been read.
struct PackedProducts {
  unsigned columns = 0;
  int count = 0;
};

template <class Space, class T, TileExtents Tile, class Argument>
void explain_in_memory(std::ostream& os, const ExtentTable& table, PackedProducts& packed) {
  using Held = HostTile<SerialLevel, T, Tile>;
  constexpr Parsed p = Argument::parsed;
  constexpr unsigned columns = is_gpu<Space> ? 0 : Held::template columns_of<Argument>();
  if constexpr (columns != 0) {
    const PackedSizes<Tile, columns> sizes(table);
    if (packed.count == Held::most_together || packed.columns != columns) packed.count = 0;
    const auto whole = [&](int k) { return static_cast<std::ptrdiff_t>(sizes.size[k]); };
    if (Held::is_packed(whole(0), whole(1), whole(2), packed.count == 0)) {
      os << "  packed: " << whole(0) << " rows " << sizes.letters[0] << ", " << whole(1)
         << " columns " << sizes.letters[1] << ", " << whole(2) << " terms " << sizes.letters[2];
      if (packed.count > 0) os << "; with the product before it, if alpha is the same";
      os << "\n";
      packed.columns = columns;
      ++packed.count;
      return;
    }
  }
  using Who =
      ExplainedCallers<std::conditional_t<is_gpu<Space>, Space, void>, ExplainedLevels::serial>;
  using A = typename Argument::First;
  using B = typename Argument::Second;
  using Product = HostProduct<ProductLabels{p.input[0], p.input[1], p.output},
                              strided_t<typename A::value_type, shape_of_part(A::shape)>,
                              strided_t<typename B::value_type, shape_of_part(B::shape)>,
                              strided_t<T, shape_in_memory<Tile>()>>;
  explain_pair<Who, Product>(os);
}

// --- Both ---------------------------------------------------------------------------------------

/// Space is the execution space of the tile.
template <class Traits, class Space, class... Products>
std::ostream& explain_products(std::ostream& os, const Products&... products) {
  using T = typename Traits::Element;
  constexpr TileExtents tile = Traits::extents;
  constexpr int count = sizeof...(Products);
  ExtentTable tensor;
  const ExtentTable tables[] = {extents_in_tile<tile>(products, tensor)...};

  os << "tile " << text_of(tile.letters) << " of ";
  for (int l = 0; l < tile.letters.rank; ++l) os << (l > 0 ? " x " : "") << tile.extent[l];
  os << " elements of " << sizeof(T) << " bytes, ";
  if constexpr (is_gpu<Space> && Traits::workers != Workers::serial) {
    using Gpu = machine_of_t<Space>;
    using Types = BlockTypes<T, T, T, Traits::accuracy>;
    TileWords<Gpu, tile, tile_plan_t<Gpu, Types, tile, Products...>>::explain(os, tables);
  } else {
    constexpr std::size_t bytes = HostTile<SerialLevel, T, tile>::bytes;
    os << "row-major in scratch memory\n";
    PackedProducts packed;
    int n = 0;
    const auto explain_one = [&](auto type) {
      using Argument = typename decltype(type)::type;
      explain_product(os, n, n, Argument::parsed, tables[n]);
      explain_in_memory<Space, T, tile, Argument>(os, tables[n], packed);
      ++n;
    };
    (explain_one(std::type_identity<Products>{}), ...);
    os << "scratch: " << bytes + scratch_alignment << " bytes of level "
       << level_of_tile<Space>(bytes) << ", " << bytes << " of them the tile\n";
  }

  double flops = 0;
  const Parsed strings[] = {Products::parsed...};
  double bytes = sizeof(T);
  for (int l = 0; l < tile.letters.rank; ++l) {
    bytes *= ExtentTable(tables[0]).of(tile.letters.letter[l]);
  }
  for (int n = 0; n < count; ++n) {
    const LetterSet first = letters_of(strings[n].input[0]);
    const LetterSet second = letters_of(strings[n].input[1]);
    flops += tables[n].volume(first | second) * flops_per_product<T>();
    bytes += sizeof(T) * (tables[n].volume(first) + tables[n].volume(second));
  }
  os << "of a tile: ";
  return explain_bound(os, flops, bytes);
}

template <class Tile, class Space, Spec... Strings, class... Operands>
std::ostream& explain_tile(std::ostream& os, const Operands&... operands) {
  using Traits = tile_traits_t<Tile>;
  require_operands_of_tile<Traits::extents, sizeof...(Operands), Strings...>();
  with_pairs<typename Traits::Element, Strings...>(
      [&os](const auto&... products) { explain_products<Traits, Space>(os, products...); },
      operands...);
  return os;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
