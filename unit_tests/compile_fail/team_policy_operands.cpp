// expect: uses<Op> takes the operands of Op, without scaling factors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Tensor a) {
  return team_policy<TeamContract<"bik,bkj->bij">>(Kokkos::DefaultExecutionSpace(), 8, a, a)
      .problems_per_team;
}
