// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PTTRF_HPP
#define KOKKOSCONTRACT_PTTRF_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Pttrf.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// A = L D L^H in place, for A tridiagonal, symmetric, or Hermitian where it is complex, and
/// positive definite.
///
///     invoke(d, e)    invoke(d, e, info)    and the member first at the other levels
///
/// Shapes: d has n elements, the diagonal of A, and becomes D; e has n - 1, those below it (or
/// above it), and becomes those of the unit lower L (or of U = L^H). The elements of d may be real
/// where those of e are complex; of complex ones the imaginary parts are taken as 0 and set to it.
/// Operands do not overlap.
/// Method: as LAPACK's dpttrf; N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd
/// ed., section 9.6.
///
/// Batch within the team: with d and e of rank 2 their leading dimension is a batch of matrices.
/// Each is factored by one worker.
///
/// info: an int View with one entry per problem: rank 0 for one matrix, [batch] for a batch; for
/// packs one more dimension of the pack's length. Each entry is 0, or the 1-based index k of the
/// first leading minor that is not positive (or is NaN): d(k - 1) is the number that is not
/// positive, and what lies behind is unspecified. Other problems of a batch, and other lanes of a
/// pack, are not affected.
///
/// Returns the first non-zero info, the same in all workers, to whom the factors are visible; or -1
/// without having written anything if extents disagree.
template <Impl::AlgoTag Algorithm = Algo::Pttrf::Default>
struct SerialPttrf : Impl::SerialEntry<Impl::PttrfRoutine> {};

/// The lanes of one team thread work together. See SerialPttrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Pttrf::Default>
struct VectorPttrf : Impl::VectorEntry<Impl::PttrfRoutine> {};

/// The threads of a team work together. See SerialPttrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Pttrf::Default>
struct TeamPttrf : Impl::TeamEntry<Impl::PttrfRoutine> {};

/// All lanes of all threads of a team work together. See SerialPttrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Pttrf::Default>
struct TeamVectorPttrf : Impl::TeamVectorEntry<Impl::PttrfRoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
