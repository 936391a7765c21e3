// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batched contractions of mixed index order, n in each dimension, several problems per team; z is
// the batch.
#include "Perf.hpp"

namespace {

using namespace perf;

/// T*[N][N]... with R dimensions behind the batch.
template <class T, int R, int N>
struct BatchView {
  static auto deduce() {
    if constexpr (R == 2) {
      return std::type_identity<Kokkos::View<T* [N][N], Right, Space>> {};
    } else if constexpr (R == 3) {
      return std::type_identity<Kokkos::View<T* [N][N][N], Right, Space>> {};
    } else {
      return std::type_identity<Kokkos::View<T* [N][N][N][N], Right, Space>> {};
    }
  }
  using type = typename decltype(deduce())::type;
};

constexpr double power(int n, int e) { return e == 0 ? 1.0 : n * power(n, e - 1); }

/// The problems of a team.
template <class View>
KOKKOS_FUNCTION auto part(const View& view, const Kokkos::pair<int, int>& range) {
  using Kokkos::ALL;
  if constexpr (View::rank() == 3) {
    return Kokkos::subview(view, range, ALL, ALL);
  } else if constexpr (View::rank() == 4) {
    return Kokkos::subview(view, range, ALL, ALL, ALL);
  } else {
    return Kokkos::subview(view, range, ALL, ALL, ALL, ALL);
  }
}

template <class Case, int N>
struct Contraction {
  using A = typename BatchView<double, Case::rank_a, N>::type;
  using B = typename BatchView<double, Case::rank_b, N>::type;
  using C = typename BatchView<double, Case::rank_c, N>::type;
  A a;
  B b;
  C c;
  int problems;

  static constexpr int count() {
    const double inputs = 8 * (power(N, Case::rank_a) + power(N, Case::rank_b));
    const int most = static_cast<int>(16384 / inputs);
    return most >= 4 ? most / 4 * 4 : (most > 0 ? most : 1);
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int first = member.league_rank() * count();
    const auto range = Kokkos::make_pair(first, Kokkos::min(first + count(), problems));
    Case::Team::invoke(member, 1.0, part(a, range), part(b, range), 0.0, part(c, range));
  }
};

template <class Case, int N>
struct ByElement {
  using Body = Contraction<Case, N>;
  typename Body::A a;
  typename Body::B b;
  typename Body::C c;
  KOKKOS_FUNCTION void operator()(int p, double& most) const {
    Case::template check<N>(a, b, c, p, most);
  }
};

template <class Case, int N>
void contract(benchmark::State& state) {
  using Body = Contraction<Case, N>;
  const double bytes =
      8 * (power(N, Case::rank_a) + power(N, Case::rank_b) + power(N, Case::rank_c));
  const double flops = 2 * power(N, Case::loops);
  const auto problems = static_cast<int>(batch_bytes / bytes) / 4 * 4;
  const Body body{typename Body::A("a", problems), typename Body::B("b", problems),
                  typename Body::C("c", problems), problems};
  fill_random(body.a);
  fill_random(body.b);
  fill_random(body.c);
  const auto launch = [&] {
    Kokkos::parallel_for(Policy((problems + Body::count() - 1) / Body::count(), 128, 1), body);
  };
  launch();
  double worst = 0;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<Space>(0, std::min(problems, 20000)),
                          ByElement<Case, N>{body.a, body.b, body.c}, Kokkos::Max<double>(worst));
  if (!(worst <= 1e-12)) return state.SkipWithError("wrong result");
  time_launches(state, flops * problems, bytes * problems, launch);
}

/// Keeps the largest difference; a NaN is one.
KOKKOS_FUNCTION inline void keep(double difference, double& most) {
  if (!(difference <= most)) most = difference == difference ? difference : 1.0;
}

// abc,cd->abd
struct LastIndex {
  using Team = KokkosContract::TeamContract<"zabc,zcd->zabd">;
  static constexpr const char* name = "abc,cd->abd";
  static constexpr int rank_a = 3, rank_b = 2, rank_c = 3, loops = 4;
  template <int N, class A, class B, class C>
  KOKKOS_FUNCTION static void check(const A& x, const B& y, const C& z, int p, double& most) {
    for (int a = 0; a < N; ++a) {
      for (int b = 0; b < N; ++b) {
        for (int d = 0; d < N; ++d) {
          double sum = 0;
          for (int c = 0; c < N; ++c) sum += x(p, a, b, c) * y(p, c, d);
          keep(Kokkos::abs(sum - z(p, a, b, d)), most);
        }
      }
    }
  }
};
struct MiddleIndex {
  using Team = KokkosContract::TeamContract<"zabc,zbd->zadc">;
  static constexpr const char* name = "abc,bd->adc";
  static constexpr int rank_a = 3, rank_b = 2, rank_c = 3, loops = 4;
  template <int N, class A, class B, class C>
  KOKKOS_FUNCTION static void check(const A& x, const B& y, const C& z, int p, double& most) {
    for (int a = 0; a < N; ++a) {
      for (int c = 0; c < N; ++c) {
        for (int d = 0; d < N; ++d) {
          double sum = 0;
          for (int b = 0; b < N; ++b) sum += x(p, a, b, c) * y(p, b, d);
          keep(Kokkos::abs(sum - z(p, a, d, c)), most);
        }
      }
    }
  }
};
struct FirstIndex {
  using Team = KokkosContract::TeamContract<"zabc,zad->zdbc">;
  static constexpr const char* name = "abc,ad->dbc";
  static constexpr int rank_a = 3, rank_b = 2, rank_c = 3, loops = 4;
  template <int N, class A, class B, class C>
  KOKKOS_FUNCTION static void check(const A& x, const B& y, const C& z, int p, double& most) {
    for (int b = 0; b < N; ++b) {
      for (int c = 0; c < N; ++c) {
        for (int d = 0; d < N; ++d) {
          double sum = 0;
          for (int a = 0; a < N; ++a) sum += x(p, a, b, c) * y(p, a, d);
          keep(Kokkos::abs(sum - z(p, d, b, c)), most);
        }
      }
    }
  }
};
struct TransposedA {
  using Team = KokkosContract::TeamContract<"zki,zkj->zij">;
  static constexpr const char* name = "ki,kj->ij";
  static constexpr int rank_a = 2, rank_b = 2, rank_c = 2, loops = 3;
  template <int N, class A, class B, class C>
  KOKKOS_FUNCTION static void check(const A& x, const B& y, const C& z, int p, double& most) {
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        double sum = 0;
        for (int k = 0; k < N; ++k) sum += x(p, k, i) * y(p, k, j);
        keep(Kokkos::abs(sum - z(p, i, j)), most);
      }
    }
  }
};
struct TransposedB {
  using Team = KokkosContract::TeamContract<"zik,zjk->zij">;
  static constexpr const char* name = "ik,jk->ij";
  static constexpr int rank_a = 2, rank_b = 2, rank_c = 2, loops = 3;
  template <int N, class A, class B, class C>
  KOKKOS_FUNCTION static void check(const A& x, const B& y, const C& z, int p, double& most) {
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        double sum = 0;
        for (int k = 0; k < N; ++k) sum += x(p, i, k) * y(p, j, k);
        keep(Kokkos::abs(sum - z(p, i, j)), most);
      }
    }
  }
};
struct TransposedBoth {
  using Team = KokkosContract::TeamContract<"zki,zjk->zji">;
  static constexpr const char* name = "ki,jk->ji";
  static constexpr int rank_a = 2, rank_b = 2, rank_c = 2, loops = 3;
  template <int N, class A, class B, class C>
  KOKKOS_FUNCTION static void check(const A& x, const B& y, const C& z, int p, double& most) {
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        double sum = 0;
        for (int k = 0; k < N; ++k) sum += x(p, k, i) * y(p, j, k);
        keep(Kokkos::abs(sum - z(p, j, i)), most);
      }
    }
  }
};
struct TwoSums {
  using Team = KokkosContract::TeamContract<"zacd,zbdc->zab">;
  static constexpr const char* name = "acd,bdc->ab";
  static constexpr int rank_a = 3, rank_b = 3, rank_c = 2, loops = 4;
  template <int N, class A, class B, class C>
  KOKKOS_FUNCTION static void check(const A& x, const B& y, const C& z, int p, double& most) {
    for (int a = 0; a < N; ++a) {
      for (int b = 0; b < N; ++b) {
        double sum = 0;
        for (int c = 0; c < N; ++c) {
          for (int d = 0; d < N; ++d) sum += x(p, a, c, d) * y(p, b, d, c);
        }
        keep(Kokkos::abs(sum - z(p, a, b)), most);
      }
    }
  }
};
// aebf,dfce->abcd of TCCG
struct RankFour {
  using Team = KokkosContract::TeamContract<"zaebf,zdfce->zabcd">;
  static constexpr const char* name = "aebf,dfce->abcd";
  static constexpr int rank_a = 4, rank_b = 4, rank_c = 4, loops = 6;
  template <int N, class A, class B, class C>
  KOKKOS_FUNCTION static void check(const A& x, const B& y, const C& z, int p, double& most) {
    if (p > 200) return;
    for (int a = 0; a < N; ++a) {
      for (int b = 0; b < N; ++b) {
        for (int c = 0; c < N; ++c) {
          for (int d = 0; d < N; ++d) {
            double sum = 0;
            for (int e = 0; e < N; ++e) {
              for (int f = 0; f < N; ++f) sum += x(p, a, e, b, f) * y(p, d, f, c, e);
            }
            keep(Kokkos::abs(sum - z(p, a, b, c, d)), most);
          }
        }
      }
    }
  }
};

template <class Case, int N>
void add() {
  add_benchmark("Contract-" + std::string(Case::name) + "/double/right/static/memory/Team/" +
                    std::to_string(N),
                contract<Case, N>);
}

const Registered registered([] {
  for_each_width(std::integer_sequence<int, 4, 5, 6, 7, 8, 9, 10>{}, []<int N>() {
    add<LastIndex, N>();
    add<MiddleIndex, N>();
    add<FirstIndex, N>();
    add<TransposedA, N>();
    add<TransposedB, N>();
    add<TransposedBoth, N>();
    add<TwoSums, N>();
    if constexpr (N <= 8) add<RankFour, N>();
  });
});

}  // namespace
