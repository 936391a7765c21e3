// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large contractions of tensors on emulated GPUs.
#include "LargeContract.hpp"

namespace KokkosContract::Test {
namespace {

// Runs along several indices, whole and ragged; neighbours along different indices of the sum, and
// in inputs along others than in C.
TYPED_TEST(LargeContract, ManyIndices) {
  constexpr int w = TypeParam::value;
  check_large<"ikl,ljk->ij", w, double, Left, Left, Left>(
      {{'i', 66}, {'k', 24}, {'l', 6}, {'j', 34}});
  check_large<"kil,lkj->ij", w, double, Left, Left, Left>(
      {{'i', 66}, {'k', 12}, {'l', 8}, {'j', 50}});
  check_large<"kil,lkj->ij", w, double, Left, Left, Left>(
      {{'i', 70}, {'k', 7}, {'l', 9}, {'j', 65}});
  check_large<"eafd,fbec->abcd", w, double, Left, Left, Left>(
      {{'a', 16}, {'b', 9}, {'c', 7}, {'d', 12}, {'e', 8}, {'f', 10}});
  check_large<"dega,gfbc->abcdef", w, double, Left, Left, Left>(
      {{'a', 8}, {'b', 6}, {'c', 5}, {'d', 4}, {'e', 3}, {'f', 2}, {'g', 48}});
  check_large<"ziyk,zjyk->zyij", w, double, Right, Right, Right>(
      {{'z', 2}, {'y', 2}, {'i', 65}, {'k', 70}, {'j', 40}});
  check_large<"zik,zkj->zij", w, double, Left, Left, Left>(
      {{'z', 2}, {'i', 40}, {'k', 50}, {'j', 70}});
}

}  // namespace
}  // namespace KokkosContract::Test
