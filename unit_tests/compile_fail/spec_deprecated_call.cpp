// expect: stands once in all
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"
#pragma GCC diagnostic error "-Wdeprecated-declarations"  // where the user's code calls

int meant(Matrix a, Vector c) { return SerialContract<"ij->i">::invoke(1., a, 0., c); }
int fault(Matrix a, Matrix c) { return SerialContract<"ik,lj->ij">::invoke(1., a, a, 0., c); }
