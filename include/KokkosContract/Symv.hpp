// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_SYMV_HPP
#define KOKKOSCONTRACT_SYMV_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Symv.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// y = alpha * A * x + beta * y with a symmetric A (Trans::Transpose) or a Hermitian one
/// (Trans::ConjTranspose), of which one triangle is read.
///
///     invoke(alpha, A, x, beta, y)    and the member first at the other levels
///
/// Shapes: A is n x n, x and y have n elements. A batch within the team has one more, leading
/// dimension in each, which an A or x in shared(...) lacks. y overlaps neither A nor x. The other
/// triangle is not read, nor are the imaginary parts of the diagonal of a Hermitian A. alpha == 0
/// does not read A and x, beta == 0 does not read y.
///
/// y is visible to all workers on return. Returns 0, or without having written anything -1 if
/// extents disagree, -5 if sums are integers and alpha or beta is not.
template <Impl::UploTag Triangle, Impl::TransTag TransA = Trans::Transpose>
struct SerialSymv : Impl::SerialEntry<Impl::SymvRoutine<Triangle, TransA>> {};

/// The lanes of one team thread work together. See SerialSymv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::Transpose>
struct VectorSymv : Impl::VectorEntry<Impl::SymvRoutine<Triangle, TransA>> {};

/// The threads of a team work together. See SerialSymv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::Transpose>
struct TeamSymv : Impl::TeamEntry<Impl::SymvRoutine<Triangle, TransA>> {};

/// All lanes of all threads of a team work together. See SerialSymv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::Transpose>
struct TeamVectorSymv : Impl::TeamVectorEntry<Impl::SymvRoutine<Triangle, TransA>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
