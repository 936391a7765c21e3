// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LASWP_HPP
#define KOKKOSCONTRACT_LASWP_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Laswp.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Interchanges rows as LAPACK's laswp: Direct::Forward swaps row i with row ipiv_i for i = 0, 1,
/// ...; Direct::Backward does so from the last i on, which undoes it. The interchanges are those of
/// SerialGetrf.
///
///     invoke(ipiv, A)    and the member first at the other levels
///
/// Shapes: A is m x n, or a vector of m elements. ipiv has at most m integers of 16 bits or more,
/// from 0 to m - 1, which are not checked. For packs ipiv has one more, last dimension for the
/// lanes, each of which has its own interchanges. A batch within the team has one more, leading
/// dimension in both. ipiv and A do not overlap.
///
/// A is visible to all workers on return. Returns 0, or -1 without having written anything if
/// extents disagree.
template <Impl::DirectTag Order = Direct::Forward>
struct SerialLaswp : Impl::SerialEntry<Impl::PivotRoutine<Side::Left, Order, Impl::FromFirst>> {};

/// The lanes of one team thread work together. See SerialLaswp.
template <class Member, Impl::DirectTag Order = Direct::Forward>
struct VectorLaswp : Impl::VectorEntry<Impl::PivotRoutine<Side::Left, Order, Impl::FromFirst>> {};

/// The threads of a team work together. See SerialLaswp.
template <class Member, Impl::DirectTag Order = Direct::Forward>
struct TeamLaswp : Impl::TeamEntry<Impl::PivotRoutine<Side::Left, Order, Impl::FromFirst>> {};

/// All lanes of all threads of a team work together. See SerialLaswp.
template <class Member, Impl::DirectTag Order = Direct::Forward>
struct TeamVectorLaswp
    : Impl::TeamVectorEntry<Impl::PivotRoutine<Side::Left, Order, Impl::FromFirst>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
