// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions large enough for packed blocks, with partial tiles and blocks at every end.
#include <gtest/gtest.h>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class Blocked : public testing::Test {};
TYPED_TEST_SUITE(Blocked, FewLevels, LevelNames);

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;
using Stride = Kokkos::LayoutStride;

template <class Level, Spec S, class T, class LayoutC, class LayoutA, class LayoutB>
void check(const Extents& extents) {
  using Space = typename Level::space;
  double products = 1;
  for (const auto& [letter, extent] : extents) products *= letter == 'z' ? 1 : extent;  // z: batch
  ASSERT_GE(products, Impl::least_blocked_products);
  Random random;
  check_contract<Level, S, view_t<T, rank_of<S>(2), LayoutC, Space>,
                 view_t<const T, rank_of<S>(0), LayoutA, Space>,
                 view_t<const T, rank_of<S>(1), LayoutB, Space>>(random, extents, 1);
}

TYPED_TEST(Blocked, Matrices) {
  const Extents large = {{'i', 163}, {'k', 161}, {'j', 165}};
  ASSERT_GE(163. * 161 * 165, Impl::least_blocked_matrix_products(165 * 8));
  check<TypeParam, "ik,kj->ij", double, Right, Right, Right>(large);
  // Rows at a multiple of 2 or 4 KB are packed in smaller products, too.
  ASSERT_GE(61. * 61 * 256, Impl::least_blocked_matrix_products(256 * 8));
  check<TypeParam, "ik,kj->ij", double, Right, Right, Right>({{'i', 61}, {'k', 61}, {'j', 256}});
  check<TypeParam, "ik,kj->ij", double, Right, Right, Right>({{'i', 30}, {'k', 31}, {'j', 512}});
}
TYPED_TEST(Blocked, ManySums) {
  const Extents deep = {{'i', 31}, {'k', 517}, {'j', 19}};
  check<TypeParam, "ki,jk->ij", double, Right, Right, Right>(deep);
}
TYPED_TEST(Blocked, ManyRows) {
  const Extents tall = {{'i', 1211}, {'k', 9}, {'j', 25}};
  check<TypeParam, "ik,jk->ij", double, Stride, Stride, Stride>(tall);
}
TYPED_TEST(Blocked, ManyColumns) {
  const Extents wide = {{'i', 25}, {'k', 10}, {'j', 1061}};
  check<TypeParam, "ki,jk->ij", double, Right, Left, Right>(wide);
}
TYPED_TEST(Blocked, ManyModes) {
  const Extents extents = {{'a', 9}, {'b', 10}, {'c', 7}, {'d', 11}, {'e', 6}, {'f', 8}};
  check<TypeParam, "aebf,dfce->abcd", double, Left, Left, Left>(extents);
  check<TypeParam, "aebf,dfce->abcd", double, Right, Left, Stride>(extents);
}
// C's fastest index is the input's slowest: elements are transposed on their way.
TYPED_TEST(Blocked, ReversedModes) {
  const Extents extents = {{'a', 24}, {'b', 3}, {'c', 2}, {'d', 13}, {'e', 21}, {'f', 9}};
  check<TypeParam, "ecbfa,fd->abcde", double, Left, Left, Left>(extents);
  check<TypeParam, "ecbfa,fd->abcde", float, Left, Left, Left>(
      {{'a', 32}, {'b', 3}, {'c', 2}, {'d', 13}, {'e', 21}, {'f', 9}});
}
TYPED_TEST(Blocked, BatchOfFloat) {
  const Extents extents = {{'z', 3}, {'i', 65}, {'k', 70}, {'j', 67}};
  check<TypeParam, "zik,zjk->zij", float, Right, Right, Right>(extents);
}

}  // namespace
}  // namespace KokkosContract::Test
