// expect: explain takes the strings of the tile
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

void fault(Matrix a, std::ostream& os) { explain<TeamTile<double, "ij", Shape<32, 32>>>(os, a, a); }
