// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_LANEWISE_HPP
#define KOKKOSCONTRACT_CORE_LANEWISE_HPP

// Functions of scalars, applied to scalars and, lane by lane, to packs: sizes, and sums of squares
// that neither overflow nor underflow.

#include <KokkosContract/core/Select.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// f(x, y...), for packs in each lane.
template <class F, class X, class... Y>
KOKKOS_FORCEINLINE_FUNCTION auto lanewise(const F& f, const X& x, const Y&... y) {
  if constexpr (is_pack<X>) {
    Pack<std::remove_cvref_t<decltype(f(x[0], y[0]...))>, X::length> result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < X::length; ++l) result[l] = f(x[l], y[l]...);
    return result;
  } else {
    return f(x, y...);
  }
}

/// Whether the test, which combines comparisons by & and |, holds; for packs in all lanes.
template <class Test, class X>
KOKKOS_FORCEINLINE_FUNCTION bool holds_everywhere(const Test& test, const X& x) {
  if constexpr (is_pack<X>) {
    return x.all_of(test);
  } else {
    return test(x);
  }
}

// The functions, as types that lanewise takes.

struct RealPart {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION real_t<T> operator()(const T& x) const {
    if constexpr (is_complex<T>) {
      return x.real();
    } else {
      return x;
    }
  }
};
/// |x|
struct Modulus {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION real_t<T> operator()(const T& x) const {
    return Kokkos::abs(x);
  }
};
/// |Re x| + |Im x|
struct SumOfParts {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION real_t<T> operator()(const T& x) const {
    return size_of(x);
  }
};
/// |x|^2 of a complex number.
struct Square {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION real_t<T> operator()(const T& x) const {
    return x.real() * x.real() + x.imag() * x.imag();
  }
};
/// The larger of two, or NaN if one of them is NaN.
struct Larger {
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION R operator()(const R& a, const R& b) const {
    return a < b || b != b ? b : a;
  }
};

/// |x|^2, for packs in each lane.
template <class X>
KOKKOS_FORCEINLINE_FUNCTION auto squared(const X& x) {
  if constexpr (is_complex<scalar_t<X>>) {
    return lanewise(Square{}, x);
  } else {
    return x * x;
  }
}

/// x times a real number, for packs in each lane.
template <class X, class R>
KOKKOS_FORCEINLINE_FUNCTION X times_real(const X& x, const R& r) {
  if constexpr (std::is_same_v<X, R>) {
    return x * r;
  } else {
    return lanewise([](const auto& a, const auto& b) { return a * b; }, x, r);
  }
}

/// The sum of f(i) for first <= i < end, in four sums that do not wait for each other.
template <class Real, class F>
KOKKOS_FORCEINLINE_FUNCTION Real sum_of(int first, int end, const F& f) {
  constexpr int sums = 4;
  Real sum[sums];
  KOKKOSCONTRACT_UNROLL
  for (int s = 0; s < sums; ++s) sum[s] = Real(scalar_t<Real>(0));
  int i = first;
  for (; i + sums <= end; i += sums) {
    KOKKOSCONTRACT_UNROLL
    for (int s = 0; s < sums; ++s) sum[s] = sum[s] + f(i + s);
  }
  KOKKOSCONTRACT_NO_UNROLL
  for (; i < end; ++i) sum[0] = sum[0] + f(i);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Powers of two between which the squares of all numbers can be summed: E. Anderson, Algorithm
/// 978: Safe scaling in the Level 1 BLAS, ACM TOMS 44 (2017). Here one pass tells whether scaling
/// is needed, and a second one, which is rare, scales.
template <class R>
struct SafeScaling {
  static constexpr bool narrow = sizeof(R) <= 4;
  static constexpr R up = static_cast<R>(narrow ? 0x1p100 : 0x1p600);
  static constexpr R down = static_cast<R>(narrow ? 0x1p-75 : 0x1p-600);
  /// Sums of squares below this may have lost much to underflow.
  static constexpr R least =
      Kokkos::Experimental::norm_min_v<R> / Kokkos::Experimental::epsilon_v<R>;
  static constexpr R most = Kokkos::Experimental::finite_max_v<R>;

  KOKKOS_FORCEINLINE_FUNCTION static R of(const R& sum) {
    return sum < least ? up : (sum > most ? down : R(1));
  }
};

/// sum is the sum of |scale x|^2, with a separate scale for each lane; unscale = 1 / scale.
template <class Real>
struct ScaledSquares {
  Real scale, unscale, sum;

  KOKKOS_FORCEINLINE_FUNCTION Real scaled_root() const {
    return from_register<Real>(square_root(to_register(sum)));
  }
  KOKKOS_FORCEINLINE_FUNCTION Real root() const { return scaled_root() * unscale; }
};

/// sum_up(scale) returns the sum of |scale x|^2.
template <class Real, class SumUp>
KOKKOS_FORCEINLINE_FUNCTION ScaledSquares<Real> scaled_squares(const SumUp& sum_up) {
  using R = scalar_t<Real>;
  using Scaling = SafeScaling<R>;
  const Real one(R(1));
  ScaledSquares<Real> squares{one, one, sum_up(one)};
  const auto is_safe = [](const auto& s) { return (s >= Scaling::least) & (s <= Scaling::most); };
  if (!holds_everywhere(is_safe, squares.sum)) {
    squares.scale = lanewise([](const R& s) { return Scaling::of(s); }, squares.sum);
    squares.unscale = one / squares.scale;
    squares.sum = sum_up(squares.scale);
  }
  return squares;
}

/// The type of |x|; for a pack, a pack of real numbers.
template <class T>
using magnitude_t = decltype(lanewise(Modulus{}, std::declval<const T&>()));

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
