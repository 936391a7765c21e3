// expect: more than one '->'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) { return SerialContract<"ij->ji->ij">::invoke(1., a, 0., c); }
