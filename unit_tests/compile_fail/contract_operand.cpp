// expect: an operand must be a Kokkos::View, an mdspan or a model
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(double* a, Matrix c) { return SerialContract<"ij->ji">::invoke(1., a, 0., c); }
