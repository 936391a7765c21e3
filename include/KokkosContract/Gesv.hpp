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
/// Operands, batch and info are those of SerialGetrf and SerialGetrs; no operand may be shared. A
/// problem with a zero pivot is factored, but its b is unchanged, as with LAPACK's dgesv. Other
/// problems of a batch are solved. For packs all lanes are solved: b gets infinities or NaN in the
/// lanes whose info is not zero, and only in these.
///
/// Algo::Gesv::NoPivoting interchanges no rows: LU, then SolveLU. It is for matrices that need no
/// pivoting, such as diagonally dominant and Hermitian positive definite ones.
///
///     invoke(A, b)    invoke(A, b, info)    and the member first at the other levels
///
/// The contents of A are unspecified on return. A kernel that needs no factors runs faster this way
/// than with LU and SolveLU. On a GPU an A of up to 32 static rows stays in registers if there is
/// one right-hand side. A may be a matrix of packs or of scalars, and b is that of SerialSolveLU.
/// All else is as above.
///
/// Returns the first non-zero info, the same in all workers. Returns -1 without having written
/// anything if extents disagree.
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
