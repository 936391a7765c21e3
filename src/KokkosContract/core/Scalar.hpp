// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_SCALAR_HPP
#define KOKKOSCONTRACT_CORE_SCALAR_HPP

// Element types: the type in which a sum is accumulated, and the few operations that differ among
// real, complex and Pack elements.

#include <KokkosContract/Pack.hpp>
#include <cstdint>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<Kokkos::complex<T>> = true;

/// The scalar in a Pack; any other type itself.
template <class T>
struct PackTraits {
  using scalar = T;
  static constexpr int lanes = 0;
};
template <class T, int L>
struct PackTraits<Pack<T, L>> {
  using scalar = T;
  static constexpr int lanes = L;
};
template <class T>
inline constexpr bool is_pack = PackTraits<T>::lanes > 0;
template <class T>
using scalar_t = typename PackTraits<T>::scalar;

/// The real type of a scalar.
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<Kokkos::complex<T>> {
  using type = T;
};
template <class T>
using real_t = typename RealOf<scalar_t<T>>::type;

/// -x if the highest bit of `signs` is set, and x otherwise. It changes that bit of x: next to MMA
/// instructions, an instruction for doubles would wait for their unit.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R with_sign_flipped(const R& x, std::uint32_t signs = 1U << 31) {
  using Bits = std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>;
  return Kokkos::bit_cast<R>(Kokkos::bit_cast<Bits>(x) ^ static_cast<Bits>(signs & 1U << 31)
                                                             << (8 * sizeof(R) - 32));
}

/// half_t and bhalf_t, which have 16 bits where the hardware has such numbers.
template <class T>
inline constexpr bool is_short_float = std::is_same_v<T, Kokkos::Experimental::half_t> ||
                                       std::is_same_v<T, Kokkos::Experimental::bhalf_t>;

/// Whether inputs of In are floats of 16 bits with sums of float, and C has those or their sums.
template <class Acc, class In, class C>
inline constexpr bool are_short_floats =
    is_short_float<In> && sizeof(In) == 2 && std::is_same_v<Acc, float> &&
    (std::is_same_v<C, Acc> || std::is_same_v<C, In>);

template <class T>
consteval auto widened_real() {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (sizeof(T) < 4) {
      return std::int32_t{};
    } else {
      return T{};
    }
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                       std::is_same_v<T, long double>) {
    return T{};
  } else if constexpr (is_short_float<T>) {
    return float{};
  } else {
    static_assert(always_false<T>,
                  "KokkosContract: this element type is not supported; elements are float, double, "
                  "half_t, bhalf_t, Kokkos::complex, integers, and Packs of them");
  }
}

template <class... T>
struct Accumulator {
  using real = std::common_type_t<decltype(widened_real<real_t<T>>())...>;
  using scalar = std::conditional_t<(is_complex<scalar_t<T>> || ...), Kokkos::complex<real>, real>;
  static constexpr int lanes = [] {
    int n = 0;
    for (int l : {PackTraits<T>::lanes...}) n = l > n ? l : n;
    return n;
  }();
  static_assert(((PackTraits<T>::lanes == 0 || PackTraits<T>::lanes == lanes) && ...),
                "KokkosContract: packs of different lengths do not mix");
  static consteval auto deduce() {
    if constexpr (lanes == 0) {
      return std::type_identity<scalar>{};
    } else {
      return std::type_identity<Pack<scalar, lanes>>{};
    }
  }
  using type = typename decltype(deduce())::type;
};

/// The widest of all types, but at least float for 16-bit floats and int32 for shorter integers.
template <class... T>
using accumulator_t = typename Accumulator<T...>::type;

/// A type that makes no accumulator wider.
using narrowest = std::int8_t;

/// Converts between element types. It does not convert complex to real, or floating-point numbers
/// to integers.
template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION constexpr To convert(const From& from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (is_pack<To> && !is_pack<From>) {
    return To(convert<scalar_t<To>>(from));
  } else if constexpr (is_pack<To>) {
    To result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < To::length; ++l) result[l] = convert<scalar_t<To>>(from[l]);
    return result;
  } else {
    static_assert(!is_pack<From>, "KokkosContract: a pack does not convert to a scalar");
    static_assert(is_complex<To> || !is_complex<From>,
                  "KokkosContract: a complex value does not convert to a real one");
    static_assert(!std::is_integral_v<To> || std::is_integral_v<From> || is_complex<From>,
                  "KokkosContract: floating-point values do not become integers by themselves; an "
                  "epilogue of the contraction may return integers");
    if constexpr (is_complex<To>) {
      using R = typename To::value_type;
      if constexpr (is_complex<From>) {
        return To(static_cast<R>(from.real()), static_cast<R>(from.imag()));
      } else {
        return To(static_cast<R>(from), R(0));
      }
    } else {
      return static_cast<To>(from);
    }
  }
}

/// Lane l of a pack, or a number itself.
template <class X>
KOKKOS_FORCEINLINE_FUNCTION auto& number_in_lane([[maybe_unused]] X& x, [[maybe_unused]] int l) {
  if constexpr (is_pack<std::remove_const_t<X>>) {
    return x[l];
  } else {
    return x;
  }
}

template <bool Conjugate, class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr T conjugate_if(const T& x) {
  if constexpr (Conjugate && is_complex<T>) {
    return T(x.real(), -x.imag());
  } else if constexpr (Conjugate && is_complex<scalar_t<T>>) {
    T result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < T::length; ++l) result[l] = conjugate_if<true>(x[l]);
    return result;
  } else {
    return x;
  }
}

/// sum + x * y, contracted to an FMA if the machine has one.
template <class A, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION constexpr A multiply_add(const A& sum, const X& x, const Y& y) {
  if constexpr (is_complex<A> && is_complex<X> && is_complex<Y>) {
    return A((sum.real() + x.real() * y.real()) - x.imag() * y.imag(),
             (sum.imag() + x.real() * y.imag()) + x.imag() * y.real());
  } else if constexpr (is_complex<A> && is_complex<X>) {
    return A(sum.real() + x.real() * y, sum.imag() + x.imag() * y);
  } else if constexpr (is_complex<A> && is_complex<Y>) {
    return A(sum.real() + x * y.real(), sum.imag() + x * y.imag());
  } else {
    return sum + x * y;
  }
}

/// Elements that are read or written at once. A single one may be a pack, whose size need not be a
/// power of two.
template <class T, int N>
struct alignas(N == 1 ? alignof(T) : N * sizeof(T)) NeighboursOf {
  T element[N];
};

/// A scaling factor that is part of the type.
template <int Value>
struct Constant {
  static constexpr int value = Value;
};
template <class A>
inline constexpr bool is_constant = false;
template <int Value>
inline constexpr bool is_constant<Constant<Value>> = true;

/// Whether a scaling factor is zero (a pack: in every lane).
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_zero(const T& x) {
  if constexpr (is_pack<T>) {
    bool zero = true;
    for (int l = 0; l < T::length; ++l) zero = zero && x[l] == scalar_t<T>(0);
    return zero;
  } else {
    return x == T(0);
  }
}

/// beta * c, or zero if beta is zero, whatever c is.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr T scaled(const T& beta, const T& c) {
  if constexpr (is_pack<T>) {
    T result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < T::length; ++l) result[l] = scaled<scalar_t<T>>(beta[l], c[l]);
    return result;
  } else {
    return beta == T(0) ? T(0) : beta * c;
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
