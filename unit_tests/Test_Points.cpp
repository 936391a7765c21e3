// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small static matrices at points, times vectors there: groups of points that fill registers and
// groups that do not, more points than are copied at once, and layouts that the algorithm leaves to
// another one.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "ContractOp.hpp"
#include "NaryOp.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class Points : public testing::Test {};
TYPED_TEST_SUITE(Points, FewLevels, LevelNames);

/// Vectors of J elements become vectors of I elements.
template <class Level, class T, int I, int J>
void check(int points, int rows) {
  Random random;
  const Extents extents = {{'c', 3}, {'p', points}, {'l', rows}, {'i', I}, {'j', J}};
  check_operation<Level, ContractOp<"cpij,lpj->clpi", Way::points>, of_kernel_t<Level, T*** [I]>,
                  of_kernel_t<Level, const T** [I][J]>, of_kernel_t<Level, const T** [J]>>(
      random, "cpij,lpj->clpi", extents, 1);
}

TYPED_TEST(Points, Groups) {
  for (const int points : {1, 4, 7, 8, 27, 31, 64}) check<TypeParam, double, 3, 3>(points, 5);
  for (const int points : {8, 16, 27, 47}) check<TypeParam, float, 3, 3>(points, 4);
}
TYPED_TEST(Points, Extents) {
  check<TypeParam, double, 2, 2>(11, 6);
  check<TypeParam, double, 2, 3>(13, 6);
  check<TypeParam, double, 3, 2>(21, 6);
  check<TypeParam, double, 4, 3>(9, 6);
  check<TypeParam, double, 3, 4>(15, 6);
  check<TypeParam, double, 4, 4>(23, 6);
  check<TypeParam, float, 4, 2>(37, 6);
}
TYPED_TEST(Points, MorePointsThanAreCopied) { check<TypeParam, double, 3, 3>(301, 4); }
TYPED_TEST(Points, FewRows) { check<TypeParam, double, 3, 3>(27, 3); }

// The points of a batch in both inputs, and matrices that are transposed.
TYPED_TEST(Points, Batch) {
  using L = TypeParam;
  Random random;
  check_operation<L, ContractOp<"cpji,clpj->clpi", Way::points>, of_kernel_t<L, double*** [3]>,
                  of_kernel_t<L, const double** [3][3]>, of_kernel_t<L, const double*** [3]>>(
      random, "cpji,clpj->clpi", {{'c', 2}, {'p', 27}, {'l', 9}, {'i', 3}, {'j', 3}}, 2);
}

using Host = Kokkos::HostSpace;
/// Vectors of three elements, whose distance may be larger.
using Vectors = Strided<double, std::integer_sequence<std::ptrdiff_t, dynamic, dynamic, 3>,
                        std::integer_sequence<std::ptrdiff_t, dynamic, dynamic, 1>>;

/// Multiplies vectors of fives by matrices of twos. NaN are between the vectors and around all
/// arrays.
void check_memory(int points, int distance) {
  constexpr int rows = 4, around = 64;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::size_t size = 2 * around + std::size_t{rows} * points * distance;
  std::vector<double> a(2 * around + 9 * points, nan), b(size, nan), c(size, nan);
  std::fill_n(a.begin() + around, 9 * points, 2);
  for (int i = 0; i < rows * points * 3; ++i) b[around + i / 3 * distance + i % 3] = 5;
  const Kokkos::View<double* [3][3], Kokkos::LayoutRight, Host, Unmanaged> A(a.data() + around,
                                                                             points);
  const int extents[]{rows, points, 3};
  const std::ptrdiff_t strides[]{std::ptrdiff_t{points} * distance, distance, 1};
  const Vectors B(b.data() + around, extents, strides), C(c.data() + around, extents, strides);
  ASSERT_EQ((SerialContract<"pij,lpj->lpi", Way::points>::invoke(0.5, A, B, 0.0, C)), 0);
  for (std::size_t i = 0; i < size; ++i) {
    const bool inside = i >= around && i < size - around;
    if (inside && (i - around) % distance < 3) {
      EXPECT_EQ(c[i], 15) << i;
    } else {
      EXPECT_NE(c[i], c[i]) << i;
    }
  }
}
// Nothing is read or written around an array, and C is not read if beta is 0.
TEST(Points, OnlyTheArraysElements) {
  for (const int points : {4, 8, 13, 17}) check_memory(points, 3);
}
// The algorithm leaves vectors that are not consecutive to another one.
TEST(Points, VectorsApart) { check_memory(13, 5); }

}  // namespace
}  // namespace KokkosContract::Test
