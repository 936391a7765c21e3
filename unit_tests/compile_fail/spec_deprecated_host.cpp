// expect: stands once in all
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"
#pragma GCC diagnostic error "-Wdeprecated-declarations"  // where the user's code calls

void meant(Matrix a, Vector c) { contract<"ij->i">(Kokkos::DefaultExecutionSpace(), 1., a, 0., c); }
void fault(Matrix a, Matrix c) {
  contract<"ik,lj->ij">(Kokkos::DefaultExecutionSpace(), 1., a, a, 0., c);
}
