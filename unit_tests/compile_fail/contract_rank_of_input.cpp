// expect: the second input has not as many dimensions as letters
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Vector b, Matrix c) {
  return SerialContract<"ik,kj->ij">::invoke(1., a, b, 0., c);
}
