// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs as elements of the tests' tensors.
#pragma once

#include <KokkosContract/Pack.hpp>

#include "StridedTensor.hpp"

namespace KokkosContract::Test {

template <class T, int L>
struct lanes<Pack<T, L>> {
  using scalar = T;
  static constexpr int count = L;
  static T& at(Pack<T, L>& x, int lane) { return x[lane]; }
  static const T& at(const Pack<T, L>& x, int lane) { return x[lane]; }
};

}  // namespace KokkosContract::Test
