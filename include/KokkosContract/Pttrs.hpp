// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PTTRS_HPP
#define KOKKOSCONTRACT_PTTRS_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Pttrs.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Solves A x = b for x in place of b, with the factors d and e that Pttrf made of a tridiagonal A.
///
///     invoke(d, e, b)    invoke(d, e, b, w)    and the member first at the other levels
///
/// Shapes: d has n elements and e n - 1; b has n elements, or is n x m for m right-hand sides. d
/// and e do not overlap b. Uplo says which elements of A were in e: those below the diagonal or
/// above it, which makes a difference for complex ones only. A matrix of scalars may have
/// right-hand sides of packs.
/// Method: two substitutions, as LAPACK's dpttrs, with reciprocals of d where these are normal
/// numbers. A zero in d gives infinities or NaN: it is not tested for.
///
/// Workers take whole right-hand sides. Those next to each other in memory share registers on a
/// host. Without w each number of b is loaded and stored twice.
///
/// w is a workspace with the elements, rank and extents of b, and overlaps nothing; it takes what
/// passes between the two substitutions, and holds nothing of use then. With it b is read once and
/// written once.
///
/// Batch within the team: with d and e of rank 2 all operands have a leading dimension, the batch;
/// or d and e are both shared(...), and b has it. Results are visible to all workers on return.
///
/// Returns 0, or -1 without having written anything if extents disagree.
template <Impl::UploTag Triangle = Uplo::Lower, Impl::AlgoTag Algorithm = Algo::Pttrs::Default>
struct SerialPttrs : Impl::SerialEntry<Impl::PttrsRoutine<Triangle>> {};

/// The lanes of one team thread work together. See SerialPttrs.
template <class Member, Impl::UploTag Triangle = Uplo::Lower,
          Impl::AlgoTag Algorithm = Algo::Pttrs::Default>
struct VectorPttrs : Impl::VectorEntry<Impl::PttrsRoutine<Triangle>> {};

/// The threads of a team work together. See SerialPttrs.
template <class Member, Impl::UploTag Triangle = Uplo::Lower,
          Impl::AlgoTag Algorithm = Algo::Pttrs::Default>
struct TeamPttrs : Impl::TeamEntry<Impl::PttrsRoutine<Triangle>> {};

/// All lanes of all threads of a team work together. See SerialPttrs.
template <class Member, Impl::UploTag Triangle = Uplo::Lower,
          Impl::AlgoTag Algorithm = Algo::Pttrs::Default>
struct TeamVectorPttrs : Impl::TeamVectorEntry<Impl::PttrsRoutine<Triangle>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
