// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_POTRF_HPP
#define KOKKOSCONTRACT_POTRF_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Potrf.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Cholesky factorisation A = L L^H (Uplo::Lower) or A = U^H U (Uplo::Upper), in place. A is
/// positive definite, and symmetric if real or Hermitian if complex.
///
///     invoke(A)    invoke(A, info)    and the member first at the other levels
///
/// Shapes: A is n x n, with any strides. Only the triangle that Uplo names is read and written. The
/// imaginary parts of its diagonal are taken as 0 and set to 0. info does not overlap A.
///
/// Method: blocks of columns, as LAPACK's dpotf2; backward stable without pivoting. Source: N. J.
/// Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 10.1.
///
/// Batch within the team: if A has rank 3, its leading dimension is a batch of matrices.
///
/// info: an int View with one entry per problem. It has rank 0 for one matrix and [batch] for a
/// batch; packs add one more dimension of the pack's length. Each entry is 0, or the 1-based index
/// k of the first leading minor that is not positive or is NaN. The leading k - 1 rows and columns
/// of the triangle then hold their factor. Diagonal element k holds the number that is not
/// positive, and the rest is unspecified. Other problems of a batch, and other lanes of a pack, are
/// not affected.
///
/// Returns the first non-zero info, the same in all workers, to whom the factor is visible. Returns
/// -1 without having written anything if A is not square or info has the wrong extents.
template <Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Potrf::Default>
struct SerialPotrf : Impl::SerialEntry<Impl::PotrfRoutine<Triangle>> {};

/// The lanes of one team thread work together. See SerialPotrf.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Potrf::Default>
struct VectorPotrf : Impl::VectorEntry<Impl::PotrfRoutine<Triangle>> {};

/// The threads of a team work together. See SerialPotrf.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Potrf::Default>
struct TeamPotrf : Impl::TeamEntry<Impl::PotrfRoutine<Triangle>> {};

/// All lanes of all threads of a team work together. See SerialPotrf.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Potrf::Default>
struct TeamVectorPotrf : Impl::TeamVectorEntry<Impl::PotrfRoutine<Triangle>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
