// expect: more than 8 letters
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) { return SerialContract<"abcdefghi->ab">::invoke(1., a, 0., c); }
