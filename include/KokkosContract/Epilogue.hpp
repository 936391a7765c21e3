// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_EPILOGUE_HPP
#define KOKKOSCONTRACT_EPILOGUE_HPP

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/Spec.hpp>
#include <KokkosContract/product/EpilogueSteps.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

// Steps of an epilogue, which stand after C in a call. `|` joins them, from left to right:
//
//     TeamContract<"bi,ij->bj">::invoke(member, 1, X, W, 0, Y,
//                                       bias<"j">(b) | activation(relu) | row_max<"b">(m));
//
// The first step gets alpha sum + beta C, in the type of the accumulator. The value after the last
// step is stored in C. The letters of a step are letters of the output, one for each dimension of
// its operand. A letter that the output does not have is a compile-time error. An operand is a View
// or any other operand, and is not checked for its extents. Packs are not supported.

/// Adds b(letters) to the value.
template <Spec S, class B>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto bias(const B& b) {
  return Impl::ElementStep<S, Impl::operand_t<B>, Impl::AddElement>{{Impl::as_operand(b)}};
}

/// Multiplies the value by s(letters).
template <Spec S, class A>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto scale(const A& s) {
  return Impl::ElementStep<S, Impl::operand_t<A>, Impl::MultiplyByElement>{{Impl::as_operand(s)}};
}

/// Adds R, an operand with the dimensions of the output in their order, to the value.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto residual(const A& r) {
  return Impl::ElementStep<"", Impl::operand_t<A>, Impl::AddElement>{{Impl::as_operand(r)}};
}

/// Replaces the value by f(value).
template <class F>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto activation(const F& f) {
  return Impl::Activation<F>{f};
}

/// Converts the value to T. An integer is the nearest one (ties to even). What is outside the range
/// of T becomes its smallest or largest value. NaN becomes 0 if T is an integer, and stays NaN
/// otherwise.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto saturate() {
  return Impl::Activation<Impl::Saturation<T>>{};
}

/// Stores the value in A(letters), too, after conversion to the type of its elements.
template <Spec S, class A>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto also_in(const A& a) {
  return Impl::ElementStep<S, Impl::operand_t<A>, Impl::StoreInElement>{{Impl::as_operand(a)}};
}

/// m(letters) becomes the maximum of itself and all values with these indices, such as the maximum
/// of a row. Set m before the call, such as to -infinity. The values are real. The workers use
/// atomic operations; the result does not depend on their order.
template <Spec S, class A>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto row_max(const A& m) {
  return Impl::Reduced<S, Impl::operand_t<A>, Impl::MaxReduction>{{Impl::as_operand(m)}};
}

/// Adds all values with these indices to s(letters), by atomic operations. With several workers the
/// rounding depends on their order.
template <Spec S, class A>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto row_sum(const A& s) {
  return Impl::Reduced<S, Impl::operand_t<A>, Impl::SumReduction<false>>{{Impl::as_operand(s)}};
}

/// Adds the squares |value|^2 of all values with these indices to s(letters), as row_sum does. The
/// square root of the result is the norm of a row.
template <Spec S, class A>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto row_squares(const A& s) {
  return Impl::Reduced<S, Impl::operand_t<A>, Impl::SumReduction<true>>{{Impl::as_operand(s)}};
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
