// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_BLOCK_LAYOUT_HPP
#define KOKKOSCONTRACT_BLOCK_LAYOUT_HPP

// The layout of a tile: the lane and the register of each element. A tile is the part of an output
// that a team of a GPU has in its registers. It is a hypercube of the output's indices, cut into
// blocks of the size of an atom (Atom.hpp). Eight indices of one letter, or of a small group of
// letters, run along the rows of a block, and eight of another along its columns. All other indices
// number blocks, and each warp has some of the blocks:
//
//     index = ((digit of the warp) * blocks + digit of the block) * rows * cols
//             + digit in the block
//
// A layout serves a product if one input has the letters of the rows and the other input those of
// the columns. The other letters may be in either input, in both or in none. So one layout serves
// many strings, and no relayout is needed between them. The idea is from J. Kim et al., Optimizing
// tensor contractions in CCSD(T) for efficient execution on GPUs, ICS 2018. There, relayouts
// separate all nine partitions of the indices of the triples; here two layouts serve them.

#include <KokkosContract/nest/Parse.hpp>
#include <numeric>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The letters of a tile, and its extent along each.
struct TileExtents {
  Labels letters{};
  int extent[max_rank]{};
  int most_sums = 0;  ///< most sums of a lane; 0: as many as registers allow
  /// For FMAs without an atom: the neighbours that a lane has in a block, and the terms that it
  /// reads at a time.
  int rows_of_lane = 1, cols_of_lane = 2, terms_of_lane = 1;

  consteval int rank() const { return letters.rank; }
  consteval int size() const {
    int n = 1;
    for (int l = 0; l < rank(); ++l) n *= extent[l];
    return n;
  }
};

/// Which letters of the tile the inputs of a product have.
struct TileTerm {
  bool in[2][max_rank]{};

  /// Whether this input has a letter that the other one does not have.
  constexpr bool only_in(int input, int letter) const {
    return in[input][letter] && !in[1 - input][letter];
  }
};

consteval TileTerm term_of(const TileExtents& tile, const Labels& first, const Labels& second) {
  TileTerm term{};
  for (int l = 0; l < tile.rank(); ++l) {
    term.in[0][l] = first.has(tile.letters.letter[l]);
    term.in[1][l] = second.has(tile.letters.letter[l]);
  }
  return term;
}

struct TileLayout {
  int rank = 0;
  int row[max_rank]{};     ///< rows of a block, along each letter; their product is at most Atom::m
  int col[max_rank]{};     ///< columns of a block
  int blocks[max_rank]{};  ///< blocks of a warp
  int warps[max_rank]{};

  consteval int step(int l) const { return row[l] * col[l]; }
  consteval int extent(int l) const { return step(l) * blocks[l] * warps[l]; }
  consteval int rows() const { return product_of(row); }
  consteval int cols() const { return product_of(col); }
  consteval int block_count() const { return product_of(blocks); }
  consteval int warp_count() const { return product_of(warps); }
  /// Blocks times warps, over the letters in `has`.
  consteval int blocks_along(const bool (&has)[max_rank]) const {
    int n = 1;
    for (int l = 0; l < rank; ++l) n *= has[l] ? blocks[l] * warps[l] : 1;
    return n;
  }
  /// Number of blocks of a warp, over the letters in `has`.
  consteval int warp_blocks_along(const bool (&has)[max_rank]) const {
    int n = 1;
    for (int l = 0; l < rank; ++l) n *= has[l] ? blocks[l] : 1;
    return n;
  }
  friend constexpr bool operator==(const TileLayout&, const TileLayout&) = default;

 private:
  consteval int product_of(const int (&of)[max_rank]) const {
    int n = 1;
    for (int l = 0; l < rank; ++l) n *= of[l];
    return n;
  }
};

/// Whether the rows are in the first input (1) or in the second (2). 0 means that the layout does
/// not serve the product.
consteval int input_of_rows(const TileLayout& layout, const TileTerm& term) {
  bool straight = true;
  bool turned = true;
  for (int l = 0; l < layout.rank; ++l) {
    const bool first = term.only_in(0, l);
    const bool second = term.only_in(1, l);
    if (layout.row[l] > 1) {
      straight = straight && first;
      turned = turned && second;
    }
    if (layout.col[l] > 1) {
      straight = straight && second;
      turned = turned && first;
    }
  }
  return straight ? 1 : (turned ? 2 : 0);
}

consteval int smallest_divisor(int n) {
  for (int d = 2; d * d <= n; ++d) {
    if (n % d == 0) return d;
  }
  return n;
}

/// The limits that a machine sets to a layout.
struct TileLimits {
  int m, n;                          ///< shape of an atom
  int most_blocks;                   ///< most blocks of a warp
  int row_reads = 1, col_reads = 1;  ///< reads of a lane for the rows and the columns of a block
  bool has_halves = false;           ///< a lane has rows r and r + 8 of the 16 of a block
};

/// Gives each warp its blocks. Each step cuts the letter along which warps then read least, until a
/// warp has at most the permitted number of blocks. The letters that share an input differ from
/// product to product. Let each letter have b blocks, and let a lane read n elements for each of
/// them. The reads of both inputs, summed over all distributions of the letters to the inputs, are
/// then 2 (1 + n b) (1 + n b) ...
consteval void share_blocks(TileLayout& layout, const TileLimits& limits, int most_blocks) {
  while (layout.block_count() > most_blocks) {
    int best = -1;
    double least = 0;
    for (int l = 0; l < layout.rank; ++l) {
      const int b = layout.blocks[l];
      if (b == 1) continue;
      const int d = smallest_divisor(b);
      const int each =
          layout.row[l] > 1 ? limits.row_reads : (layout.col[l] > 1 ? limits.col_reads : 1);
      const double reads = static_cast<double>(d) * (1 + each * (b / d)) / (1 + each * b);
      if (best < 0 || reads < least) {
        best = l;
        least = reads;
      }
    }
    const int d = smallest_divisor(layout.blocks[best]);
    layout.blocks[best] /= d;
    layout.warps[best] *= d;
  }
}

/// The layout with these rows and columns.
consteval TileLayout layout_with(const TileExtents& tile, const int (&row)[max_rank],
                                 const int (&col)[max_rank]) {
  TileLayout layout{};
  layout.rank = tile.rank();
  for (int l = 0; l < layout.rank; ++l) {
    layout.row[l] = row[l];
    layout.col[l] = col[l];
    layout.blocks[l] = tile.extent[l] / (row[l] * col[l]);
    layout.warps[l] = 1;
  }
  return layout;
}

/// Takes as many indices of letter l as `open` requires. Returns the part of `open` that then
/// remains.
consteval int take_letter(const TileExtents& tile, int l, int open, int (&of)[max_rank]) {
  of[l] = std::gcd(tile.extent[l], open);
  return open / of[l];
}

/// The layout in which a tile is kept. The innermost indices are columns, so neighbouring lanes
/// store neighbouring elements. The next indices are rows.
consteval TileLayout home_layout(const TileExtents& tile, const TileLimits& limits) {
  int row[max_rank];
  int col[max_rank];
  for (int l = 0; l < max_rank; ++l) row[l] = col[l] = 1;
  int open = limits.n;
  int l = tile.rank() - 1;
  for (; l >= 0 && open > 1; --l) open = take_letter(tile, l, open, col);
  open = limits.m;
  for (; l >= 0 && open > 1; --l) open = take_letter(tile, l, open, row);
  TileLayout layout = layout_with(tile, row, col);
  share_blocks(layout, limits, limits.most_blocks);
  return layout;
}

/// One or two letters whose indices are the rows or the columns of a block.
struct BlockSide {
  int first = 0;
  int of[max_rank]{};    ///< indices of each letter
  int fill = 0;          ///< indices of the block
  unsigned letters = 0;  ///< a bit for each letter with several indices
};
struct BlockSides {
  BlockSide side[max_rank * max_rank];
  int count = 0;
};

/// All possible sides of `size` rows or columns.
consteval BlockSides sides_of(const TileExtents& tile, int size) {
  BlockSides sides{};
  for (int first = 0; first < tile.rank(); ++first) {
    for (int second = 0; second < tile.rank(); ++second) {
      BlockSide& side = sides.side[sides.count];
      side = {};
      side.first = first;
      for (int l = 0; l < max_rank; ++l) side.of[l] = 1;
      int open = take_letter(tile, first, size, side.of);
      if (second != first) {
        open = take_letter(tile, second, open, side.of);
        if (side.of[second] == 1) continue;
      }
      side.fill = size / open;
      for (int l = 0; l < tile.rank(); ++l) side.letters |= side.of[l] > 1 ? 1U << l : 0U;
      ++sides.count;
    }
  }
  return sides;
}

/// The letters of a product that only one of its inputs has.
struct OwnLetters {
  unsigned of_first = 0;
  unsigned of_second = 0;
  constexpr OwnLetters() = default;
  consteval OwnLetters(const TileTerm& term, int rank) {
    for (int l = 0; l < rank; ++l) {
      if (term.only_in(0, l)) of_first |= 1U << l;
      if (term.only_in(1, l)) of_second |= 1U << l;
    }
  }
  /// Whether these rows and columns are in different inputs. The result is that of input_of_rows.
  constexpr bool are_apart(unsigned rows, unsigned cols) const {
    const unsigned second = ~of_second;
    const unsigned first = ~of_first;
    return ((rows & first) | (cols & second)) == 0 || ((rows & second) | (cols & first)) == 0;
  }
};

/// Gives each warp its blocks as in another layout if possible. Otherwise it uses no more warps
/// than that layout.
consteval TileLayout shared_as(const TileLayout& layout, const TileLayout& home,
                               const TileLimits& limits) {
  TileLayout shared = layout;
  bool fits = true;
  for (int l = 0; l < layout.rank; ++l) {
    fits = fits && layout.blocks[l] % home.warps[l] == 0;
    shared.blocks[l] /= home.warps[l];
    shared.warps[l] = home.warps[l];
  }
  if (fits && shared.block_count() <= limits.most_blocks) return shared;
  // Warps have more blocks if these are not full.
  for (int most = limits.most_blocks;; most *= 2) {
    shared = layout;
    share_blocks(shared, limits, most);
    if (shared.warp_count() <= home.warp_count()) return shared;
  }
}

/// Whether each element of a tile is in the same lane in both layouts. This is for atoms whose
/// lanes form eight groups of rows, with further rows below those. The relayout then only exchanges
/// rows and blocks in registers.
consteval bool changes_in_registers(const TileLayout& from, const TileLayout& to,
                                    const TileLimits& limits) {
  if (!limits.has_halves || limits.n != 8) return false;
  for (int l = 0; l < from.rank; ++l) {
    if (from.col[l] != to.col[l] || from.warps[l] != to.warps[l]) return false;
  }
  // The innermost eight rows are of one letter, the same in both.
  for (const TileLayout* layout : {&from, &to}) {
    if (layout->rows() != 16) return false;
  }
  int l = from.rank - 1;
  while (from.row[l] == 1 && to.row[l] == 1) --l;
  const auto is_eight = [](int rows) { return rows == 8 || rows == 16; };
  return is_eight(from.row[l]) && is_eight(to.row[l]);
}

/// A layout for the first of these products that is still `open`, and for as many others as
/// possible.
template <int N>
consteval TileLayout layout_for(const TileExtents& tile, const TileLimits& limits,
                                const TileTerm (&terms)[N], const bool (&open)[N]) {
  int first = 0;
  while (!open[first]) ++first;
  const TileLayout home = home_layout(tile, limits);
  TileLayout best{};
  int best_score = -1;
  const int rank = tile.rank();
  OwnLetters own[N];
  for (int t = 0; t < N; ++t) own[t] = OwnLetters(terms[t], rank);
  const BlockSides rows = sides_of(tile, limits.m);
  const BlockSides cols = sides_of(tile, limits.n);
  for (int i = 0; i < rows.count; ++i) {
    const BlockSide& row = rows.side[i];
    for (int j = 0; j < cols.count; ++j) {
      const BlockSide& col = cols.side[j];
      if ((row.letters & col.letters) != 0) continue;
      if (!own[first].are_apart(row.letters, col.letters)) continue;
      int served = 0;
      for (int t = 0; t < N; ++t) served += open[t] && own[t].are_apart(row.letters, col.letters);
      // Criteria in order: a full block, a relayout to home in registers, the number of products
      // that are served, and innermost columns.
      const auto score_of = [&](bool is_near) {
        return ((row.fill * col.fill * 2 + is_near) * 64 + served) * max_rank + col.first;
      };
      if (score_of(true) <= best_score) continue;
      const TileLayout layout = layout_with(tile, row.of, col.of);
      bool is_near = true;
      for (int l = 0; l < rank; ++l) is_near = is_near && col.of[l] == home.col[l];
      is_near = is_near && changes_in_registers(shared_as(layout, home, limits), home, limits);
      const int score = score_of(is_near);
      if (score > best_score) {
        best_score = score;
        best = layout;
      }
    }
  }
  if (best_score < 0) {
    // A product with letters of one input only has one column, or one row, of a block.
    int row[max_rank];
    int col[max_rank];
    for (int l = 0; l < max_rank; ++l) row[l] = col[l] = 1;
    int left_rows = limits.m;
    int left_cols = limits.n;
    for (int l = rank - 1; l >= 0; --l) {
      if (terms[first].only_in(0, l)) {
        left_rows = take_letter(tile, l, left_rows, row);
      } else if (terms[first].only_in(1, l)) {
        left_cols = take_letter(tile, l, left_cols, col);
      }
    }
    best = layout_with(tile, row, col);
  }
  return shared_as(best, home, limits);
}

/// The order and the layouts in which products are added to a tile. Products that the home layout
/// does not serve come first, so that the tile is at home after the last one.
template <int N>
struct TileSchedule {
  int order[N]{};
  TileLayout layout[N]{};         ///< layout of the product at this index of the order
  int changes = 0;                ///< relayouts through shared memory, if the tile starts as zero
  bool changes_at_start = false;  ///< whether there is one more if the tile does not start as zero
};

template <int N>
consteval TileSchedule<N> schedule_of(const TileExtents& tile, const TileLimits& limits,
                                      const TileTerm (&terms)[N]) {
  const TileLayout home = home_layout(tile, limits);
  TileLayout layout[N]{};
  bool open[N]{};
  int left = 0;
  for (int t = 0; t < N; ++t) {
    layout[t] = home;
    open[t] = input_of_rows(home, terms[t]) == 0;
    left += open[t];
  }
  int first_of[N]{};  // first product of each layout, in the order of discovery
  int layouts = 0;
  while (left > 0) {
    int first = 0;
    while (!open[first]) ++first;
    first_of[layouts++] = first;
    const TileLayout found = layout_for(tile, limits, terms, open);
    for (int t = 0; t < N; ++t) {
      if (!open[t] || input_of_rows(found, terms[t]) == 0) continue;
      layout[t] = found;
      open[t] = false;
      --left;
    }
  }
  // Layouts that move elements to other lanes come first, and then the others.
  TileSchedule<N> schedule{};
  int done = 0;
  for (int near = 0; near < 2; ++near) {
    for (int i = 0; i < layouts; ++i) {
      const TileLayout next = layout[first_of[i]];
      if (changes_in_registers(next, home, limits) != (near == 1)) continue;
      for (int t = 0; t < N; ++t) {
        if (!(layout[t] == next)) continue;
        schedule.order[done] = t;
        schedule.layout[done++] = next;
      }
    }
  }
  for (int t = 0; t < N; ++t) {
    if (!(layout[t] == home)) continue;
    schedule.order[done] = t;
    schedule.layout[done++] = home;
  }
  for (int t = 0; t < N; ++t) {
    const TileLayout& next = t + 1 < N ? schedule.layout[t + 1] : home;
    schedule.changes +=
        !(schedule.layout[t] == next) && !changes_in_registers(schedule.layout[t], next, limits);
  }
  if (!(schedule.layout[0] == home)) {
    schedule.changes_at_start = !changes_in_registers(home, schedule.layout[0], limits);
  }
  return schedule;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
