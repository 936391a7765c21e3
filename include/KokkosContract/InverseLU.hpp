// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_INVERSELU_HPP
#define KOKKOSCONTRACT_INVERSELU_HPP

#include <KokkosContract/dense/SolveLU.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// The inverse of A, in place of the factors that SerialLU computed.
///
///     invoke(A, w)    and the member first at the other levels
///
/// Shapes: A is n x n. The workspace w has elements of A's type, rank 1 and at least n^2 elements,
/// which are overwritten. A and w do not overlap. A batch within the team has A of rank 3 and w of
/// rank 2, each with a leading dimension.
///
/// Method: the solutions of A X = I, column by column, as by SerialSolveLU. Source: J. J. Du Croz
/// and N. J. Higham, Stability of methods for matrix inversion, IMA J. Numer. Anal. 12 (1992). A
/// zero pivot gives infinities or NaN.
///
/// The inverse is visible to all workers on return. Returns 0, or -1 without having written
/// anything if extents disagree.
template <Impl::AlgoTag Algorithm = Algo::InverseLU::Default>
struct SerialInverseLU : Impl::SerialEntry<Impl::InverseLURoutine> {};

/// The lanes of one team thread work together. See SerialInverseLU.
template <class Member, Impl::AlgoTag Algorithm = Algo::InverseLU::Default>
struct VectorInverseLU : Impl::VectorEntry<Impl::InverseLURoutine> {};

/// The threads of a team work together. See SerialInverseLU.
template <class Member, Impl::AlgoTag Algorithm = Algo::InverseLU::Default>
struct TeamInverseLU : Impl::TeamEntry<Impl::InverseLURoutine> {};

/// All lanes of all threads of a team work together. See SerialInverseLU.
template <class Member, Impl::AlgoTag Algorithm = Algo::InverseLU::Default>
struct TeamVectorInverseLU : Impl::TeamVectorEntry<Impl::InverseLURoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
