// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions whose indices have another order than a matrix product's, with n in each dimension.
#include "Perf.hpp"

namespace {

using namespace perf;

enum class Who { loop, unit_loop, serial, vector, team, team_vector };

constexpr const char* name_of(Who who) {
  constexpr const char* names[] = {"loop", "unit-loop", "Serial", "Vector", "Team", "TeamVector"};
  return names[static_cast<int>(who)];
}

// A case: the string, the ranks, the flops as a power of n, and the two loops.

// Transforms the last index, as in a sum-factorised element.
struct LastIndex {
  static constexpr KokkosContract::Spec string = "abc,cd->abd";
  static constexpr const char* name = "abc,cd->abd";
  static constexpr int rank_a = 3, rank_b = 2, rank_c = 3, loops = 4, sums = 1;

  template <class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION static void loop(int n, const A& x, const B& y, const C& z) {
    using T = std::remove_cvref_t<decltype(at(z, 0, 0, 0))>;
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        for (int d = 0; d < n; ++d) {
          T sum(0);
          for (int c = 0; c < n; ++c) sum += at(x, a, b, c) * at(y, c, d);
          at(z, a, b, d) = sum;
        }
      }
    }
  }
  template <class Layout, class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION static void unit_loop(int n, const A& x, const B& y, const C& z) {
    using T = std::remove_cvref_t<decltype(at(z, 0, 0, 0))>;
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        for (int d = 0; d < n; ++d) at(z, a, b, d) = T(0);
        for (int c = 0; c < n; ++c) {
          for (int d = 0; d < n; ++d) at(z, a, b, d) += at(x, a, b, c) * at(y, c, d);
        }
      }
    }
  }
};

// Transforms the middle index, and moves it before the last.
struct MiddleIndex {
  static constexpr KokkosContract::Spec string = "ijk,jl->ilk";
  static constexpr const char* name = "ijk,jl->ilk";
  static constexpr int rank_a = 3, rank_b = 2, rank_c = 3, loops = 4, sums = 1;

  template <class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION static void loop(int n, const A& x, const B& y, const C& z) {
    using T = std::remove_cvref_t<decltype(at(z, 0, 0, 0))>;
    for (int i = 0; i < n; ++i) {
      for (int l = 0; l < n; ++l) {
        for (int k = 0; k < n; ++k) {
          T sum(0);
          for (int j = 0; j < n; ++j) sum += at(x, i, j, k) * at(y, j, l);
          at(z, i, l, k) = sum;
        }
      }
    }
  }
  template <class Layout, class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION static void unit_loop(int n, const A& x, const B& y, const C& z) {
    using T = std::remove_cvref_t<decltype(at(z, 0, 0, 0))>;
    if constexpr (std::is_same_v<Layout, Right>) {
      for (int i = 0; i < n; ++i) {
        for (int l = 0; l < n; ++l) {
          for (int k = 0; k < n; ++k) at(z, i, l, k) = T(0);
          for (int j = 0; j < n; ++j) {
            for (int k = 0; k < n; ++k) at(z, i, l, k) += at(x, i, j, k) * at(y, j, l);
          }
        }
      }
    } else {
      for (int k = 0; k < n; ++k) {
        for (int l = 0; l < n; ++l) {
          for (int i = 0; i < n; ++i) at(z, i, l, k) = T(0);
          for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) at(z, i, l, k) += at(x, i, j, k) * at(y, j, l);
          }
        }
      }
    }
  }
};

// Two sums, with another order in every operand (TCCG).
struct TwoSums {
  static constexpr KokkosContract::Spec string = "aebf,dfce->abcd";
  static constexpr const char* name = "aebf,dfce->abcd";
  static constexpr int rank_a = 4, rank_b = 4, rank_c = 4, loops = 6, sums = 2;

  template <class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION static void loop(int n, const A& x, const B& y, const C& z) {
    using T = std::remove_cvref_t<decltype(at(z, 0, 0, 0, 0))>;
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        for (int c = 0; c < n; ++c) {
          for (int d = 0; d < n; ++d) {
            T sum(0);
            for (int e = 0; e < n; ++e) {
              for (int f = 0; f < n; ++f) sum += at(x, a, e, b, f) * at(y, d, f, c, e);
            }
            at(z, a, b, c, d) = sum;
          }
        }
      }
    }
  }
  template <class Layout, class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION static void unit_loop(int n, const A& x, const B& y, const C& z) {
    using T = std::remove_cvref_t<decltype(at(z, 0, 0, 0, 0))>;
    if constexpr (std::is_same_v<Layout, Right>) {
      for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
          for (int c = 0; c < n; ++c) {
            for (int d = 0; d < n; ++d) at(z, a, b, c, d) = T(0);
            for (int e = 0; e < n; ++e) {
              for (int f = 0; f < n; ++f) {
                for (int d = 0; d < n; ++d) {
                  at(z, a, b, c, d) += at(x, a, e, b, f) * at(y, d, f, c, e);
                }
              }
            }
          }
        }
      }
    } else {
      for (int d = 0; d < n; ++d) {
        for (int c = 0; c < n; ++c) {
          for (int b = 0; b < n; ++b) {
            for (int a = 0; a < n; ++a) at(z, a, b, c, d) = T(0);
            for (int f = 0; f < n; ++f) {
              for (int e = 0; e < n; ++e) {
                for (int a = 0; a < n; ++a) {
                  at(z, a, b, c, d) += at(x, a, e, b, f) * at(y, d, f, c, e);
                }
              }
            }
          }
        }
      }
    }
  }
};

template <class Case, Who W, class T, class Layout, Extents E, int N>
struct Contraction {
  Batch<T, Case::rank_a, Layout, E, N> a;
  Batch<T, Case::rank_b, Layout, E, N> b;
  Batch<T, Case::rank_c, Layout, E, N> c;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member, int p) const {
    const scalar_t<T> one(1);
    const scalar_t<T> zero(0);
    using namespace KokkosContract;
    if constexpr (W == Who::loop) {
      Case::loop(c.width(), a(p), b(p), c(p));
    } else if constexpr (W == Who::unit_loop) {
      Case::template unit_loop<Layout>(c.width(), a(p), b(p), c(p));
    } else if constexpr (W == Who::serial) {
      (void)SerialContract<Case::string>::invoke(one, a(p), b(p), zero, c(p));
    } else if constexpr (W == Who::vector) {
      (void)VectorContract<Case::string>::invoke(member, one, a(p), b(p), zero, c(p));
    } else if constexpr (W == Who::team) {
      (void)TeamContract<Case::string>::invoke(member, one, a(p), b(p), zero, c(p));
    } else {
      (void)TeamVectorContract<Case::string>::invoke(member, one, a(p), b(p), zero, c(p));
    }
  }
};

std::size_t power(int n, int exponent) {
  std::size_t result = 1;
  for (int i = 0; i < exponent; ++i) result *= static_cast<std::size_t>(n);
  return result;
}

template <class Case, Who W, class T, class Layout, Extents E, int N>
void contract(benchmark::State& state, int n) {
  const double flops = 2.0 * static_cast<double>(power(n, Case::loops)) * Element<T>::lanes;
  const std::size_t size_a = power(n, Case::rank_a);
  const std::size_t size_b = power(n, Case::rank_b);
  const std::size_t size_c = power(n, Case::rank_c);
  const double bytes = static_cast<double>((size_a + size_b + size_c) * sizeof(T));
  const int problems = batch_size(in_l2, bytes);
  const auto a = random_storage<T>("a", problems * size_a);
  const auto b = random_storage<T>("bb", problems * size_b);
  const auto c = random_storage<T>("ccc", problems * size_c);
  const auto expected = random_storage<T>("expected", problems * size_c);

  run_batch(
      problems, 1,
      Contraction<Case, Who::loop, T, Layout, Extents::dynamic, 0>{{a, n}, {b, n}, {expected, n}});
  const Contraction<Case, W, T, Layout, E, N> body{{a, n}, {b, n}, {c, n}};
  run_batch(problems, 1, body);
  if (!agree(c, expected, static_cast<int>(power(n, Case::sums)))) {
    return state.SkipWithError("wrong result");
  }
  time_batch(state, problems, {flops, bytes}, body);
}

template <class Case, Who W, class T, class Layout, Extents E, int N>
void add(int n) {
  const std::string name = std::string(Case::name) + "/" + type_name<T>() + "/" +
                           layout_name<Layout>() + "/" + extents_name(E) + "/L2/" + name_of(W) +
                           "/" + std::to_string(n);
  add_benchmark(name, contract<Case, W, T, Layout, E, N>, n);
}

template <class Case, class T, class Layout, int... N>
void add_case() {
  const auto add_width = []<int M>() {
    add<Case, Who::loop, T, Layout, Extents::dynamic, 0>(M);
    add<Case, Who::unit_loop, T, Layout, Extents::dynamic, 0>(M);
    add<Case, Who::serial, T, Layout, Extents::dynamic, 0>(M);
    add<Case, Who::vector, T, Layout, Extents::dynamic, 0>(M);
    add<Case, Who::team, T, Layout, Extents::dynamic, 0>(M);
    add<Case, Who::team_vector, T, Layout, Extents::dynamic, 0>(M);
    add<Case, Who::loop, T, Layout, Extents::fixed, M>(M);
    add<Case, Who::unit_loop, T, Layout, Extents::fixed, M>(M);
    add<Case, Who::serial, T, Layout, Extents::fixed, M>(M);
    if constexpr (M == 8) {
      add<Case, Who::vector, T, Layout, Extents::fixed, M>(M);
      add<Case, Who::team, T, Layout, Extents::fixed, M>(M);
      add<Case, Who::team_vector, T, Layout, Extents::fixed, M>(M);
    }
  };
  for_each_width(std::integer_sequence<int, N...>{}, add_width);
}

const Registered registered([] {
  if (threads() > 1) return;  // one core only
  add_case<LastIndex, double, Right, 3, 4, 8, 12>();
  add_case<MiddleIndex, double, Right, 3, 4, 8, 12>();
  add_case<MiddleIndex, double, Left, 3, 4, 8>();
  add_case<MiddleIndex, KokkosContract::Pack<double, 4>, Right, 4, 8>();
  add_case<TwoSums, double, Right, 3, 4, 8>();
  add_case<TwoSums, float, Left, 4, 8>();
});

}  // namespace
