// expect: Reshape permutes: its input and its output have the same letters
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Vector b) { return SerialReshape<"ij->i">::invoke(a, b); }
