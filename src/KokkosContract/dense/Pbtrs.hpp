// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_PBTRS_HPP
#define KOKKOSCONTRACT_DENSE_PBTRS_HPP

// Solves with the factor of Pbtrf.

#include <KokkosContract/dense/BandSolver.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Triangle>
struct PbtrsRoutine {
  static constexpr Signature signature{"Pbtrs", 1};
  template <Level L, class A, class B, class Workspace = NoWorkspace>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const B& b,
                                             const Workspace& w = {}) {
    using S = BandSystem<2, A, B>;
    const BandStorage<operand_t<A>, S::a_batch> band{as_operand(a)};
    const auto operands = BandOperands<S, B, Workspace>::of(b, w);
    if (band.diagonals() < 1 || !operands.fits(band.cols(), band.batch())) return extents_disagree;
    constexpr bool lower = std::is_same_v<Triangle, Uplo::Lower>;
    using First = std::conditional_t<lower, Trans::NoTranspose, Trans::ConjTranspose>;
    using Second = std::conditional_t<lower, Trans::ConjTranspose, Trans::NoTranspose>;
    constexpr BandDiagonal divides = BandDiagonal::divides;
    const int width = band.diagonals() - 1;
    operands.solve(level, band_substitution<Triangle, First, divides, true>(band, 0, width),
                   band_substitution<Triangle, Second, divides, true>(band, 0, width));
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
