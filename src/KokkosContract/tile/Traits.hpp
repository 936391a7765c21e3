// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_TRAITS_HPP
#define KOKKOSCONTRACT_TILE_TRAITS_HPP

// Facts about a tile that follow from its type, without its definition.

#include <KokkosContract/Way.hpp>
#include <KokkosContract/block/Layout.hpp>
#include <KokkosContract/level/Level.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A tile of a team. Its workers are the threads of the team, or all their lanes.
template <class T, TileExtents Extents, class Member, bool OfThreads, Accuracy A = Accuracy::full>
class TeamTileBase;
template <class T, TileExtents Extents, class Space>
class SerialTileBase;

/// Access to the members of a tile, for its parts.
struct TileAccess {
  template <class Tile>
  using held_t = typename Tile::Held;
  template <class Tile>
  KOKKOS_FORCEINLINE_FUNCTION static held_t<Tile>& held(Tile& tile) {
    return tile;
  }
  /// Later requests to this memory follow the memory that has been taken.
  template <class Tile, class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION static void set_scratch(Tile& tile, const Scratch& scratch) {
    if constexpr (requires { tile.scratch_ = scratch; }) tile.scratch_ = scratch;
  }
};
/// Slices that are added to a tile held in registers, or in memory.
template <class Of>
class GpuSlices;
template <class Of, int Input>
class GpuLoader;
template <class Of>
class HostSlices;
template <class Of, int Input, class A>
class HostLoader;

/// Space is the execution space of its workers.
template <class T, TileExtents Extents, class S, Workers W, Accuracy A = Accuracy::full>
struct TileTraits {
  using Element = T;
  using Space = S;
  static constexpr Accuracy accuracy = A;
  static constexpr TileExtents extents = Extents;
  static constexpr Workers workers = W;
  static constexpr bool is_slices = false;
  static constexpr bool keeps_scratch = !is_gpu<Space> || W == Workers::serial;
};
/// Slices of a tile. Its workers keep their memory as long as the kernel runs.
template <class Tile>
struct SlicesOf {};
template <class Traits>
struct SliceTraits : Traits {
  static constexpr bool is_slices = true;
  static constexpr bool keeps_scratch = true;
};

template <class T, TileExtents Extents, class Member, bool OfThreads, Accuracy A>
TileTraits<T, Extents, typename Member::execution_space,
           OfThreads ? Workers::team : Workers::team_vector, A>
traits_of_tile(const TeamTileBase<T, Extents, Member, OfThreads, A>*);
template <class T, TileExtents Extents, class Space>
TileTraits<T, Extents, Space, Workers::serial> traits_of_tile(
    const SerialTileBase<T, Extents, Space>*);
template <class Tile>
auto traits_of_tile(const SlicesOf<Tile>*)
    -> SliceTraits<decltype(traits_of_tile(static_cast<const Tile*>(nullptr)))>;

template <class Tile>
using tile_traits_t = decltype(traits_of_tile(static_cast<const Tile*>(nullptr)));
template <class Tile>
concept BlockTile = requires { typename tile_traits_t<Tile>; };

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
