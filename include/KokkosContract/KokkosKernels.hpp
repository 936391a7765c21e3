// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_KOKKOSKERNELS_HPP
#define KOKKOSCONTRACT_KOKKOSKERNELS_HPP

/// For programs that use Kokkos Kernels, too: with this header, which is not part of
/// <KokkosContract.hpp>, the routines take Kokkos Kernels' own tags and vectors.
///
///   - KokkosBatched::Trans, Uplo, Side, Diag and Algo (KokkosBlas' Trans and Algo are the same)
///     wherever this library's tags are. Each algorithm means the one that there is here.
///   - Operands whose elements are KokkosBatched::Vector<SIMD<T>, L>, and such scaling factors,
///     wherever those of Pack<T, L> are. The memory is the same; nothing is copied. Elements lie at
///     multiples of alignof(Pack<T, L>), as they do in every View that allocates its memory; where
///     Kokkos Kernels' type does not promise that, a pointer that is not aligned ends the program
///     with a message.
///
/// Include it in every source that calls a routine in this way, before the first such call.
/// Kokkos Kernels 4.5 or newer has to be found by the compiler; nothing of it is linked.

#include <KokkosBatched_Util.hpp>
#include <KokkosBatched_Vector.hpp>
#include <KokkosContract/Operand.hpp>
#include <KokkosContract/Pack.hpp>
#include <KokkosContract/Tags.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Own>
struct OwnTagIs {
  using type = Own;
};

template <>
struct OwnTag<KokkosBatched::Trans::NoTranspose> : OwnTagIs<Trans::NoTranspose> {};
template <>
struct OwnTag<KokkosBatched::Trans::Transpose> : OwnTagIs<Trans::Transpose> {};
template <>
struct OwnTag<KokkosBatched::Trans::ConjTranspose> : OwnTagIs<Trans::ConjTranspose> {};

template <>
struct OwnTag<KokkosBatched::Uplo::Lower> : OwnTagIs<Uplo::Lower> {};
template <>
struct OwnTag<KokkosBatched::Uplo::Upper> : OwnTagIs<Uplo::Upper> {};

template <>
struct OwnTag<KokkosBatched::Side::Left> : OwnTagIs<Side::Left> {};
template <>
struct OwnTag<KokkosBatched::Side::Right> : OwnTagIs<Side::Right> {};

template <>
struct OwnTag<KokkosBatched::Diag::Unit> : OwnTagIs<Diag::Unit> {};
template <>
struct OwnTag<KokkosBatched::Diag::NonUnit> : OwnTagIs<Diag::NonUnit> {};

// There, the algorithms of all routines are those of these two levels.
template <>
struct OwnTag<KokkosBatched::Algo::Level2::Unblocked> : OwnTagIs<Algo::Choice::Unblocked> {};
template <>
struct OwnTag<KokkosBatched::Algo::Level2::Blocked> : OwnTagIs<Algo::Choice::Blocked> {};
template <>
struct OwnTag<KokkosBatched::Algo::Level2::MKL> : OwnTagIs<Algo::Choice::Default> {};
template <>
struct OwnTag<KokkosBatched::Algo::Level2::CompactMKL> : OwnTagIs<Algo::Choice::Default> {};
template <>
struct OwnTag<KokkosBatched::Algo::Level3::Unblocked> : OwnTagIs<Algo::Choice::Unblocked> {};
template <>
struct OwnTag<KokkosBatched::Algo::Level3::Blocked> : OwnTagIs<Algo::Choice::Blocked> {};
template <>
struct OwnTag<KokkosBatched::Algo::Level3::MKL> : OwnTagIs<Algo::Choice::Default> {};
template <>
struct OwnTag<KokkosBatched::Algo::Level3::CompactMKL> : OwnTagIs<Algo::Choice::Default> {};

template <class T, int L>
struct OwnElement<KokkosBatched::Vector<KokkosBatched::SIMD<T>, L>> {
  using type = Pack<T, L>;
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
