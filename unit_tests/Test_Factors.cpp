// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of another type than the sums of integers that they multiply: applied as they are, or
// refused with nothing written.
#include <gtest/gtest.h>

#include <KokkosContract/Axpy.hpp>
#include <KokkosContract/HostContract.hpp>
#include <KokkosContract/Set.hpp>
#include <KokkosContract/Syr.hpp>
#include <KokkosContract/Trmm.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "NaryOp.hpp"

namespace KokkosContract::Test {
namespace {

inline constexpr int no_integer = -5;
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// alpha * sums + beta * C where `code` is 0; else C is as it was.
template <class Level, Spec S, class Op, class Element, class... Inputs>
void check_factors(const Extents& extents) {
  using Space = typename Level::space;
  using Output = view_t<std::int32_t, rank_of<S>(sizeof...(Inputs)), Kokkos::LayoutRight, Space>;
  Random random;
  const std::string text(text_of<S>());
  const Letters letters(text);
  auto inputs = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<tensor_for_t<Inputs, Space>...>{
        tensor_for<Inputs, Space>(random, letters.inputs[I], extents, 2)...};
  }(std::index_sequence_for<Inputs...>{});
  auto output = tensor_for<Output, Space>(random, letters.output, extents, 2);
  std::vector<Sums<std::int64_t>> sums;
  std::vector<Dense<std::int64_t>> before;
  for (int p = 0; p < 2; ++p) {
    sums.push_back(std::apply(
        [&](const auto&... input) {
          return sum_products(text, std::vector{input.template dense<std::int64_t>(p)...});
        },
        inputs));
    before.push_back(output.template dense<std::int64_t>(p));
  }
  auto start = make_start<Level, Op, Output, Inputs...>(std::type_identity<Element>{}, output,
                                                        inputs, scratch_for<Level>(enough));
  start.checks_barriers = false;  // not all calls reach one
  const auto check = [&](double alpha, double beta, int expected_code) {
    if (Impl::checked_build && expected_code != 0) return;  // such a call ends a checked build
    check_configurations(
        start, static_cast<Element>(alpha), static_cast<Element>(beta), [&](int p, int code) {
          EXPECT_EQ(code, expected_code) << alpha << ", " << beta;
          if (expected_code != 0) {
            EXPECT_TRUE(output.unchanged()) << alpha << ", " << beta;
          } else {
            const auto expected = expect<std::int32_t, std::int32_t>(
                sums[p], sizeof...(Inputs), static_cast<std::int64_t>(alpha),
                static_cast<std::int64_t>(beta), before[p]);
            EXPECT_TRUE(within_bounds(output.template dense<std::int64_t>(p), expected))
                << alpha << ", " << beta;
          }
        });
  };
  check(1, 0, 0);
  check(-2, 3, 0);
  check(0, 1, 0);
  if constexpr (!std::is_integral_v<Element>) {
    check(0.5, 0, no_integer);
    check(1, 0.25, no_integer);
    check(nan, 0, no_integer);
  }
  check(4294967296., 0, no_integer);
  check(1, -4294967296., no_integer);
}

template <class Level>
class Factors : public testing::Test {};
TYPED_TEST_SUITE(Factors, Levels, LevelNames);

template <class Level, class T, int Rank = 2>
using Input = view_t<const T, Rank, Kokkos::LayoutRight, typename Level::space>;

TYPED_TEST(Factors, OfIntegers) {
  using Short = Input<TypeParam, std::int8_t>;
  using Long = Input<TypeParam, std::int32_t>;
  using Op = ContractOp<"ik,kj->ij">;
  check_factors<TypeParam, "ik,kj->ij", Op, double, Short, Short>({{'i', 4}, {'k', 3}, {'j', 7}});
  check_factors<TypeParam, "ik,kj->ij", Op, float, Long, Long>({{'i', 20}, {'k', 3}, {'j', 33}});
  // As small as the small plans of one thread.
  check_factors<TypeParam, "ik,kj->ij", Op, double, Long, Long>({{'i', 3}, {'k', 3}, {'j', 3}});
  check_factors<TypeParam, "ik,kj->ij", Op, long, Long, Long>({{'i', 3}, {'k', 3}, {'j', 3}});
  check_factors<TypeParam, "ik,kj,jl->il", NaryOp<"ik,kj,jl->il">, double, Short, Short, Short>(
      {{'i', 3}, {'k', 2}, {'j', 3}, {'l', 2}});
}

// --- An epilogue that makes integers ------------------------------------------------------------

struct Nearest {
  KOKKOS_FUNCTION int operator()(double value, int, int) const {
    return static_cast<int>(Kokkos::floor(value + 0.5));
  }
};
struct RoundedProduct {
  template <class Level, class A, class B, class C>
  KOKKOS_FUNCTION static int call(const Level& level, double alpha, const A& a, const B& b,
                                  double beta, const C& c) {
    return ContractOp<"ik,kj->ij">::call(level, alpha, a, b, beta, c, Nearest{});
  }
};

TYPED_TEST(Factors, RoundedByAnEpilogue) {
  using Space = typename TypeParam::space;
  using A = Input<TypeParam, double>;
  using C = view_t<std::int32_t, 2, Kokkos::LayoutRight, Space>;
  Random random;
  const Extents extents{{'i', 5}, {'k', 3}, {'j', 9}};
  std::tuple<tensor_for_t<A, Space>, tensor_for_t<A, Space>> inputs{
      tensor_for<A, Space>(random, "ik", extents, 1),
      tensor_for<A, Space>(random, "kj", extents, 1)};
  auto output = tensor_for<C, Space>(random, "ij", extents, 1);
  const auto before = output.template dense<long double>(0);
  const auto sums =
      sum_products("ik,kj->ij", std::vector{std::get<0>(inputs).template dense<long double>(0),
                                            std::get<1>(inputs).template dense<long double>(0)});
  const auto start =
      make_start<TypeParam, RoundedProduct, C, A, A>(std::type_identity<double>{}, output, inputs);
  check_configurations(start, 100., 0.25, [&](int, int code) {
    EXPECT_EQ(code, 0);
    const auto got = output.template dense<long double>(0);
    for (std::size_t e = 0; e < got.values.size(); ++e) {
      EXPECT_EQ(got.values[e], std::floor(100 * sums.value[e] + before.values[e] / 4 + 0.5L));
    }
  });
}

#ifndef KOKKOSCONTRACT_TEST_TSAN
// --- Other routines, and the host ---------------------------------------------------------------

using HostMatrix = Kokkos::View<int**, Kokkos::HostSpace>;
using HostVector = Kokkos::View<int*, Kokkos::HostSpace>;

/// What a call returns, after which all elements of A must be `expected`.
template <class View, class Call>
void expect_elements(const View& a, int code, int expected, const Call& call) {
  if (Impl::checked_build && code != 0) return;  // such a call ends a checked build
  Kokkos::deep_copy(a, 3);
  EXPECT_EQ(call(), code);
  for (std::size_t e = 0; e < a.size(); ++e) EXPECT_EQ(a.data()[e], expected);
}

TEST(FactorsOneThread, OtherRoutines) {
  const HostMatrix a("a", 2, 2), identity("identity", 2, 2);
  const HostVector x("x", 2), y("y", 2);
  Kokkos::deep_copy(x, 1);
  identity(0, 0) = identity(1, 1) = 1;
  using Product = SerialTrmm<Side::Left, Uplo::Lower, Trans::NoTranspose, Diag::NonUnit>;
  using Update = SerialSyr<Uplo::Lower, Trans::Transpose>;
  expect_elements(a, 0, 5, [&] { return SerialSet::invoke(5., a); });
  expect_elements(a, no_integer, 3, [&] { return SerialSet::invoke(0.5, a); });
  expect_elements(a, 0, -6, [&] { return SerialScale::invoke(-2., a); });
  expect_elements(a, no_integer, 3, [&] { return SerialScale::invoke(0.5, a); });
  expect_elements(a, 0, 6, [&] { return Product::invoke(2., identity, a); });
  expect_elements(a, no_integer, 3, [&] { return Product::invoke(0.5, identity, a); });
  expect_elements(a, no_integer, 3, [&] { return Update::invoke(0.5, x, a); });
  expect_elements(y, 0, 5, [&] { return SerialAxpy::invoke(2., x, y); });
  expect_elements(y, no_integer, 3, [&] { return SerialAxpy::invoke(0.5, x, y); });
}

TEST(FactorsOneThread, NothingIsKeptWhereTheLastStepRefuses) {
  const HostMatrix a("a", 2, 2), u("u", 2, 2), c("c", 2, 2);
  const Kokkos::View<int**, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Atomic>> sums(c);
  alignas(64) char memory[256];
  const Scratch scratch{memory, sizeof(memory)};
  using Both = SerialContract<"ij,jk->ik">;
  Kokkos::deep_copy(u, 3);
  expect_elements(c, no_integer, 3,
                  [&] { return Both::invoke(scratch, 0.5, a, keep<"ij">(u), a, 0., c); });
  expect_elements(c, -2, 3,
                  [&] { return Both::invoke(scratch, 1., a, keep<"ij">(u), a, 2., sums); });
  for (std::size_t e = 0; e < u.size(); ++e) EXPECT_EQ(u.data()[e], 3);
}

TEST(FactorsHost, AreRefused) {
  using Space = Kokkos::DefaultExecutionSpace;
  const Kokkos::View<int**, Space> a("a", 3, 3), c("c", 3, 3);
  Kokkos::deep_copy(a, 1);
  EXPECT_THROW((contract<"ik,kj->ij">(Space(), 0.5, a, a, 0., c)), std::invalid_argument);
  EXPECT_THROW((contract<"ij->ji">(Space(), 1., a, 0.5, c)), std::invalid_argument);
  contract<"ik,kj->ij">(Space(), 2., a, a, 0., c);
  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_EQ(result(i, j), 6);
  }
}
#endif

}  // namespace
}  // namespace KokkosContract::Test
