// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The levels of an emulated GPU as types of typed tests; see Levels.hpp.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "Callers.hpp"
#include "EmulatedDevice.hpp"
#include "FunctionRef.hpp"
#include "StridedTensor.hpp"

namespace KokkosContract::Test {
namespace Detail {

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
  using caller = typename Caller::template type<EmulatedMember<WarpSize>>;
  static std::vector<int> launch(const Configuration& configuration, int problems,
                                 const FunctionRef<int(const caller&, int)>& functor,
                                 const std::vector<Watched>& watched, ScratchBytes scratch = {});
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
