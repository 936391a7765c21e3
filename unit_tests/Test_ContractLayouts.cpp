// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of the operands, each pair of them.
#include <gtest/gtest.h>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class ContractLayouts : public testing::Test {};
TYPED_TEST_SUITE(ContractLayouts, FewLevels, LevelNames);

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;
using Stride = Kokkos::LayoutStride;

template <class Level, Spec S, class LayoutC, class LayoutA, class LayoutB>
void check_layouts(Random& random) {
  using Space = typename Level::space;
  constexpr int inputs = inputs_of<S>();
  using Output = view_t<double, rank_of<S>(inputs), LayoutC, Space>;
  using First = view_t<const double, rank_of<S>(0), LayoutA, Space>;
  using Second = view_t<const double, rank_of<S>(1), LayoutB, Space>;
  for (int repeat = 0; repeat < 2; ++repeat) {
    Extents extents = random_extents(random, text_of<S>());
    for (auto& [letter, extent] : extents) {
      if (extents.size() < 4) extent += repeat * random.integer(0, 13);
    }
    if constexpr (inputs == 1) {
      check_contract<Level, S, Output, First>(random, extents);
    } else {
      check_contract<Level, S, Output, First, Second>(random, extents);
    }
  }
}

// Nine rows in which each two columns show all nine pairs.
template <class Level, Spec S>
void check_layout_pairs(Random& random) {
  check_layouts<Level, S, Left, Left, Left>(random);
  check_layouts<Level, S, Left, Right, Right>(random);
  check_layouts<Level, S, Left, Stride, Stride>(random);
  check_layouts<Level, S, Right, Left, Right>(random);
  check_layouts<Level, S, Right, Right, Stride>(random);
  check_layouts<Level, S, Right, Stride, Left>(random);
  check_layouts<Level, S, Stride, Left, Stride>(random);
  check_layouts<Level, S, Stride, Right, Left>(random);
  check_layouts<Level, S, Stride, Stride, Right>(random);
}

TYPED_TEST(ContractLayouts, MatrixProduct) {
  Random random;
  check_layout_pairs<TypeParam, "ik,kj->ij">(random);
}
TYPED_TEST(ContractLayouts, BatchedTensorProduct) {
  Random random;
  check_layout_pairs<TypeParam, "bijk,bkl->bijl">(random);
}
TYPED_TEST(ContractLayouts, MatrixVector) {
  Random random;
  check_layout_pairs<TypeParam, "ij,j->i">(random);
}
TYPED_TEST(ContractLayouts, Permutation) {
  Random random;
  check_layout_pairs<TypeParam, "ijk->kij">(random);
}

}  // namespace
}  // namespace KokkosContract::Test
