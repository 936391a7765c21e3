// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_PTTRS_HPP
#define KOKKOSCONTRACT_DENSE_PTTRS_HPP

// Solves with the factors L D L^H of Pttrf.

#include <KokkosContract/dense/BandSolver.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Triangle>
struct PttrsRoutine {
  static constexpr Signature signature{"Pttrs", 2};
  template <Level L, class D, class E, class B, class Workspace = NoWorkspace>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const D& d, const E& e, const B& b,
                                             const Workspace& w = {}) {
    using S = BandSystem<1, E, B>;
    static_assert(
        is_shared<D> == is_shared<E> && operand_t<D>::rank == operand_t<E>::rank,
        "KokkosContract: Pttrs: d and e have one rank, and are both shared, or neither is");
    static_assert(is_pack<value_t<B>> || !is_pack<value_t<D>>,
                  "KokkosContract: a matrix of packs needs a right-hand side of packs");
    const auto diagonals = as_operand(d);
    const auto off = as_operand(e);
    constexpr int dimension = S::a_batch ? 1 : 0;
    const int n = diagonals.extent(dimension);
    const int problems = S::a_batch ? diagonals.extent(0) : 1;
    const auto operands = BandOperands<S, B, Workspace>::of(b, w);
    if (off.extent(dimension) != (n > 0 ? n - 1 : 0) || (S::a_batch && off.extent(0) != problems) ||
        !operands.fits(n, problems)) {
      return extents_disagree;
    }
    // e is below the diagonal, or above it.
    constexpr bool lower = std::is_same_v<Triangle, Uplo::Lower>;
    const auto sweep = [&]<BandDiagonal Kind, bool Reversed,
                           bool Conjugate>() KOKKOSCONTRACT_INLINE_LAMBDA {
      const auto rows = neighbours<Reversed, S::a_batch>(off, n);
      const auto diagonal = [diagonals, n](int z, int i)
                                KOKKOSCONTRACT_INLINE_LAMBDA -> const auto& {
        std::ptrdiff_t offset = (Reversed ? n - 1 - i : i) * diagonals.template stride<dimension>();
        if constexpr (S::a_batch) offset += z * diagonals.template stride<0>();
        return diagonals.data()[offset];
      };
      return BandSubstitution<Kind, Reversed, Conjugate, true, std::remove_const_t<decltype(rows)>,
                              std::remove_const_t<decltype(diagonal)>>{rows, diagonal};
    };
    operands.solve(level, sweep.template operator()<BandDiagonal::one, false, !lower>(),
                   sweep.template operator()<BandDiagonal::scales, true, lower>());
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
