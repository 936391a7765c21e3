// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples' tables of what kernels reach of what the machine can do.
#include <gtest/gtest.h>

#include <string>

#include "../example/MachineBounds.hpp"

namespace {

std::string row(double seconds) {
  const example::MachineBounds bounds{1e9, 1e9};
  testing::internal::CaptureStdout();
  example::print_rates(8, "kernel", seconds, {1000, 1}, 1000, bounds);
  return testing::internal::GetCapturedStdout();
}

TEST(MachineBounds, RowsAboveTheBoundSaySo) {
  EXPECT_EQ(row(1e-3).find("above the bound"), std::string::npos);
  EXPECT_EQ(row(1e-3 / 1.04).find("above the bound"), std::string::npos);
  const std::string above = row(1e-3 / 3.939);
  EXPECT_NE(above.find("393.9 %"), std::string::npos) << above;
  EXPECT_NE(above.find("above the bound"), std::string::npos) << above;
}

TEST(MachineBounds, TheRemarkEndsAtTheTolerance) {
  EXPECT_STREQ(example::remark_on_percent(105), "");
  EXPECT_STRNE(example::remark_on_percent(106), "");
}

}  // namespace
