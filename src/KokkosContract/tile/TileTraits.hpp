// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_TILETRAITS_HPP
#define KOKKOSCONTRACT_TILE_TILETRAITS_HPP

// What is known of a tile by its type, without what it is made of.

#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/tile/TileLayout.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A tile of a team: of its threads, or of all their lanes.
template <class T, TileExtents Extents, class Member, bool OfThreads>
class TeamTileBase;
template <class T, TileExtents Extents, class Space>
class SerialTileBase;

/// Space: where its workers run.
template <class T, TileExtents Extents, class S, Workers W>
struct TileTraits {
  using Element = T;
  using Space = S;
  static constexpr TileExtents extents = Extents;
  static constexpr Workers workers = W;
};

template <class T, TileExtents Extents, class Member, bool OfThreads>
TileTraits<T, Extents, typename Member::execution_space,
           OfThreads ? Workers::team : Workers::team_vector>
traits_of_tile(const TeamTileBase<T, Extents, Member, OfThreads>*);
template <class T, TileExtents Extents, class Space>
TileTraits<T, Extents, Space, Workers::serial> traits_of_tile(
    const SerialTileBase<T, Extents, Space>*);

template <class Tile>
using tile_traits_t = decltype(traits_of_tile(static_cast<const Tile*>(nullptr)));
template <class Tile>
concept BlockTile = requires { typename tile_traits_t<Tile>; };

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
