// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_CHOOSE_HPP
#define KOKKOSCONTRACT_PRODUCT_CHOOSE_HPP

// The choice of the algorithm that runs a product of one or two operands. No other place decides
// this. Execution, `explain` and requests of callers ask the same list.

#include <KokkosContract/product/BlockTiles.hpp>
#include <KokkosContract/product/Blocked.hpp>
#include <KokkosContract/product/Lanes.hpp>
#include <KokkosContract/product/Lines.hpp>
#include <KokkosContract/product/Measured.hpp>
#include <KokkosContract/product/Points.hpp>
#include <KokkosContract/product/Shared.hpp>
#include <KokkosContract/product/Thin.hpp>
#include <KokkosContract/product/Warp.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The facts about operands X, Y and C, whose sums are accumulated in Acc. Here and below, Atom is
/// the MMA instruction for their types, or NoAtom.
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
  facts.matrix_core = is_atom<Atom> && (std::is_same_v<Tc, Acc> || has_neighbouring_terms<Atom>);
  facts.bytes = static_cast<int>(sizeof(Acc));
  facts.blocks = is_host_blocked<Acc, Tx, Ty, Tc>();
  facts.line_registers = registers_in_lines<Acc>();
  facts.input_bytes = static_cast<int>(sizeof(Tx));
  if constexpr (std::is_same_v<Tx, Acc> && std::is_same_v<Ty, Acc> && std::is_same_v<Tc, Acc>) {
    facts.type = text_of_type<Acc>();
  }
  facts.tiles =
      std::is_floating_point_v<Acc> && std::is_same_v<Tx, Ty> &&
      ((std::is_same_v<Tx, Acc> && std::is_same_v<Tc, Acc>) || are_short_floats<Acc, Tx, Tc>);
  return facts;
}

/// The algorithms in their order. The functions are folds, because nvcc calls no consteval function
/// in a lambda.
template <class... Algorithms>
struct AlgorithmList {
  /// Whether the algorithm with this name can take a product.
  template <class Atom, int N>
  static consteval bool fits(Way way, const Nest<N>& nest, const ProductFacts& facts) {
    return ((Algorithms::way == way && Algorithms::template fits<Atom>(nest, facts)) || ...);
  }
  /// The first algorithm that fits and is best.
  template <class Atom, int N>
  static consteval ProductChoice best(const Nest<N>& nest, const ProductFacts& facts) {
    ProductChoice best{};
    static_cast<void>(((Algorithms::template fits<Atom>(nest, facts) &&
                        Algorithms::template is_best<Atom>(nest, facts) &&
                        is_set(best, Algorithms::template choice<Atom>(nest, facts, false))) ||
                       ...));
    return best;
  }
  /// How the algorithm with this name, which fits, runs a product.
  template <class Atom, int N>
  static consteval ProductChoice asked(Way way, const Nest<N>& nest, const ProductFacts& facts) {
    ProductChoice asked{};
    static_cast<void>(((Algorithms::way == way && Algorithms::template fits<Atom>(nest, facts) &&
                        is_set(asked, Algorithms::template choice<Atom>(nest, facts, true))) ||
                       ...));
    return asked;
  }
  /// Whether a product with this choice has copies of inputs in the stage (level/Stage.hpp).
  static constexpr bool takes_stage(const ProductChoice& choice) {
    return choice.staged || ((Algorithms::way == choice.way && Algorithms::takes_stage) || ...);
  }
  /// Fewest workers for this choice. With fewer, the product takes another algorithm.
  static constexpr int least_workers(const ProductChoice& choice) {
    int least = 1;
    static_cast<void>(
        ((least = Algorithms::way == choice.way ? Algorithms::least_workers : least), ...));
    return least;
  }

 private:
  static consteval bool is_set(ProductChoice& choice, const ProductChoice& value) {
    choice = value;
    return true;
  }
};
using ProductAlgorithms =
    AlgorithmList<LineAlgorithm, LaneAlgorithm, ThinAlgorithm, BlockTileAlgorithm, WarpAlgorithm,
                  SharedAlgorithm, PointAlgorithm, BlockedAlgorithm, TileAlgorithm>;

/// The algorithm with this name.
template <Way W, class List = ProductAlgorithms>
struct AlgorithmOf;
template <Way W, class First, class... Others>
struct AlgorithmOf<W, AlgorithmList<First, Others...>> : AlgorithmOf<W, AlgorithmList<Others...>> {
};
template <Way W, class First, class... Others>
  requires(First::way == W)
struct AlgorithmOf<W, AlgorithmList<First, Others...>> {
  using type = First;
};
template <Way W>
using algorithm_t = typename AlgorithmOf<W>::type;

template <class Atom, int N>
consteval bool can_take(Way way, const Nest<N>& nest, const ProductFacts& facts) {
  return ProductAlgorithms::fits<Atom>(way, nest, facts);
}

/// Whether the algorithm with this name is for the machine of the callers.
consteval bool is_way_of(Way way, const Callers& callers) {
  const bool of_host = way == Way::tiles || way == Way::blocked || way == Way::points;
  return way != Way::best && (callers.gpu ? callers.are_team_of_warps() && !of_host : of_host);
}

/// Replaces a choice by an algorithm with this name and a tile. Returns whether the callers have
/// it.
template <class Atom, int N>
consteval bool replace(ProductChoice& chosen, Way way, const TileShape& tile, const Nest<N>& nest,
                       const ProductFacts& facts) {
  if (!is_way_of(way, facts) || !can_take<Atom>(way, nest, facts)) return false;
  if (way != chosen.way) chosen = ProductAlgorithms::asked<Atom>(way, nest, facts);
  chosen.tile = tile;
  return true;
}

/// Chooses the requested algorithm if the callers have it. Else a measured one, if there is one,
/// and the best one by the model otherwise.
template <class Atom, int N>
consteval ProductChoice choose_product(const Choice& asked, const Nest<N>& nest,
                                       const ProductFacts& facts) {
  ProductChoice chosen = ProductAlgorithms::best<Atom>(nest, facts);
  if (asked.way == Way::best && asked.tile.rows == 0) {
    const MeasuredPlan measured = measured_plan(nest, facts);
    chosen.measured = replace<Atom>(chosen, measured.way, measured.tile, nest, facts);
  } else {
    const Way way = asked.way == Way::best ? chosen.way : asked.way;
    replace<Atom>(chosen, way, asked.tile, nest, facts);
  }
  chosen.accuracy = asked.accuracy;
  return chosen;
}
template <class Atom, int N>
consteval ProductChoice choose_product(const Nest<N>& nest, const ProductFacts& facts) {
  return choose_product<Atom>(Choice{}, nest, facts);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
