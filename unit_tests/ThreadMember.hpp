// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The workers of a ThreadLevel as a member of a host's team, for code that takes a member, such as
// tiles.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstring>
#include <vector>

#include "ThreadLevel.hpp"

namespace KokkosContract::Test {

class ThreadMember {
 public:
  using execution_space = Kokkos::DefaultHostExecutionSpace;
  using Scratch = execution_space::scratch_memory_space;

  /// `memory`: the scratch memory of the team, which each call of team_scratch starts again from.
  ThreadMember(const ThreadLevel& level, std::vector<char>& memory)
      : level_(&level), memory_(&memory) {}
  int team_rank() const { return level_->rank(); }
  int team_size() const { return level_->size(); }
  static int league_rank() { return 0; }
  static int league_size() { return 1; }
  void team_barrier() const { level_->barrier(); }
  template <class T>
  void team_broadcast(T& x, int source) const {
    // Workers exchange words of eight bytes.
    auto* const bytes = reinterpret_cast<char*>(&x);
    for (std::size_t i = 0; i < sizeof(T); i += sizeof(std::uint64_t)) {
      const std::size_t count = std::min(sizeof(T) - i, sizeof(std::uint64_t));
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + i, count);
      word = level_->broadcast(word, source);
      std::memcpy(bytes + i, &word, count);
    }
  }
  template <class Reducer>
  void team_reduce(const Reducer& reducer) const {
    using T = typename Reducer::value_type;
    reducer.reference() = level_->reduce(reducer.reference(), [&](const T& x, const T& y) {
      T joined = x;
      reducer.join(joined, y);
      return joined;
    });
  }
  Scratch team_scratch(int) const { return {memory_->data(), memory_->size()}; }

 private:
  const ThreadLevel* level_;
  std::vector<char>* memory_;
};

}  // namespace KokkosContract::Test
