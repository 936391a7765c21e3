// expect: Spec<10>{.ik,kj->ij.}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The message shows the string.
#include "Operands.hpp"

int fault(Matrix a, Vector b, Matrix c) {
  return SerialContract<"ik,kj->ij">::invoke(1., a, b, 0., c);
}
