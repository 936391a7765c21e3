// expect: reciprocal: of a float, a double, or a Pack of them
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosContract/Reciprocal.hpp>

#include "Operands.hpp"

int fault(int x) { return reciprocal(x); }
