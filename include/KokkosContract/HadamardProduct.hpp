// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HADAMARDPRODUCT_HPP
#define KOKKOSCONTRACT_HADAMARDPRODUCT_HPP

#include <KokkosContract/dense/Elementwise.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// V = X * Y in each element.
///
///     invoke(X, Y, V)    and the member first at the other levels
///
/// Shapes: X, Y and V have the same extents, of any rank; an input in shared(...) is without the
/// leading dimension of V. V may be X or Y itself, and overlaps neither otherwise.
///
/// V is visible to all workers on return. Returns 0, or -1 without having written anything if
/// extents disagree.
struct SerialHadamardProduct : Impl::SerialEntry<Impl::HadamardProductRoutine> {};

/// The lanes of one team thread work together. See SerialHadamardProduct.
template <class Member>
struct VectorHadamardProduct : Impl::VectorEntry<Impl::HadamardProductRoutine> {};

/// The threads of a team work together. See SerialHadamardProduct.
template <class Member>
struct TeamHadamardProduct : Impl::TeamEntry<Impl::HadamardProductRoutine> {};

/// All lanes of all threads of a team work together. See SerialHadamardProduct.
template <class Member>
struct TeamVectorHadamardProduct : Impl::TeamVectorEntry<Impl::HadamardProductRoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
