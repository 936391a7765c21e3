// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives of the workers of each level.
#include <gtest/gtest.h>

#include <KokkosContract/level/Level.hpp>

#include "Levels.hpp"

namespace KokkosContract::Test {
namespace {

namespace level = KokkosContract::Impl;

[[maybe_unused]] KOKKOS_FUNCTION auto level_of(const SerialCaller&) { return level::SerialLevel{}; }
template <class Member>
KOKKOS_FUNCTION auto level_of(const VectorCaller<Member>& caller) {
  return level::vector_level(caller.member);
}
template <class Member>
KOKKOS_FUNCTION auto level_of(const TeamCaller<Member>& caller) {
  return level::team_level(caller.member);
}
template <class Member>
KOKKOS_FUNCTION auto level_of(const TeamVectorCaller<Member>& caller) {
  return level::team_vector_level(caller.member);
}
[[maybe_unused]] KOKKOS_FUNCTION const ThreadLevel& level_of(const ThreadLevel& threads) {
  return threads;
}

/// The number of what is wrong, or 0. `team`: of the numbers that these workers tell, which others
/// do not.
template <class L>
KOKKOS_FUNCTION int fault_of_level(const L& level, int team) {
  static_assert(level::Collective<L>);
  const int size = level.size(), rank = level.rank();
  const auto add = [](auto x, auto y) { return x + y; };
  const auto less = [](auto x, auto y) { return x < y ? x : y; };
  const auto greater = [](auto x, auto y) { return x > y ? x : y; };
  if (level.any(false)) return 1;
  for (const int source : {0, size / 2, size - 1}) {
    if (!level.any(rank == source)) return 2;
    if (level.broadcast(1000 * team + rank, source) != 1000 * team + source) return 3;
    if (level.broadcast(0.5 * rank + team, source) != 0.5 * source + team) return 4;
    // The least and the largest, wherever they are.
    const int shifted = (rank + source) % size + team;
    if (level.reduce(shifted, less) != team) return 5;
    if (level.reduce(shifted, greater) != team + size - 1) return 6;
    const int key = (rank + size - source) % size;
    if (level::first_nonzero(level, key, 100 + rank + team) != 100 + source + team) return 7;
    const int behind = source == size - 1 ? 0 : 100 + source + 1;
    if (level::first_nonzero(level, rank, rank > source ? 100 + rank : 0) != behind) return 8;
  }
  if (level::first_nonzero(level, rank, 0) != 0) return 9;
  if (level.reduce(rank + team, add) != size * (size - 1) / 2 + size * team) return 10;
  // In one order for all.
  const float sum = level.reduce(1.0F / static_cast<float>(3 + rank), add);
  if (level.broadcast(sum, size - 1) != sum) return 11;
  return 0;
}

struct Faults {
  template <class Caller>
  KOKKOS_FUNCTION int operator()(const Caller& caller, int problem) const {
    const auto level = level_of(caller);
    const int fault = fault_of_level(level, problem);
    if (fault != 0) return fault;
    const int plain = fault_of_level(level::PlainLevel<decltype(level)>{{level}}, problem);
    const int in_place = fault_of_level(level::InPlaceLevel<decltype(level)>{{level}}, problem);
    return plain != 0 ? plain : in_place;
  }
};

template <class Level>
void expect_no_fault() {
  for (const Configuration& configuration : Level::configurations()) {
    SCOPED_TRACE(configuration.text());
    for (const int fault : Level::launch(configuration, 3, Faults{}, {})) EXPECT_EQ(fault, 0);
  }
}

template <class Level>
class Collectives : public testing::Test {};
TYPED_TEST_SUITE(Collectives, Levels, LevelNames);
TYPED_TEST(Collectives, AllAgree) { expect_no_fault<TypeParam>(); }

template <class Level>
class CollectivesOtherLevels : public testing::Test {};
TYPED_TEST_SUITE(CollectivesOtherLevels, OtherLevels, LevelNames);
TYPED_TEST(CollectivesOtherLevels, AllAgree) { expect_no_fault<TypeParam>(); }

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(__SANITIZE_ADDRESS__)
/// A Team level of threads with lanes, each of which is of a team of its own, and has an answer of
/// its own, but to `any`.
TEST(CollectivesOfLanes, AreOfTheirTeams) {
  const auto check = []<int WarpSize>(std::integral_constant<int, WarpSize>,
                                      const Configuration& of) {
    SCOPED_TRACE(of.text());
    for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
      EmulatedBlock block(of.team, of.vector, 64, order, WarpSize);
      std::vector<int> faults(static_cast<std::size_t>(of.team) * of.vector);
      const std::string fault = block.run([&] {
        const EmulatedMember<WarpSize> member(block, 0, 1);
        const auto team = level::team_level(member);
        const auto place = block.place();
        int& mine = faults[static_cast<std::size_t>(place.thread) * of.vector + place.lane];
        mine = fault_of_level(team, 7 * place.lane);
        // For all who come to the barrier.
        if (!team.any(place.lane == 1)) mine = -1;
      });
      EXPECT_EQ(fault, "");
      EXPECT_EQ(faults, std::vector<int>(faults.size()));
    }
  };
  const std::integral_constant<int, 32> narrow{};
  for (const Configuration& of : {Configuration{4, 4}, {3, 8}, {6, 16}, {5, 32}}) check(narrow, of);
  check(std::integral_constant<int, 64>{}, {7, 16});
}
#endif

}  // namespace
}  // namespace KokkosContract::Test
