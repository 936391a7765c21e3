// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_SOLVELU_HPP
#define KOKKOSCONTRACT_IMPL_SOLVELU_HPP

// Solves and the inverse with the factors of LU: the triangular solves of Trsv and Trsm; on a GPU,
// of one right-hand side with up to 32 static rows, both in one go, between which it stays in
// registers: of a few lanes of a warp, or, for a batch of small factors in scratch memory, of one.

#include <KokkosContract/Impl/Factored.hpp>
#include <KokkosContract/Impl/Set.hpp>
#include <KokkosContract/Impl/Vectors.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

#if defined(KOKKOS_ENABLE_CUDA)
template <class A, class B>
struct LUSolver {
  const A& a;
  const B& b;

  using T = typename B::value_type;
  using Acc = accumulator_t<typename A::value_type, T>;
  static constexpr int n = static_cast<int>(A::static_rows);
  static constexpr LaneGrid grid = vector_grid<n>(A::unit_rows, B::is_interleaved);

  KOKKOS_FORCEINLINE_FUNCTION Acc element(int z, int i, int j) const {
    return convert<Acc>(a(z, i, j));
  }

  /// Where the reciprocal of a pivot does not serve.
  KOKKOS_FORCEINLINE_FUNCTION void by_quotients(int z) const {
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = 1; i < n; ++i) {
      Acc sum = convert<Acc>(b(z, i, 0));
      KOKKOSCONTRACT_NO_UNROLL
      for (int p = 0; p < i; ++p) sum = sum - element(z, i, p) * convert<Acc>(b(z, p, 0));
      b(z, i, 0) = convert<T>(sum);
    }
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = n - 1; i >= 0; --i) {
      Acc sum = convert<Acc>(b(z, i, 0));
      KOKKOSCONTRACT_NO_UNROLL
      for (int p = i + 1; p < n; ++p) sum = sum - element(z, i, p) * convert<Acc>(b(z, p, 0));
      b(z, i, 0) = convert<T>(sum / element(z, i, i));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void in_thread(int z) const {
    Acc x[n];
    Acc reciprocal[n];
    bool exact = true;
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < n; ++i) x[i] = convert<Acc>(b(z, i, 0));
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < n; ++i) reciprocal[i] = short_reciprocal(element(z, i, i), exact);
    if (!exact) return by_quotients(z);
    KOKKOSCONTRACT_UNROLL
    for (int i = 1; i < n; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int p = 0; p < i; ++p) x[i] = x[i] - element(z, i, p) * x[p];
    }
    KOKKOSCONTRACT_UNROLL
    for (int i = n - 1; i >= 0; --i) {
      KOKKOSCONTRACT_UNROLL
      for (int p = n - 1; p > i; --p) x[i] = x[i] - element(z, i, p) * x[p];
      x[i] = x[i] * reciprocal[i];
      b(z, i, 0) = convert<T>(x[i]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void in_lanes(const LaneGroup& group, int z) const {
    using M = WarpMatrix<Acc, n, A::unit_rows, grid>;
    const bool active = z >= 0;
    M m{group, {}};
    m.for_tile([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (active) x = element(z, i, j);
    });
    Acc x[M::tile_rows]{};
    m.for_rows([&](int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (active) x[r] = convert<Acc>(b(z, i, 0));
    });
    bool exact = true;
    invert_diagonal(m, exact);
    solve_tiles<Uplo::Lower, Diag::Unit>(m, x);
    if (m.col() != 0) {
      for (Acc& value : x) value = Acc(0);
    }
    solve_tiles<Uplo::Upper, Diag::NonUnit>(m, x);
    if (group.template any<M::lanes>(!exact)) {
      if (active && group.lane == 0) by_quotients(z);
      return;
    }
    m.for_rows([&](int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (active) b(z, i, 0) = convert<T>(x[r]);
    });
  }

  /// False, with nothing done, where there are no lanes for it.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool solve(const L& level) const {
    if constexpr (A::is_by_threads) {
      for_each(level, b.batch(), [&](std::ptrdiff_t z) KOKKOSCONTRACT_INLINE_LAMBDA {
        in_thread(static_cast<int>(z));
      });
    } else {
      if (!for_each_problem<grid.size(), B::is_interleaved>(
              level, b.batch(), [&](const LaneGroup& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
                in_lanes(group, z);
              })) {
        return false;
      }
    }
    level.barrier();
    return true;
  }
};
#endif

template <class TransA>
struct SolveLURoutine {
  static constexpr bool takes_batch = true;
  template <Level L, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const B& b) {
    require_output<B>();
    using F = Factored<A, B>;
    if (!F::extents_agree(a, b)) return extents_disagree;
#if defined(KOKKOS_ENABLE_CUDA)
    using MatrixA = Matrix<operand_t<A>, F::a_batch>;
    if constexpr (has_warps<L> && F::vector && !is_transposed<TransA> && !is_pack<value_t<B>> &&
                  MatrixA::static_rows > 0 && MatrixA::static_rows <= most_rows) {
      const MatrixA matrix{as_operand(a)};
      const auto rhs = F::right_hand_sides(b);
      if (LUSolver<MatrixA, decltype(rhs)>{matrix, rhs}.solve(level)) return 0;
    }
#endif
    if constexpr (is_transposed<TransA>) {
      F::template solve<Uplo::Upper, TransA, Diag::NonUnit>(level, a, b);
      F::template solve<Uplo::Lower, TransA, Diag::Unit>(level, a, b);
    } else {
      F::template solve<Uplo::Lower, TransA, Diag::Unit>(level, a, b);
      F::template solve<Uplo::Upper, TransA, Diag::NonUnit>(level, a, b);
    }
    return 0;
  }
};

/// The shape of matrices that lie row by row in the workspace: of their extents, and its strides.
template <int R>
constexpr Shape<R> workspace_shape(const Shape<R>& matrices, const Shape<R - 1>& workspace) {
  Shape<R> shape = matrices;
  const std::ptrdiff_t element = workspace.stride[R - 2];
  const std::ptrdiff_t cols = matrices.extent[R - 1];
  if (R == 3) shape.stride[0] = workspace.stride[0];
  shape.stride[R - 2] = element != dynamic && cols != dynamic ? element * cols : dynamic;
  shape.stride[R - 1] = element;
  return shape;
}

/// The inverse from the factors: they are copied to the workspace, and solved with for the columns
/// of the identity.
struct InverseLURoutine {
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
    int extent[rank]{};
    std::ptrdiff_t stride[rank]{};
    for (int d = 0; d < rank; ++d) extent[d] = matrix.extent(d);
    stride[rank - 2] = workspace.stride(rank - 2) * n;
    stride[rank - 1] = workspace.stride(rank - 2);
    if (rank == 3) stride[0] = workspace.stride(0);
    const strided_t<value_t<W>, workspace_shape(OpA::shape, OpW::shape)> factors(workspace.data(),
                                                                                 extent, stride);
    CopyRoutine<Trans::NoTranspose, rank>::run(level, matrix, factors);
    SetIdentityRoutine::run(level, matrix);
    return SolveLURoutine<Trans::NoTranspose>::run(level, factors, matrix);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
