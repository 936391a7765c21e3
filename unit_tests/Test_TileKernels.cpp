// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles in kernels of the default execution space, as a user calls them.
#include <gtest/gtest.h>

#include <KokkosContract/TeamPolicy.hpp>
#include <KokkosContract/TeamTile.hpp>
#include <Kokkos_Core.hpp>
#include <utility>
#include <vector>

namespace KokkosContract::Test {

using Member = Kokkos::TeamPolicy<>::member_type;

/// The policy of a plan; and, on a host, whose teams may have any size, those of two and three
/// threads. OfThreads: each thread has a tile.
template <bool OfThreads, class Kernel, class Plan>
std::vector<Kokkos::TeamPolicy<>> policies_of(const Plan& plan, const Kernel& kernel) {
  std::vector<Kokkos::TeamPolicy<>> policies{plan.for_functor(kernel).policy};
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::DefaultExecutionSpace,
                                           Kokkos::HostSpace>::accessible) {
    const int most = Kokkos::DefaultExecutionSpace().concurrency();
    for (int threads = 2; threads <= 3 && threads <= most; ++threads) {
      Kokkos::TeamPolicy<> policy(plan.policy.league_size(), threads);
      for (const int level : {0, 1}) {
        const auto bytes = static_cast<int>(plan.policy.scratch_size(level, 1));
        if constexpr (OfThreads) {
          policy.set_scratch_size(level, Kokkos::PerThread(bytes));
        } else {
          policy.set_scratch_size(level, Kokkos::PerTeam(bytes));
        }
      }
      policies.push_back(policy);
    }
  }
  return policies;
}

/// C = A B + (i - j) + 3 C, tile by tile; and the sum of what is added. Half of 3 C is loaded.
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
    int code = t.load(2., C);
    code += t.accumulate<"ik,kj->ij">(2., A, B);
    t.for_each([](double& x, int i, int j) { x += i - j; });
    code += t.accumulate<"ik,kj->ij">(-1., A, B);
    double all = 0;
    t.reduce([](double x, int, int, double& to) { to += x; }, all);
    code += t.store(1., 1., C);
    Kokkos::single(Kokkos::PerTeam(member),
                   [&] { sum(member.league_rank()) = code == 0 ? all : 1e30; });
  }
};

template <class LayoutA, class LayoutB>
void check_kernel(int rows, int cols, int terms) {
  TileKernel<LayoutA, LayoutB> kernel(rows, cols, terms);
  const auto a = Kokkos::create_mirror_view(kernel.A);
  const auto b = Kokkos::create_mirror_view(kernel.B);
  const auto c = Kokkos::create_mirror(kernel.C);
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < terms; ++k) a(i, k) = (i * 7 + k * 3) % 11 - 5;
    for (int j = 0; j < cols; ++j) c(i, j) = (i + 2 * j) % 5;
  }
  for (int k = 0; k < terms; ++k) {
    for (int j = 0; j < cols; ++j) b(k, j) = (j * 5 + k * 13) % 17 - 8;
  }
  Kokkos::deep_copy(kernel.A, a);
  Kokkos::deep_copy(kernel.B, b);
  using Tile = typename TileKernel<LayoutA, LayoutB>::Tile;
  const auto plan = team_policy(Kokkos::DefaultExecutionSpace(), kernel.down * kernel.across,
                                uses<Tile, "ik,kj->ij">(kernel.A, kernel.B));
  for (const auto& policy : policies_of<false>(plan, kernel)) {
    SCOPED_TRACE(policy.team_size());
    Kokkos::deep_copy(kernel.C, c);
    Kokkos::parallel_for(policy, kernel);
    const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.C);
    double sum = 0;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) {
        double added = i - j;
        for (int k = 0; k < terms; ++k) added += a(i, k) * b(k, j);
        EXPECT_EQ(result(i, j), 3 * c(i, j) + added) << i << ' ' << j;
        sum += 2 * c(i, j) + added;
      }
    }
    const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.sum);
    for (std::size_t t = 0; t < sums.extent(0); ++t) sum -= sums(t);
    EXPECT_EQ(sum, 0);
  }
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

/// The value of element n of an input.
double number(std::size_t n) { return static_cast<double>(n * 5 % 23) - 11; }
template <class View>
double number_at(const View& x, int i, int j, int k = 0) {
  std::size_t n = i * x.stride(0) + j * x.stride(1);
  if constexpr (View::rank() == 3) n += k * x.stride(2);
  return number(n);
}
/// Small integers, also in the gaps behind the first index.
template <class View>
View numbers(int count, const View& whole) {
  const auto host = Kokkos::create_mirror_view(whole);
  for (std::size_t n = 0; n < host.span(); ++n) host.data()[n] = number(n);
  Kokkos::deep_copy(whole, host);
  const Kokkos::pair<int, int> part(0, count);
  if constexpr (View::rank() == 2) {
    return Kokkos::subview(whole, part, Kokkos::ALL);
  } else {
    return Kokkos::subview(whole, part, Kokkos::ALL, Kokkos::ALL);
  }
}

/// C(k, b, a) = 2 sum A(z, b, k) B(z, a) - sum F(y, k, b) G(y, a) - 3 sum D(z, b) E(z, k, a)
///            + 4 sum G(y, a) F(y, k, b)
/// Products of several layouts and ways through the code, with factors of several kinds, and sums
/// whose last vectors are not whole.
struct ManyKernel {
  template <class Data>
  using Tensor = Kokkos::View<Data, Kokkos::LayoutLeft>;
  using Tile = TeamTile<double, "kba", Shape<2, 32, 32>, Member>;
  Tensor<double***> A, E, F;
  Tensor<double**> B, D, G;
  Kokkos::View<double***> C;
  Kokkos::View<int> fault;

  ManyKernel(int z, int y, int k, int b, int a)
      : A(numbers(z, Tensor<double***>("A", z + z % 2, b, k))),
        E(numbers(z, Tensor<double***>("E", z + z % 2, k, a))),
        F(numbers(y, Tensor<double***>("F", y + y % 2, k, b))),
        B(numbers(z, Tensor<double**>("B", z + z % 2, a))),
        D(numbers(z, Tensor<double**>("D", z + z % 2, b))),
        G(numbers(y, Tensor<double**>("G", y + y % 2, a))),
        C("C", k, b, a),
        fault("fault") {}
  KOKKOS_FUNCTION int tiles(int l) const {
    return l == 0 ? (C.extent_int(0) + 1) / 2 : (C.extent_int(l) + 31) / 32;
  }
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int tile = member.league_rank();
    const int a0 = tile % tiles(2) * 32;
    const int b0 = tile / tiles(2) % tiles(1) * 32;
    const int k0 = tile / tiles(2) / tiles(1) * 2;
    Tile t(member, member.team_scratch(Tile::scratch_level()), {k0, b0, a0},
           {C.extent_int(0), C.extent_int(1), C.extent_int(2)});
    int code = t.accumulate<"zbk,za->kba", "ykb,ya->kba", "zb,zka->kba", "ya,ykb->kba">(
        2., A, B, -1., F, G, -3., D, E, 4., G, F);
    code += t.store(1., 0., C);
    if (code != 0) fault() = code;
  }
};

TEST(TileKernels, ManyProducts) {
  for (const auto& [z, y] : {std::pair(5, 19), std::pair(16, 9), std::pair(27, 32)}) {
    const int n_k = 3, n_b = 40, n_a = 35;
    const ManyKernel kernel(z, y, n_k, n_b, n_a);
    using Tile = ManyKernel::Tile;
    const auto plan = team_policy(
        Kokkos::DefaultExecutionSpace(), kernel.tiles(0) * kernel.tiles(1) * kernel.tiles(2),
        uses<Tile, "zbk,za->kba", "ykb,ya->kba", "zb,zka->kba", "ya,ykb->kba">(
            kernel.A, kernel.B, kernel.F, kernel.G, kernel.D, kernel.E, kernel.G, kernel.F));
    for (const auto& policy : policies_of<false>(plan, kernel)) {
      SCOPED_TRACE(policy.team_size());
      Kokkos::deep_copy(kernel.C, 0.);
      Kokkos::parallel_for(policy, kernel);
      int fault = -1;
      Kokkos::deep_copy(fault, kernel.fault);
      EXPECT_EQ(fault, 0);
      const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.C);
      for (int k = 0; k < n_k; ++k) {
        for (int b = 0; b < n_b; ++b) {
          for (int a = 0; a < n_a; ++a) {
            double sum = 0;
            for (int n = 0; n < z; ++n) {
              sum += 2 * number_at(kernel.A, n, b, k) * number_at(kernel.B, n, a) -
                     3 * number_at(kernel.D, n, b) * number_at(kernel.E, n, k, a);
            }
            for (int n = 0; n < y; ++n) {
              sum += 3 * number_at(kernel.F, n, k, b) * number_at(kernel.G, n, a);
            }
            ASSERT_EQ(c(k, b, a), sum) << k << ' ' << b << ' ' << a;
          }
        }
      }
    }
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
  for (const auto& policy : policies_of<true>(plan, kernel)) {
    SCOPED_TRACE(policy.team_size());
    Kokkos::deep_copy(kernel.C, 0.);
    Kokkos::parallel_for(policy, kernel);
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
}

}  // namespace KokkosContract::Test
