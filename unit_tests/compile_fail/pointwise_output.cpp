// expect: stands neither in the last pointwise functor nor in an operand behind it
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) {
  const auto same = [](double value, int) { return value; };
  double memory[64];
  return SerialContract<"ij,jk->ik">::invoke(KokkosContract::Scratch{memory, sizeof(memory)}, 1., a,
                                             KokkosContract::pointwise<"j">(same), a, 0., c);
}
