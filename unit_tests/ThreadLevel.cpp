// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ThreadLevel.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace KokkosContract::Test {

ThreadRun run_threads(Synchroniser& synchroniser, int workers, int problems,
                      const ThreadFunctor& functor, const std::vector<Watched>& watched) {
  ThreadRun run{std::vector<std::vector<int>>(workers), std::vector<std::vector<char>>(workers),
                std::vector<int>(workers)};
  std::vector<std::thread> threads;
  std::vector<char> scratch(1 << 16, static_cast<char>(0x7f));
  for (int rank = 0; rank < workers; ++rank) {
    threads.emplace_back([&, rank] {
      const ThreadLevel level(synchroniser, rank, workers, scratch);
      synchroniser.start(rank);
      for (int p = 0; p < problems; ++p) {
        run.codes[rank].push_back(functor(level, p));
        for (const Watched& w : watched) {
          const char* data = w.data + p * w.distance;
          run.seen[rank].insert(run.seen[rank].end(), data, data + w.bytes);
        }
      }
      run.barriers[rank] = level.barriers();
      synchroniser.finish(rank);
    });
  }
  for (auto& thread : threads) thread.join();
  return run;
}

std::vector<char> watched_bytes(const std::vector<Watched>& watched, int problems) {
  std::vector<char> bytes;
  for (int p = 0; p < problems; ++p) {
    for (const Watched& w : watched) {
      const char* data = w.data + p * w.distance;
      bytes.insert(bytes.end(), data, data + w.bytes);
    }
  }
  return bytes;
}

void check_barriers(int workers, const ThreadFunctor& functor, const std::vector<Watched>& watched,
                    const std::function<void()>& restore) {
  const auto run = [&](int first, int step, int skipped, bool& stuck) {
    restore();
    Schedule schedule(workers, first, step, skipped);
    auto result = run_threads(schedule, workers, 1, functor, watched);
    stuck = schedule.stuck();
    return result;
  };

  bool stuck = false;
  const ThreadRun reference = run(0, 1, -1, stuck);
  const std::vector<char> expected = watched_bytes(watched, 1);
  const auto same = [&](const ThreadRun& other) {
    if (stuck || other.barriers != reference.barriers || other.codes != reference.codes) {
      return false;
    }
    for (const auto& seen : other.seen) {
      if (seen != expected) return false;
    }
    return true;
  };

  for (int rank = 0; rank < workers; ++rank) {
    EXPECT_EQ(reference.barriers[rank], reference.barriers[0]) << "worker " << rank;
    EXPECT_EQ(reference.codes[rank], reference.codes[0]) << "worker " << rank;
  }
  for (int first = 0; first < workers; ++first) {
    for (const int step : {1, -1}) {
      EXPECT_TRUE(same(run(first, step, -1, stuck)))
          << "a barrier is missing: another result when worker " << first << " runs first, step "
          << step;
    }
  }
  restore();
  if (watched_bytes(watched, 1) == expected) return;  // nothing to wait for
  for (int skipped = 0; skipped < reference.barriers[0]; ++skipped) {
    bool shows = false;
    for (int first = 0; first < workers && !shows; ++first) {
      for (const int step : {1, -1}) shows = shows || !same(run(first, step, skipped, stuck));
    }
    EXPECT_TRUE(shows) << "no test fails without barrier " << skipped << " of "
                       << reference.barriers[0];
  }
  restore();
}

}  // namespace KokkosContract::Test
