// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_RESHAPE_HPP
#define KOKKOSCONTRACT_RESHAPE_HPP

#include <KokkosContract/dense/Reshape.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// B = A with its dimensions permuted: `SerialReshape<"ijk->kij">::invoke(A, B)`.
///
///     invoke(A, B)    and the member first at the other levels
///
/// The string has the same letters on both sides, once each. Operands are those of SerialContract,
/// with any strides and layouts, and do not overlap. Element types may differ where one converts to
/// the other. Tiles are contiguous on both sides where the types show the unit strides. Values are
/// copied unchanged, NaN, infinities and signed zeros included. B is visible to all workers on
/// return.
///
/// Returns 0, or -1 without having written anything if extents disagree.
template <Spec S>
struct SerialReshape : Impl::SerialEntry<Impl::ReshapeRoutine<S>> {};

/// The lanes of one team thread work together. See SerialReshape.
template <Spec S>
struct VectorReshape : Impl::VectorEntry<Impl::ReshapeRoutine<S>> {};

/// The threads of a team work together. See SerialReshape.
template <Spec S>
struct TeamReshape : Impl::TeamEntry<Impl::ReshapeRoutine<S>> {};

/// All lanes of all threads of a team work together. See SerialReshape.
template <Spec S>
struct TeamVectorReshape : Impl::TeamVectorEntry<Impl::ReshapeRoutine<S>> {};

/// `flatten<"(ij)k">(A)` returns the same memory with the dimensions i and j merged into one,
/// without a copy. The string has one letter per dimension of A, in A's order, with parentheses
/// around neighbours that merge. The merged index runs in memory order: the last of its dimensions
/// is the fastest. If A is column-major (LayoutLeft), it is the first one. Strides that cannot
/// merge are a compile-time error if the types show it. Otherwise they end a checked build.
template <Spec Groups, class A>
KOKKOS_FORCEINLINE_FUNCTION auto flatten(A&& a) {
  Impl::check_outlives<A>(a);
  return Impl::flattened<Groups>(Impl::as_operand(a));
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
