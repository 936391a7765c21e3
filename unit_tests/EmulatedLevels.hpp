// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The levels of an emulated GPU as types of typed tests; see Levels.hpp.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "Callers.hpp"
#include "EmulatedDevice.hpp"
#include "StridedTensor.hpp"

namespace KokkosContract::Test {
namespace Detail {

/// A block for the problems of `take(first, step)`, which calls code(p) for each. Every lane
/// returns a code for each of its problems and then checks the results, which it must see.
template <int WarpSize, class Caller, class Functor>
void run_emulated(const Configuration& configuration, const std::vector<int>& problems,
                  const Functor& functor, const std::vector<Watched>& watched,
                  const ScratchBytes& scratch, std::vector<int>& codes) {
  static int turn = 0;
  const LaneOrder order = turn++ % 2 == 0 ? LaneOrder::forward : LaneOrder::backward;
  const std::size_t bytes = scratch.per_team + scratch.per_thread;
  EmulatedBlock block(configuration.team, configuration.vector, bytes, order, WarpSize);
  const int lanes = configuration.team * configuration.vector;
  constexpr int none = -1000000;
  std::vector<int> found(problems.size() * lanes, none);
  const std::string fault = block.run([&] {
    const auto place = block.place();
    const EmulatedMember<WarpSize> member(block, 0, 1);
    for (std::size_t i = 0; i < problems.size(); ++i) {
      // At the level of threads each thread has its own problems.
      if (Caller::by_thread && static_cast<int>(i) % place.threads != place.thread) continue;
      const int p = problems[i];
      found[i * lanes + place.thread * place.lanes + place.lane] =
          functor(typename Caller::template type<EmulatedMember<WarpSize>>{member}, p);
      for (const Watched& w : watched) {
        std::vector<char> seen(w.bytes);
        std::memcpy(seen.data(), w.data + p * w.distance, w.bytes);
      }
    }
  });
  EXPECT_EQ(fault, "") << configuration.text();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    int code = none;
    for (int l = 0; l < lanes; ++l) {
      const int of_lane = found[i * lanes + l];
      if (of_lane == none) continue;
      if (code == none) code = of_lane;
      EXPECT_EQ(of_lane, code) << "lanes disagree, " << configuration.text();
    }
    codes[problems[i]] = code;
  }
}

struct EmulatedVectorCaller {
  static constexpr bool by_thread = true;
  template <class Member>
  using type = VectorCaller<Member>;
};
struct EmulatedTeamCaller {
  static constexpr bool by_thread = false;
  template <class Member>
  using type = TeamCaller<Member>;
};
struct EmulatedTeamVectorCaller {
  static constexpr bool by_thread = false;
  template <class Member>
  using type = TeamVectorCaller<Member>;
};

template <class Caller, int WarpSize = 32>
struct EmulatedLevel {
  using space = Kokkos::DefaultHostExecutionSpace;
  using kernel_space = EmulatedSpace<WarpSize>;
  template <class Functor>
  static std::vector<int> launch(const Configuration& configuration, int problems,
                                 const Functor& functor, const std::vector<Watched>& watched,
                                 ScratchBytes scratch = {}) {
    std::vector<int> codes(problems);
    std::vector<int> all;
    for (int p = 0; p < problems; ++p) all.push_back(p);
    if (Caller::by_thread) {
      run_emulated<WarpSize, Caller>(configuration, all, functor, watched, scratch, codes);
    } else {
      for (const int p : all) {
        run_emulated<WarpSize, Caller>(configuration, {p}, functor, watched, scratch, codes);
      }
    }
    return codes;
  }
};

}  // namespace Detail

struct EmulatedVector : Detail::EmulatedLevel<Detail::EmulatedVectorCaller> {
  static constexpr const char* name = "EmulatedVector";
  static std::vector<Configuration> configurations() { return {{1, 1}, {4, 4}, {3, 8}, {2, 32}}; }
};
struct EmulatedTeam : Detail::EmulatedLevel<Detail::EmulatedTeamCaller> {
  static constexpr const char* name = "EmulatedTeam";
  static std::vector<Configuration> configurations() { return {{1, 1}, {4, 1}, {32, 1}, {96, 1}}; }
};
struct EmulatedTeamVector : Detail::EmulatedLevel<Detail::EmulatedTeamVectorCaller> {
  static constexpr const char* name = "EmulatedTeamVector";
  static std::vector<Configuration> configurations() {
    return {{1, 1}, {1, 32}, {3, 4}, {4, 8}, {2, 32}};
  }
};

// Levels with warps of 64 lanes, some of which are not full.
struct EmulatedVector64 : Detail::EmulatedLevel<Detail::EmulatedVectorCaller, 64> {
  static constexpr const char* name = "EmulatedVector64";
  static std::vector<Configuration> configurations() { return {{3, 32}, {5, 16}, {2, 64}}; }
};
struct EmulatedTeamVector64 : Detail::EmulatedLevel<Detail::EmulatedTeamVectorCaller, 64> {
  static constexpr const char* name = "EmulatedTeamVector64";
  static std::vector<Configuration> configurations() {
    return {{1, 1}, {1, 64}, {3, 32}, {4, 8}, {2, 64}};
  }
};

}  // namespace KokkosContract::Test
