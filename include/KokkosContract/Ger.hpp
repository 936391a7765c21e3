// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GER_HPP
#define KOKKOSCONTRACT_GER_HPP

#include <KokkosContract/dense/Vectors.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// A = alpha * x * op(y) + A, a rank-1 update, with op(y) = y^T (Trans::Transpose) or y^H
/// (Trans::ConjTranspose).
///
///     invoke(alpha, x, y, A)    and the member first at the other levels
///
/// Shapes: x has m elements, y has n, A is m x n and overlaps neither. alpha == 0 reads neither.
///
/// Batch within the team: if A has rank 3, every operand has a leading dimension, except inputs in
/// shared(...). A is visible to all workers on return.
///
/// Returns 0, -1 if extents disagree, or -5 if sums are integers and alpha is not. A negative code
/// means that nothing was written.
template <Impl::TransTag TransY = Trans::Transpose>
struct SerialGer : Impl::SerialEntry<Impl::GerRoutine<TransY>> {};

/// The lanes of one team thread work together. See SerialGer.
template <class Member, Impl::TransTag TransY = Trans::Transpose>
struct VectorGer : Impl::VectorEntry<Impl::GerRoutine<TransY>> {};

/// The threads of a team work together. See SerialGer.
template <class Member, Impl::TransTag TransY = Trans::Transpose>
struct TeamGer : Impl::TeamEntry<Impl::GerRoutine<TransY>> {};

/// All lanes of all threads of a team work together. See SerialGer.
template <class Member, Impl::TransTag TransY = Trans::Transpose>
struct TeamVectorGer : Impl::TeamVectorEntry<Impl::GerRoutine<TransY>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
