// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GECON_HPP
#define KOKKOSCONTRACT_GECON_HPP

#include <KokkosContract/dense/Gecon.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// The reciprocal of the condition number of a matrix, 1 / (|A| |A^-1|), in the 1-norm or the
/// infinity norm. It is estimated from the factors of the matrix as by LAPACK's gecon. A matrix is
/// singular to working precision if the result is smaller than the unit roundoff.
///
///     invoke(A, anorm, w, rcond)    and the member first at the other levels
///
/// Shapes: A is n x n and holds the factors of SerialLU or SerialGetrf. anorm has rank 0: it is
/// that norm of the matrix, computed by SerialNorm before the factorisation. The workspace w has
/// elements of A's type, rank 1 and at least n elements, which are overwritten. rcond has rank 0
/// and is real. For packs, anorm and rcond are packs. A batch within the team has A of rank 3, w of
/// rank 2, and anorm and rcond of rank 1. Each of them then has a leading dimension. The operands
/// do not overlap.
///
/// Method: at most 12 solves with A or its adjoint. They give a lower bound of |A^-1| that is
/// rarely more than three times too small, so rcond is an upper bound. Source: N. J. Higham,
/// FORTRAN codes for estimating the one-norm of a real or complex matrix, ACM TOMS 14 (1988). rcond
/// is 0 if a pivot or anorm is zero, or if the estimate overflows or is NaN. It is 1 if n = 0.
///
/// rcond is visible to all workers on return. Returns 0, or -1 without having written anything if
/// extents disagree.
template <Impl::NormTag Kind = Norm::One>
struct SerialGecon : Impl::SerialEntry<Impl::GeconRoutine<Kind>> {};

/// The lanes of one team thread work together. See SerialGecon.
template <class Member, Impl::NormTag Kind = Norm::One>
struct VectorGecon : Impl::VectorEntry<Impl::GeconRoutine<Kind>> {};

/// The threads of a team work together. See SerialGecon.
template <class Member, Impl::NormTag Kind = Norm::One>
struct TeamGecon : Impl::TeamEntry<Impl::GeconRoutine<Kind>> {};

/// All lanes of all threads of a team work together. See SerialGecon.
template <class Member, Impl::NormTag Kind = Norm::One>
struct TeamVectorGecon : Impl::TeamVectorEntry<Impl::GeconRoutine<Kind>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
