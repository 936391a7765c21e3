// expect: dimensions_differ<.A., 1, 4, .y., 0, 5>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Member member, Kokkos::View<double[3][4]> a, Vector x, Kokkos::View<double[5]> y) {
  return TeamGemv<Member, Trans::Transpose>::invoke(member, 1., a, x, 0., y);
}
