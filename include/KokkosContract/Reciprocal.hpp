// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_RECIPROCAL_HPP
#define KOKKOSCONTRACT_RECIPROCAL_HPP

#include <KokkosContract/Pack.hpp>
#include <KokkosContract/machine/Reciprocal.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// 1 / x for a float, a double, or a Pack of them, without branches. It is for operations on many
/// elements. A GPU's division has a branch for rare numbers, which keeps a thread from working on
/// several elements side by side.
///
/// The error is at most 2 units in the last place. This holds if |x| and |1 / x| are at least four
/// times the smallest normal number. Outside of this range a GPU may return fewer correct digits,
/// an infinite number, or 0. 0 gives an infinite number, and infinite numbers give 0, with the sign
/// of x. NaN gives NaN. On a host the function is the division.
///
/// Method on a GPU: an estimate, and two steps of Newton's method.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T reciprocal(const T& x) {
  using S = Impl::scalar_t<T>;
  static_assert(std::is_same_v<S, float> || std::is_same_v<S, double>,
                "KokkosContract: reciprocal: of a float, a double, or a Pack of them");
  return Impl::any_reciprocal(x);
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
