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

namespace {

/// Runs of one problem with a given number of workers, compared with the first of them.
class ScheduledRuns {
 public:
  ScheduledRuns(int workers, const ThreadFunctor& functor, const std::vector<Watched>& watched,
                const FunctionRef<void()>& restore)
      : workers_(workers), functor_(functor), watched_(watched), restore_(restore) {
    restore();
    const std::vector<char> before = watched_bytes(watched, 1);
    Schedule schedule(workers, 0, 1);
    reference_ = run_threads(schedule, workers, 1, functor, watched);
    expected_ = watched_bytes(watched, 1);
    changes_ = expected_ != before;
    for (int rank = 0; rank < workers; ++rank) {
      EXPECT_EQ(reference_.barriers[rank], barriers()) << "worker " << rank;
      EXPECT_EQ(reference_.codes[rank], reference_.codes[0]) << "worker " << rank;
    }
  }

  int barriers() const { return reference_.barriers[0]; }
  bool changes() const { return changes_; }

  bool same(int first, int step, int skipped) const {
    restore_();
    Schedule schedule(workers_, first, step, skipped);
    const ThreadRun run = run_threads(schedule, workers_, 1, functor_, watched_);
    bool same =
        !schedule.stuck() && run.barriers == reference_.barriers && run.codes == reference_.codes;
    for (const auto& seen : run.seen) same = same && seen == expected_;
    return same;
  }

  void expect_no_barrier_missing() const {
    for (int first = 0; first < workers_; ++first) {
      for (const int step : {1, -1}) {
        EXPECT_TRUE(same(first, step, -1))
            << "a barrier is missing: another result when worker " << first << " of " << workers_
            << " runs first, step " << step;
      }
    }
  }

  bool shows_without(int barrier) const {
    for (int first = 0; first < workers_; ++first) {
      for (const int step : {1, -1}) {
        if (!same(first, step, barrier)) return true;
      }
    }
    return false;
  }

 private:
  int workers_;
  const ThreadFunctor& functor_;
  const std::vector<Watched>& watched_;
  const FunctionRef<void()>& restore_;
  ThreadRun reference_;
  std::vector<char> expected_;
  bool changes_ = false;
};

}  // namespace

void check_barriers(const ThreadFunctor& functor, const std::vector<Watched>& watched,
                    const FunctionRef<void()>& restore, bool each_needed) {
  std::vector<ScheduledRuns> runs;
  runs.emplace_back(3, functor, watched, restore);
  runs[0].expect_no_barrier_missing();
  const int barriers = runs[0].barriers();
  const std::size_t smallest = 5 * 16 * sizeof(float);
#ifdef __SANITIZE_THREAD__
  each_needed = false;  // runs the same everywhere, and takes very long here
#endif
  if (each_needed && runs[0].changes() && (barriers == 1 || watched[0].bytes >= smallest)) {
    for (int barrier = 0; barrier < barriers; ++barrier) {
      bool shows = runs[0].shows_without(barrier);
      for (std::size_t i = 1; i < 3 && !shows; ++i) {
        if (runs.size() == i) runs.emplace_back(i == 1 ? 7 : 48, functor, watched, restore);
        shows = runs[i].barriers() == barriers && runs[i].shows_without(barrier);
      }
      EXPECT_TRUE(shows) << "no test fails without barrier " << barrier << " of " << barriers;
    }
  }
  restore();
}

}  // namespace KokkosContract::Test
