// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of n x n matrices of doubles and floats with matrices and vectors, n up to 6, beside
// plain loops and Kokkos Kernels: Small-Gemm and Small-Gemv with beta = 0, and with beta = 1 behind
// whose names stands -update. A call of them is a few instructions.
#include "Peers.hpp"

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
#include <KokkosBlas2_serial_gemv_impl.hpp>
#endif

namespace {

using namespace perf;
using None = KokkosContract::Trans::NoTranspose;

enum class Op { gemm, gemv };
enum class Who { serial, loop, kk_unblocked, kk_blocked };

constexpr const char* name_of(Who who) {
  constexpr const char* names[] = {"Serial", "loop", "KK-unblocked", "KK-blocked"};
  return names[static_cast<int>(who)];
}

/// C = A B + Beta C; with Op::gemv, B and C are vectors.
template <Op O, Who W, int Beta, class T, Extents E, int N>
struct Product {
  static constexpr int rank = O == Op::gemm ? 2 : 1;
  Batch<T, 2, Right, E, N> a;
  Batch<T, rank, Right, E, N> b, c;

  template <class A, class B, class C>
  KOKKOS_FORCEINLINE_FUNCTION static void loop(int n, const A& x, const B& y, const C& z) {
    const auto put = [](T& to, const T& sum) {
      if constexpr (Beta == 0) {
        to = sum;
      } else {
        to += sum;
      }
    };
    for (int i = 0; i < n; ++i) {
      if constexpr (O == Op::gemv) {
        T sum(0);
        for (int k = 0; k < n; ++k) sum += at(x, i, k) * at(y, k);
        put(at(z, i), sum);
      } else {
        for (int j = 0; j < n; ++j) {
          T sum(0);
          for (int k = 0; k < n; ++k) sum += at(x, i, k) * at(y, k, j);
          put(at(z, i, j), sum);
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member&, int p) const {
    const T one(1);
    const T beta(Beta);
    if constexpr (W == Who::loop) {
      loop(c.width(), a(p), b(p), c(p));
    } else if constexpr (W == Who::serial && O == Op::gemm) {
      (void)KokkosContract::SerialGemm<>::invoke(one, a(p), b(p), beta, c(p));
    } else if constexpr (W == Who::serial) {
      (void)KokkosContract::SerialGemv<>::invoke(one, a(p), b(p), beta, c(p));
    }
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    else if constexpr (O == Op::gemm) {
      using Plain = KokkosBatched::Trans::NoTranspose;
      using Algorithm =
          std::conditional_t<W == Who::kk_blocked, KokkosKernelsBlocked, KokkosKernelsUnblocked>;
      KokkosBatched::SerialGemm<Plain, Plain, Algorithm>::invoke(one, a(p), b(p), beta, c(p));
    } else {
      using Algorithm = std::conditional_t<W == Who::kk_blocked, KokkosBlas::Algo::Gemv::Blocked,
                                           KokkosBlas::Algo::Gemv::Unblocked>;
      KokkosBlas::SerialGemv<KokkosBlas::Trans::NoTranspose, Algorithm>::invoke(one, a(p), b(p),
                                                                                beta, c(p));
    }
#endif
  }
};

template <Op O, Who W, int Beta, class T, Extents E, int N>
void product(benchmark::State& state) {
  constexpr std::size_t matrix = N * N;
  constexpr std::size_t part = O == Op::gemm ? matrix : N;
  const double bytes = static_cast<double>((matrix + 2 * part) * sizeof(T));
  const int problems = batch_size(in_l1, bytes);
  const auto a = random_storage<T>("a", problems * matrix);
  const auto b = random_storage<T>("bb", problems * part);
  const auto c = random_storage<T>("ccc", problems * part);
  const auto expected = random_storage<T>("ccc", problems * part);
  const auto body = [&]<Who By>(const Storage<T>& to) {
    return Product<O, By, Beta, T, E, N>{{a, N}, {b, N}, {to, N}};
  };
  run_batch(problems, 1, body.template operator()<Who::loop>(expected));
  const auto measured = body.template operator()<W>(c);
  run_batch(problems, 1, measured);
  if (!agree(c, expected, N)) return state.SkipWithError("wrong result");
  // The sums of an update grow from sweep to sweep, which changes no time.
  time_batch(state, problems, {2.0 * N * static_cast<double>(part), bytes}, measured);
}

template <Op O, int Beta, class T, Extents E, int N>
void add_all() {
  const auto add = []<Who W>() {
    add_benchmark(std::string(O == Op::gemm ? "Small-Gemm" : "Small-Gemv") +
                      (Beta == 0 ? "/" : "-update/") + type_name<T>() + "/right/" +
                      extents_name(E) + "/L1/" + name_of(W) + "/" + std::to_string(N),
                  product<O, W, Beta, T, E, N>);
  };
  add.template operator()<Who::serial>();
  add.template operator()<Who::loop>();
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  add.template operator()<Who::kk_unblocked>();
  add.template operator()<Who::kk_blocked>();
#endif
}

template <class T, int N>
void add_width() {
  add_all<Op::gemm, 0, T, Extents::fixed, N>();
  add_all<Op::gemm, 1, T, Extents::fixed, N>();
  add_all<Op::gemv, 0, T, Extents::fixed, N>();
  add_all<Op::gemv, 1, T, Extents::fixed, N>();
  add_all<Op::gemm, 0, T, Extents::dynamic, N>();
  add_all<Op::gemv, 0, T, Extents::dynamic, N>();
}

const Registered registered([] {
  if (threads() > 1) return;  // one core only
  for_each_width(std::integer_sequence<int, 2, 3, 4, 5, 6>{}, []<int N>() {
    add_width<double, N>();
    add_width<float, N>();
  });
});

}  // namespace
