// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_GETRF_HPP
#define KOKKOSCONTRACT_DENSE_GETRF_HPP

// LU with partial pivoting: in lanes of a GPU (PivotedLanes.hpp), or in memory
// (PivotedEliminator.hpp).

#include <KokkosContract/dense/PivotedLanes.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

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
      eliminator.template by_rows<1>(level);
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
