// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_BLOCK_MAINLOOP_HPP
#define KOKKOSCONTRACT_BLOCK_MAINLOOP_HPP

// The main loop of a block's products, for one slice (k-tile). What a step needs is read while the
// previous step is multiplied. The caller provides the addresses of the slices: a tile finds them
// at run time, and a product of static extents at compile time.

#include <KokkosContract/block/Fragments.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The callbacks around the multiplications of a slice:
///
///     read(Number<s>, fragments)  reads what step s needs; after the last step, reads what the
///                                 first step of the next slice needs
///     change(fragments)           scales what has been read for a step of this slice
///     wait()                      waits until all workers have read this slice, and the next one
///                                 has arrived
///     start(Number<p>)            starts to copy chunk p of a later slice in place of this one
///     end()                       is called when the copies of all chunks have been started
template <class Read, class Change, class Wait, class Start, class End>
struct SliceCallbacks {
  Read read;
  Change change;
  Wait wait;
  Start start;
  End end;
};
template <class Read, class Change, class Wait, class Start, class End>
SliceCallbacks(Read, Change, Wait, Start, End) -> SliceCallbacks<Read, Change, Wait, Start, End>;

/// Adds the product of one slice to sums. `first` must already have the elements for the first
/// step. After the call, `first` has the elements for the first step of the next slice; after an
/// odd number of steps, `second` has them. The function starts `Pieces` copies. The last
/// `BlocksAtEnd` blocks of sums are multiplied after them.
template <class Product, int Pieces, int BlocksAtEnd = 0, class Sums, class Callbacks>
KOKKOS_FORCEINLINE_FUNCTION void multiply_slice(Sums& sums, typename Product::Fragments& first,
                                                typename Product::Fragments& second,
                                                const Callbacks& callbacks) {
  constexpr int steps = Product::steps;
  constexpr int blocks = Product::blocks;
  // All workers wait in the middle of the step before the last one (or of the only step), so that
  // multiplications remain after the barrier.
  constexpr int step_of_wait = steps > 1 ? steps - 2 : 0;
  unrolled<steps>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
    auto& now = s % 2 == 0 ? first : second;
    auto& then = s % 2 == 0 ? second : first;
    constexpr bool is_last = s + 1 == steps;
    constexpr int before_wait = s == step_of_wait ? blocks / 2 : 0;
    if constexpr (!is_last) callbacks.read(Number<s + 1>{}, then);
    Product::template multiply<0, before_wait, 0>(sums, now, Nothing{});
    if constexpr (s == step_of_wait) callbacks.wait();
    if constexpr (!is_last) {
      Product::template multiply<before_wait, blocks, 0>(sums, now, Nothing{});
      callbacks.change(then);
    } else {
      callbacks.read(Number<steps>{}, then);
      constexpr int end = blocks - BlocksAtEnd;
      Product::template multiply<before_wait, end, Pieces>(sums, now, callbacks.start);
      callbacks.end();
      Product::template multiply<end, blocks, 0>(sums, now, Nothing{});
    }
  });
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
