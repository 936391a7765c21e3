// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A level that exists in the tests only: W std::threads. A host team has few threads and no lanes,
// so a missing barrier or a wrong split would only show on a GPU. There are two barriers:
//   - DelayedBarrier: a real one with random delays, for the thread sanitizer and for luck;
//   - Schedule: one worker runs at a time and hands over at barriers only, in a chosen order. That
//     is deterministic. A barrier can be left out, which must show in the result.
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "FunctionRef.hpp"
#include "Random.hpp"
#include "StridedTensor.hpp"

// The thread sanitizer knows std::thread, but not the threads of OpenMP.
#if defined(__SANITIZE_THREAD__)
#define KOKKOSCONTRACT_TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KOKKOSCONTRACT_TEST_TSAN 1
#endif
#endif

namespace KokkosContract::Test {

/// The barrier and the collectives of the workers.
class Synchroniser {
 public:
  explicit Synchroniser(int size) {
    for (auto& words : told_) words.assign(static_cast<std::size_t>(size), nothing);
  }
  virtual ~Synchroniser() = default;
  virtual void start(int /*rank*/) {}
  virtual void finish(int /*rank*/) {}
  virtual void barrier(int rank) = 0;

  /// A barrier, in collective number `turn`: the values of all workers.
  const std::vector<std::uint64_t>& share(int turn, int rank, std::uint64_t mine) {
    // Words of the last turn may still be read, but none of the one before it, because a barrier is
    // in between. A worker that passes this barrier too early finds nothing.
    told_[(turn + 1) % 3][rank] = nothing;
    told_[turn % 3][rank] = mine;
    barrier(rank);
    return told_[turn % 3];
  }
  /// Whether a worker contributed a 1. The answer is wrong if a worker is missing.
  static bool is_any(const std::vector<std::uint64_t>& all) {
    bool found = false, missing = false;
    for (const std::uint64_t word : all) {
      found = found || word == 1;
      missing = missing || word == nothing;
    }
    return found != missing;
  }

 private:
  static constexpr std::uint64_t nothing = 0x7f7f7f7f7f7f7f7f;
  std::array<std::vector<std::uint64_t>, 3> told_;
};

/// The level itself, with the interface that the engine requires.
class ThreadLevel {
 public:
  ThreadLevel(Synchroniser& synchroniser, int rank, int size, std::vector<char>& scratch)
      : synchroniser_(&synchroniser), rank_(rank), size_(size), scratch_(&scratch) {}
  // For nvcc, which compiles the callers for a GPU, too. These functions are never called there.
  KOKKOS_FUNCTION int size() const { return size_; }
  KOKKOS_FUNCTION int rank() const { return rank_; }
  KOKKOS_FUNCTION void barrier() const {
    KOKKOS_IF_ON_HOST((++barriers_; synchroniser_->barrier(rank_);))
  }
  KOKKOS_FUNCTION bool any(bool x) const {
    KOKKOS_IF_ON_HOST((return Synchroniser::is_any(share(x));))
    KOKKOS_IF_ON_DEVICE((return x;))
  }
  template <class T>
  KOKKOS_FUNCTION T broadcast(const T& x, int source) const {
    KOKKOS_IF_ON_HOST((return number<T>(share(x)[source]);))
    KOKKOS_IF_ON_DEVICE((return x;))
  }
  template <class T, class Join>
  KOKKOS_FUNCTION T reduce(const T& x, const Join& join) const {
    KOKKOS_IF_ON_HOST((const auto& all = share(x); T result = number<T>(all[0]);
                       for (int r = 1; r < size_; ++r) result = join(result, number<T>(all[r]));
                       return result;))
    KOKKOS_IF_ON_DEVICE((return x;))
  }
  int barriers() const { return barriers_; }
  /// Memory that all workers share.
  std::vector<char>& scratch() const { return *scratch_; }

 private:
  template <class T>
  const std::vector<std::uint64_t>& share(const T& x) const {
    std::uint64_t mine = 0;
    std::memcpy(&mine, &x, sizeof(T));
    ++barriers_;
    return synchroniser_->share(turn_++, rank_, mine);
  }
  template <class T>
  static T number(std::uint64_t word) {
    T x;
    std::memcpy(&x, &word, sizeof(T));
    return x;
  }

  Synchroniser* synchroniser_;
  int rank_, size_;
  std::vector<char>* scratch_;
  mutable int barriers_ = 0, turn_ = 0;
};

class DelayedBarrier : public Synchroniser {
 public:
  DelayedBarrier(int size, std::uint64_t seed) : Synchroniser(size), size_(size) {
    for (int r = 0; r < size; ++r) random_.emplace_back(seed + r);
  }
  void start(int rank) override { delay(rank); }
  void barrier(int rank) override {
    delay(rank);
    {
      std::unique_lock lock(mutex_);
      const long generation = generation_;
      if (++arrived_ == size_) {
        arrived_ = 0;
        ++generation_;
        all_here_.notify_all();
      } else {
        all_here_.wait(lock, [&] { return generation_ != generation; });
      }
    }
    delay(rank);
  }

 private:
  void delay(int rank) {
    auto& random = random_[rank];
    switch (random.integer(0, 3)) {
      case 0:
        std::this_thread::yield();
        break;
      case 1:
        for (volatile int i = random.integer(0, 2000); i > 0;) {
          const int left = i - 1;
          i = left;
        }
        break;
      default:
        break;
    }
  }

  int size_, arrived_ = 0;
  long generation_ = 0;
  std::vector<Random> random_;
  std::mutex mutex_;
  std::condition_variable all_here_;
};

class Schedule : public Synchroniser {
 public:
  /// Between two barriers the workers run in the order first, first + step, ... No worker waits at
  /// barrier number `skipped`, so one worker runs ahead of the others there.
  Schedule(int size, int first, int step, int skipped = -1)
      : Synchroniser(size),
        size_(size),
        skipped_(skipped),
        passed_(size, 0),
        state_(size, State::ready),
        turn_(size) {
    for (int i = 0; i < size; ++i) order_.push_back(((first + i * step) % size + size) % size);
    running_ = order_[0];
  }

  void start(int rank) override {
    std::unique_lock lock(mutex_);
    wait_for_turn(lock, rank);
  }
  void finish(int rank) override {
    std::unique_lock lock(mutex_);
    state_[rank] = State::finished;
    hand_over();
  }
  void barrier(int rank) override {
    std::unique_lock lock(mutex_);
    if (passed_[rank]++ == skipped_) return;
    state_[rank] = State::waiting;
    hand_over();
    wait_for_turn(lock, rank);
  }

  /// Some workers waited at a barrier that others never reached. They were released.
  bool stuck() const { return stuck_; }

 private:
  enum class State { ready, waiting, finished };

  void wait_for_turn(std::unique_lock<std::mutex>& lock, int rank) {
    turn_[rank].wait(lock, [&] { return running_ == rank; });
  }

  void hand_over() {
    for (int round = 0; round < 2; ++round) {
      for (const int rank : order_) {
        if (state_[rank] == State::ready) {
          running_ = rank;
          turn_[rank].notify_one();
          return;
        }
      }
      // All remaining workers wait: the barrier is complete, or never will be.
      bool any_finished = false, any_waiting = false;
      for (State& state : state_) {
        any_finished |= state == State::finished;
        any_waiting |= state == State::waiting;
        if (state == State::waiting) state = State::ready;
      }
      stuck_ |= any_finished && any_waiting;
    }
  }

  int size_, skipped_, running_;
  bool stuck_ = false;
  std::vector<int> order_, passed_;
  std::vector<State> state_;
  std::mutex mutex_;
  std::vector<std::condition_variable> turn_;
};

/// The observations of the workers of one run.
struct ThreadRun {
  std::vector<std::vector<int>> codes;  // [worker][problem]
  std::vector<std::vector<char>> seen;  // [worker]: the watched bytes when the calls returned
  std::vector<int> barriers;            // [worker]
};

using ThreadFunctor = FunctionRef<int(const ThreadLevel&, int problem)>;

/// W workers call functor(level, problem) for each problem. When a call returns, each copies that
/// problem's watched bytes: results must be visible to all by then.
ThreadRun run_threads(Synchroniser& synchroniser, int workers, int problems,
                      const ThreadFunctor& functor, const std::vector<Watched>& watched);

/// The bytes that each worker should have seen, after a run.
std::vector<char> watched_bytes(const std::vector<Watched>& watched, int problems);

/// All schedules give the same bits, and each barrier is needed. Without a barrier, some schedule
/// of 3, 4 or 7 workers gives other bits or codes, or shows some worker an unfinished result.
/// Results that one worker may compute alone are left out. Several operations in a row need not
/// show each barrier: then `each_needed` is false. `restore` undoes a run.
void check_barriers(const ThreadFunctor& functor, const std::vector<Watched>& watched,
                    const FunctionRef<void()>& restore, bool each_needed = true);

}  // namespace KokkosContract::Test
