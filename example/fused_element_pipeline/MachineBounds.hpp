// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <limits>

/// What this machine can do at best with the threads that Kokkos has: the two bounds of the
/// roofline model, measured and not looked up.
namespace example {

struct MachineBounds {
  double flops;      ///< double-precision fused multiply-adds, counted as two, per second
  double bandwidth;  ///< bytes per second of a(i) = b(i) + s c(i), counted as three words
};

/// Independent chains of multiply-adds that never leave the registers.
template <int Chains>
struct MultiplyAdds {
  Kokkos::View<double*> result;
  int length;

  KOKKOS_FUNCTION void operator()(int thread) const {
    double x[Chains];
    for (int k = 0; k < Chains; ++k) x[k] = 1e-3 * (thread + k);
    const double a = 0.999, b = 1e-6 * (thread + 1);
    for (int i = 0; i < length; ++i)
      for (int k = 0; k < Chains; ++k) x[k] = a * x[k] + b;
    double sum = 0;
    for (int k = 0; k < Chains; ++k) sum += x[k];
    result(thread) = sum;  // or else the compiler drops it all
  }
};

struct Triad {
  Kokkos::View<double*> a, b, c;
  KOKKOS_FUNCTION void operator()(int i) const { a(i) = b(i) + 3.0 * c(i); }
};

/// The shortest of several times of a kernel.
template <class Kernel>
double shortest_time(int size, const Kernel& kernel) {
  double shortest = std::numeric_limits<double>::max();
  for (int repetition = 0; repetition < 5; ++repetition) {
    Kokkos::fence();
    const Kokkos::Timer timer;
    Kokkos::parallel_for("MachineBounds", size, kernel);
    Kokkos::fence();
    shortest = std::min(shortest, timer.seconds());
  }
  return shortest;
}

template <int Chains>
double measure_flops() {
  const int threads = Kokkos::DefaultExecutionSpace().concurrency();
  const Kokkos::View<double*> result("result", threads);
  int length = 10000;
  double time = 0;
  do {  // until the start of a kernel does not count
    length *= 4;
    time = shortest_time(threads, MultiplyAdds<Chains>{result, length});
  } while (time < 0.01);
  return 2.0 * Chains * length * threads / time;
}

inline MachineBounds measure_machine_bounds() {
  // Eight registers hide the latency of most cores; how many numbers that is depends on the SIMD
  // width, and what does not fit is slow: so the best of three.
  const double flops = std::max({measure_flops<16>(), measure_flops<32>(), measure_flops<64>()});

  // Beyond any cache: arrays of 128 MiB, on a GPU of 1 GiB
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                 Kokkos::DefaultExecutionSpace::memory_space>::accessible;
  const int size = on_host ? 1 << 24 : 1 << 27;
  const Kokkos::View<double*> a("a", size), b("b", size), c("c", size);
  return {flops, 3.0 * sizeof(double) * size / shortest_time(size, Triad{a, b, c})};
}

}  // namespace example
