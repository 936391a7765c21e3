// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The argument of a functor that is launched at a level, and the description of a launch; see
// Levels.hpp.
#pragma once

#include <cstddef>
#include <string>

namespace KokkosContract::Test {

struct SerialCaller {};
template <class Member>
struct VectorCaller {
  const Member& member;
};
template <class Member>
struct TeamCaller {
  const Member& member;
};
template <class Member>
struct TeamVectorCaller {
  const Member& member;
};

struct Configuration {
  int team, vector;
  std::string text() const {
    return "team size " + std::to_string(team) + ", vector length " + std::to_string(vector);
  }
};

/// ScratchBytes of level 0, in bytes.
struct ScratchBytes {
  std::size_t per_team = 0, per_thread = 0;
};

}  // namespace KokkosContract::Test
