// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_AXPY_HPP
#define KOKKOSCONTRACT_AXPY_HPP

#include <KokkosContract/dense/Vectors.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// y = alpha * x + y.
///
///     invoke(alpha, x, y)    and the member first at the other levels
///
/// Shapes: x and y have the same extents, of any rank, and do not overlap. An x in shared(...)
/// lacks the leading dimension of y. alpha is a number, or a View of rank 1. Such a View has an
/// entry for each index of the leading dimension of y: y_i = alpha_i * x_i + y_i. If the number
/// alpha is 0, x is not read.
///
/// y is visible to all workers on return. Returns 0, -1 if extents disagree, or -5 if sums are
/// integers and alpha is not. A negative code means that nothing was written.
struct SerialAxpy : Impl::SerialEntry<Impl::AxpyRoutine> {};

/// The lanes of one team thread work together. See SerialAxpy.
template <class Member>
struct VectorAxpy : Impl::VectorEntry<Impl::AxpyRoutine> {};

/// The threads of a team work together. See SerialAxpy.
template <class Member>
struct TeamAxpy : Impl::TeamEntry<Impl::AxpyRoutine> {};

/// All lanes of all threads of a team work together. See SerialAxpy.
template <class Member>
struct TeamVectorAxpy : Impl::TeamVectorEntry<Impl::AxpyRoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
