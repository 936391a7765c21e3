// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TAGS_HPP
#define KOKKOSCONTRACT_TAGS_HPP

#include <KokkosContract/core/Config.hpp>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

// The tags of the dense linear algebra routines, spelled as in KokkosBatched.

struct Trans {
  struct NoTranspose {};
  struct Transpose {};
  struct ConjTranspose {};
};

struct Uplo {
  struct Lower {};
  struct Upper {};
};

struct Side {
  struct Left {};
  struct Right {};
};

struct Diag {
  struct Unit {};
  struct NonUnit {};
};

/// Norms of a matrix.
struct Norm {
  struct One {};
  struct Infinity {};
  struct Frobenius {};
  struct Max {};
};

/// The algorithm asked for. The plan picks the loop order and the tiles from types and extents, so
/// that all three give the same result by the same code today; ported code keeps its tags.
struct Algo {
  struct Choice {
    struct Unblocked {};
    struct Blocked {};
    struct Default {};
    // Another library's implementations, for code from KokkosBatched.
    using MKL = Default;
    using CompactMKL = Default;
  };
  using Level2 = Choice;
  using Level3 = Choice;
  struct Gemm : Choice {};
  struct Gemv : Choice {};
  struct LU : Choice {};
  struct Trsv : Choice {};
  struct Trsm : Choice {};
  struct Trmm : Choice {};
  struct Trtri : Choice {};
  struct SolveLU : Choice {};
  struct InverseLU : Choice {};
  struct Geqrf : Choice {};
  struct Ormqr : Choice {};
  struct Gels : Choice {};
  struct QR : Choice {};
  struct ApplyQ : Choice {};
  struct Getrf : Choice {};
  struct Getrs : Choice {};
  struct Gesv : Choice {
    /// No interchanges of rows: another algorithm, with arguments and results of its own.
    struct NoPivoting {};
  };
  struct Potrf : Choice {};
  struct Potrs : Choice {};
};

namespace Impl {

/// The tag of this library for T: T itself, except for another library's tags, whose header
/// specialises this (KokkosKernels.hpp).
template <class T>
struct OwnTag {
  using type = T;
};
template <class T>
using own_tag_t = typename OwnTag<T>::type;

template <class T, class... Tags>
inline constexpr bool is_tag_of = (std::is_same_v<own_tag_t<T>, Tags> || ...);

template <class T>
concept TransTag = is_tag_of<T, Trans::NoTranspose, Trans::Transpose, Trans::ConjTranspose>;
template <class T>
concept UploTag = is_tag_of<T, Uplo::Lower, Uplo::Upper>;
template <class T>
concept SideTag = is_tag_of<T, Side::Left, Side::Right>;
template <class T>
concept DiagTag = is_tag_of<T, Diag::Unit, Diag::NonUnit>;
template <class T>
concept NormTag = is_tag_of<T, Norm::One, Norm::Infinity, Norm::Frobenius, Norm::Max>;
template <class T>
concept AlgoTag =
    is_tag_of<T, Algo::Choice::Unblocked, Algo::Choice::Blocked, Algo::Choice::Default>;
template <class T>
concept GesvAlgoTag = AlgoTag<T> || is_tag_of<T, Algo::Gesv::NoPivoting>;

/// A routine with the tags that it was named with as this library's: the only ones behind the
/// front.
template <class Routine>
struct OwnRoutine {
  using type = Routine;
};
template <template <class...> class Routine, class... Tags>
struct OwnRoutine<Routine<Tags...>> {
  using type = Routine<own_tag_t<Tags>...>;
};
template <template <class, int> class Routine, class Tag, int Rank>
struct OwnRoutine<Routine<Tag, Rank>> {
  using type = Routine<own_tag_t<Tag>, Rank>;
};
template <class Routine>
using own_routine_t = typename OwnRoutine<Routine>::type;

template <TransTag T>
inline constexpr bool is_transposed = !std::is_same_v<T, Trans::NoTranspose>;
template <TransTag T>
inline constexpr bool is_conjugated = std::is_same_v<T, Trans::ConjTranspose>;

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
