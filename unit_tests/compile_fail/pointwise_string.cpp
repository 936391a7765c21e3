// expect: the string of a pointwise functor is a list of at most 8 letters
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) {
  const auto same = [](double value, int, int) { return value; };
  double memory[64];
  return SerialContract<"ij,jk->ik">::invoke(KokkosContract::Scratch{memory, sizeof(memory)}, 1., a,
                                             KokkosContract::pointwise<"i,j">(same), a, 0., c);
}
