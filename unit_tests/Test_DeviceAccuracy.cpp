// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accuracy::tf32 on the machine of the tests: a GPU of NVIDIA rounds the inputs, and other machines
// have full accuracy.
#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <cmath>

#include "Rounding.hpp"

namespace KokkosContract::Test {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<Space>::member_type;

#if defined(KOKKOS_ENABLE_CUDA)
constexpr bool rounds = true;
#else
constexpr bool rounds = false;
#endif

template <class Layout>
using Matrix = Kokkos::View<float**, Layout, Space>;

/// Numbers whose 24 bits all matter.
template <class V>
void fill(const V& view, int seed) {
  Kokkos::parallel_for(
      Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>({0, 0}, {view.extent(0), view.extent(1)}),
      KOKKOS_LAMBDA(int i, int j) {
        const unsigned hash = (static_cast<unsigned>(i) * 8191 + j + seed) * 2654435761U;
        view(i, j) = static_cast<float>(hash >> 8) * 0x1p-24f + 0.1f;
      });
}

/// The largest error of C = A B, over the sum of the terms, which are positive, if inputs are
/// rounded, or not.
template <class A, class B, class C>
double error(const A& a, const B& b, const C& c, bool is_rounded) {
  double worst = 0;
  const int terms = a.extent_int(1);
  Kokkos::parallel_reduce(
      Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>({0, 0}, {c.extent(0), c.extent(1)}),
      KOKKOS_LAMBDA(int i, int j, double& most) {
        double sum = 0;
        for (int k = 0; k < terms; ++k) {
          const double x = is_rounded ? rounded_to_tf32(a(i, k)) : a(i, k);
          const double y = is_rounded ? rounded_to_tf32(b(k, j)) : b(k, j);
          sum += x * y;
        }
        const double found = Kokkos::abs(c(i, j) - sum) / sum;
        if (!(found <= most)) most = found <= 1 ? found : 1.0;
      },
      Kokkos::Max<double>(worst));
  return worst;
}

/// Roundings of a sum of n terms, in any order.
template <class A, class B, class C>
void expect_accuracy(const A& a, const B& b, const C& c, bool is_rounded) {
  const double of_sum = a.extent_int(1) * 0x1p-23;
  EXPECT_LT(error(a, b, c, is_rounded), of_sum);
  // The documented bound, and what shows that the inputs are rounded or not.
  EXPECT_LT(error(a, b, c, false), is_rounded ? 0x1p-10 + of_sum : of_sum);
  if (is_rounded) {
    EXPECT_GT(error(a, b, c, false), 0x1p-18);
  }
}

template <Accuracy P, class LayoutA, class LayoutB>
void check_contract(int m, int n, int k) {
  const Matrix<LayoutA> a("A", m, k);
  const Matrix<LayoutB> b("B", k, n);
  const Matrix<Kokkos::LayoutRight> c("C", m, n);
  fill(a, 0);
  fill(b, 1);
  contract<"ik,kj->ij", P>(Space(), 1.f, a, b, 0.f, c);
  expect_accuracy(a, b, c, rounds && P == Accuracy::tf32);
}

TEST(DeviceAccuracy, contract) {
  using Right = Kokkos::LayoutRight;
  using Left = Kokkos::LayoutLeft;
  const int large = rounds ? 512 : 96;
  check_contract<Accuracy::tf32, Right, Right>(large, large, large);
  check_contract<Accuracy::tf32, Left, Right>(large, large, large);
  check_contract<Accuracy::tf32, Right, Left>(large, large, large);
  check_contract<Accuracy::tf32, Left, Left>(large, large, large);
  check_contract<Accuracy::full, Right, Right>(large, large, large);
  // Ragged tiles, unaligned rows, and a long sum.
  check_contract<Accuracy::tf32, Right, Right>(large + 5, large - 3, large + 1);
  check_contract<Accuracy::tf32, Left, Left>(129, 257, large + 3);
  check_contract<Accuracy::tf32, Right, Right>(64, 48, rounds ? 100000 : 1000);
}

template <int N>
using Fixed = Kokkos::View<float[N][N], Kokkos::LayoutRight, Space>;

template <int N, auto W>
void check_team(bool is_rounded) {
  const Fixed<N> a("A"), b("B"), c("C");
  fill(a, 0);
  fill(b, 1);
  using Product = TeamContract<"ik,kj->ij", W>;
  const auto plan = team_policy<Product>(Space(), 1, a, b, c);
  const TeamProblems problems = plan;
  Kokkos::parallel_for(
      plan.policy, KOKKOS_LAMBDA(const Member& member) {
        const auto mine = problems_of(member, problems);
        if (mine.first < mine.second) require_success(Product::invoke(member, 1.f, a, b, 0.f, c));
      });
  Kokkos::fence();
  expect_accuracy(a, b, c, is_rounded);
}

TEST(DeviceAccuracy, TeamContract) {
  constexpr Choice tiles_of_tf32{.way = Way::block_tiles, .accuracy = Accuracy::tf32};
  check_team<64, tiles_of_tf32>(rounds);
  check_team<128, tiles_of_tf32>(rounds);
  check_team<64, Accuracy::full>(false);
  check_team<16, Accuracy::full>(false);
}

template <Accuracy P>
void check_tile(int m, int n, int k) {
  const Matrix<Kokkos::LayoutRight> a("A", m, k), b("B", k, n), c("C", m, n);
  fill(a, 0);
  fill(b, 1);
  using Tile = TeamTile<float, "ij", Shape<64, 64>, Member, P>;
  const int rows = (m + 63) / 64, cols = (n + 63) / 64;
  const auto plan = team_policy(Space(), rows * cols, uses<Tile, "ik,kj->ij">(a, b));
  Kokkos::parallel_for(
      plan.policy, KOKKOS_LAMBDA(const Member& member) {
        const int i = member.league_rank() / cols, j = member.league_rank() % cols;
        Tile t(member, member.team_scratch(Tile::scratch_level()), {64 * i, 64 * j}, {m, n});
        require_success(t.template accumulate<"ik,kj->ij">(1.f, a, b));
        require_success(t.store(1.f, 0.f, c));
      });
  Kokkos::fence();
  expect_accuracy(a, b, c, rounds && P == Accuracy::tf32);
}

TEST(DeviceAccuracy, TeamTile) {
  check_tile<Accuracy::tf32>(128, 192, 256);
  check_tile<Accuracy::tf32>(100, 77, 33);
  check_tile<Accuracy::full>(100, 77, 33);
}

}  // namespace
}  // namespace KokkosContract::Test
