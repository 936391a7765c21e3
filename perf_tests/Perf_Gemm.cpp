// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A B for a batch of n x n matrices.
#include "Perf.hpp"

namespace {

using namespace perf;
using KokkosContract::Trans;
using N_ = Trans::NoTranspose;

enum class Who { loop, unit_loop, serial, vector, team, team_vector };

constexpr const char* name_of(Who who) {
  constexpr const char* names[] = {"loop", "unit-loop", "Serial", "Vector", "Team", "TeamVector"};
  return names[static_cast<int>(who)];
}

template <class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void loop(int n, const A& a, const B& b, const C& c) {
  using T = std::remove_cvref_t<decltype(at(c, 0, 0))>;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      T sum(0);
      for (int k = 0; k < n; ++k) sum += at(a, i, k) * at(b, k, j);
      at(c, i, j) = sum;
    }
  }
}

template <class Layout, class A, class B, class C>
KOKKOS_FORCEINLINE_FUNCTION void unit_loop(int n, const A& a, const B& b, const C& c) {
  using T = std::remove_cvref_t<decltype(at(c, 0, 0))>;
  if constexpr (std::is_same_v<Layout, Right>) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) at(c, i, j) = T(0);
      for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) at(c, i, j) += at(a, i, k) * at(b, k, j);
      }
    }
  } else {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) at(c, i, j) = T(0);
      for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) at(c, i, j) += at(a, i, k) * at(b, k, j);
      }
    }
  }
}

template <Who W, class T, class Layout, Extents E, int N>
struct Multiply {
  using Matrices = Batch<T, 2, Layout, E, N>;
  Matrices a, b, c;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member, int p) const {
    const scalar_t<T> one(1);
    const scalar_t<T> zero(0);
    using namespace KokkosContract;
    if constexpr (W == Who::loop) {
      loop(c.width(), a(p), b(p), c(p));
    } else if constexpr (W == Who::unit_loop) {
      unit_loop<Layout>(c.width(), a(p), b(p), c(p));
    } else if constexpr (W == Who::serial) {
      SerialGemm<N_, N_>::invoke(one, a(p), b(p), zero, c(p));
    } else if constexpr (W == Who::vector) {
      VectorGemm<Member, N_, N_>::invoke(member, one, a(p), b(p), zero, c(p));
    } else if constexpr (W == Who::team) {
      TeamGemm<Member, N_, N_>::invoke(member, one, a(p), b(p), zero, c(p));
    } else {
      TeamVectorGemm<Member, N_, N_>::invoke(member, one, a(p), b(p), zero, c(p));
    }
  }
};

template <Who W, class T, class Layout, Extents E, int N>
void multiply(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const double work = 2.0 * n * n * n * Element<T>::lanes;
  const double bytes = 3.0 * n * n * sizeof(T);
  const int problems = batch_size(bytes);
  const std::size_t size = static_cast<std::size_t>(problems) * n * n;
  const auto a = random_storage<T>("a", size);
  const auto b = random_storage<T>("bb", size);
  const auto c = random_storage<T>("ccc", size);
  const auto expected = random_storage<T>("expected", size);

  run_batch(problems, 1,
            Multiply<Who::loop, T, Layout, Extents::dynamic, 0>{{a, n}, {b, n}, {expected, n}});
  const Multiply<W, T, Layout, E, N> body{{a, n}, {b, n}, {c, n}};
  run_batch(problems, 1, body);
  if (!agree(c, expected, n)) return state.SkipWithError("wrong result");
  time_batch(state, problems, {work, bytes}, body);
}

template <Who W, class T, class Layout, Extents E, int N>
void add(int n) {
  const std::string name = "Gemm/" + type_name<T>() + "/" + layout_name<Layout>() + "/" +
                           extents_name(E) + "/" + name_of(W);
  benchmark::RegisterBenchmark(name, multiply<W, T, Layout, E, N>)->Arg(n);
}

template <class T, class Layout, Extents E, int N>
void add_serial(int n) {
  add<Who::loop, T, Layout, E, N>(n);
  add<Who::unit_loop, T, Layout, E, N>(n);
  add<Who::serial, T, Layout, E, N>(n);
}

template <class T, class Layout, Extents E, int N>
void add_teams(int n) {
  add<Who::vector, T, Layout, E, N>(n);
  add<Who::team, T, Layout, E, N>(n);
  add<Who::team_vector, T, Layout, E, N>(n);
}

template <class T, class Layout>
bool add_type() {
  const auto add_width = []<int N>() {
    add_serial<T, Layout, Extents::dynamic, 0>(N);
    add_teams<T, Layout, Extents::dynamic, 0>(N);
    add_serial<T, Layout, Extents::fixed, N>(N);
    if constexpr (N == 3 || N == 8) add_teams<T, Layout, Extents::fixed, N>(N);
    if constexpr (std::is_same_v<T, double>) add_serial<T, Layout, Extents::packed, N>(N);
  };
  for_each_width(std::integer_sequence<int, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32>{}, add_width);
  return true;
}

const bool added = add_type<double, Right>() && add_type<double, Left>() &&
                   add_type<float, Right>() && add_type<float, Left>() &&
                   add_type<KokkosContract::Pack<double, 4>, Right>() &&
                   add_type<KokkosContract::Pack<float, 8>, Left>();

}  // namespace
