// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large products of matrices on emulated GPUs.
#include "LargeContract.hpp"

namespace KokkosContract::Test {
namespace {

TYPED_TEST(LargeContract, Layouts) {
  constexpr int w = TypeParam::value;
  const Extents even{{'i', 136}, {'k', 48}, {'j', 72}};
  check_large<"ik,kj->ij", w, double, Right, Right, Right>(even);
  check_large<"ik,kj->ij", w, double, Left, Left, Left>(even);
  check_large<"ik,jk->ij", w, double, Right, Right, Right>(even);
  check_large<"ki,kj->ij", w, double, Left, Right, Right>(even);
  const Extents odd{{'i', 67}, {'k', 65}, {'j', 131}};
  check_large<"ik,kj->ij", w, double, Right, Right, Right>(odd);
  check_large<"ki,jk->ij", w, double, Left, Right, Left>(odd);
  check_large<"ki,kj->ij", w, double, Right, Left, Left>(odd);
}

// Few columns; a sum that teams share.
TYPED_TEST(LargeContract, Shapes) {
  constexpr int w = TypeParam::value;
  const Extents few{{'i', 300}, {'k', 42}, {'j', 24}};
  EXPECT_EQ((check_large<"ik,kj->ij", w, double, Left, Left, Left>(few)), 1);
  EXPECT_EQ((check_large<"ik,kj->ij", w, double, Left, Left, Right>(few)), 1);
  EXPECT_GT((check_large<"ik,kj->ij", w, double, Right, Right, Right>(
                {{'i', 40}, {'k', 1600}, {'j', 36}}, 132)),
            1);
}

}  // namespace
}  // namespace KokkosContract::Test
