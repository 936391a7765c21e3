// expect: the way that is asked for cannot take this contraction
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Kokkos::View<int**> a, Kokkos::View<int**> b, Kokkos::View<int**> c) {
  return SerialContract<"ik,kj->ij", Way::blocked>::invoke(1, a, b, 0, c);
}
