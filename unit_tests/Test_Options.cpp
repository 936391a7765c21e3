// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command lines of the examples.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "../example/Options.hpp"

namespace {

using namespace example::option;

struct Outcome {
  std::optional<int> status;
  std::string out, err;
};

class Options : public testing::Test {
 protected:
  int count = 3, block = 5, rows = 0, columns = 0;
  std::optional<int> maybe;
  std::optional<double> real;
  double wide = 0;
  std::string file;
  bool is_quiet = false;

  Outcome read(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "/some/where/program");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const auto status = example::read_options(static_cast<int>(argv.size()), argv.data(), "usage\n",
                                              {{"--count", {number(count)}},
                                               {"--block", {one_of(block, {3, 5, 16})}},
                                               {"--size", {number(rows, 1, 99), number(columns)}},
                                               {"--maybe", {number(maybe, 0, 8)}},
                                               {"--real", {number(real, 0.5, 2.0)}},
                                               {"--wide", {number(wide)}},
                                               {"--file", {text(file)}},
                                               {"--quiet", {}, [&] { is_quiet = true; }}});
    std::string out = testing::internal::GetCapturedStdout();
    return {status, out, testing::internal::GetCapturedStderr()};
  }

  void expect_refused(const std::vector<std::string>& arguments, const std::string& message) {
    const Outcome outcome = read(arguments);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_EQ(outcome.err, "program: " + message + "; see --help\n");
    EXPECT_EQ(outcome.out, "");
  }
};

TEST_F(Options, ReadsValues) {
  const Outcome outcome =
      read({"--count", "7", "--block=16", "--size", "2", "2147483647", "--maybe=0", "--real", "1e0",
            "--wide", "6", "--file", "a=b", "--quiet", "--kokkos-num-threads=2"});
  EXPECT_EQ(outcome.status, std::nullopt) << outcome.err;
  EXPECT_EQ(count, 7);
  EXPECT_EQ(block, 16);
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(columns, 2147483647);
  EXPECT_EQ(maybe, 0);
  EXPECT_EQ(real, 1.0);
  EXPECT_EQ(wide, 6.0);
  EXPECT_EQ(file, "a=b");
  EXPECT_TRUE(is_quiet);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST_F(Options, KeepsDefaultsAndTakesTheLast) {
  EXPECT_EQ(read({}).status, std::nullopt);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(maybe, std::nullopt);
  EXPECT_EQ(read({"--count", "1", "--count=2", "--file=x=y"}).status, std::nullopt);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(file, "x=y");
}

TEST_F(Options, PrintsTheUsage) {
  for (const char* help : {"--help", "-h"}) {
    const Outcome outcome = read({"--count", "7", help, "--unknown"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out, "usage\n");
    EXPECT_EQ(outcome.err, "");
  }
}

TEST_F(Options, RefusesBadNumbers) {
  for (const std::string bad : {"0", "-1", "x", "2x", " 2", "+2", "2.0", "", "2147483648"})
    expect_refused({"--count", bad}, "option --count: bad value '" + bad +
                                         "', expected a whole number from 1 to 2147483647");
  EXPECT_EQ(count, 3);
  for (const std::string bad : {"nan", "inf", "0.4", "2.1", "1,5"})
    expect_refused({"--real=" + bad},
                   "option --real: bad value '" + bad + "', expected a number from 0.5 to 2");
  expect_refused({"--block", "4"}, "option --block: bad value '4', expected one of 3, 5, 16");
  expect_refused({"--block=05"}, "option --block: bad value '05', expected one of 3, 5, 16");
  expect_refused(
      {"--size", "2", "--quiet"},
      "option --size: bad value '--quiet', expected a whole number from 1 to 2147483647");
}

TEST_F(Options, RefusesMissingValues) {
  expect_refused({"--count"}, "option --count needs a value");
  expect_refused({"--quiet", "--file"}, "option --file needs a value");
  expect_refused({"--size"}, "option --size needs 2 values");
  expect_refused({"--size", "2"}, "option --size needs 2 values");
}

TEST_F(Options, RefusesUnknownOptions) {
  expect_refused({"--cuont", "2"}, "unknown option '--cuont'");
  expect_refused({"file"}, "unknown option 'file'");
  expect_refused({"--coun"}, "unknown option '--coun'");
  expect_refused({""}, "unknown option ''");
  expect_refused({"--quiet=1"}, "option --quiet takes no value");
  expect_refused({"--size=2"}, "option --size takes 2 values, without =");
}

}  // namespace
