// expect: the memory of a tile is the team_scratch or thread_scratch
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix c, double* memory) {
  SerialTile<double, "ij", Shape<4, 4>> tile(memory, {0, 0}, {4, 4});
  return tile.store(1.0, 0.0, c);
}
