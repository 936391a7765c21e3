// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_KOKKOSKERNELS_HPP
#define KOKKOSCONTRACT_KOKKOSKERNELS_HPP

/// Kokkos Kernels' own tags and vectors as arguments of the routines, for programs that use Kokkos
/// Kernels, too. This header is not part of <KokkosContract.hpp>.
///
///   - KokkosBatched::Trans, Uplo, Side, Diag and Algo may stand where this library's tags do.
///     KokkosBlas' Trans and Algo are the same types. Each algorithm stands for the one that this
///     library has.
///   - Operands and scaling factors of KokkosBatched::Vector<SIMD<T>, L> may stand where those of
///     Pack<T, L> do. The memory is the same; nothing is copied. Elements lie at multiples of
///     alignof(Pack<T, L>), as in every View that allocates its memory. Kokkos Kernels' type may
///     not promise this. A pointer that is not aligned then ends the program with a message.
///
/// Include this header in every source that calls a routine in this way, before the first such
/// call. The compiler must find Kokkos Kernels 4.5 or newer; nothing of it is linked.

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

template <>
struct OwnTag<KokkosBatched::Direct::Forward> : OwnTagIs<Direct::Forward> {};
template <>
struct OwnTag<KokkosBatched::Direct::Backward> : OwnTagIs<Direct::Backward> {};

// In Kokkos Kernels, the algorithms of all routines are those of these two levels.
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
