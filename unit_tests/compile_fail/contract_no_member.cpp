// expect: the first argument must be the member of a Kokkos::TeamPolicy
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix c) { return TeamContract<"ij->ji">::invoke(a, 1., a, 0., c); }
