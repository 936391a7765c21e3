// expect: the compiler does not know the rank of a DynRankView: name it with
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_DynRankView.hpp>

#include "Operands.hpp"

int fault(Kokkos::DynRankView<double> a, Matrix c) {
  return SerialContract<"ij->ji">::invoke(1., a, 0., c);
}
