// expect: the inputs of a tile have its element type
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Scratch memory) {
  SerialTile<float, "ij", Shape<4, 4>> tile(memory, {0, 0}, {4, 4});
  return tile.accumulate<"ik,kj->ij">(1.0F, a, a);
}
