// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Version.hpp>
#include <fstream>
#include <sstream>
#include <string>

namespace {
/// What a file of the project holds.
std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(KOKKOSCONTRACT_TEST_PROJECT "/" + file).rdbuf();
  return text.str();
}
bool has(const std::string& file, const std::string& line) {
  return text_of(file).find(line) != std::string::npos;
}
}  // namespace

TEST(Version, TheStringSaysWhatTheNumbersSay) {
  EXPECT_EQ(std::to_string(KOKKOSCONTRACT_VERSION_MAJOR) + "." +
                std::to_string(KOKKOSCONTRACT_VERSION_MINOR) + "." +
                std::to_string(KOKKOSCONTRACT_VERSION_PATCH),
            KOKKOSCONTRACT_VERSION_STRING);
  EXPECT_EQ(KOKKOSCONTRACT_VERSION / 10000, KOKKOSCONTRACT_VERSION_MAJOR);
  EXPECT_EQ(KOKKOSCONTRACT_VERSION, 10000 * KOKKOSCONTRACT_VERSION_MAJOR +
                                        100 * KOKKOSCONTRACT_VERSION_MINOR +
                                        KOKKOSCONTRACT_VERSION_PATCH);
}

TEST(Version, ThePreprocessorMayCompareIt) {
#if KOKKOSCONTRACT_VERSION >= 200 && KOKKOSCONTRACT_VERSION < 990000
  SUCCEED();
#else
  FAIL() << KOKKOSCONTRACT_VERSION;
#endif
}

TEST(Version, WhateverNamesTheVersionNamesThisOne) {
  const std::string version = KOKKOSCONTRACT_VERSION_STRING;
  const std::string minor = version.substr(0, version.rfind('.'));
  EXPECT_TRUE(has("CITATION.cff", "\nversion: " + version + "\n"));
  EXPECT_TRUE(has("CHANGELOG.md", "\n## " + version));
  EXPECT_TRUE(has("spack/packages/kokkos-contract/package.py", "version(\"" + version + "\""));
  EXPECT_TRUE(has("docs/status.md", "Version " + minor + "."));
  EXPECT_TRUE(has("docs/install.md", "find_package(KokkosContract " + minor + " "));
  EXPECT_TRUE(
      has("example/quick_start/CMakeLists.txt", "find_package(KokkosContract " + minor + " "));
}
