// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_TBSV_HPP
#define KOKKOSCONTRACT_DENSE_TBSV_HPP

// A solve with a triangle of a band.

#include <KokkosContract/dense/BandSolver.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Triangle, class TransA, class Diagonal>
struct TbsvRoutine {
  static constexpr Signature signature{"Tbsv", 1};
  template <Level L, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const B& b, int k) {
    using S = BandSystem<2, A, B>;
    const BandStorage<operand_t<A>, S::a_batch> band{as_operand(a)};
    const auto operands = BandOperands<S, B, NoWorkspace>::of(b, {});
    if (k < 0 || band.diagonals() <= k || !operands.fits(band.cols(), band.batch())) {
      return extents_disagree;
    }
    constexpr BandDiagonal kind =
        std::is_same_v<Diagonal, Diag::Unit> ? BandDiagonal::one : BandDiagonal::divides;
    operands.solve(level, band_substitution<Triangle, TransA, kind, false>(band, 0, k));
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
