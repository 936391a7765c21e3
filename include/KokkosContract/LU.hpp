// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LU_HPP
#define KOKKOSCONTRACT_LU_HPP

#include <KokkosContract/dense/LU.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// A = L U without pivoting, in place. L is unit lower triangular (its diagonal is not stored), and
/// U is upper triangular.
///
///     invoke(A, tiny = 0)    invoke(A, info, tiny = 0)    and the member first at the other levels
///
/// Shapes: A is m x n, with any strides. |tiny| is added to each pivot, away from zero, before it
/// is used, as in KokkosBatched. This keeps a singular matrix factorable. A pack has its own tiny
/// per lane.
///
/// Method: Gaussian elimination in place. |A - L U| <= gamma_{n+1} |L| |U|, which is small only if
/// the matrix needs no pivoting (diagonally dominant, symmetric positive definite, ...). Source: N.
/// J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 9.3.
///
/// Batch within the team: if A has rank 3, its leading dimension is a batch of matrices.
///
/// info: an int View with one entry per problem. It has rank 0 for one matrix and [batch] for a
/// batch; packs add one more dimension of the pack's length. Each entry is 0, or the 1-based index
/// of the problem's first zero pivot. Its column is not divided by that pivot, and the
/// factorisation goes on, as LAPACK's does.
///
/// Returns the first non-zero info, the same in all workers, to whom the factors are visible.
/// Returns -1 without having written anything if info has the wrong extents.
template <Impl::AlgoTag Algorithm = Algo::LU::Default>
struct SerialLU : Impl::SerialEntry<Impl::LURoutine> {};

/// The lanes of one team thread work together. See SerialLU.
template <class Member, Impl::AlgoTag Algorithm = Algo::LU::Default>
struct VectorLU : Impl::VectorEntry<Impl::LURoutine> {};

/// The threads of a team work together. See SerialLU.
template <class Member, Impl::AlgoTag Algorithm = Algo::LU::Default>
struct TeamLU : Impl::TeamEntry<Impl::LURoutine> {};

/// All lanes of all threads of a team work together. See SerialLU.
template <class Member, Impl::AlgoTag Algorithm = Algo::LU::Default>
struct TeamVectorLU : Impl::TeamVectorEntry<Impl::LURoutine> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
