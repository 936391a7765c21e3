// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bounds of this machine, measured in the same run as the rest, and the main of every
// benchmark.
#include <fstream>

#include "Perf.hpp"

namespace perf {
namespace {

#if defined(__clang__)
constexpr const char* compiler = "Clang " __clang_version__;
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

/// Bytes of the last cache, from sysfs. Without sysfs it is a size that is large today.
double last_cache_bytes() {
  double bytes = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) +
                       "/size");
    double size = 0;
    char unit = ' ';
    if (file >> size) {
      file >> unit;
      bytes = std::max(bytes, size * (unit == 'K' ? 1024 : (unit == 'M' ? 1024 * 1024 : 1)));
    }
  }
  return bytes > 0 ? bytes : 64e6;
}

/// Independent chains of FMAs in registers only, enough to hide their latency.
template <class T>
[[gnu::noinline]] T fma_chains(int steps) {
  typedef T Register __attribute__((vector_size(KOKKOSCONTRACT_VECTOR_BYTES)));
  constexpr int chains = 12;
  Register sum[chains];
  for (int c = 0; c < chains; ++c) sum[c] = Register{} + T(c);
  Register factor = Register{} + T(0.5);
  Register term = Register{} + T(1);
  benchmark::DoNotOptimize(factor);
  benchmark::DoNotOptimize(term);
  for (int s = 0; s < steps; ++s) {
#pragma GCC unroll 12
    for (int c = 0; c < chains; ++c) sum[c] = sum[c] * factor + term;
  }
  for (int c = 1; c < chains; ++c) sum[0] += sum[c];
  return sum[0][0];
}

constexpr int fma_steps = 20000;
template <class T>
constexpr double fma_flops = 2.0 * 12 * (KOKKOSCONTRACT_VECTOR_BYTES / sizeof(T)) * fma_steps;

/// FMAs by each thread.
template <class T>
void run_fma_chains() {
  Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, threads()), [](int) {
    T sum = fma_chains<T>(fma_steps);
    benchmark::DoNotOptimize(sum);
  });
  Kokkos::fence();
}

template <class T>
void fma_peak(benchmark::State& state) {
  for (auto _ : state) run_fma_chains<T>();
  count(state, threads(), {fma_flops<T>, 0});
}

/// a = b + s c over this many bytes in all. Bytes are those that the program sees, without the read
/// of a that a cache may add. add_moves is about this loop with s = 1.
void triad(benchmark::State& state, double bytes, double s, Work work) {
  const auto n = std::max(std::ptrdiff_t{8}, static_cast<std::ptrdiff_t>(bytes / 24) / 8 * 8);
  const auto a = random_storage<double>("a", n);
  const auto b = random_storage<double>("bb", n);
  const auto c = random_storage<double>("ccc", n);
  const int sweeps = sweeps_of(1, {0, bytes});
  const int parts = threads();
  for (auto _ : state) {
    Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, parts), [=](int part) {
      double* pa = a.data();
      const double* pb = b.data();
      const double* pc = c.data();
      const std::ptrdiff_t begin = n * part / parts;
      const std::ptrdiff_t end = n * (part + 1) / parts;
      for (int sweep = 0; sweep < sweeps; ++sweep) {
        if (s == 1) {
#pragma GCC ivdep
#pragma GCC unroll 4
          for (std::ptrdiff_t i = begin; i < end; ++i) pa[i] = pb[i] + pc[i];
        } else {
#pragma GCC ivdep
#pragma GCC unroll 4
          for (std::ptrdiff_t i = begin; i < end; ++i) pa[i] = pb[i] + s * pc[i];
        }
        benchmark::ClobberMemory();
      }
    });
    Kokkos::fence();
  }
  const double part_done = static_cast<double>(24 * n) / bytes;  // n is rounded to whole lines
  count(state, sweeps * part_done, work);
}

void add_machine() {
  add_versions(compiler);
  benchmark::AddCustomContext("pack",
                              std::to_string(KokkosContract::default_pack_length<double, Space>));
  add_benchmark("Machine/fma/double", fma_peak<double>);
  add_benchmark("Machine/fma/float", fma_peak<float>);
  for_each_regime(in_l1 | in_l2 | in_memory, 0, [](Regime regime) {
    const double bytes = regime_bytes(regime);
    add_benchmark("Machine/triad/" + regime_name(regime), triad, bytes, 0.5,
                  Work{bytes / 12, bytes});
  });
}

}  // namespace

std::string regime_name(Regime regime) {
  if (regime == in_memory) return threads() == 1 ? "memory" : "memory-all";
  return regime == in_l1 ? "L1" : "L2";
}

double regime_bytes(Regime regime) {
  static const double memory = std::min(8 * last_cache_bytes(), 3e9);
  if (regime == in_memory) return memory;
  return regime == in_l1 ? 16 * 1024 : 256 * 1024;
}

void add_moves(const std::string& type, int n, int regimes, Work work) {
  for_each_regime(regimes, work.bytes, [&](Regime regime) {
    const double problems = batch_size(regime, work.bytes);
    add_benchmark(
        "Moves/" + type + "/right/static/" + regime_name(regime) + "/moves/" + std::to_string(n),
        triad, problems * work.bytes, 1.0, Work{problems * work.flops, problems * work.bytes});
  });
}

double fma_rate() {
  double shortest = std::numeric_limits<double>::max();
  for (int n = 0; n < 200; ++n) {
    const Kokkos::Timer timer;
    run_fma_chains<double>();
    shortest = std::min(shortest, timer.seconds());
  }
  return threads() * fma_flops<double> / shortest;
}

}  // namespace perf

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return perf::run_benchmarks(argc, argv, perf::add_machine);
}
