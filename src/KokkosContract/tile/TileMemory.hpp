// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_TILEMEMORY_HPP
#define KOKKOSCONTRACT_TILE_TILEMEMORY_HPP

// What a tile has in shared memory while products are added to it.

#include <KokkosContract/tile/TilePlan.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Machine, class T, TileExtents Extents>
struct TileMemory {
  using Atom = tile_atom_t<Machine, T>;

  /// Shared memory of products whose slices of a step and whose table are so large.
  static consteval std::size_t bytes(int slices, std::size_t table, int products, bool exchanges,
                                     int stages_at_a_time) {
    std::size_t stages = sizeof(T) * static_cast<std::size_t>(stages_at_a_time) * slices;
    const std::size_t exchange = exchanges ? sizeof(T) * exchange_size(Extents) : 0;
    stages = stages > exchange ? stages : exchange;
    return (stages + 15) / 16 * 16 + sizeof(TileSource<T>) * products + table;
  }
  template <class Products>
  static consteval std::size_t bytes_with(int stages_at_a_time) {
    return bytes(Products::slices, Products::bytes_of_table, Products::count,
                 Products::schedule.changes > 0 || Products::schedule.changes_at_start,
                 stages_at_a_time);
  }
  /// Slices of so many steps are in shared memory: as many as fit, up to four.
  template <class Products>
  static consteval int stages_of() {
    int stages = 4;
    while (stages > 2 && bytes_with<Products>(stages) > Products::most_bytes) --stages;
    return stages;
  }
  template <class Products>
  static consteval std::size_t bytes_of() {
    return bytes_with<Products>(stages_of<Products>());
  }

  /// Slices of all stages, and behind them what says where these come from.
  template <class Products>
  struct Memory {
    T* stage;
    TileSource<T>* source;
    char* table;  ///< what the places of slices need

    KOKKOS_FORCEINLINE_FUNCTION explicit Memory(char* generic) {
      constexpr std::size_t begin =
          bytes_of<Products>() - bytes(0, Products::bytes_of_table, Products::count, false, 0);
      char* const memory = Machine::in_block_memory(generic);
      stage = reinterpret_cast<T*>(memory);
      source = reinterpret_cast<TileSource<T>*>(memory + begin);
      table = memory + begin + sizeof(TileSource<T>) * Products::count;
    }
  };
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
