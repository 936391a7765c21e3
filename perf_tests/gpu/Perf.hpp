// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_GPU_HPP
#define KOKKOSCONTRACT_PERF_GPU_HPP

// What the benchmarks on a GPU share. Names are CONCEPT/TYPE/LAYOUT/EXTENTS/memory/WHO/N; batches
// are so large that nothing is reused from a cache, and times are of CUDA events.

#include <benchmark/benchmark.h>

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <string>

#include "../Registry.hpp"

namespace perf {

using Space = Kokkos::Cuda;
using Policy = Kokkos::TeamPolicy<Space>;
using Member = Policy::member_type;
using Right = Kokkos::LayoutRight;
using Left = Kokkos::LayoutLeft;

/// Bytes of the operands of a batch.
inline constexpr double batch_bytes = 1.5e9;

/// Time of one launch.
class Timer {
 public:
  Timer() {
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
  }
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  template <class Launch>
  double seconds(const Launch& launch) const {
    const cudaStream_t stream = Space().cuda_stream();
    cudaEventRecord(begin_, stream);
    launch();
    cudaEventRecord(end_, stream);
    cudaEventSynchronize(end_);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin_, end_);
    return 1e-3 * milliseconds;
  }

 private:
  cudaEvent_t begin_{};
  cudaEvent_t end_{};
};

/// The counters of a benchmark whose iterations each do so much.
template <class Launch>
void time_launches(benchmark::State& state, double flops, double bytes, const Launch& launch) {
  const Timer timer;
  launch();
  for (auto _ : state) state.SetIterationTime(timer.seconds(launch));
  const auto rate = [](double x) {
    return benchmark::Counter(x, benchmark::Counter::kIsIterationInvariantRate);
  };
  state.counters["FLOP/s"] = rate(flops);
  state.counters["byte/s"] = rate(bytes);
}

template <class F>
void add_benchmark(const std::string& name, F f) {
  benchmark::RegisterBenchmark(name.c_str(), f)
      ->UseManualTime()
      ->Iterations(3)
      ->Repetitions(5)
      ->Unit(benchmark::kMillisecond);
}

template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, double>) {
    return "double";
  } else if constexpr (std::is_same_v<T, float>) {
    return "float";
  } else {
    return "complex<double>";
  }
}

template <class V>
void fill_random(const V& view) {
  using T = typename V::non_const_value_type;
  const Kokkos::Random_XorShift64_Pool<Space> pool(12345);
  const Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> flat(view.data(),
                                                                              view.span());
  if constexpr (std::is_floating_point_v<T>) {
    Kokkos::fill_random(flat, pool, T(-1), T(1));
  } else {
    Kokkos::fill_random(flat, pool, T(-1, -1), T(1, 1));
  }
  Kokkos::fence();
}

/// The worst difference between C and the product, in units of the rounding bound.
template <class A, class B, class C>
double worst_error(const A& a, const B& b, const C& c, int n) {
  using T = typename C::non_const_value_type;
  using R = decltype(Kokkos::abs(T{}));
  double worst = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, c.extent_int(0)),
      KOKKOS_LAMBDA(int p, double& most) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            T sum(0);
            R size(0);
            for (int k = 0; k < n; ++k) {
              sum += a(p, i, k) * b(p, k, j);
              size += Kokkos::abs(a(p, i, k)) * Kokkos::abs(b(p, k, j));
            }
            const R bound = 4 * (n + 2) * Kokkos::Experimental::epsilon_v<R> * (size + R(1));
            const double error = Kokkos::abs(sum - c(p, i, j)) / bound;
            // A NaN counts, too.
            if (!(error <= most)) most = error <= 1 ? error : (error > most ? error : 2.0);
          }
        }
      },
      Kokkos::Max<double>(worst));
  return worst;
}

}  // namespace perf

#endif
