// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_SET_HPP
#define KOKKOSCONTRACT_SET_HPP

#include <KokkosContract/dense/Set.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Sets each element of A to alpha, in place.
///
///     invoke(alpha, A)    and the member first at the other levels
///
/// Shapes: A has any rank and any strides. alpha is a number that converts to A's elements. The old
/// elements of A are not read. The result is visible to all workers on return.
///
/// Returns 0, or -5 without having written anything if elements are integers and alpha is no value
/// of their type.
struct SerialSet : Impl::SerialEntry<Impl::SetRoutine> {};

/// The lanes of one team thread work together. See SerialSet.
template <class Member>
struct VectorSet : Impl::VectorEntry<Impl::SetRoutine> {};

/// The threads of a team work together. See SerialSet.
template <class Member>
struct TeamSet : Impl::TeamEntry<Impl::SetRoutine> {};

/// All lanes of all threads of a team work together. See SerialSet.
template <class Member>
struct TeamVectorSet : Impl::TeamVectorEntry<Impl::SetRoutine> {};

/// A = alpha * A, for each element of A, in place.
///
///     invoke(alpha, A)    and the member first at the other levels
///
/// alpha == 0 gives zeros whatever A held. A pack of factors counts lane by lane. Otherwise as
/// SerialSet.
struct SerialScale : Impl::SerialEntry<Impl::ScaleRoutine> {};

/// The lanes of one team thread work together. See SerialScale.
template <class Member>
struct VectorScale : Impl::VectorEntry<Impl::ScaleRoutine> {};

/// The threads of a team work together. See SerialScale.
template <class Member>
struct TeamScale : Impl::TeamEntry<Impl::ScaleRoutine> {};

/// All lanes of all threads of a team work together. See SerialScale.
template <class Member>
struct TeamVectorScale : Impl::TeamVectorEntry<Impl::ScaleRoutine> {};

/// Sets A to the identity: ones on the diagonal, zeros elsewhere.
///
///     invoke(A)    and the member first at the other levels
///
/// Shapes: A is m x n. If A has rank 3, its leading dimension is a batch of matrices. Otherwise as
/// SerialSet.
struct SerialSetIdentity : Impl::SerialEntry<Impl::SetIdentityRoutine> {};

/// The lanes of one team thread work together. See SerialSetIdentity.
template <class Member>
struct VectorSetIdentity : Impl::VectorEntry<Impl::SetIdentityRoutine> {};

/// The threads of a team work together. See SerialSetIdentity.
template <class Member>
struct TeamSetIdentity : Impl::TeamEntry<Impl::SetIdentityRoutine> {};

/// All lanes of all threads of a team work together. See SerialSetIdentity.
template <class Member>
struct TeamVectorSetIdentity : Impl::TeamVectorEntry<Impl::SetIdentityRoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
