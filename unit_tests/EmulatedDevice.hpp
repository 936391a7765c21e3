// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of a GPU on a host. Its lanes are fibers, one of which runs at a time until it comes to a
// point where lanes meet. So any test can run the code of a GPU's lanes, and faults show:
//   - A collective that not all its lanes reach ends the run with a message.
//   - A shuffle from a lane that does not take part gives bits that are no number.
//   - Asynchronous copies arrive at their wait, and no sooner.
//   - A write outside of scratch memory, or of memory of the block, ends in a message.
//   - For the thread sanitizer the lanes are threads, which wait for each other at barriers only.
//     It reports a read of what another lane wrote without a barrier in between.
#pragma once

#include <KokkosContract/machine/Machine.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace KokkosContract::Test {

/// Which of the ready lanes runs: the first or the last. So lanes run as far ahead of others as
/// possible.
enum class LaneOrder { forward, backward };

/// The kinds of points where lanes meet.
enum class Meeting { shuffle, ballot, matrix, warp_barrier, block_barrier, wait_for_copies };
inline constexpr int meetings = 6;

class EmulatedBlock : public KokkosContract::Impl::EmulatedDevice {
 public:
  /// `scratch` bytes for each team_scratch and thread_scratch; `warp` lanes in a warp.
  EmulatedBlock(int threads, int lanes, std::size_t scratch, LaneOrder order, int warp_size = 32);
  ~EmulatedBlock() override;
  EmulatedBlock(const EmulatedBlock&) = delete;
  EmulatedBlock& operator=(const EmulatedBlock&) = delete;

  /// Each lane calls it once. Returns a description of the fault, or an empty string.
  std::string run(const std::function<void()>& body);

  /// Each lane skips meeting number `number` of this kind, as if the call were absent, and gets
  /// only its own values. This is for tests that must detect it.
  void leave_out(Meeting kind, int number);
  /// How many meetings of a kind each lane has reached; -1 if the lanes differ.
  int count(Meeting kind) const;

  Place place() const override;
  const std::uint64_t* share(Collective kind, std::uint64_t mask, std::uint64_t mine) override;
  bool any_of_block(bool mine) override;
  char* block_memory(const void* name, int bytes) override;
  bool is_in_global_memory(const void* p) const override;
  void start_copy(void* to, const void* from, int bytes, int alignment) override;
  void end_group_of_copies() override;
  void finish_groups_of_copies(int left) override;
  void finish_copies() override;
  void prefetch(const void* from, std::size_t bytes) override;
  void record(int algorithm) override;

  /// The algorithms that all lanes have recorded (Way), in their order; none if lanes differ.
  std::vector<int> algorithms() const;

  /// Memory that one lane has prefetched.
  struct Prefetched {
    const std::byte* from;
    std::size_t bytes;
    int lane;  ///< of the block
  };
  std::vector<Prefetched> prefetched() const;

  char* scratch(bool of_thread);
  std::size_t scratch_bytes() const { return scratch_bytes_; }

 private:
  struct Lane;
  struct Memory;
  static void enter(unsigned high, unsigned low);
  void leave();
  void wait();
  void complete_warp(int warp);
  void complete_block();
  void refuse(const char* message);
  bool passes_by(Meeting kind);
  Lane& lane_of(int warp, int number);
  std::string describe_waiting() const;

  int threads_, lanes_, warp_size_;
  std::size_t scratch_bytes_;
  LaneOrder order_;
  std::vector<Lane> lane_;
  std::unique_ptr<Memory> memory_;
  const std::function<void()>* body_ = nullptr;
  int running_ = 0;
  Meeting left_out_{};
  int number_left_out_ = -1;
  std::string fault_;
};

/// The execution space of such blocks, with Warp lanes in a warp.
template <int WarpSize>
struct EmulatedSpace {
  static constexpr bool is_emulated_gpu = true;
  static constexpr int warp_size = WarpSize;
  using execution_space = EmulatedSpace;
  using memory_space = Kokkos::HostSpace;
  using device_type = Kokkos::Device<EmulatedSpace, memory_space>;
  using size_type = std::size_t;
  using array_layout = Kokkos::LayoutRight;
  using scratch_memory_space = Kokkos::DefaultHostExecutionSpace::scratch_memory_space;
  static constexpr const char* name() { return "Emulated"; }
};

/// A lane's view of its team, which is the block.
template <int WarpSize, class Space = EmulatedSpace<WarpSize>>
class EmulatedMember {
 public:
  using execution_space = Space;
  EmulatedMember(EmulatedBlock& block, int league_rank, int league_size)
      : block_(&block), league_rank_(league_rank), league_size_(league_size) {}
  int team_rank() const { return block_->place().thread; }
  int team_size() const { return block_->place().threads; }
  int league_rank() const { return league_rank_; }
  int league_size() const { return league_size_; }
  void team_barrier() const { (void)block_->any_of_block(false); }
  template <class T>
  void team_broadcast(T& x, int source) const {
    // Through memory of the block, as on a GPU.
    static constexpr char name = 0;
    T* shared = reinterpret_cast<T*>(block_->block_memory(&name, sizeof(T)));
    team_barrier();
    if (team_rank() == source && block_->place().lane == 0) *shared = x;
    team_barrier();
    x = *shared;
  }
  auto team_scratch(int) const { return scratch(false); }
  auto thread_scratch(int) const { return scratch(true); }

 private:
  struct Scratch : EmulatedSpace<WarpSize>::scratch_memory_space {
    using Base = typename EmulatedSpace<WarpSize>::scratch_memory_space;
    using Base::Base;
    using execution_space = EmulatedSpace<WarpSize>;
  };
  Scratch scratch(bool of_thread) const {
    return {block_->scratch(of_thread), block_->scratch_bytes()};
  }
  EmulatedBlock* block_;
  int league_rank_, league_size_;
};

}  // namespace KokkosContract::Test
