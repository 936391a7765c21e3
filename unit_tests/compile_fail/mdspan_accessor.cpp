// expect: an mdspan must have an accessor that takes elements as they lie in
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

struct Doubled {
  using element_type = double;
  using reference = double;
  using data_handle_type = double*;
  using offset_policy = Doubled;
  constexpr double access(double* p, std::size_t i) const noexcept { return 2 * p[i]; }
  constexpr double* offset(double* p, std::size_t i) const noexcept { return p + i; }
};

int fault(Kokkos::mdspan<double, Kokkos::dextents<int, 2>, Kokkos::layout_right, Doubled> a,
          Matrix c) {
  return SerialContract<"ij->ji">::invoke(1., a, 0., c);
}
