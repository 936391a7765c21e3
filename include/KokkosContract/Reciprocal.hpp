// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_RECIPROCAL_HPP
#define KOKKOSCONTRACT_RECIPROCAL_HPP

#include <KokkosContract/Pack.hpp>
#include <KokkosContract/machine/Reciprocal.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// 1 / x of a float, a double, or a Pack of them, without branches, for what is done with many
/// elements: a GPU's division has a branch for numbers that are rarely met, which keeps a thread
/// from working on several elements side by side.
///
/// Right to 2 units in the last place, if |x| and |1 / x| are at least four times the smallest
/// normal number. Beyond that a GPU may return fewer right digits, or an infinite number, or 0. 0
/// gives an infinite number, infinite numbers give 0, with the sign of x, and NaN gives NaN. On a
/// host it is the division. (One step of an estimate and two of Newton's method.)
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
