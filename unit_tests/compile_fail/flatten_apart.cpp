// expect: parentheses around neighbours to merge
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

auto fault(Tensor a) { return flatten<"(i)j)k">(a); }
