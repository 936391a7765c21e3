// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_CHOOSE_HPP
#define KOKKOSCONTRACT_PRODUCT_CHOOSE_HPP

// Which way a product of one or two operands goes: the only place that decides it. It knows what
// each way can take, and does nothing.

#include <KokkosContract/Way.hpp>
#include <KokkosContract/product/BlockTiles.hpp>
#include <KokkosContract/product/Blocked.hpp>
#include <KokkosContract/product/Lanes.hpp>
#include <KokkosContract/product/Lines.hpp>
#include <KokkosContract/product/Shared.hpp>
#include <KokkosContract/product/Thin.hpp>
#include <KokkosContract/product/Warp.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Who is called.
struct Callers {
  bool gpu = false;
  bool single_worker = true;
  bool warps = false;      // they are, or may be, lanes of warps
  bool of_thread = false;  // they are those of one team thread
  int warp_size = 1;       // lanes of a warp of their machine
};
template <class L>
consteval Callers callers_of() {
  return {runs_on_gpu<L>(), is_single_worker<L>(), has_warps<L>, is_of_thread<L>,
          warp_size_of<typename SpaceOfLevel<L>::type>};
}

/// What is known of a product besides its nest.
struct ProductFacts : Callers {
  bool to_scratch = false;  // C is known to be in scratch memory
  bool from_scratch = false;
  bool linear = false;   // C becomes alpha sum + beta C
  bool indices = false;  // an epilogue is told the indices
  bool atomic = false;
  bool matrix_core = false;  // there is a matrix instruction for the types
  int bytes = 0;             // of an element of C
  bool blocks = false;       // there are packed blocks for them
  int line_registers = 0;    // of an element of a line; 0: none
  bool tiles = false;        // block tiles have this type
};

/// Of operands X, Y and C, whose sums are accumulated in Acc. Atom: the matrix instruction for
/// their types, or NoAtom; likewise below.
template <class Atom, class Acc, class X, class Y, class C>
consteval ProductFacts facts_of(const Callers& callers, bool linear, bool indices) {
  using Tx = std::remove_const_t<typename X::value_type>;
  using Ty = std::remove_const_t<typename Y::value_type>;
  using Tc = typename C::value_type;
  ProductFacts facts{callers};
  facts.to_scratch = is_in_scratch<C>;
  facts.from_scratch = is_in_scratch<X> || is_in_scratch<Y>;
  facts.linear = linear;
  facts.indices = indices;
  facts.atomic = C::atomic;
  facts.matrix_core = is_atom<Atom> && std::is_same_v<Tc, Acc>;
  facts.bytes = static_cast<int>(sizeof(Acc));
  facts.blocks = is_host_blocked<Acc, Tx, Ty, Tc>();
  facts.line_registers = registers_in_lines<Acc>();
  facts.tiles = std::is_floating_point_v<Acc> && std::is_same_v<Tx, Acc> &&
                std::is_same_v<Ty, Acc> && std::is_same_v<Tc, Acc>;
  return facts;
}

struct Choice {
  Way way = Way::tiles;
  Way otherwise = Way::tiles;  // where workers or extents at run time do not suit `way`; warps
                               // leave to Way::shared what does not suit them
  bool staged = false;         // Way::shared copies its inputs where they are dense and fit
  int least = 0;               // Way::warps takes products of more elements

  friend constexpr bool operator==(const Choice&, const Choice&) = default;
};

/// Whether a way can take a product.
template <class Atom, int N>
consteval bool can_take(Way way, const Nest<N>& nest, const ProductFacts& facts) {
  const bool team = facts.gpu && !facts.single_worker;
  switch (way) {
    case Way::lines:
      return team && facts.warps && !facts.of_thread && facts.line_registers > 0 &&
             line_plan(nest, facts.line_registers).possible;
    case Way::lanes:
      return team && facts.warps && facts.linear && lane_plan(nest).possible;
    case Way::thin:
      return team && facts.warps && !facts.indices && thin_plan(nest, facts.warp_size).possible;
    case Way::warps:
      return team && facts.warps && facts.matrix_core && !facts.indices &&
             warp_plan<Atom>(nest).possible;
    case Way::block_tiles:
      return team && facts.warps && !facts.of_thread && facts.tiles && !facts.to_scratch &&
             !facts.from_scratch && block_tile_plan(nest, facts.bytes, facts.matrix_core).possible;
    case Way::shared:
      return team;
    case Way::blocked:
      return !facts.gpu && facts.blocks && !facts.atomic && !facts.indices && may_be_blocked(nest);
    case Way::tiles:
      return facts.single_worker || !facts.gpu;
    default:
      return false;
  }
}

/// Whether inputs are copied: those in global memory, which are used again or read across their
/// rows.
template <int N>
consteval bool is_worth_staging(const Nest<N>& nest, const ProductFacts& facts) {
  return facts.warps && !facts.from_scratch && nest.of(Class::sum) > 0;
}

/// Whether copies of the inputs fit into the memory for them.
template <int N>
consteval bool fits_stage(const Nest<N>& nest, const ProductFacts& facts) {
  const int rows = static_size(nest, Class::row);
  const int cols = static_size(nest, Class::col);
  const int sums = static_size(nest, Class::sum);
  return sums > 0 && (rows + cols) * sums * facts.bytes <= stage_bytes;
}

/// By measurement (Tuned.hpp): copies in shared memory read whole lines of memory, even where rows
/// start anywhere. Warps are better for one team thread, with an operand in scratch memory, where
/// the inputs leave no room for copies of them, and where the tiles are full and few and all rows
/// begin at a sector of 32 bytes; with run-time extents, for larger products.
template <class Atom, int N>
consteval Choice choose_warps(const Nest<N>& nest, const ProductFacts& facts) {
  const WarpPlan plan = warp_plan<Atom>(nest);
  const bool in_scratch = facts.to_scratch || facts.from_scratch;
  const bool staged = is_worth_staging(nest, facts);
  if (!plan.is_static)
    return {Way::warps, Way::shared, staged, facts.of_thread ? 0 : least_elements_of_warps};
  bool in_sectors = true;
  for (int i = nest.begin(Class::row); i < nest.end(Class::sum); ++i) {
    in_sectors = in_sectors && nest.extent[i] % 4 == 0;
  }
  const auto is_full = [](int size, int tile) { return size == tile / 2 || size % tile == 0; };
  const bool full = is_full(plan.rows, Atom::m) && is_full(plan.cols, Atom::n);
  const bool few = plan.block_rows * plan.block_cols <= most_blocks_of_warps;
  const bool pays =
      facts.of_thread || in_scratch || !fits_stage(nest, facts) || (in_sectors && full && few);
  if (!pays) return {Way::shared, Way::shared, staged};
  return {Way::warps, Way::shared, staged && facts.of_thread && in_sectors};
}

/// Block tiles where copies of the inputs do not fit. Where there are matrix instructions, warps
/// are as good as tiles that are not full.
template <class Atom, int N>
consteval bool choose_block_tiles(const Nest<N>& nest, const ProductFacts& facts) {
  if (!can_take<Atom>(Way::block_tiles, nest, facts) || fits_stage(nest, facts)) return false;
  return !facts.matrix_core ||
         block_tile_plan(nest, facts.bytes, true).percent_filled() >= least_percent_of_block_tiles;
}
/// What fewer workers than 128 do takes registers of all: too many of them, if it is for warps, or
/// copies their inputs (docs/tried.md).
inline constexpr Choice block_tiles{Way::block_tiles, Way::shared};

/// The table: the first row that holds.
template <class Atom, int N>
consteval Choice choose_product(const Nest<N>& nest, const ProductFacts& facts) {
  const bool by_team_in_scratch = (facts.to_scratch || facts.from_scratch) && !facts.of_thread;

  if (can_take<Atom>(Way::lines, nest, facts)) return {Way::lines, Way::lines};
  if (can_take<Atom>(Way::lanes, nest, facts)) return {Way::lanes, Way::shared};
  if (can_take<Atom>(Way::thin, nest, facts) && can_take<Atom>(Way::warps, nest, facts) &&
      by_team_in_scratch) {
    return {Way::thin, Way::shared};
  }
  if (choose_block_tiles<Atom>(nest, facts)) return block_tiles;
  if (can_take<Atom>(Way::warps, nest, facts)) return choose_warps<Atom>(nest, facts);
  if (can_take<Atom>(Way::shared, nest, facts)) {
    return {Way::shared, Way::shared, is_worth_staging(nest, facts)};
  }
  if (can_take<Atom>(Way::blocked, nest, facts)) return {Way::blocked, Way::tiles};
  return {Way::tiles, Way::tiles};
}

/// Whether a way is one of the callers': others are for another machine.
consteval bool is_way_of(Way way, const Callers& callers) {
  const bool of_host = way == Way::tiles || way == Way::blocked;
  return way != Way::best && (callers.gpu ? callers.warps && !of_host : of_host);
}

/// Chooses the way that is asked for if the callers have it, else the best one.
template <class Atom, int N>
consteval Choice choose_product(Way asked, const Nest<N>& nest, const ProductFacts& facts) {
  const Choice best = choose_product<Atom>(nest, facts);
  if (!is_way_of(asked, facts) || asked == best.way || !can_take<Atom>(asked, nest, facts))
    return best;
  if (!facts.gpu) return {asked, Way::tiles};
  if (asked == Way::block_tiles) return block_tiles;
  return {asked, asked == Way::lines ? Way::lines : Way::shared, is_worth_staging(nest, facts)};
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
