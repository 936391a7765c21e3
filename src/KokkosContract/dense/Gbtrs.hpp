// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_GBTRS_HPP
#define KOKKOSCONTRACT_DENSE_GBTRS_HPP

// Solves with the factors of Gbtrf: U is above L in their storage.

#include <KokkosContract/dense/BandSolver.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class TransA>
struct GbtrsRoutine {
  static constexpr Signature signature{"Gbtrs", 2};
  template <Level L, class A, class P, class B, class Workspace = NoWorkspace>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const P& ipiv, const B& b,
                                             int kl, int ku, const Workspace& w = {}) {
    using S = BandSystem<2, A, B>;
    static_assert(is_shared<P> == is_shared<A>,
                  "KokkosContract: Gbtrs: A and ipiv are both shared, or neither is");
    // A matrix of scalars has the same interchanges in all lanes of its right-hand sides.
    using AccA = accumulator_t<value_t<A>>;
    using AccP = std::conditional_t<is_pack<AccA>, typename S::Acc, AccA>;
    const BandStorage<operand_t<A>, S::a_batch> band{as_operand(a)};
    const Pivots<operand_t<P>, S::a_batch, AccP> pivots{as_operand(ipiv)};
    const auto operands = BandOperands<S, B, Workspace>::of(b, w);
    if (!band_fits_fill_in(band, kl, ku) || !pivots.fits(band.batch(), band.cols()) ||
        !operands.fits(band.cols(), band.batch())) {
      return extents_disagree;
    }
    constexpr bool transposed = is_transposed<TransA>;
    const int above = kl + ku;
    const auto lower = band.below_diagonal(above, kl);
    const BandInterchanges<transposed, is_conjugated<TransA>, std::remove_const_t<decltype(lower)>,
                           std::remove_const_t<decltype(pivots)>>
        by_l{lower, pivots};
    const auto by_u =
        band_substitution<Uplo::Upper, TransA, BandDiagonal::divides, false>(band, 0, above);
    if constexpr (transposed) {
      operands.solve(level, by_u, by_l);
    } else {
      operands.solve(level, by_l, by_u);
    }
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
