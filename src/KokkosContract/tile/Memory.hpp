// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_MEMORY_HPP
#define KOKKOSCONTRACT_TILE_MEMORY_HPP

// The shared memory of a tile while products are added to it.

#include <KokkosContract/block/Relayout.hpp>
#include <KokkosContract/tile/Plan.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Machine, class Types, TileExtents Extents>
struct TileMemory {
  using T = typename Types::Input;
  using Sum = typename Types::Sum;

  /// Bytes of stages, and of the other data of products.
  template <class Products>
  static consteval std::size_t bytes_of_stages(int stages) {
    return (sizeof(T) * static_cast<std::size_t>(stages) * Products::slices + 15) / 16 * 16;
  }
  template <class Products>
  static consteval std::size_t other_bytes() {
    return sizeof(TileSource<Types>) * Products::count + Products::bytes_of_table;
  }
  /// Number of stages in shared memory: as many as fit, up to four.
  template <class Products>
  static consteval int stages_of() {
    int stages = 4;
    while (stages > 2 &&
           bytes_of_stages<Products>(stages) + other_bytes<Products>() > Products::most_bytes) {
      --stages;
    }
    return stages;
  }
  /// Bytes for a relayout: all elements at once if there is room, and otherwise the bytes of the
  /// stages.
  template <class Products>
  static consteval std::size_t bytes_to_exchange() {
    const bool exchanges = Products::schedule.changes > 0 || Products::schedule.changes_at_start;
    const std::size_t all = exchanges ? sizeof(Sum) * exchange_size(Extents) : 0;
    const std::size_t stages = bytes_of_stages<Products>(stages_of<Products>());
    return all + other_bytes<Products>() > Products::most_bytes || all < stages ? stages : all;
  }
  template <class Products>
  static consteval int exchanged_at_a_time() {
    return static_cast<int>(bytes_to_exchange<Products>() / sizeof(Sum));
  }
  template <class Products>
  static consteval std::size_t bytes_of() {
    return bytes_to_exchange<Products>() + other_bytes<Products>();
  }

  /// The slices of all stages, followed by the descriptions of their sources.
  template <class Products>
  struct Memory {
    T* stage;
    TileSource<Types>* source;
    char* table;  ///< table for the offsets of slices

    KOKKOS_FORCEINLINE_FUNCTION explicit Memory(char* generic) {
      constexpr std::size_t begin = bytes_to_exchange<Products>();
      char* const memory = Machine::in_block_memory(generic);
      stage = reinterpret_cast<T*>(memory);
      source = reinterpret_cast<TileSource<Types>*>(memory + begin);
      table = memory + begin + sizeof(TileSource<Types>) * Products::count;
    }
  };
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
