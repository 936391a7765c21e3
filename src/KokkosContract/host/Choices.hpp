// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HOST_CHOICES_HPP
#define KOKKOSCONTRACT_HOST_CHOICES_HPP

// The algorithms that run the products of a call, for functions of the host that ask for them:
// team_policy and `explain`. They ask the list of product/Choose.hpp with the facts of the call.

#include <KokkosContract/chain/ContractRoutine.hpp>
#include <KokkosContract/dense/Gemm.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The callers at a level of a GPU (an execution space), or of a host (void). Workers of a GPU run
/// padded Views as a PlainLevel.
template <class GpuOrVoid>
consteval Callers callers_at(Workers workers, bool padded = false) {
  constexpr bool gpu = !std::is_void_v<GpuOrVoid>;
  const bool several = gpu && workers != Workers::serial;
  return {gpu,
          !several,
          several,
          several && workers == Workers::vector,
          warp_size_of<GpuOrVoid>,
          several && padded};
}

/// The stored value: alpha sum + beta C, the sum, or the value of a functor.
enum class Stored { linear, sum, functor };

/// A product of operands with letters L, or one operand alone. Sums are accumulated in the widest
/// type of the operands and of Real.
template <ProductLabels L, class OpA, class OpB, class OpC, class Real = narrowest>
struct HostProduct {
  using Ta = std::remove_const_t<typename OpA::value_type>;
  using Tb = std::remove_const_t<typename OpB::value_type>;
  using Tc = typename OpC::value_type;
  using Acc = accumulator_t<Ta, Tb, Tc, Real>;
  template <Stored S>
  using Low = Lowering<L, OpA::shape, OpB::shape, OpC::shape, S != Stored::functor>;

  static consteval Machine machine(const Callers& callers) {
    return machine_of<Acc, Ta, Tb, Tc>(callers);
  }

  /// The MMA instruction of an execution space; a host has none.
  template <class GpuOrVoid, class X, class Y, Accuracy A = Accuracy::full>
  struct AtomOf {
    using type = atom_for<machine_of_t<GpuOrVoid>, Acc, std::remove_const_t<typename X::value_type>,
                          std::remove_const_t<typename Y::value_type>, A>;
  };
  template <class X, class Y, Accuracy A>
  struct AtomOf<void, X, Y, A> {
    using type = NoAtom;
  };

  /// The choice by which callers run the product. R: the request of the caller.
  template <class GpuOrVoid, Stored S, Choice R = Choice{}>
  static consteval ProductChoice choice(const Callers& callers) {
    constexpr bool swapped = Low<S>::value.swapped;
    using X = std::conditional_t<swapped, OpB, OpA>;
    using Y = std::conditional_t<swapped, OpA, OpB>;
    using Atom = typename AtomOf<GpuOrVoid, X, Y, R.accuracy>::type;
    return choose_product<Atom>(
        R, Low<S>::nest,
        facts_of<Atom, Acc, X, Y, OpC>(callers, S == Stored::linear, S == Stored::functor));
  }
};

/// The algorithms of the products of a call, in their order.
struct ProductChoices {
  ProductChoice of[max_steps]{};
  int count = 0;

  constexpr void add(const ProductChoice& choice) { of[count++] = choice; }
  /// Whether some of the products have copies of inputs in the stage.
  [[nodiscard]] constexpr bool take_stage() const {
    for (int i = 0; i < count; ++i) {
      if (ProductAlgorithms::takes_stage(of[i])) return true;
    }
    return false;
  }
  /// The fewest workers that suffice for all products.
  [[nodiscard]] constexpr int least_workers() const {
    int least = 1;
    for (int i = 0; i < count; ++i) {
      const int of_product = ProductAlgorithms::least_workers(of[i]);
      least = of_product > least ? of_product : least;
    }
    return least;
  }
};

/// Types that are accessed by index.
template <int I, class... Types>
using type_at = std::tuple_element_t<I, std::tuple<Types...>>;

/// The steps of a chain, whose operands have these types.
template <const Chain& C, class Types, class Output>
struct HostChain {
  /// The type of the result of step N.
  template <int N, class... Slots>
  static consteval auto result() {
    constexpr Step step = C.step[N];
    if constexpr (N + 1 == C.steps) {
      return std::type_identity<Output>{};
    } else if constexpr (step.kept) {
      using Kept =
          decltype(list_at<step.functor>(std::declval<const typename Types::FunctorList&>()));
      return std::type_identity<typename std::remove_cvref_t<Kept>::KeptOperand>{};
    } else {
      using Result = decltype(intermediate_of<C, Types, N>(std::declval<const Slots&>()...));
      return std::type_identity<std::remove_const_t<Result>>{};
    }
  }
  /// Adds the choices from step N on. Slots are the inputs and the results of earlier steps.
  template <class GpuOrVoid, int N, class... Slots>
  static consteval void add(ProductChoices& choices, const Callers& callers) {
    constexpr Step step = C.step[N];
    constexpr bool two = step.b >= 0;
    constexpr bool last = N + 1 == C.steps;
    constexpr Stored stored =
        last ? Stored::linear : (step.functor >= 0 && !step.kept ? Stored::functor : Stored::sum);
    using X = type_at<step.a, Slots...>;
    using Y = std::conditional_t<two, type_at<two ? step.b : 0, Slots...>, no_operand_t<X>>;
    using Result = typename decltype(result<N, Slots...>())::type;
    constexpr ProductLabels labels{C.slot[step.a], second_labels<C, N>, C.slot[C.inputs + N], two};
    using Product = HostProduct<labels, X, Y, Result, typename Types::Real>;
    choices.add(Product::template choice<GpuOrVoid, stored>(callers));
    if constexpr (!last) add<GpuOrVoid, N + 1, Slots..., Result>(choices, callers);
  }
};

/// The products of a routine. choices<Gpu, Arguments...>(callers) returns the algorithms by which
/// callers of a GPU run the products of a call.
template <class Routine>
struct ProductsOf;

/// Contractions. It tests a member, because nvcc does not deduce a Spec in a partial
/// specialisation.
template <class Routine>
  requires requires { Routine::parsed; }
struct ProductsOf<Routine> {
  static constexpr Parsed parsed = Routine::parsed;

  /// Arguments are inputs and an output, with functors and kept tensors between them.
  template <class Gpu, class... Arguments>
  static consteval ProductChoices choices(const Callers& callers) {
    if constexpr (parsed.inputs == 2 && functors_among<Arguments...> == 0) {
      using Product = HostProduct<product_labels<Routine::string>, Arguments...>;
      ProductChoices one;
      one.add(Product::template choice<Gpu, Stored::linear, Routine::request>(callers));
      return one;
    } else {
      return of_chain<Gpu, Arguments...>(callers, std::make_integer_sequence<int, parsed.inputs>{});
    }
  }

 private:
  template <class Gpu, class... Arguments, int... I>
  static consteval ProductChoices of_chain(const Callers& callers,
                                           std::integer_sequence<int, I...>) {
    using Among = InputsAmong<0, static_cast<int>(sizeof...(Arguments)), Arguments...>;
    using Of = typename ChainOfOperands<Routine::string, Among, Arguments...>::type;
    using Acc = chain_accumulator_t<Arguments...>;
    using Functors = decltype(functors_of(std::declval<const Arguments&>()...));
    using Output = type_at<Among::at(parsed.inputs), Arguments...>;
    ProductChoices all;
    if constexpr (Of::value.fault == ChainFault::none && Of::extents.clash.none()) {
      if (callers.are_team_of_warps() && !callers.of_thread &&
          LinesOf<Of, Acc, type_at<Among::at(I), Arguments...>..., Output>::possible) {
        for (int n = 0; n < Of::value.steps; ++n) all.add({Way::lines});
      } else {
        HostChain<Of::value, ChainTypes<Acc, Functors, true>,
                  Output>::template add<Gpu, 0, type_at<Among::at(I), Arguments...>...>(all,
                                                                                        callers);
      }
    }
    return all;
  }
};

/// Routines of one product. They provide the letters of its operands.
template <class Routine>
  requires requires { Routine::template labels<0>(true); }
struct ProductsOf<Routine> {
  template <class Gpu, class A, class B, class C>
  static consteval ProductChoices choices(const Callers& callers) {
    using Product =
        HostProduct<ProductLabels{labels<0, A>(), labels<1, B>(), labels<2, C>()}, A, B, C>;
    ProductChoices one;
    one.add(Product::template choice<Gpu, Stored::linear>(callers));
    return one;
  }

 private:
  /// The letters of an operand. An operand with the rank of a batch has the letter of the batch.
  template <int I, class Op>
  static consteval Labels labels() {
    constexpr Labels of_batch = Routine::template labels<I>(true);
    return Op::rank == of_batch.rank ? of_batch : Routine::template labels<I>(false);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
