// expect: A and ipiv are both shared
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Kokkos::View<int*> ipiv, Matrix b) {
  return SerialGetrs<N>::invoke(shared(a), ipiv, b);
}
