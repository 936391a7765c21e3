// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_GEMM_HPP
#define KOKKOSCONTRACT_PERF_GEMM_HPP

// C = op(A) op(B) for a batch of n x n matrices: common parts of the Gemm benchmarks. Each file
// instantiates a part, so that they compile side by side.

#include "Peers.hpp"

namespace perf {

using None = KokkosContract::Trans::NoTranspose;
using Transposed = KokkosContract::Trans::Transpose;

enum class Who { loop, unit_loop, serial, vector, team, team_vector };

constexpr const char* name_of(Who who) {
  constexpr const char* names[] = {"loop", "unit-loop", "Serial", "Vector", "Team", "TeamVector"};
  return names[static_cast<int>(who)];
}

/// Element (i, j) of op(A).
template <class Op, class A>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) entry(const A& a, int i, int j) {
  if constexpr (std::is_same_v<Op, None>) {
    return at(a, i, j);
  } else {
    return at(a, j, i);
  }
}

template <class OpA, class OpB, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void loop(int n, const A& a, const B& b, const C& c) {
  using T = std::remove_cvref_t<decltype(at(c, 0, 0))>;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      T sum(0);
      for (int k = 0; k < n; ++k) sum += entry<OpA>(a, i, k) * entry<OpB>(b, k, j);
      at(c, i, j) = sum;
    }
  }
}

template <class OpA, class OpB, class Layout, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void unit_loop(int n, const A& a, const B& b, const C& c) {
  using T = std::remove_cvref_t<decltype(at(c, 0, 0))>;
  if constexpr (is_right<Layout>) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) at(c, i, j) = T(0);
      for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) at(c, i, j) += entry<OpA>(a, i, k) * entry<OpB>(b, k, j);
      }
    }
  } else {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) at(c, i, j) = T(0);
      for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) at(c, i, j) += entry<OpA>(a, i, k) * entry<OpB>(b, k, j);
      }
    }
  }
}

template <Who W, class OpA, class OpB, class T, class Layout, Extents E, int N>
struct Multiply {
  using element = T;
  using layout = Layout;

  Batch<T, 2, Layout, E, N> a, b, c;

  Multiply(T* pa, T* pb, T* pc, int n) : a(pa, n), b(pb, n), c(pc, n) {}

  bool usable() const { return true; }

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member, int p) const {
    const scalar_t<T> one(1);
    const scalar_t<T> zero(0);
    using namespace KokkosContract;
    if constexpr (W == Who::loop) {
      loop<OpA, OpB>(c.width(), a(p), b(p), c(p));
    } else if constexpr (W == Who::unit_loop) {
      unit_loop<OpA, OpB, Layout>(c.width(), a(p), b(p), c(p));
    } else if constexpr (W == Who::serial) {
      (void)SerialGemm<OpA, OpB>::invoke(one, a(p), b(p), zero, c(p));
    } else if constexpr (W == Who::vector) {
      (void)VectorGemm<Member, OpA, OpB>::invoke(member, one, a(p), b(p), zero, c(p));
    } else if constexpr (W == Who::team) {
      (void)TeamGemm<Member, OpA, OpB>::invoke(member, one, a(p), b(p), zero, c(p));
    } else {
      (void)TeamVectorGemm<Member, OpA, OpB>::invoke(member, one, a(p), b(p), zero, c(p));
    }
  }
};

template <class T>
Work gemm_work(int n) {
  return {Element<T>::flops * n * n * n, 3.0 * n * n * sizeof(T)};
}

/// The benchmark of one multiplier.
template <class Body, class OpA, class OpB>
void multiply(benchmark::State& state, Regime regime, int n) {
  using T = typename Body::element;
  using Layout = typename Body::layout;
  using Loop = Multiply<Who::loop, OpA, OpB, T, Layout, Extents::dynamic, 0>;
  const Work work = gemm_work<T>(n);
  const auto size = static_cast<std::size_t>(Batch<T, 2, Layout, Extents::dynamic, 0>::elements(n));
  const int problems = batch_size(regime, 3.0 * static_cast<double>(size * sizeof(T)));
  const int checked = std::min(problems, 40);
  const auto a = random_storage<T>("a", problems * size);
  const auto b = random_storage<T>("bb", problems * size);
  const auto c = random_storage<T>("ccc", problems * size);
  const auto expected = random_storage<T>("ccc", checked * size);
  Kokkos::deep_copy(expected,
                    Kokkos::subview(c, Kokkos::make_pair(std::size_t{0}, checked * size)));

  run_batch(checked, 1, Loop(a.data(), b.data(), expected.data(), n));
  const Body body(a.data(), b.data(), c.data(), n);
  if (!body.usable()) return state.SkipWithError("not available");
  run_batch(checked, 1, body);
  if (!agree(c, expected, n)) return state.SkipWithError("wrong result");
  time_batch(state, problems, work, body);
}

template <class Body, class OpA = None, class OpB = None>
void add_body(const std::string& extents, const std::string& who, int n, int regimes) {
  using T = typename Body::element;
  const auto letter = [](bool none) { return none ? "N" : "T"; };
  const bool plain_a = std::is_same_v<OpA, None>;
  const bool plain_b = std::is_same_v<OpB, None>;
  const std::string concept_name =
      plain_a && plain_b ? "Gemm" : std::string("Gemm-") + letter(plain_a) + letter(plain_b);
  for_each_regime(regimes, gemm_work<T>(n).bytes, [&](Regime regime) {
    add_benchmark(concept_name + "/" + type_name<T>() + "/" + layout_name<typename Body::layout>() +
                      "/" + extents + "/" + regime_name(regime) + "/" + who + "/" +
                      std::to_string(n),
                  multiply<Body, OpA, OpB>, regime, n);
  });
}

template <Who W, class T, class Layout, Extents E, int N, class OpA = None, class OpB = None>
void add(int n, int regimes) {
  add_body<Multiply<W, OpA, OpB, T, Layout, E, N>, OpA, OpB>(extents_name(E), name_of(W), n,
                                                             regimes);
}

template <class Call, class T, class Layout>
void add_peer(int n, int regimes) {
  add_body<Peer<Call, T, Layout>>("static", Call::name, n, regimes);
}

/// The libraries that take T, with N known at compile time where they use it.
template <class T, class Layout, int N>
void add_peers([[maybe_unused]] int regimes) {
  [[maybe_unused]] constexpr bool ordinary = std::is_same_v<T, double> || std::is_same_v<T, float>;
#if defined(KOKKOSCONTRACT_PERF_LIBXSMM)
  if constexpr (ordinary) add_peer<Libxsmm<T>, T, Layout>(N, regimes);
#endif
#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
  if constexpr (ordinary) add_peer<OpenBlas<T>, T, Layout>(N, regimes);
#endif
#if defined(KOKKOSCONTRACT_PERF_EIGEN)
  if constexpr (ordinary) add_peer<EigenFixed<T, N, Layout>, T, Layout>(N, regimes);
#endif
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  if constexpr (!std::is_same_v<T, scalar_t<T>> || ordinary) {
    add_peer<KokkosKernels<T, N, Layout, KokkosKernelsBlocked>, T, Layout>(N, regimes);
    add_peer<KokkosKernels<T, N, Layout, KokkosKernelsUnblocked>, T, Layout>(N, regimes);
  }
#endif
}

/// The sizes n: dense where results are interesting, and then some. Comparisons have fewer of them.
using AllWidths =
    std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 20, 24, 27, 32>;
using SomeWidths = std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 24, 32>;

/// Ordinary products of one element type compared with other libraries, and the moves alone.
template <class T, class Layout>
void add_layout() {
  for_each_width(AllWidths{}, []<int N>() {
    constexpr int streaming = N <= 8 || N == 16 ? in_memory : 0;
    add<Who::serial, T, Layout, Extents::fixed, N>(N, in_l1 | in_l2 | streaming);
    add<Who::serial, T, Layout, Extents::dynamic, 0>(N, in_l2 | streaming);
    add_peers<T, Layout, N>(in_l1 | in_l2 | streaming);
  });
}
template <class T>
void add_products() {
  for_each_width(AllWidths{}, []<int N>() {
    add_moves(type_name<T>(), N, in_l1 | in_l2 | in_memory, gemm_work<T>(N));
  });
  add_layout<T, Right>();
  add_layout<T, Left>();
}

}  // namespace perf

#endif
