// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GEMV_HPP
#define KOKKOSCONTRACT_GEMV_HPP

#include <KokkosContract/dense/Gemm.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// y = alpha * op(A) * x + beta * y, where the tag chooses op(A) = A, A^T or A^H.
///
///     invoke(alpha, A, x, beta, y)    and the member first at the other levels
///
/// Shapes: op(A) is m x n, x has n elements, y has m. Operands, rules and return values are those
/// of SerialGemm. A batch within the team has y of rank 2; inputs in shared(...) lack the leading
/// dimension.
template <Impl::TransTag TransA = Trans::NoTranspose, Impl::AlgoTag Algorithm = Algo::Gemv::Default>
struct SerialGemv : Impl::SerialEntry<Impl::GemvRoutine<TransA>> {};

/// The lanes of one team thread work together. See SerialGemv.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gemv::Default>
struct VectorGemv : Impl::VectorEntry<Impl::GemvRoutine<TransA>> {};

/// The threads of a team work together. See SerialGemv.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gemv::Default>
struct TeamGemv : Impl::TeamEntry<Impl::GemvRoutine<TransA>> {};

/// All lanes of all threads of a team work together. See SerialGemv.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gemv::Default>
struct TeamVectorGemv : Impl::TeamVectorEntry<Impl::GemvRoutine<TransA>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
