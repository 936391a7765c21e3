// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_NORM_HPP
#define KOKKOSCONTRACT_NORM_HPP

#include <KokkosContract/dense/Norm.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// The Euclidean norm of a vector, sqrt(sum |x_i|^2), without intermediate overflow or underflow.
/// The result is infinite only if it exceeds the largest number, or if an element is infinite. NaN
/// propagates. Source: E. Anderson, Algorithm 978: Safe scaling in the Level 1 BLAS, ACM TOMS 44
/// (2017).
///
///     invoke(x, result)    and the member first at the other levels
///
/// Shapes: x has n elements, and the result is 0 for n = 0. result is a View of rank 0 of real
/// numbers. For a vector of packs it holds packs of real numbers. Sums are accumulated in the wider
/// type of x and result. If x has rank 2, its leading dimension is a batch of vectors, and result
/// has rank 1 with an entry for each. result does not overlap x. One worker computes a problem.
///
/// The result is visible to all workers on return. Returns 0, or -1 without having written anything
/// if extents disagree.
struct SerialNrm2 : Impl::SerialEntry<Impl::NormRoutine<Norm::Frobenius, 1>> {};

/// The lanes of one team thread work together. See SerialNrm2.
template <class Member>
struct VectorNrm2 : Impl::VectorEntry<Impl::NormRoutine<Norm::Frobenius, 1>> {};

/// The threads of a team work together. See SerialNrm2.
template <class Member>
struct TeamNrm2 : Impl::TeamEntry<Impl::NormRoutine<Norm::Frobenius, 1>> {};

/// All lanes of all threads of a team work together. See SerialNrm2.
template <class Member>
struct TeamVectorNrm2 : Impl::TeamVectorEntry<Impl::NormRoutine<Norm::Frobenius, 1>> {};

/// The sum of |x_i|. For complex numbers it is the sum of |Re x_i| + |Im x_i|, as in BLAS.
/// Otherwise as SerialNrm2.
///
///     invoke(x, result)    and the member first at the other levels
struct SerialAsum : Impl::SerialEntry<Impl::NormRoutine<Impl::SumOfParts, 1>> {};

/// The lanes of one team thread work together. See SerialAsum.
template <class Member>
struct VectorAsum : Impl::VectorEntry<Impl::NormRoutine<Impl::SumOfParts, 1>> {};

/// The threads of a team work together. See SerialAsum.
template <class Member>
struct TeamAsum : Impl::TeamEntry<Impl::NormRoutine<Impl::SumOfParts, 1>> {};

/// All lanes of all threads of a team work together. See SerialAsum.
template <class Member>
struct TeamVectorAsum : Impl::TeamVectorEntry<Impl::NormRoutine<Impl::SumOfParts, 1>> {};

/// The index, from 0, of the first element of x with the largest |x_i|. For complex numbers the
/// largest |Re x_i| + |Im x_i| counts, as in BLAS, even where that sum overflows. The index is 0 if
/// x is empty. If elements are NaN, it is the index of the first NaN. Source: J. Demmel et al.,
/// Proposed consistent exception handling for the BLAS and LAPACK, arXiv:2207.09281 (2022).
///
///     invoke(x, index)    invoke(x)    and the member first at the other levels
///
/// Shapes: x has n elements, and index is an int View of rank 0. If x has rank 2, its leading
/// dimension is a batch of vectors, and index has rank 1. Without the argument index, x has rank 1,
/// and the index itself is returned, as by KokkosBatched. Packs are not supported. Otherwise as
/// SerialNrm2.
struct SerialIamax : Impl::SerialEntry<Impl::IamaxRoutine> {};

/// The lanes of one team thread work together. See SerialIamax.
template <class Member>
struct VectorIamax : Impl::VectorEntry<Impl::IamaxRoutine> {};

/// The threads of a team work together. See SerialIamax.
template <class Member>
struct TeamIamax : Impl::TeamEntry<Impl::IamaxRoutine> {};

/// All lanes of all threads of a team work together. See SerialIamax.
template <class Member>
struct TeamVectorIamax : Impl::TeamVectorEntry<Impl::IamaxRoutine> {};

/// A norm of a matrix, as LAPACK's lange:
///
///     Norm::One          the largest sum of |a_ij| over a column
///     Norm::Infinity     the largest sum of |a_ij| over a row
///     Norm::Frobenius    sqrt(sum |a_ij|^2), without intermediate overflow or underflow
///     Norm::Max          the largest |a_ij|
///
///     invoke(A, result)    and the member first at the other levels
///
/// Shapes: A is m x n, and result has rank 0. If A has rank 3, its leading dimension is a batch of
/// matrices, and result has rank 1. The norm of a matrix without elements is 0. NaN propagates.
/// Otherwise as SerialNrm2.
template <Impl::NormTag Kind>
struct SerialNorm : Impl::SerialEntry<Impl::NormRoutine<Kind, 2>> {};

/// The lanes of one team thread work together. See SerialNorm.
template <class Member, Impl::NormTag Kind>
struct VectorNorm : Impl::VectorEntry<Impl::NormRoutine<Kind, 2>> {};

/// The threads of a team work together. See SerialNorm.
template <class Member, Impl::NormTag Kind>
struct TeamNorm : Impl::TeamEntry<Impl::NormRoutine<Kind, 2>> {};

/// All lanes of all threads of a team work together. See SerialNorm.
template <class Member, Impl::NormTag Kind>
struct TeamVectorNorm : Impl::TeamVectorEntry<Impl::NormRoutine<Kind, 2>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
