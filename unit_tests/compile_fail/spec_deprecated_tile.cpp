// expect: stands once in all
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"
#pragma GCC diagnostic error "-Wdeprecated-declarations"  // where the user's code calls

using LocalTile = SerialTile<double, "ij", Shape<4, 4>, Kokkos::DefaultHostExecutionSpace>;

int meant(LocalTile tile, Matrix a, Matrix b) {
  return tile.accumulate<"ik,kj->ij", "i+k,+lj->ij">(1., a, b, 1., a, b);
}
int fault(LocalTile tile, Matrix a, Matrix b) {
  return tile.accumulate<"ik,kj->ij", "ik,lj->ij">(1., a, b, 1., a, b);
}
