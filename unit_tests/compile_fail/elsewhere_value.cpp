// expect: elsewhere.functor. takes a functor of the value and its indices that returns nothing
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

int fault(Matrix a, Matrix b) {
  const auto twice = [](double value, int, int) { return 2 * value; };
  return SerialContract<"ik,kj->ij">::invoke(1., a, b, elsewhere(twice));
}
