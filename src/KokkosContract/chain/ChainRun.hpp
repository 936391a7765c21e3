// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CHAIN_CHAINRUN_HPP
#define KOKKOSCONTRACT_CHAIN_CHAINRUN_HPP

// Runs a chain (Chain.hpp) pair by pair. The intermediates are packed row-major arrays in scratch
// memory. A GPU's teams run chains of lines by LineChain.hpp instead.

#include <KokkosContract/chain/Intermediates.hpp>
#include <KokkosContract/chain/LineChain.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

namespace Impl {

/// The chain of a string on operands of these shapes, with functors between them. The output's
/// shape is the last.
template <Spec S, Marks M, StaticShape... Shapes>
struct ChainOf {
  static constexpr Parsed parsed = Parse<S>::value;
  static constexpr Dims dims[] = {dims_of(Shapes)...};
  static constexpr LetterExtents extents = static_extents(parsed, dims);
  static constexpr Chain value = make_chain(parsed, M, extents);
  static constexpr LineChain lines = find_line_chain(value, extents, dims);
  static_assert(value.fault != ChainFault::functors,
                "KokkosContract: a contraction has at most 4 pointwise functors");
  static_assert(value.fault != ChainFault::first_functor,
                "KokkosContract: a pointwise functor stands behind at least one operand");
  static_assert(value.fault != ChainFault::functor_letters,
                "KokkosContract: a letter of a pointwise functor stands in no operand that is "
                "contracted before it");
  static_assert(value.fault != ChainFault::output_letters,
                "KokkosContract: a letter of the output stands neither in the last pointwise "
                "functor nor in an operand behind it");
  static_assert(value.fault != ChainFault::rank,
                "KokkosContract: an intermediate of this contraction would have more than 8 "
                "dimensions; contract step by step");
};

/// The result of step N, in its buffer or in the kept tensor.
template <const Chain& C, class Types, int N, class F, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION auto place_of(char* scratch, const BufferSizes& sizes,
                                          const F& functors, const Slots&... slots) {
  constexpr Step step = C.step[N];
  if constexpr (step.kept) {
    return list_at<step.functor>(functors).operand;
  } else {
    const auto shaped = intermediate_of<C, Types, N>(slots...);
    using Shaped = std::remove_const_t<decltype(shaped)>;
    char* const begin = scratch + sizes.before(step.buffer);
    return Shaped(reinterpret_cast<typename Shaped::value_type*>(begin), shaped);
  }
}

template <const Chain& C, class Types, int N, Level L, class U, class F, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION int run_chain(const L& level, char* scratch, const BufferSizes& sizes,
                                          const U& update, const F& functors,
                                          const Slots&... slots) {
  constexpr int a = C.step[N].a;
  constexpr ProductLabels labels{C.slot[a], second_labels<C, N>, C.slot[C.inputs + N],
                                 C.step[N].b >= 0};
  using Real = typename Types::Real;
  const auto& x = slot_at<a>(slots...);
  const auto& y = second_operand<C, N>(slots...);
  if constexpr (N + 1 == C.steps) {
    return contract_labels<labels, Real>(level, x, y, update);
  } else {
    const auto result = place_of<C, Types, N>(scratch, sizes, functors, slots...);
    if (!is_zero(update.alpha)) {
      constexpr int functor = C.step[N].kept ? -1 : C.step[N].functor;
      const int code = contract_labels<labels, Real>(
          level, x, y, Update{Constant<1>{}, Constant<0>{}, result, functor_at<functor>(functors)});
      if (code != 0) return code;
    }
    return run_chain<C, Types, N + 1>(level, scratch, sizes, update, functors, slots..., result);
  }
}

// --- Checks before anything visible to a user is written: all extents agree, and the last step
// accepts the factors. The steps make these checks themselves if all of them run and only the last
// one writes. This holds without kept results, and if alpha is not zero. ---

template <const Chain& C>
inline constexpr bool keeps = [] {
  for (int s = 0; s < C.steps; ++s) {
    if (C.step[s].kept) return true;
  }
  return false;
}();

/// The extent of a letter, in the first input from number I on that has it.
template <const Chain& C, char Letter, int I, class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION int extent_of(const First& first, const Rest&... rest) {
  constexpr int d = dimension_of(C.slot[I], Letter);
  if constexpr (d >= 0) {
    return first.template extent<d>();
  } else {
    return extent_of<C, Letter, I + 1>(rest...);
  }
}

template <const Chain& C, Labels L, int... D, class A, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION bool agrees(std::integer_sequence<int, D...>, const A& a,
                                        const Inputs&... inputs) {
  return (true && ... && (a.template extent<D>() == extent_of<C, L.letter[D], 0>(inputs...)));
}

/// Whether the tensor in which step N keeps its result has the right extents.
template <class Of, int N, class F, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION bool kept_agrees(const F& functors, const Inputs&... inputs) {
  constexpr Step step = Of::value.step[N];
  if constexpr (step.kept) {
    constexpr Labels labels = Of::value.slot[Of::value.inputs + N];
    const auto& kept = list_at<step.functor>(functors).operand;
    using Kept = std::remove_cvref_t<decltype(kept)>;
    static_assert(Kept::rank == labels.rank,
                  "KokkosContract: a kept tensor has not as many dimensions as letters");
    static_assert(!std::is_const_v<typename Kept::value_type> && !Kept::atomic,
                  "KokkosContract: a kept tensor is an operand of const elements, or atomic");
    if constexpr (Kept::rank == labels.rank) {
      return agrees<Of::value, labels>(std::make_integer_sequence<int, labels.rank>{}, kept,
                                       inputs...);
    }
  }
  return true;
}

template <class Of, int... I, int... N, class Output, class F, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION bool all_agree(std::integer_sequence<int, I...>,
                                           std::integer_sequence<int, N...>, const Output& output,
                                           const F& functors, const Inputs&... inputs) {
  constexpr Labels to = Of::value.slot[Of::value.inputs + Of::value.steps - 1];
  return agrees<Of::value, to>(std::make_integer_sequence<int, to.rank>{}, output, inputs...) &&
         (true && ... &&
          agrees<Of::value, Of::value.slot[I]>(
              std::make_integer_sequence<int, Of::value.slot[I].rank>{}, inputs, inputs...)) &&
         (true && ... && kept_agrees<Of, N>(functors, inputs...));
}

template <const Chain& C, class Types, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION BufferSizes buffer_sizes(const Inputs&... inputs) {
  return measure<C, Types, 0>(inputs...);
}

/// Whether the workers of a level may take lines. Workers of a GPU's teams may. If a build has a
/// GPU, workers of a host's teams may, too: their scratch memory may be sized for operands of both.
template <class L, class Of, class Acc, class... Operands>
consteval bool may_take_lines() {
  if constexpr (is_collective<L> && (may_take_line_chains<L> || has_gpu)) {
    return LinesOf<Of, Acc, Operands...>::possible;
  } else {
    return false;
  }
}

/// Runs a chain whose extents agree, except for those that its last step compares.
template <class Of, class Types, Level L, class MemoryOrNone, class U, class F, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION int run_agreed(const L& level, const MemoryOrNone& scratch,
                                           const U& update, const F& functors,
                                           const Inputs&... inputs) {
  using Output = typename U::Output;
  if constexpr (AnyScratch<MemoryOrNone>) {
    const BufferSizes sizes = buffer_sizes<Of::value, Types>(inputs...);
    char* memory = nullptr;
    constexpr bool lines = may_take_lines<L, Of, typename Types::Widest, Inputs..., Output>();
    if constexpr (!may_take_line_chains<L> || !lines) {
      memory = take_scratch(scratch, sizes.total());
      if (memory != nullptr) {
        return run_chain<Of::value, Types, 0>(level, memory, sizes, update, functors, inputs...);
      }
    }
    if constexpr (lines) {
      using Lines = LinesOf<Of, typename Types::Widest, Inputs..., Output>;
      memory = take_scratch(scratch, Lines::bytes(inputs...));
      if (memory != nullptr) {
        return Lines::run(level, memory, update, functors, inputs...);
      }
    }
    return scratch_too_small;
  } else {
    static_assert(
        is_single_worker<L>() && Of::extents.all_static,
        "KokkosContract: a contraction of more than two inputs, or with a pointwise functor, needs "
        "scratch memory as its first argument (after the member), unless it is Serial and all "
        "extents are static");
    if constexpr (is_single_worker<L>() && Of::extents.all_static) {
      constexpr std::size_t bytes =
          static_scratch<Types::gpu>(Of::value, Of::extents, sizeof(typename Types::Widest));
      static_assert(intermediates_on_stack<bytes>::value);
      alignas(scratch_alignment) char memory[bytes];
      return run_chain<Of::value, Types, 0>(
          level, memory, buffer_sizes<Of::value, Types>(inputs...), update, functors, inputs...);
    } else {
      return scratch_too_small;
    }
  }
}

/// Acc is the accumulator of all elements.
template <Spec S, Marks M, class Acc, Level L, class MemoryOrNone, class U, class F,
          class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION int contract_chain(const L& level, const MemoryOrNone& scratch,
                                               const U& update, const F& functors,
                                               const Inputs&... inputs) {
  using Output = typename U::Output;
  using Of = ChainOf<S, M, Inputs::shape..., Output::shape>;
  if constexpr (!Of::extents.clash.none()) {
    constexpr ExtentClash clash = Of::extents.clash;
    static_assert(extents_differ<clash.letter, clash.one, clash.other>::value);
    return extents_disagree;
  } else if constexpr (Of::value.fault != ChainFault::none) {
    return extents_disagree;
  } else {
    if ((keeps<Of::value> || is_zero(update.alpha)) &&
        !all_agree<Of>(std::make_integer_sequence<int, sizeof...(Inputs)>{},
                       std::make_integer_sequence<int, Of::value.steps>{}, update.output, functors,
                       inputs...)) {
      return extents_disagree;
    }
    if constexpr (keeps<Of::value>) {
      const int fault = fault_of_factors<Acc, Output>(update.alpha, update.beta);
      if (fault != 0) return fault;
    }
    return run_agreed<Of, ChainTypes<Acc, F, runs_on_gpu<L>()>>(level, scratch, update, functors,
                                                                inputs...);
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
