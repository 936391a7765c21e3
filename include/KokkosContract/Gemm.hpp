// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GEMM_HPP
#define KOKKOSCONTRACT_GEMM_HPP

#include <KokkosContract/dense/Gemm.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// C = alpha * op(A) * op(B) + beta * C, where the tags choose op(X) = X, X^T or X^H.
///
///     invoke(alpha, A, B, beta, C)    and the member first at the other levels
///
/// Shapes: op(A) is m x k, op(B) is k x n, C is m x n. The operands and rules are those of
/// SerialContract: any strides, and C overlaps no input. beta == 0 never reads C, and alpha == 0
/// reads no input. Any extent may be 0. The results are visible to all workers on return.
///
/// Batch within the team: if C has rank 3, every operand has a leading dimension, the batch, over
/// which the workers are spread, too. An input in `shared(A)` lacks this dimension and serves all
/// problems.
///
/// Returns 0, -1 if extents disagree, or -5 if sums are integers and alpha or beta is not. A
/// negative code means that nothing was written.
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
