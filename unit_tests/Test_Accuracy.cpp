// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accuracy::tf32: products of floats that are rounded to 11 bits, and what is the same as with full
// accuracy.
#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <cmath>

#include "EmulatedDevice.hpp"
#include "LargeContract.hpp"
#include "Rounding.hpp"
#include "Tiles.hpp"

namespace KokkosContract::Test {
namespace {

using Right = Kokkos::LayoutRight;

template <int N>
using Fixed = Kokkos::View<float[N][N], Right, Kokkos::HostSpace>;
constexpr int n = 64;

/// The bound of an element whose terms are products of rounded inputs, over the sum of their
/// absolute values: two roundings to 11 bits, and the roundings of the sum.
constexpr double bound_of_tf32 = 1.0 / 1024 + n * 0x1p-23;

struct Inputs {
  Fixed<n> a{"a"}, b{"b"}, c{"c"};
  Inputs() {
    Random random;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        a(i, j) = static_cast<float>(random.number<double>() + 0.1);
        b(i, j) = static_cast<float>(random.number<double>() - 0.2);
      }
    }
  }
  /// The largest error of C, over the sum of the absolute values of its terms, if inputs are
  /// rounded, or not.
  template <bool Rounded>
  double error() const {
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0, size = 0;
        for (int k = 0; k < n; ++k) {
          const double x = Rounded ? rounded_to_tf32(a(i, k)) : a(i, k);
          const double y = Rounded ? rounded_to_tf32(b(k, j)) : b(k, j);
          sum += x * y;
          size += std::abs(x * y);
        }
        worst = std::max(worst, std::abs(c(i, j) - sum) / size);
      }
    }
    return worst;
  }
  void expect_rounded() const {
    EXPECT_LT(error<true>(), n * 0x1p-23);
    EXPECT_LT(error<false>(), bound_of_tf32);
    EXPECT_GT(error<false>(), 0x1p-16);
  }
  void expect_full() const { EXPECT_LT(error<false>(), n * 0x1p-23); }
};

/// Calls f(member) for the threads of a team of an emulated GPU.
template <int WarpSize, class F>
void run_team(int threads, const F& f) {
  EmulatedBlock block(threads, 1, 1 << 17, LaneOrder::forward, WarpSize);
  const std::string fault = block.run([&] {
    const EmulatedMember<WarpSize> member(block, 0, 1);
    f(member);
  });
  EXPECT_EQ(fault, "");
}

template <int WarpSize, auto W>
Inputs product_of_team() {
  const Inputs of;
  run_team<WarpSize>(Impl::threads_of_team, [&](const auto& member) {
    EXPECT_EQ(
        (TeamContract<"ik,kj->ij", W>::invoke(member, 1.f, fix_packed<n, n>(of.a),
                                              fix_packed<n, n>(of.b), 0.f, fix_packed<n, n>(of.c))),
        0);
  });
  return of;
}

TEST(Accuracy, TeamContract) {
  constexpr Choice tiles_of_tf32{.way = Way::block_tiles, .accuracy = Accuracy::tf32};
  product_of_team<32, tiles_of_tf32>().expect_rounded();
  product_of_team<32, Accuracy::tf32>().expect_rounded();
  product_of_team<32, Accuracy::bf16>().expect_rounded();
  product_of_team<32, Way::block_tiles>().expect_full();
  product_of_team<32, Accuracy::full>().expect_full();
  // This machine has no such instruction.
  product_of_team<64, tiles_of_tf32>().expect_full();
}

template <int WarpSize, Accuracy A>
Inputs product_of_tile() {
  using Member = EmulatedMember<WarpSize>;
  using Tile = TeamTile<float, "ij", Shape<n, n>, Member, A>;
  const Inputs of;
  run_team<WarpSize>(Tile::workers(), [&](const auto& member) {
    Tile t(member, member.team_scratch(0), {0, 0}, {n, n});
    EXPECT_EQ(t.template accumulate<"ik,kj->ij">(1.f, of.a, of.b), 0);
    EXPECT_EQ(t.store(1.f, 0.f, of.c), 0);
  });
  return of;
}

TEST(Accuracy, TeamTile) {
  product_of_tile<32, Accuracy::tf32>().expect_rounded();
  product_of_tile<32, Accuracy::full>().expect_full();
  product_of_tile<64, Accuracy::tf32>().expect_full();
}

// The numbers of this test have few bits, so that rounding does not change them.
TEST(Accuracy, LargeProduct) {
  using Types = Impl::BlockTypes<float, float, float, Accuracy::tf32>;
  check_large<"ik,kj->ij", 32, float, Right, Right, Right, Types>(
      {{'i', 96}, {'k', 72}, {'j', 80}});
}

TEST(Accuracy, Host) {
  const Inputs of;
  contract<"ik,kj->ij", Accuracy::tf32>(Kokkos::DefaultHostExecutionSpace(), 1.f, of.a, of.b, 0.f,
                                        of.c);
  Kokkos::fence();
  of.expect_full();
  require_success(SerialContract<"ik,kj->ij", Accuracy::tf32>::invoke(1.f, of.a, of.b, 0.f, of.c));
  of.expect_full();
}

}  // namespace
}  // namespace KokkosContract::Test
