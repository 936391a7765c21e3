// expect: an operand of const elements cannot be written
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(ConstMatrix a) { return SerialSet::invoke(1., a); }
