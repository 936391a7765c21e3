// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GESV_HPP
#define KOKKOSCONTRACT_GESV_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Gesv.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

namespace Impl {
template <GesvAlgoTag Algorithm>
inline constexpr bool pivots = !is_tag_of<Algorithm, Algo::Gesv::NoPivoting>;
}  // namespace Impl

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
/// With Algo::Gesv::NoPivoting there are no interchanges: LU, then SolveLU, for matrices that need
/// none, as diagonally dominant and Hermitian positive definite ones.
///
///     invoke(A, b)    invoke(A, b, info)    and the member first at the other levels
///
/// A is overwritten, by what is not said: where a kernel needs no factors, this is faster than LU
/// and SolveLU, because on a GPU A, of up to 32 static rows, with one right-hand side stays in
/// registers. Else all is as above; A may be a pack's or a scalar's matrix, b as for SerialSolveLU.
///
/// Returns the first non-zero info, the same in all workers; or -1 without having written anything
/// if extents disagree.
template <Impl::GesvAlgoTag Algorithm = Algo::Gesv::Default>
struct SerialGesv : Impl::SerialEntry<Impl::GesvRoutine<Impl::pivots<Algorithm>>> {};

/// The lanes of one team thread work together. See SerialGesv.
template <class Member, Impl::GesvAlgoTag Algorithm = Algo::Gesv::Default>
struct VectorGesv : Impl::VectorEntry<Impl::GesvRoutine<Impl::pivots<Algorithm>>> {};

/// The threads of a team work together. See SerialGesv.
template <class Member, Impl::GesvAlgoTag Algorithm = Algo::Gesv::Default>
struct TeamGesv : Impl::TeamEntry<Impl::GesvRoutine<Impl::pivots<Algorithm>>> {};

/// All lanes of all threads of a team work together. See SerialGesv.
template <class Member, Impl::GesvAlgoTag Algorithm = Algo::Gesv::Default>
struct TeamVectorGesv : Impl::TeamVectorEntry<Impl::GesvRoutine<Impl::pivots<Algorithm>>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
