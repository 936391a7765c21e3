// expect: Gemm: C must have rank 2
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Vector c) { return SerialGemm<N, N>::invoke(1., a, a, 0., c); }
