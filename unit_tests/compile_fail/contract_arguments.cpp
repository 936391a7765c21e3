// expect: the arguments of a contraction are
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix b, Matrix c) { return SerialContract<"ik,kj->ij">::invoke(1., a, b, c); }
