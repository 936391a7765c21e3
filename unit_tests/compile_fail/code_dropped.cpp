// expect: the code says whether anything was done: pass it to require_success, or gather codes with
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warning, which is an error here.
#include "Operands.hpp"
#pragma GCC diagnostic error "-Wunused-result"

void fault(Matrix a, Matrix b, Matrix c) { SerialContract<"ik,kj->ij">::invoke(0.5, a, b, 0., c); }
