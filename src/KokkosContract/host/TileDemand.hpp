// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HOST_TILEDEMAND_HPP
#define KOKKOSCONTRACT_HOST_TILEDEMAND_HPP

// Demands of a call, or of a tile, on a team. A tile itself gives the number of its workers and its
// bytes of scratch memory.

#include <KokkosContract/tile/Traits.hpp>
#include <stdexcept>
#include <string>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// How the products of a call read their inputs.
struct ProductReads {
  bool in_place = false;  ///< without copies
  int block_stage = 0;    ///< bytes of shared memory for copies by a block's workers
  int thread_stage = 0;   ///< bytes of shared memory for copies by the lanes of a block's threads
  int least_workers = 1;  ///< fewest workers for their algorithms; with fewer, they use others
};

/// Demands of a call for one problem.
struct Demand {
  Workers workers{};
  bool batch = false;            ///< whether it takes several problems at once
  double bytes = 0;              ///< bytes of the operands
  double shared = 0;             ///< bytes of the operands that all problems share
  double own = 0;                ///< bytes of the operands that each problem has
  double staged = 0;             ///< bytes that a product copies to shared memory
  int lanes = 0;                 ///< lanes that hold a matrix together; 0: any number
  int pack = 0;                  ///< problems of a pack; 0: elements are not packs
  int rows = 0;                  ///< rows of that matrix
  double result = 0;             ///< bytes of a product's output
  double matrix = 0;             ///< bytes of a matrix that a dense routine has
  ProductReads reads{};          ///< how products read their inputs
  ProductReads to_scratch{};     ///< reads of inputs if the output is in scratch memory
  int lines = 0;                 ///< lines that a chain's steps multiply; 0: unknown
  double scratch = 0;            ///< scratch bytes for one problem, while it runs
  double scratch_alignment = 0;  ///< scratch bytes for all problems together

  const void* tile = nullptr;  ///< identifies the type of a tile; null for a call
  int tile_workers = 0;        ///< workers of the team that holds the tile
  double kept = 0;             ///< scratch bytes that hold the tile
  int kept_level = 0;

  constexpr bool is_of_team() const {
    return workers == Workers::team || workers == Workers::team_vector;
  }
};

/// A tile and its products, or slices of one.
template <class Tile>
struct UsesTile {
  using Traits = tile_traits_t<Tile>;
  static constexpr char name = 0;  // its address identifies the type
  double bytes;

  /// Space is the execution space of the kernel.
  template <class Space>
  Demand demand(int /*tiles*/) const {
    static_assert(std::is_same_v<Space, typename Traits::Space>,
                  "KokkosContract: the tile is one of another execution space than the policy: "
                  "which one says its last template argument");
    constexpr bool by_team = Traits::workers != Workers::serial;
    Demand demand{};
    demand.workers = Traits::workers;
    demand.tile = &name;
    if constexpr (by_team) demand.tile_workers = Tile::workers();
    if constexpr (!Traits::keeps_scratch) {
      demand.scratch = bytes;
    } else {
      demand.kept = bytes;
      demand.kept_level = Tile::scratch_level();
    }
    return demand;
  }
};

/// Scratch bytes of one level that hold tiles, for a team or for each of its threads. Demands of
/// the same type are products of the same tile.
inline double kept_bytes(const Demand* demands, int count, bool of_team, int level) {
  double bytes = 0;
  for (int i = 0; i < count; ++i) {
    const Demand& demand = demands[i];
    bool counts = demand.is_of_team() == of_team && demand.kept_level == level;
    for (int before = 0; before < i; ++before) {
      counts = counts && demands[before].tile != demand.tile;
    }
    if (counts) bytes += demand.kept;
  }
  return bytes;
}

/// Workers of the team that holds the tiles, or 0 if there are none.
inline int tile_workers(const Demand* demands, int count) {
  int workers = 0;
  for (int i = 0; i < count; ++i) {
    const int wanted = demands[i].tile_workers;
    if (workers > 0 && wanted > 0 && wanted != workers) {
      throw std::invalid_argument("KokkosContract: team_policy: a tile is one of " +
                                  std::to_string(workers) + " workers, another one of " +
                                  std::to_string(wanted));
    }
    if (wanted > 0) workers = wanted;
  }
  return workers;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
