// expect: slice.A, p. is entry p of its leading dimension
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

void fault(Member member) {
  const auto a = scratch_matrices<double, 8, 8>(member.team_scratch(0), 4);
  Kokkos::subview(a, 0, Kokkos::ALL, Kokkos::ALL);
}
