// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs random draws of the cases that it is linked with. Started by scripts/fuzz.
//   FOLDER SEED DRAWS SECONDS [ENTRY DRAW]
// The draw that runs is in FOLDER/running, for whoever finds the program dead; findings are in
// FOLDER/findings, what was done in FOLDER/statistics. The last two arguments: that draw alone.
#include <gtest/gtest-spi.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>

#include "Draw.hpp"

namespace KokkosContract::Test::Fuzz {

/// The cases, in a file that scripts/fuzz writes.
std::vector<Entry> entries();

namespace {

std::vector<std::string> arguments;

/// The messages of all checks that fail.
std::string failures_of(const Entry& entry, const Draw& draw, Statistics& statistics) {
  testing::TestPartResultArray results;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    check(entry, draw, statistics);
  }
  std::string messages;
  for (int i = 0; i < results.size(); ++i) {
    if (results.GetTestPartResult(i).failed()) {
      messages += results.GetTestPartResult(i).message();
      messages += '\n';
    }
  }
  return messages;
}

/// Blocks of lines in a file, each with an empty line behind.
void write_finding(const std::string& folder, int number, const Entry& entry, const Draw& draw,
                   const std::string& messages) {
  std::ofstream file(folder + "/findings", std::ios::app);
  file << "entry " << number << "\ncase " << entry.name << "\nlevel " << entry.level << "\ndraw "
       << draw.text() << '\n';
  std::string line;
  for (const char c : messages + "\n") {
    if (c == '\n') {
      if (!line.empty()) file << "message " << line << '\n';
      line.clear();
    } else {
      line += c;
    }
  }
  file << '\n';
}

class Running {
 public:
  explicit Running(const std::string& folder)
      : file_(std::fopen((folder + "/running").c_str(), "w")) {}
  ~Running() { std::fclose(file_); }
  void is(int entry, int draw) {
    std::rewind(file_);
    std::fprintf(file_, "%d %d\n", entry, draw);
    std::fflush(file_);
  }

 private:
  std::FILE* file_;
};

TEST(Fuzz, Cases) {
  const std::string folder = arguments.at(1);
  const std::uint64_t seed = std::stoull(arguments.at(2));
  const int draws = std::stoi(arguments.at(3));
  const double seconds = std::stod(arguments.at(4));
  const int only_entry = arguments.size() > 5 ? std::stoi(arguments[5]) : -1;
  const int only_draw = arguments.size() > 6 ? std::stoi(arguments[6]) : -1;
  const auto all = entries();
  const auto start = std::chrono::steady_clock::now();
  Running running(folder);
  Statistics statistics;
  long failures = 0;
  std::set<int> failed;
  bool late = false;
  for (int d = 0; d < draws && !late; ++d) {
    for (int e = 0; e < static_cast<int>(all.size()) && !late; ++e) {
      if ((only_entry >= 0 && (e != only_entry || d != only_draw)) || failed.count(e)) continue;
      if (d > 0 && all[e].description.huge) continue;  // one call takes long
      late =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds;
      Random random(seed * 1000003 + static_cast<std::uint64_t>(e) * 1000033 + d);
      random.bits();
      const Draw draw = random_draw(all[e], random);
      running.is(e, d);
      if (only_entry >= 0) std::printf("%s\n", draw.text().c_str()), std::fflush(stdout);
      if (failures_of(all[e], draw, statistics).empty()) continue;
      ++failures;
      failed.insert(e);
      Statistics unused;
      const Draw small = minimised(all[e], draw, [&](const Draw& smaller) {
        return !failures_of(all[e], smaller, unused).empty();
      });
      const std::string messages = failures_of(all[e], small, unused);
      std::printf("%s\n%s\n", small.text().c_str(), messages.c_str());
      write_finding(folder, e, all[e], small, messages);
    }
  }
  std::ofstream(folder + "/statistics") << statistics.calls << ' ' << statistics.elements << ' '
                                        << statistics.worst << ' ' << failures << '\n';
  std::ofstream kinds(folder + "/kinds");
  for (const auto& [kind, calls] : statistics.kinds) kinds << calls << ' ' << kind << '\n';
}

}  // namespace
}  // namespace KokkosContract::Test::Fuzz

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  KokkosContract::Test::Fuzz::arguments.assign(argv, argv + argc);
  return RUN_ALL_TESTS();
}
