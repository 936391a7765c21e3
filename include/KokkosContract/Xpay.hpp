// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_XPAY_HPP
#define KOKKOSCONTRACT_XPAY_HPP

#include <KokkosContract/dense/Elementwise.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// y = x + alpha * y.
///
///     invoke(alpha, x, y)    and the member first at the other levels
///
/// Shapes: x and y have the same extents, of any rank; an x in shared(...) is without the leading
/// dimension of y. x and y do not overlap. alpha is a number, or a View of rank 1: then it has an
/// entry for each index of the leading dimension of y, y_i = x_i + alpha_i * y_i. A y whose factor
/// is zero is not read.
///
/// y is visible to all workers on return. Returns 0, or without having written anything -1 if
/// extents disagree, -5 if sums are integers and alpha is not.
struct SerialXpay : Impl::SerialEntry<Impl::XpayRoutine> {};

/// The lanes of one team thread work together. See SerialXpay.
template <class Member>
struct VectorXpay : Impl::VectorEntry<Impl::XpayRoutine> {};

/// The threads of a team work together. See SerialXpay.
template <class Member>
struct TeamXpay : Impl::TeamEntry<Impl::XpayRoutine> {};

/// All lanes of all threads of a team work together. See SerialXpay.
template <class Member>
struct TeamVectorXpay : Impl::TeamVectorEntry<Impl::XpayRoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
