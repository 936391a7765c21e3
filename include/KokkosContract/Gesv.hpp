// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GESV_HPP
#define KOKKOSCONTRACT_GESV_HPP

#include <KokkosContract/Impl/Getrs.hpp>
#include <KokkosContract/Tags.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Solves A x = b for x in place of b, with partial pivoting: Getrf, then Getrs. A is overwritten
/// by its factors.
///
///     invoke(A, ipiv, b)    invoke(A, ipiv, b, info)    and the member first at the other levels
///
/// Operands, batch and info are those of SerialGetrf and SerialGetrs; nothing is shared.
/// A problem with a zero pivot is factored, but its b stays as it is, as LAPACK's dgesv does; other
/// problems of a batch are solved. Of packs all lanes are solved: b gets infinities or NaN in the
/// lanes whose info is not zero, and in these only.
///
/// Returns the first non-zero info, the same in all workers; or -1 without having written anything
/// if extents disagree.
template <Impl::AlgoTag Algorithm = Algo::Gesv::Default>
struct SerialGesv : Impl::SerialFront<Impl::GesvRoutine> {};

/// The lanes of one team thread work together. See SerialGesv.
template <class Member, Impl::AlgoTag Algorithm = Algo::Gesv::Default>
struct VectorGesv : Impl::VectorFront<Impl::GesvRoutine> {};

/// The threads of a team work together. See SerialGesv.
template <class Member, Impl::AlgoTag Algorithm = Algo::Gesv::Default>
struct TeamGesv : Impl::TeamFront<Impl::GesvRoutine> {};

/// All lanes of all threads of a team work together. See SerialGesv.
template <class Member, Impl::AlgoTag Algorithm = Algo::Gesv::Default>
struct TeamVectorGesv : Impl::TeamVectorFront<Impl::GesvRoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
