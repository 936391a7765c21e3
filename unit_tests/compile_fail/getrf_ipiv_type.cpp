// expect: ipiv is an operand of integers of 16 bits or more
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Kokkos::View<bool*> ipiv) { return SerialGetrf<>::invoke(a, ipiv); }
