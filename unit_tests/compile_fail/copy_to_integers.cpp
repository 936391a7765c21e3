// expect: floating-point values do not become integers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Kokkos::View<int**> c) { return SerialCopy<>::invoke(a, c); }
