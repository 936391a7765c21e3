// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_ENTRY_ARRIVALS_HPP
#define KOKKOSCONTRACT_ENTRY_ARRIVALS_HPP

// Checks in checked builds that all threads of a host's team come to a call of the team. A thread
// waits for the others with a time limit. Kokkos' barriers would wait forever for a thread that
// never comes, as in a TeamThreadRange of one iteration.

#include <KokkosContract/level/Level.hpp>
#if defined(KOKKOSCONTRACT_CHECKED)
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <tuple>
#endif

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

#if defined(KOKKOSCONTRACT_CHECKED)
/// Teams that wait for some of their threads. Teams of two kernels may have the same key. Each team
/// arrives with all of its threads, so no thread then waits in vain.
class Arrivals {
 public:
  using Key = std::tuple<int, int, int>;  // rank of the team, size of the league, size of the team

  /// Waits for the other threads. Returns false if they do not arrive in time.
  bool wait(const Key& key) {
    std::unique_lock lock(mutex_);
    Team& team = teams_[key];
    ++team.inside;
    const unsigned long meeting = team.meetings;
    bool all = true;
    if (++team.arrived == std::get<2>(key)) {
      team.arrived = 0;
      ++team.meetings;
      all_came_.notify_all();
    } else {
      all = all_came_.wait_for(lock, limit, [&] { return team.meetings != meeting; });
    }
    if (--team.inside == 0) teams_.erase(key);
    return all;
  }

  std::chrono::milliseconds limit{30000};  ///< far above the difference between threads of a team

 private:
  struct Team {
    int arrived = 0;
    int inside = 0;
    unsigned long meetings = 0;
  };
  std::mutex mutex_;
  std::condition_variable all_came_;
  std::map<Key, Team> teams_;
};
inline Arrivals arrivals;

template <Level L>
KOKKOS_INLINE_FUNCTION bool all_threads_come([[maybe_unused]] const L& level) {
  if constexpr (requires { requires is_host<typename L::Space>; }) {
    KOKKOS_IF_ON_HOST((const auto& member = level.member; if (member.team_size() > 1) {
      return arrivals.wait({static_cast<int>(member.league_rank()),
                            static_cast<int>(member.league_size()), member.team_size()});
    }))
  }
  return true;
}
#endif

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
