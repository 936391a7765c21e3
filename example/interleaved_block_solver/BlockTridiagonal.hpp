// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Systems whose unknowns are on lines, with a small block for each pair of neighbours: block Thomas
// without pivoting. Entry p of a View holds a pack of lines. A host computes in SIMD registers of
// them. A GPU has one line in each vector lane, and the threads of a team share its blocks.

#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/PackAccess.hpp>
#include <KokkosContract/Trsm.hpp>
#include <Kokkos_Core.hpp>

namespace example {

/// A_k x_k-1 + D_k x_k + C_k x_k+1 = b_k in block k of each line: N x N blocks, R right-hand sides,
/// packs of L lines in memory of MemorySpace. A of the first block and C of the last are not used.
template <int N, int R, int L, class MemorySpace>
struct BlockTridiagonal {
  using Pack = KokkosContract::Pack<double, L>;
  using Matrices = Kokkos::View<Pack** [N][N], Kokkos::LayoutRight, MemorySpace>;
  using Vectors = Kokkos::View<Pack** [N][R], Kokkos::LayoutRight, MemorySpace>;

  Matrices A, D, C;  // (pack of lines, block, row, column)
  Vectors x;         // (pack of lines, block, row, right-hand side): b before, the solution after

  BlockTridiagonal(int packs, int blocks)
      : A("A", packs, blocks),
        D("D", packs, blocks),
        C("C", packs, blocks),
        x("x", packs, blocks) {}

  KOKKOS_FUNCTION int packs() const { return D.extent_int(0); }
  KOKKOS_FUNCTION int blocks() const { return D.extent_int(1); }

  /// Block k of pack p, by address: a subview would cost more than a product of 3 x 3 blocks.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static auto block(const V& view, int p, int k) {
    constexpr int columns = V::static_extent(3);
    return KokkosContract::fix_packed<N, columns>(
        Kokkos::View<Pack[N][columns], Kokkos::LayoutRight, MemorySpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&view(p, k, 0, 0)));
  }

  // [factor]
  /// D_k = L_k U_k, C_k = L_k^-1 C_k, A_k+1 = A_k+1 U_k^-1, D_k+1 = D_k+1 - A_k+1 C_k, in place.
  /// Returns 0, or the index of a zero pivot in its block.
  template <class Member>
  KOKKOS_FUNCTION int factor(const Member& team, int p) const {
    using namespace KokkosContract;
    using None = Trans::NoTranspose;
    int info = 0;
    for (int k = 0; k < blocks(); ++k) {
      const auto D_k = block(D, p, k);
      const int code = TeamLU<Member>::invoke(team, D_k);
      if (info == 0) info = code;
      if (k + 1 == blocks()) break;
      const auto C_k = block(C, p, k), A_next = block(A, p, k + 1), D_next = block(D, p, k + 1);
      require_success(
          TeamTrsm<Member, Side::Left, Uplo::Lower, None, Diag::Unit>::invoke(team, 1.0, D_k, C_k));
      require_success(TeamTrsm<Member, Side::Right, Uplo::Upper, None, Diag::NonUnit>::invoke(
          team, 1.0, D_k, A_next));
      require_success(TeamGemm<Member, None, None>::invoke(team, -1.0, A_next, C_k, 1.0, D_next));
    }
    return info;
  }
  // [/factor]

  // [solve]
  /// Solves with the result of factor: down the line, then up.
  template <class Member>
  KOKKOS_FUNCTION void solve(const Member& team, int p) const {
    using namespace KokkosContract;
    using None = Trans::NoTranspose;
    using Update = TeamGemm<Member, None, None>;
    using Forward = TeamTrsm<Member, Side::Left, Uplo::Lower, None, Diag::Unit>;
    using Backward = TeamTrsm<Member, Side::Left, Uplo::Upper, None, Diag::NonUnit>;
    const int last = blocks() - 1;
    for (int k = 0; k <= last; ++k) {
      const auto x_k = block(x, p, k);
      if (k > 0)
        require_success(Update::invoke(team, -1.0, block(A, p, k), block(x, p, k - 1), 1.0, x_k));
      require_success(Forward::invoke(team, 1.0, block(D, p, k), x_k));
    }
    for (int k = last; k >= 0; --k) {
      const auto x_k = block(x, p, k);
      if (k < last)
        require_success(Update::invoke(team, -1.0, block(C, p, k), block(x, p, k + 1), 1.0, x_k));
      require_success(Backward::invoke(team, 1.0, block(D, p, k), x_k));
    }
  }
  // [/solve]

  /// Operations for a block of a line: the n^3 terms of the factorisation and the n^2 terms of the
  /// solution.
  static constexpr double factor_flops() { return (2.0 / 3 + 1 + 1 + 2) * N * N * N; }
  static constexpr double solve_flops() { return 8.0 * N * N * R; }

  /// Bytes for a block of a line: all data, and the data that must move with perfect caches. Each
  /// input is then read once and each output written once.
  static constexpr double bytes() { return (3.0 * N * N + N * R) * sizeof(double); }
  static constexpr double factor_bytes() { return 2 * 3.0 * N * N * sizeof(double); }
  static constexpr double solve_bytes() { return (3.0 * N * N + 2.0 * N * R) * sizeof(double); }

  // --- A diagonally dominant system for tests.

  enum class Part { A, D, C, b };

  KOKKOS_FUNCTION static double element(Part part, int line, int k, int i, int j) {
    unsigned hash = 4u * static_cast<unsigned>(line) + static_cast<unsigned>(part);
    for (const int index : {k, i, j}) {
      hash = (hash ^ static_cast<unsigned>(index)) * 2654435761u;
      hash ^= hash >> 15;
    }
    const double number = 2.0 * hash / 4294967296.0 - 1;  // in [-1, 1)
    if (part == Part::b) return number;
    return number / N + (part == Part::D && i == j ? 4 : 0);
  }

  /// Each lane gets its own lines.
  template <class ExecutionSpace>
  void fill(const ExecutionSpace& space) const {
    const BlockTridiagonal system = *this;
    Kokkos::parallel_for(
        "fill", Kokkos::RangePolicy<ExecutionSpace>(space, 0, packs() * L),
        KOKKOS_LAMBDA(int line) {
          const int p = line / L, l = line % L;
          for (int k = 0; k < system.blocks(); ++k)
            for (int i = 0; i < N; ++i) {
              for (int j = 0; j < N; ++j) {
                system.A(p, k, i, j)[l] = element(Part::A, line, k, i, j);
                system.D(p, k, i, j)[l] = element(Part::D, line, k, i, j);
                system.C(p, k, i, j)[l] = element(Part::C, line, k, i, j);
              }
              for (int r = 0; r < R; ++r) system.x(p, k, i, r)[l] = element(Part::b, line, k, i, r);
            }
        });
  }

  /// The largest component of b - M x, with entries of order 1, if x is the solution of the system
  /// that fill has made. NaN propagates.
  template <class ExecutionSpace>
  double residual(const ExecutionSpace& space) const {
    const BlockTridiagonal system = *this;
    double worst = 0;
    Kokkos::parallel_reduce(
        "residual", Kokkos::RangePolicy<ExecutionSpace>(space, 0, packs() * L),
        KOKKOS_LAMBDA(int line, double& most) {
          const int p = line / L, l = line % L;
          const auto& solution = system.x;
          for (int k = 0; k < system.blocks(); ++k)
            for (int i = 0; i < N; ++i)
              for (int r = 0; r < R; ++r) {
                double sum = element(Part::b, line, k, i, r);
                for (int j = 0; j < N; ++j) {
                  sum -= element(Part::D, line, k, i, j) * solution(p, k, j, r)[l];
                  if (k > 0) sum -= element(Part::A, line, k, i, j) * solution(p, k - 1, j, r)[l];
                  if (k + 1 < system.blocks())
                    sum -= element(Part::C, line, k, i, j) * solution(p, k + 1, j, r)[l];
                }
                if (!(Kokkos::abs(sum) <= most)) most = Kokkos::abs(sum);
              }
        },
        Kokkos::Max<double>(worst));
    return worst;
  }
};

}  // namespace example
