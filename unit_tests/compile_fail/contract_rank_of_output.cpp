// expect: the output has not as many dimensions as letters
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix b, Vector c) {
  return SerialContract<"ik,kj->ij">::invoke(1., a, b, 0., c);
}
