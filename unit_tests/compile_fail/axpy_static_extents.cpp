// expect: dimensions_differ<.x., 0, 4, .y., 0, 5>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Kokkos::View<double[4]> x, Kokkos::View<double[5]> y) {
  return SerialAxpy::invoke(2., x, y);
}
