// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_PRODUCT_HPP
#define KOKKOSCONTRACT_IMPL_PRODUCT_HPP

// What a microkernel holds in registers of a column, of the element that multiplies it, and of the
// sum; and how it gets there from W elements (W = 1: one, which may be a pack).

#include <KokkosContract/Impl/Vec.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class T, int W>
struct Product {
  using Register = register_t<T, W>;
  using Column = Register;
  using Multiplier = Register;
  using Sum = Register;

  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Column column(const T& x)
    requires(W == 1)
  {
    return to_register(conjugate_if<Conjugate>(x));
  }
  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Column column(const Register& x)
    requires(W > 1)
  {
    return x;
  }
  static KOKKOS_FORCEINLINE_FUNCTION Multiplier multiplier(const Column& x) { return x; }
  /// The same element for all lanes.
  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Multiplier multiplier_of(const T& x) {
    return splat<W>(conjugate_if<Conjugate>(x));
  }

  static KOKKOS_FORCEINLINE_FUNCTION Sum zero() { return splat<W>(T(0)); }
  /// First: instead of a sum that is zero.
  template <bool First>
  static KOKKOS_FORCEINLINE_FUNCTION Sum add(const Sum& sum, const Column& b) {
    if constexpr (First) {
      return b;
    } else {
      return sum + b;
    }
  }
  static KOKKOS_FORCEINLINE_FUNCTION Sum add_product(const Sum& sum, const Multiplier& a,
                                                     const Column& b) {
    return multiply_add(sum, a, b);
  }
  /// Of columns that were added.
  static KOKKOS_FORCEINLINE_FUNCTION Register added(const Sum& sum) { return sum; }
  /// Of products that were added.
  static KOKKOS_FORCEINLINE_FUNCTION Register finish(const Sum& sum) { return sum; }
};

#if !defined(__CUDA_ARCH__)
/// Complex numbers in M registers of N parts, real and imaginary ones in turn. a b is the sum of
/// real(a) b and of i imag(a) b: these two are added up apart, by real multiply-adds, and joined in
/// the end.
template <class R, int N, int M>
struct ComplexProduct {
  struct Column {
    Vec<R, N> v[M];
  };
  struct Multiplier {
    Vec<R, N> real[M];
    Vec<R, N> imag[M];
  };
  struct Sum {
    Vec<R, N> direct[M];
    Vec<R, N> turned[M];
  };

  static KOKKOS_FORCEINLINE_FUNCTION Multiplier multiplier(const Column& x) {
    Multiplier result;
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < M; ++m) {
      result.real[m] = real_parts(x.v[m]);
      result.imag[m] = imag_parts(x.v[m]);
    }
    return result;
  }
  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Multiplier multiplier_of(const Kokkos::complex<R>& x) {
    Multiplier result;
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < M; ++m) {
      result.real[m] = Vec<R, N>::splat(x.real());
      result.imag[m] = Vec<R, N>::splat(Conjugate ? -x.imag() : x.imag());
    }
    return result;
  }

  static KOKKOS_FORCEINLINE_FUNCTION Sum zero() {
    Sum result;
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < M; ++m) {
      result.direct[m] = Vec<R, N>::splat(R(0));
      result.turned[m] = Vec<R, N>::splat(R(0));
    }
    return result;
  }
  template <bool First>
  static KOKKOS_FORCEINLINE_FUNCTION Sum add(const Sum& sum, const Column& b) {
    Sum result = sum;
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < M; ++m) result.direct[m] = First ? b.v[m] : sum.direct[m] + b.v[m];
    return result;
  }
  static KOKKOS_FORCEINLINE_FUNCTION Sum add_product(const Sum& sum, const Multiplier& a,
                                                     const Column& b) {
    Sum result;
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < M; ++m) {
      result.direct[m] = multiply_add(sum.direct[m], a.real[m], b.v[m]);
      result.turned[m] = multiply_add(sum.turned[m], a.imag[m], b.v[m]);
    }
    return result;
  }
  static KOKKOS_FORCEINLINE_FUNCTION Column joined(const Sum& sum) {
    Column result;
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < M; ++m) result.v[m] = sum.direct[m] + times_i(sum.turned[m]);
    return result;
  }

  static KOKKOS_FORCEINLINE_FUNCTION Column conjugated(const Column& x) {
    Column result;
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < M; ++m) result.v[m] = x.v[m] * alternating(R(1), R(-1));
    return result;
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION Vec<R, N> alternating(R even, R odd) {
    Vec<R, N> result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < N; ++l) result.v[l] = l % 2 == 0 ? even : odd;
    return result;
  }
  // Part l of the result is part l & And ^ Or of x.
  template <int And, int Or, int... Part>
  static KOKKOS_FORCEINLINE_FUNCTION Vec<R, N> permuted(const Vec<R, N>& x,
                                                        std::integer_sequence<int, Part...>) {
#if defined(__clang__)
    return {__builtin_shufflevector(x.v, x.v, ((Part & And) ^ Or)...)};
#else
    using Lane = std::conditional_t<sizeof(R) == 8, long long, int>;
    typedef Lane Order __attribute__((vector_size(sizeof(x.v))));  // NOLINT(modernize-use-using)
    return {__builtin_shuffle(x.v, Order{((Part & And) ^ Or)...})};
#endif
  }
  template <int And, int Or>
  static KOKKOS_FORCEINLINE_FUNCTION Vec<R, N> permuted(const Vec<R, N>& x) {
    return permuted<And, Or>(x, std::make_integer_sequence<int, N>{});
  }
  static KOKKOS_FORCEINLINE_FUNCTION Vec<R, N> real_parts(const Vec<R, N>& x) {
    return permuted<~1, 0>(x);
  }
  static KOKKOS_FORCEINLINE_FUNCTION Vec<R, N> imag_parts(const Vec<R, N>& x) {
    return permuted<~1, 1>(x);
  }
  static KOKKOS_FORCEINLINE_FUNCTION Vec<R, N> times_i(const Vec<R, N>& x) {
    return permuted<~0, 1>(x) * alternating(R(-1), R(1));
  }
};

template <class R, int W>
  requires(W > 1)
struct Product<Kokkos::complex<R>, W> : ComplexProduct<R, 2 * W, 1> {
  using Base = ComplexProduct<R, 2 * W, 1>;
  using Register = register_t<Kokkos::complex<R>, W>;
  using Column = typename Base::Column;
  using Sum = typename Base::Sum;

  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Column column(const Register& x) {
    const Column result{{{x.v}}};
    return Conjugate ? Base::conjugated(result) : result;
  }
  static KOKKOS_FORCEINLINE_FUNCTION Register added(const Sum& sum) { return {sum.direct[0].v}; }
  static KOKKOS_FORCEINLINE_FUNCTION Register finish(const Sum& sum) {
    return {Base::joined(sum).v[0].v};
  }
};

/// Registers for the parts of so many complex lanes: their number, 0 if they do not fill registers.
template <class R>
constexpr int part_registers(int lanes) {
  return 2 * lanes % native_lanes<R> == 0 ? 2 * lanes / native_lanes<R> : 0;
}

template <class R, int L>
  requires(has_vec<R> && part_registers<R>(L) > 0)
struct Product<Pack<Kokkos::complex<R>, L>, 1>
    : ComplexProduct<R, native_lanes<R>, part_registers<R>(L)> {
  using Base = ComplexProduct<R, native_lanes<R>, part_registers<R>(L)>;
  using Register = Pack<Kokkos::complex<R>, L>;
  using Column = typename Base::Column;
  using Sum = typename Base::Sum;

  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Column column(const Register& x) {
    Column result;
    const auto* from = reinterpret_cast<const Access*>(&x);
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < part_registers<R>(L); ++m) result.v[m] = {from[m]};
    return Conjugate ? Base::conjugated(result) : result;
  }
  static KOKKOS_FORCEINLINE_FUNCTION Register added(const Sum& sum) { return packed(sum.direct); }
  static KOKKOS_FORCEINLINE_FUNCTION Register finish(const Sum& sum) {
    return packed(Base::joined(sum).v);
  }

 private:
  using Access = typename Vec<R, native_lanes<R>>::may_alias_type;
  static KOKKOS_FORCEINLINE_FUNCTION Register
  packed(const Vec<R, native_lanes<R>> (&v)[part_registers<R>(L)]) {
    Register result;
    auto* to = reinterpret_cast<Access*>(&result);
    KOKKOSCONTRACT_UNROLL
    for (int m = 0; m < part_registers<R>(L); ++m) to[m] = v[m].v;
    return result;
  }
};
#endif

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
