// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_SYR_HPP
#define KOKKOSCONTRACT_SYR_HPP

#include <KokkosContract/dense/Syr.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// A = alpha * x * op(x) + A in one triangle of A, with op(x) = x^T (Trans::Transpose) or x^H
/// (Trans::ConjTranspose).
///
///     invoke(alpha, x, A)    and the member first at the other levels
///
/// Shapes: x has n elements, and A is n x n and does not overlap x. Only the triangle that Uplo
/// names is read and written. With x^H and a real alpha the imaginary parts of the diagonal become
/// zero, as in BLAS' zher. alpha is real if its imaginary part, where it has one, is zero. With
/// another alpha the update is not Hermitian, and the diagonal gets all of it. alpha == 0 changes
/// nothing.
///
/// Batch within the team: if A has rank 3, x has a leading dimension, too, unless it is shared(x).
/// A is visible to all workers on return.
///
/// Returns 0, -1 if extents disagree, or -5 if elements are integers and alpha is not. A negative
/// code means that nothing was written.
template <Impl::UploTag Triangle, Impl::TransTag TransX = Trans::Transpose>
struct SerialSyr : Impl::SerialEntry<Impl::SyrRoutine<Triangle, TransX>> {};

/// The lanes of one team thread work together. See SerialSyr.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransX = Trans::Transpose>
struct VectorSyr : Impl::VectorEntry<Impl::SyrRoutine<Triangle, TransX>> {};

/// The threads of a team work together. See SerialSyr.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransX = Trans::Transpose>
struct TeamSyr : Impl::TeamEntry<Impl::SyrRoutine<Triangle, TransX>> {};

/// All lanes of all threads of a team work together. See SerialSyr.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransX = Trans::Transpose>
struct TeamVectorSyr : Impl::TeamVectorEntry<Impl::SyrRoutine<Triangle, TransX>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
