// expect: a pointwise functor stands behind at least one operand
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) {
  const auto same = [](double value, int, int) { return value; };
  double memory[64];
  return SerialContract<"ij,jk->ik">::invoke(KokkosContract::Scratch{memory, sizeof(memory)}, 1.,
                                             KokkosContract::pointwise<"ij">(same), a, a, 0., c);
}
