// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_DIGITS_HPP
#define KOKKOSCONTRACT_CORE_DIGITS_HPP

// Several indices merged into one number, with the last of them fastest: the indices are its
// digits.

#include <KokkosContract/core/Config.hpp>
#include <cstddef>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Removes the last of n digits from t.
template <class Index, class N>
KOKKOS_FORCEINLINE_FUNCTION constexpr Index take_digit(Index& t, const N& n) {
  const auto digits = static_cast<Index>(n);
  const Index digit = t % digits;
  t /= digits;
  return digit;
}
/// Most t are short, and their divisions several times faster on a GPU.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t take_digit(std::size_t& t, unsigned n) {
  if (t <= 0xffffffffU) {
    auto low = static_cast<unsigned>(t);
    const unsigned digit = take_digit(low, n);
    t = low;
    return digit;
  }
  const std::size_t digit = t % n;
  t /= n;
  return digit;
}

/// Calls f.operator()<I>(digit) for the digits I = Last to First of t, which is less than the
/// number of all their values. count.operator()<I>() is the number of values of a digit.
template <int First, int Last, class Index, class Count, class F>
KOKKOS_FORCEINLINE_FUNCTION constexpr void for_digits(Index t, const Count& count, const F& f) {
  if constexpr (Last == First) {
    f.template operator()<Last>(t);
  } else if constexpr (Last > First) {
    Index digit = 0;
    // A host skips the divisions of zero.
    if (is_device_code() || t != 0) digit = take_digit(t, count.template operator()<Last>());
    f.template operator()<Last>(digit);
    for_digits<First, Last - 1>(t, count, f);
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
