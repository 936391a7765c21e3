// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TRSV_HPP
#define KOKKOSCONTRACT_TRSV_HPP

#include <KokkosContract/dense/Triangular.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Solves op(A) x = alpha * b for x in place of b, with A triangular.
///
///     invoke(alpha, A, b)    and the member first at the other levels
///
/// Shapes: A is n x n, and b has n elements. Only the triangle of A that Uplo names is read, and
/// with Diag::Unit not its diagonal. A does not overlap b. alpha == 0 gives x = 0, whatever A and b
/// hold. A zero in a lane of a pack alpha does so in that lane.
///
/// Method: forward (or backward) substitution. (op(A) + E) x = alpha b with |E| <= gamma_{n+1}
/// |op(A)|. Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section
/// 8.1. A zero on the diagonal gives infinities or NaN, as in BLAS: it is not tested for.
///
/// Batch within the team: if b has rank 2, A (unless shared(A)) and b have a leading dimension, the
/// batch. The workers are spread over it, too. Results are visible to all workers on return.
///
/// Returns 0, or -1 without having written anything if extents disagree.
template <Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Trsv::Default>
struct SerialTrsv : Impl::SerialEntry<Impl::TrsvRoutine<Triangle, TransA, Diagonal>> {};

/// The lanes of one team thread work together. See SerialTrsv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Trsv::Default>
struct VectorTrsv : Impl::VectorEntry<Impl::TrsvRoutine<Triangle, TransA, Diagonal>> {};

/// The threads of a team work together. See SerialTrsv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Trsv::Default>
struct TeamTrsv : Impl::TeamEntry<Impl::TrsvRoutine<Triangle, TransA, Diagonal>> {};

/// All lanes of all threads of a team work together. See SerialTrsv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Trsv::Default>
struct TeamVectorTrsv : Impl::TeamVectorEntry<Impl::TrsvRoutine<Triangle, TransA, Diagonal>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
