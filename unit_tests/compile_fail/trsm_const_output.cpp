// expect: the right-hand side is an operand of const elements
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, ConstMatrix b) {
  return SerialTrsm<Side::Left, Uplo::Lower, N, Diag::Unit>::invoke(1., a, b);
}
