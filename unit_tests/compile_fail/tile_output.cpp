// expect: the output of each string is that of the tile
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Scratch memory) {
  SerialTile<double, "ij", Shape<4, 4>> tile(memory, {0, 0}, {4, 4});
  return tile.accumulate<"ik,kj->ji">(1.0, a, a);
}
