// expect: a contraction of complex inputs needs a complex output
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(ComplexMatrix a, Matrix c) { return SerialContract<"ij->ji">::invoke(1., a, 0., c); }
