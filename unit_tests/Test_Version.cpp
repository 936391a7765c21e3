// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Version.hpp>
#include <string>

TEST(Version, TheStringSaysWhatTheNumbersSay) {
  EXPECT_EQ(std::to_string(KOKKOSCONTRACT_VERSION_MAJOR) + "." +
                std::to_string(KOKKOSCONTRACT_VERSION_MINOR) + "." +
                std::to_string(KOKKOSCONTRACT_VERSION_PATCH),
            KOKKOSCONTRACT_VERSION_STRING);
  EXPECT_EQ(KOKKOSCONTRACT_VERSION / 10000, KOKKOSCONTRACT_VERSION_MAJOR);
}
