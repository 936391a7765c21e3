// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PBTRS_HPP
#define KOKKOSCONTRACT_PBTRS_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Pbtrs.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Solves A x = b for x in place of b, with the factor that Pbtrf made of a band matrix A.
///
///     invoke(A, b)    invoke(A, b, w)    and the member first at the other levels
///
/// Shapes: A is (k + 1) x n as Pbtrf leaves it; b has n elements, or is n x m for m right-hand
/// sides. A does not overlap b. A matrix of scalars may have right-hand sides of packs.
/// Method: two substitutions, which multiply by the reciprocals of the diagonal where these are
/// normal numbers; N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections
/// 8.1 and 10.1. A zero on the diagonal gives infinities or NaN: it is not tested for.
///
/// Workers take whole right-hand sides. Those next to each other in memory share registers on a
/// host. Without w, up to k = 10, each
/// number of b is loaded and stored twice.
///
/// w is a workspace with the elements, rank and extents of b, and overlaps nothing; it takes what
/// passes between the two substitutions, and holds nothing of use then. With it b is read once and
/// written once.
///
/// Batch within the team: with A of rank 3 all operands have a leading dimension, the batch; or A
/// is shared(A), and b has it. Results are visible to all workers on return.
///
/// Returns 0, or -1 without having written anything if extents disagree.
template <Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Pbtrs::Default>
struct SerialPbtrs : Impl::SerialEntry<Impl::PbtrsRoutine<Triangle>> {};

/// The lanes of one team thread work together. See SerialPbtrs.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Pbtrs::Default>
struct VectorPbtrs : Impl::VectorEntry<Impl::PbtrsRoutine<Triangle>> {};

/// The threads of a team work together. See SerialPbtrs.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Pbtrs::Default>
struct TeamPbtrs : Impl::TeamEntry<Impl::PbtrsRoutine<Triangle>> {};

/// All lanes of all threads of a team work together. See SerialPbtrs.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Pbtrs::Default>
struct TeamVectorPbtrs : Impl::TeamVectorEntry<Impl::PbtrsRoutine<Triangle>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
