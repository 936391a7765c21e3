// expect: a DualView is not supported as an operand: use its view_device
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_DualView.hpp>

#include "Operands.hpp"

int fault(Kokkos::DualView<double**> a, Matrix b, Matrix c) {
  return SerialGemm<N, N>::invoke(1., a, b, 0., c);
}
