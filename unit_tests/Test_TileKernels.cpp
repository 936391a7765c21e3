// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles in kernels of the default execution space, as a user calls them.
#include <gtest/gtest.h>

#include <KokkosContract/TeamPolicy.hpp>
#include <KokkosContract/TeamTile.hpp>
#include <Kokkos_Core.hpp>

namespace KokkosContract::Test {

using Member = Kokkos::TeamPolicy<>::member_type;

/// C = A B + (i - j) + 3 C, tile by tile; and the sum of what is added.
template <class LayoutA, class LayoutB>
struct TileKernel {
  using Tile = TeamTile<double, "ij", Shape<64, 32>, Member>;
  Kokkos::View<double**, LayoutA> A;
  Kokkos::View<double**, LayoutB> B;
  Kokkos::View<double**> C;
  Kokkos::View<double*> sum;
  int down, across;

  TileKernel(int rows, int cols, int terms)
      : A("A", rows, terms),
        B("B", terms, cols),
        C("C", rows, cols),
        down((rows + 63) / 64),
        across((cols + 31) / 32) {
    sum = Kokkos::View<double*>("sum", static_cast<std::size_t>(down) * across);
  }
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int i0 = member.league_rank() / across * 64;
    const int j0 = member.league_rank() % across * 32;
    Tile t(member, member.team_scratch(Tile::scratch_level()), {i0, j0},
           {C.extent_int(0), C.extent_int(1)});
    int code = t.accumulate<"ik,kj->ij">(2., A, B);
    code += t.accumulate<"ik,kj->ij">(-1., A, B);
    t.for_each([](double& x, int i, int j) { x += i - j; });
    double all = 0;
    t.reduce([](double x, int, int, double& to) { to += x; }, all);
    code += t.store(1., 3., C);
    Kokkos::single(Kokkos::PerTeam(member),
                   [&] { sum(member.league_rank()) = code == 0 ? all : 1e30; });
  }
};

template <class LayoutA, class LayoutB>
void check_kernel(int rows, int cols, int terms) {
  TileKernel<LayoutA, LayoutB> kernel(rows, cols, terms);
  const auto a = Kokkos::create_mirror_view(kernel.A);
  const auto b = Kokkos::create_mirror_view(kernel.B);
  const auto c = Kokkos::create_mirror_view(kernel.C);
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < terms; ++k) a(i, k) = (i * 7 + k * 3) % 11 - 5;
    for (int j = 0; j < cols; ++j) c(i, j) = (i + 2 * j) % 5;
  }
  for (int k = 0; k < terms; ++k) {
    for (int j = 0; j < cols; ++j) b(k, j) = (j * 5 + k * 13) % 17 - 8;
  }
  Kokkos::deep_copy(kernel.A, a);
  Kokkos::deep_copy(kernel.B, b);
  Kokkos::deep_copy(kernel.C, c);
  using Tile = typename TileKernel<LayoutA, LayoutB>::Tile;
  const auto plan = team_policy(Kokkos::DefaultExecutionSpace(), kernel.down * kernel.across,
                                uses<Tile, "ik,kj->ij">(kernel.A, kernel.B));
  Kokkos::parallel_for(plan.for_functor(kernel).policy, kernel);
  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.C);
  double sum = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      double added = i - j;
      for (int k = 0; k < terms; ++k) added += a(i, k) * b(k, j);
      EXPECT_EQ(result(i, j), 3 * ((i + 2 * j) % 5) + added) << i << ' ' << j;
      sum += added;
    }
  }
  const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.sum);
  for (std::size_t t = 0; t < sums.extent(0); ++t) sum -= sums(t);
  EXPECT_EQ(sum, 0);
}

TEST(TileKernels, Layouts) {
  using L = Kokkos::LayoutLeft;
  using R = Kokkos::LayoutRight;
  for (const int terms : {40, 17, 2}) {
    check_kernel<R, R>(64, 64, terms);
    check_kernel<R, L>(70, 50, terms);
    check_kernel<L, R>(130, 34, terms);
    check_kernel<L, L>(33, 31, terms);
  }
}

/// C = A B - A B + 2 A B, a tile a thread.
struct ThreadKernel {
  using Tile = SerialTile<double, "ij", Shape<4, 8>>;
  Kokkos::View<double**> A, B, C;
  Kokkos::View<int> fault;
  TeamProblems all;

  KOKKOS_FUNCTION int down() const { return (C.extent_int(0) + 3) / 4; }
  KOKKOS_FUNCTION void add_tile(const Member& member, int tile) const {
    const int i0 = tile % down() * 4;
    const int j0 = tile / down() * 8;
    Tile t(member, member.thread_scratch(Tile::scratch_level()), {i0, j0},
           {C.extent_int(0), C.extent_int(1)});
    int code = t.accumulate<"ik,kj->ij", "kj,ik->ij">(1., A, B, -1., B, A);
    code += t.accumulate<"ik,kj->ij">(2., A, B);
    code += t.store(1., 0., C);
    if (code != 0) fault() = code;
  }
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto mine = problems_of(member, all);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, mine.first, mine.second),
                         [&](int tile) { add_tile(member, tile); });
  }
};

TEST(TileKernels, TilesOfThreads) {
  const int rows = 50;
  const int cols = 37;
  const int terms = 9;
  ThreadKernel kernel{Kokkos::View<double**>("A", rows, terms),
                      Kokkos::View<double**>("B", terms, cols),
                      Kokkos::View<double**>("C", rows, cols),
                      Kokkos::View<int>("fault"),
                      {}};
  const auto a = Kokkos::create_mirror_view(kernel.A);
  const auto b = Kokkos::create_mirror_view(kernel.B);
  for (int k = 0; k < terms; ++k) {
    for (int i = 0; i < rows; ++i) a(i, k) = (i * 7 + k * 3) % 11 - 5;
    for (int j = 0; j < cols; ++j) b(k, j) = (j * 5 + k * 13) % 17 - 8;
  }
  Kokkos::deep_copy(kernel.A, a);
  Kokkos::deep_copy(kernel.B, b);
  using Tile = ThreadKernel::Tile;
  const auto plan =
      team_policy(Kokkos::DefaultExecutionSpace(), kernel.down() * ((cols + 7) / 8),
                  uses<Tile, "ik,kj->ij", "kj,ik->ij">(kernel.A, kernel.B, kernel.B, kernel.A));
  kernel.all = plan;
  Kokkos::parallel_for(plan.policy, kernel);
  const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.C);
  const auto fault = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.fault);
  EXPECT_EQ(fault(), 0);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      double sum = 0;
      for (int k = 0; k < terms; ++k) sum += a(i, k) * b(k, j);
      EXPECT_EQ(c(i, j), 2 * sum) << i << ' ' << j;
    }
  }
}

}  // namespace KokkosContract::Test
