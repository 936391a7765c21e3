// expect: an operand is in memory that the team cannot reach
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Member member, FarMatrix a, Matrix c) {
  return TeamGemm<Member, N, N>::invoke(member, 1., c, a, 0., c);
}
