// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_SOLVELU_HPP
#define KOKKOSCONTRACT_SOLVELU_HPP

#include <KokkosContract/dense/SolveLU.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Solves op(A) x = b for x in place of b, where A holds the factors that SerialLU computed.
///
///     invoke(A, b)    and the member first at the other levels
///
/// Shapes: A is n x n. b has n elements, or is n x k for k right-hand sides. A and b do not
/// overlap. A batch within the team has A of rank 3, and b has a leading dimension, too. With
/// shared(A), of rank 2, only b has it.
///
/// Method: forward and backward substitution, as by SerialTrsv and SerialTrsm. A zero pivot gives
/// infinities or NaN.
///
/// x is visible to all workers on return. Returns 0, or -1 without having written anything if
/// extents disagree.
template <Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::SolveLU::Default>
struct SerialSolveLU : Impl::SerialEntry<Impl::SolveLURoutine<TransA>> {};

/// The lanes of one team thread work together. See SerialSolveLU.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::SolveLU::Default>
struct VectorSolveLU : Impl::VectorEntry<Impl::SolveLURoutine<TransA>> {};

/// The threads of a team work together. See SerialSolveLU.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::SolveLU::Default>
struct TeamSolveLU : Impl::TeamEntry<Impl::SolveLURoutine<TransA>> {};

/// All lanes of all threads of a team work together. See SerialSolveLU.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::SolveLU::Default>
struct TeamVectorSolveLU : Impl::TeamVectorEntry<Impl::SolveLURoutine<TransA>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
