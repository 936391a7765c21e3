// expect: the output is an operand of const elements
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, ConstMatrix c) { return SerialContract<"ik,kj->ij">::invoke(1., a, a, 0., c); }
