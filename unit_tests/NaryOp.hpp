// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions that need scratch memory, as operations of the tests.
#pragma once

#include "ContractOp.hpp"

namespace KokkosContract::Test {

// A host team has 32 KiB of scratch of level 0 for all its threads.
inline constexpr std::size_t enough = 7424;

/// The space in which kernels of a level run. It differs from the space of their memory if a host
/// emulates a GPU.
template <class Level>
struct KernelSpace {
  using type = typename Level::space;
};
template <class Level>
  requires requires { typename Level::kernel_space; }
struct KernelSpace<Level> {
  using type = typename Level::kernel_space;
};

/// A View for these kernels.
template <class Level, class Data, class Layout = Kokkos::LayoutRight>
using of_kernel_t = Kokkos::View<
    Data, Layout,
    Kokkos::Device<typename KernelSpace<Level>::type, typename Level::space::memory_space>,
    Unmanaged>;

template <class Level>
ScratchBytes scratch_for(std::size_t bytes) {
  if (std::is_same_v<Level, Vector>) return {0, bytes};
  return {bytes, 0};
}

/// The call with the scratch memory of each level.
template <Spec S>
struct NaryOp {
  template <class... Args>
  KOKKOS_FUNCTION static int call(const SerialCaller&, const Args&... args) {
    alignas(64) char memory[enough];
    return SerialContract<S>::invoke(KokkosContract::Scratch{memory, sizeof(memory)}, args...);
  }
  template <class Member, class... Args>
  KOKKOS_FUNCTION static int call(const VectorCaller<Member>& caller, const Args&... args) {
    return VectorContract<S>::invoke(caller.member, caller.member.thread_scratch(0), args...);
  }
  template <class Member, class... Args>
  KOKKOS_FUNCTION static int call(const TeamCaller<Member>& caller, const Args&... args) {
    return TeamContract<S>::invoke(caller.member, caller.member.team_scratch(0), args...);
  }
  template <class Member, class... Args>
  KOKKOS_FUNCTION static int call(const TeamVectorCaller<Member>& caller, const Args&... args) {
    return TeamVectorContract<S>::invoke(caller.member, caller.member.team_scratch(0), args...);
  }
  template <class... Args>
  static int call(const ThreadLevel& level, const Args&... args) {
    auto& memory = level.scratch();
    return KokkosContract::Impl::ContractRoutine<S>::run(
        level, KokkosContract::Scratch{memory.data(), memory.size()}, args...);
  }
};

/// A matrix of static extents as a Tile in the functor.
template <class M>
KOKKOS_FUNCTION auto tile_of(const M& matrix) {
  constexpr auto shape = KokkosContract::Impl::operand_t<M>::shape;
  Tile<std::remove_const_t<typename M::value_type>, shape.extent[0], shape.extent[1]> tile;
  for (int i = 0; i < shape.extent[0]; ++i) {
    for (int k = 0; k < shape.extent[1]; ++k) tile(i, k) = matrix(i, k);
  }
  return tile;
}

/// Stands between operands, and multiplies by data at each point.
template <class D>
struct TimesData {
  D d;
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& value, int e, int x, int y) const {
    return value * d(e, x, y);
  }
};

}  // namespace KokkosContract::Test
