// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_WARPLOOP_HPP
#define KOKKOSCONTRACT_PRODUCT_WARPLOOP_HPP

// The main loop of a warp's products by MMA instructions (atoms). A warp has blocks of tiles in its
// registers, and each tile is the sums of an atom. The loop reads fragments of the inputs from
// their own memory to registers, and multiplies them. The caller provides the elements, and what
// happens to the sums before and after. A contraction (Warp.hpp) and the updates of LU
// (dense/BlockLU.hpp) are such callers.

#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/machine/Atom.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The warps of a level, if it consists of whole warps.
struct Warps {
  int index;
  int count;
};
template <class Space>
KOKKOS_FORCEINLINE_FUNCTION Warps warps_of(const VectorLevel<Space>& level) {
  return {0, level.size() == machine_of_t<Space>::warp_size ? 1 : 0};
}
template <Level L>
KOKKOS_FORCEINLINE_FUNCTION Warps warps_of_block(const L& level) {
  constexpr int warp_size = level_machine_t<L>::warp_size;
  return {level.rank() / warp_size, level.size() % warp_size == 0 ? level.size() / warp_size : 0};
}
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION Warps warps_of(const TeamVectorLevel<Member>& level) {
  return warps_of_block(level);
}
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION Warps warps_of(const TeamLevel<Member>& level) {
  // With vector lanes, each lane is a team with a problem of its own.
  using M = level_machine_t<TeamLevel<Member>>;
  return M::lanes_of_thread() > 1 ? Warps{0, 0} : warps_of_block(level);
}

template <class L>
KOKKOS_FORCEINLINE_FUNCTION Warps warps_of(const InPlaceLevel<L>& in_place) {
  return warps_of(in_place.level);
}

/// The columns of Y are numbered so that columns that are adjacent in a lane's part of the atom are
/// apart. Lanes that store neighbouring columns then fill sectors of memory.
template <class Atom>
KOKKOS_FORCEINLINE_FUNCTION constexpr int column_of_tile(int col_of_atom) {
  constexpr int each = cols_of_lane<Atom>();
  return col_of_atom % each * (Atom::n / each) + col_of_atom / each;
}

/// The rows, columns and terms of an atom that a lane has in its registers.
template <class Atom>
struct AtomLane {
  int lane;

  KOKKOS_FORCEINLINE_FUNCTION int x_row(int r) const { return Atom::x_at(lane, r).row; }
  KOKKOS_FORCEINLINE_FUNCTION int x_term(int r) const { return Atom::x_at(lane, r).col; }
  KOKKOS_FORCEINLINE_FUNCTION int y_col(int r) const {
    return column_of_tile<Atom>(Atom::y_at(lane, r).col);
  }
  KOKKOS_FORCEINLINE_FUNCTION int y_term(int r) const { return Atom::y_at(lane, r).row; }
  KOKKOS_FORCEINLINE_FUNCTION int sum_row(int r) const { return Atom::sum_at(lane, r).row; }
  KOKKOS_FORCEINLINE_FUNCTION int sum_col(int r) const {
    return column_of_tile<Atom>(Atom::sum_at(lane, r).col);
  }
};

/// What a warp has in its registers.
struct WarpShape {
  int blocks = 1;  ///< blocks that are multiplied together
  int height = 1;  ///< tiles of a block
  int width = 1;
  int chunk = 1;             ///< rounds whose fragments are in flight at a time
  int steps = 1;             ///< steps of the atom whose fragments are read together, in a round
  bool is_unrolled = false;  ///< whether the number of rounds is known at compile time
};

/// The elements of a main loop. terms(round) returns what the lane needs to know about the terms of
/// a round. load_x(x, terms, block, i) reads the fragments of row i of tiles of a block, for each
/// step of the round; load_y reads those of a column of tiles, or load_ys those of all columns of
/// tiles. Elements out of bounds are zero.
template <class E, class Atom, int Steps, int Width>
concept WarpElements = requires(const E& elements, typename Atom::X (&x)[Steps][Atom::x_each],
                                typename Atom::Y (&y)[Width][Steps][Atom::y_each], int n) {
  elements.load_x(x, elements.terms(n), n, n);
  requires requires { elements.load_y(y[0], elements.terms(n), n, n); } ||
               requires { elements.load_ys(y, elements.terms(n), n); };
};

template <class Machine, class Atom, WarpShape S>
struct WarpLoop {
  using Sums = typename Atom::Acc[S.blocks][S.height][S.width][Atom::sum_each];

  /// Adds the products of all rounds to the sums.
  template <WarpElements<Atom, S.steps, S.width> Elements>
  static KOKKOS_FORCEINLINE_FUNCTION void add(Sums& sums, const Elements& elements, int rounds) {
    if constexpr (S.is_unrolled) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int first = 0; first < rounds; first += S.chunk) {
        add_chunk(sums, elements, first, rounds);
      }
    } else {
      KOKKOSCONTRACT_NO_UNROLL
      for (int first = 0; first < rounds; first += S.chunk) {
        add_chunk(sums, elements, first, rounds);
      }
    }
  }

 private:
  /// The fragments of a round.
  struct Fragments {
    typename Atom::X x[S.blocks][S.height][S.steps][Atom::x_each];
    typename Atom::Y y[S.blocks][S.width][S.steps][Atom::y_each];
  };

  /// Reads the fragments of a chunk, and then multiplies them. A chunk of a loop that is not
  /// unrolled is always full, because the terms behind the last one are zero.
  template <class Elements>
  static KOKKOS_FORCEINLINE_FUNCTION void add_chunk(Sums& sums, const Elements& elements, int first,
                                                    int rounds) {
    Fragments fragments[S.chunk];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int s = 0; s < S.chunk && (!S.is_unrolled || first + s < rounds); ++s) {
      load(fragments[s], elements, first + s);
    }
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int s = 0; s < S.chunk && (!S.is_unrolled || first + s < rounds); ++s) {
      multiply(sums, fragments[s]);
    }
  }

  template <class Elements>
  static KOKKOS_FORCEINLINE_FUNCTION void load(Fragments& fragments, const Elements& elements,
                                               int round) {
    const auto terms = elements.terms(round);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int b = 0; b < S.blocks; ++b) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = 0; i < S.height; ++i) elements.load_x(fragments.x[b][i], terms, b, i);
      if constexpr (requires { elements.load_ys(fragments.y[b], terms, b); }) {
        elements.load_ys(fragments.y[b], terms, b);
      } else {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int j = 0; j < S.width; ++j) elements.load_y(fragments.y[b][j], terms, b, j);
      }
    }
  }

  static KOKKOS_FORCEINLINE_FUNCTION void multiply(Sums& sums, const Fragments& fragments) {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int s = 0; s < S.steps; ++s) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int b = 0; b < S.blocks; ++b) {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int i = 0; i < S.height; ++i) {
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int j = 0; j < S.width; ++j) {
            multiply_add<Machine>(Atom{}, sums[b][i][j], fragments.x[b][i][s],
                                  fragments.y[b][j][s]);
          }
        }
      }
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
