// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LEVEL_TOGETHER_HPP
#define KOKKOSCONTRACT_LEVEL_TOGETHER_HPP

// Collectives of the workers of a team: whether something holds for any of them, a broadcast from
// one of them, and a reduction over all. All workers call these functions, which are barriers, too.
// They are for rare use. Values pass from lane to lane, and from warp to warp in order. So the
// order of a sum, and with it the sum, is the same for all workers.
//
// In a call at Team level, the threads of a GPU may have vector lanes. Each lane then belongs to a
// team of its own, with the same lane of the other threads: `OfLane`. If a block is several teams,
// each of them is a part of a warp.

#include <KokkosContract/machine/Machine.hpp>
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

/// The lesser of two values, as a join.
struct Lesser {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION constexpr T operator()(const T& x, const T& y) const {
    return x < y ? x : y;
  }
};

template <class T>
inline constexpr bool has_shuffle = std::is_same_v<T, int> || std::is_same_v<T, unsigned> ||
                                    std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Calls tell(x) for a type that lanes can shuffle. Any other type whose bytes may be copied is
/// shuffled word by word.
template <class T, class Tell>
KOKKOS_FORCEINLINE_FUNCTION T tell_words(const T& x, const Tell& tell) {
  if constexpr (has_shuffle<T>) {
    return tell(x);
  } else {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(unsigned) == 0,
                  "KokkosContract: workers tell each other values whose bytes may be copied, in "
                  "multiples of 4");
    unsigned words[sizeof(T) / sizeof(unsigned)];
    __builtin_memcpy(words, &x, sizeof(T));
    for (unsigned& word : words) word = tell(word);
    T result;
    __builtin_memcpy(static_cast<void*>(&result), words, sizeof(T));
    return result;
  }
}
/// The x of lane `lane` of the warp.
template <class M, class T>
KOKKOS_FORCEINLINE_FUNCTION T told_by_lane(typename M::LaneMask mask, const T& x, int lane) {
  return tell_words(x, [&](const auto& word)
                           KOKKOSCONTRACT_INLINE_LAMBDA { return M::shuffle(mask, word, lane); });
}
/// The x of all lanes of a whole warp, joined. The join is commutative.
template <class M, class T, class Join>
KOKKOS_FORCEINLINE_FUNCTION T join_warp(const T& x, const Join& join) {
  T result = x;
  for (int bits = M::warp_size / 2; bits > 0; bits /= 2) {
    result = join(result, tell_words(result, [&](const auto& word) KOKKOSCONTRACT_INLINE_LAMBDA {
                    return M::shuffle_xor(whole_warp<M>, word, bits);
                  }));
  }
  return result;
}

/// The x of lanes first, first + apart, ... before `end`, joined. All lanes of `mask` call it, with
/// the same number of lanes each.
template <class M, class T, class Join>
KOKKOS_FORCEINLINE_FUNCTION T join_lanes(typename M::LaneMask mask, int first, int apart, int end,
                                         const T& x, const Join& join) {
  T result = told_by_lane<M>(mask, x, first);
  KOKKOSCONTRACT_NO_UNROLL
  for (int lane = first + apart; lane < end; lane += apart) {
    result = join(result, told_by_lane<M>(mask, x, lane));
  }
  return result;
}

/// The lanes of a GPU's team, and those of them in this warp.
template <class M>
struct LanesOfTeam {
  int count;    ///< lanes of the team
  int first;    ///< first lane of the team in this warp
  int in_warp;  ///< lanes of the team in this warp

  KOKKOS_FORCEINLINE_FUNCTION LanesOfTeam()
      : count(M::threads_of_block() * M::lanes_of_thread()), first(M::first_lane_of_team()) {
    const int left =
        count - M::thread_of_block() * M::lanes_of_thread() / M::warp_size * M::warp_size;
    in_warp = left < M::warp_size ? left : M::warp_size;
  }
  KOKKOS_FORCEINLINE_FUNCTION typename M::LaneMask mask() const {
    return first_lanes<M>(in_warp) << first;
  }
};

/// The memory of a block through which one worker publishes to the others.
template <int Bytes>
struct ToldWord;

template <class M, bool OfLane, class T>
KOKKOS_FORCEINLINE_FUNCTION T told_by_worker(const LanesOfTeam<M>& team, const T& x, int source) {
  const int lanes = M::lanes_of_thread();
  if (team.count <= M::warp_size) {
    M::warp_barrier(team.mask());
    const int lane = OfLane ? source * lanes + M::lane_of_thread() : source;
    return told_by_lane<M>(team.mask(), x, team.first + lane);
  }
  T& word = *reinterpret_cast<T*>(M::template block_memory<ToldWord<sizeof(T)>, sizeof(T)>());
  const int thread = M::thread_of_block();
  const int rank = OfLane ? thread : thread * lanes + M::lane_of_thread();
  // The teams of lanes take turns: memory for each would be taken from all kernels.
  T result = x;
  KOKKOSCONTRACT_NO_UNROLL
  for (int lane = 0; lane < (OfLane ? lanes : 1); ++lane) {
    const bool is_turn = !OfLane || lane == M::lane_of_thread();
    M::block_barrier();
    if (is_turn && rank == source) word = x;
    M::block_barrier();
    if (is_turn) result = word;
  }
  return result;
}

/// The x of worker `source`, which is a thread or, with OfLane = false, one of all lanes.
template <class M, bool OfLane, class T>
KOKKOSCONTRACT_RARE_FUNCTION T broadcast_of_lanes(const T x, int source) {
  return told_by_worker<M, OfLane>(LanesOfTeam<M>(), x, source);
}

/// The x of all workers, joined.
template <class M, bool OfLane, class T, class Join>
KOKKOSCONTRACT_RARE_FUNCTION T reduce_lanes(const T x, const Join join) {
  const LanesOfTeam<M> team;
  const int apart = OfLane ? M::lanes_of_thread() : 1;
  const T of_warp = join_lanes<M>(team.mask(), team.first + (OfLane ? M::lane_of_thread() : 0),
                                  apart, team.first + team.in_warp, x, join);
  T result = of_warp;
  int source = 0;
  KOKKOSCONTRACT_NO_UNROLL
  for (int lane = 0; lane < team.count; lane += M::warp_size) {
    const T other = told_by_worker<M, OfLane>(team, of_warp, source);
    result = lane == 0 ? other : join(result, other);
    source += M::warp_size / apart;
  }
  return result;
}

/// Whether x holds for any lane of a team that is a part of a warp.
template <class M>
KOKKOSCONTRACT_RARE_FUNCTION bool any_of_part(bool x) {
  const auto mask = LanesOfTeam<M>().mask();
  M::warp_barrier(mask);
  return M::any_of(mask, x);
}

/// Whether x holds for any worker of all teams that come to the same barrier.
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION bool any_of_team([[maybe_unused]] const Member& member, bool x) {
  if constexpr (is_gpu<typename Member::execution_space>) {
    using M = machine_of_t<typename Member::execution_space>;
    return M::block_is_one_team() ? M::any_of_block(x) : any_of_part<M>(x);
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
    return broadcast_of_lanes<machine_of_t<typename Member::execution_space>, OfLane>(x, source);
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
    return reduce_lanes<machine_of_t<typename Member::execution_space>, OfLane>(x, join);
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
