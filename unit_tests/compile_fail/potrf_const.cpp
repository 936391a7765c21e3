// expect: Potrf: A is an operand of const elements
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(ConstMatrix a) { return SerialPotrf<Uplo::Lower>::invoke(a); }
