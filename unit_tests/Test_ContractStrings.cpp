// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strings of one list of Strings.hpp, which the build names, at each level: random extents and
// strides, in double.
#include <gtest/gtest.h>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class ContractStrings : public testing::Test {};
TYPED_TEST_SUITE(ContractStrings, Levels, LevelNames);

template <class Level, Spec S>
void check_string(Random& random) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    check_contract_views<Level, S, double>(random, random_extents(random, text_of<S>()));
  }
}

TYPED_TEST(ContractStrings, Double) {
  Random random;
  KOKKOSCONTRACT_TEST_STRINGS::for_each([&]<Spec S> { check_string<TypeParam, S>(random); });
}

}  // namespace
}  // namespace KokkosContract::Test
