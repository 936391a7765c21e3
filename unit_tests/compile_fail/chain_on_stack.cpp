// expect: intermediates_on_stack<9680000
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

using Large = Kokkos::View<double[1100][1100]>;
using Small = Kokkos::View<double[100][100]>;

/// The intermediate has 80 kB, or scratch memory.
int meant(Small a, Small b, Large c, Large d, Scratch scratch) {
  return SerialContract<"ij,jk,kl->il">::invoke(1., a, a, a, 0., b) |
         SerialContract<"ij,jk,kl->il">::invoke(scratch, 1., c, c, c, 0., d);
}

int fault(Large a, Large c) { return SerialContract<"ij,jk,kl->il">::invoke(1., a, a, a, 0., c); }
