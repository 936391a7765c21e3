// expect: an atomic output takes no epilogue
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Vector a, Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Atomic>> c) {
  return SerialContract<"i->i">::invoke(1., a, 1., c, [](double x, int) { return x; });
}
