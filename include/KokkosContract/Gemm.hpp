// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GEMM_HPP
#define KOKKOSCONTRACT_GEMM_HPP

#include <KokkosContract/dense/Gemm.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// C = alpha * op(A) * op(B) + beta * C, with op(X) = X, X^T or X^H as the tags say.
///
///     invoke(alpha, A, B, beta, C)    and the member first at the other levels
///
/// Shapes: op(A) is m x k, op(B) is k x n, C is m x n. Each operand is whatever SerialContract
/// takes, of any strides, and its rules hold: C overlaps no input, beta == 0 never reads C, alpha
/// == 0 reads no input, any extent may be 0, and the results are visible to all workers on return.
///
/// Batch within the team: with C of rank 3, every operand has one more, leading dimension, the
/// batch, over which the workers are spread too; an input in `shared(A)` is without it and serves
/// all.
///
/// Returns 0, or without having written anything -1 if extents disagree, -5 if sums are integers
/// and alpha or beta is not.
template <Impl::TransTag TransA = Trans::NoTranspose, Impl::TransTag TransB = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gemm::Default>
struct SerialGemm : Impl::SerialEntry<Impl::GemmRoutine<TransA, TransB>> {};

/// The lanes of one team thread work together. See SerialGemm.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::TransTag TransB = Trans::NoTranspose, Impl::AlgoTag Algorithm = Algo::Gemm::Default>
struct VectorGemm : Impl::VectorEntry<Impl::GemmRoutine<TransA, TransB>> {};

/// The threads of a team work together. See SerialGemm.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::TransTag TransB = Trans::NoTranspose, Impl::AlgoTag Algorithm = Algo::Gemm::Default>
struct TeamGemm : Impl::TeamEntry<Impl::GemmRoutine<TransA, TransB>> {};

/// All lanes of all threads of a team work together. See SerialGemm.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::TransTag TransB = Trans::NoTranspose, Impl::AlgoTag Algorithm = Algo::Gemm::Default>
struct TeamVectorGemm : Impl::TeamVectorEntry<Impl::GemmRoutine<TransA, TransB>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
