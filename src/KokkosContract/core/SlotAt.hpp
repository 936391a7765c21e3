// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_SLOTAT_HPP
#define KOKKOSCONTRACT_CORE_SLOTAT_HPP

#include <KokkosContract/core/Config.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Argument number I.
template <int I, class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION const auto& slot_at(const First& first, const Rest&... rest) {
  if constexpr (I == 0) {
    return first;
  } else {
    return slot_at<I - 1>(rest...);
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
