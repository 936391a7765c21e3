// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without the thread sanitizer, which is told what the lanes' turns mean.
#include "EmulatedDevice.hpp"

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

extern "C" {
[[gnu::weak]] void* __tsan_get_current_fiber(void);
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
[[gnu::weak]] void AnnotateIgnoreWritesBegin(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesEnd(const char* file, int line);
}

namespace KokkosContract::Test {

namespace {

constexpr std::size_t stack_bytes = std::size_t{1} << 18;
constexpr unsigned no_synchronisation = 1;

/// The value of memory that no lane has written. Guards of it surround all memory that lanes
/// request.
constexpr char untouched = 0x7f;
constexpr std::size_t guard = 64;
constexpr int largest_warp = 64;

void acquire(void* address) {
  if (__tsan_acquire != nullptr) __tsan_acquire(address);
}
void release(void* address) {
  if (__tsan_release != nullptr) __tsan_release(address);
}

/// Hides writes from the sanitizer while an object of this class exists. A CPU with narrow
/// registers copies by a call of memcpy, which the sanitizer replaces in any file.
class UnseenWrites {
 public:
  UnseenWrites() {
    if (AnnotateIgnoreWritesBegin != nullptr) AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~UnseenWrites() {
    if (AnnotateIgnoreWritesEnd != nullptr) AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  }
  UnseenWrites(const UnseenWrites&) = delete;
  UnseenWrites& operator=(const UnseenWrites&) = delete;
};

/// The stack of a lane. Those of one block serve the next: to the sanitizer, new memory is dear.
char* stack_of(std::size_t lane) {
  static std::vector<std::unique_ptr<char[]>> stacks;
  while (stacks.size() <= lane) stacks.emplace_back(new char[stack_bytes]);
  return stacks[lane].get();
}

/// Where a lane, or what runs lanes, goes on. `start` begins a lane. Later switches are jumps: with
/// swapcontext, which asks the kernel for the mask of signals, they took most of the time of tests.
/// A lane still begins with swapcontext, by which the address sanitizer knows of the new stack.
/// The two functions below are not instrumented: before a function that does not return, the
/// address sanitizer runs code of its own, which takes the stack of a lane for one that overflows.
struct Context {
  ucontext_t start{};
  std::array<void*, 5> point{};
  bool has_point = false;
};

[[gnu::noinline, gnu::no_sanitize_address, noreturn]] void go_to(const Context& to) {
  if (to.has_point) __builtin_longjmp(const_cast<void**>(to.point.data()), 1);
  ucontext_t left_for_good;
  swapcontext(&left_for_good, &to.start);
  std::abort();
}
/// Goes on at `to`, and returns when somebody goes on at `from`.
[[gnu::noinline, gnu::no_sanitize_address]] void switch_to(Context& from, const Context& to) {
  from.has_point = true;
  if (__builtin_setjmp(from.point.data()) == 0) go_to(to);
}

}  // namespace

struct EmulatedBlock::Lane {
  enum class State { ready, in_warp, in_block, finished };
  struct Copy {
    void* to;
    const void* from;
    int bytes;
    int group;
  };

  Context context;
  void* fiber = nullptr;
  int thread = 0, lane = 0;
  State state = State::ready;
  Collective kind{};
  std::uint64_t mask = 0;
  std::uint64_t mine = 0;
  std::array<std::uint64_t, largest_warp> all{};
  std::vector<Copy> copies;
  int groups = 0;
  std::array<int, meetings> count{};
  std::vector<int> algorithms;
  std::vector<Prefetched> prefetched;
};

struct EmulatedBlock::Memory {
  static constexpr std::size_t block_bytes = std::size_t{1} << 17;
  std::vector<char> block = std::vector<char>(block_bytes, untouched);
  std::size_t used = guard;
  std::map<const void*, char*> named;
  std::vector<char> team_scratch, thread_scratch;
  std::vector<const char*> guards;
  bool guards_hold() const {
    return std::ranges::all_of(guards, [](const char* p) {
      return std::all_of(p, p + guard, [](char c) { return c == untouched; });
    });
  }
  Context scheduler;
  void* fiber = nullptr;
};

EmulatedBlock::EmulatedBlock(int threads, int lanes, std::size_t scratch, LaneOrder order,
                             int warp_size)
    : threads_(threads),
      lanes_(lanes),
      warp_size_(warp_size),
      scratch_bytes_(scratch),
      order_(order),
      lane_(static_cast<std::size_t>(threads) * lanes),
      memory_(new Memory) {
  memory_->team_scratch.assign(guard + scratch + guard, untouched);
  memory_->thread_scratch.assign(guard + (scratch + guard) * static_cast<std::size_t>(threads),
                                 untouched);
  const auto put_guards = [&](const std::vector<char>& memory) {
    for (std::size_t at = 0; at < memory.size(); at += guard + scratch) {
      memory_->guards.push_back(memory.data() + at);
    }
  };
  put_guards(memory_->team_scratch);
  put_guards(memory_->thread_scratch);
  memory_->guards.push_back(memory_->block.data());
}
EmulatedBlock::~EmulatedBlock() = default;

EmulatedBlock::Lane& EmulatedBlock::lane_of(int warp, int number) {
  return lane_[static_cast<std::size_t>(warp * warp_size_ + number)];
}

void EmulatedBlock::enter(unsigned high, unsigned low) {
  auto* block = reinterpret_cast<EmulatedBlock*>(std::uintptr_t{high} << 32 | low);
  (*block->body_)();
  block->leave();
}

void EmulatedBlock::leave() {
  Lane& lane = lane_[running_];
  lane.state = Lane::State::finished;
  release(this);
  if (memory_->fiber != nullptr) __tsan_switch_to_fiber(memory_->fiber, no_synchronisation);
  go_to(memory_->scheduler);
}

void EmulatedBlock::wait() {
  Lane& lane = lane_[running_];
  if (memory_->fiber != nullptr) __tsan_switch_to_fiber(memory_->fiber, no_synchronisation);
  switch_to(lane.context, memory_->scheduler);
}

std::string EmulatedBlock::run(const std::function<void()>& body) {
  body_ = &body;
  if (__tsan_get_current_fiber != nullptr) memory_->fiber = __tsan_get_current_fiber();
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  const int count = threads_ * lanes_;
  for (int l = 0; l < count; ++l) {
    Lane& lane = lane_[l];
    lane.thread = l / lanes_;
    lane.lane = l % lanes_;
    lane.copies.reserve(64);
    ucontext_t& start = lane.context.start;
    lane.context.has_point = false;
    getcontext(&start);
    start.uc_stack.ss_sp = stack_of(l);
    start.uc_stack.ss_size = stack_bytes;
    start.uc_link = nullptr;
    makecontext(&start, reinterpret_cast<void (*)()>(&EmulatedBlock::enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
    if (memory_->fiber != nullptr) lane.fiber = __tsan_create_fiber(0);
  }
  EmulatedDevice* const outer = std::exchange(KokkosContract::Impl::emulated_device, this);
  for (bool progress = true; progress && fault_.empty();) {
    progress = false;
    for (int i = 0; i < count && fault_.empty(); ++i) {
      running_ = order_ == LaneOrder::forward ? i : count - 1 - i;
      Lane& lane = lane_[running_];
      if (lane.state != Lane::State::ready) continue;
      progress = true;
      if (lane.fiber != nullptr) __tsan_switch_to_fiber(lane.fiber, no_synchronisation);
      switch_to(memory_->scheduler, lane.context);
      if (lane.state == Lane::State::in_warp) complete_warp(running_ / warp_size_);
      if (lane.state == Lane::State::in_block) complete_block();
      if (lane.state == Lane::State::ready) i = -1;
    }
  }
  KokkosContract::Impl::emulated_device = outer;
  acquire(this);
  if (fault_.empty()) fault_ = describe_waiting();
  if (fault_.empty() && !memory_->guards_hold()) {
    fault_ = "a lane has written outside of the memory that it asked for";
  }
  for (Lane& lane : lane_) {
    if (lane.fiber != nullptr) __tsan_destroy_fiber(lane.fiber);
    if (fault_.empty() && !lane.copies.empty()) fault_ = "a copy that no lane waits for";
  }
  return fault_;
}

/// What the lanes wait for that did not come; empty if all have finished.
std::string EmulatedBlock::describe_waiting() const {
  std::string text;
  for (const Lane& lane : lane_) {
    if (lane.state == Lane::State::finished) continue;
    static constexpr const char* kinds[] = {"a shuffle", "a ballot", "a product of matrices",
                                            "a barrier of the warp"};
    text += "\n  thread " + std::to_string(lane.thread) + ", lane " + std::to_string(lane.lane) +
            " waits at ";
    text += lane.state == Lane::State::in_block ? "a barrier of the block"
                                                : kinds[static_cast<int>(lane.kind)];
  }
  return text.empty() ? text : "lanes do not meet:" + text;
}

/// Lets the lanes go that are all at the same collective.
void EmulatedBlock::complete_warp(int warp) {
  const Lane& last = lane_[running_];
  const auto takes_part = [&](int l) { return (last.mask >> l & 1U) != 0; };
  const int size = threads_ * lanes_ - warp * warp_size_;
  if (!takes_part(running_ % warp_size_)) {
    fault_ = "a lane takes part in a collective whose mask it is not in";
    return;
  }
  for (int l = 0; l < warp_size_; ++l) {
    if (!takes_part(l)) continue;
    if (l >= size) {
      fault_ = "the mask of a collective has a lane that is not there";
      return;
    }
    const Lane& lane = lane_of(warp, l);
    if (lane.state == Lane::State::finished) {
      fault_ = "a lane has returned before a collective that others wait at";
      return;
    }
    if (lane.state != Lane::State::in_warp || lane.kind != last.kind || lane.mask != last.mask) {
      return;
    }
  }
  std::array<std::uint64_t, largest_warp> all{};
  const std::uint64_t mask = last.mask;
  for (int l = 0; l < warp_size_; ++l) {
    if ((mask >> l & 1U) != 0) all[l] = lane_of(warp, l).mine;
  }
  const UnseenWrites unseen;
  for (int l = 0; l < warp_size_; ++l) {
    if ((mask >> l & 1U) == 0) continue;
    lane_of(warp, l).all = all;
    lane_of(warp, l).state = Lane::State::ready;
  }
}

void EmulatedBlock::complete_block() {
  bool any = false;
  for (const Lane& lane : lane_) {
    if (lane.state == Lane::State::finished) {
      fault_ = "a lane has returned before a barrier of the block that others wait at";
      return;
    }
    if (lane.state != Lane::State::in_block) return;
    any = any || lane.mine != 0;
  }
  for (Lane& lane : lane_) {
    lane.mine = any ? 1 : 0;
    lane.state = Lane::State::ready;
  }
}

void EmulatedBlock::leave_out(Meeting kind, int number) {
  left_out_ = kind;
  number_left_out_ = number;
}

int EmulatedBlock::count(Meeting kind) const {
  const auto of = [&](const Lane& lane) { return lane.count[static_cast<std::size_t>(kind)]; };
  for (const Lane& lane : lane_) {
    if (of(lane) != of(lane_[0])) return -1;
  }
  return of(lane_[0]);
}

void EmulatedBlock::record(int algorithm) { lane_[running_].algorithms.push_back(algorithm); }
std::vector<int> EmulatedBlock::algorithms() const {
  const bool agree = std::all_of(lane_.begin(), lane_.end(), [&](const Lane& lane) {
    return lane.algorithms == lane_[0].algorithms;
  });
  return agree ? lane_[0].algorithms : std::vector<int>{};
}

void EmulatedBlock::prefetch(const void* from, std::size_t bytes) {
  lane_[running_].prefetched.push_back({static_cast<const std::byte*>(from), bytes, running_});
}
std::vector<EmulatedBlock::Prefetched> EmulatedBlock::prefetched() const {
  std::vector<Prefetched> result;
  for (const Lane& lane : lane_)
    result.insert(result.end(), lane.prefetched.begin(), lane.prefetched.end());
  return result;
}

bool EmulatedBlock::passes_by(Meeting kind) {
  const int number = lane_[running_].count[static_cast<std::size_t>(kind)]++;
  return kind == left_out_ && number == number_left_out_;
}

EmulatedBlock::Place EmulatedBlock::place() const {
  const Lane& lane = lane_[running_];
  return {lanes_, threads_, lane.lane, lane.thread};
}

const std::uint64_t* EmulatedBlock::share(Collective kind, std::uint64_t mask, std::uint64_t mine) {
  Lane& lane = lane_[running_];
  lane.kind = kind;
  lane.mask = mask;
  lane.mine = mine;
  if (passes_by(static_cast<Meeting>(kind))) {
    const UnseenWrites unseen;
    lane.all.fill(mine);
    return lane.all.data();
  }
  lane.state = Lane::State::in_warp;
  // The address stands for what these lanes see of each other.
  void* const meeting = &lane_of(running_ / warp_size_, 0);
  if (kind == Collective::barrier) release(meeting);
  wait();
  if (kind == Collective::barrier) acquire(meeting);
  return lane.all.data();
}

void EmulatedBlock::refuse(const char* message) {
  if (fault_.empty()) fault_ = message;
}

bool EmulatedBlock::any_of_block(bool mine) {
  if (passes_by(Meeting::block_barrier)) return mine;
  Lane& lane = lane_[running_];
  lane.mine = mine ? 1 : 0;
  lane.state = Lane::State::in_block;
  release(memory_.get());
  wait();
  acquire(memory_.get());
  return lane.mine != 0;
}

char* EmulatedBlock::block_memory(const void* name, int bytes) {
  char*& memory = memory_->named[name];
  if (memory == nullptr) {
    memory = memory_->block.data() + memory_->used;
    memory += (16 - reinterpret_cast<std::uintptr_t>(memory) % 16) % 16;
    memory_->guards.push_back(memory + bytes);
    memory_->used = static_cast<std::size_t>(memory - memory_->block.data()) + bytes + guard;
    if (memory_->used > Memory::block_bytes) refuse("too much memory of a block");
  }
  return memory;
}

bool EmulatedBlock::is_in_global_memory(const void* p) const {
  const auto* at = static_cast<const char*>(p);
  const auto is_in = [&](const std::vector<char>& v) {
    return at >= v.data() && at < v.data() + v.size();
  };
  return !is_in(memory_->block) && !is_in(memory_->team_scratch) && !is_in(memory_->thread_scratch);
}

void EmulatedBlock::start_copy(void* to, const void* from, int bytes, int alignment) {
  if (!is_in_global_memory(from)) refuse("an asynchronous copy from the block's memory");
  for (const void* p : {static_cast<const void*>(to), from}) {
    if (reinterpret_cast<std::uintptr_t>(p) % alignment != 0) refuse("a copy that is not aligned");
  }
  lane_[running_].copies.push_back({to, from, bytes, lane_[running_].groups});
}
void EmulatedBlock::end_group_of_copies() { ++lane_[running_].groups; }
void EmulatedBlock::finish_groups_of_copies(int left) {
  if (passes_by(Meeting::wait_for_copies)) return;
  auto& copies = lane_[running_].copies;
  const auto is_left = [end = lane_[running_].groups - left](const Lane::Copy& copy) {
    return copy.group >= end;
  };
  const auto first_left = std::ranges::find_if(copies, is_left);
  for (auto copy = copies.begin(); copy != first_left; ++copy) {
    std::memcpy(copy->to, copy->from, copy->bytes);
  }
  copies.erase(copies.begin(), first_left);
}
void EmulatedBlock::finish_copies() { finish_groups_of_copies(-1); }

char* EmulatedBlock::scratch(bool of_thread) {
  if (!of_thread) return memory_->team_scratch.data() + guard;
  return memory_->thread_scratch.data() + guard + (scratch_bytes_ + guard) * lane_[running_].thread;
}

}  // namespace KokkosContract::Test
