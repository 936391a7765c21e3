// expect: ipiv has one dimension for the rows
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Kokkos::View<int**> ipiv) { return SerialGetrf<>::invoke(a, ipiv); }
