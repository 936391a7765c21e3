// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many lines of a block-tridiagonal system (block Thomas), interleaved: entry p of a View holds a
// pack of lines. The same source works on SIMD registers of a host and in the lanes of a GPU.
#pragma once

#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/PackAccess.hpp>
#include <KokkosContract/Trsm.hpp>

namespace example {

/// In block k of a line: A_k x_k-1 + D_k x_k + C_k x_k+1 = b_k, with N x N blocks and R right-hand
/// sides. A_0 and C of the last block are not used.
template <int N, int R, int L, class Space>
struct BlockTridiagonal {
  using Pack = KokkosContract::Pack<double, L>;
  using Member = typename Kokkos::TeamPolicy<typename Space::execution_space>::member_type;
  using Matrices = Kokkos::View<Pack** [N][N], Kokkos::LayoutRight, Space>;
  using Vectors = Kokkos::View<Pack** [N][R], Kokkos::LayoutRight, Space>;

  Matrices A, D, C;
  Vectors x;

  BlockTridiagonal(int packs, int blocks)
      : A("A", packs, blocks), D("D", packs, blocks), C("C", packs, blocks), x("x", packs, blocks) {}

  KOKKOS_FUNCTION int blocks() const { return D.extent_int(1); }

  /// Block k of the lines in pack p; its address alone, which costs less than a sub-view.
  KOKKOS_FORCEINLINE_FUNCTION static auto block(const Matrices& matrices, int p, int k) {
    return Kokkos::View<Pack[N][N], Kokkos::LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        &matrices(p, k, 0, 0));
  }
  KOKKOS_FORCEINLINE_FUNCTION static auto block(const Vectors& vectors, int p, int k) {
    return Kokkos::View<Pack[N][R], Kokkos::LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        &vectors(p, k, 0, 0));
  }
#if defined(USE_FIXP)
#define BLK(m, p, k) KokkosContract::fix_packed<N, N>(block(m, p, k))
#define BLKX(m, p, k) KokkosContract::fix_packed<N, R>(block(m, p, k))
#else
#define BLK(m, p, k) block(m, p, k)
#define BLKX(m, p, k) block(m, p, k)
#endif

  // [factor]
  /// D_k = L_k U_k, C_k = L_k^-1 C_k, A_k+1 = A_k+1 U_k^-1, D_k+1 = D_k+1 - A_k+1 C_k
  KOKKOS_FUNCTION int factor(const Member& team, int p) const {
    using namespace KokkosContract;
    using None = Trans::NoTranspose;
    int info = 0;
    for (int k = 0; k < blocks(); ++k) {
      const bool last = k + 1 == blocks();
      const int next = last ? k : k + 1;
      const int code = for_each_lane(
          team,
          [&](const auto& D_k, const auto& C_k, const auto& A_next, const auto& D_next) {
#ifdef USE_TEAM
            const int singular = TeamLU<Member>::invoke(team, D_k);
            if (last) return singular;
            TeamTrsm<Member, Side::Left, Uplo::Lower, None, Diag::Unit>::invoke(team, 1.0, D_k, C_k);
            TeamTrsm<Member, Side::Right, Uplo::Upper, None, Diag::NonUnit>::invoke(team, 1.0, D_k, A_next);
            TeamGemm<Member, None, None>::invoke(team, -1.0, A_next, C_k, 1.0, D_next);
#else
            const int singular = SerialLU<>::invoke(D_k);
            if (last) return singular;
            SerialTrsm<Side::Left, Uplo::Lower, None, Diag::Unit>::invoke(1.0, D_k, C_k);
            SerialTrsm<Side::Right, Uplo::Upper, None, Diag::NonUnit>::invoke(1.0, D_k, A_next);
            SerialGemm<None, None>::invoke(-1.0, A_next, C_k, 1.0, D_next);
#endif
            return singular;
          },
          BLK(D, p, k), BLK(C, p, k), BLK(A, p, next), BLK(D, p, next));
      if (info == 0) info = code;
    }
    return info;
  }
  // [/factor]

  // [solve]
  KOKKOS_FUNCTION void solve(const Member& team, int p) const {
    using namespace KokkosContract;
    using None = Trans::NoTranspose;
    for (int k = 0; k < blocks(); ++k) {
      const int before = k == 0 ? k : k - 1;
      for_each_lane(
          team,
          [&](const auto& A_k, const auto& D_k, const auto& x_before, const auto& x_k) {
            if (k > 0) SerialGemm<None, None>::invoke(-1.0, A_k, x_before, 1.0, x_k);
            SerialTrsm<Side::Left, Uplo::Lower, None, Diag::Unit>::invoke(1.0, D_k, x_k);
            return 0;
          },
          BLK(A, p, k), BLK(D, p, k), BLKX(x, p, before), BLKX(x, p, k));
    }
    for (int k = blocks() - 1; k >= 0; --k) {
      const int after = k + 1 == blocks() ? k : k + 1;
      for_each_lane(
          team,
          [&](const auto& D_k, const auto& C_k, const auto& x_k, const auto& x_after) {
            if (k < blocks() - 1) SerialGemm<None, None>::invoke(-1.0, C_k, x_after, 1.0, x_k);
            SerialTrsm<Side::Left, Uplo::Upper, None, Diag::NonUnit>::invoke(1.0, D_k, x_k);
            return 0;
          },
          BLK(D, p, k), BLK(C, p, k), BLKX(x, p, k), BLKX(x, p, after));
    }
  }
  // [/solve]
};

}  // namespace example
