// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PBTRF_HPP
#define KOKKOSCONTRACT_PBTRF_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Pbtrf.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Cholesky of a band matrix: A = L L^H (Uplo::Lower) or A = U^H U (Uplo::Upper) in place, for A
/// symmetric, or Hermitian where it is complex, and positive definite.
///
///     invoke(A)    invoke(A, info)    and the member first at the other levels
///
/// Shapes: A is (k + 1) x n, any strides: the diagonals of an n x n matrix as in LAPACK's dpbtrf.
/// Its element (i, j) is A(i - j, j) for Uplo::Lower, and A(k + i - j, j) for Uplo::Upper. Elements
/// that stand for none of the matrix are not touched. The imaginary parts of the diagonal are taken
/// as 0 and set to it. info does not overlap A.
/// Method: as LAPACK's dpbtf2; N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd
/// ed., section 10.1: backward stable without pivoting.
///
/// Batch within the team: with A of rank 3 its leading dimension is a batch of matrices. Each is
/// factored by one worker.
///
/// info: an int View with one entry per problem: rank 0 for one matrix, [batch] for a batch; for
/// packs one more dimension of the pack's length. Each entry is 0, or the 1-based index k of the
/// first leading minor that is not positive (or is NaN). Then diagonal element k is the number that
/// is not positive, and what lies behind is unspecified. Other problems of a batch, and other lanes
/// of a pack, are not affected.
///
/// Returns the first non-zero info, the same in all workers, to whom the factor is visible; or -1
/// without having written anything if A has no diagonal or info has the wrong extents.
template <Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Pbtrf::Default>
struct SerialPbtrf : Impl::SerialEntry<Impl::PbtrfRoutine<Triangle>> {};

/// The lanes of one team thread work together. See SerialPbtrf.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Pbtrf::Default>
struct VectorPbtrf : Impl::VectorEntry<Impl::PbtrfRoutine<Triangle>> {};

/// The threads of a team work together. See SerialPbtrf.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Pbtrf::Default>
struct TeamPbtrf : Impl::TeamEntry<Impl::PbtrfRoutine<Triangle>> {};

/// All lanes of all threads of a team work together. See SerialPbtrf.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Pbtrf::Default>
struct TeamVectorPbtrf : Impl::TeamVectorEntry<Impl::PbtrfRoutine<Triangle>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
