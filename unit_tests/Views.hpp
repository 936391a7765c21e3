// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace KokkosContract::Test {

/// A separate View with the same elements.
template <class V>
V copy_of(const V& view) {
  V copy("copy", view.layout());
  Kokkos::deep_copy(copy, view);
  return copy;
}

}  // namespace KokkosContract::Test
