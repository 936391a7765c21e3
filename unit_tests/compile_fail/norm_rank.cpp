// expect: the result of a norm has rank 0, or 1 for a batch
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Vector result) { return SerialNorm<Norm::One>::invoke(a, result); }
