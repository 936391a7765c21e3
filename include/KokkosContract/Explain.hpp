// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_EXPLAIN_HPP
#define KOKKOSCONTRACT_EXPLAIN_HPP

#include <KokkosContract/host/ExplainTile.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Writes to `os`, in words, how `SerialContract<S>` on these operands (the inputs, then the
/// output) runs on the host: the class of each index, the loops after merging, the way that is
/// chosen (Way) and the register tile, the steps and their scratch for more than two inputs; then
/// flops, bytes that must move (each input read once, the output written once), the arithmetic
/// intensity, and which of the two bounds binds. Host only; the data is not looked at. Throws
/// std::invalid_argument, naming the letter and both extents, if two operands disagree.
///
///     explain<"ijk,kl->ijl">(std::cout, A, B, C);
///
/// Behind `os`, an execution space: how it runs there. Of a GPU, the way at each level.
///
///     explain<"ijk,kl->ijl">(std::cout, Kokkos::Cuda(), A, B, C);
template <Spec S, class... Operands>
  requires(sizeof...(Operands) > 0 && !(Impl::is_space<Operands> || ...))
std::ostream& explain(std::ostream& os, const Operands&... operands) {
  static_assert(sizeof...(Operands) == Impl::inputs_of<S> + 1,
                "KokkosContract: explain takes the inputs and the output");
  return Impl::explain_contraction<S, void>(os, operands...);
}
/// On an execution space: of a GPU, the way at each level.
template <Spec S, class Space, class... Operands>
  requires(Impl::is_space<Space>)
std::ostream& explain(std::ostream& os, const Space&, const Operands&... operands) {
  static_assert(sizeof...(Operands) == Impl::inputs_of<S> + 1,
                "KokkosContract: explain takes the inputs and the output");
  using Gpu = std::conditional_t<Impl::is_gpu<Space>, Space, void>;
  return Impl::explain_contraction<S, Gpu>(os, operands...);
}

/// Writes to `os`, in words, how a tile (TeamTile, TeamVectorTile, SerialTile) accumulates the
/// products of these strings in one call, with A and B of each: of a team of a GPU the order of the
/// products, in which layout each of them is (the letters of rows and columns of a matrix
/// instruction, blocks, waves), where elements change place, slices in flight and scratch memory;
/// of a tile in memory what is packed, and how other products go. Then flops, bytes (of each input
/// what the tile needs, and the tile once), the arithmetic intensity and the bound of a whole tile.
/// Without an execution space it is the tile's. Throws std::invalid_argument, naming the letter
/// and both extents, if operands disagree.
///
///     explain<Tile, "ik,kj->ij", "jm,mi->ij">(std::cout, A, B, D, E);
template <class Tile, Spec... Strings, class... Inputs>
  requires(Impl::BlockTile<Tile> && !(Impl::is_space<Inputs> || ...))
std::ostream& explain(std::ostream& os, const Inputs&... inputs) {
  static_assert(sizeof...(Strings) > 0, "KokkosContract: explain takes the strings of the tile");
  return Impl::explain_tile<Tile, typename Impl::tile_traits_t<Tile>::Space, Strings...>(os,
                                                                                         inputs...);
}
/// On an execution space.
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
