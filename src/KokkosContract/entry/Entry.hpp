// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_ENTRY_ENTRY_HPP
#define KOKKOSCONTRACT_ENTRY_ENTRY_HPP

#include <KokkosContract/Fault.hpp>
#include <KokkosContract/Tags.hpp>
#include <KokkosContract/entry/Small.hpp>
#include <KokkosContract/entry/Watch.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

// The invoke functions of the four levels. A routine is a class Routine with one template
// `run(level, arguments...)`, and its public names derive from these functions. The functions that
// they call are the unit of code. Levels that are the same on a machine (Serial and Vector, Team
// and TeamVector on a host) share its instances. The entry also converts another library's tags and
// vectors to those of this library. A routine may have an array `ranks`: the rank of each argument
// for one problem, which is 0 for a scalar. Then an argument may be a DynRankView.

/// Whether an argument allows the lanes of packs to become a batch: it is an operand without its
/// own batch, and it is not a scalar that is a pack.
template <class A>
consteval bool allows_batch_of_lanes() {
  if constexpr (is_array<A>) {
    using Op = operand_t<A>;
    if constexpr (is_pack<value_t<A>>) {
      return !is_shared<A> && !Op::atomic && Op::rank <= 2;
    } else {
      return !is_shared<A>;
    }
  } else {
    return !is_pack<A>;
  }
}

/// The rank of the first operand.
template <class First, class... Rest>
consteval int first_rank() {
  if constexpr (is_array<First>) {
    return operand_t<First>::rank;
  } else {
    return first_rank<Rest...>();
  }
}

template <class A>
consteval bool is_array_of_packs() {
  if constexpr (is_array<A>) {
    return is_pack<value_t<A>>;
  } else {
    return false;
  }
}

/// Whether the lanes of packs become a batch of problems. This is for several workers of a GPU,
/// where a lane has no registers for packs, in routines that take batches of matrices.
template <class Routine, class L, class... Arguments>
inline constexpr bool has_batch_of_lanes = false;
template <class Routine, class L, class... Arguments>
  requires(has_warps<L> && Routine::takes_batch && (is_array_of_packs<Arguments>() || ...))
inline constexpr bool has_batch_of_lanes<Routine, L, Arguments...> =
    (allows_batch_of_lanes<Arguments>() && ...) && first_rank<Arguments...>() == 2;

/// An argument, or with ByLanes the batch of its lanes.
template <bool ByLanes, class A>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) whole_or_lanes(const A& a) {
  if constexpr (ByLanes) {
    return batch_of_lanes(a);
  } else {
    return (a);
  }
}

template <class Routine, Level L, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int call(const L& level, const Arguments&... arguments) {
  constexpr bool by_lanes = has_batch_of_lanes<Routine, L, Arguments...>;
  if constexpr (is_single_worker<L>() && (Argument<Arguments>::may_become_packed || ...) &&
                (Argument<Arguments>::is_small && ...)) {
    if ((is_packed_argument(arguments) && ...)) {
      return call_as_is<Routine>(level, packed_argument(arguments)...);
    }
    return call_as_is<Routine, true>(level, arguments...);
  } else if constexpr (!is_single_worker<L>() && has_packed_code<Routine, Arguments...>) {
    // There is one test, with the same result in all workers of a GPU. Padded Views are rare. Code
    // for them takes few registers, so that they do not raise the number of the other code.
    if ((is_packed_view(arguments) && ...)) {
      return call_as_is<Routine>(level, whole_or_lanes<by_lanes>(packed_view(arguments))...);
    }
    return call_as_is<Routine>(PlainLevel<L>{level},
                               whole_or_lanes<by_lanes>(padded_argument<Routine>(arguments))...);
  } else {
    return call_as_is<Routine>(level, whole_or_lanes<by_lanes>(arguments)...);
  }
}

/// Whether a host's team calls.
template <Workers W, class Member>
consteval bool is_host_team() {
  if constexpr (W == Workers::team || W == Workers::team_vector) {
    return is_host<typename Member::execution_space>;
  } else {
    return false;
  }
}

/// Whether an argument that must have R dimensions has them, or the compiler knows its rank.
template <int R, class A>
KOKKOS_FORCEINLINE_FUNCTION bool has_rank([[maybe_unused]] const A& a) {
  if constexpr (is_dyn_rank_view<A>) {
    return static_cast<int>(a.rank()) == R;
  } else {
    return true;
  }
}
template <int R, class A>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) argument_of_rank(const A& a) {
  if constexpr (is_dyn_rank_view<A>) {
    return operand_to_fix<R>(a);
  } else {
    return (a);
  }
}

/// Whether an argument is a DynRankView, and the routine gives the rank of each argument.
template <class Routine, class... Arguments>
inline constexpr bool needs_ranks = false;
template <class Routine, class... Arguments>
  requires((is_dyn_rank_view<Arguments> || ...) &&
           requires { requires std::size(Routine::ranks) == sizeof...(Arguments); })
inline constexpr bool needs_ranks<Routine, Arguments...> = true;

template <Workers W, class Routine, class Member, Level L, int... I, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int invoke_with_ranks(const Member& member, const L& level,
                                                  std::integer_sequence<int, I...>,
                                                  const Arguments&... arguments);

/// The common part of all levels. `member` is the team's member, or NoMember. A host's team of one
/// thread runs the code of one thread.
template <Workers W, class RoutineOfCaller, class Member, Level L, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int invoke_on(const Member& member, const L& level,
                                          const Arguments&... arguments) {
  using Routine = own_routine_t<RoutineOfCaller>;
  using Call = CallOf<W, Routine>;
  if constexpr (W != Workers::serial) {
    static_assert((reaches<typename Member::execution_space, Arguments> && ...),
                  "KokkosContract: an operand is in memory that the team cannot reach");
  }
  if constexpr (needs_ranks<Routine, Arguments...>) {
    return invoke_with_ranks<W, Routine>(
        member, level, std::make_integer_sequence<int, sizeof...(Arguments)>{}, arguments...);
  } else {
    if (!(extents_fit(arguments) && ...)) return report<Call>(extent_too_large, member);
    const Watch<Call, L, Arguments...> watch(level, arguments...);
    int info = 0;
    if constexpr (is_host_team<W, Member>()) {
      info = member.team_size() == 1 ? call<Routine>(SerialLevel{}, own_argument(arguments)...)
                                     : call<Routine>(level, own_argument(arguments)...);
    } else {
      info = call<Routine>(level, own_argument(arguments)...);
    }
    end_own_arguments<Arguments...>();
    watch.end(info, arguments...);
    return report<Call>(info, member);
  }
}

/// Gives DynRankViews the ranks that the routine's arguments have for one problem.
template <Workers W, class Routine, class Member, Level L, int... I, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int invoke_with_ranks(const Member& member, const L& level,
                                                  std::integer_sequence<int, I...>,
                                                  const Arguments&... arguments) {
  if (!(has_rank<Routine::ranks[I]>(arguments) && ...)) {
    return report<CallOf<W, Routine>>(extents_disagree, member);
  }
  return invoke_on<W, Routine>(member, level, argument_of_rank<Routine::ranks[I]>(arguments)...);
}

template <class Routine>
struct SerialEntry {
  template <class... Arguments>
  KOKKOSCONTRACT_RETURNS_CODE KOKKOS_FORCEINLINE_FUNCTION static int invoke(
      const Arguments&... arguments) {
    return invoke_on<Workers::serial, Routine>(NoMember{}, SerialLevel{}, arguments...);
  }
};

template <class Routine>
struct VectorEntry {
  template <class Member, class... Arguments>
  KOKKOSCONTRACT_RETURNS_CODE KOKKOS_FORCEINLINE_FUNCTION static int invoke(
      const Member& member, const Arguments&... arguments) {
    return invoke_on<Workers::vector, Routine>(member, vector_level(member), arguments...);
  }
};

template <class Routine>
struct TeamEntry {
  template <class Member, class... Arguments>
  KOKKOSCONTRACT_RETURNS_CODE KOKKOS_FORCEINLINE_FUNCTION static int invoke(
      const Member& member, const Arguments&... arguments) {
    return invoke_on<Workers::team, Routine>(member, team_level(member), arguments...);
  }
};

template <class Routine>
struct TeamVectorEntry {
  template <class Member, class... Arguments>
  KOKKOSCONTRACT_RETURNS_CODE KOKKOS_FORCEINLINE_FUNCTION static int invoke(
      const Member& member, const Arguments&... arguments) {
    return invoke_on<Workers::team_vector, Routine>(member, team_vector_level(member),
                                                    arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
