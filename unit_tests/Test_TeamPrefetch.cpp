// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lanes of a GPU's team prefetch, on an emulated one.
#include <gtest/gtest.h>

#include <KokkosContract/Prefetch.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "EmulatedDevice.hpp"

namespace KokkosContract::Test {
namespace {

using Host = Kokkos::HostSpace;

/// What the lanes of an emulated GPU's team prefetch of an operand.
template <int WarpSize, class A>
std::vector<EmulatedBlock::Prefetched> prefetched_by_team(const A& a) {
  EmulatedBlock block(2, 16, 64, LaneOrder::forward, WarpSize);
  const std::string fault =
      block.run([&] { prefetch<2>(EmulatedMember<WarpSize>(block, 0, 1), a); });
  EXPECT_EQ(fault, "");
  return block.prefetched();
}

template <class A>
void expect_each_element(const A& a, const std::vector<EmulatedBlock::Prefetched>& runs) {
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < a.extent(1); ++j) {
      const auto* const at = reinterpret_cast<const std::byte*>(&a(i, j));
      EXPECT_TRUE(std::any_of(runs.begin(), runs.end(),
                              [&](const auto& run) {
                                return run.from <= at &&
                                       at + sizeof(a(i, j)) <= run.from + run.bytes;
                              }))
          << i << ' ' << j;
    }
}

// A GPU that has an instruction for a run of lines needs one for a matrix without gaps.
TEST(TeamPrefetch, ATeamRequestsAWholeMatrixAtOnce) {
  const Kokkos::View<float[33][7], Kokkos::LayoutRight, Host> a("a");
  const auto runs = prefetched_by_team<32>(a);
  expect_each_element(a, runs);
  EXPECT_EQ(runs.size(), 1);
}

TEST(TeamPrefetch, TheRunsOfATeamAreOfMultiplesOf16Bytes) {
  const Kokkos::View<float**, Kokkos::LayoutRight, Host> a("a", 40, 1000);
  const auto part = Kokkos::subview(a, Kokkos::make_pair(0, 40), Kokkos::make_pair(3, 22));
  const auto runs = prefetched_by_team<32>(part);
  expect_each_element(part, runs);
  EXPECT_EQ(runs.size(), 40);
  std::set<int> lanes;
  for (const auto& run : runs) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(run.from) % 16, 0);
    EXPECT_EQ(run.bytes % 16, 0);
    lanes.insert(run.lane);
  }
  EXPECT_EQ(lanes.size(), 32);
}

// Without such an instruction each line is requested once, by one of the lanes.
TEST(TeamPrefetch, TheLanesOfATeamShareTheLines) {
  const Kokkos::View<double[64][10], Kokkos::LayoutRight, Host> a("a");
  const auto lines = prefetched_by_team<64>(a);
  expect_each_element(a, lines);
  EXPECT_LE(lines.size(), sizeof(double) * 640 / 64 + 1);
  std::set<int> lanes;
  std::set<const std::byte*> at;
  for (const auto& line : lines) {
    lanes.insert(line.lane);
    at.insert(line.from);
  }
  EXPECT_EQ(lanes.size(), 32);
  EXPECT_EQ(at.size(), lines.size());
}

}  // namespace
}  // namespace KokkosContract::Test
