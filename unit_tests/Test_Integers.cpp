// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of every kind as elements: exact, over their whole range.

#include <gtest/gtest.h>

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Copy.hpp>
#include <KokkosContract/Gemm.hpp>
#include <cstdint>
#include <limits>

namespace KokkosContract::Test {
namespace {

/// Element types of the output and the inputs, and the largest input.
template <class C, class T, auto Largest>
struct Integers {
  using Output = C;
  using Input = T;
  static constexpr T largest = Largest;
};

template <class Types>
class IntegerElements : public testing::Test {};

using Kinds = testing::Types<
    Integers<std::int32_t, std::int8_t, 127>, Integers<std::int32_t, std::uint8_t, 255>,
    Integers<std::int32_t, std::int16_t, 5000>, Integers<std::int32_t, std::uint16_t, 9000>,
    Integers<std::int32_t, char, 127>, Integers<std::int32_t, std::int32_t, 9000>,
    Integers<std::uint32_t, std::uint32_t, 20000>, Integers<long, long, 1L << 29>,
    Integers<long, int, 1 << 29>,
    Integers<unsigned long, unsigned, std::numeric_limits<unsigned>::max()>,
    Integers<long long, long long, 1LL << 29>, Integers<unsigned long, unsigned long, 1UL << 30>>;
TYPED_TEST_SUITE(IntegerElements, Kinds);

TYPED_TEST(IntegerElements, Products) {
  using T = typename TypeParam::Input;
  using C = typename TypeParam::Output;
  using N = Trans::NoTranspose;
  const int m = 9, n = 11, k = 4;
  const Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace> a("a", m, k), b("b", k, n);
  const Kokkos::View<C**, Kokkos::LayoutRight, Kokkos::HostSpace> c("c", m, n), d("d", m, n);
  const Kokkos::View<C*, Kokkos::HostSpace> sums("sums", m);
  const auto value = [](int i, int j) { return static_cast<T>(TypeParam::largest - (3 * i + j)); };
  for (int p = 0; p < k; ++p) {
    for (int i = 0; i < m; ++i) a(i, p) = value(i, p);
    for (int j = 0; j < n; ++j) b(p, j) = value(p, j);
  }
  EXPECT_EQ((SerialContract<"ik,kj->ij">::invoke(1, a, b, 0, c)), 0);
  EXPECT_EQ((SerialCopy<>::invoke(c, d)), 0);
  EXPECT_EQ((SerialGemm<N, N>::invoke(2, a, b, 1, d)), 0);
  EXPECT_EQ((SerialContract<"i+j->i">::invoke(1, a, 0, sums)), 0);
  for (int i = 0; i < m; ++i) {
    C row = 0;
    for (int p = 0; p < k; ++p) row = static_cast<C>(row + static_cast<C>(a(i, p)));
    EXPECT_EQ(sums(i), row);
    for (int j = 0; j < n; ++j) {
      C sum = 0;
      for (int p = 0; p < k; ++p) {
        sum = static_cast<C>(sum + static_cast<C>(a(i, p)) * static_cast<C>(b(p, j)));
      }
      EXPECT_EQ(c(i, j), sum);
      EXPECT_EQ(d(i, j), static_cast<C>(3 * sum));
    }
  }
}

/// A sum of bools is true where one of its terms is.
TEST(BoolElements, Paths) {
  const int n = 40;
  const Kokkos::View<bool**, Kokkos::LayoutRight, Kokkos::HostSpace> edge("edge", n, n),
      path("path", n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) edge(i, j) = i == j || (i + 1) % 7 == j % 7;
  EXPECT_EQ((SerialContract<"ik,kj->ij">::invoke(true, edge, edge, false, path)), 0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      bool any = false;
      for (int k = 0; k < n; ++k) any = any || (edge(i, k) && edge(k, j));
      EXPECT_EQ(path(i, j), any);
    }
}

}  // namespace
}  // namespace KokkosContract::Test
