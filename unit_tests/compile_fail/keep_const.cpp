// expect: a kept tensor is an operand of const elements, or atomic
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) {
  double memory[64];
  const Kokkos::View<const double**> kept = a;
  return SerialContract<"ij,jk->ik">::invoke(KokkosContract::Scratch{memory, sizeof(memory)}, 1., a,
                                             KokkosContract::keep<"ij">(kept), a, 0., c);
}
