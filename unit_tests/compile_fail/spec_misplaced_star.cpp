// expect: '[*]' must follow the letters of an input
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(ComplexMatrix a, ComplexMatrix c) {
  return SerialContract<"i*j->ji">::invoke(1., a, 0., c);
}
