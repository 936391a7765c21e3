// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PACKMATH_HPP
#define KOKKOSCONTRACT_PACKMATH_HPP

// Comparisons, logic and functions of packs, lane by lane, on hosts and in kernels. A comparison
// gives a Pack<bool, L>, the mask that conditional_assign takes. (== of two packs, in Pack.hpp,
// says whether all lanes are equal.)

#include <KokkosContract/Pack.hpp>
#include <KokkosContract/core/Lanewise.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

namespace Impl {

template <class T>
concept PackScalar = std::is_arithmetic_v<T> || is_complex<T>;
template <class T>
concept RealScalar = std::is_arithmetic_v<T>;
template <class T>
concept FloatingLane = !std::is_integral_v<T>;

/// Lane l of a pack; a scalar, which is the same in all lanes.
template <class X>
KOKKOS_FORCEINLINE_FUNCTION constexpr const auto& lane_value(const X& x, [[maybe_unused]] int l) {
  if constexpr (is_pack<X>) {
    return x.lane[l];
  } else {
    return x;
  }
}

/// f(x, y) in each of L lanes, where one of them may be a scalar.
template <int L, class F, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto zip_lanes(const F& f, const X& x, const Y& y) {
  Pack<std::remove_cvref_t<decltype(f(lane_value(x, 0), lane_value(y, 0)))>, L> result;
  KOKKOSCONTRACT_UNROLL
  for (int l = 0; l < L; ++l) result.lane[l] = f(lane_value(x, l), lane_value(y, l));
  return result;
}

}  // namespace Impl

// --- Arithmetic of packs and complex numbers, for which Kokkos' own operators would be taken

/// @cond
template <class R, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<Kokkos::complex<R>, L> operator+(
    const Kokkos::complex<R>& a, const Pack<Kokkos::complex<R>, L>& b) {
  return Pack<Kokkos::complex<R>, L>(a) + b;
}
template <class R, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<Kokkos::complex<R>, L> operator+(
    const Pack<Kokkos::complex<R>, L>& a, const Kokkos::complex<R>& b) {
  return a + Pack<Kokkos::complex<R>, L>(b);
}
template <class R, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<Kokkos::complex<R>, L> operator-(
    const Kokkos::complex<R>& a, const Pack<Kokkos::complex<R>, L>& b) {
  return Pack<Kokkos::complex<R>, L>(a) - b;
}
template <class R, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<Kokkos::complex<R>, L> operator-(
    const Pack<Kokkos::complex<R>, L>& a, const Kokkos::complex<R>& b) {
  return a - Pack<Kokkos::complex<R>, L>(b);
}
template <class R, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<Kokkos::complex<R>, L> operator*(
    const Kokkos::complex<R>& a, const Pack<Kokkos::complex<R>, L>& b) {
  return Pack<Kokkos::complex<R>, L>(a) * b;
}
template <class R, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<Kokkos::complex<R>, L> operator*(
    const Pack<Kokkos::complex<R>, L>& a, const Kokkos::complex<R>& b) {
  return a * Pack<Kokkos::complex<R>, L>(b);
}
template <class R, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<Kokkos::complex<R>, L> operator/(
    const Kokkos::complex<R>& a, const Pack<Kokkos::complex<R>, L>& b) {
  return Pack<Kokkos::complex<R>, L>(a) / b;
}
template <class R, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<Kokkos::complex<R>, L> operator/(
    const Pack<Kokkos::complex<R>, L>& a, const Kokkos::complex<R>& b) {
  return a / Pack<Kokkos::complex<R>, L>(b);
}
/// @endcond

// --- Comparisons and logic

/// @cond

/// The mask of the lanes where a < b.
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator<(const Pack<T, L>& a,
                                                              const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x < y; }, a, b);
}
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator<(const Pack<T, L>& a, const U& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x < y; }, a, b);
}
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator<(const T& a, const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x < y; }, a, b);
}

/// The mask of the lanes where a > b.
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator>(const Pack<T, L>& a,
                                                              const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x > y; }, a, b);
}
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator>(const Pack<T, L>& a, const U& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x > y; }, a, b);
}
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator>(const T& a, const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x > y; }, a, b);
}

/// The mask of the lanes where a <= b.
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator<=(const Pack<T, L>& a,
                                                               const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x <= y; }, a, b);
}
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator<=(const Pack<T, L>& a, const U& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x <= y; }, a, b);
}
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator<=(const T& a, const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x <= y; }, a, b);
}

/// The mask of the lanes where a >= b.
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator>=(const Pack<T, L>& a,
                                                               const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x >= y; }, a, b);
}
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator>=(const Pack<T, L>& a, const U& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x >= y; }, a, b);
}
template <Impl::RealScalar T, Impl::RealScalar U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator>=(const T& a, const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x >= y; }, a, b);
}

/// The mask of the lanes where both hold. Both are evaluated.
template <std::integral T, std::integral U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator&&(const Pack<T, L>& a,
                                                               const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x && y; }, a, b);
}
template <std::integral T, std::integral U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator&&(const Pack<T, L>& a, const U& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x && y; }, a, b);
}
template <std::integral T, std::integral U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator&&(const T& a, const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x && y; }, a, b);
}

/// The mask of the lanes where one of them holds. Both are evaluated.
template <std::integral T, std::integral U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator||(const Pack<T, L>& a,
                                                               const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x || y; }, a, b);
}
template <std::integral T, std::integral U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator||(const Pack<T, L>& a, const U& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x || y; }, a, b);
}
template <std::integral T, std::integral U, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator||(const T& a, const Pack<U, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const U& y) -> bool { return x || y; }, a, b);
}

/// The mask of the lanes that are zero, or false.
template <std::integral T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<bool, L> operator!(const Pack<T, L>& a) {
  return Impl::zip_lanes<L>([](const T& x, bool) -> bool { return !x; }, a, false);
}

/// @endcond

/// Whether a mask is true in all lanes.
template <int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_all_true(const Pack<bool, L>& mask) {
  bool all = true;
  for (int l = 0; l < L; ++l) all = all & mask.lane[l];
  return all;
}
/// Whether a mask is true in some lane.
template <int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_any_true(const Pack<bool, L>& mask) {
  bool any = false;
  for (int l = 0; l < L; ++l) any = any | mask.lane[l];
  return any;
}

/// if_true in the lanes where the mask is true, if_false in the others. One of them may be a
/// scalar. conditional_assign(result, mask, if_true, if_false) writes into result.
template <class T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<T, L> conditional_assign(
    const Pack<bool, L>& mask, const Pack<T, L>& if_true,
    const std::type_identity_t<Pack<T, L>>& if_false) {
  Pack<T, L> result;
  KOKKOSCONTRACT_UNROLL
  for (int l = 0; l < L; ++l) result.lane[l] = mask.lane[l] ? if_true.lane[l] : if_false.lane[l];
  return result;
}
/// @cond
template <Impl::PackScalar T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<T, L> conditional_assign(const Pack<bool, L>& mask,
                                                                    const T& if_true,
                                                                    const Pack<T, L>& if_false) {
  return conditional_assign(mask, Pack<T, L>(if_true), if_false);
}
// Into result.
template <class T, int L, class IfTrue, class IfFalse>
KOKKOS_FORCEINLINE_FUNCTION constexpr void conditional_assign(Pack<T, L>& result,
                                                              const Pack<bool, L>& mask,
                                                              const IfTrue& if_true,
                                                              const IfFalse& if_false) {
  KOKKOSCONTRACT_UNROLL
  for (int l = 0; l < L; ++l) {
    const T yes = static_cast<T>(Impl::lane_value(if_true, l));
    const T no = static_cast<T>(Impl::lane_value(if_false, l));
    result.lane[l] = mask.lane[l] ? yes : no;
  }
}
/// @endcond

// --- Functions of each lane

/// The square root.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> sqrt(const Pack<T, L>& a) {
  if constexpr (Impl::is_complex<T>) {
    return Impl::lanewise([](const T& x) { return Kokkos::sqrt(x); }, a);
  } else {
    return Impl::from_register<Pack<T, L>>(Impl::square_root(Impl::to_register(a)));
  }
}
/// The modulus: of complex numbers a pack of real ones.
template <class T, int L>
KOKKOS_FORCEINLINE_FUNCTION auto abs(const Pack<T, L>& a) {
  return Impl::lanewise(Impl::Modulus{}, a);
}
/// The cubic root.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> cbrt(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::cbrt(x); }, a);
}
/// e to the power of a.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> exp(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::exp(x); }, a);
}
/// The natural logarithm.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> log(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::log(x); }, a);
}
/// The logarithm to base 10.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> log10(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::log10(x); }, a);
}
/// The sine.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> sin(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::sin(x); }, a);
}
/// The cosine.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> cos(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::cos(x); }, a);
}
/// The tangent.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> tan(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::tan(x); }, a);
}
/// The hyperbolic sine.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> sinh(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::sinh(x); }, a);
}
/// The hyperbolic cosine.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> cosh(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::cosh(x); }, a);
}
/// The hyperbolic tangent.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> tanh(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::tanh(x); }, a);
}
/// The arc sine.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> asin(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::asin(x); }, a);
}
/// The arc cosine.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> acos(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::acos(x); }, a);
}
/// The arc tangent.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> atan(const Pack<T, L>& a) {
  return Impl::lanewise([](const T& x) -> T { return Kokkos::atan(x); }, a);
}
/// a to the power of b; one of them may be a scalar.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> pow(const Pack<T, L>& a, const Pack<T, L>& b) {
  return Impl::lanewise([](const T& x, const T& y) -> T { return Kokkos::pow(x, y); }, a, b);
}
/// @cond
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> pow(const Pack<T, L>& a, const std::type_identity_t<T>& b) {
  return pow(a, Pack<T, L>(b));
}
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> pow(const std::type_identity_t<T>& a, const Pack<T, L>& b) {
  return pow(Pack<T, L>(a), b);
}
/// @endcond
/// The angle of the point (b, a); one of them may be a scalar.
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> atan2(const Pack<T, L>& a, const Pack<T, L>& b) {
  return Impl::lanewise([](const T& x, const T& y) -> T { return Kokkos::atan2(x, y); }, a, b);
}
/// @cond
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> atan2(const Pack<T, L>& a,
                                             const std::type_identity_t<T>& b) {
  return atan2(a, Pack<T, L>(b));
}
template <Impl::FloatingLane T, int L>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, L> atan2(const std::type_identity_t<T>& a,
                                             const Pack<T, L>& b) {
  return atan2(Pack<T, L>(a), b);
}
/// @endcond
/// The smaller in each lane; one of them may be a scalar. min(a) is the smallest lane.
template <Impl::RealScalar T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<T, L> min(const Pack<T, L>& a, const Pack<T, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const T& y) -> T { return y < x ? y : x; }, a, b);
}
/// @cond
template <Impl::RealScalar T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<T, L> min(const Pack<T, L>& a,
                                                     const std::type_identity_t<T>& b) {
  return min(a, Pack<T, L>(b));
}
template <Impl::RealScalar T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<T, L> min(const std::type_identity_t<T>& a,
                                                     const Pack<T, L>& b) {
  return min(Pack<T, L>(a), b);
}
/// @endcond
/// The larger in each lane; one of them may be a scalar. max(a) is the largest lane.
template <Impl::RealScalar T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<T, L> max(const Pack<T, L>& a, const Pack<T, L>& b) {
  return Impl::zip_lanes<L>([](const T& x, const T& y) -> T { return x < y ? y : x; }, a, b);
}
/// @cond
template <Impl::RealScalar T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<T, L> max(const Pack<T, L>& a,
                                                     const std::type_identity_t<T>& b) {
  return max(a, Pack<T, L>(b));
}
template <Impl::RealScalar T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<T, L> max(const std::type_identity_t<T>& a,
                                                     const Pack<T, L>& b) {
  return max(Pack<T, L>(a), b);
}
/// @endcond

// --- All lanes to one number

/// f(f(f(init, lane 0), lane 1), ...). Without init it begins with lane 0.
template <class T, int L, class F>
KOKKOS_FORCEINLINE_FUNCTION constexpr T reduce(const Pack<T, L>& a, const F& f,
                                               const std::type_identity_t<T>& init) {
  T result = init;
  for (int l = 0; l < L; ++l) result = f(result, a.lane[l]);
  return result;
}
/// @cond
// reduce that begins with lane 0.
template <class T, int L, class F>
KOKKOS_FORCEINLINE_FUNCTION constexpr T reduce(const Pack<T, L>& a, const F& f) {
  T result = a.lane[0];
  for (int l = 1; l < L; ++l) result = f(result, a.lane[l]);
  return result;
}
// The smallest lane.
template <Impl::RealScalar T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr T min(const Pack<T, L>& a) {
  return reduce(a, [](const T& x, const T& y) { return y < x ? y : x; });
}
// The largest lane.
template <Impl::RealScalar T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr T max(const Pack<T, L>& a) {
  return reduce(a, [](const T& x, const T& y) { return x < y ? y : x; });
}
/// @endcond

/// The sum of the lanes.
template <class T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr T sum(const Pack<T, L>& a) {
  return reduce(a, [](const T& x, const T& y) -> T { return x + y; });
}
/// The product of the lanes.
template <class T, int L>
KOKKOS_FORCEINLINE_FUNCTION constexpr T prod(const Pack<T, L>& a) {
  return reduce(a, [](const T& x, const T& y) -> T { return x * y; });
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
