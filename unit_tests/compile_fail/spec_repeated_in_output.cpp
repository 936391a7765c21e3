// expect: a letter stands twice in the output
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Vector a, Matrix c) { return SerialContract<"i->ii">::invoke(1., a, 0., c); }
