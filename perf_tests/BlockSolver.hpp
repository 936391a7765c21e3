// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_BLOCK_SOLVER_HPP
#define KOKKOSCONTRACT_PERF_BLOCK_SOLVER_HPP

// Common parts of the benchmarks of the block-tridiagonal solver on a host and on a GPU: the
// example's solver, and a system that can be factored again and again in place.

#include <utility>

#include "../example/interleaved_block_solver/BlockTridiagonal.hpp"

namespace perf {

using BlockWidths = std::integer_sequence<int, 3, 4, 6, 7, 8, 9, 11, 12, 13, 16>;

/// A = 0 and D = U, so that the factors are the system itself. The cost does not depend on the
/// numbers.
template <class ExecutionSpace, int N, int R, int L, class MemorySpace>
void make_own_factors(const ExecutionSpace& space,
                      const example::BlockTridiagonal<N, R, L, MemorySpace>& system) {
  Kokkos::deep_copy(space, system.A, 0.0);
  Kokkos::parallel_for(
      "own factors",
      Kokkos::RangePolicy<ExecutionSpace>(space, 0, system.packs() * system.blocks()),
      KOKKOS_LAMBDA(int t) {
        const int p = t / system.blocks(), k = t % system.blocks();
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j)
            for (int l = 0; l < L; ++l) {
              system.D(p, k, i, j)[l] = i == j ? 1.0 : (i < j ? 0.25 / N : 0.0);
              system.C(p, k, i, j)[l] = 0.25 / N;
            }
      });
  space.fence();
}

}  // namespace perf

#endif
