// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs of another kind: through an epilogue, atomic; and misuse that is found at run time, when
// the output stays as it is.
#include <gtest/gtest.h>

#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/Gemv.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/Pointwise.hpp>
#include <KokkosContract/Reshape.hpp>
#include <KokkosContract/Trsm.hpp>
#include <KokkosContract/Trsv.hpp>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class Epilogue : public testing::Test {};
TYPED_TEST_SUITE(Epilogue, Levels, LevelNames);

// --- Epilogues
// ------------------------------------------------------------------------------------

/// Doubles (exactly), adds a function of the indices (exact, too, but for the sum), counts its
/// calls.
template <class CountView>
struct TwicePlusIndex {
  CountView calls;
  KOKKOS_FUNCTION double operator()(double value, int i, int j, int k) const {
    Kokkos::atomic_inc(&calls(i, j, k));
    return 2 * value + (100 * i + 10 * j + k);
  }
};

// A partial specialisation that deduced S would be beyond nvcc.
template <Spec S>
struct EpilogueOf {
  template <class OutputView, class CountView, class... InputViews>
  struct Functor;
  template <class OutputView, class CountView, class A>
  struct Functor<OutputView, CountView, A> {
    double alpha, beta;
    Problems<OutputView> output;
    Problems<CountView> calls;
    Problems<A> a;
    template <class Level>
    KOKKOS_FUNCTION int operator()(const Level& level, int p) const {
      return ContractOp<S>::call(level, alpha, a(p), beta, output(p),
                                 TwicePlusIndex<CountView>{calls(p)});
    }
  };
  template <class OutputView, class CountView, class A, class B>
  struct Functor<OutputView, CountView, A, B> {
    double alpha, beta;
    Problems<OutputView> output;
    Problems<CountView> calls;
    Problems<A> a;
    Problems<B> b;
    template <class Level>
    KOKKOS_FUNCTION int operator()(const Level& level, int p) const {
      return ContractOp<S>::call(level, alpha, a(p), b(p), beta, output(p),
                                 TwicePlusIndex<CountView>{calls(p)});
    }
  };
};

template <class Level, Spec S>
void check_epilogue(const Extents& extents) {
  using Space = typename Level::space;
  using Stride = Kokkos::LayoutStride;
  Random random;
  const std::string text(text_of<S>());
  const Letters letters(text);
  constexpr int inputs = inputs_of<S>(), problems = 2;
  using OutputView = view_t<double, 3, Stride, Space>;
  using CountView = view_t<int, 3, Stride, Space>;
  auto output = tensor_for<OutputView, Space>(random, letters.output, extents, problems);
  auto calls = tensor_for<CountView, Space>(random, letters.output, extents, problems);
  calls.fill(0);
  const auto before = output.bytes();
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    std::vector<StridedTensor<double, Space>> tensors{
        tensor_for<view_t<const double, rank_of<S>(I), Stride, Space>, Space>(
            random, letters.inputs[I], extents, problems)...};
    for (const double beta : {0., -0.75}) {
      const double alpha = 0.5;
      output.set_bytes(before);
      std::vector<Expected<long double>> expected;
      for (int p = 0; p < problems; ++p) {
        const auto sums = sum_products<long double>(text, {tensors[I].template dense<>(p)...});
        expected.push_back(expect<double, double>(sums, inputs, (long double)alpha,
                                                  (long double)beta, output.template dense<>(p)));
        std::size_t e = 0;
        for (int i = 0; i < expected[p].extents[0]; ++i) {
          for (int j = 0; j < expected[p].extents[1]; ++j) {
            for (int k = 0; k < expected[p].extents[2]; ++k, ++e) {
              long double& value = expected[p].value[e];
              long double& bound = expected[p].bound[e];
              value = 2 * value + (100 * i + 10 * j + k);
              bound = 2 * bound + unit_roundoff<double>() * (std::abs(value) + 2 * bound);
            }
          }
        }
      }
      if (beta == 0) spoil(output);
      const typename EpilogueOf<S>::template Functor<
          OutputView, CountView, view_t<const double, rank_of<S>(I), Stride, Space>...>
          functor{
              alpha, beta, output.template views<OutputView>(), calls.template views<CountView>(),
              tensors[I].template views<view_t<const double, rank_of<S>(I), Stride, Space>>()...};
      for (const Configuration& configuration : Level::configurations()) {
        SCOPED_TRACE(configuration.text());
        output.restore();
        calls.restore();
        const auto codes = Level::launch(configuration, problems, functor, {output.watched()});
        if (codes.empty()) continue;
        output.download();
        calls.download();
        for (int p = 0; p < problems; ++p) {
          EXPECT_EQ(codes[p], 0);
          EXPECT_TRUE(within_bounds(output.template dense<>(p), expected[p]));
          for (const auto count : calls.template dense<>(p).values) EXPECT_EQ(count, 1);
        }
        EXPECT_TRUE(output.guards_unchanged());
      }
    }
  }(std::make_index_sequence<inputs>{});
}

TYPED_TEST(Epilogue, OncePerElement) {
  check_epilogue<TypeParam, "ijk,kl->ijl">({{'i', 3}, {'j', 4}, {'k', 5}, {'l', 6}});
  check_epilogue<TypeParam, "bik,bkj->jbi">({{'b', 3}, {'i', 4}, {'k', 5}, {'j', 9}});
  check_epilogue<TypeParam, "ijk->kij">({{'i', 3}, {'j', 4}, {'k', 5}});
}

// --- Atomic output
// --------------------------------------------------------------------------------

/// All problems add to the same output.
template <class AtomicView, class A, class B>
struct AtomicFunctor {
  double beta;
  Problems<AtomicView> output;
  Problems<A> a;
  Problems<B> b;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int p) const {
    return ContractOp<"ik,kj->ij">::call(level, -0.5, a(p), b(p), beta, output(0));
  }
};

TYPED_TEST(Epilogue, AtomicOutput) {
  using Space = typename TypeParam::space;
  using Layout = Kokkos::LayoutStride;
  Random random;
  const int problems = 8;
  using Atomic = Kokkos::View<double**, Layout, typename Space::memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::Atomic>>;
  using View = view_t<const double, 2, Layout, Space>;
  const Extents extents{{'i', 5}, {'k', 4}, {'j', 7}};
  auto a = tensor_for<View, Space>(random, "ik", extents, problems);
  auto b = tensor_for<View, Space>(random, "kj", extents, problems);
  auto output = tensor_for<Atomic, Space>(random, "ij", extents, 1);
  // One contraction over the problem, too: a longer sum.
  Dense<long double> all_a{{problems, 5, 4}, {}}, all_b{{problems, 4, 7}, {}};
  for (int p = 0; p < problems; ++p) {
    const auto add = [](auto& all, const auto& one) {
      all.values.insert(all.values.end(), one.values.begin(), one.values.end());
    };
    add(all_a, a.dense(p));
    add(all_b, b.dense(p));
  }
  auto sums = sum_products<long double>("pik,pkj->ij", {all_a, all_b});
  sums.terms += problems;  // each sum is rounded before it is added
  const auto expected = expect<double, double>(sums, 2, -0.5L, 1.L, output.dense(0));
  AtomicFunctor<Atomic, View, View> functor{1., output.template views<Atomic>(),
                                            a.template views<View>(), b.template views<View>()};
  for (const Configuration& configuration : TypeParam::configurations()) {
    SCOPED_TRACE(configuration.text());
    output.restore();
    auto codes = TypeParam::launch(configuration, problems, functor, {});
    if (codes.empty()) continue;
    output.download();
    for (const int code : codes) EXPECT_EQ(code, 0);
    EXPECT_TRUE(within_bounds(output.dense(0), expected));
    EXPECT_TRUE(output.guards_unchanged());

    if (Impl::checked_build) continue;  // another beta ends a checked build
    output.restore();
    functor.beta = 0.5;
    codes = TypeParam::launch(configuration, problems, functor, {});
    functor.beta = 1;
    output.download();
    for (const int code : codes) EXPECT_LT(code, 0);
    EXPECT_TRUE(output.unchanged());
  }
}

// --- An epilogue that stores elsewhere
// --------------------------------------------------------------------------------

template <class Sum>
struct AddTransposed {
  Sum sum;
  KOKKOS_FUNCTION void operator()(double value, int i, int j) const {
    Kokkos::atomic_add(&sum(j, i), value);
  }
};

/// All problems add to the same sum; their outputs stay as they are.
template <class OutputView, class A, class B>
struct ScatterFunctor {
  double beta;
  Problems<OutputView> output;
  Problems<OutputView> sum;
  Problems<A> a;
  Problems<B> b;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int p) const {
    const auto to = sum(0);
    return ContractOp<"ik,kj->ij">::call(level, -0.5, a(p), b(p), beta, output(p),
                                         AddTransposed<std::remove_const_t<decltype(to)>>{to});
  }
};

/// ScatterFunctor without an output.
template <class OutputView, class A, class B>
struct ElsewhereFunctor {
  Problems<OutputView> sum;
  Problems<A> a;
  Problems<B> b;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int p) const {
    const auto to = sum(0);
    return ContractOp<"ik,kj->ij">::call(
        level, -0.5, a(p), b(p), elsewhere(AddTransposed<std::remove_const_t<decltype(to)>>{to}));
  }
};

TYPED_TEST(Epilogue, ThatReturnsNothing) {
  using Space = typename TypeParam::space;
  using Layout = Kokkos::LayoutStride;
  Random random;
  const int problems = 8;
  using View = view_t<const double, 2, Layout, Space>;
  using OutputView = view_t<double, 2, Layout, Space>;
  const Extents extents{{'i', 5}, {'k', 4}, {'j', 7}};
  auto a = tensor_for<View, Space>(random, "ik", extents, problems);
  auto b = tensor_for<View, Space>(random, "kj", extents, problems);
  auto output = tensor_for<OutputView, Space>(random, "ij", extents, problems);
  auto sum = tensor_for<OutputView, Space>(random, "ji", extents, 1);
  // One contraction over the problem, too: a longer sum.
  std::vector<Dense<long double>> all{{{problems, 5, 4}, {}}, {{problems, 4, 7}, {}}};
  for (int p = 0; p < problems; ++p) {
    const auto add = [](auto& to, const auto& one) {
      to.values.insert(to.values.end(), one.values.begin(), one.values.end());
    };
    add(all[0], a.dense(p));
    add(all[1], b.dense(p));
  }
  auto sums = sum_products<long double>("pik,pkj->ji", all);
  sums.terms += problems;
  const auto expected = expect<double, double>(sums, 2, -0.5L, 1.L, sum.dense(0));
  const ScatterFunctor<OutputView, View, View> functor{
      0., output.template views<OutputView>(), sum.template views<OutputView>(),
      a.template views<View>(), b.template views<View>()};
  spoil(output);
  for (const Configuration& configuration : TypeParam::configurations()) {
    SCOPED_TRACE(configuration.text());
    output.restore();
    sum.restore();
    const auto codes = TypeParam::launch(configuration, problems, functor, {output.watched()});
    if (codes.empty()) continue;
    output.download();
    sum.download();
    for (const int code : codes) EXPECT_EQ(code, 0);
    EXPECT_TRUE(within_bounds(sum.dense(0), expected));
    EXPECT_TRUE(sum.guards_unchanged());
    EXPECT_TRUE(output.unchanged());

    sum.restore();
    const ElsewhereFunctor<OutputView, View, View> without_output{
        sum.template views<OutputView>(), a.template views<View>(), b.template views<View>()};
    for (const int code : TypeParam::launch(configuration, problems, without_output, {})) {
      EXPECT_EQ(code, 0);
    }
    sum.download();
    EXPECT_TRUE(within_bounds(sum.dense(0), expected));
    EXPECT_TRUE(sum.guards_unchanged());
  }
}

// --- A call without an output
// --------------------------------------------------------------------------------

struct AddTo {
  Kokkos::View<double**, Kokkos::HostSpace> sum;
  void operator()(double value, int i, int j) const { sum(i, j) += value; }
};
struct AddToTotal {
  double* total;
  KOKKOS_FUNCTION void operator()(double value) const { *total += value; }
};
struct TimesThree {
  double operator()(double value, int, int) const { return 3 * value; }
};

/// With other numbers of inputs, static extents, scratch memory and functors.
TEST(Elsewhere, Calls) {
  using Host = Kokkos::HostSpace;
  const Kokkos::View<double**, Host> a("a", 4, 3), b("b", 3, 5), d("d", 5, 2), sum("sum", 4, 2),
      row("row", 1, 4);
  const Kokkos::View<double[4][3], Host> fixed("fixed");
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 4; ++i) a(i, k) = fixed(i, k) = i - 2 * k;
    for (int j = 0; j < 5; ++j) b(k, j) = k + j, d(j, k % 2) = j - k;
  }
  const auto sum_of = [](const auto& view) {
    double total = 0;
    for (std::size_t i = 0; i < view.size(); ++i) total += (i + 1.) * view.data()[i];
    return total;
  };
  // One input, and a number.
  double total = 0, expected = 0;
  EXPECT_EQ((SerialContract<"ik->">::invoke(2., fixed, elsewhere(AddToTotal{&total}))), 0);
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) expected += 2 * fixed(i, k);
  }
  EXPECT_EQ(total, expected);

  // A chain, which is compared with that with an output.
  using Chain = SerialContract<"ik,kj,jl->il">;
  EXPECT_EQ(Chain::scratch_bytes(a, b, d, elsewhere(AddTo{sum})),
            Chain::scratch_bytes(a, b, d, sum));
  const Kokkos::View<char*, Host> memory("memory", Chain::scratch_bytes(a, b, d, sum));
  const Kokkos::View<double**, Host> result("result", 4, 2);
  const auto check = [&](const auto& with, const auto& without) {
    Kokkos::deep_copy(sum, 0);
    EXPECT_EQ(with(result), 0);
    EXPECT_EQ(without(elsewhere(AddTo{sum})), 0);
    EXPECT_EQ(sum_of(sum), sum_of(result));
  };
  check([&](const auto& c) { return Chain::invoke(memory, 1., a, b, d, 0., c); },
        [&](const auto& out) { return Chain::invoke(memory, 1., a, b, d, out); });
  check([&](const auto& c) { return Chain::invoke(memory, 1., fixed, b, d, 0., c); },
        [&](const auto& out) { return Chain::invoke(memory, 1., fixed, b, d, out); });

  // A functor between the operands.
  using Two = SerialContract<"ik,jk->ij">;
  const auto f = pointwise<"ik">(TimesThree{});
  const Kokkos::View<double**, Host> e("e", 2, 3), larger("memory", 8, 8);
  Kokkos::deep_copy(e, 2);
  check([&](const auto& c) { return Two::invoke(larger, 1., a, f, e, 0., c); },
        [&](const auto& out) { return Two::invoke(larger, 1., a, f, e, out); });

  // Inputs that disagree.
  if constexpr (!Impl::checked_build) {
    EXPECT_EQ((SerialContract<"ik,kj->ij">::invoke(1., b, b, elsewhere(AddTo{sum}))), -1);
  }
}

// --- Extents that disagree
// ------------------------------------------------------------------------

/// Calls Op on operands that do not fit; the output must stay as it is, inputs too.
template <class Level, class Op, class Output, class... Inputs>
void check_misuse(const std::vector<int>& output_extents,
                  const std::vector<std::vector<int>>& input_extents) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  using Space = typename Level::space;
  Random random;
  std::size_t i = 0;
  const auto next = [&] { return input_extents[i++]; };
  std::tuple<tensor_for_t<Inputs, Space>...> inputs{
      tensor_for_t<Inputs, Space>(random, next(), Arrangement::strided, 2)...};
  tensor_for_t<Output, Space> output(random, output_extents, Arrangement::strided, 2);
  const auto start =
      make_start<Level, Op, Output, Inputs...>(std::type_identity<double>{}, output, inputs);
  check_configurations(start, 1., 0., [&](int, int code) {
    EXPECT_EQ(code, -1);
    EXPECT_TRUE(output.unchanged());
  });
}

using N = Trans::NoTranspose;

struct GemmCall {
  template <class Level, class A, class B, class C>
  KOKKOS_FUNCTION static int call(const Level&, double alpha, const A& a, const B& b, double beta,
                                  const C& c) {
    return SerialGemm<N, N>::invoke(alpha, a, b, beta, c);
  }
};
struct GemvCall {
  template <class Level, class A, class B, class C>
  KOKKOS_FUNCTION static int call(const Level&, double alpha, const A& a, const B& b, double beta,
                                  const C& c) {
    return SerialGemv<N>::invoke(alpha, a, b, beta, c);
  }
};
struct TrsvCall {
  template <class Level, class A, class B>
  KOKKOS_FUNCTION static int call(const Level&, double alpha, const A& a, double, const B& b) {
    return SerialTrsv<Uplo::Lower, N, Diag::NonUnit>::invoke(alpha, a, b);
  }
};
struct TrsmCall {
  template <class Level, class A, class B>
  KOKKOS_FUNCTION static int call(const Level&, double alpha, const A& a, double, const B& b) {
    return SerialTrsm<Side::Right, Uplo::Upper, N, Diag::NonUnit>::invoke(alpha, a, b);
  }
};
struct ReshapeCall {
  template <class Level, class A, class B>
  KOKKOS_FUNCTION static int call(const Level&, double, const A& a, double, const B& b) {
    return SerialReshape<"ij->ji">::invoke(a, b);
  }
};

TYPED_TEST(Epilogue, ContractionsThatDoNotFit) {
  using Space = typename TypeParam::space;
  using Matrix = view_t<double, 2, Kokkos::LayoutStride, Space>;
  using Op = ContractOp<"ik,kj->ij">;
  check_misuse<TypeParam, Op, Matrix, Matrix, Matrix>({3, 5}, {{3, 4}, {6, 5}});
  check_misuse<TypeParam, Op, Matrix, Matrix, Matrix>({3, 5}, {{2, 4}, {4, 5}});
  check_misuse<TypeParam, Op, Matrix, Matrix, Matrix>({3, 5}, {{3, 4}, {4, 0}});
  check_misuse<TypeParam, ContractOp<"ii->i">, view_t<double, 1, Kokkos::LayoutStride, Space>,
               Matrix>({3}, {{3, 4}});
}

#ifndef KOKKOSCONTRACT_TEST_TSAN
TEST(DoesNotFit, LinearAlgebra) {
  using Matrix = view_t<double, 2>;
  using Vector = view_t<double, 1>;
  check_misuse<Serial, GemmCall, Matrix, Matrix, Matrix>({3, 5}, {{3, 4}, {6, 5}});
  check_misuse<Serial, GemvCall, Vector, Matrix, Vector>({3}, {{3, 4}, {3}});
  check_misuse<Serial, TrsvCall, Vector, Matrix>({3}, {{4, 4}});
  check_misuse<Serial, TrsvCall, Vector, Matrix>({3}, {{3, 4}});
  check_misuse<Serial, TrsmCall, Matrix, Matrix>({3, 4}, {{3, 3}});
  check_misuse<Serial, ReshapeCall, Matrix, Matrix>({3, 4}, {{3, 4}});
}
#endif

}  // namespace
}  // namespace KokkosContract::Test
