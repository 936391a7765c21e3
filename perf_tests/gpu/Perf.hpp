// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_GPU_HPP
#define KOKKOSCONTRACT_PERF_GPU_HPP

// Common parts of the benchmarks on a GPU. Names are CONCEPT/TYPE/LAYOUT/EXTENTS/memory/WHO/N.
// Batches are so large that nothing is reused from a cache, and times are of CUDA events.

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

/// The counters of a benchmark whose iterations each do this much work.
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
  register_benchmark(name, f)->UseManualTime()->Iterations(3)->Repetitions(5)->Unit(
      benchmark::kMillisecond);
}

template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, double>) {
    return "double";
  } else if constexpr (std::is_same_v<T, float>) {
    return "float";
  } else if constexpr (std::is_same_v<T, Kokkos::Experimental::half_t>) {
    return "half";
  } else if constexpr (std::is_same_v<T, Kokkos::Experimental::bhalf_t>) {
    return "bhalf";
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
  if constexpr (!KokkosContract::Impl::is_complex<T>) {
    Kokkos::fill_random(flat, pool, T(-1), T(1));
  } else {
    Kokkos::fill_random(flat, pool, T(-1, -1), T(1, 1));
  }
  Kokkos::fence();
}

/// The worst difference between C and the product, in units of the rounding bound.
template <class A, class B, class C>
double worst_error(const A& a, const B& b, const C& c, int n) {
  using T = KokkosContract::Impl::accumulator_t<typename C::non_const_value_type>;
  using R = decltype(Kokkos::abs(T{}));
  constexpr bool is_short = sizeof(typename C::non_const_value_type) < sizeof(float);
  double worst = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, c.extent_int(0)),
      KOKKOS_LAMBDA(int p, double& most) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            T sum(0);
            R size(0);
            for (int k = 0; k < n; ++k) {
              const T x(a(p, i, k)), y(b(p, k, j));
              sum += x * y;
              size += Kokkos::abs(x) * Kokkos::abs(y);
            }
            const R of_result = is_short ? R(0x1p-8) : R(0);  // of half_t or bhalf_t
            const R bound =
                (4 * (n + 2) * Kokkos::Experimental::epsilon_v<R> + of_result) * (size + R(1));
            const double error = Kokkos::abs(sum - T(c(p, i, j))) / bound;
            // A NaN is an error, too.
            if (!(error <= most)) most = error <= 1 ? error : (error > most ? error : 2.0);
          }
        }
      },
      Kokkos::Max<double>(worst));
  return worst;
}

/// Bytes of the sectors that a lower triangle touches.
constexpr double triangle_bytes(int n, int word) {
  int sectors = 0;
  for (int i = 0; i < n; ++i) {
    const int first = i * n * word / 32;
    const int last = ((i * n + i + 1) * word - 1) / 32;
    const int before = i == 0 ? -1 : ((i - 1) * n + i) * word - 1;
    sectors += last - first + 1 - (i > 0 && before / 32 == first ? 1 : 0);
  }
  return 32.0 * sectors;
}

/// Adds numbers to the diagonals that make eliminations without pivots safe.
template <class M>
void add_to_diagonal(const M& m, int n, double shift) {
  using T = typename M::non_const_value_type;
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, m.extent_int(0)), KOKKOS_LAMBDA(int p) {
        for (int i = 0; i < n; ++i) m(p, i, i) += T(shift);
      });
}

/// A sum that should be zero, and the sum of its terms' sizes.
template <class T>
struct Residual {
  using Real = decltype(Kokkos::abs(T{}));
  T value{};
  Real size{};
  KOKKOS_FUNCTION void add(const T& term) {
    value += term;
    size += Kokkos::abs(term);
  }
};

/// The worst residual of all rows and columns, in units of the rounding bound. f(problem, i, j,
/// residual) adds its terms.
template <class T, class F>
double worst_residual(int problems, int rows, int cols, const F& f) {
  using R = typename Residual<T>::Real;
  double worst = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, problems),
      KOKKOS_LAMBDA(int p, double& most) {
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < cols; ++j) {
            Residual<T> residual;
            f(p, i, j, residual);
            const R bound =
                R(32 * (rows + 2)) * Kokkos::Experimental::epsilon_v<R> * (residual.size + R(1));
            const double error = Kokkos::abs(residual.value) / bound;
            // A NaN is an error, too.
            if (!(error <= most)) most = error <= 1 ? error : (error > most ? error : 2.0);
          }
        }
      },
      Kokkos::Max<double>(worst));
  return worst;
}

}  // namespace perf

#endif
