// expect: rank_differs<.B., 1, 2>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Vector b, Matrix c) { return SerialGemm<>::invoke(1., a, b, 0., c); }
