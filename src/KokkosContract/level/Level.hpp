// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LEVEL_LEVEL_HPP
#define KOKKOSCONTRACT_LEVEL_LEVEL_HPP

// A level is a set of workers that work together. It has the number of workers (size), the number
// of this worker (rank), and a barrier, after which workers see each other's writes. A level with a
// static_size is known to the compiler; a single worker needs no barrier. A collective level also
// has these functions, each of which is a barrier:
//
//     any(x)                whether x holds for any worker, or for other teams that come to the
//                           same barriers: all get one answer, so that barriers may depend on it
//     broadcast(x, source)  the x of worker `source`
//     reduce(x, join)       the x of all workers, joined: join(x, y) is associative
//
// No other file of the library knows a Kokkos team.

#include <KokkosContract/core/Digits.hpp>
#include <KokkosContract/level/Together.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class L>
concept Level = requires(const L& level) {
  { level.size() } -> std::convertible_to<int>;
  { level.rank() } -> std::convertible_to<int>;
  level.barrier();
};

template <class L>
concept Collective = Level<L> && requires(const L& level) {
  { level.any(true) } -> std::same_as<bool>;
  { level.broadcast(0, 0) } -> std::same_as<int>;
  { level.reduce(0, Lesser{}) } -> std::same_as<int>;
};

enum class Workers { serial, vector, team, team_vector };

/// One thread alone.
struct SerialLevel {
  static constexpr int static_size = 1;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int size() { return 1; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int rank() { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr void barrier() {}
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool any(bool x) { return x; }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr T broadcast(const T& x, int) {
    return x;
  }
  template <class T, class Join>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr T reduce(const T& x, const Join&) {
    return x;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool agree(unsigned long long) { return true; }
};

/// One thread that runs only the products that plan number Plan for small products covers; -1:
/// none.
template <int Plan>
struct SmallLevel : SerialLevel {
  static constexpr int small_plan = Plan;
};

template <Level L>
consteval bool is_single_worker() {
  if constexpr (requires { L::static_size; }) {
    return L::static_size == 1;
  } else {
    return false;
  }
}

/// Common part of all workers of a team. OfLane: each vector lane is a worker of a team with its
/// own problem.
template <TeamMember Member, bool OfLane>
struct WholeTeam {
  using Space = typename Member::execution_space;
  const Member& member;
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {
    if constexpr (is_host<Space>) {
      if (member.team_size() == 1) return;
    }
    member.team_barrier();
  }
  KOKKOS_FORCEINLINE_FUNCTION bool any(bool x) const { return any_of_team(member, x); }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T broadcast(const T& x, int source) const {
    return broadcast_of_team<OfLane>(member, x, source);
  }
  template <class T, class Join>
  KOKKOS_FORCEINLINE_FUNCTION T reduce(const T& x, const Join& join) const {
    return reduce_team<OfLane>(member, x, join);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool agree(unsigned long long x) const {
    return broadcast(x, 0) == x;
  }
};

/// The threads of a team.
template <TeamMember Member>
struct TeamLevel : WholeTeam<Member, true> {
  KOKKOS_FORCEINLINE_FUNCTION int size() const { return this->member.team_size(); }
  KOKKOS_FORCEINLINE_FUNCTION int rank() const { return this->member.team_rank(); }
};

/// The vector lanes of one team thread of a GPU: a power-of-two part of a warp.
template <class GpuSpace>
struct VectorLevel {
  using Space = GpuSpace;
  using M = machine_of_t<Space>;
  KOKKOS_FORCEINLINE_FUNCTION static int size() { return M::lanes_of_thread(); }
  KOKKOS_FORCEINLINE_FUNCTION static int rank() { return M::lane_of_thread(); }
  KOKKOS_FORCEINLINE_FUNCTION static void barrier() { M::warp_barrier(lane_mask()); }
  KOKKOS_FORCEINLINE_FUNCTION static bool any(bool x) {
    barrier();
    return M::any_of(lane_mask(), x);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T broadcast(const T& x, int source) {
    barrier();
    return told_by_lane<M>(lane_mask(), x, M::first_lane_of_thread() + source);
  }
  template <class T, class Join>
  KOKKOS_FORCEINLINE_FUNCTION static T reduce(const T& x, const Join& join) {
    barrier();
    const int first = M::first_lane_of_thread();
    return join_lanes<M>(lane_mask(), first, 1, first + size(), x, join);
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool agree(unsigned long long) { return true; }

 private:
  /// This thread's lanes among those of its warp.
  KOKKOS_FORCEINLINE_FUNCTION static typename M::LaneMask lane_mask() {
    return first_lanes<M>(M::lanes_of_thread()) << M::first_lane_of_thread();
  }
};

/// All threads x lanes of a team of a GPU: a block.
template <TeamMember Member>
struct TeamVectorLevel : WholeTeam<Member, false> {
  using M = machine_of_t<typename Member::execution_space>;
  KOKKOS_FORCEINLINE_FUNCTION int size() const {
    return this->member.team_size() * M::lanes_of_thread();
  }
  KOKKOS_FORCEINLINE_FUNCTION int rank() const {
    return this->member.team_rank() * M::lanes_of_thread() + M::lane_of_thread();
  }
};

/// The workers of a level, with another type.
template <class L>
struct SameWorkers {
  const L& level;
  KOKKOS_FORCEINLINE_FUNCTION int size() const { return level.size(); }
  KOKKOS_FORCEINLINE_FUNCTION int rank() const { return level.rank(); }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { level.barrier(); }
  KOKKOS_FORCEINLINE_FUNCTION bool any(bool x) const
    requires Collective<L>
  {
    return level.any(x);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T broadcast(const T& x, int source) const {
    return level.broadcast(x, source);
  }
  template <class T, class Join>
  KOKKOS_FORCEINLINE_FUNCTION T reduce(const T& x, const Join& join) const {
    return level.reduce(x, join);
  }
};

/// The workers of a level, without any other property. Code for warps, or for the memory of a
/// block, is not for them. Code for them takes few registers.
template <class L>
struct PlainLevel : SameWorkers<L> {};
template <class L>
inline constexpr bool is_plain = false;
template <class L>
inline constexpr bool is_plain<PlainLevel<L>> = true;

/// The workers of a level for a product whose inputs are not worth a copy.
template <class L>
struct InPlaceLevel : SameWorkers<L> {};

/// Whether the workers of a level are, or may be, lanes of warps.
template <class L>
inline constexpr bool has_warps = false;
template <class L>
inline constexpr bool has_warps<InPlaceLevel<L>> = has_warps<L>;
template <class Space>
inline constexpr bool has_warps<VectorLevel<Space>> = true;
template <TeamMember Member>
inline constexpr bool has_warps<TeamVectorLevel<Member>> = true;
template <TeamMember Member>
inline constexpr bool has_warps<TeamLevel<Member>> = is_gpu<typename Member::execution_space>;

/// Whether the workers of a level are the lanes of one team thread.
template <class L>
inline constexpr bool is_of_thread = false;
template <class L>
inline constexpr bool is_of_thread<InPlaceLevel<L>> = is_of_thread<L>;
template <class Space>
inline constexpr bool is_of_thread<VectorLevel<Space>> = true;

/// Whether x holds for any of the teams that come to the same barriers. All workers of a level have
/// the same x for their problems. If threads of a GPU have lanes, each lane is a team of its own at
/// Team level. Later code, with barriers, may depend on the result.
template <Level L>
KOKKOS_FORCEINLINE_FUNCTION bool for_any_team(const L&, bool x) {
  return x;
}
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION bool for_any_team(const TeamLevel<Member>& level, bool x) {
  if constexpr (is_gpu<typename Member::execution_space>) {
    if (machine_of_t<typename Member::execution_space>::lanes_of_thread() > 1) return level.any(x);
  }
  return x;
}
template <class L>
KOKKOS_FORCEINLINE_FUNCTION bool for_any_team(const PlainLevel<L>& plain, bool x) {
  return for_any_team(plain.level, x);
}

/// The execution space of the workers of a level, or void if it is not known.
template <class L>
struct SpaceOfLevel {
  using type = void;
};
template <class L>
  requires requires { typename L::Space; }
struct SpaceOfLevel<L> {
  using type = typename L::Space;
};
template <class L>
struct SpaceOfLevel<PlainLevel<L>> : SpaceOfLevel<L> {};
template <class L>
struct SpaceOfLevel<InPlaceLevel<L>> : SpaceOfLevel<L> {};
/// The machine of the workers, or void if they are not on a GPU.
template <class L>
using level_machine_t = machine_of_t<typename SpaceOfLevel<L>::type>;

/// The MMA instruction for products of X and Y with sums in Acc.
template <class L, class Acc, class X, class Y, Accuracy A>
struct AtomOfLevel {
  using type = NoAtom;
};
template <class L, class Acc, class X, class Y, Accuracy A>
  requires(!std::is_void_v<level_machine_t<L>>)
struct AtomOfLevel<L, Acc, X, Y, A> {
  using type = atom_for<level_machine_t<L>, Acc, X, Y, A>;
};
template <class L, class Acc, class X, class Y, Accuracy A = Accuracy::full>
using level_atom_t = typename AtomOfLevel<L, Acc, X, Y, A>::type;

/// Whether a host emulates the GPU of the workers.
template <class L>
inline constexpr bool is_emulated_level = is_emulated<typename SpaceOfLevel<L>::type>;

/// Whether code for this level is compiled for a GPU. The type of one thread alone does not show
/// it.
template <class L>
consteval bool runs_on_gpu() {
  return is_device_code() || is_emulated_level<L>;
}

template <class Member>
KOKKOS_FORCEINLINE_FUNCTION auto team_level(const Member& member) {
  static_assert(TeamMember<Member>,
                "KokkosContract: the first argument must be the member of a Kokkos::TeamPolicy");
  return TeamLevel<Member>{member};
}

// On the host a team thread has no lanes of its own: its Vector level is Serial, and TeamVector is
// Team.
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION auto vector_level([[maybe_unused]] const Member& member) {
  static_assert(TeamMember<Member>,
                "KokkosContract: the first argument must be the member of a Kokkos::TeamPolicy");
  using Space = typename Member::execution_space;
  static_assert(is_host<Space> || is_gpu<Space>,
                "KokkosContract: this execution space is not supported");
  if constexpr (is_host<Space>) {
    return SerialLevel{};
  } else {
    return VectorLevel<Space>{};
  }
}

template <class Member>
KOKKOS_FORCEINLINE_FUNCTION auto team_vector_level(const Member& member) {
  static_assert(TeamMember<Member>,
                "KokkosContract: the first argument must be the member of a Kokkos::TeamPolicy");
  using Space = typename Member::execution_space;
  static_assert(is_host<Space> || is_gpu<Space>,
                "KokkosContract: this execution space is not supported");
  if constexpr (is_host<Space>) {
    return TeamLevel<Member>{member};
  } else {
    return TeamVectorLevel<Member>{member};
  }
}

/// Calls f(i) for each i of [0, n) once, on one worker. A host worker takes a contiguous part. On a
/// GPU neighbours take neighbouring items, so that their memory accesses coalesce. No barrier.
template <Level L, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each(const L& level, std::ptrdiff_t n, const F& f) {
  if constexpr (is_single_worker<L>()) {
    for (std::ptrdiff_t i = 0; i < n; ++i) f(i);
  } else if constexpr (runs_on_gpu<L>()) {
    for (std::ptrdiff_t i = level.rank(); i < n; i += level.size()) f(i);
  } else {
    const std::ptrdiff_t end = n * (level.rank() + 1) / level.size();
    for (std::ptrdiff_t i = n * level.rank() / level.size(); i < end; ++i) f(i);
  }
}

/// Calls f(i, j) for each i < outer and j < inner, distributed as in for_each.
template <Level L, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_pair(const L& level, int outer, int inner, const F& f) {
  for_each(level, static_cast<std::ptrdiff_t>(outer) * inner,
           [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
             const auto j = static_cast<int>(take_digit(t, inner));
             f(static_cast<int>(t), j);
           });
}

/// The number of the worker with the least key, among the workers with a number other than 0. It is
/// 0 if there is none. Keys are not negative.
template <Collective L>
KOKKOS_FORCEINLINE_FUNCTION int first_nonzero(const L& level, int key, int number) {
  const std::uint64_t none = ~std::uint64_t{0};
  const std::uint64_t mine =
      static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint32_t>(number);
  const std::uint64_t first = level.reduce(number == 0 ? none : mine, Lesser{});
  return first == none ? 0 : static_cast<int>(static_cast<std::uint32_t>(first));
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
