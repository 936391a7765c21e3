// expect: a right-hand side has rank 1
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Tensor a, Tensor b) { return SerialTrsv<Uplo::Lower, N, Diag::Unit>::invoke(1., a, b); }
