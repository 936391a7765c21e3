// expect: stands before a letter of an input that is in no other place
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) { return SerialContract<"i+k,kj->ij">::invoke(1., a, a, 0., c); }
