// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_CONTRACT_HPP
#define KOKKOSCONTRACT_PRODUCT_CONTRACT_HPP

// contract<S>(level, ...) lowers, chooses, plans and runs a product. It is the one implementation
// of all levels.

#include <KokkosContract/core/Codes.hpp>
#include <KokkosContract/core/Misuse.hpp>
#include <KokkosContract/product/Choose.hpp>
#include <KokkosContract/product/OutputSlices.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <Spec S>
inline constexpr int inputs_of = Parse<S>::value.inputs;

/// Stands for an absent epilogue.
struct NoEpilogue {};
/// Stands for an output that takes the sums as they are: no factors.
struct Copy {};

/// How sums change an output: C = epilogue(alpha * sum + beta * C). The members refer to the
/// arguments of a call.
template <class AlphaOfCall, class BetaOfCall, class OutputOfCall, class EpilogueOfCall>
struct Update {
  using Output = OutputOfCall;
  using Epilogue = EpilogueOfCall;
  const AlphaOfCall& alpha;
  const BetaOfCall& beta;
  const OutputOfCall& output;
  const EpilogueOfCall& epilogue;
};
template <class Alpha, class Beta, class Output, class Epilogue>
Update(const Alpha&, const Beta&, const Output&, const Epilogue&)
    -> Update<Alpha, Beta, Output, Epilogue>;

/// The letters of a product's two inputs and output. There may be one input alone.
struct ProductLabels {
  Labels a;
  Labels b;
  Labels c;
  bool two = true;
};

/// The lowering of a string on operands of these shapes.
template <ProductLabels L, StaticShape SA, StaticShape SB, StaticShape SC, bool Merge>
struct Lowering {
  static constexpr Lowered value =
      lower(L.a, L.b, L.c, dims_of(SA), dims_of(SB), dims_of(SC), L.two, Merge);
  static constexpr auto nest = make_nest<total_modes(value)>(value, L.two, Merge);
};

/// Runs a product that a plan for small products covers. Returns 0, or not_covered minus the number
/// of the plan to try next.
template <class Call>
KOKKOSCONTRACT_INLINE_FUNCTION int execute_small(const Call& call) {
  using L = typename Call::L;
  using Output = typename Call::Output;
  constexpr Nest nest = Call::nest;
  constexpr SmallPlans plans = small_plans(nest, Call::machine);
  const auto& loops = call.loops;
  const int rows = nest.of(Class::row) > 0 ? loops.template extent<nest.begin(Class::row)>() : 1;
  const int cols = loops.template extent<nest.begin(Class::col)>();
  const int sums = loops.template extent<nest.begin(Class::sum)>();
  if constexpr (L::small_plan >= 0) {
    constexpr SmallPlan small = plans.plan[L::small_plan];
    if (small.covers(rows, cols, sums) && (!small.plan.overlaps || may_repeat(call.output))) {
      Executor<nest, small.plan, typename Call::Acc, typename Call::X, typename Call::Y,
               typename Call::C, Output>{{loops, call.output, call.multiplies}}
          .run(call.level, call.x, call.y, call.c);
      return 0;
    }
  }
  return not_covered - plans.template next<L::small_plan>(rows, cols, sums);
}

/// Runs the chosen algorithm, and then the one that takes the products that it leaves. Returns a
/// code, or the result of execute_small.
template <Choice Chosen, class Call>
KOKKOSCONTRACT_INLINE_FUNCTION int execute(const Call& call) {
  if constexpr (requires { Call::L::small_plan; }) {
    return execute_small(call);
  } else {
    using Algorithm = algorithm_t<Chosen.way>;
    const int info = Algorithm::template run<Chosen>(call);
    if constexpr (is_emulated_level<typename Call::L>) {
      if (info != not_taken)
        level_machine_t<typename Call::L>::record(static_cast<int>(Chosen.way));
    }
    if constexpr (Algorithm::otherwise == Algorithm::way) {
      return info;
    } else {
      if (info != not_taken) return info;
      return execute<Choice{Algorithm::otherwise, Chosen.staged}>(call);
    }
  }
}

/// The modes of a nest in the order of the output's dimensions.
template <const Lowered& L, int... D>
consteval auto modes_of_output(std::integer_sequence<int, D...>) {
  [[maybe_unused]] constexpr auto mode_of = [](int d) {
    int i = 0;
    for (int k = 0; k < classes; ++k) {
      for (int m = 0; m < L.count[k]; ++m, ++i) {
        if (L.mode[k][m].letter[0] == L.c_labels.letter[d]) return i;
      }
    }
    return -1;
  };
  return std::integer_sequence<int, mode_of(D)...>{};
}

/// The code of a misuse in the factors of an output C, whose sums are accumulated in Acc; 0 if
/// there is none.
template <class Acc, class C, class Alpha, class Beta>
KOKKOS_FORCEINLINE_FUNCTION int fault_of_factors(const Alpha& alpha, const Beta& beta) {
  if (!keeps_value<Acc>(alpha) || !keeps_value<Acc>(beta)) return factor_is_no_integer;
  if constexpr (C::atomic) {
    using Factor = factor_t<Acc, Beta>;
    if (!(factor<Factor>(beta) == Factor(1))) return atomic_needs_beta_one;
  }
  return 0;
}

/// Calls go(output, multiplies). output.put stores a sum in C, and there are sums unless alpha is
/// zero. Order[d] is the index of C's dimension d among the indices that `put` gets, for an
/// epilogue.
template <class Acc, int... Order, class Alpha, class Beta, class C, class Epilogue, class Go>
KOKKOS_FORCEINLINE_FUNCTION int with_output(const Update<Alpha, Beta, C, Epilogue>& update,
                                            std::integer_sequence<int, Order...>, const Go& go) {
  const auto& [alpha, beta, c, epilogue] = update;
  using FactorA = factor_t<Acc, Alpha>;
  using FactorB = factor_t<Acc, Beta>;
  const int fault = fault_of_factors<Acc, C>(alpha, beta);
  if (fault != 0) return fault;
  const auto fa = factor<FactorA>(alpha);
  const auto fb = factor<FactorB>(beta);
  if constexpr (C::atomic) {
    static_assert(std::is_same_v<Epilogue, NoEpilogue>,
                  "KokkosContract: an atomic output takes no epilogue");
    return go(AtomicOutput<Acc, FactorA>{fa}, !is_zero(fa));
  } else if constexpr (!std::is_same_v<Epilogue, NoEpilogue>) {
    return go(
        EpilogueOutput<Acc, FactorA, FactorB, Epilogue, Order...>{fa, fb, !is_zero(fb), epilogue},
        !is_zero(fa));
  } else if constexpr (is_constant<Alpha> && is_constant<Beta>) {
    if constexpr (Beta::value == 0) {
      static_assert(Alpha::value == 1);
      return go(CopyOutput<Acc>{}, true);
    } else {
      static_assert(Alpha::value == -1 && Beta::value == 1);
      return go(SubtractOutput<Acc>{}, true);
    }
  } else {
    return go(LinearOutput<Acc, FactorA, FactorB>{fa, fb, !is_zero(fb)}, !is_zero(fa));
  }
}

/// The slices in which all threads of a host compute an output C. `contract` and `explain` call
/// this function. Blocked: products that are large enough have packed blocks, and no slices.
template <const Lowered& L, Nest S, class Acc, bool Blocked, class C>
KOKKOS_FORCEINLINE_FUNCTION OutputSlices slices_of_output([[maybe_unused]] const Loops<S>& loops) {
  if constexpr (may_have_output_slices<C::rank>(L, S, C::shape)) {
    if constexpr (Blocked) {
      if (blocking_pays<Acc, S>(loops)) return {};
    }
    return output_slices<S>(loops, sizeof(Acc));
  }
  return {};
}

/// Runs the algorithm of a contraction, whose sums are accumulated in Acc, when its output is
/// known.
/// It is no lambda, because nvcc does not tell the host compiler that a lambda is to be inlined.
template <const Lowered& L, Nest S, class Acc, Way W, Level Lv, class X, class Y, class C>
struct LoweredRun {
  using Atom = level_atom_t<Lv, Acc, std::remove_const_t<typename X::value_type>,
                            std::remove_const_t<typename Y::value_type>>;

  static constexpr Callers callers = callers_of<Lv>();
  template <class Output>
  static consteval ProductFacts facts() {
    return facts_of<Atom, Acc, X, Y, C>(callers, is_linear<Output>, Output::needs_indices);
  }

  const Lv& level;
  Loops<S>& loops;
  const X& x;
  const Y& y;
  const C& c;

  template <class Output>
  KOKKOS_FORCEINLINE_FUNCTION int operator()(const Output& output, bool multiplies) const {
    if constexpr (requires { Lv::alone(); } && !callers.gpu &&
                  may_have_output_slices<C::rank>(L, S, C::shape)) {
      return in_slices(output, multiplies, std::make_integer_sequence<int, Loops<S>::size>{});
    } else {
      return in_pieces<wide_from(0)>(output, multiplies, 0, 0, 0);
    }
  }

 private:
  /// Runs the slices of C. Each worker has whole slices, or a part of each slice if there are too
  /// few indices. If C is not cut, all of it is one slice, so that there is one copy of the code.
  template <class Output, int... I>
  KOKKOS_FORCEINLINE_FUNCTION int in_slices(const Output& output, bool multiplies,
                                            std::integer_sequence<int, I...>) const {
    constexpr bool blocked = choose_product<Atom>(W, S, facts<Output>()).way == Way::blocked;
    const OutputSlices slices = slices_of_output<L, S, Acc, blocked, C>(loops);
    const bool cuts = slices.mode >= 0;
    const int mode = cuts ? slices.mode : 0;
    const std::ptrdiff_t xs[]{loops.template x<I>()...};
    const std::ptrdiff_t ys[]{loops.template y<I>()...};
    const std::ptrdiff_t cs[]{loops.template c<I>()...};
    const std::ptrdiff_t extent = loops.extents[mode];
    const bool whole = cuts && extent >= 4 * static_cast<std::ptrdiff_t>(level.size());
    const Lv workers = whole ? Lv::alone() : level;
    const std::ptrdiff_t end = whole ? extent * (level.rank() + 1) / level.size() : extent;
    const LoweredRun run{workers, loops, x, y, c};
    std::ptrdiff_t at = whole ? extent * level.rank() / level.size() : 0;
    int info = 0;
    do {
      const std::ptrdiff_t count = cuts && end - at > slices.count ? slices.count : end - at;
      loops.extents[mode] = count;
      info = run.template in_pieces<wide_from(0)>(output, multiplies, at * xs[mode], at * ys[mode],
                                                  at * cs[mode]);
      at += count;
    } while (info == 0 && at < end);
    loops.extents[mode] = extent;
    return info;
  }

  /// The first wide mode of the output from mode `i` on, or the first mode of the sum.
  static consteval int wide_from(int i) {
    while (i < S.begin(Class::sum) && !S.wide[i]) ++i;
    return i;
  }

  /// Cuts wide mode I of the output and those after it into parts that an int counts. A team of a
  /// GPU refuses outputs that are too large, because the cut would take registers of all calls. The
  /// operands begin at these offsets.
  template <int I, class Output>
  KOKKOS_FORCEINLINE_FUNCTION int in_pieces(const Output& output, bool multiplies,
                                            std::ptrdiff_t in_x, std::ptrdiff_t in_y,
                                            std::ptrdiff_t in_c) const {
    if constexpr (I == S.begin(Class::sum)) {
      return run(output, multiplies, x.data() + in_x, y.data() + in_y, c.data() + in_c);
    } else if constexpr (callers.are_team_of_warps()) {
      if (loops.extents[I] > most_extent) return extent_too_large;
      return in_pieces<wide_from(I + 1)>(output, multiplies, in_x, in_y, in_c);
    } else {
      const std::ptrdiff_t extent = loops.extents[I];
      std::ptrdiff_t at = 0;
      int info = 0;
      do {
        const std::ptrdiff_t piece = extent - at < most_extent ? extent - at : most_extent;
        loops.extents[I] = piece;
        info = in_pieces<wide_from(I + 1)>(output, multiplies, in_x + at * loops.template x<I>(),
                                           in_y + at * loops.template y<I>(),
                                           in_c + at * loops.template c<I>());
        at += piece;
      } while (info == 0 && at < extent);
      loops.extents[I] = extent;
      return info;
    }
  }

  template <class Output>
  KOKKOS_FORCEINLINE_FUNCTION int run(const Output& output, bool multiplies,
                                      typename X::value_type* from_x,
                                      typename Y::value_type* from_y,
                                      typename C::value_type* to) const {
    static_assert(!is_way_of(W, callers) || can_take<Atom>(W, S, facts<Output>()),
                  "KokkosContract: the way that is asked for cannot take this contraction; explain "
                  "says which way it goes");
    constexpr Choice chosen = choose_product<Atom>(W, S, facts<Output>());
    using Call = ProductCall<S, Acc, Lv, X, Y, C, Output>;
    const int info = execute<chosen>(Call{level, loops, output, multiplies, from_x, from_y, to});
    level.barrier();
    return info;
  }
};

/// Runs a lowered contraction. Sums are accumulated in Acc. W: the requested algorithm.
template <const Lowered& L, Nest S, class Acc, Way W, Level Lv, class X, class Y, class U>
KOKKOSCONTRACT_INLINE_FUNCTION int contract_lowered(const Lv& level, const X& x, const Y& y,
                                                    const U& update) {
  using C = typename U::Output;
  using Tc = typename C::value_type;
  static_assert(is_complex<scalar_t<Tc>> || !is_complex<scalar_t<Acc>>,
                "KokkosContract: a contraction of complex inputs needs a complex output");
  static_assert(is_pack<Tc> || !is_pack<Acc>,
                "KokkosContract: a contraction of packs needs an output of packs");

  const Reader<L, S, X, Y, C> reader{x, y, update.output};
  if (!reader.extents_agree()) return extents_disagree;
  Loops<S> loops = reader.read();
  fold_all<S>(loops);

  const LoweredRun<L, S, Acc, W, Lv, X, Y, C> go{level, loops, x, y, update.output};
  if constexpr (std::is_same_v<typename U::Epilogue, Copy>) {
    static_assert(!C::atomic, "KokkosContract: Reshape has no atomic output");
    return go(CopyOutput<Acc>{}, true);
  } else {
    constexpr auto order = modes_of_output<L>(std::make_integer_sequence<int, L.c_labels.rank>{});
    return with_output<Acc>(update, order, go);
  }
}

/// Computes the product of inputs a and b with labels L. If L has one input, b is ignored. Sums are
/// accumulated in the widest type of the operands and of Real. W: the requested algorithm.
template <ProductLabels L, class Real = narrowest, Way W = Way::best, Level Lv, class A, class B,
          class U>
KOKKOSCONTRACT_INLINE_FUNCTION int contract_labels(const Lv& level, const A& a, const B& b,
                                                   const U& update) {
  using C = typename U::Output;
  using Epilogue = typename U::Epilogue;
  static_assert(A::rank == L.a.rank,
                "KokkosContract: the first input has not as many dimensions as letters");
  static_assert(!L.two || B::rank == L.b.rank,
                "KokkosContract: the second input has not as many dimensions as letters");
  static_assert(C::rank == L.c.rank,
                "KokkosContract: the output has not as many dimensions as letters");
  static_assert(!std::is_const_v<typename C::value_type>,
                "KokkosContract: the output is an operand of const elements");
  if constexpr (A::rank == L.a.rank && (!L.two || B::rank == L.b.rank) && C::rank == L.c.rank &&
                !std::is_const_v<typename C::value_type>) {
    constexpr bool merge = std::is_same_v<Epilogue, NoEpilogue> || std::is_same_v<Epilogue, Copy>;
    using Low = Lowering<L, A::shape, B::shape, C::shape, merge>;
    constexpr ExtentClash clash = Low::value.clash;
    if constexpr (!clash.none()) {
      static_assert(extents_differ<clash.letter, clash.one, clash.other>::value);
    } else {
      using Acc =
          accumulator_t<std::remove_const_t<typename A::value_type>,
                        std::remove_const_t<typename B::value_type>, typename C::value_type, Real>;
      if constexpr (Low::value.swapped) {
        return contract_lowered<Low::value, Low::nest, Acc, W>(level, b, a, update);
      } else {
        return contract_lowered<Low::value, Low::nest, Acc, W>(level, a, b, update);
      }
    }
  }
  return extents_disagree;
}

/// The letters of a string with one or two inputs.
template <Spec S>
inline constexpr ProductLabels product_labels{
    Parse<S>::value.input[0], inputs_of<S> == 2 ? Parse<S>::value.input[1] : Labels{},
    Parse<S>::value.output, inputs_of<S> == 2};

/// The slices in which `contract` computes an output on a host.
template <Spec S, class A, class B, class C>
OutputSlices output_slices_of(const A& a, const B& b, const C& c) {
  using Low = Lowering<product_labels<S>, A::shape, B::shape, C::shape, true>;
  using Acc = accumulator_t<std::remove_const_t<typename A::value_type>,
                            std::remove_const_t<typename B::value_type>, typename C::value_type>;
  const auto of = [&]<class X, class Y>(const X& x, const Y& y) {
    constexpr Callers threads{.single_worker = false};
    constexpr ProductFacts facts = facts_of<NoAtom, Acc, X, Y, C>(threads, true, false);
    constexpr bool blocked = choose_product<NoAtom>(Low::nest, facts).way == Way::blocked;
    Loops<Low::nest> loops = Reader<Low::value, Low::nest, X, Y, C>{x, y, c}.read();
    fold_all<Low::nest>(loops);
    return slices_of_output<Low::value, Low::nest, Acc, blocked, C>(loops);
  };
  if constexpr (Low::value.swapped) {
    return of(b, a);
  } else {
    return of(a, b);
  }
}

/// The plans for small products of two host operands with labels L.
template <ProductLabels L, class A, class B, class C>
consteval SmallPlans small_plans_of_operands() {
  if constexpr (A::rank == L.a.rank && B::rank == L.b.rank && C::rank == L.c.rank) {
    using Low = Lowering<L, A::shape, B::shape, C::shape, true>;
    using Ta = std::remove_const_t<typename A::value_type>;
    using Tb = std::remove_const_t<typename B::value_type>;
    using Tc = std::remove_const_t<typename C::value_type>;
    if constexpr (Low::value.clash.none()) {
      return small_plans(Low::nest, machine_of<accumulator_t<Ta, Tb, Tc>, Ta, Tb, Tc>(Callers{}));
    }
  }
  return {};
}

/// Computes the sums of a string S with two inputs or one.
template <Spec S, Way W = Way::best, Level Lv, class A, class B, class U>
  requires(inputs_of<S> == 2)
KOKKOSCONTRACT_INLINE_FUNCTION int contract(const Lv& level, const A& a, const B& b,
                                            const U& update) {
  return contract_labels<product_labels<S>, narrowest, W>(level, as_operand(a), as_operand(b),
                                                          update);
}
template <Spec S, Way W = Way::best, Level Lv, class A, class U>
  requires(inputs_of<S> == 1)
KOKKOSCONTRACT_INLINE_FUNCTION int contract(const Lv& level, const A& a, const U& update) {
  const strided_t<const value_t<A>, StaticShape<0>{}> none{};
  return contract_labels<product_labels<S>, narrowest, W>(level, as_operand(a), none, update);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
