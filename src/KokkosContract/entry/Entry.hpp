// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_ENTRY_ENTRY_HPP
#define KOKKOSCONTRACT_ENTRY_ENTRY_HPP

#include <KokkosContract/Fault.hpp>
#include <KokkosContract/Operand.hpp>
#include <KokkosContract/Tags.hpp>
#include <KokkosContract/entry/Watch.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/operand/Lanes.hpp>
#include <KokkosContract/product/Plan.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

// The invoke functions of the four levels. A routine is a class Routine with one template
// `run(level, arguments...)`, and its public names derive from these. The functions that they call
// are the unit of code. Levels that are the same on a machine (Serial and Vector, Team and
// TeamVector on a host) share its instances. The entry also converts another library's tags and
// vectors to those of this library. A routine may have an array `ranks`: the rank of each argument
// of one problem, 0 of a scalar. Then an argument may be a DynRankView.

/// The number of elements if it is static, and `dynamic` otherwise.
template <int R>
consteval std::ptrdiff_t static_size(const StaticShape<R>& shape) {
  std::ptrdiff_t size = 1;
  for (int i = 0; i < R; ++i) {
    if (shape.extent[i] == dynamic) return dynamic;
    size *= shape.extent[i];
  }
  return size;
}

/// What the entry knows of an argument: nothing, unless it is a View.
template <class A>
struct Argument {
  static constexpr bool is_small = true;
  static constexpr bool is_tiny = true;
  static constexpr bool may_become_packed = false;
};
template <class A>
  requires is_array<A>
struct Argument<A> {
  static constexpr auto shape = operand_t<A>::shape;
  static constexpr std::ptrdiff_t size = static_size(shape);
  static constexpr bool is_small = size != dynamic && size <= most_packed_elements;
  static constexpr bool is_tiny = size != dynamic && size <= most_inlined_elements;
  static constexpr bool may_become_packed = !(packed_shape(shape) == shape);
};

template <class A>
KOKKOS_FORCEINLINE_FUNCTION bool is_packed_argument(const A& a) {
  if constexpr (Argument<A>::may_become_packed) {
    return is_packed(as_operand(a));
  } else {
    return true;
  }
}

template <class A>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) packed_argument(const A& a) {
  if constexpr (Argument<A>::may_become_packed && is_shared<A>) {
    return shared(as_packed(as_operand(a)));
  } else if constexpr (Argument<A>::may_become_packed) {
    return as_packed(as_operand(a));
  } else {
    return (a);
  }
}

// How an argument is passed to a routine out of line: in registers if it fits there. An argument
// passed by reference has to be written to memory and read again before anything can start.

template <class A>
struct ByReference {
  const A& argument;
  KOKKOS_FORCEINLINE_FUNCTION const A& get() const { return argument; }
};
template <class A>
struct ByValue {
  A argument;
  KOKKOS_FORCEINLINE_FUNCTION const A& get() const { return argument; }
};
/// An operand whose extents and strides are all static.
template <class Strided>
struct ByPointer {
  typename Strided::value_type* data;
  KOKKOS_FORCEINLINE_FUNCTION Strided get() const { return Strided(data); }
};

template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto passed(const A& a) {
  if constexpr (is_array<A> && !is_shared<A>) {
    using Strided = operand_t<A>;
    if constexpr (is_static(Strided::shape)) {
      return ByPointer<Strided>{as_operand(a).data()};
    } else {
      return ByReference<A>{a};
    }
  } else if constexpr (std::is_arithmetic_v<A> || std::is_empty_v<A>) {
    return ByValue<A>{a};
  } else {
    return ByReference<A>{a};
  }
}

template <class Routine, Level L, class... Passed>
KOKKOSCONTRACT_FLATTENED_FUNCTION int call_out_of_line(const L& level, Passed... arguments) {
  return Routine::run(level, arguments.get()...);
}

/// The plans of a routine for small products, in addition to the plan for all extents.
template <class Routine, class... Arguments>
consteval SmallPlans small_plans_of() {
  if constexpr (requires { Routine::template small_plans<Arguments...>(); }) {
    return Routine::template small_plans<Arguments...>();
  } else {
    return {};
  }
}

template <class Routine, int Plan, int Plans, class... Passed>
KOKKOSCONTRACT_SHARED_CODE KOKKOS_FUNCTION int call_plan(int plan, Passed... arguments);

/// Runs plan number Plan if it covers the extents, and otherwise another plan.
template <class Routine, int Plan, int Plans, class... Passed>
KOKKOSCONTRACT_FLATTENED_FUNCTION int call_small(Passed... arguments) {
  const int info = Routine::run(SmallLevel<Plan>{}, arguments.get()...);
  if (info > not_covered) return info;
  return call_plan<Routine, Plan + 1, Plans>(not_covered - info, arguments...);
}

/// As call_out_of_line, with plan number `plan`, which is at least Plan. Number Plans is the plan
/// for all extents. Not inline, to keep one function from being flattened into another.
template <class Routine, int Plan, int Plans, class... Passed>
KOKKOSCONTRACT_SHARED_CODE KOKKOS_FUNCTION int call_plan([[maybe_unused]] int plan,
                                                         Passed... arguments) {
  if constexpr (Plan < Plans) {
    if (plan > Plan) return call_plan<Routine, Plan + 1, Plans>(plan, arguments...);
    return call_small<Routine, Plan, Plans>(arguments...);
  } else {
    return call_out_of_line<Routine>(SerialLevel{}, arguments...);
  }
}

template <class Routine, Level L, class... Arguments>
KOKKOSCONTRACT_FLATTENED_INLINE_FUNCTION int call_inline(const L& level,
                                                         const Arguments&... arguments) {
  return Routine::run(level, arguments...);
}

/// Calls out of line. The plan for a small product that is tried first has number `plan`, at least
/// First.
template <class Routine, int First, Level L, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int call_from([[maybe_unused]] int plan, const L& level,
                                          const Arguments&... arguments) {
  if constexpr (std::is_same_v<L, SerialLevel>) {
    constexpr int plans = small_plans_of<Routine, Arguments...>().count;
    if constexpr (plans > 0) {
      return call_plan<Routine, First, plans>(plan, passed(arguments)...);
    } else {
      return call_out_of_line<Routine>(level, passed(arguments)...);
    }
  } else {
    return call_out_of_line<Routine>(level, passed(arguments)...);
  }
}

/// Calls of the usual alpha = 1 and beta = 0 have code of their own. As run-time numbers these
/// factors would take registers and time. So do updates of packs, alpha = -1 and beta = 1, where
/// each factor would cost a multiplication per element.
template <class Routine, int First, Level L, class Alpha, class A, class B, class Beta, class C>
KOKKOS_FORCEINLINE_FUNCTION int call_scaled(int plan, const L& level, const Alpha& alpha,
                                            const A& a, const B& b, const Beta& beta, const C& c) {
  if (alpha == Alpha(1) && beta == Beta(0)) {
    return call_from<Routine, First>(plan, level, Constant<1>{}, a, b, Constant<0>{}, c);
  }
  if constexpr (is_pack<value_t<C>>) {
    if (alpha == Alpha(-1) && beta == Beta(1)) {
      return call_from<Routine, First>(plan, level, Constant<-1>{}, a, b, Constant<1>{}, c);
    }
  }
  return call_from<Routine, First>(plan, level, alpha, a, b, beta, c);
}

/// Whether a routine has such code. It is compiled once more, so this is only for short routines,
/// and for packs.
template <class Routine, class... Arguments>
inline constexpr bool is_scaled = false;
template <class Routine, class Alpha, class A, class B, class Beta, class C>
  requires(Routine::scales_product && std::is_arithmetic_v<Alpha> && std::is_arithmetic_v<Beta>)
inline constexpr bool is_scaled<Routine, Alpha, A, B, Beta, C> =
    !operand_t<C>::atomic &&
    (is_pack<value_t<C>> || small_plans_of<Routine, Alpha, A, B, Beta, C>().count > 1 ||
     (Argument<A>::is_small && Argument<B>::is_small && Argument<C>::is_small));

template <class Routine, Level L, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int call_routine(const L& level, const Arguments&... arguments) {
  if constexpr (is_device_code()) {
    return call_inline<Routine>(level, arguments...);
  } else {
    constexpr SmallPlans small = small_plans_of<Routine, Arguments...>();
    constexpr int first = small.first_is_inlined ? 1 : 0;
    int plan = first;
    if constexpr (std::is_same_v<L, SerialLevel> && small.count > 0) {
      const int info = call_inline<Routine>(SmallLevel<first - 1>{}, arguments...);
      if (info > not_covered) return info;
      plan = not_covered - info;
    }
    if constexpr (is_scaled<Routine, Arguments...>) {
      return call_scaled<Routine, first>(plan, level, arguments...);
    } else {
      return call_from<Routine, first>(plan, level, arguments...);
    }
  }
}

/// Whether all code of a call is inlined on a host: operands are tiny, or a product is.
template <class Routine, class... Arguments>
consteval bool is_inlined() {
  if constexpr ((Argument<Arguments>::is_tiny && ...)) {
    return true;
  } else if constexpr (!is_device_code()) {
    return small_plans_of<Routine, Arguments...>().all_is_inlined;
  } else {
    return false;
  }
}

template <class Routine, Level L, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int call_as_is(const L& level, const Arguments&... arguments) {
  if constexpr (is_single_worker<L>() && is_inlined<Routine, Arguments...>()) {
    return call_inline<Routine>(level, arguments...);
  } else {
    return call_routine<Routine>(level, arguments...);
  }
}

/// Whether an argument allows the lanes of packs to become a batch: it is an operand without its
/// own batch, and no scalar that is a pack.
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

/// Whether Views of a GPU that are not padded have their own code: in products, and in routines
/// that hold matrices in registers.
template <class Routine>
inline constexpr bool tells_packed_views = requires { requires Routine::takes_batch; } ||
                                           requires { requires Routine::tells_packed_views; };
template <class Routine, class... Arguments>
inline constexpr bool has_packed_code = false;
template <class Routine, class... Arguments>
  requires(tells_packed_views<Routine>)
inline constexpr bool has_packed_code<Routine, Arguments...> = (is_marked_view<Arguments> || ...);

/// An argument of such a routine if a View is padded. A chain keeps its extents, because its order
/// and its buffers depend on them.
template <class Routine, class A>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) padded_argument(const A& a) {
  if constexpr (requires { requires Routine::takes_batch; }) {
    return padded_view(a);
  } else {
    return (a);
  }
}

/// ByLanes: the lanes of packs become a batch.
template <class Routine, bool ByLanes, Level L, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int call_together(const L& level, const Arguments&... arguments) {
  if constexpr (ByLanes) {
    return call_as_is<Routine>(level, batch_of_lanes(arguments)...);
  } else {
    return call_as_is<Routine>(level, arguments...);
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
    return call_routine<Routine>(level, arguments...);
  } else if constexpr (!is_single_worker<L>() && has_packed_code<Routine, Arguments...>) {
    // One test, with the same answer in all workers of a GPU. Code for padded Views, which are
    // rare, takes few registers, so that the other code does not pay for it.
    if ((is_packed_view(arguments) && ...)) {
      return call_together<Routine, by_lanes>(level, packed_view(arguments)...);
    }
    return call_together<Routine, by_lanes>(PlainLevel<L>{level},
                                            padded_argument<Routine>(arguments)...);
  } else {
    return call_together<Routine, by_lanes>(level, arguments...);
  }
}

/// A host's team of one thread runs the code of one thread.
template <class Routine, class Member, Level L, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int call_team(const Member& member, const L& level,
                                          const Arguments&... arguments) {
  if constexpr (is_host<typename Member::execution_space>) {
    if (member.team_size() == 1) return call<Routine>(SerialLevel{}, arguments...);
  }
  return call<Routine>(level, arguments...);
}

/// The common part of all levels. member is that of the team, or NoMember.
template <class Call, class Member, Level L, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int invoke_ranked(const Member& member, const L& level,
                                              const Arguments&... arguments) {
  constexpr Workers workers = Call::workers;
  if (!(extents_fit(arguments) && ...)) return report<Call>(extent_too_large, member);
  const Watch<Call, L, Arguments...> watch(level, arguments...);
  int info = 0;
  if constexpr (workers == Workers::team || workers == Workers::team_vector) {
    info = call_team<typename Call::Routine>(member, level, own_argument(arguments)...);
  } else {
    info = call<typename Call::Routine>(level, own_argument(arguments)...);
  }
  end_own_arguments<Arguments...>();
  watch.end(info, arguments...);
  return report<Call>(info, member);
}

/// Whether an argument that has to have R dimensions has them, or the compiler knows its rank.
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

/// DynRankViews get the ranks that the routine's arguments have for one problem.
template <class Call, class Member, Level L, int... I, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int invoke_with_ranks(const Member& member, const L& level,
                                                  std::integer_sequence<int, I...>,
                                                  const Arguments&... arguments) {
  using R = typename Call::Routine;
  if (!(has_rank<R::ranks[I]>(arguments) && ...)) return report<Call>(extents_disagree, member);
  return invoke_ranked<Call>(member, level, argument_of_rank<R::ranks[I]>(arguments)...);
}

/// Whether an argument is a DynRankView, and the routine says the rank of each.
template <class Routine, class... Arguments>
inline constexpr bool needs_ranks = false;
template <class Routine, class... Arguments>
  requires((is_dyn_rank_view<Arguments> || ...) &&
           requires { requires std::size(Routine::ranks) == sizeof...(Arguments); })
inline constexpr bool needs_ranks<Routine, Arguments...> = true;

template <Workers W, class Routine, class Member, Level L, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int invoke_on(const Member& member, const L& level,
                                          const Arguments&... arguments) {
  using Call = CallOf<W, own_routine_t<Routine>>;
  if constexpr (W != Workers::serial) {
    static_assert((reaches<typename Member::execution_space, Arguments> && ...),
                  "KokkosContract: an operand is in memory that the team cannot reach");
  }
  if constexpr (needs_ranks<typename Call::Routine, Arguments...>) {
    return invoke_with_ranks<Call>(
        member, level, std::make_integer_sequence<int, sizeof...(Arguments)>{}, arguments...);
  } else {
    return invoke_ranked<Call>(member, level, arguments...);
  }
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
