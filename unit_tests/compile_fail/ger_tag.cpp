// expect: Ger: the tag is Trans::Transpose for x y.T, or
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Vector x, Vector y, Matrix a) { return SerialGer<N>::invoke(1., x, y, a); }
