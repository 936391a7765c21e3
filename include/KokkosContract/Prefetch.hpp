// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PREFETCH_HPP
#define KOKKOSCONTRACT_PREFETCH_HPP

#include <KokkosContract/operand/Prefetch.hpp>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Requests A for the cache of the core that runs the calling thread, and does not wait. It is for
/// a kernel that computes on one problem of a large batch and will read A next. A core has room for
/// some 20 such requests, so prefetch a few KB at a time, between the steps.
///
/// A is an input of any routine: a View, mdspan or Operand of any strides. It may also be a pointer
/// to one element (a number or a Pack), for a functor that is called for each of many. CacheLevel
/// is 1, or 2 if two problems do not fit into L1 together. Nothing is read or written, so other
/// threads may be writing A. The function does nothing if the compiler has no such request.
///
/// On a GPU other warps compute while one waits, so a whole operand is not requested there. An
/// element in global memory is brought into L2, which all SMs share. Data that a whole team reads
/// late can be requested by prefetch<2>(team, A).
template <int CacheLevel = 1, class A>
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] const A& a) {
  static_assert(CacheLevel == 1 || CacheLevel == 2,
                "KokkosContract: prefetch brings data into the cache of level 1 or 2");
  [[maybe_unused]] const auto ask = [](const void* line) KOKKOSCONTRACT_INLINE_LAMBDA {
    Impl::LocalMachine::template prefetch<CacheLevel>(line);
  };
  if constexpr (std::is_pointer_v<A>) {
    Impl::for_each_line_of(a, sizeof(*a), ask);
  } else if constexpr (!Impl::is_device_code()) {
    Impl::for_each_line(Impl::as_operand(a), ask);
  }
}

/// A team requests A for the L2 cache, and does not wait. It is for data that the team reads late,
/// or for those of its next problem. All threads and lanes of the team call it.
///
/// On a GPU the team shares the work. From compute capability 9.0 on, one instruction requests all
/// elements that follow each other. On a host each thread requests A for the core that runs it. A
/// is an input of any routine: a View, mdspan or Operand of any strides. On a GPU nothing happens
/// if it is not in global memory.
template <int CacheLevel, class Member, class A>
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] const Member& team, const A& a) {
  static_assert(CacheLevel == 2, "KokkosContract: a team has no cache but that of level 2");
  const auto level = Impl::team_vector_level(team);
  if constexpr (Impl::runs_on_gpu<decltype(level)>()) {
    Impl::prefetch_by(level, Impl::as_operand(a));
  } else {
    prefetch<CacheLevel>(a);
  }
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
