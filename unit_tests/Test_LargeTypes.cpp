// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large products of other types than double on emulated GPUs.
#include "LargeContract.hpp"
#include "ShortFloat.hpp"

namespace KokkosContract::Test {
namespace {

// Warps of 64 lanes have half of the cases, because each takes long to compile.
template <class Warp>
inline constexpr bool has_all = Warp::value == 32;

TYPED_TEST(LargeContract, Products) {
  constexpr int w = TypeParam::value;
  const Extents extents{{'i', 70}, {'k', 66}, {'j', 67}};
  check_large<"ik,kj->ij", w, float, Left, Left, Left>(extents);
  check_large<"ki*,kj->ij", w, Kokkos::complex<double>, Right, Left, Left>(extents);
  check_large<"ik,jk->ij", w, Kokkos::complex<float>, Right, Left, Right>(extents);
  if constexpr (has_all<TypeParam>) {
    check_large<"ik,kj->ij", w, float, Right, Right, Right>(extents);
    check_large<"ik,kj*->ij", w, Kokkos::complex<double>, Right, Left, Right>(extents);
    check_large<"ik*,jk*->ij", w, Kokkos::complex<float>, Left, Right, Left>(extents);
  }
}

// The inputs have another type than the sums, and C may have a third one. Terms fill whole k-tiles
// and vectors, or not.
TYPED_TEST(LargeContract, ShortInputs) {
  constexpr int w = TypeParam::value;
  const Extents odd{{'i', 70}, {'k', 67}, {'j', 65}};
  const Extents even{{'i', 136}, {'k', 96}, {'j', 72}};
  for (const Extents& extents : {odd, even}) {
    check_large<"ik,kj->ij", w, ShortFloat, Right, Right, Right,
                Impl::BlockTypes<ShortFloat, float>>(extents);
    if constexpr (has_all<TypeParam>) {
      check_large<"ik,kj->ij", w, ShortFloat, Right, Right, Left,
                  Impl::BlockTypes<ShortFloat, float, double>>(extents);
      check_large<"ik,kj->ij", w, ShortFloat, Left, Left, Right,
                  Impl::BlockTypes<ShortFloat, float>>(extents);
    }
  }
}

}  // namespace
}  // namespace KokkosContract::Test
