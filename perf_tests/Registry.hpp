// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_REGISTRY_HPP
#define KOKKOSCONTRACT_PERF_REGISTRY_HPP

// Registration of the benchmarks of an executable's files, and their execution by main.

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

/// A file's benchmarks: main calls `add` when Kokkos runs.
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

/// benchmark::RegisterBenchmark, for a function whose calls show in the progress.
template <class F, class... Arguments>
auto* register_benchmark(const std::string& name, const F& function,
                         const Arguments&... arguments) {
  return benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    progress().enter(name);
    function(state, arguments...);
    progress().leave();
  });
}

/// Facts about the program for the results.
inline void add_versions(const std::string& compiler) {
  benchmark::AddCustomContext("compiler", compiler);
  benchmark::AddCustomContext("Kokkos", std::to_string(KOKKOS_VERSION / 10000) + "." +
                                            std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                                            std::to_string(KOKKOS_VERSION % 100));
}

/// Runs all requested benchmarks; `add_machine` registers the first ones. \return the result of
/// main
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
    // Google Benchmark only tells their number when it lists them.
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
