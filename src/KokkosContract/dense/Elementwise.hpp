// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_ELEMENTWISE_HPP
#define KOKKOSCONTRACT_DENSE_ELEMENTWISE_HPP

// Operations on each element of operands of any rank that have the same extents: Lacgv, Xpay,
// HadamardProduct, Swap. AddRadial operates on the elements of a diagonal.

#include <KokkosContract/core/Lanewise.hpp>
#include <KokkosContract/dense/Set.hpp>
#include <KokkosContract/dense/Vectors.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The element of an input at an index of the output. An input with fewer dimensions lacks the
/// first dimensions of the output. An input of leading entries lacks the last ones.
template <bool Leading, class Op, int R>
KOKKOS_FORCEINLINE_FUNCTION auto& element_at(const Op& a, const int (&index)[R]) {
  constexpr int first = Leading || R < Op::rank ? 0 : R - Op::rank;
  std::ptrdiff_t offset = 0;
  KOKKOSCONTRACT_UNROLL
  for (int d = 0; d < Op::rank; ++d) offset += index[first + d] * a.stride(d);
  return a.data()[offset];
}

/// Whether an input has the extents of the output, by the dimensions that element_at pairs. A
/// difference of ranks or of static extents is a compile-time error.
template <NamedLabels Input, NamedLabels Output, bool Leading = false, class A, class C>
KOKKOS_FORCEINLINE_FUNCTION bool has_extents_of(const A& a, const C& c) {
  using None = strided_t<const typename C::value_type, StaticShape<0>{}>;
  bool agree = true;
  if constexpr (has_rank<Input, A>() &&
                dimensions_agree<Input, NamedLabels{}, Output, A, None, C>()) {
    constexpr int first = Leading ? 0 : C::rank - A::rank;
    for (int d = 0; d < A::rank; ++d) agree = agree && a.extent(d) == c.extent(first + d);
  }
  return agree;
}

/// Conjugates each element in place.
struct LacgvRoutine {
  static constexpr Signature signature{"Lacgv", 0};
  template <Level L, class X>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const X& x) {
    require_output<X>();
    using T = value_t<X>;
    if constexpr (is_complex<scalar_t<T>>) {
      for_each_element(level, as_operand(x), [&](T& to, const auto&) KOKKOSCONTRACT_INLINE_LAMBDA {
        to = conjugate_if<true>(to);
      });
    } else {
      level.barrier();
    }
    return 0;
  }
};

/// Computes y = x + alpha * y. alpha is a number, or has an entry for each index of the first
/// dimension.
struct XpayRoutine {
  static constexpr Signature signature{"Xpay", 2};
  template <Level L, class Alpha, class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Alpha& alpha, const X& x,
                                             const Y& y) {
    require_output<Y>();
    constexpr int rank = operand_t<Y>::rank;
    constexpr NamedLabels to{'y', element_labels(rank)};
    constexpr NamedLabels from{'x', input_labels(to.labels, is_shared<X>)};
    const auto in = as_operand(x);
    const auto out = as_operand(y);
    if (!has_extents_of<from, to>(in, out)) return extents_disagree;
    if constexpr (is_array<Alpha>) {
      constexpr int alpha_rank = operand_t<Alpha>::rank;
      static_assert(alpha_rank <= 1 && alpha_rank <= rank,
                    "KokkosContract: Xpay: alpha is a number, or has one for each vector");
      using Acc = accumulator_t<value_t<X>, value_t<Alpha>, value_t<Y>>;
      const auto factors = as_operand(alpha);
      if (!has_extents_of<NamedLabels{'a', element_labels(alpha_rank)}, to, true>(factors, out)) {
        return extents_disagree;
      }
      update<Acc>(level, in, out, [&](const auto& index) KOKKOSCONTRACT_INLINE_LAMBDA {
        return factor<factor_t<Acc, value_t<Alpha>>>(element_at<true>(factors, index));
      });
    } else {
      using Acc = accumulator_t<value_t<X>, value_t<Y>>;
      if (!keeps_value<Acc>(alpha)) return factor_is_no_integer;
      const auto by = factor<factor_t<Acc, Alpha>>(alpha);
      update<Acc>(level, in, out, [&](const auto&) KOKKOSCONTRACT_INLINE_LAMBDA { return by; });
    }
    return 0;
  }

 private:
  /// Updates y. alpha_at(index) is the factor of the element at this index.
  template <class Acc, Level L, class In, class Out, class AlphaAt>
  KOKKOS_FORCEINLINE_FUNCTION static void update(const L& level, const In& x, const Out& y,
                                                 const AlphaAt& alpha_at) {
    using T = typename Out::value_type;
    for_each_element(level, y, [&](T& element, const auto& index) KOKKOSCONTRACT_INLINE_LAMBDA {
      const auto by = alpha_at(index);
      const Acc sum = convert<Acc>(element_at<false>(x, index));
      element = convert<T>(
          is_zero(by) ? sum : sum + linear_value<Acc>(by, convert<Acc>(element), by, false, sum));
    });
  }
};

/// Computes v = x * y in each element.
struct HadamardProductRoutine {
  static constexpr Signature signature{"HadamardProduct", 2};
  /// V may be X or Y itself.
  template <int, class...>
  static consteval bool may_replace() {
    return true;
  }
  template <Level L, class X, class Y, class V>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const X& x, const Y& y, const V& v) {
    require_output<V>();
    using T = value_t<V>;
    using Acc = accumulator_t<value_t<X>, value_t<Y>, T>;
    constexpr NamedLabels to{'V', element_labels(operand_t<V>::rank)};
    constexpr NamedLabels one{'X', input_labels(to.labels, is_shared<X>)};
    constexpr NamedLabels other{'Y', input_labels(to.labels, is_shared<Y>)};
    const auto a = as_operand(x);
    const auto b = as_operand(y);
    const auto out = as_operand(v);
    if (!has_extents_of<one, to>(a, out) || !has_extents_of<other, to>(b, out)) {
      return extents_disagree;
    }
    for_each_element(level, out, [&](T& element, const auto& index) KOKKOSCONTRACT_INLINE_LAMBDA {
      element = convert<T>(convert<Acc>(element_at<false>(a, index)) *
                           convert<Acc>(element_at<false>(b, index)));
    });
    return 0;
  }
};

/// Swaps the elements of x and y.
struct SwapRoutine {
  static constexpr Signature signature{"Swap", 0};
  template <Level L, class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const X& x, const Y& y) {
    require_output<X>();
    require_output<Y>();
    using T = value_t<Y>;
    static_assert(std::is_same_v<value_t<X>, T>,
                  "KokkosContract: Swap: x and y must have elements of the same type");
    constexpr Labels labels = element_labels(operand_t<Y>::rank);
    const auto one = as_operand(x);
    const auto other = as_operand(y);
    if (!has_extents_of<NamedLabels{'x', labels}, NamedLabels{'y', labels}>(one, other)) {
      return extents_disagree;
    }
    for_each_element(level, other, [&](T& element, const auto& index) KOKKOSCONTRACT_INLINE_LAMBDA {
      T& with = element_at<false>(one, index);
      const T before = with;
      with = element;
      element = before;
    });
    return 0;
  }
};

/// Adds |tiny| to each element whose real part is not negative, and -|tiny| to the others.
struct AddRadialRoutine {
  static constexpr Signature signature{"AddRadial", 1};
  template <Level L, class Tiny, class A>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Tiny& tiny, const A& a) {
    require_output<A>();
    using Op = operand_t<A>;
    using T = value_t<A>;
    using Acc = accumulator_t<T>;
    static_assert(Op::rank == 2 || Op::rank == 3,
                  "KokkosContract: AddRadial: A must have rank 2, or 3 with a leading batch "
                  "dimension");
    static_assert(!std::is_integral_v<scalar_t<Acc>>,
                  "KokkosContract: AddRadial: A must have elements of a floating-point type");
    const Acc by = convert<Acc>(factor<factor_t<Acc, Tiny>>(tiny));
    const Matrix<Op, Op::rank == 3> matrix{as_operand(a)};
    const int n = matrix.rows() < matrix.cols() ? matrix.rows() : matrix.cols();
    for_each_pair(level, matrix.batch(), n, [&](int z, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
      T& x = matrix(z, i, i);
      x = convert<T>(push_from_zero(convert<Acc>(x), by));
    });
    level.barrier();
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
