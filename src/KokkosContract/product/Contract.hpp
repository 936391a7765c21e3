// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_CONTRACT_HPP
#define KOKKOSCONTRACT_PRODUCT_CONTRACT_HPP

// contract_labels<L>(level, ...) lowers, chooses, plans and runs a product. It is the one
// implementation of all levels.

#include <KokkosContract/core/Misuse.hpp>
#include <KokkosContract/product/Choose.hpp>
#include <KokkosContract/product/OutputSlices.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <Spec S>
inline constexpr int inputs_of = Parse<S>::value.inputs;

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
template <ProductChoice Chosen, class Call>
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
      return execute<Chosen.left_to(Algorithm::otherwise)>(call);
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

/// The first wide mode of the output from mode `i` on, or the first mode of the sum.
template <int N>
consteval int wide_mode_from(const Nest<N>& nest, int i) {
  while (i < nest.begin(Class::sum) && !nest.wide[i]) ++i;
  return i;
}

/// Runs a call. Cuts the first wide mode of the output from mode From on, and those after it, into
/// parts that an int counts.
template <ProductChoice Chosen, int From = 0, class Call>
KOKKOS_FORCEINLINE_FUNCTION int run_pieces(const Call& call) {
  constexpr int mode = wide_mode_from(Call::nest, From);
  if constexpr (mode == Call::nest.begin(Class::sum)) {
    return execute<Chosen>(call);
  } else {
    auto& [level, loops, output, multiplies, x, y, c] = call;
    const std::ptrdiff_t extent = loops.extents[mode];
    std::ptrdiff_t at = 0;
    int info = 0;
    do {
      const std::ptrdiff_t piece = extent - at < most_extent ? extent - at : most_extent;
      loops.extents[mode] = piece;
      info = run_pieces<Chosen, mode + 1>(
          Call{level, loops, output, multiplies, x + at * loops.template x<mode>(),
               y + at * loops.template y<mode>(), c + at * loops.template c<mode>()});
      at += piece;
    } while (info == 0 && at < extent);
    loops.extents[mode] = extent;
    return info;
  }
}

/// Runs a call in slices of C. Each worker has whole slices, or a part of each slice if there are
/// too few indices. If C is not cut, all of it is one slice, so that there is one copy of the code.
template <ProductChoice Chosen, class Call>
KOKKOS_FORCEINLINE_FUNCTION int run_slices(const Call& call, const OutputSlices& slices) {
  using L = typename Call::L;
  auto& [level, loops, output, multiplies, x, y, c] = call;
  const bool cuts = slices.mode >= 0;
  const int mode = cuts ? slices.mode : 0;
  const CopiedLoops<Call::nest> all(loops);
  const std::ptrdiff_t extent = loops.extents[mode];
  const bool whole = cuts && extent >= 4 * static_cast<std::ptrdiff_t>(level.size());
  const L workers = whole ? L::alone() : level;
  const std::ptrdiff_t end = whole ? extent * (level.rank() + 1) / level.size() : extent;
  std::ptrdiff_t at = whole ? extent * level.rank() / level.size() : 0;
  int info = 0;
  do {
    const std::ptrdiff_t count = cuts && end - at > slices.count ? slices.count : end - at;
    loops.extents[mode] = count;
    info = run_pieces<Chosen>(Call{workers, loops, output, multiplies, x + at * all.x[mode],
                                   y + at * all.y[mode], c + at * all.c[mode]});
    at += count;
  } while (info == 0 && at < end);
  loops.extents[mode] = extent;
  return info;
}

/// The algorithm for a call, and how it runs. R: the request of the caller.
template <Choice R, class Call>
consteval ProductChoice choice_of() {
  using Acc = typename Call::Acc;
  using Output = typename Call::Output;
  using Atom = level_atom_t<typename Call::L, Acc, typename Call::X, typename Call::Y, R.accuracy>;
  constexpr Callers callers = callers_of<typename Call::L>();
  constexpr ProductFacts facts =
      facts_of<Atom, Acc, typename Call::OperandX, typename Call::OperandY,
               typename Call::OperandC>(callers, is_linear<Output>, Output::needs_indices);
  static_assert(!is_way_of(R.way, callers) || can_take<Atom>(R.way, Call::nest, facts),
                "KokkosContract: the way that is asked for cannot take this contraction; explain "
                "says which way it goes");
  return choose_product<Atom>(R, Call::nest, facts);
}

/// Runs a lowered contraction. Sums are accumulated in Acc. R: the request of the caller.
template <const Lowered& L, Nest S, class Acc, Choice R, Level Lv, class X, class Y, class U>
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
  const int fault = fault_of_factors<Acc, C>(update.alpha, update.beta);
  if (fault != 0) return fault;
  Loops<S> loops = reader.read();
  fold_all<S>(loops);
  const auto output = output_of<Acc>(
      update, modes_of_output<L>(std::make_integer_sequence<int, L.c_labels.rank>{}));

  using Call = ProductCall<S, Acc, Lv, X, Y, C, std::remove_const_t<decltype(output)>>;
  constexpr ProductChoice chosen = choice_of<R, Call>();
  const Call call{
      level, loops, output, needs_sums(output), x.data(), y.data(), update.output.data()};
  constexpr Callers callers = callers_of<Lv>();
  int info = 0;
  if constexpr (callers.are_team_of_warps()) {
    // Pieces would take registers of all calls.
    if (loops.template has_large_mode<S.begin(Class::sum)>()) return extent_too_large;
    info = execute<chosen>(call);
  } else if constexpr (requires { Lv::alone(); } && !callers.gpu &&
                       may_have_output_slices<C::rank>(L, S, C::shape)) {
    constexpr bool blocked = chosen.way == Way::blocked;
    info = run_slices<chosen>(call, slices_of_output<L, S, Acc, blocked, C>(loops));
  } else {
    info = run_pieces<chosen>(call);
  }
  level.barrier();
  return info;
}

/// Computes the product of inputs a and b with labels L. If L has one input, b is any operand of
/// its type, which is not read. Sums are accumulated in the widest type of the operands and of
/// Real. R: the request of the caller.
template <ProductLabels L, class Real = narrowest, Choice R = Choice{}, Level Lv, class A, class B,
          class U>
KOKKOSCONTRACT_INLINE_FUNCTION int contract_labels(const Lv& level, const A& a, const B& b,
                                                   const U& update) {
  using C = typename U::Output;
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
    constexpr bool merge = std::is_same_v<typename U::Epilogue, NoEpilogue>;
    using Low = Lowering<L, A::shape, B::shape, C::shape, merge>;
    constexpr ExtentClash clash = Low::value.clash;
    if constexpr (!clash.none()) {
      static_assert(extents_differ<clash.letter, clash.one, clash.other>::value);
    } else {
      using Acc =
          accumulator_t<std::remove_const_t<typename A::value_type>,
                        std::remove_const_t<typename B::value_type>, typename C::value_type, Real>;
      if constexpr (Low::value.swapped) {
        return contract_lowered<Low::value, Low::nest, Acc, R>(level, b, a, update);
      } else {
        return contract_lowered<Low::value, Low::nest, Acc, R>(level, a, b, update);
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

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
