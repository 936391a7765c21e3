// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LARGE_FLATTILE_HPP
#define KOKKOSCONTRACT_LARGE_FLATTILE_HPP

// A contraction of large tensors, known at run time only, by tiles of a GPU's teams. Its indices
// are flat. Rows are the indices of X and C, columns those of Y and C, and terms those of X and Y.
// Problems are the indices of all three. Tables hold the offsets of these indices in memory (J. Kim
// et al., A code generator for high-performance tensor contractions on GPUs, CGO 2019). So no
// tensor is permuted in memory, and one kernel for each shape of a tile serves all contractions of
// a program.

#include <KokkosContract/nest/ModeList.hpp>
#include <KokkosContract/tile/GpuTile.hpp>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// C = alpha X Y + beta C.
template <class Types>
struct FlatProduct {
  GridModes<2, ModeList::most> rows;                     // offsets in x and c
  GridModes<2, ModeList::most> cols;                     // offsets in y and c
  FlatModes<operands_of_product, ModeList::most> batch;  // offsets in x, y and c
  int row_count, col_count, batch_count;
  TileSource<Types> source;  // inputs of problem 0, all terms
  typename Types::Output* c;
  // Whether columns (rows) that fill 16 bytes are neighbours in C, and aligned.
  bool has_col_vectors, has_row_vectors;
  typename Types::Sum alpha, beta;
};

/// The tile and the split of a FlatProduct that a team computes.
struct FlatPlace {
  int row, col;  // index of the tile's first element
  int problem;
  int split;  // number of the part of the sum
};

template <class T>
consteval TileExtents flat_extents(int rows, int cols, int most_sums, bool x_by_terms,
                                   bool y_by_terms) {
  TileExtents tile = matrix_tile<T>(rows, cols, x_by_terms, y_by_terms);
  tile.most_sums = most_sums;
  return tile;
}

/// Offsets of the positions of an input's slices. Each position has its own entry in a table.
template <class Slice>
struct FlatPlaces {
  static constexpr int positions = Slice::positions;
  static constexpr bool by_terms = Slice::by_terms;
  const std::ptrdiff_t* offsets;
  const bool* there;
  int wanted;
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset(int position) const {
    return offsets[position];
  }
  template <class Int, int Apart>
  KOKKOS_FORCEINLINE_FUNCTION static Int offset_of_low(int) {
    return 0;
  }
  template <class Int, int Apart, int High>
  KOKKOS_FORCEINLINE_FUNCTION Int offset_of_high(int low) const {
    return offset(low + High < positions ? low + High : positions - 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_there(int position) const { return there[position]; }
};

/// The plan of a call for GpuTile, with the product of this file as its only product.
template <class Machine, class TypesOfProduct, TileExtents Extents, bool XByTerms, bool YByTerms>
struct FlatPlan {
  using Types = TypesOfProduct;
  using T = typename Types::Input;
  using Atom = tile_atom_t<Machine, Types, Extents>;
  static constexpr int count = 1;
  static constexpr bool scales = false;
  static constexpr bool has_splits = true;
  static constexpr bool all_wanted = false;
  static constexpr bool any_stride = true;
  static constexpr std::size_t most_bytes = Machine::whole_scratch_bytes;
  static constexpr TileLayout home = home_layout(Extents, tile_limits<Atom>(Extents));
  static constexpr int workers = home.warp_count() * Machine::warp_size;
  static constexpr TileSchedule<1> schedule{{0}, {home}};
  static constexpr bool row_pairs = has_row_pairs<Atom, XByTerms>();
  template <int>
  struct Product {
    using Type =
        TileProduct<Machine, Atom,
                    SliceProduct{home, term_of_matrices, 1, XByTerms, YByTerms, row_pairs}>;
    template <class Memory>
    KOKKOS_FORCEINLINE_FUNCTION static FlatPlaces<typename Type::X> x_places(
        const Memory& memory, const TileSource<Types>& source) {
      return {offsets(memory), there(memory), source.first.wanted};
    }
    template <class Memory>
    KOKKOS_FORCEINLINE_FUNCTION static FlatPlaces<typename Type::Y> y_places(
        const Memory& memory, const TileSource<Types>& source) {
      return {offsets(memory) + Type::X::positions, there(memory) + Type::X::positions,
              source.second.wanted};
    }
  };
  using Slices = typename Product<0>::Type;
  static constexpr int slices = Slices::X::size + Slices::Y::size;
  static constexpr int positions = Slices::X::positions + Slices::Y::positions;
  static constexpr std::size_t bytes_of_table =
      (2 * sizeof(std::ptrdiff_t) + sizeof(bool)) * static_cast<std::size_t>(positions);
  /// The offsets of the inputs' positions.
  template <class Memory>
  KOKKOS_FORCEINLINE_FUNCTION static std::ptrdiff_t* offsets(const Memory& memory) {
    return reinterpret_cast<std::ptrdiff_t*>(memory.table);
  }
  /// The offsets of the same rows and columns in C.
  template <class Memory>
  KOKKOS_FORCEINLINE_FUNCTION static std::ptrdiff_t* offsets_in_c(const Memory& memory) {
    return offsets(memory) + positions;
  }
  template <class Memory>
  KOKKOS_FORCEINLINE_FUNCTION static bool* there(const Memory& memory) {
    return reinterpret_cast<bool*>(memory.table + 2 * sizeof(std::ptrdiff_t) * positions);
  }
  static constexpr bool by_terms = XByTerms && YByTerms;
  template <int>
  static consteval int end_of_run() {
    return 1;
  }
  template <int>
  static consteval int end_of_group() {
    return 1;
  }
};

template <class Level, class Types, TileExtents Extents, bool XByTerms, bool YByTerms>
class FlatTile : private GpuTile<Level, Types, Extents> {
  using Held = GpuTile<Level, Types, Extents>;
  using T = typename Types::Sum;
  using Output = typename Types::Output;
  using Product = FlatProduct<Types>;
  using Source = TileSource<Types>;
  using Machine = typename Held::Machine;
  using Atom = typename Held::Atom;
  using Plan = FlatPlan<Machine, Types, Extents, XByTerms, YByTerms>;
  using Held::home;
  using Held::level_;
  using Held::sums_;
  static constexpr int rows = Extents.extent[0];
  static constexpr int cols = Extents.extent[1];
  static constexpr int sums_of_lane = home.block_count() * Atom::sum_each;

 public:
  using Held::worker_count;
  /// Bytes of shared memory, aligned to 16 bytes.
  static constexpr std::size_t bytes = Held::template bytes_of<Plan>();
  static constexpr std::size_t bytes_of_store = sizeof(std::ptrdiff_t) * (rows + cols);

  KOKKOS_FORCEINLINE_FUNCTION FlatTile(const Level& level, const Product& product,
                                       const FlatPlace& place)
      : Held(level, Kokkos::Array<int, 2>{place.row, place.col},
             Kokkos::Array<int, 2>{product.row_count, product.col_count}) {}

  /// Adds X Y, for the terms of this tile's split. Each split has `slices` slices.
  KOKKOS_FORCEINLINE_FUNCTION void accumulate(char* memory, const Product& product,
                                              const FlatPlace& place, int slices) {
    say(Memory(memory), product, place, slices);
    this->template run_from<Plan, 0>(memory, sums_);
  }

  /// Computes C = alpha sums + beta C, with the memory as `accumulate` left it.
  KOKKOS_FORCEINLINE_FUNCTION void store(char* memory, const Product& product,
                                         const FlatPlace& place) const {
    store_at(Plan::offsets_in_c(Memory(memory)), product, place);
  }
  /// Computes C = alpha sums + beta C, with arbitrary contents of this memory.
  KOKKOS_FORCEINLINE_FUNCTION void find_and_store(char* memory, const Product& product,
                                                  const FlatPlace& place) const {
    auto* const in_c = reinterpret_cast<std::ptrdiff_t*>(Machine::in_block_memory(memory));
    each_place(product, [&](int e, const std::ptrdiff_t (&at)[2], bool)
                            KOKKOSCONTRACT_INLINE_LAMBDA { in_c[e] = at[1]; });
    level_.barrier();
    store_at(in_c, product, place);
  }

  /// Stores a team's sums to memory, element by element in the order in which workers hold them.
  KOKKOS_FORCEINLINE_FUNCTION void put(T* team) const {
    each_sum([&]<int b, int r>(Number<b>, Number<r>, int e) {
      team[e * worker_count + level_.rank()] = sums_.sum[b][r];
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(const T* team) {
    each_sum([&]<int b, int r>(Number<b>, Number<r>, int e) {
      sums_.sum[b][r] += team[e * worker_count + level_.rank()];
    });
  }

 private:
  using Memory = typename Held::template Memory<Plan>;

  /// Calls f(row, or rows + column; offsets in an input and in C; whether it is in bounds) for the
  /// positions that this worker handles. A position out of bounds has the offsets of the first one.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_place(const Product& product, const F& f) const {
    for (int e = level_.rank(); e < rows + cols; e += worker_count) {
      const bool is_row = e < rows;
      const int in_tile = is_row ? e : e - rows;
      const bool is_there = in_tile < (is_row ? this->limit_[0] : this->limit_[1]);
      const int index = is_there ? (is_row ? this->origin_[0] : this->origin_[1]) + in_tile : 0;
      std::ptrdiff_t at[2];
      if (is_row) {
        product.rows.offsets(index, at);
      } else {
        product.cols.offsets(index, at);
      }
      f(e, at, is_there);
    }
  }
  /// Describes the copies: sources and destinations.
  KOKKOS_FORCEINLINE_FUNCTION void say(const Memory& memory, const Product& product,
                                       const FlatPlace& place, int slices) const {
    std::ptrdiff_t* const offsets = Plan::offsets(memory);
    std::ptrdiff_t* const in_c = Plan::offsets_in_c(memory);
    bool* const there = Plan::there(memory);
    Source& source = memory.source[0];
    copy_by_workers(source, product.source);
    each_place(product, [&](int e, const std::ptrdiff_t (&at)[2], bool is_there)
                            KOKKOSCONTRACT_INLINE_LAMBDA {
                              offsets[e] = at[0];
                              in_c[e] = at[1];
                              there[e] = is_there;
                            });
    level_.barrier();
    if (level_.rank() == 0) {
      const int begin = place.split * slices;
      const int all = product.source.end;
      source.begin = begin < all ? begin : all;
      source.end = all - source.begin < slices ? all : source.begin + slices;
      set(source.first, product.source.first, this->limit_[0],
          product.batch.offset(place.problem, 0));
      set(source.second, product.source.second, this->limit_[1],
          product.batch.offset(place.problem, 1));
    }
    level_.barrier();
  }
  /// Copies a description by all workers, because one worker would take as long as a slice.
  KOKKOS_FORCEINLINE_FUNCTION void copy_by_workers(Source& to, const Source& from) const {
    struct alignas(8) Word {
      unsigned char byte[8];
    };
    constexpr int words = static_cast<int>(sizeof(Source) / sizeof(Word));
    static_assert(sizeof(Source) % sizeof(Word) == 0 && alignof(Source) >= 8 &&
                  std::is_trivially_copyable_v<Source>);
    KOKKOSCONTRACT_NO_UNROLL
    for (int w = level_.rank(); w < words; w += worker_count) {
      reinterpret_cast<Word*>(&to)[w] = reinterpret_cast<const Word*>(&from)[w];
    }
  }
  using Slices = SliceSource<typename Types::Input>;
  KOKKOS_FORCEINLINE_FUNCTION static void set(Slices& source, const Slices& from, int wanted,
                                              std::ptrdiff_t problem) {
    source.data = from.data + problem;
    source.wanted = wanted;
    source.by_vectors = from.by_vectors && reinterpret_cast<std::uintptr_t>(source.data) % 16 == 0;
  }

  /// A lane has `high` rows and `across` columns of a block. These are their offsets in C, and
  /// whether they are in bounds.
  static constexpr int across = cols_of_lane<Atom>();
  static constexpr int high = Atom::sum_each / across;
  struct PlacesInC {
    Output* row[home.blocks[0]][high];
    std::ptrdiff_t col[home.blocks[1]][across];
    bool has_row[home.blocks[0]][high];
    bool has_col[home.blocks[1]][across];

    KOKKOS_FORCEINLINE_FUNCTION PlacesInC(const FlatTile& tile, const std::ptrdiff_t* in_c,
                                          Output* c) {
      const TilePlaces<Atom, home> places(tile.warp(), Machine::lane_of_warp());
      unrolled<home.blocks[0] * high>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int b = n / high;
        constexpr int r = n % high;
        const int of_tile = places.template index<b * home.blocks[1], r * across, 0>();
        const int of_block = of_tile % Atom::m;
        const int i = of_tile - of_block + position_of_row<Plan::row_pairs>(of_block);
        row[b][r] = c + in_c[i];
        has_row[b][r] = i < tile.limit_[0];
      });
      unrolled<home.blocks[1] * across>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int b = n / across;
        constexpr int r = n % across;
        const int j = places.template index<b, r, 1>();
        col[b][r] = in_c[rows + j];
        has_col[b][r] = j < tile.limit_[1];
      });
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION void store_at(const std::ptrdiff_t* in_c, const Product& product,
                                            const FlatPlace& place) const {
    // The offsets are copied to registers, because stores may alias the memory that they are read
    // from.
    const PlacesInC at(*this, in_c, product.c + product.batch.offset(place.problem, 2));
    if constexpr (across > 1 && across * sizeof(Output) <= 16) {
      if (product.has_col_vectors) return store_by<1, across>(product, at);
    }
    if constexpr (Plan::row_pairs) {
      if (product.has_row_vectors) return store_by<2, 1>(product, at);
    }
    store_by<1, 1>(product, at);
  }
  /// Stores some rows and columns of a lane at a time, which are neighbours in C. Rows are handled
  /// together, so that all reads are in flight together, and predicates replace branches.
  template <int Rows, int Cols>
  KOKKOS_FORCEINLINE_FUNCTION void store_by(const Product& product, const PlacesInC& at) const {
    unrolled<home.blocks[0]>([&]<int i>(Number<i>) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<high / Rows>([&]<int line>(Number<line>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int row = line * Rows;
        store_line<Rows, Cols, row>(product, at, at.row[i][row], at.has_row[i][row],
                                    sums_.sum + i * home.blocks[1]);
      });
    });
  }
  /// Stores the lane's columns of rows Row to Row + Rows - 1 of a block, whose sums are those of
  /// each of the blocks beside it.
  template <int Rows, int Cols, int Row>
  KOKKOS_FORCEINLINE_FUNCTION static void store_line(const Product& product, const PlacesInC& at,
                                                     Output* const c, const bool has_row,
                                                     const T (*const sums)[Atom::sum_each]) {
    struct alignas(Rows * Cols * sizeof(Output)) Neighbours {
      Output value[Rows * Cols];
    };
    constexpr int pieces = home.blocks[1] * across / Cols;
    const bool reads = !is_zero(product.beta);
    Neighbours of_c[pieces];
    const auto each_piece = [&](const auto& f) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<pieces>([&]<int p>(Number<p>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int j = p / (across / Cols);
        constexpr int col = p % (across / Cols) * Cols;
        f(of_c[p], Number<j>{}, Number<col>{}, has_row && at.has_col[j][col]);
      });
    };
    const auto place_of = [&]<int j, int col>(Number<j>, Number<col>) KOKKOSCONTRACT_INLINE_LAMBDA {
      return reinterpret_cast<Neighbours*>(c + at.col[j][col]);
    };
    const auto sum_of = [&]<int j, int col, int e>(Number<j>, Number<col>, Number<e>)
                            KOKKOSCONTRACT_INLINE_LAMBDA {
                              constexpr int r = (Row + e / Cols) * across + col + e % Cols;
                              return product.alpha * sums[j][r];
                            };
    if (reads) {
      each_piece([&](Neighbours& piece, auto j, auto col, bool is_there)
                     KOKKOSCONTRACT_INLINE_LAMBDA {
                       piece = {};
                       if (is_there) piece = *place_of(j, col);
                     });
      each_piece([&](Neighbours& piece, auto j, auto col, bool) KOKKOSCONTRACT_INLINE_LAMBDA {
        unrolled<Rows * Cols>([&]<int e>(Number<e>) KOKKOSCONTRACT_INLINE_LAMBDA {
          piece.value[e] = convert<Output>(
              multiply_add(sum_of(j, col, Number<e>{}), product.beta, convert<T>(piece.value[e])));
        });
      });
    } else {
      each_piece([&](Neighbours& piece, auto j, auto col, bool) KOKKOSCONTRACT_INLINE_LAMBDA {
        unrolled<Rows * Cols>([&]<int e>(Number<e>) KOKKOSCONTRACT_INLINE_LAMBDA {
          piece.value[e] = convert<Output>(sum_of(j, col, Number<e>{}));
        });
      });
    }
    each_piece([&](const Neighbours& piece, auto j, auto col, bool is_there)
                   KOKKOSCONTRACT_INLINE_LAMBDA {
                     if (is_there) *place_of(j, col) = piece;
                   });
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static void each_sum(const F& f) {
    unrolled<sums_of_lane>([&]<int e>(Number<e>) KOKKOSCONTRACT_INLINE_LAMBDA {
      f(Number<e / Atom::sum_each>{}, Number<e % Atom::sum_each>{}, e);
    });
  }
};

/// The kernels of a FlatProduct. Multiply has a team for each split of each tile. Add has a team
/// for each tile, if there are several splits.
template <class Level, class Types, int Rows, int Cols, int Sums, bool XByTerms, bool YByTerms>
struct FlatKernel {
  using T = typename Types::Sum;
  using Tile = FlatTile<Level, Types, flat_extents<T>(Rows, Cols, Sums, XByTerms, YByTerms),
                        XByTerms, YByTerms>;
  static constexpr int rows = Rows;
  static constexpr int cols = Cols;
  static constexpr int elements = rows * cols;
  static constexpr int scratch_bytes = static_cast<int>(Tile::bytes) + 16;
  static constexpr int scratch_bytes_to_add = static_cast<int>(Tile::bytes_of_store) + 16;

  FlatProduct<Types> product;
  int splits;
  int slices;  // slices of each split
  T* partial = nullptr;

  FlatKernel(const FlatProduct<Types>& of, int parts)
      : product(of),
        splits(parts),
        slices((of.source.steps() + parts - 1) / parts),
        by_tiles_(tiles()),
        by_splits_(parts),
        by_whole_group_(together * across()),
        by_last_rows_((down() - 1) % together + 1) {}
  /// Number of elements of the partial sums of several splits.
  std::size_t partial_elements() const { return static_cast<std::size_t>(teams()) * elements; }

  struct Multiply {};
  struct Add {};

  KOKKOS_FUNCTION int down() const { return (product.row_count + rows - 1) / rows; }
  KOKKOS_FUNCTION int across() const { return (product.col_count + cols - 1) / cols; }
  KOKKOS_FUNCTION int tiles() const { return down() * across(); }
  KOKKOS_FUNCTION int teams() const { return tiles() * splits * product.batch_count; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Multiply, const Member& member) const {
    char* const memory = scratch_of<Tile::bytes>(member);
    const FlatPlace place = place_of(member.league_rank());
    Tile tile(Level{member}, product, place);
    tile.accumulate(memory, product, place, slices);
    if (splits == 1) {
      tile.store(memory, product, place);
    } else {
      tile.put(partial + static_cast<std::ptrdiff_t>(member.league_rank()) * elements);
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Add, const Member& member) const {
    char* const memory = scratch_of<Tile::bytes_of_store>(member);
    auto rest = static_cast<unsigned>(member.league_rank());
    const auto tile_number = static_cast<int>(by_tiles_.take_last(rest));
    const int first = static_cast<int>(rest) * tiles() * splits + tile_number;
    const FlatPlace place = place_of(first);
    Tile tile(Level{member}, product, place);
    KOKKOSCONTRACT_NO_UNROLL
    for (int s = 0; s < splits; ++s) {
      tile.add(partial + static_cast<std::ptrdiff_t>(first + s * tiles()) * elements);
    }
    tile.find_and_store(memory, product, place);
  }

 private:
  template <std::size_t Bytes, class Member>
  KOKKOS_FORCEINLINE_FUNCTION static char* scratch_of(const Member& member) {
    return static_cast<char*>(member.team_scratch(0).get_shmem_aligned(Bytes, 16));
  }
  /// Number of rows of tiles in a group. Teams that run at the same time read the same slices.
  static constexpr int together = 8;
  KOKKOS_FORCEINLINE_FUNCTION FlatPlace place_of(int team) const {
    auto rest = static_cast<unsigned>(team);
    unsigned group = by_tiles_.take_last(rest);
    FlatPlace place{};
    place.split = static_cast<int>(by_splits_.take_last(rest));
    place.problem = static_cast<int>(rest);
    unsigned col = by_whole_group_.take_last(group);
    const int first = static_cast<int>(group) * together;
    unsigned row = col % together;
    if (first + together <= down()) {
      col /= together;
    } else {
      row = by_last_rows_.take_last(col);
    }
    place.row = (first + static_cast<int>(row)) * rows;
    place.col = static_cast<int>(col) * cols;
    return place;
  }
  // Divisors: the number of tiles, the number of splits, and the rows of tiles of a whole group and
  // of the last group.
  Divisor by_tiles_, by_splits_, by_whole_group_, by_last_rows_;
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
