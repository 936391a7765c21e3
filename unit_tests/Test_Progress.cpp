// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a benchmark is, as a line of a terminal.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "../perf_tests/Progress.hpp"

namespace {

using perf::Progress;

TEST(Progress, TellsPartsAndTime) {
  EXPECT_EQ(Progress::text("Gemm/3", 0, 12, 5.0, 79), "[0 of 12] Gemm/3");
  EXPECT_EQ(Progress::text("Gemm/3", 4, 12, 60.0, 79), "[4 of 12, 2:00 left] Gemm/3");
  EXPECT_EQ(Progress::text("Gemm/3", 11, 12, 99.5, 79), "[11 of 12, 0:09 left] Gemm/3");
  EXPECT_EQ(Progress::text("Gemm/3", 1, 1000, 36.0, 79), "[1 of 1000, 599:24 left] Gemm/3");
}

TEST(Progress, IsNoLongerThanTheLine) {
  EXPECT_EQ(Progress::text("Gemm/double/right", 0, 12, 0.0, 15), "[0 of 12] Gemm/");
}

TEST(Progress, IsSilentInFiles) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  Progress progress(file);
  progress.begin(2);
  progress.enter("a");
  progress.leave();
  EXPECT_FALSE(progress.shows());
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

/// What is written on a pseudo-terminal.
class Terminal : public testing::Test {
 protected:
  int master = -1;
  std::FILE* slave = nullptr;

  void SetUp() override {
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) GTEST_SKIP() << "no terminals";
    slave = std::fopen(ptsname(master), "w");
    ASSERT_NE(slave, nullptr);
  }
  void TearDown() override {
    if (slave != nullptr) std::fclose(slave);
    if (master >= 0) close(master);
  }
  /// A terminal hands on what is written some time later, and in parts.
  void expect_shown(const std::string& expected) const {
    std::string text;
    pollfd readable{master, POLLIN, 0};
    while (text.size() < expected.size() && poll(&readable, 1, 10000) == 1) {
      char part[4096];
      const ssize_t size = read(master, part, sizeof part);
      if (size <= 0) break;
      text.append(part, static_cast<std::size_t>(size));
    }
    EXPECT_EQ(text, expected);
  }
};

TEST_F(Terminal, CountsPartsNotCalls) {
  Progress progress(slave);
  ASSERT_TRUE(progress.shows());
  progress.begin(3);
  progress.enter("a");
  expect_shown("\r[0 of 3] a\033[K");
  progress.leave();
  expect_shown("\r\033[K");
  progress.enter("a");  // more iterations of the same
  expect_shown("\r[0 of 3] a\033[K");
  progress.enter("b");
  expect_shown("\r[1 of 3, 0:00 left] b\033[K");
  progress.enter("a");
  progress.enter("b");  // one more than was said: still not all are done
  expect_shown("\r[2 of 3, 0:00 left] a\033[K\r[2 of 3, 0:00 left] b\033[K");
}

}  // namespace
