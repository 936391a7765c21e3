// expect: an operand of uses<Op> has the rank that Op takes for one problem
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Vector a) {
  return team_policy<TeamLU<Member>>(Kokkos::DefaultExecutionSpace(), 8, a).problems_per_team;
}
