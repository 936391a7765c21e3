// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TAGS_HPP
#define KOKKOSCONTRACT_TAGS_HPP

#include <KokkosContract/core/Config.hpp>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

// The tags of the dense linear algebra routines, spelled as in KokkosBatched.

/// The operation on an input, op(A).
struct Trans {
  struct NoTranspose {};    ///< op(A) = A
  struct Transpose {};      ///< op(A) = A^T
  struct ConjTranspose {};  ///< op(A) = A^H, which is A^T for real elements
};

/// The triangle of a matrix that is read, or read and written; the other one is not touched.
struct Uplo {
  struct Lower {};  ///< on and below the diagonal
  struct Upper {};  ///< on and above the diagonal
};

/// The side of op(A) in a product or a system.
struct Side {
  struct Left {};   ///< op(A) B
  struct Right {};  ///< B op(A)
};

/// The diagonal of a triangular matrix.
struct Diag {
  struct Unit {};     ///< is not read and taken as 1
  struct NonUnit {};  ///< is read
};

/// The order of interchanges.
struct Direct {
  struct Forward {};   ///< from the first to the last
  struct Backward {};  ///< from the last to the first, which undoes Forward
};

/// Norms of a matrix.
struct Norm {
  struct One {};        ///< the largest sum of |a_ij| over a column
  struct Infinity {};   ///< the largest sum of |a_ij| over a row
  struct Frobenius {};  ///< sqrt(sum |a_ij|^2)
  struct Max {};        ///< the largest |a_ij|
};

/// Stands for the type of an input of TileSlices that the kernel computes.
struct Computed {};

/// The requested algorithm. The plan derives the loop order and the tiles from types and extents.
/// All three tags give the same result by the same code today, so ported code keeps its tags.
struct Algo {
  struct Choice {
    struct Unblocked {};
    struct Blocked {};
    struct Default {};
    // Another library's implementations, for code written for KokkosBatched.
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
    /// Without interchanges of rows. This is another algorithm, with its own arguments and results.
    struct NoPivoting {};
  };
  struct Potrf : Choice {};
  struct Potrs : Choice {};
  struct Pttrf : Choice {};
  struct Pttrs : Choice {};
  struct Pbtrf : Choice {};
  struct Pbtrs : Choice {};
  struct Gbtrf : Choice {};
  struct Gbtrs : Choice {};
  struct Tbsv : Choice {};
};

namespace Impl {

/// The tag of this library for T: T itself, except for another library's tags. The header for those
/// specialises this template (KokkosKernels.hpp).
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
concept DirectTag = is_tag_of<T, Direct::Forward, Direct::Backward>;
template <class T>
concept NormTag = is_tag_of<T, Norm::One, Norm::Infinity, Norm::Frobenius, Norm::Max>;
template <class T>
concept AlgoTag =
    is_tag_of<T, Algo::Choice::Unblocked, Algo::Choice::Blocked, Algo::Choice::Default>;
template <class T>
concept GesvAlgoTag = AlgoTag<T> || is_tag_of<T, Algo::Gesv::NoPivoting>;

/// A routine with this library's tags in place of the tags that it was named with. The
/// implementation sees only these.
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
