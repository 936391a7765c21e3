// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Reciprocal.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace KokkosContract::Test {
namespace {

/// By the default execution space.
template <class T>
std::vector<T> reciprocals(const std::vector<T>& numbers) {
  const Kokkos::View<T*> x("x", numbers.size());
  const auto host = Kokkos::create_mirror_view(x);
  for (std::size_t i = 0; i < numbers.size(); ++i) host(i) = numbers[i];
  Kokkos::deep_copy(x, host);
  Kokkos::parallel_for(numbers.size(), KOKKOS_LAMBDA(std::size_t i) { x(i) = reciprocal(x(i)); });
  Kokkos::deep_copy(host, x);
  return std::vector<T>(host.data(), host.data() + numbers.size());
}

template <class T>
class Reciprocal : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Reciprocal, Reals);

/// All exponents between which it is right, with mantissas of many bits, and of both signs.
TYPED_TEST(Reciprocal, RightToTwoUnitsInTheLastPlace) {
  using T = TypeParam;
  constexpr int most = std::numeric_limits<T>::max_exponent - 4;
  std::vector<T> numbers;
  for (int exponent = -most; exponent <= most; ++exponent) {
    for (int n = 0; n < 40; ++n) {
      const auto mantissa =
          static_cast<T>(1 + std::fmod(0.6180339887498949 * (n + 7 * (exponent + most)), 1));
      numbers.push_back(std::ldexp(n % 2 == 0 ? mantissa : -mantissa, exponent));
    }
  }
  const std::vector<T> found = reciprocals(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto exact = 1 / static_cast<long double>(numbers[i]);
    const long double error = std::abs((static_cast<long double>(found[i]) - exact) / exact);
    ASSERT_LE(error, 2 * std::numeric_limits<T>::epsilon()) << "of " << numbers[i];
  }
}

TYPED_TEST(Reciprocal, ZeroInfiniteNaN) {
  using T = TypeParam;
  constexpr T infinite = std::numeric_limits<T>::infinity();
  const std::vector<T> found =
      reciprocals<T>({T(0), -T(0), infinite, -infinite, std::numeric_limits<T>::quiet_NaN()});
  EXPECT_EQ(found[0], infinite);
  EXPECT_EQ(found[1], -infinite);
  EXPECT_EQ(found[2], 0);
  EXPECT_FALSE(std::signbit(found[2]));
  EXPECT_EQ(found[3], 0);
  EXPECT_TRUE(std::signbit(found[3]));
  EXPECT_TRUE(std::isnan(found[4]));
}

TEST(ReciprocalOfPack, EachLane) {
  using Four = Pack<double, 4>;
  Four x;
  for (int l = 0; l < Four::length; ++l) x[l] = 3 + l;
  const Four found = reciprocals<Four>({x})[0];
  for (int l = 0; l < Four::length; ++l) EXPECT_DOUBLE_EQ(found[l], 1. / (3 + l));
}

}  // namespace
}  // namespace KokkosContract::Test
