// expect: the output is an operand of const elements
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Vector x, Kokkos::Array<double, 3> y) {
  return SerialGemv<N>::invoke(1., a, x, 0., y);
}
