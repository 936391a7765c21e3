// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TRTRI_HPP
#define KOKKOSCONTRACT_TRTRI_HPP

#include <KokkosContract/dense/Trtri.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// The inverse of a triangular matrix, in place.
///
///     invoke(A)    invoke(A, info)    and the member first at the other levels
///
/// Shapes: A is n x n. Only the triangle that Uplo names is read and written, and with Diag::Unit
/// not its diagonal.
///
/// Method: row by row (an upper triangle column by column), and on a host, from 24 rows on, by
/// halves. Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
/// section 14.2.
///
/// Batch within the team: if A has rank 3, its leading dimension is a batch of matrices.
///
/// info: an int View with one entry per problem. It has rank 0 for one matrix and [batch] for a
/// batch; packs add one more dimension of the pack's length. Each entry is 0, or the 1-based index
/// of the first zero on the diagonal. The triangle of this problem, or its lane, is then unchanged.
///
/// Returns the first non-zero info, the same in all workers, to whom the inverse is visible.
/// Returns -1 without having written anything if extents disagree.
template <Impl::UploTag Triangle, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trtri::Default>
struct SerialTrtri : Impl::SerialEntry<Impl::TrtriRoutine<Triangle, Diagonal>> {};

/// The lanes of one team thread work together. See SerialTrtri.
template <class Member, Impl::UploTag Triangle, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trtri::Default>
struct VectorTrtri : Impl::VectorEntry<Impl::TrtriRoutine<Triangle, Diagonal>> {};

/// The threads of a team work together. See SerialTrtri.
template <class Member, Impl::UploTag Triangle, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trtri::Default>
struct TeamTrtri : Impl::TeamEntry<Impl::TrtriRoutine<Triangle, Diagonal>> {};

/// All lanes of all threads of a team work together. See SerialTrtri.
template <class Member, Impl::UploTag Triangle, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trtri::Default>
struct TeamVectorTrtri : Impl::TeamVectorEntry<Impl::TrtriRoutine<Triangle, Diagonal>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
