// expect: stands in no operand that is contracted before it
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) {
  const auto same = [](double value, int, int) { return value; };
  double memory[64];
  return SerialContract<"ij,jk,kl->il">::invoke(KokkosContract::Scratch{memory, sizeof(memory)}, 1.,
                                                a, a, KokkosContract::pointwise<"il">(same), a, 0.,
                                                c);
}
