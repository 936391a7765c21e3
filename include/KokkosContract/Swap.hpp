// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_SWAP_HPP
#define KOKKOSCONTRACT_SWAP_HPP

#include <KokkosContract/dense/Elementwise.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// x and y change their elements.
///
///     invoke(x, y)    and the member first at the other levels
///
/// Shapes: x and y have the same extents, of any rank, and elements of the same type. They do not
/// overlap.
///
/// x and y are visible to all workers on return. Returns 0, or -1 without having written anything
/// if extents disagree.
struct SerialSwap : Impl::SerialEntry<Impl::SwapRoutine> {};

/// The lanes of one team thread work together. See SerialSwap.
template <class Member>
struct VectorSwap : Impl::VectorEntry<Impl::SwapRoutine> {};

/// The threads of a team work together. See SerialSwap.
template <class Member>
struct TeamSwap : Impl::TeamEntry<Impl::SwapRoutine> {};

/// All lanes of all threads of a team work together. See SerialSwap.
template <class Member>
struct TeamVectorSwap : Impl::TeamVectorEntry<Impl::SwapRoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
