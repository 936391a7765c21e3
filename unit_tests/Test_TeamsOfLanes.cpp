// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Team level in threads with vector lanes, each of which is of a team of its own, with the same
// lane of the other threads: barriers are of all these teams, so that no problem of a team may
// decide about them.
#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "EmulatedDevice.hpp"

namespace KokkosContract::Test {
namespace {

using Member = EmulatedMember<32>;
template <class Data>
using View = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::HostSpace>;
constexpr int threads = 4;
constexpr int lanes = 8;
constexpr int problems = 3;

/// The systems of one lane.
struct Systems {
  View<double***> a;
  View<double**> b;
  View<int**> pivots;
  int code = 0;

  explicit Systems(int n)
      : a("a", problems, n, n), b("b", problems, n), pivots("pivots", problems, n) {}
};

using Change = std::function<void(Systems&, int lane)>;

std::vector<Systems> systems_of_lanes(int n, const Change& change) {
  std::mt19937 random(1);
  const auto number = [&] { return static_cast<double>(random()) / 4294967296. - .5; };
  std::vector<Systems> all;
  for (int l = 0; l < lanes; ++l) {
    Systems& of = all.emplace_back(n);
    for (int z = 0; z < problems; ++z) {
      for (int i = 0; i < n; ++i) {
        of.b(z, i) = number();
        for (int j = 0; j < n; ++j) of.a(z, i, j) = number() + (i == j ? n : 0);
      }
    }
    change(of, l);
  }
  return all;
}

/// That the teams get what one thread would, where `change` is done to the systems of the lanes.
template <class OfTeam, class OfThread>
void check(int n, const Change& change, const OfTeam& of_team, const OfThread& of_thread) {
  for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
    std::vector<Systems> expected = systems_of_lanes(n, change);
    std::vector<Systems> found = systems_of_lanes(n, change);
    for (Systems& of : expected) of.code = of_thread(of);
    EmulatedBlock block(threads, lanes, 0, order);
    std::vector<int> codes(static_cast<std::size_t>(threads) * lanes);
    const std::string fault = block.run([&] {
      const auto place = block.place();
      const auto at = static_cast<std::size_t>(place.thread) * lanes + place.lane;
      codes[at] = of_team(Member(block, 0, 1), found[static_cast<std::size_t>(place.lane)]);
    });
    EXPECT_EQ(fault, "");
    for (std::size_t l = 0; l < lanes; ++l) {
      for (std::size_t t = 0; t < threads; ++t) EXPECT_EQ(codes[t * lanes + l], expected[l].code);
      for (int z = 0; z < problems; ++z) {
        for (int i = 0; i < n; ++i) {
          const double x = expected[l].b(z, i);
          ASSERT_TRUE(std::isfinite(x));
          EXPECT_NEAR(found[l].b(z, i), x, 1e-12) << "lane " << l;
        }
      }
    }
  }
}

/// One system of every third lane has a last column of zeros.
void make_some_singular(Systems& of, int lane) {
  if (lane % 3 != 1) return;
  for (int i = 0; i < of.a.extent_int(1); ++i) of.a(1, i, of.a.extent_int(2) - 1) = 0;
}

/// A pivot of one system has no reciprocal.
void make_some_extreme(Systems& of, int lane) {
  if (lane % 3 != 1) return;
  for (int j = 0; j < of.a.extent_int(2); ++j) of.a(1, 0, j) *= 1e-310;
  of.b(1, 0) *= 1e-310;
}

TEST(TeamsOfLanes, Gesv) {
  const auto solve = [](auto call, Systems& of) { return call(of.a, of.pivots, of.b); };
  check(
      9, make_some_singular,
      [&](const Member& m, Systems& of) {
        return solve([&](auto... x) { return TeamGesv<Member>::invoke(m, x...); }, of);
      },
      [&](Systems& of) { return solve([](auto... x) { return SerialGesv<>::invoke(x...); }, of); });
}
TEST(TeamsOfLanes, GesvOfOne) {
  using Kokkos::ALL;
  const auto solve = [](auto call, Systems& of) {
    return call(Kokkos::subview(of.a, 1, ALL, ALL), Kokkos::subview(of.pivots, 1, ALL),
                Kokkos::subview(of.b, 1, ALL));
  };
  check(
      9, make_some_singular,
      [&](const Member& m, Systems& of) {
        return solve([&](auto... x) { return TeamGesv<Member>::invoke(m, x...); }, of);
      },
      [&](Systems& of) { return solve([](auto... x) { return SerialGesv<>::invoke(x...); }, of); });
}

using NoPivoting = Algo::Gesv::NoPivoting;

void check_without_pivoting(int n, const Change& change) {
  check(
      n, change,
      [](const Member& m, Systems& of) {
        return TeamGesv<Member, NoPivoting>::invoke(m, of.a, of.b);
      },
      [](Systems& of) { return SerialGesv<NoPivoting>::invoke(of.a, of.b); });
}
TEST(TeamsOfLanes, GesvWithoutPivoting) { check_without_pivoting(9, make_some_singular); }
// By blocks, with reciprocals where these serve.
TEST(TeamsOfLanes, LargeGesvWithoutPivoting) {
  check_without_pivoting(40, make_some_singular);
  check_without_pivoting(40, make_some_extreme);
}

}  // namespace
}  // namespace KokkosContract::Test
