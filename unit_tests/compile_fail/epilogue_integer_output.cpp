// expect: floating-point values do not become integers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Vector a, Kokkos::View<int*> c) {
  return SerialContract<"i->i">::invoke(1., a, 0., c, [](double x, int) { return 2 * x; });
}
