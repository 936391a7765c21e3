// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline of four steps for each problem of a batch: C = A B, C = L U, L y = f, U x = y.
//
//     tile       in one kernel; the factors stay with the thread
//     stored     in one kernel; the factors are stored
//     tile-ahead, stored-ahead
//                with prefetches of the next problem's matrices between the steps
//     separate   each step for the whole batch before the next one, as four kernels do
//     loop       as `tile`, in reference loops
//     KK-...     as `tile`, with the routines of Kokkos Kernels
#include "Peers.hpp"

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Serial_Impl.hpp>
#include <KokkosBatched_Trsv_Decl.hpp>
#include <KokkosBatched_Trsv_Serial_Impl.hpp>
#endif

namespace {

using namespace perf;
using KokkosContract::Diag;
using KokkosContract::Tile;
using KokkosContract::Uplo;
using None = KokkosContract::Trans::NoTranspose;

using Gemm = KokkosContract::SerialGemm<None, None>;
using Factor = KokkosContract::SerialLU<>;
using SolveLower = KokkosContract::SerialTrsv<Uplo::Lower, None, Diag::Unit>;
using SolveUpper = KokkosContract::SerialTrsv<Uplo::Upper, None, Diag::NonUnit>;

template <class T, int N>
struct Pipeline {
  Batch<T, 2, Right, Extents::fixed, N> a, b, c;
  Batch<T, 1, Right, Extents::fixed, N> f, x;

  KOKKOS_FORCEINLINE_FUNCTION void copy(int p) const {
    for (int i = 0; i < N; ++i) x(p)(i) = f(p)(i);
  }

  template <bool Ahead, class C>
  KOKKOS_FORCEINLINE_FUNCTION void solve(int p, const C& factors) const {
    const scalar_t<T> one(1);
    if constexpr (Ahead) KokkosContract::prefetch(a(p + 1));
    copy(p);
    (void)Gemm::invoke(one, a(p), b(p), scalar_t<T>(0), factors);
    if constexpr (Ahead) KokkosContract::prefetch(b(p + 1));
    (void)Factor::invoke(factors);
    (void)SolveLower::invoke(one, factors, x(p));
    (void)SolveUpper::invoke(one, factors, x(p));
  }
};

template <class T, int N, bool Ahead>
struct WithTile : Pipeline<T, N> {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member&, int p) const {
    this->template solve<Ahead>(p, Tile<T, N, N>());
  }
};
template <class T, int N>
using InTile = WithTile<T, N, false>;
template <class T, int N>
using InTileAhead = WithTile<T, N, true>;

template <class T, int N, bool Ahead>
struct WithStored : Pipeline<T, N> {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member&, int p) const {
    this->template solve<Ahead>(p, this->c(p));
  }
};
template <class T, int N>
using Stored = WithStored<T, N, false>;
template <class T, int N>
using StoredAhead = WithStored<T, N, true>;

template <class T, int N>
struct ByHand : Pipeline<T, N> {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member&, int p) const {
    const auto a = this->a(p);
    const auto b = this->b(p);
    const auto x = this->x(p);
    const Tile<T, N, N> c;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) c(i, j) = T(0);
      for (int k = 0; k < N; ++k) {
        for (int j = 0; j < N; ++j) c(i, j) += a(i, k) * b(k, j);
      }
    }
    for (int k = 0; k < N; ++k) {
      const T reciprocal = T(1) / c(k, k);
      for (int i = k + 1; i < N; ++i) {
        c(i, k) = c(i, k) * reciprocal;
        for (int j = k + 1; j < N; ++j) c(i, j) -= c(i, k) * c(k, j);
      }
    }
    this->copy(p);
    for (int i = 1; i < N; ++i) {
      for (int j = 0; j < i; ++j) x(i) -= c(i, j) * x(j);
    }
    for (int i = N - 1; i >= 0; --i) {
      for (int j = i + 1; j < N; ++j) x(i) -= c(i, j) * x(j);
      x(i) = x(i) / c(i, i);
    }
  }
};

// The four kernels.
template <class T, int N>
struct StepGemm : Pipeline<T, N> {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member&, int p) const {
    (void)Gemm::invoke(scalar_t<T>(1), this->a(p), this->b(p), scalar_t<T>(0), this->c(p));
  }
};
template <class T, int N>
struct StepLU : Pipeline<T, N> {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member&, int p) const {
    (void)Factor::invoke(this->c(p));
  }
};
template <class T, int N>
struct StepLower : Pipeline<T, N> {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member&, int p) const {
    this->copy(p);
    (void)SolveLower::invoke(scalar_t<T>(1), this->c(p), this->x(p));
  }
};
template <class T, int N>
struct StepUpper : Pipeline<T, N> {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member&, int p) const {
    (void)SolveUpper::invoke(scalar_t<T>(1), this->c(p), this->x(p));
  }
};

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
template <class T, int N, class Algorithm>
struct WithKokkosKernels : Pipeline<T, N> {
  using V = kk_element_t<T>;
  using Matrix = KokkosKernelsMatrix<T, N, Right>;
  using Vector =
      Kokkos::View<V[N], Right, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member&, int p) const {
    using namespace KokkosBatched;
    using NoTranspose = KokkosBatched::Trans::NoTranspose;
    // The tag differs from Gemm's: with that one Trsv would do nothing.
    using SolveAlgorithm = std::conditional_t<std::is_same_v<Algorithm, KokkosKernelsBlocked>,
                                              KokkosBatched::Algo::Trsv::Blocked,
                                              KokkosBatched::Algo::Trsv::Unblocked>;
    const auto matrix = [](const auto& view) { return Matrix(reinterpret_cast<V*>(view.data())); };
    const scalar_t<T> one(1);
    V factors[N * N];
    const Matrix c(factors);
    const Vector x(reinterpret_cast<V*>(this->x(p).data()));
    this->copy(p);
    (void)SerialGemm<NoTranspose, NoTranspose, Algorithm>::invoke(
        one, matrix(this->a(p)), matrix(this->b(p)), scalar_t<T>(0), c);
    (void)SerialLU<Algorithm>::invoke(c);
    (void)SerialTrsv<KokkosBatched::Uplo::Lower, NoTranspose, KokkosBatched::Diag::Unit,
                     SolveAlgorithm>::invoke(one, c, x);
    (void)SerialTrsv<KokkosBatched::Uplo::Upper, NoTranspose, KokkosBatched::Diag::NonUnit,
                     SolveAlgorithm>::invoke(one, c, x);
  }
};
#endif

double flops(int n) {
  return 2.0 * n * n * n + (2.0 / 3.0 * n * n * n - 0.5 * n * n - n / 6.0) +
         (2.0 * n * n - 1.0 * n);
}

/// In elements, as the program sees them: A, B and f are read, x is written.
double elements_tile(int n) { return 2.0 * n * n + 2.0 * n; }
double elements_stored(int n) { return elements_tile(n) + 1.0 * n * n; }
/// In addition C is written, then read and written by LU, and each solve reads half of it. x is
/// read and written again.
double elements_separate(int n) { return elements_tile(n) + (1.0 + 2.0 + 1.0) * n * n + 2.0 * n; }

/// Bytes of a problem. In a cache all data must fit, and from memory the least traffic counts.
template <class T>
double footprint(Regime regime, int n) {
  return (regime == in_memory ? elements_tile(n) : elements_stored(n)) * sizeof(T);
}

template <class T, int N, template <class, int> class... Bodies>
void pipeline(benchmark::State& state, Regime regime, double elements) {
  const int problems = batch_size(regime, footprint<T>(regime, N));
  const int checked = std::min(problems, 40);
  const auto size = static_cast<std::size_t>(problems) * N;
  // One more problem, which is only prefetched.
  const auto a = random_storage<T>("a", (size + N) * N);
  const auto b = random_storage<T>("bb", (size + N) * N);
  const auto c = random_storage<T>("ccc", size * N);
  const auto f = random_storage<T>("f", size);
  const auto x = random_storage<T>("xx", size);
  const auto expected = random_storage<T>("expected", static_cast<std::size_t>(checked) * N);
  // Four on the diagonal, and less than one in the rest of a row, so that A B is diagonally
  // dominant.
  Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, problems), [=](int p) {
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        const std::size_t t = (static_cast<std::size_t>(p) * N + i) * N + j;
        const T diagonal(i == j ? 4 : 0);
        a(t) = diagonal + a(t) * T(scalar_t<T>(1.0 / N));
        b(t) = diagonal + b(t) * T(scalar_t<T>(1.0 / N));
      }
    }
  });
  Kokkos::fence();

  const auto on = [&](const Storage<T>& result) {
    return Pipeline<T, N>{{a, N}, {b, N}, {c, N}, {f, N}, {result, N}};
  };
  run_batch(checked, 1, ByHand<T, N>{on(expected)});
  run_batch(checked, 1, Bodies<T, N>{on(x)}...);
  if (!agree(x, expected, 4 * N)) return state.SkipWithError("wrong result");
  time_batch(state, problems, {flops(N) * Element<T>::lanes, elements * sizeof(T)},
             Bodies<T, N>{on(x)}...);
  state.counters["byte/problem"] = elements * sizeof(T);
}

template <class T, int N, template <class, int> class... Bodies>
void add(const std::string& who, int regimes, double elements) {
  for_each_regime(regimes, footprint<T>(in_l2, N), [&](Regime regime) {
    add_benchmark("Fused/" + type_name<T>() + "/right/static/" + regime_name(regime) + "/" + who +
                      "/" + std::to_string(N),
                  pipeline<T, N, Bodies...>, regime, elements);
  });
}

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
template <class T, int N>
using KokkosKernelsBlockedFused = WithKokkosKernels<T, N, KokkosKernelsBlocked>;
template <class T, int N>
using KokkosKernelsUnblockedFused = WithKokkosKernels<T, N, KokkosKernelsUnblocked>;
#endif

template <class T, int N>
void add_width() {
  constexpr int regimes = N == 8 ? in_l2 | in_memory : in_l2;
  add<T, N, InTile>("tile", regimes, elements_tile(N));
  add<T, N, Stored>("stored", regimes, elements_stored(N));
  add<T, N, StepGemm, StepLU, StepLower, StepUpper>("separate", regimes, elements_separate(N));
  add<T, N, InTileAhead>("tile-ahead", regimes & in_memory, elements_tile(N));
  add<T, N, StoredAhead>("stored-ahead", regimes & in_memory, elements_stored(N));
  add<T, N, ByHand>("loop", regimes, elements_tile(N));
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  add<T, N, KokkosKernelsBlockedFused>("KK-blocked", regimes, elements_tile(N));
  add<T, N, KokkosKernelsUnblockedFused>("KK-unblocked", regimes, elements_tile(N));
#endif
}

using Widths = std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32>;

const Registered registered([] {
  constexpr int lanes = KokkosContract::default_pack_length<double, Space>;
  for_each_width(Widths{}, []<int N>() { add_width<KokkosContract::Pack<double, lanes>, N>(); });
  for_each_width(Widths{}, []<int N>() { add_width<double, N>(); });
});

}  // namespace
