// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GETRS_HPP
#define KOKKOSCONTRACT_GETRS_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Getrs.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Solves op(A) x = b for x in place of b, with the factors and interchanges that Getrf computed.
///
///     invoke(A, ipiv, b)    and the member first at the other levels
///
/// Shapes: A is n x n, and ipiv has n entries (for packs, [n][length]). b has n elements, or is n x
/// k for k right-hand sides. A and ipiv do not overlap b. A matrix of scalars may have right-hand
/// sides of packs.
///
/// Method: row interchanges and two triangular solves, as LAPACK's dgetrs. Source: N. J. Higham,
/// Accuracy and Stability of Numerical Algorithms, 2nd ed., section 9.3. A zero pivot gives
/// infinities or NaN: it is not tested for.
///
/// Batch within the team: if A has rank 3, all operands have a leading dimension, the batch. If A
/// and ipiv are both shared(...), only b has it. Results are visible to all workers on return.
///
/// Returns 0, or -1 without having written anything if extents disagree.
template <Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Getrs::Default>
struct SerialGetrs : Impl::SerialEntry<Impl::GetrsRoutine<TransA>> {};

/// The lanes of one team thread work together. See SerialGetrs.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Getrs::Default>
struct VectorGetrs : Impl::VectorEntry<Impl::GetrsRoutine<TransA>> {};

/// The threads of a team work together. See SerialGetrs.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Getrs::Default>
struct TeamGetrs : Impl::TeamEntry<Impl::GetrsRoutine<TransA>> {};

/// All lanes of all threads of a team work together. See SerialGetrs.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Getrs::Default>
struct TeamVectorGetrs : Impl::TeamVectorEntry<Impl::GetrsRoutine<TransA>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
