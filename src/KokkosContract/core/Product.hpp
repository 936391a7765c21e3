// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_PRODUCT_HPP
#define KOKKOSCONTRACT_CORE_PRODUCT_HPP

// The registers of a microkernel for a column, for the element that multiplies it, and for the sum,
// and how they are filled from W elements. With W = 1 there is one element, which may be a pack. A
// pack of several registers is computed in `parts` passes, so that a tile has as many rows and
// columns as with smaller packs. `parts` is 0 if the pack is computed as a whole.

#include <KokkosContract/core/Vec.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class T, int W, int Part = 0>
struct Product {
  static constexpr int parts = 0;
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
  /// One element in all lanes.
  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Multiplier multiplier_of(const T& x) {
    return splat<W>(conjugate_if<Conjugate>(x));
  }

  static KOKKOS_FORCEINLINE_FUNCTION Sum zero() { return splat<W>(T(0)); }
  /// With First, the sum counts as zero.
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
  /// The result of added columns.
  static KOKKOS_FORCEINLINE_FUNCTION Register added(const Sum& sum) { return sum; }
  /// The result of added products.
  static KOKKOS_FORCEINLINE_FUNCTION Register finish(const Sum& sum) { return sum; }
};

/// Register Part of a pack that fills registers of N numbers.
template <class P, class R, int N, int Part>
struct PackPart {
  using Access = typename Vec<R, N>::may_alias_type;
  static KOKKOS_FORCEINLINE_FUNCTION Vec<R, N> read(const P& x) {
    return {reinterpret_cast<const Access*>(&x)[Part]};
  }
  static KOKKOS_FORCEINLINE_FUNCTION void write(P& x, const Vec<R, N>& v) {
    reinterpret_cast<Access*>(&x)[Part] = v.v;
  }
};

template <class T, int Part>
  requires(PackRegisters<T>::count > 1)
struct Product<T, 1, Part> : Product<scalar_t<T>, PackRegisters<T>::lanes> {
  static constexpr int parts = PackRegisters<T>::count;
  using Registers = PackPart<T, scalar_t<T>, PackRegisters<T>::lanes, Part>;
  using Register = Vec<scalar_t<T>, PackRegisters<T>::lanes>;

  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Register column(const T& x) {
    return Registers::read(x);
  }
  static KOKKOS_FORCEINLINE_FUNCTION void write(T& x, const Register& v) { Registers::write(x, v); }
};

/// Complex numbers in a register of N parts, with real and imaginary parts in turn. a b is the sum
/// of real(a) b and of i imag(a) b. The two are accumulated separately, by real FMAs, and joined at
/// the end.
template <class R, int N>
struct ComplexProduct {
  using Column = Vec<R, N>;
  struct Multiplier {
    Vec<R, N> real;
    Vec<R, N> imag;
  };
  struct Sum {
    Vec<R, N> direct;
    Vec<R, N> turned;
  };

  static KOKKOS_FORCEINLINE_FUNCTION Multiplier multiplier(const Column& x) {
    return {real_parts(x), imag_parts(x)};
  }
  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Multiplier multiplier_of(const Kokkos::complex<R>& x) {
    return {Vec<R, N>::splat(x.real()), Vec<R, N>::splat(Conjugate ? -x.imag() : x.imag())};
  }

  static KOKKOS_FORCEINLINE_FUNCTION Sum zero() {
    return {Vec<R, N>::splat(R(0)), Vec<R, N>::splat(R(0))};
  }
  template <bool First>
  static KOKKOS_FORCEINLINE_FUNCTION Sum add(const Sum& sum, const Column& b) {
    return {First ? b : sum.direct + b, sum.turned};
  }
  static KOKKOS_FORCEINLINE_FUNCTION Sum add_product(const Sum& sum, const Multiplier& a,
                                                     const Column& b) {
    return {multiply_add(sum.direct, a.real, b), multiply_add(sum.turned, a.imag, b)};
  }
  static KOKKOS_FORCEINLINE_FUNCTION Column joined(const Sum& sum) {
    return sum.direct + times_i(sum.turned);
  }
  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Column conjugated(const Column& x) {
    return Conjugate ? x * alternating(R(1), R(-1)) : x;
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
struct Product<Kokkos::complex<R>, W> : ComplexProduct<R, 2 * W> {
  static constexpr int parts = 0;
  using Base = ComplexProduct<R, 2 * W>;
  using Register = register_t<Kokkos::complex<R>, W>;
  using Column = typename Base::Column;
  using Sum = typename Base::Sum;

  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Column column(const Register& x) {
    return Base::template conjugated<Conjugate>({x.v});
  }
  static KOKKOS_FORCEINLINE_FUNCTION Register added(const Sum& sum) { return {sum.direct.v}; }
  static KOKKOS_FORCEINLINE_FUNCTION Register finish(const Sum& sum) {
    return {Base::joined(sum).v};
  }
};

/// Number of registers for the parts of this many complex lanes, or 0 if they do not fill
/// registers.
template <class R>
consteval int part_registers(int lanes) {
  return 2 * lanes % native_lanes<R> == 0 ? 2 * lanes / native_lanes<R> : 0;
}

template <class R, int L, int Part>
  requires(has_vec<R> && part_registers<R>(L) > 0 && !is_device_code())
struct Product<Pack<Kokkos::complex<R>, L>, 1, Part> : ComplexProduct<R, native_lanes<R>> {
  static constexpr int parts = part_registers<R>(L);
  using Base = ComplexProduct<R, native_lanes<R>>;
  using P = Pack<Kokkos::complex<R>, L>;
  using Registers = PackPart<P, R, native_lanes<R>, Part>;
  using Column = typename Base::Column;
  using Sum = typename Base::Sum;

  template <bool Conjugate>
  static KOKKOS_FORCEINLINE_FUNCTION Column column(const P& x) {
    return Base::template conjugated<Conjugate>(Registers::read(x));
  }
  static KOKKOS_FORCEINLINE_FUNCTION Column added(const Sum& sum) { return sum.direct; }
  static KOKKOS_FORCEINLINE_FUNCTION Column finish(const Sum& sum) { return Base::joined(sum); }
  static KOKKOS_FORCEINLINE_FUNCTION void write(P& x, const Column& v) { Registers::write(x, v); }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
