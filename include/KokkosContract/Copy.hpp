// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_COPY_HPP
#define KOKKOSCONTRACT_COPY_HPP

#include <KokkosContract/dense/Vectors.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// B = op(A), where the tag chooses op(A) = A, A^T or A^H.
///
///     invoke(A, B)    and the member first at the other levels
///
/// Shapes: without a transposition A and B have the same extents, of any rank. With a transposition
/// they are matrices, or of rank 3 with a leading batch dimension. They may also be vectors, which
/// ConjTranspose conjugates. An A in shared(...) lacks the leading dimension of B, and is copied to
/// each entry of it. A and B do not overlap. Element types may differ where one converts to the
/// other. Values are copied unchanged, NaN, infinities and signed zeros included. Rank is the rank
/// of A, for code from KokkosBatched that names it.
///
/// B is visible to all workers on return. Returns 0, or -1 without having written anything if
/// extents disagree.
template <Impl::TransTag TransA = Trans::NoTranspose, int Rank = -1>
struct SerialCopy : Impl::SerialEntry<Impl::CopyRoutine<TransA, Rank>> {};

/// The lanes of one team thread work together. See SerialCopy.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose, int Rank = -1>
struct VectorCopy : Impl::VectorEntry<Impl::CopyRoutine<TransA, Rank>> {};

/// The threads of a team work together. See SerialCopy.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose, int Rank = -1>
struct TeamCopy : Impl::TeamEntry<Impl::CopyRoutine<TransA, Rank>> {};

/// All lanes of all threads of a team work together. See SerialCopy.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose, int Rank = -1>
struct TeamVectorCopy : Impl::TeamVectorEntry<Impl::CopyRoutine<TransA, Rank>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
