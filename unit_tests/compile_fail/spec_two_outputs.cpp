// expect: more than one output
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) { return SerialContract<"ij->i,j">::invoke(1., a, 0., c); }
