// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_POINTWISE_HPP
#define KOKKOSCONTRACT_POINTWISE_HPP

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/nest/Parse.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// A functor between the operands of a contraction; see pointwise.
template <Spec S, class F>
struct Pointwise {
  static constexpr Impl::Labels pointwise_labels = Impl::functor_labels(S);
  static_assert(pointwise_labels.rank >= 0,
                "KokkosContract: the string of a pointwise functor is a list of at most 8 letters, "
                "each once");
  F functor;
};

/// Stands between the operands of a contraction. The operands before it are contracted to the
/// letters S. Each element of that result becomes functor(value, i, j, ...) once, with its indices
/// in the order of S. The result is contracted with the operands that follow.
template <Spec S, class F>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pointwise<S, F> pointwise(const F& functor) {
  return {functor};
}

namespace Impl {

/// Tests a member, because nvcc does not deduce a Spec in a partial specialisation.
template <class A>
inline constexpr bool is_pointwise = requires { A::pointwise_labels; };

/// Takes the place of a functor. It has no function: it says where the result of a section is
/// stored, as the user gave it (Array) and as it is used.
template <class Array, class Operand>
struct KeptIn {
  using KeptArray = Array;
  using KeptOperand = Operand;
  Operand operand;
};
template <class F>
inline constexpr bool is_kept = requires { typename F::KeptOperand; };

}  // namespace Impl

/// Stands between the operands of a contraction, as pointwise does. The operands before it are
/// contracted to the letters S and stored in `tensor`. `tensor` is contracted with the operands
/// that follow. One call gives both results, with no sweep or barrier of its own for the first.
template <Spec S, class A>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto keep(const A& tensor) {
  return Pointwise<S, Impl::KeptIn<A, Impl::operand_t<A>>>{{Impl::as_operand(tensor)}};
}

namespace Impl {

template <class F>
struct Elsewhere {
  static constexpr bool stores_elsewhere = true;
  F functor;
};
template <class A>
inline constexpr bool is_elsewhere = requires { A::stores_elsewhere; };

}  // namespace Impl

/// Stands for beta, C and the epilogue of a contraction without an output. functor(value, i, j,
/// ...) gets each element of the result once, like an epilogue that returns nothing.
///
///     TeamContract<"ik,kj->ij">::invoke(member, alpha, A, B, elsewhere(functor));
///
/// The extents are those of the inputs. The value has the type of the accumulator.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION constexpr Impl::Elsewhere<F> elsewhere(const F& functor) {
  return {functor};
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
