// expect: intermediates of this contraction take more than 256 KiB
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

using Points = Kokkos::View<Pack<double, 16>[32][32][32]>;
using Basis = Kokkos::View<double[32][32]>;

int fault(Basis b, Points v, Points u) {
  return SerialContract<"xa,yb,zc,abc->xyz">::invoke(1., b, b, b, v, 0., u);
}
