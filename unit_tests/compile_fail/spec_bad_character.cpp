// expect: a character that is not a letter
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) { return SerialContract<"i1->1i">::invoke(1., a, 0., c); }
