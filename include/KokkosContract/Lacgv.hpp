// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LACGV_HPP
#define KOKKOSCONTRACT_LACGV_HPP

#include <KokkosContract/dense/Elementwise.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Conjugates x in place. Real elements stay as they are.
///
///     invoke(x)    and the member first at the other levels
///
/// Shapes: x has any rank, extents and strides. x is visible to all workers on return. Returns 0.
struct SerialLacgv : Impl::SerialEntry<Impl::LacgvRoutine> {};

/// The lanes of one team thread work together. See SerialLacgv.
template <class Member>
struct VectorLacgv : Impl::VectorEntry<Impl::LacgvRoutine> {};

/// The threads of a team work together. See SerialLacgv.
template <class Member>
struct TeamLacgv : Impl::TeamEntry<Impl::LacgvRoutine> {};

/// All lanes of all threads of a team work together. See SerialLacgv.
template <class Member>
struct TeamVectorLacgv : Impl::TeamVectorEntry<Impl::LacgvRoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
