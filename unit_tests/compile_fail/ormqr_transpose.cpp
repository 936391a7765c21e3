// expect: Ormqr: a complex Q is applied as it is, or as Q.H
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(ComplexMatrix a, Kokkos::View<Kokkos::complex<double>*> tau, ComplexMatrix c) {
  return SerialOrmqr<Side::Left, Trans::Transpose>::invoke(a, tau, c);
}
