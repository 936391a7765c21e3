// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding analysis (Higham, Accuracy and Stability of Numerical Algorithms, chapters 3, 8 and 9):
// the distance of a computed result from the exact one.
#pragma once

#include <Kokkos_Core.hpp>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "Random.hpp"

namespace KokkosContract::Test {

template <class T>
struct real_of {
  using type = T;
};
template <class T>
struct real_of<Kokkos::complex<T>> {
  using type = T;
};
template <class T>
using real_of_t = typename real_of<T>::type;

/// A float as a product with Accuracy::tf32 has it: rounded to 11 bits.
KOKKOS_INLINE_FUNCTION float rounded_to_tf32(float x) {
  const auto bits = Kokkos::bit_cast<std::uint32_t>(x);
  return Kokkos::bit_cast<float>((bits + (1U << 12)) & ~((1U << 13) - 1));
}

/// The type in which the references compute: exact for integers, long double otherwise.
template <class T>
using wide_t = std::conditional_t<
    is_complex<T>::value, std::complex<long double>,
    std::conditional_t<std::is_integral_v<real_of_t<T>>, std::int64_t, long double>>;

template <class W, class T>
W widen(const T& x) {
  if constexpr (is_complex<T>::value) {
    return W(static_cast<long double>(x.real()), static_cast<long double>(x.imag()));
  } else if constexpr (std::is_integral_v<T> || std::is_floating_point_v<T>) {
    using Real = std::conditional_t<std::is_integral_v<W>, W, long double>;
    return W(static_cast<Real>(x));
  } else {
    return W(static_cast<long double>(static_cast<float>(x)));  // the 16-bit floats
  }
}

/// The conversion back: the nearest T.
template <class T, class W>
T narrow(const W& x) {
  if constexpr (is_complex<T>::value) {
    using Real = typename T::value_type;
    return T(static_cast<Real>(x.real()), static_cast<Real>(x.imag()));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(x);
  } else {
    return static_cast<T>(static_cast<double>(x));
  }
}

inline long double magnitude(std::int64_t x) { return static_cast<long double>(x < 0 ? -x : x); }
inline long double magnitude(long double x) { return std::abs(x); }
inline long double magnitude(const std::complex<long double>& x) { return std::abs(x); }

inline std::int64_t conjugate(std::int64_t x) { return x; }
inline long double conjugate(long double x) { return x; }
inline std::complex<long double> conjugate(const std::complex<long double>& x) {
  return std::conj(x);
}

/// The unit roundoff u of a type: half the distance of 1 to the next number.
template <class T>
constexpr long double unit_roundoff() {
  using Real = real_of_t<T>;
  if constexpr (std::is_integral_v<Real>) {
    return 0;
  } else if constexpr (std::is_floating_point_v<Real>) {
    return std::numeric_limits<Real>::epsilon() / 2.0L;
  } else if constexpr (std::is_same_v<Real, Kokkos::Experimental::half_t>) {
    return 0x1p-11L;
  } else {
    static_assert(std::is_same_v<Real, Kokkos::Experimental::bhalf_t>);
    return 0x1p-8L;
  }
}

/// The distance between a type's smallest numbers: the error that gradual underflow may add.
template <class T>
constexpr long double smallest() {
  using Real = real_of_t<T>;
  if constexpr (std::is_integral_v<Real>) {
    return 0;
  } else if constexpr (std::is_floating_point_v<Real>) {
    return std::numeric_limits<Real>::denorm_min();
  } else if constexpr (std::is_same_v<Real, Kokkos::Experimental::half_t>) {
    return 0x1p-24L;
  } else {
    return std::numeric_limits<float>::denorm_min() * 0x1p16L;
  }
}

/// gamma_k = k u / (1 - k u): k roundings in a row.
constexpr long double gamma(long double k, long double u) { return k * u / (1 - k * u); }

namespace Detail {
// The widest real type of a list: never narrower than float, int32 for integers.
template <class... T>
constexpr auto widest() {
  if constexpr ((std::is_integral_v<T> && ...)) {
    return std::int32_t{};
  } else if constexpr ((std::is_same_v<T, double> || ...)) {
    return double{};
  } else {
    return float{};
  }
}
}  // namespace Detail

/// The accumulator of a contraction with these element types, as the manual says.
template <class... T>
using accumulator_t =
    std::conditional_t<std::disjunction_v<is_complex<T>...>,
                       Kokkos::complex<decltype(Detail::widest<real_of_t<T>...>())>,
                       decltype(Detail::widest<real_of_t<T>...>())>;

/// The roundings of one complex product, sqrt(2) gamma_2 < gamma_3; of a real one: 1.
template <class T>
inline constexpr int roundings_of_product = is_complex<T>::value ? 3 : 1;
/// Roundings of a quotient. Smith's division has sqrt(2) gamma_7 < gamma_10. A real quotient has
/// one rounding, and a product with a reciprocal one more.
template <class T>
inline constexpr int roundings_of_quotient = is_complex<T>::value ? 13 : 2;

}  // namespace KokkosContract::Test
