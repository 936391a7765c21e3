// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILEPARTS_HPP
#define KOKKOSCONTRACT_TILEPARTS_HPP

#include <KokkosContract/TeamTile.hpp>
#include <KokkosContract/tile/GpuSlices.hpp>
#include <KokkosContract/tile/HostSlices.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Of>
using tile_slices_t =
    std::conditional_t<is_gpu<typename Of::Traits::Space> && Of::Traits::workers != Workers::serial,
                       GpuSlices<Of>, HostSlices<Of>>;

}  // namespace Impl

/// The parts of accumulate, one by one. They are for a kernel that computes an input, changes an
/// input between its copy and its product, or has its own pipeline. The object holds k-tiles
/// (slices) of the inputs of one product of a tile, of `depth` terms of the sum each. They are in
/// scratch memory for several steps.
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
/// Tile is a TeamTile, TeamVectorTile or SerialTile. S is the string of the product, whose output
/// has the tile's letters. A and B are the types of the inputs, whose static strides determine the
/// layout of slices. Computed stands for an input that fill writes. On a GPU one input has the
/// letters of the rows of the tile's blocks, and the other input those of the columns. Other
/// strings are a compile-time error here, but accumulate takes them. Stages is the number of steps
/// that are in memory at a time, 2 or more. Step s overwrites step s - Stages.
///
/// Launch: team_policy(exec, tiles, uses<Tile>(), uses<Slices>()). If the tile also accumulates,
/// uses<Tile, "...">(A, B) replaces uses<Tile>(). `scratch` is
/// member.team_scratch(Slices::scratch_level()). For a SerialTile it is thread_scratch, a Scratch,
/// or a View. The slices keep scratch_bytes() of it as long as the kernel runs, for any number of
/// sums in turn.
///
/// All workers of the tile call each function, with the same arguments. Inputs are in global memory
/// and do not change meanwhile; they may overlap each other.
///
/// info() and run return 0 or a negative code, the same in all workers. With a negative code
/// nothing was copied or added.
///
///     -1    the extents of a loader's input disagree
///     -3    there is too little scratch memory
///     -6    on a GPU: the team has another size
template <class Tile, Spec S, class A, class B, int Stages = 3>
class TileSlices : public Impl::SlicesOf<Tile>,
                   private Impl::tile_slices_t<Impl::SlicedProduct<Tile, S, A, B, Stages>> {
  using Of = Impl::SlicedProduct<Tile, S, A, B, Stages>;
  using Base = Impl::tile_slices_t<Of>;

 public:
  /// The extents of the summed letters, in the order of the string.
  using Sums = Kokkos::Array<int, Of::given.count>;

  /// The number of terms of a slice: 8 on a GPU.
  static constexpr int depth = Base::depth;
  static constexpr int stages = Stages;

  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION TileSlices(Tile& tile, const Scratch& scratch, const Sums& sums)
      : Base(tile, scratch, sums) {}

  KOKKOS_FUNCTION static constexpr int workers() { return Tile::workers(); }
  static constexpr std::size_t scratch_bytes() { return Base::scratch_bytes(); }
  KOKKOS_FUNCTION static constexpr int scratch_level() { return Base::scratch_level(); }

  /// Returns 0 or a negative code.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int info() const { return Base::info(); }
  /// Returns the number of steps of the sum. It is 0 if the tile is outside of the tensor.
  KOKKOS_FORCEINLINE_FUNCTION int steps() const { return Base::steps(); }

  /// Makes a loader: it copies slices of an operand of any strides as input number Input (0 or 1)
  /// of the string. start(step) starts the copy of a slice and does not wait. It copies 16 bytes
  /// per lane where strides allow it. Elements out of bounds become zero, or no one reads them.
  /// Consecutive steps are fastest; after the last step nothing is copied. The loader refers to the
  /// slices. Making a loader is a barrier, and another one for the same input replaces it.
  template <int Input, class X>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto loader(const X& x) {
    return Base::template loader<Input>(x);
  }

  /// Writes a slice of computed elements. f(indices...) is the element of input number Input with
  /// these indices in the whole tensor, in the order of the string's letters. It is called once for
  /// each element in bounds, by any worker. Elements out of bounds become zero.
  template <int Input, class F>
  KOKKOS_FORCEINLINE_FUNCTION void fill(int step, const F& f) {
    Base::template fill<Input>(step, f);
  }
  /// Calls f(value, indices...) for each element in bounds of a slice. value is a T&, which f may
  /// change. The slice must have arrived for all workers (wait). A barrier must follow before the
  /// slice is multiplied.
  template <int Input, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(int step, const F& f) {
    Base::template for_each<Input>(step, f);
  }

  /// Ends the group of copies that this worker has started since the last call: the group of a
  /// step.
  KOKKOS_FORCEINLINE_FUNCTION void end_group() const { Base::end_group(); }
  /// Waits until all groups but the last Stages - 2 have arrived for all workers. It contains a
  /// barrier of the team, so earlier work of all workers is visible, too.
  KOKKOS_FORCEINLINE_FUNCTION void wait() const { Base::wait(); }
  /// Waits for all groups. A kernel with its own pipeline calls it before it ends.
  KOKKOS_FORCEINLINE_FUNCTION void finish() const { Base::finish(); }

  /// Runs the pipeline. For each step it calls start(step), which starts copies or writes slices.
  /// As soon as these have arrived for all workers, it calls use(step). start runs Stages - 1 steps
  /// ahead, into a stage that all workers have used. Ends with a barrier. Returns info().
  template <class Start, class Use>
  KOKKOSCONTRACT_RETURNS_CODE KOKKOS_FORCEINLINE_FUNCTION int run(const Start& start,
                                                                  const Use& use) {
    return Base::run(start, use);
  }

  /// Adds alpha times the product of the slices of a step to the tile. On a GPU this is done in
  /// registers, by the machine's MMA instructions. No worker may write these slices meanwhile;
  /// other slices may be written.
  template <class Alpha>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Alpha& alpha, int step) {
    Base::multiply(alpha, step);
  }
};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
