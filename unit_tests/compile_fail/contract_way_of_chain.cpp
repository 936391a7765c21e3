// expect: a way is asked for of one or two inputs without functors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Kokkos::View<double[4][4]> a, Kokkos::View<double[4][4]> c) {
  return SerialContract<"ik,kl,lj->ij", Way::tiles>::invoke(1., a, a, a, 0., c);
}
