// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of static matrices by a GPU's team, block tile by block tile of C (Way::block_tiles).
#include <gtest/gtest.h>

#include "ContractOp.hpp"
#include "NaryOp.hpp"

namespace KokkosContract::Test {
namespace {

// As many workers as tiles are for; more of them; and fewer, for which there is another way.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
struct LargeTeam : Team {
  static std::vector<Configuration> configurations() { return {{128, 1}, {160, 1}, {32, 1}}; }
};
struct LargeTeamVector : TeamVector {
  static std::vector<Configuration> configurations() { return {{4, 32}, {8, 16}}; }
};
using LargeLevels = testing::Types<LargeTeam, LargeTeamVector>;
#else
struct LargeTeam : EmulatedTeam {
  static std::vector<Configuration> configurations() { return {{128, 1}, {160, 1}, {32, 1}}; }
};
struct LargeTeamVector : EmulatedTeamVector64 {
  static std::vector<Configuration> configurations() { return {{2, 64}, {3, 64}}; }
};
using LargeLevels = testing::Types<LargeTeam, LargeTeamVector>;
#endif

template <class Level>
class BlockTiles : public testing::Test {};
TYPED_TEST_SUITE(BlockTiles, LargeLevels, LevelNames);

constexpr int problems = 2;

/// Of 16-byte pieces, which tiles need.
template <class View, class Space>
tensor_for_t<View, Space> aligned_tensor(Random& random, int rows, int cols) {
  constexpr int multiple = 16 / static_cast<int>(sizeof(typename View::value_type));
  return {
      random, {problems, rows, cols}, arrangement_of<typename View::array_layout>(), 1, multiple};
}

/// C, A and B of so many rows, columns and terms, each with its problems first.
template <class L, Spec S, class C, class A, class B>
void check(int rows, int cols, int sums) {
  using Space = typename L::space;
  using ViewC = of_kernel_t<L, C>;
  using ViewA = of_kernel_t<L, A>;
  using ViewB = of_kernel_t<L, B>;
  using T = typename ViewC::value_type;
  constexpr std::string_view text = text_of<S>();
  Random random;
  std::tuple inputs{aligned_tensor<ViewA, Space>(random, text[1] == 'i' ? rows : sums,
                                                 text[1] == 'i' ? sums : rows),
                    aligned_tensor<ViewB, Space>(random, text[5] == 'k' ? sums : cols,
                                                 text[5] == 'k' ? cols : sums)};
  auto output = aligned_tensor<ViewC, Space>(random, rows, cols);
  check_case(random, std::string(text), output, inputs,
             make_start<L, ContractOp<S, Way::block_tiles>, ViewC, ViewA, ViewB>(
                 std::type_identity<T>{}, output, inputs));
}

TYPED_TEST(BlockTiles, AsStored) {
  check<TypeParam, "bik,bkj->bij", double* [64][64], const double* [64][40],
        const double* [40][64]>(64, 64, 40);
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
