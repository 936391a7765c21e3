// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large products of other types than double on emulated GPUs.
#include "LargeContract.hpp"

namespace KokkosContract::Test {
namespace {

TYPED_TEST(LargeContract, Products) {
  constexpr int w = TypeParam::value;
  const Extents extents{{'i', 70}, {'k', 66}, {'j', 67}};
  check_large<"ik,kj->ij", w, float, Right, Right, Right>(extents);
  check_large<"ik,kj->ij", w, float, Left, Left, Left>(extents);
  check_large<"ki*,kj->ij", w, Kokkos::complex<double>, Right, Left, Left>(extents);
  check_large<"ik,kj*->ij", w, Kokkos::complex<double>, Right, Left, Right>(extents);
  check_large<"ik*,jk*->ij", w, Kokkos::complex<float>, Left, Right, Left>(extents);
  check_large<"ik,jk->ij", w, Kokkos::complex<float>, Right, Left, Right>(extents);
}

}  // namespace
}  // namespace KokkosContract::Test
