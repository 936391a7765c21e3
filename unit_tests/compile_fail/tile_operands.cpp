// expect: each string of a tile has two operands
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

std::size_t fault(Matrix a) {
  return TeamTile<double, "ij", Shape<32, 32>>::scratch_bytes<"ik,kj->ij">(a, a, a);
}
