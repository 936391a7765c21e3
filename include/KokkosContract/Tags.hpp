// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TAGS_HPP
#define KOKKOSCONTRACT_TAGS_HPP

#include <KokkosContract/Impl/Config.hpp>
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
  };
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
  struct Gesv : Choice {};
  struct Potrf : Choice {};
  struct Potrs : Choice {};
};

namespace Impl {

template <class T>
concept TransTag = std::is_same_v<T, Trans::NoTranspose> || std::is_same_v<T, Trans::Transpose> ||
                   std::is_same_v<T, Trans::ConjTranspose>;
template <class T>
concept UploTag = std::is_same_v<T, Uplo::Lower> || std::is_same_v<T, Uplo::Upper>;
template <class T>
concept SideTag = std::is_same_v<T, Side::Left> || std::is_same_v<T, Side::Right>;
template <class T>
concept DiagTag = std::is_same_v<T, Diag::Unit> || std::is_same_v<T, Diag::NonUnit>;
template <class T>
concept NormTag = std::is_same_v<T, Norm::One> || std::is_same_v<T, Norm::Infinity> ||
                  std::is_same_v<T, Norm::Frobenius> || std::is_same_v<T, Norm::Max>;
template <class T>
concept AlgoTag =
    std::is_same_v<T, Algo::Choice::Unblocked> || std::is_same_v<T, Algo::Choice::Blocked> ||
    std::is_same_v<T, Algo::Choice::Default>;

template <TransTag T>
inline constexpr bool is_transposed = !std::is_same_v<T, Trans::NoTranspose>;
template <TransTag T>
inline constexpr bool is_conjugated = std::is_same_v<T, Trans::ConjTranspose>;

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
