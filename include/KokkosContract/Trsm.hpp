// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TRSM_HPP
#define KOKKOSCONTRACT_TRSM_HPP

#include <KokkosContract/dense/Triangular.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Solves op(A) X = alpha * B (Side::Left) or X op(A) = alpha * B (Side::Right) for X in place of
/// B, with A triangular.
///
///     invoke(alpha, A, B)    and the member first at the other levels
///
/// Shapes: B is m x n. A is m x m on the left and n x n on the right. A batch within the team has B
/// of rank 3. Otherwise as SerialTrsv, column by column (row by row on the right).
///
/// Returns 0, or -1 without having written anything if extents disagree.
template <Impl::SideTag Where, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Trsm::Default>
struct SerialTrsm : Impl::SerialEntry<Impl::TrsmRoutine<Where, Triangle, TransA, Diagonal>> {};

/// The lanes of one team thread work together. See SerialTrsm.
template <class Member, Impl::SideTag Where, Impl::UploTag Triangle,
          Impl::TransTag TransA = Trans::NoTranspose, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trsm::Default>
struct VectorTrsm : Impl::VectorEntry<Impl::TrsmRoutine<Where, Triangle, TransA, Diagonal>> {};

/// The threads of a team work together. See SerialTrsm.
template <class Member, Impl::SideTag Where, Impl::UploTag Triangle,
          Impl::TransTag TransA = Trans::NoTranspose, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trsm::Default>
struct TeamTrsm : Impl::TeamEntry<Impl::TrsmRoutine<Where, Triangle, TransA, Diagonal>> {};

/// All lanes of all threads of a team work together. See SerialTrsm.
template <class Member, Impl::SideTag Where, Impl::UploTag Triangle,
          Impl::TransTag TransA = Trans::NoTranspose, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trsm::Default>
struct TeamVectorTrsm
    : Impl::TeamVectorEntry<Impl::TrsmRoutine<Where, Triangle, TransA, Diagonal>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
