// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of Views that are static, dynamic or both.
#include <gtest/gtest.h>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class ContractStatic : public testing::Test {};
TYPED_TEST_SUITE(ContractStatic, LaneLevels, LevelNames);

template <class Level, class Data, class Layout = Kokkos::LayoutRight>
using static_view_t = Kokkos::View<Data, Layout, typename Level::space::memory_space, Unmanaged>;

template <class Level, class C, class A, class B, class Layout = Kokkos::LayoutRight>
void check_product(Random& random, int i, int k, int j) {
  check_contract<Level, "ik,kj->ij", static_view_t<Level, C, Layout>,
                 static_view_t<Level, A, Layout>, static_view_t<Level, B, Layout>>(
      random, {{'i', i}, {'k', k}, {'j', j}});
}

TYPED_TEST(ContractStatic, StaticProduct) {
  Random random;
  using L = TypeParam;
  check_product<L, double[1][1], const double[1][1], const double[1][1]>(random, 1, 1, 1);
  check_product<L, double[3][3], const double[3][3], const double[3][3]>(random, 3, 3, 3);
  check_product<L, double[4][5], const double[4][7], const double[7][5]>(random, 4, 7, 5);
  check_product<L, double[8][8], const double[8][8], const double[8][8]>(random, 8, 8, 8);
  check_product<L, double[17][9], const double[17][2], const double[2][9]>(random, 17, 2, 9);
  check_product<L, double[7][6], const double[7][5], const double[5][6], Kokkos::LayoutLeft>(
      random, 7, 5, 6);
  check_product<L, double[7][6], const double[7][5], const double[5][6], Kokkos::LayoutStride>(
      random, 7, 5, 6);
}

TYPED_TEST(ContractStatic, StaticAndDynamic) {
  Random random;
  using L = TypeParam;
  check_product<L, double**, const double[4][5], const double[5][6]>(random, 4, 5, 6);
  check_product<L, double[4][6], const double**, const double[5][6]>(random, 4, 5, 6);
  check_product<L, double[4][6], const double[4][5], const double**>(random, 4, 5, 6);
  check_product<L, double[4][6], const double**, const double**>(random, 4, 5, 6);
  check_product<L, double* [6], const double* [5], const double* [6]>(random, 4, 5, 6);
  check_product<L, double* [6], const double* [5], const double* [6], Kokkos::LayoutStride>(
      random, 4, 5, 6);
}

TYPED_TEST(ContractStatic, StaticTensors) {
  Random random;
  using L = TypeParam;
  check_contract<L, "ijk,kl->ijl", static_view_t<L, double[2][3][5]>,
                 static_view_t<L, const double[2][3][4]>, static_view_t<L, const double[4][5]>>(
      random, {{'i', 2}, {'j', 3}, {'k', 4}, {'l', 5}});
  check_contract<L, "bij,bj->bi", static_view_t<L, double* [3]>,
                 static_view_t<L, const double* [3][4]>, static_view_t<L, const double* [4]>>(
      random, {{'b', 6}, {'i', 3}, {'j', 4}});
  check_contract<L, "iij->j", static_view_t<L, double[5]>, static_view_t<L, const double[3][3][5]>>(
      random, {{'i', 3}, {'j', 5}});
  check_contract<L, "ij->ji", static_view_t<L, double[6][5], Kokkos::LayoutLeft>,
                 static_view_t<L, const double[5][6]>>(random, {{'i', 5}, {'j', 6}});
}

// Shapes that a GPU's warps take, in tiles of 8 x 8: full ones, parts of tiles, two problems a
// tile, several blocks of tiles, strides that are not even.
TYPED_TEST(ContractStatic, TilesOfWarps) {
  Random random;
  using L = TypeParam;
  const auto check_batch = [&]<class Layout>(std::type_identity<Layout>) {
    check_contract<L, "bik,bkj->bij", static_view_t<L, double* [4][4], Layout>,
                   static_view_t<L, const double* [4][4], Layout>,
                   static_view_t<L, const double* [4][4], Layout>>(
        random, {{'b', 7}, {'i', 4}, {'k', 4}, {'j', 4}});
    check_contract<L, "bik,bkj->bij", static_view_t<L, double* [8][16], Layout>,
                   static_view_t<L, const double* [8][12], Layout>,
                   static_view_t<L, const double* [12][16], Layout>>(
        random, {{'b', 6}, {'i', 8}, {'k', 12}, {'j', 16}});
  };
  check_batch(std::type_identity<Kokkos::LayoutRight>{});
  check_batch(std::type_identity<Kokkos::LayoutStride>{});
  // With run-time extents: more elements than warps leave to others.
  check_product<L, double**, const double**, const double**>(random, 17, 9, 11);
  check_product<L, double**, const double**, const double**, Kokkos::LayoutStride>(random, 12, 3,
                                                                                   33);
  check_product<L, double[13][11], const double[13][6], const double[6][11]>(random, 13, 6, 11);
  check_product<L, double[40][37], const double[40][35], const double[35][37]>(random, 40, 35, 37);
  check_contract<L, "aebf,dfce->abcd", static_view_t<L, double[6][6][6][6]>,
                 static_view_t<L, const double[6][6][6][6]>,
                 static_view_t<L, const double[6][6][6][6]>>(
      random, {{'a', 6}, {'b', 6}, {'c', 6}, {'d', 6}, {'e', 6}, {'f', 6}});
}

}  // namespace
}  // namespace KokkosContract::Test
