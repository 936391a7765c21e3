// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_TESTS_TUNE_CANDIDATES_HPP
#define KOKKOSCONTRACT_PERF_TESTS_TUNE_CANDIDATES_HPP

// The ways to run a product that are worth a measurement: the model's choice, the other algorithms
// that fit, and the tiles that cost least by the model.

#include <KokkosContract.hpp>
#include <KokkosContract/host/Choices.hpp>

namespace KokkosContract::Tune {

/// The algorithms, as tables of measured plans name them.
struct NamedWay {
  Way way;
  const char* name;
};
inline constexpr NamedWay named_ways[] = {
    {Way::tiles, "tiles"},   {Way::blocked, "blocked"}, {Way::points, "points"},
    {Way::shared, "shared"}, {Way::warps, "warps"},     {Way::block_tiles, "block_tiles"},
    {Way::thin, "thin"},     {Way::lanes, "lanes"},     {Way::lines, "lines"}};
inline const char* name_of(Way way) {
  for (const NamedWay& named : named_ways) {
    if (named.way == way) return named.name;
  }
  return "";
}

struct Candidates {
  static constexpr int most = 8;
  Choice of[most]{};  // the first one is the model's choice
  int count = 1;

  consteval void add(const Choice& choice) {
    if (count < most) of[count++] = choice;
  }
};

/// A tile, the plan that has it, and its cost.
struct RankedTile {
  TileShape tile{};
  Impl::Plan plan{};
  double cost = 0;
};

/// Tiles of different plans in the order of their costs.
struct RankedTiles {
  static constexpr int most = 64;
  RankedTile of[most]{};
  int count = 0;

  consteval void add(const RankedTile& tile) {
    for (int i = 0; i < count; ++i) {
      if (of[i].plan == tile.plan) return;
    }
    if (count == most) return;
    int at = count++;
    for (; at > 0 && of[at - 1].cost > tile.cost; --at) of[at] = of[at - 1];
    of[at] = tile;
  }
};

/// Tiles of one worker of a host, whose sums and operands fit into registers. There are none for a
/// product that is written out element by element: the compiler makes it a part of the caller's
/// loop, so that a measurement in another loop tells nothing.
template <int N>
consteval RankedTiles host_tiles(const Impl::Nest<N>& nest, const Impl::Machine& machine) {
  RankedTiles ranked{};
  if (Impl::is_by_elements(nest, machine)) return ranked;
  Impl::Plan plan{};
  const std::ptrdiff_t cols = Impl::set_lanes(plan, nest, machine, true);
  const std::ptrdiff_t rows =
      nest.of(Impl::Class::row) > 0 ? nest.extent[nest.end(Impl::Class::row) - 1] : 1;
  if (plan.along_sum || rows == dynamic || cols == dynamic) return ranked;
  for (int r = 1; r <= 8 && r <= rows; ++r) {
    for (int c = 1; c <= 6 && c <= cols; ++c) {
      const TileShape tile{r, c};
      if (r * c + c + 1 > machine.registers) continue;
      ranked.add({tile, Impl::make_plan(nest, machine, true, tile),
                  static_cast<double>(Impl::tile_cost(rows, cols, tile))});
    }
  }
  return ranked;
}

/// Tiles of one worker among many workers of a GPU.
template <int N>
consteval RankedTiles shared_tiles(const Impl::Nest<N>& nest, const Impl::Machine& machine) {
  RankedTiles ranked{};
  const Impl::SharedTileModel<N> model(nest, machine.bytes, machine.warp_size);
  for (int r = 1; r <= Impl::most_of_shared_tile.rows; ++r) {
    for (int c = 1; c <= Impl::most_of_shared_tile.cols; ++c) {
      const TileShape tile{r, c};
      if (model.fits(tile)) {
        ranked.add({tile, Impl::make_plan(nest, machine, true, tile), model.cost({tile})});
      }
    }
  }
  return ranked;
}

/// The candidates for a product by these callers.
template <class Atom, int N>
consteval Candidates candidates(const Impl::Nest<N>& nest, const Impl::ProductFacts& facts,
                                const Impl::Machine& machine) {
  Candidates found{};
  const Way model = Impl::choose_product<Atom>(nest, facts).way;
  for (const auto& [way, name] : named_ways) {
    if (way != model && Impl::is_way_of(way, facts) && Impl::can_take<Atom>(way, nest, facts)) {
      found.add({.way = way});
    }
  }
  const Way tiled = facts.are_team() ? Way::shared : Way::tiles;
  if (!Impl::is_way_of(tiled, facts) || !Impl::can_take<Atom>(tiled, nest, facts)) return found;
  const RankedTiles ranked =
      facts.are_team() ? shared_tiles(nest, machine) : host_tiles(nest, machine);
  const Impl::Plan plan = Impl::make_plan(nest, machine);
  for (int i = 0; i < ranked.count; ++i) {
    if (model == tiled && ranked.of[i].plan == plan) continue;
    found.add({.way = model == tiled ? Way::best : tiled, .tile = ranked.of[i].tile});
  }
  return found;
}

}  // namespace KokkosContract::Tune

#endif
