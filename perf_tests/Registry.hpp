// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_REGISTRY_HPP
#define KOKKOSCONTRACT_PERF_REGISTRY_HPP

// How the files of a benchmark executable tell its main what they have, and how main runs it.

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <charconv>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Progress.hpp"

namespace perf {

/// A file's benchmarks: `add` is called by main when Kokkos runs.
struct Registered {
  explicit Registered(void (*add)()) { list().push_back(add); }
  static std::vector<void (*)()>& list() {
    static std::vector<void (*)()> functions;
    return functions;
  }
};

inline Progress& progress() {
  static Progress of_the_run;
  return of_the_run;
}

/// benchmark::RegisterBenchmark, of a function whose calls are seen in the progress.
template <class F, class... Arguments>
auto* register_benchmark(const std::string& name, const F& function,
                         const Arguments&... arguments) {
  return benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    progress().enter(name);
    function(state, arguments...);
    progress().leave();
  });
}

/// What the results are to say of the program.
inline void add_versions(const std::string& compiler) {
  benchmark::AddCustomContext("compiler", compiler);
  benchmark::AddCustomContext("Kokkos", std::to_string(KOKKOS_VERSION / 10000) + "." +
                                            std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                                            std::to_string(KOKKOS_VERSION % 100));
}

/// Runs all benchmarks that main was asked for; `add_machine` registers the first ones.
/// \return what main is to return
inline int run_benchmarks(int argc, char** argv, void (*add_machine)()) {
  bool lists = false, is_interleaved = false;
  int repetitions = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    constexpr std::string_view repeat = "--benchmark_repetitions=";
    lists = lists || argument.starts_with("--benchmark_list_tests");
    is_interleaved = is_interleaved || argument == "--benchmark_enable_random_interleaving" ||
                     argument == "--benchmark_enable_random_interleaving=true";
    if (argument.starts_with(repeat))
      std::from_chars(argument.data() + repeat.size(), argument.data() + argument.size(),
                      repetitions);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  add_machine();
  for (const auto add : Registered::list()) add();

  if (progress().shows() && !lists) {
    // Google Benchmark tells how many there are when it lists them, and in no other way.
    const auto set_listing = [&](const char* value) {
      std::string flag = std::string("--benchmark_list_tests=") + value;
      char* flags[] = {argv[0], flag.data(), nullptr};
      int count = 2;
      benchmark::Initialize(&count, flags);
    };
    std::ostream nowhere(nullptr);
    benchmark::ConsoleReporter silent;
    silent.SetOutputStream(&nowhere);
    silent.SetErrorStream(&nowhere);
    set_listing("true");
    const auto benchmarks = static_cast<int>(benchmark::RunSpecifiedBenchmarks(&silent));
    set_listing("false");
    // Repetitions are one part, unless those of others come between them.
    progress().begin(benchmarks * (is_interleaved ? repetitions : 1));
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

/// Calls f.operator()<N>() for each N.
template <int... N, class F>
void for_each_width(std::integer_sequence<int, N...>, const F& f) {
  (f.template operator()<N>(), ...);
}

}  // namespace perf

#endif
