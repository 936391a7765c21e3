// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TBSV_HPP
#define KOKKOSCONTRACT_TBSV_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/Tbsv.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Solves op(A) x = b for x in place of b, with A triangular and banded.
///
///     invoke(A, b, k)    and the member first at the other levels
///
/// Shapes: A has k + 1 rows or more and n columns, any strides: the diagonals of an n x n matrix
/// with k of them beside the main one, as in BLAS's dtbsv. Its element (i, j) is A(i - j, j) for
/// Uplo::Lower, and A(k + i - j, j) for Uplo::Upper; with Diag::Unit the main diagonal is not read.
/// b has n elements, or is n x m for m right-hand sides. A does not overlap b. A matrix of scalars
/// may have right-hand sides of packs.
/// Method: substitution, with reciprocals of the diagonal where these are normal numbers; N. J.
/// Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 8.1. A zero on the
/// diagonal gives infinities or NaN, as in BLAS: it is not tested for.
///
/// Batch within the team: with A of rank 3 all operands have a leading dimension, the batch; or A
/// is shared(A), and b has it. Results are visible to all workers on return.
///
/// Returns 0, or -1 without having written anything if extents disagree.
template <Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Tbsv::Default>
struct SerialTbsv : Impl::SerialEntry<Impl::TbsvRoutine<Triangle, TransA, Diagonal>> {};

/// The lanes of one team thread work together. See SerialTbsv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Tbsv::Default>
struct VectorTbsv : Impl::VectorEntry<Impl::TbsvRoutine<Triangle, TransA, Diagonal>> {};

/// The threads of a team work together. See SerialTbsv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Tbsv::Default>
struct TeamTbsv : Impl::TeamEntry<Impl::TbsvRoutine<Triangle, TransA, Diagonal>> {};

/// All lanes of all threads of a team work together. See SerialTbsv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Tbsv::Default>
struct TeamVectorTbsv : Impl::TeamVectorEntry<Impl::TbsvRoutine<Triangle, TransA, Diagonal>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
