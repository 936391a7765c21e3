// expect: an OffsetView is not supported as an operand: use its view
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_OffsetView.hpp>

#include "Operands.hpp"

int fault(Kokkos::Experimental::OffsetView<double**> a, Matrix c) {
  return SerialContract<"ij->ji">::invoke(1., a, 0., c);
}
