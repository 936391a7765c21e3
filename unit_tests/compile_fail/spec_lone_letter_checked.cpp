// expect: letter_stands_once<.k.>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define KOKKOSCONTRACT_CHECKED 1
#include "Operands.hpp"

int fault(Matrix a, Matrix c) { return SerialContract<"ik,lj->ij">::invoke(1., a, a, 0., c); }
