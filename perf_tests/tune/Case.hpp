// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_TESTS_TUNE_CASE_HPP
#define KOKKOSCONTRACT_PERF_TESTS_TUNE_CASE_HPP

// A program of scripts/tune: verifies and times the candidates for one contraction, in alternation,
// and prints a line for each.

#include <KokkosContract/TeamPolicy.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "Candidates.hpp"
#include "Reference.hpp"

namespace KokkosContract::Tune {

using Space = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<Space>::member_type;
using Impl::Workers;

template <class Data, class Layout>
using Operand = Kokkos::View<Data, Layout, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The elements of one problem.
template <class V>
inline constexpr int elements_of = [] {
  int size = 1;
  for (const std::ptrdiff_t extent : Impl::operand_t<V>::shape.extent) {
    if (extent != dynamic) size *= static_cast<int>(extent);
  }
  return size;
}();
template <class V>
  requires(V::rank() == 0)
inline constexpr int elements_of<V> = 1;

/// The operands of all problems.
template <class T>
struct Memory {
  Kokkos::View<T*, Space> a, b, c;
  int problems = 0;
};

/// Calls routines for the problems whose operands begin at a, b and c. With a batch the Views have
/// the problems as their first dimension.
template <class A, class B, class C, bool Two>
struct Problems {
  using T = typename C::value_type;
  static constexpr bool batch = C::rank_dynamic == 1;
  const T* a;
  const T* b;
  T* c;

  template <class V, class X>
  KOKKOS_FORCEINLINE_FUNCTION static V view(X* begin, int p, int count) {
    if constexpr (batch) {
      return V(begin + static_cast<std::ptrdiff_t>(p) * elements_of<V>, count);
    } else {
      return V(begin + static_cast<std::ptrdiff_t>(p) * elements_of<V>);
    }
  }
  /// Problems p to p + count - 1; one problem without a batch.
  template <class Op, class... MemberOrNone>
  KOKKOS_FORCEINLINE_FUNCTION void run(int p, int count, const MemberOrNone&... member) const {
    const A x = view<A>(a, p, count);
    const C to = view<C>(c, p, count);
    if constexpr (Two) {
      static_cast<void>(Op::invoke(member..., T(1), x, view<B>(b, p, count), T(0), to));
    } else {
      static_cast<void>(Op::invoke(member..., T(1), x, T(0), to));
    }
  }
};

template <class Op, class P>
struct SerialKernel {
  P problems;
  KOKKOS_FUNCTION void operator()(int p) const { problems.template run<Op>(p, 1); }
};
template <class Op, class P, bool OfThreads>
struct TeamKernel {
  P problems;
  TeamProblems all;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto mine = problems_of(member, all);
    if constexpr (OfThreads) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, mine.first, mine.second),
                           [&](int p) { problems.template run<Op>(p, 1, member); });
    } else if constexpr (P::batch) {
      problems.template run<Op>(mine.first, mine.second - mine.first, member);
    } else {
      for (int p = mine.first; p < mine.second; ++p) problems.template run<Op>(p, 1, member);
    }
  }
};

/// The operand of a View whose strides are those of an array. Such Views have code of their own on
/// a GPU, and on a host if they are small.
template <class V>
using packed_operand_t =
    std::remove_cvref_t<decltype(Impl::as_packed(Impl::as_operand(std::declval<const V&>())))>;

/// A contraction of Views of these types. If it has one input, B is a View of rank 0.
template <Spec S, Workers W, class A, class B, class C>
struct Case {
  using T = typename C::value_type;
  static constexpr bool two = Impl::inputs_of<S> == 2;
  using AllProblems = Problems<A, B, C, two>;

  // --- What the library knows about the product ---

  using Machine = std::conditional_t<KOKKOSCONTRACT_GPU_COMPILER, Space, void>;
  static constexpr bool packed =
      KOKKOSCONTRACT_GPU_COMPILER ||
      (Impl::Argument<A>::is_small && Impl::Argument<B>::is_small && Impl::Argument<C>::is_small);
  template <class V>
  using operand = std::conditional_t<packed, packed_operand_t<V>, Impl::operand_t<V>>;
  using OpA = operand<A>;
  using OpB = std::conditional_t<two, operand<B>, OpA>;
  using OpC = operand<C>;
  using Product = Impl::HostProduct<Impl::product_labels<S>, OpA, OpB, OpC>;
  using Low = typename Product::template Low<Impl::Stored::linear>;
  using X = std::conditional_t<Low::value.swapped, OpB, OpA>;
  using Y = std::conditional_t<Low::value.swapped, OpA, OpB>;
  using Atom = typename Product::template AtomOf<Machine, X, Y>::type;
  static constexpr Impl::Callers callers = Impl::callers_at<Machine>(W);
  static constexpr Impl::ProductFacts facts =
      Impl::facts_of<Atom, typename Product::Acc, X, Y, OpC>(callers, true, false);
  static constexpr Candidates found = candidates<Atom>(Low::nest, facts, Product::machine(callers));
  static constexpr Impl::ProductText text = Impl::text_of_product(Low::nest);
  static constexpr Way best = Impl::choose_product<Atom>(Low::nest, facts).way;

  // --- The measurement ---

  template <Choice R>
  static void run(const Memory<T>& memory) {
    const AllProblems all{memory.a.data(), memory.b.data(), memory.c.data()};
    if constexpr (W == Workers::serial) {
      using Op = SerialContract<S, R>;
      Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, memory.problems),
                           SerialKernel<Op, AllProblems>{all});
    } else {
      using Op = std::conditional_t<
          W == Workers::vector, VectorContract<S, R>,
          std::conditional_t<W == Workers::team, TeamContract<S, R>, TeamVectorContract<S, R>>>;
      const int count = AllProblems::batch ? memory.problems : 1;
      const auto a = AllProblems::template view<A>(all.a, 0, count);
      const auto c = AllProblems::template view<C>(all.c, 0, count);
      const auto launch = [&](const auto& plan) {
        Kokkos::parallel_for(plan.policy,
                             TeamKernel<Op, AllProblems, W == Workers::vector>{all, plan});
      };
      if constexpr (two) {
        const auto b = AllProblems::template view<B>(all.b, 0, count);
        launch(team_policy<Op>(Space(), memory.problems, a, b, c));
      } else {
        launch(team_policy<Op>(Space(), memory.problems, a, c));
      }
    }
  }

  using Run = void (*)(const Memory<T>&);
  template <int... I>
  static std::vector<Run> runs(std::integer_sequence<int, I...>) {
    return {run<found.of[I]>...};
  }

  /// Problems that fill half of a core's L2 cache, or a part of a GPU's memory.
  static Memory<T> make_memory() {
    const std::size_t bytes =
        sizeof(T) * (elements_of<A> + elements_of<C> + (two ? elements_of<B> : 0));
    const std::size_t all = std::size_t{1} << (KOKKOSCONTRACT_GPU_COMPILER ? 28 : 18);
    Memory<T> memory;
    memory.problems = static_cast<int>(std::max<std::size_t>(2, all / bytes));
    std::uint32_t state = 1;
    const auto make = [&](const char* name, int size) {
      Kokkos::View<T*, Space> made(name, static_cast<std::size_t>(size) * memory.problems);
      const auto host = Kokkos::create_mirror_view(made);
      for (std::size_t i = 0; i < host.extent(0); ++i) {
        state = state * 1664525u + 1013904223u;
        host(i) = T(static_cast<double>(state >> 8) * 0x1p-23 - 1);
      }
      Kokkos::deep_copy(made, host);
      return made;
    };
    memory.a = make("a", elements_of<A>);
    memory.b = make("b", elements_of<B>);
    memory.c = make("c", elements_of<C>);
    return memory;
  }

  /// Whether a candidate computes what plain loops compute.
  static bool is_right(Run run, const Memory<T>& memory) {
    Kokkos::deep_copy(memory.c, T(std::numeric_limits<double>::quiet_NaN()));
    run(memory);
    Kokkos::fence();
    const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory.a);
    const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory.b);
    const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory.c);
    constexpr Impl::ProductLabels labels = Impl::product_labels<S>;
    const int count = memory.problems;
    Reference<T> reference;
    reference.a = Tensor<T>(labels.a, AllProblems::template view<A>(a.data(), 0, count));
    reference.c = Tensor<T>(labels.c, AllProblems::template view<C>(c.data(), 0, count));
    if (two) reference.b = Tensor<T>(labels.b, AllProblems::template view<B>(b.data(), 0, count));
    return reference.agrees();
  }

  static double seconds(Run run, const Memory<T>& memory, int repeats) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) run(memory);
    Kokkos::fence();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return passed.count() / repeats;
  }

  /// Prints a line for each candidate: the workers, type and product of a table, the algorithm and
  /// its tile, the rate by its shortest time in GFLOP/s (GB/s without products), and that rate and
  /// the median rate relative to the model's choice. `work`: flops or bytes of a problem.
  static int measure(int rounds, double work) {
    const std::vector<Run> all = runs(std::make_integer_sequence<int, found.count>{});
    const Memory<T> memory = make_memory();
    for (const Run run : all) {
      if (!is_right(run, memory)) {
        std::fprintf(stderr, "a candidate gives a wrong result\n");
        return 1;
      }
    }
    const int repeats = std::max(1, static_cast<int>(1e-3 / seconds(all[0], memory, 2)));
    std::vector<std::vector<double>> times(all.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        times[i].push_back(seconds(all[i], memory, repeats));
      }
    }
    const auto least = [&](std::size_t i) {
      return *std::min_element(times[i].begin(), times[i].end());
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<double> ratios;
      for (int round = 0; round < rounds; ++round)
        ratios.push_back(times[0][round] / times[i][round]);
      std::sort(ratios.begin(), ratios.end());
      const Choice choice = found.of[i];
      std::printf("%s\t%s\t%s\t%s\t%d\t%d\t%.2f\t%.3f\t%.3f\n", Impl::text_of_workers(facts),
                  facts.type, text.text, name_of(choice.way == Way::best ? best : choice.way),
                  choice.tile.rows, choice.tile.cols, work * memory.problems / least(i) * 1e-9,
                  least(0) / least(i), ratios[ratios.size() / 2]);
    }
    return 0;
  }
};

}  // namespace KokkosContract::Tune

#endif
