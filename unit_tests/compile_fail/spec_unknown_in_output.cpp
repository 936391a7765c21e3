// expect: a letter of the output stands in no input
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Vector a, Matrix c) { return SerialContract<"i->ij">::invoke(1., a, 0., c); }
