// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_ENTRY_SMALL_HPP
#define KOKKOSCONTRACT_ENTRY_SMALL_HPP

// Calls of routines on a host: inline or out of line, with the plans for small products, and with
// code of its own for the usual factors.

#include <KokkosContract/entry/Packed.hpp>
#include <KokkosContract/entry/Passed.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/product/Plan.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Routine, Level L, class... Passed>
KOKKOSCONTRACT_FLATTENED_FUNCTION int call_out_of_line(const L& level, Passed... arguments) {
  return Routine::run(level, arguments.get()...);
}

/// Like call_out_of_line, but never inlined. Code for many workers would take registers and time
/// from the code for one worker, which the caller has, too.
template <class Routine, Level L, class... Passed>
KOKKOSCONTRACT_SHARED_FUNCTION int call_workers(const L& level, Passed... arguments) {
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

/// Like call_out_of_line, with plan number `plan`, which is at least Plan. Number Plans is the plan
/// for all extents. It is not inline, to keep one function from being flattened into another.
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
  constexpr int plans =
      std::is_same_v<L, SerialLevel> ? small_plans_of<Routine, Arguments...>().count : 0;
  if constexpr (plans > 0) {
    return call_plan<Routine, First, plans>(plan, passed(arguments)...);
  } else {
    return call_out_of_line<Routine>(level, passed(arguments)...);
  }
}

/// Calls with the usual alpha = 1 and beta = 0 have code of their own. As run-time values these
/// factors would take registers and time. Updates of packs with alpha = -1 and beta = 1 also have
/// code of their own, because each factor would cost a multiplication per element.
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

/// Whether a routine has such code. That code is an additional instance, so it exists only for
/// short routines, and for packs.
template <class Routine, class... Arguments>
inline constexpr bool is_scaled = false;
template <class Routine, class Alpha, class A, class B, class Beta, class C>
  requires(Routine::scales_product && std::is_arithmetic_v<Alpha> && std::is_arithmetic_v<Beta>)
inline constexpr bool is_scaled<Routine, Alpha, A, B, Beta, C> =
    !operand_t<C>::atomic &&
    (is_pack<value_t<C>> || small_plans_of<Routine, Alpha, A, B, Beta, C>().copies ||
     (Argument<A>::is_small && Argument<B>::is_small && Argument<C>::is_small));

/// Whether all code of a call is inlined: on a GPU, and on a host if operands are tiny, or a
/// product is.
template <class Routine, bool Padded, Level L, class... Arguments>
consteval bool is_inlined() {
  if constexpr (is_device_code()) {
    return true;
  } else if constexpr (Padded || !is_single_worker<L>()) {
    return false;
  } else if constexpr ((Argument<Arguments>::is_tiny && ...)) {
    return true;
  } else {
    return small_plans_of<Routine, Arguments...>().all_is_inlined;
  }
}

/// Calls a routine. The code for one worker of a host is out of line, apart from a first small plan
/// and from products that are inlined. That of padded operands is not inlined.
template <class Routine, bool Padded = false, Level L, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int call_as_is(const L& level, const Arguments&... arguments) {
  if constexpr (is_inlined<Routine, Padded, L, Arguments...>()) {
    return call_inline<Routine>(level, arguments...);
  } else if constexpr (!is_single_worker<L>()) {
    return call_workers<Routine>(level, passed(arguments)...);
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

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
