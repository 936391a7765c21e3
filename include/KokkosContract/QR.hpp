// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_QR_HPP
#define KOKKOSCONTRACT_QR_HPP

#include <KokkosContract/dense/QR.hpp>
#include <KokkosContract/entry/Entry.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// A = Q R by Householder reflectors, in place. R is upper triangular (or trapezoidal), and Q = H_1
/// H_2 ... H_k with H_i = I - tau_i v_i v_i^H.
///
///     invoke(A, tau)    invoke(A, tau, work)    and the member first at the other levels
///
/// Shapes: A is m x n, and tau has k = min(m, n) elements of A's type. On return R is in A on and
/// above the diagonal, with a real diagonal. v_i has zeros, a 1 at i, and then the elements of A
/// below the diagonal in column i. That is LAPACK's format. work is not used; code from
/// KokkosBatched passes it.
///
/// Method: LAPACK's geqr2 and larfg. A + E = Q R, with each column of E small compared with that of
/// A. Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 19.3.
/// Columns whose norms overflow or underflow when squared are scaled. NaN propagates. Each lane of
/// a pack has its own reflectors.
///
/// Batch within the team: if A has rank 3, A and tau have a leading dimension, the batch.
///
/// A and tau are visible to all workers on return. Returns 0, or -1 without having written anything
/// if extents disagree.
template <Impl::AlgoTag Algorithm = Algo::Geqrf::Default>
struct SerialGeqrf : Impl::SerialEntry<Impl::GeqrfRoutine> {};

/// The lanes of one team thread work together. See SerialGeqrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Geqrf::Default>
struct VectorGeqrf : Impl::VectorEntry<Impl::GeqrfRoutine> {};

/// The threads of a team work together. See SerialGeqrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Geqrf::Default>
struct TeamGeqrf : Impl::TeamEntry<Impl::GeqrfRoutine> {};

/// All lanes of all threads of a team work together. See SerialGeqrf.
template <class Member, Impl::AlgoTag Algorithm = Algo::Geqrf::Default>
struct TeamVectorGeqrf : Impl::TeamVectorEntry<Impl::GeqrfRoutine> {};

/// C = op(Q) C (Side::Left) or C = C op(Q) (Side::Right), with op(Q) = Q, or Q^H for
/// Trans::ConjTranspose. For real matrices Trans::Transpose is the same. The name is Ormqr for
/// complex matrices, too.
///
///     invoke(A, tau, C)    invoke(A, tau, C, work)    and the member first at the other levels
///
/// Shapes: A and tau are those of SerialGeqrf, or hold fewer reflectors: A is m x n, and tau has k
/// <= min(m, n) elements. On the left C is m x p, or has m elements. On the right it is p x m. C
/// overlaps neither A nor tau.
///
/// Batch within the team: A has rank 3, and tau and C have a leading dimension, too. With shared(A)
/// and shared(tau), of rank 2 and 1, only C has it. Workers share the columns of C (the rows on the
/// right).
///
/// C is visible to all workers on return. Returns 0, or -1 without having written anything if
/// extents disagree.
template <Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Ormqr::Default>
struct SerialOrmqr : Impl::SerialEntry<Impl::OrmqrRoutine<Where, TransQ>> {};

/// The lanes of one team thread work together. See SerialOrmqr.
template <class Member, Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Ormqr::Default>
struct VectorOrmqr : Impl::VectorEntry<Impl::OrmqrRoutine<Where, TransQ>> {};

/// The threads of a team work together. See SerialOrmqr.
template <class Member, Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Ormqr::Default>
struct TeamOrmqr : Impl::TeamEntry<Impl::OrmqrRoutine<Where, TransQ>> {};

/// All lanes of all threads of a team work together. See SerialOrmqr.
template <class Member, Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Ormqr::Default>
struct TeamVectorOrmqr : Impl::TeamVectorEntry<Impl::OrmqrRoutine<Where, TransQ>> {};

/// Least squares: computes the x that minimises |A x - b|. A has full rank and at least as many
/// rows as columns.
///
///     invoke(A, tau, b)    invoke(A, tau, b, info)    and the member first at the other levels
///
/// Shapes: A is m x n with m >= n, and tau has n elements. b has m elements, or is m x p for p
/// right-hand sides. On return A and tau are as SerialGeqrf leaves them, and the first n rows of b
/// hold x. The squares of the other rows sum up to |A x - b|^2.
///
/// Method: QR, then a triangular solve. Source: N. J. Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., section 20.2.
///
/// Batch within the team: if A has rank 3, all operands have one more, leading dimension.
///
/// info: an int View with one entry per problem. It has rank 0 for one matrix and [batch] for a
/// batch; packs add one more dimension of the pack's length. Each entry is 0, or the 1-based index
/// of the first zero on the diagonal of R. This problem's x then holds infinities or NaN.
///
/// Returns the first non-zero info, the same in all workers, to whom the results are visible.
/// Returns -1 without having written anything if extents disagree.
template <Impl::AlgoTag Algorithm = Algo::Gels::Default>
struct SerialGels : Impl::SerialEntry<Impl::GelsRoutine> {};

/// The lanes of one team thread work together. See SerialGels.
template <class Member, Impl::AlgoTag Algorithm = Algo::Gels::Default>
struct VectorGels : Impl::VectorEntry<Impl::GelsRoutine> {};

/// The threads of a team work together. See SerialGels.
template <class Member, Impl::AlgoTag Algorithm = Algo::Gels::Default>
struct TeamGels : Impl::TeamEntry<Impl::GelsRoutine> {};

/// All lanes of all threads of a team work together. See SerialGels.
template <class Member, Impl::AlgoTag Algorithm = Algo::Gels::Default>
struct TeamVectorGels : Impl::TeamVectorEntry<Impl::GelsRoutine> {};

/// KokkosBatched's name of SerialGeqrf: invoke(A, t, w), with t for tau and a workspace that is not
/// used.
template <Impl::AlgoTag Algorithm = Algo::QR::Default>
struct SerialQR : Impl::SerialEntry<Impl::GeqrfRoutine> {};

/// The lanes of one team thread work together. See SerialQR.
template <class Member, Impl::AlgoTag Algorithm = Algo::QR::Default>
struct VectorQR : Impl::VectorEntry<Impl::GeqrfRoutine> {};

/// The threads of a team work together. See SerialQR.
template <class Member, Impl::AlgoTag Algorithm = Algo::QR::Default>
struct TeamQR : Impl::TeamEntry<Impl::GeqrfRoutine> {};

/// All lanes of all threads of a team work together. See SerialQR.
template <class Member, Impl::AlgoTag Algorithm = Algo::QR::Default>
struct TeamVectorQR : Impl::TeamVectorEntry<Impl::GeqrfRoutine> {};

/// KokkosBatched's name of SerialOrmqr: invoke(A, t, B, w), with t for tau and a workspace that is
/// not used.
template <Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::ApplyQ::Default>
struct SerialApplyQ : Impl::SerialEntry<Impl::OrmqrRoutine<Where, TransQ>> {};

/// The lanes of one team thread work together. See SerialApplyQ.
template <class Member, Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::ApplyQ::Default>
struct VectorApplyQ : Impl::VectorEntry<Impl::OrmqrRoutine<Where, TransQ>> {};

/// The threads of a team work together. See SerialApplyQ.
template <class Member, Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::ApplyQ::Default>
struct TeamApplyQ : Impl::TeamEntry<Impl::OrmqrRoutine<Where, TransQ>> {};

/// All lanes of all threads of a team work together. See SerialApplyQ.
template <class Member, Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::ApplyQ::Default>
struct TeamVectorApplyQ : Impl::TeamVectorEntry<Impl::OrmqrRoutine<Where, TransQ>> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
