// expect: fix needs as many extents as the operand has dimensions
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

auto fault(Matrix a) { return fix<4>(a); }
