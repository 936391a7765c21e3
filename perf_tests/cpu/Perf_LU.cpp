// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU without pivoting of a batch of n x n matrices. The timed code factors matrices whose factors
// are themselves, so that they can be factored again and again in place. Other matrices check the
// result first.
#include "Perf.hpp"

namespace {

using namespace perf;

enum class Who { loop, serial, vector, team, team_vector };

constexpr const char* name_of(Who who) {
  constexpr const char* names[] = {"loop", "Serial", "Vector", "Team", "TeamVector"};
  return names[static_cast<int>(who)];
}

template <class A>
KOKKOS_FORCEINLINE_FUNCTION void loop(int n, const A& a) {
  for (int p = 0; p < n; ++p) {
    for (int i = p + 1; i < n; ++i) {
      const auto factor = at(a, i, p) / at(a, p, p);
      at(a, i, p) = factor;
      for (int j = p + 1; j < n; ++j) at(a, i, j) -= factor * at(a, p, j);
    }
  }
}

template <Who W, class T, class Layout, Extents E, int N>
struct Factor {
  Batch<T, 2, Layout, E, N> a;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member, int p) const {
    using namespace KokkosContract;
    if constexpr (W == Who::loop) {
      loop(a.width(), a(p));
    } else if constexpr (W == Who::serial) {
      (void)SerialLU<>::invoke(a(p));
    } else if constexpr (W == Who::vector) {
      (void)VectorLU<Member>::invoke(member, a(p));
    } else if constexpr (W == Who::team) {
      (void)TeamLU<Member>::invoke(member, a(p));
    } else {
      (void)TeamVectorLU<Member>::invoke(member, a(p));
    }
  }
};

/// Calls f(storage element, row, column) for all of a batch.
template <class T, class Layout, class F>
void fill(const Storage<T>& storage, int n, const F& f) {
  for (std::size_t t = 0; t < storage.extent(0); ++t) {
    const int first = static_cast<int>(t % (n * n) / n);
    const int second = static_cast<int>(t % n);
    if (std::is_same_v<Layout, Right>) {
      f(storage(t), first, second);
    } else {
      f(storage(t), second, first);
    }
  }
}

template <Who W, class T, class Layout, Extents E, int N>
void factor(benchmark::State& state, int n) {
  const double flops = (2.0 / 3.0 * n * n * n - 0.5 * n * n - n / 6.0) * Element<T>::lanes;
  const double bytes = 2.0 * n * n * sizeof(T);
  const int problems = batch_size(in_l2, bytes / 2);
  const std::size_t size = static_cast<std::size_t>(problems) * n * n;
  const auto a = random_storage<T>("a", size);
  const auto expected = random_storage<T>("a", size);
  for (const auto& storage : {a, expected}) {
    fill<T, Layout>(storage, n, [&](T& x, int i, int j) {
      if (i == j) x = x + T(2 * n);
    });
  }
  run_batch(problems, 1, Factor<Who::loop, T, Layout, Extents::dynamic, 0>{{expected, n}});
  const Factor<W, T, Layout, E, N> body{{a, n}};
  run_batch(problems, 1, body);
  if (!agree(a, expected, n)) return state.SkipWithError("wrong result");

  // L and U whose product is their sum except for the diagonal: L has even columns, U has odd rows.
  fill<T, Layout>(a, n, [](T& x, int i, int j) {
    const bool in_l = i > j && j % 2 == 0;
    const bool in_u = i < j && i % 2 == 1;
    x = i == j ? T(1) : (in_l || in_u ? T(0.5) : T(0));
  });
  time_batch(state, problems, {flops, bytes}, body);
}

template <Who W, class T, class Layout, Extents E, int N>
void add(int n) {
  const std::string name = "LU/" + type_name<T>() + "/" + layout_name<Layout>() + "/" +
                           extents_name(E) + "/L2/" + name_of(W) + "/" + std::to_string(n);
  add_benchmark(name, factor<W, T, Layout, E, N>, n);
}

template <class T, class Layout>
void add_type() {
  const auto add_width = []<int N>() {
    add<Who::loop, T, Layout, Extents::dynamic, 0>(N);
    add<Who::serial, T, Layout, Extents::dynamic, 0>(N);
    add<Who::vector, T, Layout, Extents::dynamic, 0>(N);
    add<Who::team, T, Layout, Extents::dynamic, 0>(N);
    add<Who::team_vector, T, Layout, Extents::dynamic, 0>(N);
    add<Who::loop, T, Layout, Extents::fixed, N>(N);
    add<Who::serial, T, Layout, Extents::fixed, N>(N);
    if constexpr (N == 8) add<Who::team, T, Layout, Extents::fixed, N>(N);
  };
  for_each_width(std::integer_sequence<int, 2, 3, 4, 5, 8, 12, 16, 32>{}, add_width);
}

const Registered registered([] {
  if (threads() > 1) return;  // one core only
  add_type<double, Right>();
  add_type<double, Left>();
  add_type<KokkosContract::Pack<double, 4>, Right>();
});

}  // namespace
