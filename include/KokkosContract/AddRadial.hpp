// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_ADDRADIAL_HPP
#define KOKKOSCONTRACT_ADDRADIAL_HPP

#include <KokkosContract/dense/Elementwise.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Pushes the diagonal of A away from zero, in place: adds |tiny| to an element whose real part is
/// not negative, and -|tiny| to the others.
///
///     invoke(tiny, A)    and the member first at the other levels
///
/// Shapes: A is m x n, or a batch of such matrices with a leading dimension, of floating-point
/// elements. tiny is a number, or for packs a pack. A is visible to all workers on return.
/// Returns 0.
struct SerialAddRadial : Impl::SerialEntry<Impl::AddRadialRoutine> {};

/// The lanes of one team thread work together. See SerialAddRadial.
template <class Member>
struct VectorAddRadial : Impl::VectorEntry<Impl::AddRadialRoutine> {};

/// The threads of a team work together. See SerialAddRadial.
template <class Member>
struct TeamAddRadial : Impl::TeamEntry<Impl::AddRadialRoutine> {};

/// All lanes of all threads of a team work together. See SerialAddRadial.
template <class Member>
struct TeamVectorAddRadial : Impl::TeamVectorEntry<Impl::AddRadialRoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
