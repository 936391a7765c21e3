// expect: an operand of contract is in memory that the execution space cannot reach
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

void fault(FarMatrix a, Matrix c) {
  contract<"ij->ji">(Kokkos::DefaultHostExecutionSpace(), 1., a, 0., c);
}
