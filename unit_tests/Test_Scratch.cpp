// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Scratch.hpp>

namespace KokkosContract::Test {
namespace {

using Member = Kokkos::TeamPolicy<>::member_type;
using Impl::bank_conflicts, Impl::LaneGrid, Impl::Spacing;

// Sixteen lanes with doubles are served at a time: four groups of 2 x 2.
static_assert(bank_conflicts(LaneGrid{2, 2}, Spacing{8, 64}, 16) == 4);
static_assert(bank_conflicts(LaneGrid{2, 2}, Spacing{8, 66}, 16) == 1);
static_assert(bank_conflicts(LaneGrid{4, 4}, Spacing{16, 256}, 16) == 4);
static_assert(bank_conflicts(LaneGrid{4, 4}, Spacing{20, 320}, 16) == 1);

template <class T, int M, int N>
void check_spacing() {
  constexpr Spacing spacing = Impl::spacing_of<T, M, N>();
  static_assert(spacing.row >= N && spacing.matrix >= M * spacing.row);
#if defined(KOKKOS_ENABLE_CUDA)
  constexpr int banks = 128 / static_cast<int>(sizeof(T));
  constexpr LaneGrid grid = Impl::lane_grid<(M > N ? M : N)>(false);
  static_assert(bank_conflicts(grid, spacing, banks) <= bank_conflicts(grid, {N, M * N}, banks));
#else
  static_assert(spacing.row == N && spacing.matrix == M * N);
#endif
}

TEST(Scratch, Spacing) {
  check_spacing<double, 8, 8>();
  check_spacing<double, 16, 16>();
  check_spacing<double, 5, 7>();
  check_spacing<float, 12, 12>();
  check_spacing<Kokkos::complex<double>, 8, 8>();
}

/// Each element gets a number of its own and keeps it.
template <class T, int M, int N>
int wrong_elements(int count) {
  const int bytes = scratch_matrices_bytes<T, M, N>(count);
  int wrong = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamPolicy<>(3, Kokkos::AUTO).set_scratch_size(0, Kokkos::PerTeam(2 * bytes)),
      KOKKOS_LAMBDA(const Member& team, int& sum) {
        const auto a = scratch_matrices<T, M, N>(team.team_scratch(0), count);
        const auto b = scratch_matrices<T, M, N>(team.team_scratch(0), count);
        const auto for_all = [&](const auto& f) {
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count * M), [&](int t) {
            for (int j = 0; j < N; ++j) f(t / M, t % M, j, T(t * N + j));
          });
          team.team_barrier();
        };
        for_all([&](int z, int i, int j, T value) { a(z, i, j) = value; });
        for_all([&](int z, int i, int j, T value) { b(z, i, j) = value + T(1); });
        int different = 0;
        for_all([&](int z, int i, int j, T value) {
          different += a(z, i, j) != value || b(z, i, j) != value + T(1);
        });
        const bool shape = a.extent(0) == count && a.extent(1) == M && a.extent(2) == N &&
                           a.stride(2) == 1 && a.static_extent(1) == M;
        sum += different + (shape ? 0 : 1);
      },
      wrong);
  return wrong;
}

TEST(Scratch, MatricesAreApart) {
  EXPECT_EQ((wrong_elements<double, 8, 8>(7)), 0);
  EXPECT_EQ((wrong_elements<double, 3, 5>(4)), 0);
  EXPECT_EQ((wrong_elements<float, 12, 12>(2)), 0);
  EXPECT_EQ((wrong_elements<double, 16, 16>(0)), 0);
}

/// A^3 by way of scratch memory, against plain sums.
int wrong_cubes(int count) {
  constexpr int n = 6;
  const Kokkos::View<double* [n][n]> a("a", count), b("b", count);
  Kokkos::parallel_for(
      count, KOKKOS_LAMBDA(int z) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) a(z, i, j) = (z + 1) * (i == j ? 2 : 0) + (i < j ? 1 : 0);
        }
      });
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(1, Kokkos::AUTO)
          .set_scratch_size(0, Kokkos::PerTeam(scratch_matrices_bytes<double, n, n>(count))),
      KOKKOS_LAMBDA(const Member& team) {
        const auto c = scratch_matrices<double, n, n>(team.team_scratch(0), count);
        TeamContract<"bik,bkj->bij">::invoke(team, 1.0, a, a, 0.0, c);
        TeamContract<"bik,bkj->bij">::invoke(team, 1.0, c, a, 0.0, b);
      });
  int wrong = 0;
  Kokkos::parallel_reduce(
      count,
      KOKKOS_LAMBDA(int z, int& sum) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            double cube = 0;
            for (int k = 0; k < n; ++k) {
              for (int l = 0; l < n; ++l) cube += a(z, i, k) * a(z, k, l) * a(z, l, j);
            }
            sum += cube != b(z, i, j);
          }
        }
      },
      wrong);
  return wrong;
}

TEST(Scratch, IsAnOperand) { EXPECT_EQ(wrong_cubes(5), 0); }

}  // namespace
}  // namespace KokkosContract::Test
