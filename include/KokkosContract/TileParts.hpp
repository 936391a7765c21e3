// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILEPARTS_HPP
#define KOKKOSCONTRACT_TILEPARTS_HPP

#include <KokkosContract/TeamTile.hpp>
#include <KokkosContract/product/HostSlices.hpp>
#include <KokkosContract/tile/GpuSlices.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Of>
using tile_slices_t =
    std::conditional_t<is_gpu<typename Of::Traits::Space> && Of::Traits::workers != Workers::serial,
                       GpuSlices<Of>, HostSlices<Of>>;

}  // namespace Impl

/// The parts of accumulate, one by one, for a kernel that makes an input on the fly, changes it
/// between its copy and its product, or has a pipeline of its own: slices of the inputs of one
/// product of a tile, of `depth` terms of the sum each, in scratch memory for several steps.
///
///     using Tile = TeamTile<double, "ij", Shape<64, 32>>;
///     using Slices = TileSlices<Tile, "ik,kj->ij", Array<double**>, Computed>;
///     Tile t(member, member.team_scratch(Tile::scratch_level()), {i, j}, {n, m});
///     Slices slices(t, member.team_scratch(Slices::scratch_level()), {terms});
///     auto a = slices.loader<0>(A);
///     const int code = slices.run(
///         [&](int step) {
///           a.start(step);
///           slices.fill<1>(step, [&](int k, int j) { return f(k, j); });
///         },
///         [&](int step) { slices.multiply(1.0, step); });
///     t.store(1.0, 0.0, C);
///
/// Tile: a TeamTile, TeamVectorTile or SerialTile. S: the string of the product, whose output has
/// the tile's letters. A, B: the types of the inputs, whose static strides say how slices are laid
/// out; Computed for one that fill writes. On a GPU one input has the letters of the rows of the
/// tile's blocks and the other those of the columns, which is a compile-time error else (accumulate
/// takes such strings, too). Stages: steps that are in memory at a time, 2 or more; step s has the
/// place of step s - Stages.
///
/// The launch is team_policy(exec, tiles, uses<Tile>(), uses<Slices>()), with uses<Tile, "...">(A,
/// B) instead where the tile accumulates besides. Slices keep scratch_bytes() of `scratch`, which
/// is member.team_scratch(Slices::scratch_level()) (of a SerialTile thread_scratch, a Scratch, or a
/// View), as long as the kernel runs, for any number of sums one behind the other.
///
/// All workers of the tile call each function, with the same arguments. Inputs are in global
/// memory and do not change meanwhile; they may overlap each other.
///
/// Returns: info() and run are 0, or a negative code, the same in all workers: -1 if the extents of
/// a loader's input disagree, -3 if there is too little scratch memory, and on a GPU -6 if the team
/// has another size. Nothing is copied or added then.
template <class Tile, Spec S, class A, class B, int Stages = 3>
class TileSlices : public Impl::SlicesOf<Tile>,
                   private Impl::tile_slices_t<Impl::SlicedProduct<Tile, S, A, B, Stages>> {
  using Of = Impl::SlicedProduct<Tile, S, A, B, Stages>;
  using Base = Impl::tile_slices_t<Of>;

 public:
  /// Extents of the letters that are summed, in the order in which the string has them.
  using Sums = Kokkos::Array<int, Of::given.count>;

  /// Terms of a slice: 8 on a GPU.
  static constexpr int depth = Base::depth;
  static constexpr int stages = Stages;

  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION TileSlices(Tile& tile, const Scratch& scratch, const Sums& sums)
      : Base(tile, scratch, sums) {}

  KOKKOS_FUNCTION static constexpr int workers() { return Tile::workers(); }
  static constexpr std::size_t scratch_bytes() { return Base::scratch_bytes(); }
  KOKKOS_FUNCTION static constexpr int scratch_level() { return Base::scratch_level(); }

  /// 0 or a negative code.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int info() const { return Base::info(); }
  /// Steps of the sum; 0 where the tile is outside of the tensor.
  KOKKOS_FORCEINLINE_FUNCTION int steps() const { return Base::steps(); }

  /// What copies slices of an operand of any strides, as the Input-th (0 or 1) one of the string:
  /// start(step) starts the copy of a slice, where strides allow it by 16 bytes a lane, without
  /// waiting. What is not there becomes zero, or nobody sees it. Steps one behind the other are
  /// quickest; beyond the last one nothing is copied. The loader refers to the slices. Making one
  /// is a barrier; another one for the same input takes its place.
  template <int Input, class X>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto loader(const X& x) {
    return Base::template loader<Input>(x);
  }

  /// Writes a slice by hand: f(indices...) is the element of the Input-th input with these indices
  /// in the whole tensor, as the string has its letters; called once for each that is there, by any
  /// worker. What is not there becomes zero.
  template <int Input, class F>
  KOKKOS_FORCEINLINE_FUNCTION void fill(int step, const F& f) {
    Base::template fill<Input>(step, f);
  }
  /// f(value, indices...) for each element of a slice that is there, which it may change: a T&. It
  /// has arrived for all workers (wait); before it is multiplied, they meet at a barrier.
  template <int Input, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(int step, const F& f) {
    Base::template for_each<Input>(step, f);
  }

  /// Ends the group of what this worker has started to copy since the last call: that of a step.
  KOKKOS_FORCEINLINE_FUNCTION void end_group() const { Base::end_group(); }
  /// Waits until all groups but the last Stages - 2 ones have arrived, for all workers: with a
  /// barrier of the team, behind which everybody has also done what came before.
  KOKKOS_FORCEINLINE_FUNCTION void wait() const { Base::wait(); }
  /// The same for all groups: before a kernel ends that has a pipeline of its own.
  KOKKOS_FORCEINLINE_FUNCTION void finish() const { Base::finish(); }

  /// The pipeline: for each step start(step), which starts copies or writes slices, and then, as
  /// soon as these have arrived for all workers, use(step). Slices are started Stages - 1 steps
  /// ahead, into a stage that everybody has used. Ends with a barrier. Returns info().
  template <class Start, class Use>
  KOKKOSCONTRACT_RETURNS_CODE KOKKOS_FORCEINLINE_FUNCTION int run(const Start& start,
                                                                  const Use& use) {
    return Base::run(start, use);
  }

  /// Adds alpha times the product of the slices of a step to the tile, on a GPU in registers by the
  /// machine's matrix instructions. Nobody writes these slices meanwhile; other ones may be.
  template <class Alpha>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Alpha& alpha, int step) {
    Base::multiply(alpha, step);
  }
};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
