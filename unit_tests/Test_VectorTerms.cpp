// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of static matrices of floats by a GPU's team, from copies in shared memory of which four
// terms are read at once, where they begin at 16 bytes.
#include <gtest/gtest.h>

#include "AlignedProducts.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class VectorTerms : public testing::Test {};
TYPED_TEST_SUITE(VectorTerms, LargeLevels, LevelNames);

TYPED_TEST(VectorTerms, Square) {
  check_aligned<TypeParam, "bik,bkj->bij", Way::best, float* [24][24], const float* [24][24],
                const float* [24][24]>(24, 24, 24);
}
TYPED_TEST(VectorTerms, SecondTransposed) {
  check_aligned<TypeParam, "bik,bjk->bij", Way::best, float* [20][12], const float* [20][28],
                const float* [12][28]>(20, 12, 28);
}
// More tiles than workers.
TYPED_TEST(VectorTerms, Large) {
  check_aligned<TypeParam, "bik,bkj->bij", Way::best, float* [48][44], const float* [48][20],
                const float* [20][44]>(48, 44, 20);
}
// Whatever does not begin at 16 bytes is read term by term.
TYPED_TEST(VectorTerms, NotAligned) {
  using L = TypeParam;
  using View = of_kernel_t<L, float* [24][24]>;
  using Input = of_kernel_t<L, const float* [24][24]>;
  Random random;
  for (int repeat = 0; repeat < 4; ++repeat) {
    check_operation<L, ContractOp<"bik,bkj->bij">, View, Input, Input>(
        random, "bik,bkj->bij", {{'b', 2}, {'i', 24}, {'k', 24}, {'j', 24}}, 1);
  }
}

}  // namespace
}  // namespace KokkosContract::Test
