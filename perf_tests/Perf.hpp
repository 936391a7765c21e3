// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_HPP
#define KOKKOSCONTRACT_PERF_HPP

// What the benchmarks share. A benchmark runs over a batch of problems that stays in the L2 cache,
// all in one kernel of one team of one thread, whatever the level: so the routines of every level,
// and the loops written by hand beside them, meet the same conditions, and the start of a kernel
// costs none of them anything.
//
// Names are CONCEPT/TYPE/LAYOUT/EXTENTS/WHO/SIZE, e.g. Gemm/double/right/static/Serial/8;
// summarise.py reads them.
//   EXTENTS  dynamic   Views with run-time extents
//            static    Views with compile-time extents; Kokkos keeps their strides at run time
//            packed    extents and strides known at compile time (mdspan)
//   WHO      a level of the library, or a loop written by hand on the same operands: `loop` with
//   the sum innermost,
//            `unit-loop` with the unit-stride index innermost

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

namespace perf {

using Space = Kokkos::DefaultHostExecutionSpace;
using Policy = Kokkos::TeamPolicy<Space>;
using Member = Policy::member_type;

using Right = Kokkos::LayoutRight;
using Left = Kokkos::LayoutLeft;

/// Of one problem.
struct Work {
  double flops;
  double bytes;
};

/// How many problems of so many bytes make a batch that stays in L2.
inline int batch_size(double bytes) { return std::max(1, static_cast<int>(256 * 1024 / bytes)); }

/// body(member, problem) for the whole batch, several times. Not inlined, so that checks and timing
/// share one kernel.
template <class Body>
[[gnu::noinline]] void run_batch(int problems, int sweeps, const Body& body) {
  Kokkos::parallel_for(
      Policy(1, 1), KOKKOS_LAMBDA(const Member& member) {
        for (int s = 0; s < sweeps; ++s) {
          for (int p = 0; p < problems; ++p) body(member, p);
          benchmark::ClobberMemory();
        }
      });
  Kokkos::fence();
}

/// The benchmark of body(member, problem).
template <class Body>
void time_batch(benchmark::State& state, int problems, Work work, const Body& body) {
  const int sweeps = std::max(1, static_cast<int>(2e6 / (problems * work.flops)));
  for (auto _ : state) run_batch(problems, sweeps, body);
  const double times = static_cast<double>(problems) * sweeps;
  const auto rate = [&](double x) {
    return benchmark::Counter(x * times, benchmark::Counter::kIsIterationInvariantRate);
  };
  state.counters["FLOP/s"] = rate(work.flops);
  state.counters["byte/s"] = rate(work.bytes);
}

// --- Elements
// ---------------------------------------------------------------------------------------------------------

template <class T>
struct Element {
  using scalar = T;
  static constexpr int lanes = 1;
  static scalar get(const T& x, int) { return x; }
};
template <class T, int L>
struct Element<KokkosContract::Pack<T, L>> {
  using scalar = T;
  static constexpr int lanes = L;
  static scalar get(const KokkosContract::Pack<T, L>& x, int l) { return x[l]; }
};
template <class T>
using scalar_t = typename Element<T>::scalar;

template <class T>
std::string type_name() {
  const std::string scalar = std::is_same_v<scalar_t<T>, double> ? "double" : "float";
  if constexpr (Element<T>::lanes == 1) {
    return scalar;
  } else {
    return "Pack<" + scalar + "," + std::to_string(Element<T>::lanes) + ">";
  }
}

template <class Layout>
std::string layout_name() {
  return std::is_same_v<Layout, Right> ? "right" : "left";
}

template <class T>
using Storage = Kokkos::View<T*, Kokkos::HostSpace>;

/// Random numbers in [-1, 1), the same in each run.
template <class T>
Storage<T> random_storage(const std::string& label, std::size_t size) {
  Storage<T> storage(label, size);
  std::minstd_rand generator(static_cast<unsigned>(size + label.size()));
  std::uniform_real_distribution<scalar_t<T>> uniform(-1, 1);
  auto* scalars = reinterpret_cast<scalar_t<T>*>(storage.data());
  for (std::size_t i = 0; i < size * Element<T>::lanes; ++i) scalars[i] = uniform(generator);
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

/// A batch of cubes, N (or n) elements wide in each of R dimensions; (p) is problem p as an
/// operand.
template <class T, int R, class Layout, Extents E, int N>
struct Batch {
  T* data;
  int n;
  std::ptrdiff_t size;  // of a problem

  Batch(const Storage<T>& storage, int width) : data(storage.data()), n(width), size(1) {
    for (int r = 0; r < R; ++r) size *= width;
  }

  static constexpr int static_width = E == Extents::dynamic ? 0 : N;
  /// The extent, as a constant where it is one.
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
    if constexpr (E == Extents::dynamic) {
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

/// Element (i...) of a View or an mdspan.
template <class A, class... I>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) at(const A& a, I... i) {
  if constexpr (Kokkos::is_view_v<A>) {
    return a(i...);
  } else {
    return a[std::array<int, sizeof...(I)>{i...}];
  }
}

/// Whether two batches agree, to a rounding error of sums of so many terms.
template <class T>
bool agree(const Storage<T>& x, const Storage<T>& y, int terms) {
  const double bound = 4 * (terms + 4) * std::numeric_limits<scalar_t<T>>::epsilon();
  for (std::size_t i = 0; i < x.extent(0); ++i) {
    for (int l = 0; l < Element<T>::lanes; ++l) {
      const double a = Element<T>::get(x(i), l);
      const double b = Element<T>::get(y(i), l);
      if (!(std::abs(a - b) <= bound * std::max({1.0, std::abs(a), std::abs(b)}))) return false;
    }
  }
  return true;
}

/// Calls f.operator()<N>() for each N.
template <int... N, class F>
void for_each_width(std::integer_sequence<int, N...>, const F& f) {
  (f.template operator()<N>(), ...);
}

}  // namespace perf

#endif
