// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_SOLVELU_HPP
#define KOKKOSCONTRACT_DENSE_SOLVELU_HPP

// Solves and the inverse with the factors of LU.

#include <KokkosContract/dense/Factored.hpp>
#include <KokkosContract/dense/Set.hpp>
#include <KokkosContract/dense/Trtri.hpp>
#include <KokkosContract/dense/Vectors.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The triangles that LU and Getrf leave, in the order in which op(A) x = b is solved with them.
template <class TransA>
struct LUFactors {
  using L = TriangularFactor<Uplo::Lower, TransA, Diag::Unit>;
  using U = TriangularFactor<Uplo::Upper, TransA, Diag::NonUnit>;
  using First = std::conditional_t<is_transposed<TransA>, U, L>;
  using Second = std::conditional_t<is_transposed<TransA>, L, U>;
};

template <class TransA>
struct SolveLURoutine {
  static constexpr Signature signature{"SolveLU", 1};
  static constexpr bool takes_batch = true;
  template <Level L, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const B& b) {
    require_output<B>();
    using F = Factored<A, B>;
    if (!F::extents_agree(a, b)) return extents_disagree;
    using Factors = LUFactors<TransA>;
    F::template solve_both<typename Factors::First, typename Factors::Second>(level, a, b);
    return 0;
  }
};

/// The shape of matrices that are stored row by row in the workspace. It has their extents, and the
/// workspace's strides.
template <int R>
consteval StaticShape<R> workspace_shape(const StaticShape<R>& matrices,
                                         const StaticShape<R - 1>& workspace) {
  StaticShape<R> shape = matrices;
  const std::ptrdiff_t element = workspace.stride[R - 2];
  const std::ptrdiff_t cols = matrices.extent[R - 1];
  if (R == 3) shape.stride[0] = workspace.stride[0];
  shape.stride[R - 2] = element != dynamic && cols != dynamic ? element * cols : dynamic;
  shape.stride[R - 1] = element;
  return shape;
}

/// Computes the inverse from the factors, which are copied to the workspace. It inverts L, and then
/// solves U X = L^-1. On a GPU, up to 32 static rows, all matrices stay in registers, and the
/// columns of the identity are right-hand sides for solves with the factors.
struct InverseLURoutine {
  static constexpr Signature signature{"InverseLU", 0};
  static constexpr bool takes_batch = true;
  template <Level L, class A, class W>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const W& w) {
    require_output<A>();
    require_output<W>();
    using OpA = operand_t<A>;
    using OpW = operand_t<W>;
    constexpr int rank = OpA::rank;
    static_assert(rank == 2 || rank == 3,
                  "KokkosContract: InverseLU: A must have rank 2, or 3 with a leading batch "
                  "dimension");
    static_assert(OpW::rank == rank - 1,
                  "KokkosContract: InverseLU: the workspace has rank 1, or 2 with a leading batch "
                  "dimension");
    static_assert(std::is_same_v<value_t<A>, value_t<W>>,
                  "KokkosContract: InverseLU: the workspace has elements of another type than A");
    const OpA matrix = as_operand(a);
    const OpW workspace = as_operand(w);
    const int n = matrix.extent(rank - 1);
    if (matrix.extent(rank - 2) != n || workspace.extent(rank - 2) < n * n ||
        (rank == 3 && workspace.extent(0) != matrix.extent(0))) {
      return extents_disagree;
    }
    if (in_warps(level, matrix, workspace)) return 0;
    int extent[rank]{};
    std::ptrdiff_t stride[rank]{};
    for (int d = 0; d < rank; ++d) extent[d] = matrix.extent(d);
    stride[rank - 2] = workspace.stride(rank - 2) * n;
    stride[rank - 1] = workspace.stride(rank - 2);
    if (rank == 3) stride[0] = workspace.stride(0);
    const strided_t<value_t<W>, workspace_shape(OpA::shape, OpW::shape)> factors(workspace.data(),
                                                                                 extent, stride);
    CopyRoutine<Trans::NoTranspose, rank>::run(level, matrix, factors);
    // U X = L^-1 is solved. The zeros of L^-1 are not computed.
    using T = value_t<A>;
    for_each_element(level, matrix, [&](T& x, const auto& index) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int i = index[rank - 2];
      const int j = index[rank - 1];
      if (i <= j) x = convert<T>(real_t<T>(i == j ? 1 : 0));
    });
    TrtriRoutine<Uplo::Lower, Diag::Unit>::run(level, matrix);
    return TrsmRoutine<Side::Left, Uplo::Upper, Trans::NoTranspose, Diag::NonUnit>::run(
        level, real_t<T>(1), factors, matrix);
  }

 private:
  /// Returns false, and does nothing, if there are no lanes for it, or there is no room.
  template <Level L, class OpA, class OpW>
  KOKKOS_FORCEINLINE_FUNCTION static bool in_warps(const L& level, const OpA& a, const OpW& w) {
    constexpr bool batch = OpA::rank == 3;
    using Factors = LUFactors<Trans::NoTranspose>;
    using Solver = FactorSolver<typename Factors::First, typename Factors::Second, OpA, batch, OpA,
                                batch, NoInterchanges>;
    if constexpr (Solver::template choice<L, false>.way != DenseWay::lanes) {
      return false;
    } else {
      using Acc = typename Solver::Acc;
      const Solver solver(a, a, {});
      return solver.columns_in_lanes(
          level,
          [](int, int i, int j)
              KOKKOSCONTRACT_INLINE_LAMBDA { return Acc(real_t<Acc>(i == j ? 1 : 0)); },
          [&](const auto& group, int z, const auto& columns) KOKKOSCONTRACT_INLINE_LAMBDA {
            if (group.lane != 0 || columns.end == 0) return;
            run(SerialLevel{}, problem_if<batch>(a, z), problem_if<batch>(w, z));
          });
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
