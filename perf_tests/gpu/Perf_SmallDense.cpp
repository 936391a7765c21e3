// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense routines for a batch of n x n matrices: factorisations with pivots, of symmetric matrices
// and by reflectors, the solves with them, inverses, and products with triangles. They run in
// place, with one right-hand side each and several problems per team, as team_policy says. Each
// result is verified first. Bytes are those that must move; for a triangle, the 32-byte sectors
// that it touches.
#include "Perf.hpp"

namespace {

using namespace perf;
using Kokkos::ALL;
using KokkosContract::Diag;
using KokkosContract::Side;
using KokkosContract::Uplo;
using None = KokkosContract::Trans::NoTranspose;
using Lower = Uplo::Lower;

/// The operands of a batch, or of a team's part of it.
template <class M, class V, class R, class W>
struct Operands {
  M a, b;
  V x, y;
  R ipiv;
  W work;
};

template <class T, int N>
using Batch =
    Operands<Kokkos::View<T* [N][N], Right, Space>, Kokkos::View<T* [N], Right, Space>,
             Kokkos::View<int* [N], Right, Space>, Kokkos::View<T * [N * N], Right, Space>>;

template <class Range, class D>
KOKKOS_FUNCTION auto part_of(const D& d, const Range& range) {
  const auto a = Kokkos::subview(d.a, range, ALL, ALL);
  const auto b = Kokkos::subview(d.b, range, ALL, ALL);
  const auto x = Kokkos::subview(d.x, range, ALL);
  const auto y = Kokkos::subview(d.y, range, ALL);
  const auto ipiv = Kokkos::subview(d.ipiv, range, ALL);
  const auto work = Kokkos::subview(d.work, range, ALL);
  return Operands<decltype(a), decltype(x), decltype(ipiv), decltype(work)>{a, b, x, y, ipiv, work};
}

/// Defaults of a case. `with` passes on its operands, and `check` adds the terms of the residual at
/// (i, j) of problem p. Vectors have only the first column.
template <class C>
struct Case {
  using Call = C;
  static constexpr bool is_vector = false;
  template <class... Ops>
  KOKKOS_FUNCTION static void invoke(const Member& member, const Ops&... operands) {
    (void)Call::invoke(member, operands...);
  }
};

/// Row index from which the interchanges take row i.
template <class R>
KOKKOS_FUNCTION int source_row(const R& ipiv, int p, int i, int n) {
  for (int q = n - 1; q >= 0; --q) {
    const int other = ipiv(p, q);
    i = i == q ? other : (i == other ? q : i);
  }
  return i;
}

/// (L U z)_i, with both factors in m.
template <class M, class F, class S>
KOKKOS_FUNCTION void add_factored(const M& m, int p, int i, int n, const F& z, S& residual) {
  for (int k = 0; k <= i; ++k) {
    auto sum = m(p, k, k) * z(k);
    for (int l = k + 1; l < n; ++l) sum += m(p, k, l) * z(l);
    residual.add(k < i ? m(p, i, k) * sum : sum);
  }
}

struct Potrf : Case<KokkosContract::TeamPotrf<Member, Lower>> {
  static constexpr auto name = "Potrf";
  template <class D, class F>
  KOKKOS_FUNCTION static auto with(const D& d, const F& f) {
    return f(d.a);
  }
  static constexpr double words(double) { return 0; }
  static constexpr double triangles = 2;
  template <class D, class S>
  KOKKOS_FUNCTION static void check(const D& before, const D& after, int p, int i, int j, int,
                                    S& residual) {
    if (j > i) return;
    for (int k = 0; k <= j; ++k) residual.add(after.a(p, i, k) * after.a(p, j, k));
    residual.add(-before.a(p, i, j));
  }
};

struct Potrs : Case<KokkosContract::TeamPotrs<Member, Lower>> {
  static constexpr auto name = "Potrs";
  static constexpr bool is_vector = true;
  template <class D, class F>
  KOKKOS_FUNCTION static auto with(const D& d, const F& f) {
    return f(d.a, d.x);
  }
  static constexpr double words(double n) { return 2 * n; }
  static constexpr double triangles = 1;
  template <class D, class S>
  KOKKOS_FUNCTION static void check(const D& before, const D& after, int p, int i, int, int n,
                                    S& residual) {
    for (int k = 0; k <= i; ++k) {
      auto sum = before.a(p, k, k) * after.x(p, k);
      for (int l = k + 1; l < n; ++l) sum += before.a(p, l, k) * after.x(p, l);
      residual.add(before.a(p, i, k) * sum);
    }
    residual.add(-before.x(p, i));
  }
};

struct Getrf : Case<KokkosContract::TeamGetrf<Member>> {
  static constexpr auto name = "Getrf";
  template <class D, class F>
  KOKKOS_FUNCTION static auto with(const D& d, const F& f) {
    return f(d.a, d.ipiv);
  }
  static constexpr double words(double n) { return 2 * n * n + n / 2; }
  static constexpr double triangles = 0;
  template <class D, class S>
  KOKKOS_FUNCTION static void check(const D& before, const D& after, int p, int i, int j, int n,
                                    S& residual) {
    for (int k = 0; k < i && k <= j; ++k) residual.add(after.a(p, i, k) * after.a(p, k, j));
    if (i <= j) residual.add(after.a(p, i, j));
    residual.add(-before.a(p, source_row(after.ipiv, p, i, n), j));
  }
};

struct Getrs : Case<KokkosContract::TeamGetrs<Member, None>> {
  static constexpr auto name = "Getrs";
  static constexpr bool is_vector = true;
  template <class D, class F>
  KOKKOS_FUNCTION static auto with(const D& d, const F& f) {
    return f(d.a, d.ipiv, d.x);
  }
  static constexpr double words(double n) { return n * n + 2 * n + n / 2; }
  static constexpr double triangles = 0;
  template <class D, class S>
  KOKKOS_FUNCTION static void check(const D& before, const D& after, int p, int i, int, int n,
                                    S& residual) {
    add_factored(before.a, p, i, n, [&](int k) { return after.x(p, k); }, residual);
    residual.add(-before.x(p, source_row(before.ipiv, p, i, n)));
  }
};

struct Gesv : Case<KokkosContract::TeamGesv<Member>> {
  static constexpr auto name = "Gesv";
  static constexpr bool is_vector = true;
  template <class D, class F>
  KOKKOS_FUNCTION static auto with(const D& d, const F& f) {
    return f(d.a, d.ipiv, d.x);
  }
  static constexpr double words(double n) { return 2 * n * n + 2 * n + n / 2; }
  static constexpr double triangles = 0;
  template <class D, class S>
  KOKKOS_FUNCTION static void check(const D& before, const D& after, int p, int i, int, int n,
                                    S& residual) {
    for (int k = 0; k < n; ++k) residual.add(before.a(p, i, k) * after.x(p, k));
    residual.add(-before.x(p, i));
  }
};

struct Geqrf : Case<KokkosContract::TeamGeqrf<Member>> {
  static constexpr auto name = "Geqrf";
  template <class D, class F>
  KOKKOS_FUNCTION static auto with(const D& d, const F& f) {
    return f(d.a, d.y);
  }
  static constexpr double words(double n) { return 2 * n * n + n; }
  static constexpr double triangles = 0;
  /// R^T R = A^T A
  template <class D, class S>
  KOKKOS_FUNCTION static void check(const D& before, const D& after, int p, int i, int j, int n,
                                    S& residual) {
    for (int k = 0; k <= i && k <= j; ++k) residual.add(after.a(p, k, i) * after.a(p, k, j));
    for (int k = 0; k < n; ++k) residual.add(-before.a(p, k, i) * before.a(p, k, j));
  }
};

struct Gels : Case<KokkosContract::TeamGels<Member>> {
  static constexpr auto name = "Gels";
  static constexpr bool is_vector = true;
  template <class D, class F>
  KOKKOS_FUNCTION static auto with(const D& d, const F& f) {
    return f(d.a, d.y, d.x);
  }
  static constexpr double words(double n) { return 2 * n * n + 3 * n; }
  static constexpr double triangles = 0;
  template <class D, class S>
  KOKKOS_FUNCTION static void check(const D& before, const D& after, int p, int i, int j, int n,
                                    S& residual) {
    Gesv::check(before, after, p, i, j, n, residual);
  }
};

struct Trtri : Case<KokkosContract::TeamTrtri<Member, Lower, Diag::NonUnit>> {
  static constexpr auto name = "Trtri";
  template <class D, class F>
  KOKKOS_FUNCTION static auto with(const D& d, const F& f) {
    return f(d.a);
  }
  static constexpr double words(double) { return 0; }
  static constexpr double triangles = 2;
  template <class D, class S>
  KOKKOS_FUNCTION static void check(const D& before, const D& after, int p, int i, int j, int,
                                    S& residual) {
    for (int k = j; k <= i; ++k) residual.add(before.a(p, i, k) * after.a(p, k, j));
    residual.add(i == j ? -1 : 0);
  }
};

struct InverseLU : Case<KokkosContract::TeamInverseLU<Member>> {
  static constexpr auto name = "InverseLU";
  template <class D, class F>
  KOKKOS_FUNCTION static auto with(const D& d, const F& f) {
    return f(d.a, d.work);
  }
  static constexpr double words(double n) { return 2 * n * n; }
  static constexpr double triangles = 0;
  template <class D, class S>
  KOKKOS_FUNCTION static void check(const D& before, const D& after, int p, int i, int j, int n,
                                    S& residual) {
    add_factored(before.a, p, i, n, [&](int k) { return after.a(p, k, j); }, residual);
    residual.add(i == j ? -1 : 0);
  }
};

struct Trmm : Case<KokkosContract::TeamTrmm<Member, Side::Left, Lower, None, Diag::NonUnit>> {
  static constexpr auto name = "Trmm";
  static KOKKOS_FUNCTION constexpr double alpha() { return 0.03125; }
  template <class D, class F>
  KOKKOS_FUNCTION static auto with(const D& d, const F& f) {
    return f(d.a, d.b);
  }
  template <class A, class B>
  KOKKOS_FUNCTION static void invoke(const Member& member, const A& a, const B& b) {
    (void)Call::invoke(member, alpha(), a, b);
  }
  static constexpr double words(double n) { return 2 * n * n; }
  static constexpr double triangles = 1;
  template <class D, class S>
  KOKKOS_FUNCTION static void check(const D& before, const D& after, int p, int i, int j, int,
                                    S& residual) {
    for (int k = 0; k <= i; ++k) residual.add(alpha() * before.a(p, i, k) * before.b(p, k, j));
    residual.add(-after.b(p, i, j));
  }
};

struct Gemv : Case<KokkosContract::TeamGemv<Member, None>> {
  static constexpr auto name = "Gemv";
  static constexpr bool is_vector = true;
  template <class D, class F>
  KOKKOS_FUNCTION static auto with(const D& d, const F& f) {
    return f(d.a, d.y, d.x);
  }
  template <class A, class X, class Y>
  KOKKOS_FUNCTION static void invoke(const Member& member, const A& a, const X& x, const Y& y) {
    (void)Call::invoke(member, 1.0, a, x, 0.0, y);
  }
  static constexpr double words(double n) { return n * n + 2 * n; }
  static constexpr double triangles = 0;
  template <class D, class S>
  KOKKOS_FUNCTION static void check(const D& before, const D& after, int p, int i, int, int n,
                                    S& residual) {
    for (int k = 0; k < n; ++k) residual.add(before.a(p, i, k) * before.y(p, k));
    residual.add(-after.x(p, i));
  }
};

template <class C, class T, int N>
struct Step {
  Batch<T, N> data;
  KokkosContract::TeamProblems of_teams{};

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    C::with(part_of(data, KokkosContract::problems_of(member, of_teams)),
            [&](const auto&... operands) { (void)C::invoke(member, operands...); });
  }

  void launch() const {
    const int problems = data.a.extent_int(0);
    const auto plan = C::with(data, [&](const auto&... operands) {
      return KokkosContract::team_policy<typename C::Call>(Space(), problems, operands...);
    });
    Step body = *this;
    body.of_teams = plan;
    Kokkos::parallel_for(plan.policy, body);
  }
};

template <class D>
D copy_of(const D& d) {
  const auto copy = [](const auto& view) {
    std::remove_cvref_t<decltype(view)> result("copy", view.layout());
    Kokkos::deep_copy(result, view);
    return result;
  };
  return {copy(d.a), copy(d.b), copy(d.x), copy(d.y), copy(d.ipiv), copy(d.work)};
}

template <class C, class T, int N>
double error_of(const Batch<T, N>& before, const Batch<T, N>& after) {
  return worst_residual<T>(
      before.a.extent_int(0), N, C::is_vector ? 1 : N,
      KOKKOS_LAMBDA(int p, int i, int j, Residual<T>& residual) {
        C::check(before, after, p, i, j, N, residual);
      });
}

/// Scales the elements below the diagonals.
template <class M, class T>
void scale_lower_triangle(const M& m, int n, T factor) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, m.extent_int(0)), KOKKOS_LAMBDA(int p) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < i; ++j) m(p, i, j) *= factor;
        }
      });
}

template <class C, class T, int N>
void run(benchmark::State& state) {
  const auto problems = static_cast<int>(batch_bytes / (3.0 * N * N * sizeof(T))) / 4 * 4;
  const auto make = [&]<class V>(const V&) { return V("batch", problems); };
  Batch<T, N> data;
  data = {make(data.a), make(data.b), make(data.x), make(data.y), make(data.ipiv), make(data.work)};
  fill_random(data.a);
  fill_random(data.b);
  fill_random(data.x);
  fill_random(data.y);
  // Random multipliers would make solutions grow exponentially with n.
  if (std::is_same_v<C, Getrs>) scale_lower_triangle(data.a, N, T(1) / N);
  // Matrices that need no pivots have large diagonals; with pivots, these are not on the diagonal.
  if (!std::is_same_v<C, Getrf> && !std::is_same_v<C, Gesv>) add_to_diagonal(data.a, N, 2 * N);
  const auto ipiv = data.ipiv;
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, problems), KOKKOS_LAMBDA(int p) {
        for (int i = 0; i < N; ++i) ipiv(p, i) = i + (p + 3 * i) % (N - i);
      });
  const auto before = copy_of(data);
  const Step<C, T, N> step{data};
  step.launch();
  if (!(error_of<C, T, N>(before, data) <= 1)) {
    state.SkipWithError("wrong result");
    return;
  }
  const double bytes = C::words(N) * sizeof(T) + C::triangles * triangle_bytes(N, sizeof(T));
  time_launches(state, 1.0 * N * N * N * problems, bytes * problems, [&] { step.launch(); });
}

template <class C, int N>
void add() {
  add_benchmark(std::string(C::name) + "/double/right/static/memory/Team/" + std::to_string(N),
                run<C, double, N>);
}

using Widths = std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32>;
using LargeWidths = std::integer_sequence<int, 48, 64, 96, 128, 256>;

template <int N>
void add_factorizations() {
  add<Potrf, N>();
  add<Potrs, N>();
  add<Getrf, N>();
  add<Getrs, N>();
  add<Gesv, N>();
  add<Geqrf, N>();
  add<Gels, N>();
}

const Registered registered([] {
  for_each_width(Widths{}, []<int N>() {
    add_factorizations<N>();
    add<Trtri, N>();
    add<InverseLU, N>();
    add<Trmm, N>();
    add<Gemv, N>();
  });
  for_each_width(LargeWidths{}, []<int N>() { add_factorizations<N>(); });
});

}  // namespace
