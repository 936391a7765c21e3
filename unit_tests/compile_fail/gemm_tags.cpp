// expect: TransTag|constraint
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) { return SerialGemm<Uplo::Lower, N>::invoke(1., a, a, 0., c); }
