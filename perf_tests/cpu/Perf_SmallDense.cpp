// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The routines of small dense linear algebra on packs, n x n with static extents:
//
//     Getrf, Geqrf       of a copy of the matrix, which is part of the time
//     Potrf              of the identity, again and again in place
//     SolveLU, Trmm      with n right-hand sides or columns, and the factors of the identity
//     InverseLU          of the identity
//     Gemv
//
// The cost does not depend on the numbers. Before, a random problem must give the library's results
// for its lanes as scalars.
#include "Peers.hpp"

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
#include <KokkosBatched_Copy_Decl.hpp>
#include <KokkosBatched_Copy_Impl.hpp>
#include <KokkosBatched_SetIdentity_Decl.hpp>
#include <KokkosBatched_SetIdentity_Impl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>
#include <KokkosBatched_Trsm_Serial_Impl.hpp>
#include <KokkosBlas2_serial_gemv_impl.hpp>
#endif

namespace {

using namespace perf;
using KokkosContract::Diag;
using KokkosContract::Side;
using KokkosContract::Uplo;
using None = KokkosContract::Trans::NoTranspose;

enum class Op { getrf, potrf, geqrf, solve_lu, inverse_lu, trmm, gemv };
enum class Who { library, kk_blocked, kk_unblocked };

constexpr const char* name_of(Op op) {
  constexpr const char* names[] = {"Getrf",     "Potrf", "Geqrf", "SolveLU",
                                   "InverseLU", "Trmm",  "Gemv"};
  return names[static_cast<int>(op)];
}

constexpr double flops_of(Op op, double n) {
  switch (op) {
    case Op::getrf:
      return 2.0 / 3 * n * n * n - 0.5 * n * n - n / 6;
    case Op::potrf:
      return n * n * n / 3 + 0.5 * n * n;
    case Op::geqrf:
      return 4.0 / 3 * n * n * n;
    case Op::solve_lu:
      return 2 * n * n * n - n * n;
    case Op::inverse_lu:
      return 4.0 / 3 * n * n * n;
    case Op::trmm:
      return n * n * n;
    default:
      return 2 * n * n;
  }
}

/// a: the matrix; b: a matrix; x, y: vectors; w: n * n elements.
template <Op O, class M, class V, class W, class P>
KOKKOS_FORCEINLINE_FUNCTION void call(const M& a, const M& b, const V& x, const V& y, const W& w,
                                      const P& ipiv) {
  using namespace KokkosContract;
  if constexpr (O == Op::getrf) {
    (void)SerialGetrf<>::invoke(a, ipiv);
  } else if constexpr (O == Op::potrf) {
    (void)SerialPotrf<Uplo::Lower>::invoke(a);
  } else if constexpr (O == Op::geqrf) {
    (void)SerialGeqrf<>::invoke(a, x);
  } else if constexpr (O == Op::solve_lu) {
    (void)SerialSolveLU<None>::invoke(a, b);
  } else if constexpr (O == Op::inverse_lu) {
    (void)SerialInverseLU<>::invoke(a, w);
  } else if constexpr (O == Op::trmm) {
    (void)SerialTrmm<Side::Left, Uplo::Lower, None, Diag::NonUnit>::invoke(1.0, a, b);
  } else {
    (void)SerialGemv<None>::invoke(1.0, a, x, 0.0, y);
  }
}

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
/// Kokkos Kernels' SolveLU, InverseLU and Trmm do not take packs. These are the solves and copies
/// of the first two.
template <Op O, bool Blocked, class M, class V>
void call_kokkos_kernels(const M& a, const M& b, const V& x, const V& y, const M& w) {
  using namespace KokkosBatched;
  using NoTranspose = KokkosBatched::Trans::NoTranspose;
  using Gemv = std::conditional_t<Blocked, Algo::Gemv::Blocked, Algo::Gemv::Unblocked>;
  using Trsm = std::conditional_t<Blocked, Algo::Trsm::Blocked, Algo::Trsm::Unblocked>;
  const auto solve = [](const M& factors, const M& rhs) {
    (void)SerialTrsm<KokkosBatched::Side::Left, KokkosBatched::Uplo::Lower, NoTranspose,
                     KokkosBatched::Diag::Unit, Trsm>::invoke(1.0, factors, rhs);
    (void)SerialTrsm<KokkosBatched::Side::Left, KokkosBatched::Uplo::Upper, NoTranspose,
                     KokkosBatched::Diag::NonUnit, Trsm>::invoke(1.0, factors, rhs);
  };
  if constexpr (O == Op::solve_lu) {
    solve(a, b);
  } else if constexpr (O == Op::inverse_lu) {
    (void)SerialCopy<NoTranspose>::invoke(a, w);
    (void)SerialSetIdentity::invoke(a);
    solve(w, a);
  } else {
    (void)KokkosBlas::SerialGemv<NoTranspose, Gemv>::invoke(1.0, a, x, 0.0, y);
  }
}
#endif

template <Op O, Who W, class T, int N>
struct Routine {
  static constexpr bool of_copy = O == Op::getrf || O == Op::geqrf;
  Storage<T> source, a, b, x, y, w;
  Kokkos::View<int* [N][Element<T>::lanes], Kokkos::HostSpace> ipiv;

  explicit Routine(int problems)
      : source(random_storage<T>("source", static_cast<std::size_t>(problems) * N * N)),
        a("a", source.extent(0)),
        b(random_storage<T>("b", source.extent(0))),
        x(random_storage<T>("x", static_cast<std::size_t>(problems) * N)),
        y("y", x.extent(0)),
        w("w", N * N),
        ipiv("ipiv", problems) {
    for (std::size_t t = 0; t < source.extent(0); t += N * N) {
      for (int i = 0; i < N; ++i) {
        for (int j = 0; j < i; ++j) source(t + i * N + j) = source(t + j * N + i);
        source(t + i * N + i) = source(t + i * N + i) + T(2 * N);
      }
    }
    Kokkos::deep_copy(a, source);
  }

  void set_identity() const {
    for (std::size_t t = 0; t < a.extent(0); ++t) a(t) = T(t % (N * N) % (N + 1) == 0 ? 1 : 0);
  }

  template <class E, class Data>
  static auto view(E* data) {
    return Kokkos::View<Data, Right, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        data);
  }

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member&, int p) const {
    const std::ptrdiff_t m = static_cast<std::ptrdiff_t>(p) * N * N;
    const std::ptrdiff_t v = static_cast<std::ptrdiff_t>(p) * N;
    if constexpr (of_copy) std::copy_n(source.data() + m, N * N, a.data() + m);
    if constexpr (W == Who::library) {
      call<O>(view<T, T[N][N]>(a.data() + m), view<T, T[N][N]>(b.data() + m),
              view<T, T[N]>(x.data() + v), view<T, T[N]>(y.data() + v), view<T, T[N * N]>(w.data()),
              view<int, int[N][Element<T>::lanes]>(&ipiv(p, 0, 0)));
    }
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    else {
      using V = kk_element_t<T>;
      const auto as = [](T* data) { return reinterpret_cast<V*>(data); };
      call_kokkos_kernels<O, W == Who::kk_blocked>(
          view<V, V[N][N]>(as(a.data() + m)), view<V, V[N][N]>(as(b.data() + m)),
          view<V, V[N]>(as(x.data() + v)), view<V, V[N]>(as(y.data() + v)),
          view<V, V[N][N]>(as(w.data())));
    }
#endif
  }

  /// Whether problem 0 gives the results of its lanes.
  bool agrees_with_lanes() const {
    using S = scalar_t<T>;
    const auto numbers = [](const Storage<T>& packs, int count, int lane) {
      Kokkos::View<S*, Kokkos::HostSpace> result("lane", count);
      for (int i = 0; i < count; ++i) result(i) = packs(i)[lane];
      return result;
    };
    bool agree = true;
    Kokkos::View<S*, Kokkos::HostSpace> lane[Element<T>::lanes][4];
    for (int l = 0; l < Element<T>::lanes; ++l) {
      auto& [sa, sb, sx, sy] = lane[l];
      sa = numbers(a, N * N, l);
      sb = numbers(b, N * N, l);
      sx = numbers(x, N, l);
      sy = numbers(y, N, l);
      const Kokkos::View<S*, Kokkos::HostSpace> work("w", N * N);
      const Kokkos::View<int*, Kokkos::HostSpace> pivots("pivots", N);
      using Matrix = Kokkos::View<S**, Right, Kokkos::HostSpace>;
      call<O>(Matrix(sa.data(), N, N), Matrix(sb.data(), N, N), sx, sy, work, pivots);
    }
    run_batch(1, 1, *this);
    for (int l = 0; l < Element<T>::lanes; ++l) {
      const auto same = [&](const Storage<T>& packs, const auto& expected) {
        for (std::size_t i = 0; i < expected.extent(0); ++i) {
          agree =
              agree && std::abs(packs(i)[l] - expected(i)) <= 1e-12 * (1 + std::abs(expected(i)));
        }
      };
      same(a, lane[l][0]);
      same(b, lane[l][1]);
      same(x, lane[l][2]);
      same(y, lane[l][3]);
    }
    return agree;
  }
};

template <Op O, Who W, class T, int N>
void routine(benchmark::State& state) {
  const double bytes = 2.0 * N * N * sizeof(T);
  const int problems = batch_size(in_l2, bytes);
  const Routine<O, W, T, N> body(problems);
  if (!body.agrees_with_lanes()) return state.SkipWithError("wrong result");
  body.set_identity();
  time_batch(state, problems, {flops_of(O, N) * Element<T>::lanes, bytes}, body);
}

template <Op O, Who W, class T, int N>
void add(const std::string& who) {
  add_benchmark(std::string(name_of(O)) + "/" + type_name<T>() + "/right/static/L2/" + who + "/" +
                    std::to_string(N),
                routine<O, W, T, N>);
}

template <class T, int N>
void add_width() {
  add<Op::getrf, Who::library, T, N>("Serial");
  add<Op::potrf, Who::library, T, N>("Serial");
  add<Op::geqrf, Who::library, T, N>("Serial");
  add<Op::trmm, Who::library, T, N>("Serial");
  const auto add_op = []<Op O>() {
    add<O, Who::library, T, N>("Serial");
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    add<O, Who::kk_blocked, T, N>("KK-blocked");
    add<O, Who::kk_unblocked, T, N>("KK-unblocked");
#endif
  };
  add_op.template operator()<Op::solve_lu>();
  add_op.template operator()<Op::inverse_lu>();
  add_op.template operator()<Op::gemv>();
}

const Registered registered([] {
  if (threads() > 1) return;  // one core only
  constexpr int lanes = KokkosContract::default_pack_length<double, Space>;
  for_each_width(std::integer_sequence<int, 2, 3, 4, 6, 8, 12, 16>{},
                 []<int N>() { add_width<KokkosContract::Pack<double, lanes>, N>(); });
});

}  // namespace
