// expect: packs of different lengths do not mix
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Kokkos::View<Pack<double, 2>*> a, Kokkos::View<Pack<double, 4>*> c) {
  return SerialContract<"i->i">::invoke(1., a, 0., c);
}
