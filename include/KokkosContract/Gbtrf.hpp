// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GBTRF_HPP
#define KOKKOSCONTRACT_GBTRF_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Gbtrf.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// LU of a band matrix with partial pivoting, in place.
///
///     invoke(A, ipiv, kl, ku)        invoke(A, ipiv, kl, ku, info)
///     invoke(A, ipiv, kl, ku, m)     invoke(A, ipiv, kl, ku, m, info)
///
/// and the member first at the other levels.
///
/// Shapes: A has 2 kl + ku + 1 rows or more and n columns, any strides: the diagonals of an m x n
/// matrix (m = n where it is not named, or -1) with kl diagonals below and ku above the main one,
/// as in LAPACK's dgbtrf. Its element (i, j) is A(kl + ku + i - j, j). The first kl rows need not
/// be set: they take what interchanges fill in. Then U is in the first kl + ku + 1 rows, and the
/// multipliers of L are below. ipiv has min(m, n) entries, int or other integers of 16 bits or
/// more: in step i row i was swapped with row ipiv(i) >= i, counted from 0, as in KokkosBatched
/// (LAPACK counts from 1). ipiv and info overlap neither A nor each other. Packs pivot lane by
/// lane: their ipiv has one more, last dimension of the pack's length.
/// Method: as LAPACK's dgbtf2, with the pivots that Getrf would choose; N. J. Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd ed., section 9.3.
///
/// Batch within the team: with A of rank 3 its leading dimension, and that of ipiv, is a batch of
/// matrices. Each is factored by one worker.
///
/// info: an int View with one entry per problem: rank 0 for one matrix, [batch] for a batch; for
/// packs one more dimension of the pack's length. Each entry is 0, or the 1-based index of the
/// problem's first zero pivot, by which its column is not divided; the factorisation goes on, as
/// LAPACK's does.
///
/// Returns the first non-zero info, the same in all workers, to whom the factors are visible; or -1
/// without having written anything if A has too few rows, kl, ku or m is negative, or ipiv or info
/// has the wrong extents.
template <Impl::AlgoTag Algorithm = Algo::Gbtrf::Default>
struct SerialGbtrf : Impl::SerialEntry<Impl::GbtrfRoutine> {};

/// The lanes of one team thread work together. See SerialGbtrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Gbtrf::Default>
struct VectorGbtrf : Impl::VectorEntry<Impl::GbtrfRoutine> {};

/// The threads of a team work together. See SerialGbtrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Gbtrf::Default>
struct TeamGbtrf : Impl::TeamEntry<Impl::GbtrfRoutine> {};

/// All lanes of all threads of a team work together. See SerialGbtrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Gbtrf::Default>
struct TeamVectorGbtrf : Impl::TeamVectorEntry<Impl::GbtrfRoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
