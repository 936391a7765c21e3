// expect: needs scratch memory
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Member member, Matrix a, Matrix c) {
  return TeamContract<"ij,jk,kl->il">::invoke(member, 1., a, a, a, 0., c);
}
