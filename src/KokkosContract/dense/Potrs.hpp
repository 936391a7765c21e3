// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_POTRS_HPP
#define KOKKOSCONTRACT_DENSE_POTRS_HPP

// Solves with the factor of Potrf, by two triangular solves.

#include <KokkosContract/dense/Factored.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Triangle>
struct PotrsRoutine {
  static constexpr Signature signature{"Potrs", 1};
  static constexpr bool takes_batch = true;
  template <Level L, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const B& b) {
    using F = Factored<A, B>;
    if (!F::extents_agree(a, b)) return extents_disagree;
    constexpr bool lower = std::is_same_v<Triangle, Uplo::Lower>;
    using First = std::conditional_t<lower, Trans::NoTranspose, Trans::ConjTranspose>;
    using Second = std::conditional_t<lower, Trans::ConjTranspose, Trans::NoTranspose>;
    F::template solve_both<TriangularFactor<Triangle, First, Diag::NonUnit>,
                           TriangularFactor<Triangle, Second, Diag::NonUnit>>(level, a, b);
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
