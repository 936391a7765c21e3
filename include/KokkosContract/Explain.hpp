// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_EXPLAIN_HPP
#define KOKKOSCONTRACT_EXPLAIN_HPP

#include <KokkosContract/host/ExplainTile.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Writes to `os`, in words, how `SerialContract<S>` runs on the host on these operands (the
/// inputs, then the output). The text names the class of each index, the loops after merging, the
/// algorithm (Way) and the register tile. For more than two inputs it lists the steps and their
/// scratch memory. Then it gives the flops, the bytes that must move, the arithmetic intensity, and
/// which of the two bounds binds. Each input counts as read once, and the output as written once.
/// Host only; the data are not read. Throws std::invalid_argument, naming the letter and both
/// extents, if two operands disagree.
///
///     explain<"ijk,kl->ijl">(std::cout, A, B, C);
///
/// An execution space after `os` asks how the call runs there. For a GPU the text names the
/// algorithm at each level, and for one or two inputs that of `contract` from the host.
///
///     explain<"ijk,kl->ijl">(std::cout, Kokkos::Cuda(), A, B, C);
template <Spec S, class... Operands>
  requires(sizeof...(Operands) > 0 && !(Impl::is_space<Operands> || ...))
std::ostream& explain(std::ostream& os, const Operands&... operands) {
  static_assert(sizeof...(Operands) == Impl::inputs_of<S> + 1,
                "KokkosContract: explain takes the inputs and the output");
  return Impl::explain_on_host<S>(os, operands...);
}
/// Explains the call on an execution space. For a GPU the text names the algorithm at each level,
/// and for one or two inputs that of `contract` from the host.
template <Spec S, class Space, class... Operands>
  requires(Impl::is_space<Space>)
std::ostream& explain(std::ostream& os, const Space& exec, const Operands&... operands) {
  static_assert(sizeof...(Operands) == Impl::inputs_of<S> + 1,
                "KokkosContract: explain takes the inputs and the output");
  return Impl::explain_contraction<S>(os, exec, operands...);
}

/// Writes to `os`, in words, how a tile (TeamTile, TeamVectorTile, SerialTile) accumulates the
/// products of these strings in one call. Each string has its inputs A and B. For a team of a GPU
/// the text has the order of the products and the layout of each. A layout is the letters of the
/// rows and columns of an MMA instruction, of blocks and of warps. It also says where relayouts
/// happen, how many stages there are, and how much scratch memory is taken. For a tile in memory it
/// says what is packed, and how other products run. Then it gives the flops, the bytes, the
/// arithmetic intensity and the bound of a whole tile. The bytes are the parts of each input that
/// the tile needs, and the tile once. Without an execution space the tile's own space is taken.
/// Throws std::invalid_argument, naming the letter and both extents, if operands disagree.
///
///     explain<Tile, "ik,kj->ij", "jm,mi->ij">(std::cout, A, B, D, E);
template <class Tile, Spec... Strings, class... Inputs>
  requires(Impl::BlockTile<Tile> && !(Impl::is_space<Inputs> || ...))
std::ostream& explain(std::ostream& os, const Inputs&... inputs) {
  static_assert(sizeof...(Strings) > 0, "KokkosContract: explain takes the strings of the tile");
  return Impl::explain_tile<Tile, typename Impl::tile_traits_t<Tile>::Space, Strings...>(os,
                                                                                         inputs...);
}
/// Explains the products of a tile on an execution space.
///
///     explain<Tile, "ik,kj->ij">(std::cout, Kokkos::Cuda(), A, B);
template <class Tile, Spec... Strings, class Space, class... Inputs>
  requires(Impl::BlockTile<Tile> && Impl::is_space<Space>)
std::ostream& explain(std::ostream& os, const Space&, const Inputs&... inputs) {
  static_assert(sizeof...(Strings) > 0, "KokkosContract: explain takes the strings of the tile");
  return Impl::explain_tile<Tile, Space, Strings...>(os, inputs...);
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
