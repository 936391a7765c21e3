// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>

/// The bounds of the roofline model for this machine and the threads that Kokkos has, by
/// measurement.
namespace example {

/// Whether the kernels run on the host, and not on a GPU.
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                               Kokkos::DefaultExecutionSpace::memory_space>::accessible;

struct MachineBounds {
  double flops;      ///< double-precision FMAs per second, counted as two operations
  double bandwidth;  ///< bytes per second of a(i) = b(i) + s c(i), counted as three words

  /// The shortest time of this many operations on this many bytes.
  double seconds(double operations, double bytes) const {
    return std::max(operations / flops, bytes / bandwidth);
  }
  void print() const {
    std::printf("%s, concurrency %d: %.1f GFLOP/s (FMA peak), %.1f GB/s (triad)\n",
                Kokkos::DefaultExecutionSpace::name(),
                Kokkos::DefaultExecutionSpace().concurrency(), 1e-9 * flops, 1e-9 * bandwidth);
  }
};

/// Independent chains of FMAs that never leave the registers.
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
    result(thread) = sum;  // otherwise the compiler drops it all
  }
};

struct Triad {
  Kokkos::View<double*> a, b, c;
  KOKKOS_FUNCTION void operator()(int i) const { a(i) = b(i) + 3.0 * c(i); }
};

/// The shortest time of some calls of f, with all kernels that it starts.
template <class F>
double shortest_of(int calls, const F& f) {
  double shortest = 0;
  for (int call = 0; call < calls; ++call) {
    Kokkos::fence();
    const Kokkos::Timer timer;
    f();
    Kokkos::fence();
    const double seconds = timer.seconds();
    if (call == 0 || seconds < shortest) shortest = seconds;
  }
  return shortest;
}

/// The shortest of several times of a kernel.
template <class Kernel>
double shortest_time(int size, const Kernel& kernel) {
  return shortest_of(5, [&] { Kokkos::parallel_for("MachineBounds", size, kernel); });
}

template <int Chains>
double measure_flops() {
  const int threads = Kokkos::DefaultExecutionSpace().concurrency();
  const Kokkos::View<double*> result("result", threads);
  int length = 10000;
  double time = 0;
  do {  // until the start of a kernel is negligible
    length *= 4;
    time = shortest_time(threads, MultiplyAdds<Chains>{result, length});
  } while (time < 0.01);
  return 2.0 * Chains * length * threads / time;
}

inline MachineBounds measure_machine_bounds() {
  // Eight registers hide the latency of most cores. The SIMD width determines how many numbers that
  // is, and numbers that do not fit are slow. So the best of three counts.
  const double flops = std::max({measure_flops<16>(), measure_flops<32>(), measure_flops<64>()});

  // Larger than any cache: arrays of 128 MiB, or of 1 GiB on a GPU. A program that is not optimised
  // takes small arrays, because nobody needs its rates.
#if defined(__GNUC__) && !defined(__OPTIMIZE__)
  const int size = on_host ? 1 << 18 : 1 << 27;
#else
  const int size = on_host ? 1 << 24 : 1 << 27;
#endif
  const Kokkos::View<double*> a("a", size), b("b", size), c("c", size);
  return {flops, 3.0 * sizeof(double) * size / shortest_time(size, Triad{a, b, c})};
}

/// The better of `before` and of a new measurement: the machine may have been busy.
inline MachineBounds measure_machine_bounds_again(const MachineBounds& before) {
  const MachineBounds now = measure_machine_bounds();
  return {std::max(before.flops, now.flops), std::max(before.bandwidth, now.bandwidth)};
}

/// A remark on a percentage of a bound that is too high to be real: no kernel exceeds the machine
/// by that much.
inline const char* remark_on_percent(double percent) {
  return percent <= 105 ? ""
                        : "  above the bound: the machine was busy when that was measured, or the "
                          "data stayed in a cache";
}

/// Prints the time and the rate of one way to do something.
inline void print_rate(const char* name, double seconds, double flops) {
  std::printf("  %-36s %9.3f ms %9.1f GFLOP/s\n", name, 1e3 * seconds, 1e-9 * flops / seconds);
}

// --- A table of kernels

/// The work of a kernel for an element.
struct Work {
  double flops = 0;  // additions and multiplications
  double words = 0;  // moved with perfect caches: each input read once, each output written once
};

inline void print_rates_header(int width) {
  std::printf("  %-*s %9s %9s %9s %10s   %s\n", width, "", "ms", "GFLOP/s", "GB/s", "of bound",
              "bound by");
}

inline void print_rates(int width, const char* name, double seconds, const Work& work, int elements,
                        const MachineBounds& bounds) {
  const double flops = elements * work.flops, bytes = elements * work.words * sizeof(double);
  const double percent = 100 * bounds.seconds(flops, bytes) / seconds;
  std::printf("  %-*s %9.2f %9.2f %9.2f %8.1f %%   %s%s\n", width, name, 1e3 * seconds,
              1e-9 * flops / seconds, 1e-9 * bytes / seconds, percent,
              flops / bounds.flops > bytes / bounds.bandwidth ? "FMA peak" : "bandwidth",
              remark_on_percent(percent));
}

}  // namespace example
