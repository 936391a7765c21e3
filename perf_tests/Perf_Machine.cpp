// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one core of this machine can do, measured in the same run as the rest, and the main of every
// benchmark.
#include <vector>

#include "Perf.hpp"

namespace {

constexpr int vector_bytes = KOKKOSCONTRACT_VECTOR_BYTES;

/// Independent chains of fused multiply-adds, enough to hide their latency, in registers only.
template <class T>
void fma_peak(benchmark::State& state) {
  typedef T Register __attribute__((vector_size(vector_bytes)));
  constexpr int chains = 12;
  constexpr int steps = 1000;
  constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  Register sum[chains];
  for (int c = 0; c < chains; ++c) sum[c] = Register{} + T(c);
  Register factor = Register{} + T(0.5);
  Register term = Register{} + T(1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(factor);
    benchmark::DoNotOptimize(term);
    for (int s = 0; s < steps; ++s) {
#pragma GCC unroll 12
      for (int c = 0; c < chains; ++c) sum[c] = sum[c] * factor + term;
    }
    for (int c = 0; c < chains; ++c) benchmark::DoNotOptimize(sum[c]);
  }
  state.counters["FLOP/s"] = benchmark::Counter(2.0 * lanes * chains * steps,
                                                benchmark::Counter::kIsIterationInvariantRate);
}

/// a = b + s c over three arrays that take so many bytes in all. Bytes as the program sees them,
/// without the read of a that a cache may add.
void triad(benchmark::State& state) {
  const std::size_t n = static_cast<std::size_t>(state.range(0)) / (3 * sizeof(double));
  std::vector<double> a(n, 0.0);
  std::vector<double> b(n, 1.0);
  std::vector<double> c(n, 2.0);
  const double s = 0.5;
  for (auto _ : state) {
    double* pa = a.data();
    const double* pb = b.data();
    const double* pc = c.data();
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) pa[i] = pb[i] + s * pc[i];
    benchmark::ClobberMemory();
  }
  state.counters["byte/s"] = benchmark::Counter(3.0 * sizeof(double) * static_cast<double>(n),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RegisterBenchmark("Machine/fma/double", fma_peak<double>);
  benchmark::RegisterBenchmark("Machine/fma/float", fma_peak<float>);
  benchmark::RegisterBenchmark("Machine/triad/L2", triad)->Arg(256 << 10);
  benchmark::RegisterBenchmark("Machine/triad/memory", triad)->Arg(192 << 20);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
