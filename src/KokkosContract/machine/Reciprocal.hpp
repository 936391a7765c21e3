// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_RECIPROCAL_HPP
#define KOKKOSCONTRACT_MACHINE_RECIPROCAL_HPP

// Reciprocals instead of divisions: when they are accurate enough, and how a GPU computes them in a
// few instructions.

#include <KokkosContract/core/Scalar.hpp>
#include <KokkosContract/machine/Machine.hpp>
#include <concepts>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Whether x / d may be computed as x times 1 / d, for all d: both d and 1 / d must be normal
/// numbers. For complex numbers this costs accuracy. The function also refuses some extreme d,
/// because a test of the square is the shortest.
template <class T, std::same_as<T>... More>
KOKKOS_FORCEINLINE_FUNCTION bool has_reciprocal(const T& d, const More&... more) {
  using R = scalar_t<T>;
  if constexpr (std::is_floating_point_v<R>) {
    constexpr R least = Kokkos::Experimental::norm_min_v<R>;
    constexpr R most = R(1) / least;
    const auto test_one = [](const auto& x) {
      const auto square = x * x;
      return (square >= least) & (square <= most);
    };
    const auto test = [&](const auto&... x) { return (test_one(x) & ...); };
    if constexpr (is_pack<T>) {
      return d.all_of(test, more...);
    } else {
      return test(d, more...);
    }
  } else {
    return false;
  }
}

/// A reciprocal in a few instructions, accurate to the last bit or two. Extreme numbers, whose
/// reciprocals or intermediate results are not normal, have none: `exists` becomes false.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T short_reciprocal(const T& d, bool& exists) {
  if constexpr (is_complex<T>) {
    using R = typename T::value_type;
    const R square = d.real() * d.real() + d.imag() * d.imag();
    exists = exists & has_reciprocal(square);
    bool unused = true;
    const R r = short_reciprocal(square, unused);
    return T(d.real() * r, -d.imag() * r);
  } else if constexpr (std::is_same_v<T, double>) {
    KOKKOS_IF_ON_DEVICE((return DeviceMachine::approximate_reciprocal(d, exists);))
    KOKKOS_IF_ON_HOST((exists = exists & has_reciprocal(d); return 1 / d;))
  } else {
    exists = exists & has_reciprocal(d);
    return T(1) / d;
  }
}

/// 1 / sqrt(d) of a positive number, under the conditions of short_reciprocal.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R short_inverse_root(const R& d, bool& exists) {
  if constexpr (std::is_same_v<R, double>) {
    KOKKOS_IF_ON_DEVICE((return DeviceMachine::approximate_inverse_root(d, exists);))
    KOKKOS_IF_ON_HOST((exists = exists & has_reciprocal(d); return 1 / Kokkos::sqrt(d);))
  } else {
    exists = exists & has_reciprocal(d);
    return R(1) / Kokkos::sqrt(d);
  }
}

/// short_reciprocal for all numbers: for extreme numbers the result has fewer accurate digits, is
/// 0, or is infinite.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T any_reciprocal(const T& d) {
  if constexpr (std::is_same_v<T, double>) {
    KOKKOS_IF_ON_DEVICE((bool exists = true;
                         const double r = DeviceMachine::approximate_reciprocal(d, exists);
                         return exists ? r : DeviceMachine::reciprocal_estimate(d);))
    KOKKOS_IF_ON_HOST((return 1 / d;))
  } else if constexpr (std::is_same_v<T, float>) {
    KOKKOS_IF_ON_DEVICE((return DeviceMachine::reciprocal_estimate(d);))
    KOKKOS_IF_ON_HOST((return 1 / d;))
  } else {
    return T(1) / d;
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
