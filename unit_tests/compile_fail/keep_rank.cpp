// expect: a kept tensor has not as many dimensions as letters
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) {
  double memory[64];
  const Kokkos::View<double*> kept("kept", 3);
  return SerialContract<"ij,jk->ik">::invoke(KokkosContract::Scratch{memory, sizeof(memory)}, 1., a,
                                             KokkosContract::keep<"ij">(kept), a, 0., c);
}
