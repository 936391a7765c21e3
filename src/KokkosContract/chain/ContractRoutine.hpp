// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CHAIN_CONTRACTROUTINE_HPP
#define KOKKOSCONTRACT_CHAIN_CONTRACTROUTINE_HPP

// A call of a contraction: the role of each argument, the scratch memory, and the choice between
// one product and a chain.

#include <KokkosContract/chain/ChainRun.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/product/EpilogueSteps.hpp>
#include <tuple>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Indices of the inputs of a string among some arguments. The first First arguments that are not
/// functors are skipped. The inputs are those of the next Count arguments.
template <int First, int Count, class... Arguments>
struct InputsAmong {
  using List = std::tuple<Arguments...>;
  static constexpr bool is_input[] = {!is_pointwise<Arguments>...};
  static constexpr int count = [] {
    int n = 0;
    for (int i = First; i < First + Count; ++i) n += is_input[i];
    return n;
  }();
  /// The argument index of input number n.
  static consteval int at(int n) {
    int i = First;
    while (n > 0 || !is_input[i]) n -= is_input[i++];
    return i;
  }
};

template <class... Arguments>
inline constexpr int functors_among = (0 + ... + (is_pointwise<Arguments> ? 1 : 0));

/// The argument with number I, or no epilogue if there are fewer arguments. S: the string of the
/// call.
template <Spec S, int I, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) epilogue_at(const Arguments&... arguments) {
  if constexpr (I < static_cast<int>(sizeof...(Arguments))) {
    return bound_epilogue<Parse<S>::value.output>(slot_at<I>(arguments...));
  } else {
    return NoEpilogue{};
  }
}

/// Splits (alpha, inputs and functors..., beta, output, perhaps an epilogue). I numbers the inputs.
template <Spec S, Level L, class Memory, int... I, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int split_chain(const L& level, const Memory& scratch,
                                            std::integer_sequence<int, I...>,
                                            const Arguments&... arguments) {
  constexpr int n = sizeof...(I) + functors_among<Arguments...>;
  constexpr Marks marks = marks_of<Arguments...>(1);
  using Among = InputsAmong<1, n, Arguments...>;
  using Acc = chain_accumulator_t<Arguments...>;
  return contract_chain<S, marks, Acc>(
      level, scratch,
      Update{slot_at<0>(arguments...), slot_at<n + 1>(arguments...),
             as_operand(slot_at<n + 2>(arguments...)), epilogue_at<S, n + 3>(arguments...)},
      functors_of(arguments...), as_operand(slot_at<Among::at(I)>(arguments...))...);
}

struct NoScratch {};

/// Whether contract<S> has a form for these arguments: factors, operands, perhaps functors, scratch
/// memory and an epilogue. It counts them, because nvcc rejects some valid calls in a
/// requires-expression.
template <Spec S, class... Arguments>
consteval bool is_contract_call() {
  constexpr int n = inputs_of<S> + functors_among<Arguments...>;
  int count = static_cast<int>(sizeof...(Arguments));
  if constexpr ((inputs_of<S> > 2 || functors_among<Arguments...> > 0) &&
                sizeof...(Arguments) > 0) {
    count -= AnyScratch<std::tuple_element_t<0, std::tuple<Arguments...>>>;
  }
  return n > 0 && (count == n + 3 || count == n + 4);
}

/// Runs the chain of a call that is_contract_call accepts.
template <Spec S, Level L, class First, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int contract_as_chain(const L& level, const First& first,
                                                  const Arguments&... arguments) {
  using Inputs = std::make_integer_sequence<int, inputs_of<S>>;
  if constexpr (AnyScratch<First>) {
    return split_chain<S>(level, first, Inputs{}, arguments...);
  } else {
    return split_chain<S>(level, NoScratch{}, Inputs{}, first, arguments...);
  }
}

template <Spec S, Choice R>
struct ContractRoutine;

/// Whether an epilogue stores its elements itself, and returns nothing.
template <class Epilogue, class C, int... D>
consteval bool returns_nothing(std::integer_sequence<int, D...>) {
  if constexpr (std::is_invocable_v<const Epilogue&, C, decltype(D)...>) {
    return std::is_void_v<std::invoke_result_t<const Epilogue&, C, decltype(D)...>>;
  } else {
    return false;
  }
}

/// The output of a call without one, for inputs with the letters of S: only its extents matter.
template <Spec S, class... Inputs>
struct OutputElsewhere {
  using Acc = accumulator_t<std::remove_const_t<typename Inputs::value_type>...>;
  static constexpr Parsed parsed = Parse<S>::value;
  static constexpr int rank = parsed.output.rank;

  static consteval bool have_ranks() {
    const int ranks[] = {Inputs::rank...};
    for (int i = 0; i < parsed.inputs; ++i) {
      if (ranks[i] != parsed.input[i].rank) return false;
    }
    return true;
  }

  /// The position of a dimension of the output in the inputs. It has a static extent if one input
  /// has one.
  struct Place {
    int input = -1;
    int dimension = 0;
    std::ptrdiff_t extent = dynamic;
  };
  static consteval Place place_of(int d) {
    const Dims dims[] = {dims_of(Inputs::shape)...};
    Place found;
    for (int i = 0; i < parsed.inputs; ++i) {
      for (int k = 0; k < dims[i].rank; ++k) {
        if (parsed.input[i].letter[k] == parsed.output.letter[d] &&
            (found.input < 0 || found.extent == dynamic)) {
          found = {i, k, dims[i].extent[k]};
        }
      }
    }
    return found;
  }
  static consteval StaticShape<rank> shape() {
    StaticShape<rank> result{};
    for (int d = 0; d < rank; ++d) result.extent[d] = place_of(d).extent;
    set_packed_strides(result, true);
    return result;
  }

  template <int... D>
  KOKKOS_FORCEINLINE_FUNCTION static auto make(std::integer_sequence<int, D...>,
                                               const Inputs&... inputs) {
    const int extent[rank > 0 ? rank : 1] = {extent_of<D>(inputs...)...};
    std::ptrdiff_t stride[rank > 0 ? rank : 1]{};
    std::ptrdiff_t next = 1;
    for (int d = rank - 1; d >= 0; --d) {
      stride[d] = next;
      next *= extent[d];
    }
    // An address that no code reads or writes, aligned for each type.
    return strided_t<Acc, shape()>(reinterpret_cast<Acc*>(std::uintptr_t{4096}), extent, stride);
  }
  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION static int extent_of(const Inputs&... inputs) {
    constexpr Place place = place_of(D);
    return slot_at<place.input>(inputs...).template extent<place.dimension>();
  }
};

template <Spec S, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION auto output_elsewhere(const Inputs&... inputs) {
  using Output = OutputElsewhere<S, Inputs...>;
  static_assert(Output::have_ranks(),
                "KokkosContract: an input has not as many dimensions as letters");
  return Output::make(std::make_integer_sequence<int, Output::rank>{}, inputs...);
}

/// Whether the last argument is elsewhere(...).
template <class... Arguments>
consteval bool has_elsewhere() {
  if constexpr (sizeof...(Arguments) > 0) {
    return is_elsewhere<std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>>;
  } else {
    return false;
  }
}

/// Runs a call with elsewhere(f) after the inputs as one with an output and the epilogue f. First
/// is the index of alpha, and the inputs follow it. J numbers the arguments before elsewhere(f).
template <Spec S, Choice R, int First, Level Lv, int... J, int... I, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int contract_elsewhere(const Lv& level,
                                                   std::integer_sequence<int, J...>,
                                                   std::integer_sequence<int, I...>,
                                                   const Arguments&... arguments) {
  constexpr int last = static_cast<int>(sizeof...(Arguments)) - 1;
  using Among = InputsAmong<First + 1, last - First - 1, Arguments...>;
  if constexpr (Parse<S>::value.fault == StringFault::none && Among::count == sizeof...(I)) {
    const auto output = output_elsewhere<S>(as_operand(slot_at<Among::at(I)>(arguments...))...);
    const auto& functor = slot_at<last>(arguments...).functor;
    using F = std::remove_cvref_t<decltype(functor)>;
    using Output = std::remove_cvref_t<decltype(output)>;
    static_assert(returns_nothing<F, typename Output::value_type>(
                      std::make_integer_sequence<int, Output::rank>{}),
                  "KokkosContract: elsewhere(functor) takes a functor of the value and its indices "
                  "that returns nothing");
    return ContractRoutine<S, R>::run(level, slot_at<J>(arguments...)..., 0, output, functor);
  } else {
    return ContractRoutine<S, R>::run(level);  // fails with a readable error
  }
}

/// Scratch bytes of a chain. Gpu: for a GPU's workers. Collective: for levels of teams, which take
/// lines. For other levels the result is enough for both algorithms.
template <bool Collective, bool Gpu, class Of, class Among, class... Operands, int... I>
KOKKOS_FORCEINLINE_FUNCTION std::size_t chain_bytes(std::integer_sequence<int, I...>,
                                                    const Operands&... operands) {
  constexpr int output = static_cast<int>(sizeof...(I));
  using Acc = chain_accumulator_t<Operands...>;
  using Types = ChainTypes<Acc, decltype(functors_of(operands...)), Gpu>;
  const auto pairs = [&] {
    return buffer_sizes<Of::value, Types>(as_operand(slot_at<Among::at(I)>(operands...))...)
        .total();
  };
  using Lines =
      LinesOf<Of, Acc, operand_t<std::tuple_element_t<Among::at(I), typename Among::List>>...,
              operand_t<std::tuple_element_t<Among::at(output), typename Among::List>>>;
  if constexpr (!Gpu) {
    return pairs();
  } else if constexpr (!Lines::possible) {
    return pairs();
  } else {
    const std::size_t lines = Lines::bytes(as_operand(slot_at<Among::at(I)>(operands...))...);
    return Collective || lines > pairs() ? lines : pairs();
  }
}

/// The chain of a string on inputs (perhaps with functors between them) and an output.
template <Spec S, class Among, class... Operands>
struct ChainOfOperands {
  static constexpr Marks marks = marks_of<Operands...>(0);
  template <int... I>
  static auto find(std::integer_sequence<int, I...>) {
    return ChainOf<S, marks,
                   operand_t<std::tuple_element_t<Among::at(I), typename Among::List>>::shape...>{};
  }
  using type = decltype(find(std::make_integer_sequence<int, inputs_of<S> + 1>{}));
};

template <Spec S, bool Collective, bool Gpu, class... Operands>
KOKKOS_FORCEINLINE_FUNCTION std::size_t scratch_bytes_as_is(const Operands&... operands) {
  constexpr int functors = functors_among<Operands...>;
  static_assert(sizeof...(Operands) == inputs_of<S> + 1 + functors,
                "KokkosContract: scratch_bytes takes the inputs and the output, with the pointwise "
                "functors between them");
  if constexpr (inputs_of<S> + functors > 2 || functors > 0) {
    using Among = InputsAmong<0, sizeof...(Operands), Operands...>;
    using Of = typename ChainOfOperands<S, Among, Operands...>::type;
    return chain_bytes<Collective, Gpu, Of, Among>(std::make_integer_sequence<int, inputs_of<S>>{},
                                                   operands...) +
           scratch_alignment;
  } else {
    return 0;
  }
}

/// scratch_bytes of a call whose last argument is elsewhere(f).
template <Spec S, bool Collective, bool Gpu, int... J, int... I, class... Operands>
KOKKOS_FORCEINLINE_FUNCTION std::size_t scratch_bytes_elsewhere(std::integer_sequence<int, J...>,
                                                                std::integer_sequence<int, I...>,
                                                                const Operands&... operands) {
  using Among = InputsAmong<0, static_cast<int>(sizeof...(J)), Operands...>;
  static_assert(Among::count == sizeof...(I),
                "KokkosContract: scratch_bytes takes as many inputs as the string has");
  return scratch_bytes_as_is<S, Collective, Gpu>(
      slot_at<J>(operands...)...,
      output_elsewhere<S>(as_operand(slot_at<Among::at(I)>(operands...))...));
}

/// Scratch bytes that a call needs, alignment included; 0 for one or two inputs without functors.
template <Spec S, bool Collective, bool Gpu, class... Operands>
KOKKOS_FORCEINLINE_FUNCTION std::size_t scratch_bytes(const Operands&... operands) {
  if constexpr (has_elsewhere<Operands...>()) {
    return scratch_bytes_elsewhere<S, Collective, Gpu>(
        std::make_integer_sequence<int, static_cast<int>(sizeof...(Operands)) - 1>{},
        std::make_integer_sequence<int, inputs_of<S>>{}, operands...);
  } else {
    if constexpr ((is_marked_view<Operands> || ...)) {
      // A call makes this test, too.
      if ((is_packed_view(operands) && ...)) {
        return scratch_bytes_as_is<S, Collective, Gpu>(packed_view(operands)...);
      }
    }
    return scratch_bytes_as_is<S, Collective, Gpu>(operands...);
  }
}

/// Whether scratch memory is for the workers of a GPU. These are the workers of Space. If Space is
/// void, they are those of the build's default space, if that is a GPU that reaches all operands. A
/// call on a host's memory takes the same amount as in a build without a GPU.
template <class Space, class... Operands>
consteval bool needs_scratch_of_gpu() {
  if constexpr (std::is_void_v<Space>) {
    using Default = Kokkos::DefaultExecutionSpace;
    return is_gpu<Default> && (reaches<Default, Operands> && ...);
  } else {
    return is_gpu<Space>;
  }
}

template <Spec S, bool Collective = false>
struct ScratchQuery {
  /// Scratch bytes that a call of this level needs on these inputs and this output, with its
  /// pointwise functors between them, alignment included. It is 0 for one or two inputs without
  /// functors. It is for the host, to size a TeamPolicy. Only extents, element types and padding of
  /// Views are read. Space is the kernel's execution space if it is given. Otherwise it is the
  /// default space, or a host space if the default space does not reach all operands.
  template <class Space = void, class... Operands>
  KOKKOS_INLINE_FUNCTION static std::size_t scratch_bytes(const Operands&... operands) {
    constexpr bool gpu = needs_scratch_of_gpu<Space, Operands...>();
    return Impl::scratch_bytes<S, Collective, gpu>(operands...);
  }
};

/// The role of each argument of a call: (perhaps scratch, alpha, inputs and functors..., beta,
/// output, perhaps an epilogue).
template <Spec S, class... Arguments>
struct ContractArguments {
  using List = std::tuple<Arguments...>;
  static constexpr int count = static_cast<int>(sizeof...(Arguments));
  static constexpr int alpha = AnyScratch<std::tuple_element_t<0, List>> ? 1 : 0;
  static constexpr int output = alpha + inputs_of<S> + functors_among<Arguments...> + 2;

  static consteval bool is_written() {
    if constexpr (output + 1 < count) {
      using C = operand_t<std::tuple_element_t<output, List>>;
      return !returns_nothing<std::tuple_element_t<output + 1, List>, typename C::value_type>(
          std::make_integer_sequence<int, C::rank>{});
    }
    return true;
  }
  /// The letters of argument I, an input, a kept tensor or the output. Other arguments have none.
  template <int I>
  static consteval Labels labels() {
    using A = std::tuple_element_t<I, List>;
    if constexpr (I == output) {
      return Parse<S>::value.output;
    } else if constexpr (I <= alpha || I + 1 >= output) {
      return {};
    } else if constexpr (!is_pointwise<A>) {
      constexpr bool functor[] = {is_pointwise<Arguments>...};
      int input = 0;
      for (int i = alpha + 1; i < I; ++i) input += functor[i] ? 0 : 1;
      return Parse<S>::value.input[input];
    } else if constexpr (is_kept<decltype(A::functor)>) {
      return A::pointwise_labels;
    } else {
      return {};
    }
  }
  /// Whether argument i is an input before a functor.
  static consteval bool is_before_functor(int i) {
    constexpr bool functor[] = {is_pointwise<Arguments>...};
    for (int k = i + 1; k < count; ++k) {
      if (functor[k]) return i > alpha;
    }
    return false;
  }
};

template <Spec S, Choice R = Choice{}>
struct ContractRoutine {
  static constexpr Signature signature{"Contract", 0};
  static constexpr auto string = S;
  static constexpr Choice request = R;
  static constexpr Parsed parsed = Parse<S>::value;
  template <class... Arguments>
  static consteval int first_written() {
    using Call = ContractArguments<S, Arguments...>;
    return Call::is_written() ? Call::output : Call::count;
  }
  template <int I, class... Arguments>
  static consteval Labels labels_of_argument() {
    return ContractArguments<S, Arguments...>::template labels<I>();
  }
  /// Whether the output may be input I itself.
  template <int I, class... Arguments>
  static consteval bool may_replace() {
    return ContractArguments<S, Arguments...>::is_before_functor(I);
  }
  static constexpr bool scales_product = inputs_of<S> == 2 && R.way == Way::best;
  static constexpr bool tells_packed_views = true;
  template <class Alpha, class A, class B, class Beta, class C>
  static consteval SmallPlans small_plans() {
    if constexpr (inputs_of<S> == 2 && R.way == Way::best && is_operand<C>) {
      return small_plans_of_operands<product_labels<S>, operand_t<A>, operand_t<B>, operand_t<C>>();
    } else {
      return {};
    }
  }
  /// The lines of a problem that the steps of more than two inputs take, for each value of the only
  /// dynamic index. It is 0 for other steps.
  template <class... Operands>
  static constexpr int lines_of_chain(const Operands&...) {
    using Among = InputsAmong<0, sizeof...(Operands), packed_view_t<Operands>...>;
    using Of = typename ChainOfOperands<S, Among, packed_view_t<Operands>...>::type;
    return Of::lines.possible ? Of::lines.lines : 0;
  }
  /// Runs a call. A call of the wrong form gets a readable error.
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    if constexpr (has_elsewhere<Arguments...>()) {
      constexpr int alpha = AnyScratch<std::tuple_element_t<0, std::tuple<Arguments...>>> ? 1 : 0;
      return contract_elsewhere<S, R, alpha>(
          level, std::make_integer_sequence<int, static_cast<int>(sizeof...(Arguments)) - 1>{},
          std::make_integer_sequence<int, inputs_of<S>>{}, arguments...);
    } else if constexpr (!is_contract_call<S, Arguments...>()) {
      static_assert(
          parsed.fault != StringFault::none || always_false<L>,
          "KokkosContract: the arguments of a contraction are (alpha, one operand for each "
          "input of the string, beta, C) and perhaps an epilogue, or elsewhere(functor) in place "
          "of beta, C and epilogue, with pointwise functors between the operands; more than two "
          "inputs need scratch memory before alpha");
      return extents_disagree;
    } else if constexpr (functors_among<Arguments...> > 0 || inputs_of<S> > 2) {
      static_assert(R.way == Way::best,
                    "KokkosContract: a way is asked for of one or two inputs without functors");
      return contract_as_chain<S>(level, arguments...);
    } else {
      constexpr int n = inputs_of<S>;
      return contract_labels<product_labels<S>, narrowest, R>(
          level, as_operand(slot_at<1>(arguments...)), as_operand(slot_at<n>(arguments...)),
          Update{slot_at<0>(arguments...), slot_at<n + 1>(arguments...),
                 as_operand(slot_at<n + 2>(arguments...)), epilogue_at<S, n + 3>(arguments...)});
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
