// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmulatedLevels.hpp"

#include <cstring>

namespace KokkosContract::Test::Detail {
namespace {

/// A block calls the functor for each of these problems. Every lane returns a code for each of its
/// problems and then reads the results, which it must see.
template <class Caller, int WarpSize, class Functor>
void run_block(const Configuration& configuration, const std::vector<int>& problems,
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
      found[i * lanes + place.thread * place.lanes + place.lane] = functor({member}, p);
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

}  // namespace

template <class Caller, int WarpSize>
std::vector<int> EmulatedLevel<Caller, WarpSize>::launch(
    const Configuration& configuration, int problems,
    const FunctionRef<int(const caller&, int)>& functor, const std::vector<Watched>& watched,
    ScratchBytes scratch) {
  std::vector<int> codes(problems);
  std::vector<int> all;
  for (int p = 0; p < problems; ++p) all.push_back(p);
  if (Caller::by_thread) {
    run_block<Caller, WarpSize>(configuration, all, functor, watched, scratch, codes);
  } else {
    for (const int p : all) {
      run_block<Caller, WarpSize>(configuration, {p}, functor, watched, scratch, codes);
    }
  }
  return codes;
}

template struct EmulatedLevel<EmulatedVectorCaller>;
template struct EmulatedLevel<EmulatedTeamCaller>;
template struct EmulatedLevel<EmulatedTeamVectorCaller>;
template struct EmulatedLevel<EmulatedVectorCaller, 64>;
template struct EmulatedLevel<EmulatedTeamVectorCaller, 64>;

}  // namespace KokkosContract::Test::Detail
