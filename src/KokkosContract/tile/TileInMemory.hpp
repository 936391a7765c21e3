// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_TILEINMEMORY_HPP
#define KOKKOSCONTRACT_TILE_TILEINMEMORY_HPP

// Tiles whose elements are in scratch memory: tiles of a host's teams, and tiles of one worker
// alone.

#include <KokkosContract/operand/TakeScratch.hpp>
#include <KokkosContract/tile/HostTile.hpp>
#include <KokkosContract/tile/Operations.hpp>
#include <KokkosContract/tile/Traits.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Bytes that Kokkos gives a host's team at level 0 (TeamPolicy::scratch_size_max(0)).
inline constexpr std::size_t level_0_bytes_of_host = 32 * 1024;
/// The scratch level of a tile with this number of bytes.
template <class Space>
KOKKOS_FUNCTION constexpr int level_of_tile(std::size_t bytes) {
  return is_gpu<Space> || bytes + scratch_alignment <= level_0_bytes_of_host ? 0 : 1;
}

/// Space is the execution space of the workers.
template <Workers W, class Level, class Space, class T, TileExtents Extents>
class TileInMemory
    : public TileOperations<TileInMemory<W, Level, Space, T, Extents>, W, T, Extents>,
      private HostTile<Level, T, Extents> {
  using Held = HostTile<Level, T, Extents>;
  using Operations = TileOperations<TileInMemory, W, T, Extents>;
  friend Operations;
  friend TileAccess;

 public:
  template <class S, class Index>
  KOKKOS_FORCEINLINE_FUNCTION TileInMemory(const Level& level, const S& scratch,
                                           const Index& origin, const Index& extents)
      : Held(level, memory_in(scratch), origin, extents) {}

  static constexpr int workers() { return 1; }

  KOKKOS_FUNCTION static constexpr int scratch_level() { return level_of_tile<Space>(Held::bytes); }

  template <Spec... Strings, class... Operands>
  static std::size_t scratch_bytes(const Operands&...) {
    require_operands_of_tile<Extents, sizeof...(Operands), Strings...>();
    return Held::bytes + scratch_alignment;
  }

 private:
  template <class S>
  KOKKOS_FORCEINLINE_FUNCTION static T* memory_in(const S& scratch) {
    static_assert(AnyScratch<S>,
                  "KokkosContract: the memory of a tile is the team_scratch or thread_scratch of a "
                  "member, a Scratch or a View");
    if constexpr (AnyScratch<S>) {
      return reinterpret_cast<T*>(keep_scratch(scratch, Held::bytes));
    } else {
      return nullptr;
    }
  }
};

/// A tile of one worker alone.
template <class T, TileExtents Extents, class Space>
class SerialTileBase : public TileInMemory<Workers::serial, SerialLevel, Space, T, Extents> {
  using Base = TileInMemory<Workers::serial, SerialLevel, Space, T, Extents>;

 public:
  template <class S, class Index>
  KOKKOS_FORCEINLINE_FUNCTION SerialTileBase(const S& scratch, const Index& origin,
                                             const Index& extents)
      : Base(SerialLevel{}, scratch, origin, extents) {}
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
