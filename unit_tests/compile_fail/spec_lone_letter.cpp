// expect: letter_stands_once<.k.>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define KOKKOSCONTRACT_STRICT_STRINGS
#include "Operands.hpp"

/// These are meant.
int meant(Matrix a, Vector sums, Scalar trace) {
  return SerialContract<"ij->i">::invoke(1., a, 0., sums) |
         SerialContract<"ii->">::invoke(1., a, 0., trace);
}

int fault(Matrix a, Matrix c) { return SerialContract<"ik,lj->ij">::invoke(1., a, a, 0., c); }
