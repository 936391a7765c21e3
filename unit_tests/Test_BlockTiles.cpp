// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of static matrices by a GPU's team, block tile by block tile of C (Way::block_tiles).
#include <gtest/gtest.h>

#include "AlignedProducts.hpp"
#include "ShortFloat.hpp"

namespace KokkosContract::Test {
namespace {

// With fewer workers than tiles are for there is another way.
template <class Level>
class BlockTiles : public testing::Test {};
TYPED_TEST_SUITE(BlockTiles, LargeLevels, LevelNames);

template <class L, Spec S, class C, class A, class B>
void check(int rows, int cols, int sums) {
  check_aligned<L, S, Way::block_tiles, C, A, B>(rows, cols, sums);
}

TYPED_TEST(BlockTiles, AsStored) {
  check<TypeParam, "bik,bkj->bij", double* [64][64], const double* [64][40],
        const double* [40][64]>(64, 64, 40);
}
TYPED_TEST(BlockTiles, LargestTile) {
  check<TypeParam, "bik,bkj->bij", double* [96][96], const double* [96][16],
        const double* [16][96]>(96, 96, 16);
}
// In rows of tiles and columns of them; every second one begins with the last terms, of which some
// are not there.
TYPED_TEST(BlockTiles, SeveralTiles) {
  check<TypeParam, "bik,bkj->bij", double* [160][176], const double* [160][22],
        const double* [22][176]>(160, 176, 22);
}
TYPED_TEST(BlockTiles, SeveralTilesOfFloats) {
  check<TypeParam, "bik,bkj->bij", float* [80][96], const float* [80][24], const float* [24][96]>(
      80, 96, 24);
}
TYPED_TEST(BlockTiles, BothTransposed) {
  check<TypeParam, "bki,bjk->bij", double* [48][80], const double* [12][48],
        const double* [80][12]>(48, 80, 12);
}
TYPED_TEST(BlockTiles, FirstTransposedOfFloats) {
  check<TypeParam, "bki,bkj->bij", float* [64][64], const float* [20][64], const float* [20][64]>(
      64, 64, 20);
}
TYPED_TEST(BlockTiles, SecondTransposedOfFloats) {
  check<TypeParam, "bik,bjk->bij", float* [32][64], const float* [32][12], const float* [64][12]>(
      32, 64, 12);
}
// Floats of 16 bits have sums of float, which are stored, or rounded. The last slice has half of
// its terms.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
using Short = Kokkos::Experimental::half_t;
#else
using Short = ShortFloat;
#endif
TYPED_TEST(BlockTiles, ShortFloats) {
  check<TypeParam, "bik,bkj->bij", float* [64][96], const Short* [64][40], const Short* [40][96]>(
      64, 96, 40);
  check<TypeParam, "bki,bjk->bij", Short* [48][136], const Short* [32][48], const Short* [136][32]>(
      48, 136, 32);
}
// Rows that do not fill the blocks of a machine without matrix instructions.
TYPED_TEST(BlockTiles, FewRowsOfFloats) {
  check<TypeParam, "bki,bjk->bij", float* [48][136], const float* [20][48], const float* [136][20]>(
      48, 136, 20);
}
// Rows of C that do not begin at 16 bytes are stored element by element.
TYPED_TEST(BlockTiles, OddColumnsOfOutput) {
  check<TypeParam, "bik,bjk->bij", double* [33][35], const double* [33][18],
        const double* [35][18]>(33, 35, 18);
}

// Inputs that are not aligned go another way.
TYPED_TEST(BlockTiles, NotAligned) {
  using L = TypeParam;
  using A = of_kernel_t<L, const double* [64][18]>;
  using B = of_kernel_t<L, const double* [18][64]>;
  Random random;
  for (int repeat = 0; repeat < 4; ++repeat) {
    check_operation<L, ContractOp<"bik,bkj->bij", Way::block_tiles>,
                    of_kernel_t<L, double* [64][64]>, A, B>(
        random, "bik,bkj->bij", {{'b', 1}, {'i', 64}, {'k', 18}, {'j', 64}}, 1);
  }
}

}  // namespace
}  // namespace KokkosContract::Test
