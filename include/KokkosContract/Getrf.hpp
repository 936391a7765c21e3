// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GETRF_HPP
#define KOKKOSCONTRACT_GETRF_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Getrf.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// A = P L U with partial pivoting, in place. L is unit lower trapezoidal (its diagonal is not
/// stored), U is upper trapezoidal, and P is a permutation.
///
///     invoke(A, ipiv)    invoke(A, ipiv, info)    and the member first at the other levels
///
/// Shapes: A is m x n, with any strides. ipiv has min(m, n) entries of type int, or another integer
/// type of 16 bits or more. In step i row i was swapped with row ipiv(i) >= i, counted from 0, as
/// in KokkosBatched; LAPACK counts from 1. ipiv and info overlap neither A nor each other. Packs
/// pivot lane by lane: their ipiv has one more, last dimension of the pack's length.
///
/// Method: Gaussian elimination in place, as LAPACK's dgetf2 and zgetf2. The pivot is the element
/// with the largest |re| + |im|, and the first of equal ones. Sums that overflow count as equal.
/// NaN is not chosen as a pivot as long as its column has a number, and propagates. Source: N. J.
/// Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 9.3.
///
/// Batch within the team: if A has rank 3, its leading dimension, and that of ipiv, is a batch.
///
/// info: an int View with one entry per problem. It has rank 0 for one matrix and [batch] for a
/// batch; packs add one more dimension of the pack's length. Each entry is 0, or the 1-based index
/// of the problem's first zero pivot. Its column is not divided by that pivot, and the
/// factorisation goes on, as LAPACK's does.
///
/// Returns the first non-zero info, the same in all workers, to whom the factors are visible.
/// Returns -1 without having written anything if ipiv or info has the wrong extents.
template <Impl::AlgoTag Algorithm = Algo::Getrf::Default>
struct SerialGetrf : Impl::SerialEntry<Impl::GetrfRoutine> {};

/// The lanes of one team thread work together. See SerialGetrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Getrf::Default>
struct VectorGetrf : Impl::VectorEntry<Impl::GetrfRoutine> {};

/// The threads of a team work together. See SerialGetrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Getrf::Default>
struct TeamGetrf : Impl::TeamEntry<Impl::GetrfRoutine> {};

/// All lanes of all threads of a team work together. See SerialGetrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Getrf::Default>
struct TeamVectorGetrf : Impl::TeamVectorEntry<Impl::GetrfRoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
