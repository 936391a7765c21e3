// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DOT_HPP
#define KOKKOSCONTRACT_DOT_HPP

#include <KokkosContract/dense/Vectors.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// The inner product of two vectors, or of several pairs of vectors.
///
///     invoke(x, y, result)    and the member first at the other levels
///
///     NoTranspose      result = x^H y; the vectors of operands of rank 2 are the rows
///     Transpose        result = x^T y; the vectors are the columns
///     ConjTranspose    result = x^H y; the vectors are the columns
///
/// Shapes: x and y have n elements, and result has rank 0. Or x and y have rank 2, and result has
/// rank 1 with an entry for each pair of vectors. An input in shared(...) is one vector for all
/// pairs. x and y may be the same; result does not overlap them. Without elements the result is 0.
/// Packs have a result in each lane.
///
/// NoTranspose does the same as in KokkosBatched. KokkosBatched's Transpose conjugates, as
/// ConjTranspose does here.
///
/// The result is visible to all workers on return. Returns 0, or -1 without having written anything
/// if extents disagree.
template <Impl::TransTag TransX = Trans::NoTranspose>
struct SerialDot : Impl::SerialEntry<Impl::DotRoutine<TransX>> {};

/// The lanes of one team thread work together. See SerialDot.
template <class Member, Impl::TransTag TransX = Trans::NoTranspose>
struct VectorDot : Impl::VectorEntry<Impl::DotRoutine<TransX>> {};

/// The threads of a team work together. See SerialDot.
template <class Member, Impl::TransTag TransX = Trans::NoTranspose>
struct TeamDot : Impl::TeamEntry<Impl::DotRoutine<TransX>> {};

/// All lanes of all threads of a team work together. See SerialDot.
template <class Member, Impl::TransTag TransX = Trans::NoTranspose>
struct TeamVectorDot : Impl::TeamVectorEntry<Impl::DotRoutine<TransX>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
