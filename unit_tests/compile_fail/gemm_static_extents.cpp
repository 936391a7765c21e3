// expect: dimensions_differ<.A., 1, 4, .B., 0, 5>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Kokkos::View<double[3][4]> a, Kokkos::View<double[5][6]> b, Matrix c) {
  return SerialGemm<>::invoke(1., a, b, 0., c);
}
