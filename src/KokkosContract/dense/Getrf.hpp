// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_GETRF_HPP
#define KOKKOSCONTRACT_DENSE_GETRF_HPP

// LU with partial pivoting: in lanes of a GPU (PivotedLanes.hpp), by the warps of its teams
// (BlockGetrf.hpp), or in memory (PivotedEliminator.hpp).

#include <KokkosContract/dense/BlockGetrf.hpp>
#include <KokkosContract/dense/PivotedLanes.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Factors all problems by the warps of a team. Returns false, and does nothing, if it may not.
/// `singular` is set in the workers that found a zero pivot.
template <Level L, class A, class P, class Acc>
KOKKOS_FORCEINLINE_FUNCTION bool factor_in_blocks(const L& level,
                                                  const PivotedEliminator<A, P, Acc>& eliminator,
                                                  bool& singular) {
  if constexpr (dense_choice<DenseRoutine::getrf, L, A>.way == DenseWay::blocks) {
    return BlockGetrf<A, P, Acc>{eliminator.lu.a, eliminator.pivots}.factor(level, singular);
  } else {
    return false;
  }
}

struct GetrfRoutine {
  static constexpr Signature signature{"Getrf", 0};
  static constexpr bool takes_batch = true;
  /// With a right-hand side: on a GPU, sets `solved` if it is replaced by the solution, for each
  /// problem whose pivots are not zero.
  template <Level L, class A, class P, class Info = NoInfo, class Rhs = NoRightHandSide>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const P& ipiv,
                                             const Info& info = {},
                                             [[maybe_unused]] const Rhs& rhs = {},
                                             [[maybe_unused]] bool* solved = nullptr) {
    using Op = operand_t<A>;
    using T = value_t<A>;
    using Acc = accumulator_t<T>;
    static_assert(Op::rank == 2 || Op::rank == 3,
                  "KokkosContract: Getrf: A must have rank 2, or 3 with a leading batch dimension");
    static_assert(!std::is_const_v<typename Op::value_type>,
                  "KokkosContract: Getrf: A is an operand of const elements");
    static_assert(!std::is_const_v<typename operand_t<P>::value_type>,
                  "KokkosContract: Getrf: ipiv is an operand of const elements");
    static_assert(!is_shared<A> && !is_shared<P>,
                  "KokkosContract: Getrf: A is factored in place and cannot be shared");
    static_assert(!std::is_integral_v<scalar_t<T>>,
                  "KokkosContract: Getrf needs a floating-point type");
    constexpr bool batch = Op::rank == 3;
    const Matrix<Op, batch> matrix{as_operand(a)};
    const Acc no_tiny(real_t<Acc>(0));
    const Eliminator<decltype(matrix), Acc> lu{matrix, no_tiny};
    const Pivots<operand_t<P>, batch, Acc> pivots{as_operand(ipiv)};
    if (!pivots.fits(matrix.batch(), lu.steps()) || !info_fits<Op, T>(info, matrix.batch())) {
      return extents_disagree;
    }

    const PivotedEliminator<decltype(matrix), decltype(pivots), Acc> eliminator{lu, pivots};
    constexpr int width = column_lanes<Acc, decltype(matrix)>();
    bool nonsingular = false;
    if constexpr (has_warps<L> && !is_pack<T>) {
      FirstInfo singular;
      if (factor_in_warps<Op>(level, eliminator, info, singular, rhs)) {
        if (solved != nullptr) *solved = true;
        return first_info(level, singular);
      }
      bool is_singular = false;
      if (!factor_in_blocks(level, eliminator, is_singular)) {
        eliminator.template by_rows<1>(level);
      } else if (!level.any(is_singular)) {
        put_no_infos<Op, T>(level, matrix.batch(), info);
        return 0;
      }
    } else if constexpr (runs_on_gpu<L>()) {
      eliminator.template by_rows<1>(level);  // short for one worker, too
    } else {
      nonsingular = eliminator.template factor_all<width>(level);
    }
    if constexpr (std::is_same_v<Info, NoInfo>) {
      if (nonsingular) return 0;
    }
    return report<Op, T>(level, matrix.batch(), info,
                         [&](int z, int l)
                             KOKKOSCONTRACT_INLINE_LAMBDA { return lu.first_zero_pivot(z, l); });
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
