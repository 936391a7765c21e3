// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TRMM_HPP
#define KOKKOSCONTRACT_TRMM_HPP

#include <KokkosContract/dense/Trmm.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// B = alpha * op(A) * B (Side::Left) or B = alpha * B * op(A) (Side::Right), with A triangular.
///
///     invoke(alpha, A, B)    and the member first at the other levels
///
/// Shapes: B is m x n. A is m x m on the left and n x n on the right. Only the triangle that Uplo
/// names is read, and with Diag::Unit not its diagonal. A does not overlap B. alpha == 0 gives
/// zeros and reads neither. A zero in a lane of a pack alpha gives zeros in that lane, whatever A
/// and B hold.
///
/// Batch within the team: if B has rank 3, A has a leading dimension, too, unless it is shared(A).
/// Workers share the columns of B (the rows on the right). B is visible to all of them on return.
///
/// Returns 0, -1 if extents disagree, or -5 if elements are integers and alpha is not. A negative
/// code means that nothing was written.
template <Impl::SideTag Where, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Trmm::Default>
struct SerialTrmm : Impl::SerialEntry<Impl::TrmmRoutine<Where, Triangle, TransA, Diagonal>> {};

/// The lanes of one team thread work together. See SerialTrmm.
template <class Member, Impl::SideTag Where, Impl::UploTag Triangle,
          Impl::TransTag TransA = Trans::NoTranspose, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trmm::Default>
struct VectorTrmm : Impl::VectorEntry<Impl::TrmmRoutine<Where, Triangle, TransA, Diagonal>> {};

/// The threads of a team work together. See SerialTrmm.
template <class Member, Impl::SideTag Where, Impl::UploTag Triangle,
          Impl::TransTag TransA = Trans::NoTranspose, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trmm::Default>
struct TeamTrmm : Impl::TeamEntry<Impl::TrmmRoutine<Where, Triangle, TransA, Diagonal>> {};

/// All lanes of all threads of a team work together. See SerialTrmm.
template <class Member, Impl::SideTag Where, Impl::UploTag Triangle,
          Impl::TransTag TransA = Trans::NoTranspose, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trmm::Default>
struct TeamVectorTrmm
    : Impl::TeamVectorEntry<Impl::TrmmRoutine<Where, Triangle, TransA, Diagonal>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
