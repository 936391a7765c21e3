// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_POTRS_HPP
#define KOKKOSCONTRACT_POTRS_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Potrs.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Solves A x = b for x in place of b, with the factor that Potrf computed in the same triangle of
/// A.
///
///     invoke(A, b)    and the member first at the other levels
///
/// Shapes: A is n x n, and only the triangle that Uplo names is read. b has n elements, or is n x k
/// for k right-hand sides. A does not overlap b. A matrix of scalars may have right-hand sides of
/// packs.
///
/// Method: two triangular solves, as LAPACK's dpotrs. Source: N. J. Higham, Accuracy and Stability
/// of Numerical Algorithms, 2nd ed., section 10.1.
///
/// Batch within the team: if A has rank 3, b has the batch as leading dimension, too. If A is
/// shared(A), only b has it. Results are visible to all workers on return.
///
/// Returns 0, or -1 without having written anything if extents disagree.
template <Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Potrs::Default>
struct SerialPotrs : Impl::SerialEntry<Impl::PotrsRoutine<Triangle>> {};

/// The lanes of one team thread work together. See SerialPotrs.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Potrs::Default>
struct VectorPotrs : Impl::VectorEntry<Impl::PotrsRoutine<Triangle>> {};

/// The threads of a team work together. See SerialPotrs.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Potrs::Default>
struct TeamPotrs : Impl::TeamEntry<Impl::PotrsRoutine<Triangle>> {};

/// All lanes of all threads of a team work together. See SerialPotrs.
template <class Member, Impl::UploTag Triangle, Impl::AlgoTag Algorithm = Algo::Potrs::Default>
struct TeamVectorPotrs : Impl::TeamVectorEntry<Impl::PotrsRoutine<Triangle>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
