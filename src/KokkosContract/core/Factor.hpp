// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_FACTOR_HPP
#define KOKKOSCONTRACT_CORE_FACTOR_HPP

// The user's factors alpha and beta, and how they scale a sum.

#include <KokkosContract/core/Scalar.hpp>
#include <limits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The type of a scaling factor. A real factor stays real with complex sums, which is cheaper and
/// keeps infinities from becoming NaN.
template <class Acc, class Given>
using factor_t =
    std::conditional_t<is_pack<Given>, Acc,
                       std::conditional_t<is_complex<scalar_t<Acc>> && !is_complex<Given>,
                                          real_t<Acc>, scalar_t<Acc>>>;

/// Whether a scalar keeps its value as a T. Only integers are tested: a floating-point type rounds.
template <class T, class Given>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_representable(const Given& given) {
  if constexpr (!std::is_integral_v<T> || is_complex<Given>) {
    return true;
  } else if constexpr (std::is_integral_v<Given>) {
    return static_cast<Given>(static_cast<T>(given)) == given;
  } else {
    // Compared before conversion: a number out of range has no value.
    const auto x = static_cast<double>(given);
    const double end = 2 * static_cast<double>(T(1) << (std::numeric_limits<T>::digits - 1));
    const double begin = std::is_signed_v<T> ? -end : 0;
    return x >= begin && x < end && static_cast<double>(static_cast<T>(x)) == x;
  }
}

/// Whether a user's factor, or each lane of it, keeps its value in an element of T.
template <class T, class Given>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool keeps_value(const Given& given) {
  if constexpr (is_constant<Given>) {
    return true;
  } else if constexpr (is_pack<Given>) {
    bool keeps = true;
    for (int l = 0; l < Given::length; ++l) {
      keeps = keeps && is_representable<scalar_t<T>>(given[l]);
    }
    return keeps;
  } else {
    return is_representable<scalar_t<T>>(given);
  }
}

/// A user's factor that keeps its value.
template <class Factor, class Given>
KOKKOS_FORCEINLINE_FUNCTION Factor factor(const Given& given) {
  if constexpr (is_constant<Given>) {
    return Factor(Given::value);
  } else if constexpr (is_pack<Factor> && is_pack<Given>) {
    Factor result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < Factor::length; ++l) result[l] = factor<scalar_t<Factor>>(given[l]);
    return result;
  } else if constexpr (std::is_integral_v<Factor> && !is_complex<Given>) {
    return static_cast<Factor>(given);
  } else {
    return convert<Factor>(given);
  }
}

/// factor * pack, where a zero lane of the factor gives zero whatever the pack has there. One
/// factor for all lanes is known not to be zero.
template <class Factor, class P>
KOKKOS_FORCEINLINE_FUNCTION P times(const Factor& factor, const P& x) {
  if constexpr (is_pack<Factor>) {
    return scaled(factor, x);
  } else if constexpr (std::is_same_v<Factor, scalar_t<P>>) {
    return P(factor) * x;
  } else {
    P result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < P::length; ++l) result[l] = factor * x[l];
    return result;
  }
}

/// alpha * sum + beta * c; c is read only if `reads` holds. In a pack, a zero factor counts lane by
/// lane.
template <class Acc, class Alpha, class Beta, class C>
KOKKOS_FORCEINLINE_FUNCTION Acc linear_value(const Alpha& alpha, const Acc& sum, const Beta& beta,
                                             bool reads, const C& c) {
  if constexpr (is_pack<Acc>) {
    const Acc value = times(alpha, sum);
    return reads ? value + times(beta, convert<Acc>(c)) : value;
  } else {
    const Acc value = alpha * sum;
    return reads ? multiply_add(value, beta, convert<Acc>(c)) : value;
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
