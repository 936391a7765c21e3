// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_SELECT_HPP
#define KOKKOSCONTRACT_CORE_SELECT_HPP

// Decisions lane by lane, without branches, for all types of register_t<Acc, 1>: a scalar, a pack,
// or the registers of a pack. Also the sizes and square roots that decisions use.

#include <KokkosContract/core/Vec.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

struct IsGreater {
  template <class X>
  static KOKKOS_FORCEINLINE_FUNCTION auto test(const X& a, const X& b) {
    return a > b;
  }
};
struct IsEqual {
  template <class X>
  static KOKKOS_FORCEINLINE_FUNCTION auto test(const X& a, const X& b) {
    return a == b;
  }
};

/// x where Test holds for a and b, and y elsewhere. The lanes of a and b are real; those of x and y
/// may be complex.
template <class Test, class A, class X>
KOKKOS_FORCEINLINE_FUNCTION X select(const A& a, const A& b, const X& x, const X& y) {
  if constexpr (is_pack<A>) {
    X result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < A::length; ++l) result[l] = Test::test(a[l], b[l]) ? x[l] : y[l];
    return result;
  } else {
    return Test::test(a, b) ? x : y;
  }
}
template <class Test, class T, int W>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> select(const Vec<T, W>& a, const Vec<T, W>& b,
                                             const Vec<T, W>& x, const Vec<T, W>& y) {
  return {Test::test(a.v, b.v) ? x.v : y.v};
}
template <class Test, class T, int W, int M>
KOKKOS_FORCEINLINE_FUNCTION Vecs<T, W, M> select(const Vecs<T, W, M>& a, const Vecs<T, W, M>& b,
                                                 const Vecs<T, W, M>& x, const Vecs<T, W, M>& y) {
  Vecs<T, W, M> result;
  KOKKOSCONTRACT_UNROLL
  for (int m = 0; m < M; ++m) result.v[m] = select<Test>(a.v[m], b.v[m], x.v[m], y.v[m]);
  return result;
}

/// A real number for each lane of an Acc, to go with its register_t<Acc, 1>.
template <class Acc>
struct SizeOf {
  using type = real_t<Acc>;
};
template <class T, int L>
struct SizeOf<Pack<T, L>> {
  using type = std::conditional_t<is_complex<T>, Pack<real_t<T>, L>, register_t<Pack<T, L>, 1>>;
};
template <class Acc>
using size_of_t = typename SizeOf<Acc>::type;

template <class Acc>
KOKKOS_FORCEINLINE_FUNCTION size_of_t<Acc> all_lanes(const real_t<Acc>& x) {
  if constexpr (is_pack<Acc> && !is_complex<scalar_t<Acc>>) {
    return to_register(Acc(x));
  } else {
    return size_of_t<Acc>(x);
  }
}

/// The lanes of sizes as a pack, and back.
template <class Acc>
KOKKOS_FORCEINLINE_FUNCTION auto pack_of_sizes(const size_of_t<Acc>& x) {
  if constexpr (is_pack<Acc> && !is_complex<scalar_t<Acc>>) {
    return from_register<Acc>(x);
  } else {
    return x;
  }
}
template <class Acc, class P>
KOKKOS_FORCEINLINE_FUNCTION size_of_t<Acc> sizes_of_pack(const P& x) {
  if constexpr (is_pack<Acc> && !is_complex<scalar_t<Acc>>) {
    return to_register(x);
  } else {
    return x;
  }
}

/// |x|, or |re| + |im| for a complex number, as LAPACK compares pivots.
template <class X>
KOKKOS_FORCEINLINE_FUNCTION auto size_of(const X& x) {
  if constexpr (is_pack<X>) {
    Pack<real_t<X>, X::length> result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < X::length; ++l) result[l] = size_of(x[l]);
    return result;
  } else if constexpr (is_complex<X>) {
    return Kokkos::abs(x.real()) + Kokkos::abs(x.imag());
  } else {
    return Kokkos::abs(x);
  }
}
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> size_of(const Vec<T, W>& x) {
  using Register = typename Vec<T, W>::type;
  using Bits = decltype(x.v > x.v);
  return {(Register)((Bits)x.v & ~(Bits)(-Register{}))};
}
template <class T, int W, int M>
KOKKOS_FORCEINLINE_FUNCTION Vecs<T, W, M> size_of(const Vecs<T, W, M>& x) {
  Vecs<T, W, M> result;
  KOKKOSCONTRACT_UNROLL
  for (int m = 0; m < M; ++m) result.v[m] = size_of(x.v[m]);
  return result;
}

/// The square root of real numbers, NaN for negative ones.
template <class X>
KOKKOS_FORCEINLINE_FUNCTION X square_root(const X& x) {
  if constexpr (is_pack<X>) {
    X result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < X::length; ++l) result[l] = Kokkos::sqrt(x[l]);
    return result;
  } else {
    return Kokkos::sqrt(x);
  }
}
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> square_root(const Vec<T, W>& x) {
  // The function of the C library sets errno, which keeps compilers from joining lanes.
#if defined(__clang__)
  return {__builtin_elementwise_sqrt(x.v)};
#else
#if defined(__AVX2__)
  constexpr bool is_double = std::is_same_v<T, double>;
  constexpr int bytes = static_cast<int>(sizeof(x.v));
#if defined(__AVX512F__)
  constexpr int current_rounding = 4;
  if constexpr (bytes == 64 && is_double) {
    return {__builtin_ia32_sqrtpd512_mask(x.v, x.v, -1, current_rounding)};
  } else if constexpr (bytes == 64) {
    return {__builtin_ia32_sqrtps512_mask(x.v, x.v, -1, current_rounding)};
  }
#endif
  if constexpr (bytes == 32 && is_double) {
    return {__builtin_ia32_sqrtpd256(x.v)};
  } else if constexpr (bytes == 32) {
    return {__builtin_ia32_sqrtps256(x.v)};
  }
#endif
  Vec<T, W> result;
  KOKKOSCONTRACT_UNROLL
  for (int l = 0; l < W; ++l) result.set_lane(l, Kokkos::sqrt(x.lane(l)));
  return result;
#endif
}
template <class T, int W, int M>
KOKKOS_FORCEINLINE_FUNCTION Vecs<T, W, M> square_root(const Vecs<T, W, M>& x) {
  Vecs<T, W, M> result;
  KOKKOSCONTRACT_UNROLL
  for (int m = 0; m < M; ++m) result.v[m] = square_root(x.v[m]);
  return result;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
