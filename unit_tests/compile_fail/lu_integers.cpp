// expect: LU needs a floating-point type
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Kokkos::View<int**> a) { return SerialLU<>::invoke(a); }
