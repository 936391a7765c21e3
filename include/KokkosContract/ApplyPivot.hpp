// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_APPLYPIVOT_HPP
#define KOKKOSCONTRACT_APPLYPIVOT_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Laswp.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Interchanges rows (Side::Left) or columns (Side::Right) by pivots that count from their own row:
/// Direct::Forward swaps row i with row i + p_i for i = 0, 1, ...; Direct::Backward does so from
/// the last i on, which undoes it.
///
///     invoke(p, A)    and the member first at the other levels
///
/// Shapes: A is m x n, or a vector of m elements. p has at most as many integers of 16 bits or more
/// as A has rows (or columns), none of which leads out of A; they are not checked. Packs and a
/// batch are as in SerialLaswp. Or p is one integer: then row 0 is swapped with row p, in all lanes
/// of packs. p and A do not overlap.
///
/// A is visible to all workers on return. Returns 0, or -1 without having written anything if
/// extents disagree.
template <Impl::SideTag Where = Side::Left, Impl::DirectTag Order = Direct::Forward>
struct SerialApplyPivot : Impl::SerialEntry<Impl::PivotRoutine<Where, Order, Impl::FromOwn>> {};

/// The lanes of one team thread work together. See SerialApplyPivot.
template <class Member, Impl::SideTag Where = Side::Left, Impl::DirectTag Order = Direct::Forward>
struct VectorApplyPivot : Impl::VectorEntry<Impl::PivotRoutine<Where, Order, Impl::FromOwn>> {};

/// The threads of a team work together. See SerialApplyPivot.
template <class Member, Impl::SideTag Where = Side::Left, Impl::DirectTag Order = Direct::Forward>
struct TeamApplyPivot : Impl::TeamEntry<Impl::PivotRoutine<Where, Order, Impl::FromOwn>> {};

/// All lanes of all threads of a team work together. See SerialApplyPivot.
template <class Member, Impl::SideTag Where = Side::Left, Impl::DirectTag Order = Direct::Forward>
struct TeamVectorApplyPivot
    : Impl::TeamVectorEntry<Impl::PivotRoutine<Where, Order, Impl::FromOwn>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
