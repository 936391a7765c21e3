// expect: floating-point values do not become integers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Kokkos::View<int**> c) { return SerialContract<"ij->ji">::invoke(1, a, 0, c); }
