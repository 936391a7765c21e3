// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulated GPU itself: exchange between lanes, and the faults that it reports.
#include <gtest/gtest.h>

#include <KokkosContract/machine/Machine.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "EmulatedDevice.hpp"

namespace KokkosContract::Test {
namespace {

using machine = KokkosContract::Impl::EmulatedMachine<32>;

constexpr unsigned all = ~0U;

/// 2 x 32 lanes, which run in this order.
std::string run(LaneOrder order, const std::function<void()>& body) {
  return EmulatedBlock(2, 32, 64, order).run(body);
}
void expect_fault(const std::string& message, const std::function<void()>& body) {
  for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
    EXPECT_NE(run(order, body).find(message), std::string::npos) << run(order, body);
  }
}
void expect_none(const std::function<void()>& body) {
  for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
    EXPECT_EQ(run(order, body), "");
  }
}

TEST(EmulatedDevice, LanesTellEachOther) {
  expect_none([] {
    const int lane = machine::lane_of_warp();
    const double mine = lane + 100 * machine::thread_of_block();
    const double base = 100 * machine::thread_of_block();
    EXPECT_EQ(machine::shuffle(all, mine, 5), base + 5);
    EXPECT_EQ(machine::shuffle<8>(all, mine, 3), base + lane / 8 * 8 + 3);
    EXPECT_EQ(machine::shuffle_xor(all, mine, 6), base + (lane ^ 6));
    EXPECT_EQ(machine::ballot(all, lane % 4 == 1), 0x22222222U);
    EXPECT_TRUE(machine::any_of(all, lane == 9));
    EXPECT_FALSE(machine::any_of(all, false));
    // Halves of a warp at different places of the program.
    if (lane < 16) {
      EXPECT_EQ(machine::shuffle(0xffffU, lane, 15), 15);
    } else {
      EXPECT_EQ(machine::ballot(0xffff0000U, true), 0xffff0000U);
    }
    EXPECT_TRUE(machine::any_of_block(mine == 131));
    EXPECT_FALSE(machine::any_of_block(false));
  });
}

TEST(EmulatedDevice, MatrixProduct) {
  expect_none([] {
    const int lane = machine::lane_of_warp();
    // x(i, k) = i + 10 k, y(k, j) = k - j.
    double sum[4] = {1, 2, 3, 4};
    const double above = lane / 4 + 10 * (lane % 4);
    const double x[2] = {above, above + 8};
    const double y[1] = {static_cast<double>(lane % 4 - lane / 4)};
    machine::multiply_add(KokkosContract::Impl::Mma16x8x4{}, sum, x, y);
    for (int s = 0; s < 4; ++s) {
      const int i = lane / 4 + s / 2 * 8, j = lane % 4 * 2 + s % 2;
      double expected = 1 + s;
      for (int k = 0; k < 4; ++k) expected += (i + 10. * k) * (k - j);
      EXPECT_EQ(sum[s], expected);
    }
  });
}

TEST(EmulatedDevice, CopiesArriveAtTheirWait) {
  alignas(16) static const double from[2] = {1, 2};
  expect_none([] {
    struct Name;
    char* memory = machine::block_memory<Name, 1024>();
    EXPECT_FALSE(machine::is_in_global_memory(memory));
    EXPECT_TRUE(machine::is_in_global_memory(from));
    const int lane = machine::lane_of_warp() + 32 * machine::thread_of_block();
    char* to = memory + 16 * lane;
    std::memset(to, 0, 16);
    machine::start_copy_of_16(to, reinterpret_cast<const char*>(from));
    double before = -1;
    std::memcpy(&before, to, sizeof(double));
    EXPECT_EQ(before, 0);
    machine::finish_own_copies();
    EXPECT_EQ(std::memcmp(to, from, 16), 0);
  });
  expect_fault("a copy that no lane waits for", [] {
    struct Name;
    machine::start_copy_of_16(machine::block_memory<Name, 16>(),
                              reinterpret_cast<const char*>(from));
  });
}

TEST(EmulatedDevice, CopiesThatAreNotAligned) {
  expect_fault("a copy that is not aligned", [] {
    struct Name;
    alignas(16) static const double from[3]{};
    machine::start_copy_of_16(machine::block_memory<Name, 16>(),
                              reinterpret_cast<const char*>(from + 1));
    machine::finish_own_copies();
  });
}

TEST(EmulatedDevice, ShufflesFromNobody) {
  expect_none([] {
    if (machine::lane_of_warp() < 8) {
      EXPECT_TRUE(std::isnan(machine::shuffle(0xffU, 1.0, 8)));
      EXPECT_EQ(machine::shuffle(0xffU, 1, 32), 1);  // the first
    }
  });
}

TEST(EmulatedDevice, WritesOutside) {
  const auto scratch = [](bool of_thread) {
    return static_cast<EmulatedBlock*>(KokkosContract::Impl::emulated_device)->scratch(of_thread);
  };
  // One lane does, for lanes that write the same race.
  const auto is_first = [] {
    return machine::thread_of_block() == 0 && machine::lane_of_thread() == 0;
  };
  for (const int at : {-1, 16}) {
    expect_fault("outside of the memory", [=] {
      struct Name;
      char* const memory = machine::block_memory<Name, 16>();
      if (is_first()) memory[at] = 0;
    });
  }
  for (const bool of_thread : {true, false}) {
    for (const int at : {-1, 64}) {
      expect_fault("outside of the memory", [=] {
        if (is_first()) scratch(of_thread)[at] = 0;
      });
    }
    expect_none([=] {
      if (is_first()) scratch(of_thread)[0] = scratch(of_thread)[63] = 0;
    });
  }
}

TEST(EmulatedDevice, Complains) {
  const auto lane = [] { return machine::lane_of_warp(); };
  expect_fault("a lane takes part in a collective whose mask it is not in",
               [=] { (void)machine::ballot(1U, true); });
  expect_fault("a lane has returned before a collective", [=] {
    if (lane() != 3) machine::warp_barrier(all);
  });
  // Whether the others came first, or not.
  expect_fault("a barrier of the block", [] {
    if (machine::thread_of_block() == 0) (void)machine::any_of_block(true);
  });
  // Lanes of one warp at two collectives, each of which waits for the others.
  expect_fault("lanes do not meet", [=] {
    if (lane() % 2 == 0) {
      machine::warp_barrier(all);
    } else {
      (void)machine::ballot(all, true);
    }
  });
  expect_fault("waits at a barrier of the block", [=] {
    if (lane() == 0) {
      (void)machine::any_of_block(true);
    } else {
      machine::warp_barrier(all);
    }
  });
}

}  // namespace
}  // namespace KokkosContract::Test
