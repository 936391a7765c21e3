// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kokkos Kernels' routines and this library's on the same data, from the same source, and with
// either library's tags. A file that includes this one includes both libraries' headers first.
#pragma once

#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <KokkosContract/KokkosKernels.hpp>
#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "Random.hpp"
#include "Rounding.hpp"
#include "Views.hpp"

namespace KokkosContract::Test {
using Space = Kokkos::HostSpace;
using Complex = Kokkos::complex<double>;
template <class T, int L>
using Simd = KokkosBatched::Vector<KokkosBatched::SIMD<T>, L>;

template <class T>
struct Lanes {
  using Scalar = T;
  static constexpr int count = 1;
  static T& at(T& x, int) { return x; }
};
template <class T, int L>
struct Lanes<Simd<T, L>> {
  using Scalar = T;
  static constexpr int count = L;
  static T& at(Simd<T, L>& x, int l) { return x[l]; }
};
template <class T, int L>
struct Lanes<Pack<T, L>> : Lanes<Simd<T, L>> {
  static T& at(Pack<T, L>& x, int l) { return x[l]; }
};

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Space>;
template <class T>
using MatrixLeft = Kokkos::View<T**, Kokkos::LayoutLeft, Space>;
template <class T>
using Vector = Kokkos::View<T*, Space>;

/// Calls f(scalar, element's number) for each scalar of a View.
template <class V, class F>
void for_each_scalar(const V& view, const F& f) {
  using L = Lanes<typename V::non_const_value_type>;
  for (std::size_t e = 0; e < view.span(); ++e) {
    for (int l = 0; l < L::count; ++l) f(L::at(view.data()[e], l), e);
  }
}

template <class V>
V random_view(Random& random, int rows, int cols = -1) {
  const V view = [&] {
    if constexpr (V::rank() == 1) {
      return V("random", rows);
    } else {
      return V("random", rows, cols);
    }
  }();
  using Scalar = typename Lanes<typename V::non_const_value_type>::Scalar;
  for_each_scalar(view, [&](Scalar& x, std::size_t) { x = random.number<Scalar>(); });
  return view;
}

/// A matrix that needs no pivoting, and has moderate solutions whichever triangle is used.
template <class V>
V dominant_view(Random& random, int n) {
  const V view = random_view<V>(random, n, n);
  using Scalar = typename Lanes<typename V::non_const_value_type>::Scalar;
  for_each_scalar(view, [&](Scalar& x, std::size_t e) {
    x = x / Scalar(n) + (e % (n + 1) == 0 ? Scalar(2) : Scalar(0));
  });
  return view;
}

template <class V>
void set_unit_diagonal(const V& view) {
  for (std::size_t i = 0; i < view.extent(0); ++i) view(i, i) = 1;
}

template <class T>
real_of_t<T> size_of(const T& x) {
  return Kokkos::abs(x);
}

/// Elements differ by at most 30 n eps times the largest one. Magnitudes: signs are ignored.
template <bool Magnitudes = false, class V>
void expect_near(const V& got, const V& expected, int n, const char* name = "") {
  using Scalar = typename Lanes<typename V::non_const_value_type>::Scalar;
  using Real = real_of_t<Scalar>;
  std::vector<Scalar> values;
  Real largest = 0;
  for_each_scalar(expected, [&](const Scalar& x, std::size_t) {
    values.push_back(x);
    largest = std::max(largest, size_of(x));
  });
  const Real bound = 30 * Real(n) * std::numeric_limits<Real>::epsilon() * largest;
  std::size_t next = 0, wrong = 0, first = 0;
  for_each_scalar(got, [&](const Scalar& x, std::size_t e) {
    const Scalar y = values[next++];
    const Real error = Magnitudes ? std::abs(size_of(x) - size_of(y)) : size_of(x - y);
    if (!(error <= bound) && wrong++ == 0) first = e;
  });
  EXPECT_EQ(wrong, 0u) << name << " of " << next << " differ by more than " << bound
                       << ", first element " << first;
}

template <char C>
using Letter = std::integral_constant<char, C>;
template <char... C>
struct Letters {};

/// Calls f(letter) for each letter.
template <char... C, class F>
void for_each_letter(Letters<C...>, const F& f) {
  const auto call = [&](auto letter) {
    SCOPED_TRACE(std::string("tag ") + letter.value);
    f(letter);
  };
  (call(Letter<C>{}), ...);
}

constexpr int sizes[] = {1, 4, 7, 10};

template <class T>
struct KokkosKernels : testing::Test {
  using Scalar = typename Lanes<T>::Scalar;
  static constexpr bool is_real = !is_complex<Scalar>::value;
  /// All tags for double, and some for each other type.
  template <class All, class Some>
  using tags = std::conditional_t<std::is_same_v<T, double>, All, Some>;
  using Transpositions = tags<Letters<'N', 'T'>, Letters<'T'>>;
  using Triangles = tags<Letters<'L', 'U'>, Letters<'U'>>;
  using Diagonals = tags<Letters<'d', '1'>, Letters<'d'>>;
};
}  // namespace KokkosContract::Test
