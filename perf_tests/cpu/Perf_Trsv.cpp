// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular solves of a batch, n unknowns each: lower unit and upper, as they follow LU. The timed
// code solves systems whose solution is their right-hand side, so that they can be solved again and
// again in place. Other systems check the result first.
#include "Perf.hpp"

namespace {

using namespace perf;
using KokkosContract::Diag;
using KokkosContract::Uplo;
using None = KokkosContract::Trans::NoTranspose;

enum class Who { loop, serial, vector, team, team_vector };

constexpr const char* name_of(Who who) {
  constexpr const char* names[] = {"loop", "Serial", "Vector", "Team", "TeamVector"};
  return names[static_cast<int>(who)];
}

struct Lower {
  using uplo = Uplo::Lower;
  using diag = Diag::Unit;
  static constexpr const char* name = "Trsv-lower";

  template <class A, class X>
  KOKKOS_FORCEINLINE_FUNCTION static void loop(int n, const A& a, const X& x) {
    for (int i = 0; i < n; ++i) {
      auto sum = at(x, i);
      for (int j = 0; j < i; ++j) sum -= at(a, i, j) * at(x, j);
      at(x, i) = sum;
    }
  }
};

struct Upper {
  using uplo = Uplo::Upper;
  using diag = Diag::NonUnit;
  static constexpr const char* name = "Trsv-upper";

  template <class A, class X>
  KOKKOS_FORCEINLINE_FUNCTION static void loop(int n, const A& a, const X& x) {
    for (int i = n - 1; i >= 0; --i) {
      auto sum = at(x, i);
      for (int j = i + 1; j < n; ++j) sum -= at(a, i, j) * at(x, j);
      at(x, i) = sum / at(a, i, i);
    }
  }
};

template <class Case, Who W, class T, class Layout, Extents E, int N>
struct Solve {
  Batch<T, 2, Layout, E, N> a;
  Batch<T, 1, Layout, E, N> x;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member, int p) const {
    using namespace KokkosContract;
    using Triangle = typename Case::uplo;
    using Diagonal = typename Case::diag;
    const scalar_t<T> one(1);
    if constexpr (W == Who::loop) {
      Case::loop(a.width(), a(p), x(p));
    } else if constexpr (W == Who::serial) {
      (void)SerialTrsv<Triangle, None, Diagonal>::invoke(one, a(p), x(p));
    } else if constexpr (W == Who::vector) {
      (void)VectorTrsv<Member, Triangle, None, Diagonal>::invoke(member, one, a(p), x(p));
    } else if constexpr (W == Who::team) {
      (void)TeamTrsv<Member, Triangle, None, Diagonal>::invoke(member, one, a(p), x(p));
    } else {
      (void)TeamVectorTrsv<Member, Triangle, None, Diagonal>::invoke(member, one, a(p), x(p));
    }
  }
};

template <class Case, Who W, class T, class Layout, Extents E, int N>
void solve(benchmark::State& state, int n) {
  const double flops = (1.0 * n * n) * Element<T>::lanes;
  const double bytes = (0.5 * n * (n + 1) + 2 * n) * sizeof(T);
  const int problems = batch_size(in_l2, 1.0 * (n * n + n) * sizeof(T));
  const std::size_t size = static_cast<std::size_t>(problems) * n;
  const auto a = random_storage<T>("a", size * n);
  const auto x = random_storage<T>("x", size);
  const auto expected = random_storage<T>("x", size);
  for (std::size_t t = 0; t < a.extent(0); ++t) {  // row or column major, the diagonal is the same
    if (t % (n * n) % (n + 1) == 0) {
      a(t) = T(2);
    } else {
      a(t) = a(t) * T(scalar_t<T>(1.0 / n));
    }
  }
  run_batch(problems, 1,
            Solve<Case, Who::loop, T, Layout, Extents::dynamic, 0>{{a, n}, {expected, n}});
  const Solve<Case, W, T, Layout, E, N> body{{a, n}, {x, n}};
  run_batch(problems, 1, body);
  if (!agree(x, expected, n)) return state.SkipWithError("wrong result");

  // x has even entries, and A, except for its diagonal, odd rows and columns.
  for (std::size_t t = 0; t < a.extent(0); ++t) {
    const auto i = t % (n * n) / n;
    const auto j = t % n;
    a(t) = i == j ? T(1) : (i % 2 == 1 && j % 2 == 1 ? T(0.5) : T(0));
  }
  for (std::size_t t = 0; t < x.extent(0); ++t) x(t) = t % n % 2 == 0 ? T(1) : T(0);
  time_batch(state, problems, {flops, bytes}, body);
}

template <class Case, Who W, class T, class Layout, Extents E, int N>
void add(int n) {
  const std::string name = std::string(Case::name) + "/" + type_name<T>() + "/" +
                           layout_name<Layout>() + "/" + extents_name(E) + "/L2/" + name_of(W) +
                           "/" + std::to_string(n);
  add_benchmark(name, solve<Case, W, T, Layout, E, N>, n);
}

template <class Case, class T, class Layout>
void add_case() {
  const auto add_width = []<int N>() {
    add<Case, Who::loop, T, Layout, Extents::dynamic, 0>(N);
    add<Case, Who::serial, T, Layout, Extents::dynamic, 0>(N);
    add<Case, Who::vector, T, Layout, Extents::dynamic, 0>(N);
    add<Case, Who::team, T, Layout, Extents::dynamic, 0>(N);
    add<Case, Who::team_vector, T, Layout, Extents::dynamic, 0>(N);
    add<Case, Who::loop, T, Layout, Extents::fixed, N>(N);
    add<Case, Who::serial, T, Layout, Extents::fixed, N>(N);
    if constexpr (N == 8) add<Case, Who::team, T, Layout, Extents::fixed, N>(N);
  };
  for_each_width(std::integer_sequence<int, 2, 3, 4, 5, 8, 12, 16, 32>{}, add_width);
}

const Registered registered([] {
  if (threads() > 1) return;  // one core only
  add_case<Lower, double, Right>();
  add_case<Upper, double, Right>();
  add_case<Upper, double, Left>();
  add_case<Upper, KokkosContract::Pack<double, 4>, Right>();
});

}  // namespace
