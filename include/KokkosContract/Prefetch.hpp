// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PREFETCH_HPP
#define KOKKOSCONTRACT_PREFETCH_HPP

#include <KokkosContract/Impl/Prefetch.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Asks for A to be brought into the cache of the core that runs the calling thread, and does not
/// wait: for a kernel that computes on one problem of a large batch, and will read A next. A core
/// has room for some 20 such requests, so ask for a few KB at a time, between the steps.
///
/// A is an input of any routine: a View, mdspan or Operand of any strides, in host memory. Nothing
/// is read or written, so that other threads may be writing A. Does nothing on a GPU, where other
/// warps compute while one waits, and where a compiler has no such request.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] const A& a) {
#if defined(__GNUC__)
  KOKKOS_IF_ON_HOST(
      (const auto operand = Impl::as_operand(a); Impl::for_each_line<0>(
           operand, operand.data(),
           [](const void* line) KOKKOSCONTRACT_INLINE_LAMBDA { __builtin_prefetch(line); });))
#endif
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
