// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_CALL_HPP
#define KOKKOSCONTRACT_TILE_CALL_HPP

// A call of a tile's function: its name in messages, and the report of its code.

#include <KokkosContract/block/Layout.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/machine/Report.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

enum class TileFunction { load, accumulate, store };

template <Workers W, TileExtents Extents, TileFunction F>
struct TileCall {
  /// The name as the caller writes it: TeamTile<"ij">::store.
  static consteval Text name() {
    Text text;
    text << (W == Workers::serial ? "Serial"
             : W == Workers::team ? "Team"
                                  : "TeamVector")
         << "Tile<\"";
    for (int l = 0; l < Extents.rank(); ++l) text << Extents.letters.letter[l];
    return text << "\">::"
                << (F == TileFunction::load         ? "load"
                    : F == TileFunction::accumulate ? "accumulate"
                                                    : "store");
  }
};

template <Spec S>
struct SlicesCall {
  static consteval Text name() {
    Text text;
    text << "TileSlices<\"";
    for (std::size_t i = 0; S[i] != '\0'; ++i) text << S[i];
    return text << "\">";
  }
};

/// Returns the code of a call by the workers of a level. A code of a misuse is reported first.
template <class Call, Level L>
KOKKOS_FORCEINLINE_FUNCTION int report_of_level(int code, [[maybe_unused]] const L& level) {
  if constexpr (requires { level.member; }) {
    return report<Call>(code, level.member);
  } else {
    return report<Call>(code, NoMember{});
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
