// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of operands of different types: how exact their results are, and how much memory they use.
#include <gtest/gtest.h>

#include "NaryOp.hpp"

namespace KokkosContract::Test {
namespace {

using Right = Kokkos::LayoutRight;
using Complex = Kokkos::complex<double>;
using ComplexFloat = Kokkos::complex<float>;

// --- How exact ----------------------------------------------------------------------------------

template <class Level, Spec S, class Output, class... Inputs>
void check_types(Random& random) {
  using Space = typename Level::space;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Extents extents = random_extents(random, text_of<S>());
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      check_operation<Level, NaryOp<S>, view_t<Output, rank_of<S>(sizeof...(I)), Right, Space>,
                      view_t<const Inputs, rank_of<S>(I), Right, Space>...>(
          random, std::string(text_of<S>()), extents, 2, scratch_for<Level>(enough));
    }(std::index_sequence_for<Inputs...>{});
  }
}

template <class Level>
class ChainTypes : public testing::Test {};
TYPED_TEST_SUITE(ChainTypes, Levels, LevelNames);
template <class Level>
class ChainTypesFewLevels : public testing::Test {};
TYPED_TEST_SUITE(ChainTypesFewLevels, FewLevels, LevelNames);

TYPED_TEST(ChainTypes, ShortOnesFirst) {
  Random random;
  check_types<TypeParam, "ij,jk,kl->il", double, float, float, double>(random);
}
TYPED_TEST(ChainTypesFewLevels, InAnyOrder) {
  Random random;
  check_types<TypeParam, "ij,jk,kl->il", double, float, float, float>(random);
  check_types<TypeParam, "ij,jk,kl->il", float, float, float, double>(random);
  check_types<TypeParam, "ij,jk,kl,lm->im", double, float, float, double, float>(random);
  check_types<TypeParam, "ij,jk,kl->il", ComplexFloat, float, float, ComplexFloat>(random);
  check_types<TypeParam, "ij,jk,kl->il", Complex, float, ComplexFloat, double>(random);
  check_types<TypeParam, "ij,jk,kl->il", std::int32_t, std::int8_t, std::int8_t, std::int8_t>(
      random);
}

// --- How much memory ----------------------------------------------------------------------------

/// out = a b c d, where a b is kept in u, with a part of `memory` for each problem.
template <class View, class Kept, class Output>
struct KeepAndGoOn {
  Problems<View> a, b, c, d;
  Problems<Kept> u;
  Problems<Output> out;
  Kokkos::View<unsigned char**, Right, typename Output::memory_space> memory;
  std::size_t bytes;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int p) const {
    using T = typename Output::value_type;
    // One byte behind an aligned address there is nothing to spare.
    return ContractOp<"ij,jk,kl,lm->im">::call(level, KokkosContract::Scratch{&memory(p, 1), bytes},
                                               T(1), a(p), b(p), keep<"ik">(u(p)), c(p), d(p), T(0),
                                               out(p));
  }
};

/// Within bounds, with sums accumulated in Acc and stored as Stored.
template <class Acc, class Stored, class Tensor, class W>
void expect_sums(const Tensor& tensor, int p, const Sums<W>& sums, int inputs) {
  const auto got = tensor.template dense<W>(p);
  EXPECT_TRUE(within_bounds(got, expect<Acc, Stored>(sums, inputs, W(1), W(0), got)));
}

/// Inputs of type T, what is kept of type TU, the output of type TO.
template <class Level, class T, class TU, class TO>
void check_kept_in_exact_scratch() {
  using Space = typename Level::space;
  using View = view_t<const T, 2, Right, Space>;
  using Kept = view_t<TU, 2, Right, Space>;
  using Output = view_t<TO, 2, Right, Space>;
  using Acc = accumulator_t<T, TU, TO>;
  using W = wide_t<Acc>;
  const Extents extents{{'i', 5}, {'j', 3}, {'k', 4}, {'l', 7}, {'m', 2}};
  const int problems = 2;
  Random random;
  const auto a = tensor_for<View, Space>(random, "ij", extents, problems);
  const auto b = tensor_for<View, Space>(random, "jk", extents, problems);
  const auto c = tensor_for<View, Space>(random, "kl", extents, problems);
  const auto d = tensor_for<View, Space>(random, "lm", extents, problems);
  auto u = tensor_for<Kept, Space>(random, "ik", extents, problems);
  auto out = tensor_for<Output, Space>(random, "im", extents, problems);
  KeepAndGoOn<View, Kept, Output> functor{a.template views<View>(),
                                          b.template views<View>(),
                                          c.template views<View>(),
                                          d.template views<View>(),
                                          u.template views<Kept>(),
                                          out.template views<Output>(),
                                          {},
                                          0};
  functor.bytes = SerialContract<"ij,jk,kl,lm->im">::scratch_bytes(
      functor.a(0), functor.b(0), keep<"ik">(functor.u(0)), functor.c(0), functor.d(0),
      functor.out(0));
  const std::size_t length = (4 * functor.bytes + 63) / 64 * 64;
  functor.memory = decltype(functor.memory)("memory", problems, length);
  constexpr unsigned char guard = 0xa5;
  for (const Configuration& configuration : Level::configurations()) {
    SCOPED_TRACE(configuration.text());
    out.restore();
    Kokkos::deep_copy(functor.memory, guard);
    const auto codes = Level::launch(configuration, problems, functor, {});
    if (codes.empty()) continue;
    u.download();
    out.download();
    const auto memory = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), functor.memory);
    for (int p = 0; p < problems; ++p) {
      EXPECT_EQ(codes[p], 0);
      const std::vector<Dense<W>> inputs{a.template dense<W>(p), b.template dense<W>(p),
                                         c.template dense<W>(p), d.template dense<W>(p)};
      expect_sums<Acc, TU>(u, p, sum_products("ij,jk->ik", std::vector{inputs[0], inputs[1]}), 2);
      // What comes behind uses the elements as they are stored.
      expect_sums<Acc, TO>(
          out, p,
          sum_products("ik,kl,lm->im", std::vector{u.template dense<W>(p), inputs[2], inputs[3]}),
          3);
      std::size_t written = 0;
      for (std::size_t i = 0; i < length; ++i) {
        if ((i < 1 || i > functor.bytes) && memory(p, i) != guard) ++written;
      }
      EXPECT_EQ(written, 0) << "bytes outside the scratch memory";
    }
    EXPECT_TRUE(u.guards_unchanged());
    EXPECT_TRUE(out.guards_unchanged());
  }
}

TYPED_TEST(ChainTypes, KeptInAWiderType) {
  check_kept_in_exact_scratch<TypeParam, float, double, float>();
}
TYPED_TEST(ChainTypesFewLevels, KeptInAnotherType) {
  check_kept_in_exact_scratch<TypeParam, double, Complex, Complex>();
  check_kept_in_exact_scratch<TypeParam, float, Complex, Complex>();
  check_kept_in_exact_scratch<TypeParam, double, float, double>();
  check_kept_in_exact_scratch<TypeParam, float, float, double>();
}

#ifndef KOKKOSCONTRACT_TEST_TSAN
struct KeepOnStack {
  Kokkos::View<float[9][8], Right, Serial::space> a;
  Kokkos::View<float[8][7], Right, Serial::space> b;
  Kokkos::View<float[7][6], Right, Serial::space> c;
  Kokkos::View<float[6][5], Right, Serial::space> d;
  Kokkos::View<double[9][7], Right, Serial::space> u;
  Kokkos::View<float[9][5], Right, Serial::space> out;
  KOKKOS_FUNCTION void operator()(int) const {
    require_success(
        SerialContract<"ij,jk,kl,lm->im">::invoke(1., a, b, keep<"ik">(u), c, d, 0., out));
  }
};

TEST(ChainTypesSerial, KeptInAWiderTypeWithoutScratch) {
  const KeepOnStack all{decltype(KeepOnStack::a)("a"), decltype(KeepOnStack::b)("b"),
                        decltype(KeepOnStack::c)("c"), decltype(KeepOnStack::d)("d"),
                        decltype(KeepOnStack::u)("u"), decltype(KeepOnStack::out)("out")};
  Kokkos::deep_copy(all.a, 1.F);
  Kokkos::deep_copy(all.b, 2.F);
  Kokkos::deep_copy(all.c, 3.F);
  Kokkos::deep_copy(all.d, 1.F);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Serial::space>(0, 1), all);
  const auto u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all.u);
  const auto out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all.out);
  for (int i = 0; i < 9; ++i) {
    for (int k = 0; k < 7; ++k) EXPECT_EQ(u(i, k), 16);
    for (int m = 0; m < 5; ++m) EXPECT_EQ(out(i, m), 16 * 7 * 3 * 6);
  }
}

/// The value has the type in which it was accumulated.
struct OfDoubles {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& value, int, int) const {
    static_assert(std::is_same_v<T, double>);
    return value;
  }
};
struct BetweenFunctors {
  Kokkos::View<float[9][8], Right, Serial::space> a;
  Kokkos::View<float[8][7], Right, Serial::space> b;
  Kokkos::View<double[7], Right, Serial::space> c;
  Kokkos::View<double[9], Right, Serial::space> out;
  KOKKOS_FUNCTION void operator()(int) const {
    require_success(
        SerialContract<"ij,jk,k->i">::invoke(1., a, b, pointwise<"ik">(OfDoubles{}), c, 0., out));
  }
};

TEST(ChainTypesSerial, BeforeAFunctor) {
  const BetweenFunctors all{decltype(BetweenFunctors::a)("a"), decltype(BetweenFunctors::b)("b"),
                            decltype(BetweenFunctors::c)("c"),
                            decltype(BetweenFunctors::out)("out")};
  // 0.1F squared is no float.
  Kokkos::deep_copy(all.a, 0.1F);
  Kokkos::deep_copy(all.b, 0.1F);
  Kokkos::deep_copy(all.c, 1.);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Serial::space>(0, 1), all);
  const auto out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all.out);
  const double square = static_cast<double>(0.1F) * static_cast<double>(0.1F);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(out(i), 56 * square, 1e-14);
}

TEST(ChainTypesSerial, StaticExtents) {
  using Memory = Serial::space::memory_space;
  Random random;
  check_operation<Serial, ContractOp<"ij,jk,kl->il">,
                  Kokkos::View<double[9][5], Right, Memory, Unmanaged>,
                  Kokkos::View<const float[9][8], Right, Memory, Unmanaged>,
                  Kokkos::View<const float[8][7], Right, Memory, Unmanaged>,
                  Kokkos::View<const double[7][5], Right, Memory, Unmanaged>>(
      random, "ij,jk,kl->il", {{'i', 9}, {'j', 8}, {'k', 7}, {'l', 5}});
}
#endif

}  // namespace
}  // namespace KokkosContract::Test
