// expect: std::complex is not supported as an element: use Kokkos::complex
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <complex>

#include "Operands.hpp"

int fault(Kokkos::View<std::complex<double>**> a, ComplexMatrix c) {
  return SerialContract<"ij->ji">::invoke(1., a, 0., c);
}
