// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GBTRS_HPP
#define KOKKOSCONTRACT_GBTRS_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Gbtrs.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Solves op(A) x = b for x in place of b, with the factors and interchanges that Gbtrf made of a
/// square band matrix A.
///
///     invoke(A, ipiv, b, kl, ku)    invoke(A, ipiv, b, kl, ku, w)
///
/// and the member first at the other levels.
///
/// Shapes: A and ipiv are as Gbtrf leaves them; b has n elements, or is n x m for m right-hand
/// sides. A and ipiv do not overlap b. A matrix of scalars may have right-hand sides of packs.
/// Method: as LAPACK's dgbtrs, with reciprocals of the pivots where these are normal numbers. A
/// zero pivot gives infinities or NaN: it is not tested for.
///
/// Workers take whole right-hand sides. Those next to each other in memory share registers on a
/// host. Without w, up to kl + ku = 10,
/// each number of b is loaded and stored twice.
///
/// w is a workspace with the elements, rank and extents of b, and overlaps nothing; it takes what
/// passes between the two substitutions, and holds nothing of use then. With it b is read once and
/// written once.
///
/// Batch within the team: with A of rank 3 all operands have a leading dimension, the batch; or A
/// and ipiv are both shared(...), and b has it. Results are visible to all workers on return.
///
/// Returns 0, or -1 without having written anything if extents disagree.
template <Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gbtrs::Default>
struct SerialGbtrs : Impl::SerialEntry<Impl::GbtrsRoutine<TransA>> {};

/// The lanes of one team thread work together. See SerialGbtrs.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gbtrs::Default>
struct VectorGbtrs : Impl::VectorEntry<Impl::GbtrsRoutine<TransA>> {};

/// The threads of a team work together. See SerialGbtrs.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gbtrs::Default>
struct TeamGbtrs : Impl::TeamEntry<Impl::GbtrsRoutine<TransA>> {};

/// All lanes of all threads of a team work together. See SerialGbtrs.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gbtrs::Default>
struct TeamVectorGbtrs : Impl::TeamVectorEntry<Impl::GbtrsRoutine<TransA>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
