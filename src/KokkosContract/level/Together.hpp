// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LEVEL_TOGETHER_HPP
#define KOKKOSCONTRACT_LEVEL_TOGETHER_HPP

// What the workers of a team tell each other: whether something holds for any of them, what one of
// them has, and what all have, joined. All of them call these, which are barriers, too. They are
// for what happens rarely: a number goes from lane to lane and from warp to warp, one after the
// other, so that the order is the same for all and sums are, too.
//
// In a call at Team level of a thread with vector lanes each lane is of a team of its own, with the
// same lane of the other threads: `OfLane`. Where a block is several teams, each is a part of a
// warp.

#include <KokkosContract/machine/Device.hpp>
#include <concepts>
#include <cstdint>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class M>
concept TeamMember = requires(const M& member) {
  typename M::execution_space;
  { member.team_rank() } -> std::convertible_to<int>;
  { member.team_size() } -> std::convertible_to<int>;
  { member.league_rank() } -> std::convertible_to<int>;
  member.team_barrier();
};

/// The lesser of two, as a join.
struct Lesser {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION constexpr T operator()(const T& x, const T& y) const {
    return x < y ? x : y;
  }
};

/// `count` lanes of a warp from lane `first` on.
KOKKOS_FORCEINLINE_FUNCTION LaneMask mask_of_lanes(int first, int count) {
  return (count >= warp_size ? ~0U : (1U << count) - 1U) << first;
}

/// What lanes first, first + apart, ... before `end` have of x, joined. All lanes of `mask` call
/// it, each of them with as many lanes.
template <class T, class Join>
KOKKOS_FORCEINLINE_FUNCTION T join_lanes(LaneMask mask, int first, int apart, int end, const T& x,
                                         const Join& join) {
  T result = shuffle(mask, x, first);
  KOKKOSCONTRACT_NO_UNROLL
  for (int lane = first + apart; lane < end; lane += apart) {
    result = join(result, shuffle(mask, x, lane));
  }
  return result;
}

/// The lanes of a GPU's team, and those of them in this warp.
struct LanesOfTeam {
  int count;    ///< lanes of the team
  int first;    ///< of the team in this warp
  int in_warp;  ///< so many from there on

  KOKKOS_FORCEINLINE_FUNCTION LanesOfTeam()
      : count(threads_of_block() * lanes_of_thread()), first(first_lane_of_team()) {
    const int left = count - thread_of_block() * lanes_of_thread() / warp_size * warp_size;
    in_warp = left < warp_size ? left : warp_size;
  }
  KOKKOS_FORCEINLINE_FUNCTION LaneMask mask() const { return mask_of_lanes(first, in_warp); }
};

/// A word of the block for each team that its lanes are of.
struct ToldWords;
template <bool OfLane, class T>
KOKKOS_FORCEINLINE_FUNCTION T& told_word() {
  static_assert(sizeof(T) <= 8);
  char* const words = block_memory<ToldWords, 8 * warp_size>();
  return *reinterpret_cast<T*>(words + (OfLane ? 8 * lane_of_thread() : 0));
}

/// The x of worker `source`: of a thread, or (OfLane = false) of one of all lanes.
template <bool OfLane, class T>
KOKKOSCONTRACT_RARE_FUNCTION T broadcast_of_lanes(const T x, int source) {
  const LanesOfTeam team;
  const int lanes = lanes_of_thread();
  if (team.count <= warp_size) {
    warp_barrier(team.mask());
    const int lane = OfLane ? source * lanes + lane_of_thread() : source;
    return shuffle(team.mask(), x, team.first + lane);
  }
  T& word = told_word<OfLane, T>();
  const int rank = OfLane ? thread_of_block() : thread_of_block() * lanes + lane_of_thread();
  block_barrier();
  if (rank == source) word = x;
  block_barrier();
  return word;
}

/// The x of all workers, joined.
template <bool OfLane, class T, class Join>
KOKKOSCONTRACT_RARE_FUNCTION T reduce_lanes(const T x, const Join join) {
  const LanesOfTeam team;
  const int apart = OfLane ? lanes_of_thread() : 1;
  const T of_warp = join_lanes(team.mask(), team.first + (OfLane ? lane_of_thread() : 0), apart,
                               team.first + team.in_warp, x, join);
  T result = of_warp;
  KOKKOSCONTRACT_NO_UNROLL
  for (int lane = 0; lane < team.count; lane += warp_size) {
    const T other = broadcast_of_lanes<OfLane>(of_warp, lane / apart);
    result = lane == 0 ? other : join(result, other);
  }
  return result;
}

/// Whether it holds for any worker of all teams that come to the same barrier.
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION bool any_of_team([[maybe_unused]] const Member& member, bool x) {
  if constexpr (is_gpu<typename Member::execution_space>) {
    if (block_is_one_team()) return any_of_block(x);
    const LaneMask mask = LanesOfTeam().mask();
    warp_barrier(mask);
    return any_of(mask, x);
  } else {
    int result = x ? 1 : 0;
    if (member.team_size() > 1) member.team_reduce(Kokkos::Max<int>(result));
    return result != 0;
  }
}

template <bool OfLane, TeamMember Member, class T>
KOKKOS_FORCEINLINE_FUNCTION T broadcast_of_team([[maybe_unused]] const Member& member, const T& x,
                                                int source) {
  if constexpr (is_gpu<typename Member::execution_space>) {
    return broadcast_of_lanes<OfLane>(x, source);
  } else {
    T result = x;
    if (member.team_size() > 1) member.team_broadcast(result, source);
    return result;
  }
}

template <bool OfLane, TeamMember Member, class T, class Join>
KOKKOS_FORCEINLINE_FUNCTION T reduce_team([[maybe_unused]] const Member& member, const T& x,
                                          const Join& join) {
  if constexpr (is_gpu<typename Member::execution_space>) {
    return reduce_lanes<OfLane>(x, join);
  } else {
    T result = broadcast_of_team<OfLane>(member, x, 0);
    for (int rank = 1; rank < member.team_size(); ++rank) {
      result = join(result, broadcast_of_team<OfLane>(member, x, rank));
    }
    return result;
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
