// expect: first_fault needs the macro KOKKOSCONTRACT_STRICT
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault() { return first_fault().code; }
