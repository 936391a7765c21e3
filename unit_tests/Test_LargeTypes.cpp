// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large products of other types than double on emulated GPUs.
#include "LargeContract.hpp"

// A matrix instruction for numbers of 16 bits, which are exact here. On a host half_t has 32 bits.
namespace KokkosContract::inline KOKKOSCONTRACT_ISA::Impl {
template <>
struct AtomsIn<NvidiaMatrixInstructions, float, std::int16_t, std::int16_t> {
  using atom = NoAtom;
  using block_atom = Mma16x8x16<std::int16_t>;
};
}  // namespace KokkosContract::inline KOKKOSCONTRACT_ISA::Impl

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

// The inputs have another type than the sums, and C may have a third one. Terms fill whole k-tiles
// and vectors, or not.
TYPED_TEST(LargeContract, ShortInputs) {
  constexpr int w = TypeParam::value;
  using Short = std::int16_t;
  const Extents odd{{'i', 70}, {'k', 67}, {'j', 65}};
  const Extents even{{'i', 136}, {'k', 96}, {'j', 72}};
  for (const Extents& extents : {odd, even}) {
    check_large<"ik,kj->ij", w, Short, Right, Right, Right, float>(extents);
    check_large<"ik,kj->ij", w, Short, Right, Right, Left, float, double>(extents);
    check_large<"ik,kj->ij", w, Short, Left, Left, Right, float>(extents);
  }
}

}  // namespace
}  // namespace KokkosContract::Test
