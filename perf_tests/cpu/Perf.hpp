// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_HPP
#define KOKKOSCONTRACT_PERF_HPP

// Common parts of the benchmarks. A benchmark runs over a batch of problems, in one kernel of teams
// of one thread, whatever the level. So the routines of every level, other libraries and reference
// loops have the same conditions, and none pays for the start of a kernel.
//
// Names are CONCEPT/TYPE/LAYOUT/EXTENTS/REGIME/WHO/N, e.g. Gemm/double/right/static/L2/Serial/8;
// perf_tests/report reads them.
//
//     LAYOUT   right, left; right-padded, left-padded: subviews of a wider matrix
//     EXTENTS  dynamic   Views with run-time extents
//              static    Views with compile-time extents; Kokkos keeps their strides at run time
//              packed    extents and strides known at compile time (mdspan)
//     REGIME   where the batch stays: L1 (16 KB), L2 (256 KB), memory (8 times the last cache).
//              All on one core, if Kokkos has one thread; if it has more, they share `memory-all`,
//              and there is no other regime.
//     WHO      a level of the library, another library, or a reference loop on the same operands:
//              `loop` with the sum innermost, `unit-loop` with the unit-stride index innermost

#include <benchmark/benchmark.h>

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../Registry.hpp"

namespace perf {

using Space = Kokkos::DefaultHostExecutionSpace;
using Policy = Kokkos::TeamPolicy<Space>;
using Member = Policy::member_type;

using Right = Kokkos::LayoutRight;
using Left = Kokkos::LayoutLeft;
struct RightPadded {};
struct LeftPadded {};

inline int threads() { return Space().concurrency(); }

/// Times are CPU times if there is one thread, because other processes disturb these less.
template <class... Arguments>
auto* add_benchmark(const std::string& name, const Arguments&... arguments) {
  auto* const added = register_benchmark(name, arguments...);
  if (threads() > 1) added->UseRealTime();
  return added;
}

// --- Regimes
// ---------------------------------------------------------------------------------------------------------

/// Regimes can be joined by `|`.
enum Regime : int { in_l1 = 1, in_l2 = 2, in_memory = 4 };

/// Regimes of this machine, and of this run if threads() is not 1.
std::string regime_name(Regime regime);
double regime_bytes(Regime regime);
/// Flops per second of FMAs on doubles in registers, over all threads.
double fma_rate();

/// Number of problems of this many bytes in a batch of this regime.
inline int batch_size(Regime regime, double bytes) {
  return std::max(1, static_cast<int>(regime_bytes(regime) / bytes));
}

/// Calls f(regime) for those of `regimes` that this run measures and in which a problem fits.
template <class F>
void for_each_regime(int regimes, double bytes, const F& f) {
  for (const Regime regime : {in_l1, in_l2, in_memory}) {
    if ((regimes & regime) != 0 && bytes <= regime_bytes(regime) &&
        (threads() == 1 || regime == in_memory)) {
      f(regime);
    }
  }
}

// --- Timing
// ---------------------------------------------------------------------------------------------------------

/// The work of one problem.
struct Work {
  double flops;
  double bytes;
};

/// Calls body(member, problem) for the whole batch, then the next body, and repeats all of it. Each
/// thread has its part of the batch. Not inlined, so that checks and timing share one kernel.
template <class... Bodies>
[[gnu::noinline]] void run_batch(int problems, int sweeps, const Bodies&... bodies) {
  const int parts = std::min(threads(), problems);
  Kokkos::parallel_for(
      Policy(parts, 1), KOKKOS_LAMBDA(const Member& member) {
        const auto bound = [&](int part) {
          return static_cast<int>(static_cast<std::ptrdiff_t>(problems) * part / parts);
        };
        const int begin = bound(member.league_rank());
        const int end = bound(member.league_rank() + 1);
        const auto run = [&](const auto& body) {
          for (int p = begin; p < end; ++p) body(member, p);
        };
        for (int s = 0; s < sweeps; ++s) {
          (run(bodies), ...);
          benchmark::ClobberMemory();
        }
      });
  Kokkos::fence();
}

/// Sets the counters of a benchmark whose iterations each solve this many problems.
inline void count(benchmark::State& state, double problems, Work work) {
  const auto rate = [&](double x) {
    return benchmark::Counter(x * problems, benchmark::Counter::kIsIterationInvariantRate);
  };
  state.counters["FLOP/s"] = rate(work.flops);
  state.counters["byte/s"] = rate(work.bytes);
}

/// Enough sweeps for an iteration of sufficient length.
inline int sweeps_of(int problems, Work work) {
  return std::max(1, static_cast<int>(2e6 / (problems * std::max(work.flops, work.bytes / 16))));
}

/// The benchmark of the bodies, one after the other for the whole batch.
template <class... Bodies>
void time_batch(benchmark::State& state, int problems, Work work, const Bodies&... bodies) {
  const int sweeps = sweeps_of(problems, work);
  for (auto _ : state) run_batch(problems, sweeps, bodies...);
  count(state, static_cast<double>(problems) * sweeps, work);
}

/// The moves of a benchmark of n x n products without its arithmetic. It reads two operands of the
/// batch and writes the third, through vector registers, with one addition.
void add_moves(const std::string& type, int n, int regimes, Work work);

// --- Elements
// ---------------------------------------------------------------------------------------------------------

template <class T>
struct Element {
  using scalar = T;
  using real = T;
  static constexpr int lanes = 1;
  static constexpr double flops = 2;  // a multiplication and an addition
  static std::string name() { return std::is_same_v<T, double> ? "double" : "float"; }
};
template <class T>
struct Element<Kokkos::complex<T>> {
  using scalar = Kokkos::complex<T>;
  using real = T;
  static constexpr int lanes = 1;
  static constexpr double flops = 8;
  static std::string name() { return "complex<" + Element<T>::name() + ">"; }
};
template <class T, int L>
struct Element<KokkosContract::Pack<T, L>> {
  using scalar = T;
  using real = typename Element<T>::real;
  static constexpr int lanes = L;
  static constexpr double flops = L * Element<T>::flops;
  static std::string name() { return "Pack<" + Element<T>::name() + "," + std::to_string(L) + ">"; }
};
template <class T>
using scalar_t = typename Element<T>::scalar;
template <class T>
using real_t = typename Element<T>::real;

template <class T>
std::string type_name() {
  return Element<T>::name();
}

template <class Layout>
inline constexpr bool is_padded =
    std::is_same_v<Layout, RightPadded> || std::is_same_v<Layout, LeftPadded>;
template <class Layout>
inline constexpr bool is_right =
    std::is_same_v<Layout, Right> || std::is_same_v<Layout, RightPadded>;

template <class Layout>
std::string layout_name() {
  return std::string(is_right<Layout> ? "right" : "left") + (is_padded<Layout> ? "-padded" : "");
}

template <class T>
using Storage = Kokkos::View<T*, Kokkos::HostSpace>;

/// Random numbers in [-1, 1), the same in each run; they repeat from time to time.
template <class T>
Storage<T> random_storage(const std::string& label, std::size_t size) {
  using Real = real_t<T>;
  constexpr std::size_t period = 65521;
  Storage<T> storage(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), size);
  std::minstd_rand generator(static_cast<unsigned>(size + label.size()));
  std::uniform_real_distribution<Real> uniform(-1, 1);
  std::vector<Real> numbers(period);
  for (Real& x : numbers) x = uniform(generator);
  auto* reals = reinterpret_cast<Real*>(storage.data());
  const std::size_t count = size * (sizeof(T) / sizeof(Real));
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(0, (count + period - 1) / period),
      [=, from = numbers.data()](std::size_t i) {
        std::copy_n(from, std::min(period, count - i * period), reals + i * period);
      });
  Kokkos::fence();
  return storage;
}

// --- Operands
// ---------------------------------------------------------------------------------------------------------

enum class Extents { dynamic, fixed, packed };

inline std::string extents_name(Extents e) {
  return e == Extents::dynamic ? "dynamic" : (e == Extents::fixed ? "static" : "packed");
}

/// T with R dimensions of extent N, or with run-time extents: View<T***> and View<T[N][N][N]>.
template <class T, int R, int N>
struct Data {
  using dynamic = typename Data<T, R - 1, N>::dynamic*;
  using fixed = typename Data<T, R - 1, N>::fixed[N > 0 ? N : 1];
};
template <class T, int N>
struct Data<T, 0, N> {
  using dynamic = T;
  using fixed = T;
};

/// The columns that a padded matrix has more than its subview.
template <class Layout>
inline constexpr int padding = is_padded<Layout> ? 4 : 0;

/// The n x n subview of a wider matrix.
template <class T, class Layout, std::ptrdiff_t N>
auto part_of_wider(T* data, int n) {
  using V = Kokkos::View<T**, std::conditional_t<is_right<Layout>, Right, Left>, Kokkos::HostSpace,
                         Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const int wide = n + padding<Layout>;
  const V whole = is_right<Layout> ? V(data, n, wide) : V(data, wide, n);
  const auto range = Kokkos::make_pair(0, n);
  return KokkosContract::fix<N, N>(Kokkos::subview(whole, range, range));
}

/// A batch of cubes, N (or n) elements wide in each of R dimensions. (p) is problem p as an
/// operand.
template <class T, int R, class Layout, Extents E, int N>
struct Batch {
  T* data;
  int n;
  std::ptrdiff_t size;  // elements of a problem

  static auto first_part(T* pointer, [[maybe_unused]] int width) {
    if constexpr (is_padded<Layout>) {
      static_assert(R == 2 && E != Extents::packed);
      constexpr std::ptrdiff_t extent = E == Extents::dynamic ? KokkosContract::dynamic : N;
      return part_of_wider<T, Layout, extent>(pointer, width);
    } else {
      return pointer;
    }
  }
  // Taking a subview costs more than a product of small matrices, and is not measured.
  decltype(first_part(nullptr, 0)) first;

  static std::ptrdiff_t elements(int width) {
    std::ptrdiff_t result = 1;
    for (int r = 1; r < R; ++r) result *= width;
    return result * (width + padding<Layout>);
  }

  Batch(T* pointer, int width)
      : data(pointer), n(width), size(elements(width)), first(first_part(pointer, width)) {}
  Batch(const Storage<T>& storage, int width) : Batch(storage.data(), width) {}

  /// The extent, as a constant if it is one.
  KOKKOS_FORCEINLINE_FUNCTION int width() const {
    if constexpr (E == Extents::dynamic) {
      return n;
    } else {
      return N;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int p) const {
    using Traits = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    T* problem = data + p * size;
    if constexpr (is_padded<Layout>) {
      return decltype(first)(problem, first);
    } else if constexpr (E == Extents::dynamic) {
      using V = Kokkos::View<typename Data<T, R, N>::dynamic, Layout, Kokkos::HostSpace, Traits>;
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return V(problem, (static_cast<void>(I), n)...);
      }(std::make_index_sequence<R>{});
    } else if constexpr (E == Extents::fixed) {
      return Kokkos::View<typename Data<T, R, N>::fixed, Layout, Kokkos::HostSpace, Traits>(
          problem);
    } else {
      using Order = std::conditional_t<std::is_same_v<Layout, Right>, Kokkos::layout_right,
                                       Kokkos::layout_left>;
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Kokkos::mdspan<T, Kokkos::extents<int, (static_cast<void>(I), N)...>, Order>(
            problem);
      }(std::make_index_sequence<R>{});
    }
  }
};

/// Element (i...) of a View, an mdspan or an operand of the library.
template <class A, class... I>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) at(const A& a, I... i) {
  if constexpr (requires { a(i...); }) {
    return a(i...);
  } else {
    return a[std::array<int, sizeof...(I)>{i...}];
  }
}

/// Whether two batches agree as far as both go, to a rounding error of sums of this many terms.
template <class T>
bool agree(const Storage<T>& x, const Storage<T>& y, int terms) {
  using Real = real_t<T>;
  const double bound = 4 * (terms + 4) * std::numeric_limits<Real>::epsilon();
  const auto* p = reinterpret_cast<const Real*>(x.data());
  const auto* q = reinterpret_cast<const Real*>(y.data());
  const std::size_t count = std::min(x.extent(0), y.extent(0)) * (sizeof(T) / sizeof(Real));
  for (std::size_t i = 0; i < count; ++i) {
    const double a = p[i];
    const double b = q[i];
    if (!(std::abs(a - b) <= bound * std::max({1.0, std::abs(a), std::abs(b)}))) return false;
  }
  return true;
}

}  // namespace perf

#endif
