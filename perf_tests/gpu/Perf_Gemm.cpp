// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A B for a batch of n x n matrices, called inside a kernel of this file:
//
//     Team     several problems per team, as a batch letter, as team_policy says
//     Vector   a problem per team thread, as team_policy says
//     TeamTile a part of C per team, which holds it in registers; up to 64, all of C
//     Serial   a problem per thread; in LayoutLeft, neighbours' elements are next to each other
//     cuBLAS   its strided batch
//     KK-...   Kokkos Kernels at this level
//
// Products of half have sums of float, which are rounded at the end.

#include "Cublas.hpp"
#include "Perf.hpp"

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Serial_Impl.hpp>
#include <KokkosBatched_Gemm_TeamVector_Impl.hpp>
#include <KokkosBatched_Gemm_Team_Impl.hpp>
#endif

namespace {

using namespace perf;

enum class Who { team, vector, tile, serial, cublas, kk_team, kk_team_vector, kk_serial };

constexpr const char* name_of(Who who) {
  constexpr const char* names[] = {"Team",   "Vector",  "TeamTile",      "Serial",
                                   "cuBLAS", "KK-Team", "KK-TeamVector", "KK-Serial"};
  return names[static_cast<int>(who)];
}

template <Who W, class T, class View, int N>
struct Multiply {
  View a, b, c;
  // Not read from a View in the kernel: even for static extents, nvcc would then copy the functor
  // to local memory.
  int problems;
  KokkosContract::TeamProblems of_teams{};

  using OfTeam = KokkosContract::TeamContract<"bik,bkj->bij">;
  using OfThread = KokkosContract::VectorContract<"ik,kj->ij">;
  // Teams of one problem run side by side, so data that both read come from L2.
  static constexpr int rows = N == 96 ? 32 : (N > 64 ? 64 : N);
  static constexpr int cols = N > 96 ? 64 : N;
  static constexpr int tiles = N / rows * (N / cols);
  using Tile = KokkosContract::TeamTile<T, "ij", KokkosContract::Shape<rows, cols>, Member>;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    using Sum = KokkosContract::Impl::accumulator_t<T>;
    const Sum one(1);
    const Sum zero(0);
    using Kokkos::ALL;
    if constexpr (W == Who::team) {
      const auto range = KokkosContract::problems_of(member, of_teams);
      (void)OfTeam::invoke(member, one, Kokkos::subview(a, range, ALL, ALL),
                           Kokkos::subview(b, range, ALL, ALL), zero,
                           Kokkos::subview(c, range, ALL, ALL));
    } else if constexpr (W == Who::vector) {
      const auto range = KokkosContract::problems_of(member, of_teams);
      const int p = range.first + member.team_rank();
      if (p >= range.second) return;
      // Not by Kokkos::subview, which divides for the stride of the rows of each View.
      using KokkosContract::slice;
      (void)OfThread::invoke(member, one, slice(a, p), slice(b, p), zero, slice(c, p));
    } else if constexpr (W == Who::tile) {
      using KokkosContract::slice;
      const int p = member.league_rank() / tiles;
      const int at = member.league_rank() % tiles;
      Tile t(member, member.team_scratch(0), {at / (N / cols) * rows, at % (N / cols) * cols},
             {N, N});
      KokkosContract::require_success(
          t.template accumulate<"ik,kj->ij">(one, slice(a, p), slice(b, p)));
      KokkosContract::require_success(t.store(one, zero, slice(c, p)));
    }
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    else {
      using None = KokkosBatched::Trans::NoTranspose;
      using Unblocked = KokkosBatched::Algo::Gemm::Unblocked;
      const int p = member.league_rank();
      const auto x = Kokkos::subview(a, p, ALL, ALL);
      const auto y = Kokkos::subview(b, p, ALL, ALL);
      const auto z = Kokkos::subview(c, p, ALL, ALL);
      if constexpr (W == Who::kk_team) {
        KokkosBatched::TeamGemm<Member, None, None, Unblocked>::invoke(member, one, x, y, zero, z);
      } else {
        KokkosBatched::TeamVectorGemm<Member, None, None, Unblocked>::invoke(member, one, x, y,
                                                                             zero, z);
      }
    }
#endif
  }

  KOKKOS_FUNCTION void operator()(int p) const {
    const T one(1);
    const T zero(0);
    const auto x = Kokkos::subview(a, p, Kokkos::ALL, Kokkos::ALL);
    const auto y = Kokkos::subview(b, p, Kokkos::ALL, Kokkos::ALL);
    const auto z = Kokkos::subview(c, p, Kokkos::ALL, Kokkos::ALL);
    if constexpr (W == Who::serial) {
      (void)KokkosContract::SerialContract<"ik,kj->ij">::invoke(one, x, y, zero, z);
    }
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    if constexpr (W == Who::kk_serial) {
      using None = KokkosBatched::Trans::NoTranspose;
      KokkosBatched::SerialGemm<None, None, KokkosBatched::Algo::Gemm::Unblocked>::invoke(one, x, y,
                                                                                          zero, z);
    }
#endif
  }

  void launch() const {
    if constexpr (W == Who::serial || W == Who::kk_serial) {
      Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, problems), *this);
    } else if constexpr (W == Who::team || W == Who::vector) {
      using Op = std::conditional_t<W == Who::team, OfTeam, OfThread>;
      const auto plan = KokkosContract::team_policy<Op>(Space(), problems, a, b, c);
      Multiply body = *this;
      body.of_teams = plan;
      Kokkos::parallel_for(plan.policy, body);
    } else if constexpr (W == Who::tile) {
      using KokkosContract::slice;
      const auto plan = KokkosContract::team_policy(
          Space(), problems * tiles,
          KokkosContract::uses<Tile, "ik,kj->ij">(slice(a, 0), slice(b, 0)));
      Kokkos::parallel_for(plan.policy, *this);
    } else if constexpr (W == Who::kk_team) {
      Kokkos::parallel_for(Policy(problems, Kokkos::AUTO, 1), *this);
    } else {
      Kokkos::parallel_for(Policy(problems, Kokkos::AUTO, 16), *this);
    }
  }
};

template <class T>
void strided_batch(const Cublas& cublas, int n, int problems, const T* a, const T* b, T* c) {
  using Sum = KokkosContract::Impl::accumulator_t<T>;
  const Sum one(1);
  const Sum zero(0);
  const long long size = static_cast<long long>(n) * n;
  // Row-major C = A B is C^T = B^T A^T in column-major order.
  if constexpr (std::is_same_v<T, Kokkos::Experimental::half_t>) {
    cublasGemmStridedBatchedEx(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, CUDA_R_16F, n,
                               size, a, CUDA_R_16F, n, size, &zero, c, CUDA_R_16F, n, size,
                               problems, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  } else if constexpr (std::is_same_v<T, double>) {
    cublasDgemmStridedBatched(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, size, a, n,
                              size, &zero, c, n, size, problems);
  } else {
    cublasSgemmStridedBatched(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, size, a, n,
                              size, &zero, c, n, size, problems);
  }
}

template <Who W, class T, class Layout, bool Static, int N>
void multiply(benchmark::State& state) {
  using View = std::conditional_t<Static, Kokkos::View<T* [N][N], Layout, Space>,
                                  Kokkos::View<T***, Layout, Space>>;
  const double flops = (KokkosContract::Impl::is_complex<T> ? 8.0 : 2.0) * N * N * N;
  const double bytes = 3.0 * N * N * sizeof(T);
  const auto problems = static_cast<int>(batch_bytes / bytes) / 4 * 4;
  const auto make = [&](const std::string& label) {
    if constexpr (Static) {
      return View(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), problems);
    } else {
      return View(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), problems, N, N);
    }
  };
  const Multiply<W, T, View, N> body{make("a"), make("b"), make("c"), problems};
  fill_random(body.a);
  fill_random(body.b);
  fill_random(body.c);
  const Cublas cublas;
  const auto launch = [&] {
    if constexpr (W == Who::cublas) {
      strided_batch(cublas, N, problems, body.a.data(), body.b.data(), body.c.data());
    } else {
      body.launch();
    }
  };
  launch();
  if (!(worst_error(body.a, body.b, body.c, N) <= 1)) {
    state.SkipWithError("wrong result");
  } else {
    time_launches(state, flops * problems, bytes * problems, launch);
  }
}

template <Who W, class T, class Layout, bool Static, int N>
void add() {
  add_benchmark("Gemm/" + type_name<T>() + (std::is_same_v<Layout, Right> ? "/right/" : "/left/") +
                    (Static ? "static" : "dynamic") + "/memory/" + name_of(W) + "/" +
                    std::to_string(N),
                multiply<W, T, Layout, Static, N>);
}

using AllWidths =
    std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24, 32>;
using LargerWidths = std::integer_sequence<int, 48, 64, 96, 128>;
using WidthsOfHalf = std::integer_sequence<int, 8, 12, 16, 20, 24, 32, 48, 64>;
using SomeWidths = std::integer_sequence<int, 3, 4, 5, 8, 11, 12, 16>;

template <Who W, int N>
void add_real() {
  add<W, double, Right, true, N>();
  add<W, float, Right, true, N>();
}

const Registered registered([] {
  for_each_width(AllWidths{}, []<int N>() {
    add_real<Who::team, N>();
    add<Who::team, double, Right, false, N>();
    add_real<Who::cublas, N>();
    if constexpr (N >= 3 && N <= 16) add<Who::vector, double, Right, true, N>();
    if constexpr (N <= 8) add<Who::serial, double, Left, true, N>();
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    if constexpr (N <= 8 || N == 16 || N == 32) {
      add<Who::kk_team, double, Right, true, N>();
      add<Who::kk_team_vector, double, Right, true, N>();
      add<Who::kk_serial, double, Left, true, N>();
    }
#endif
  });
  add_real<Who::tile, 32>();
  for_each_width(LargerWidths{}, []<int N>() {
    add_real<Who::team, N>();
    add_real<Who::tile, N>();
    add_real<Who::cublas, N>();
  });
  for_each_width(WidthsOfHalf{}, []<int N>() {
    add<Who::team, Kokkos::Experimental::half_t, Right, true, N>();
    add<Who::cublas, Kokkos::Experimental::half_t, Right, true, N>();
  });
  for_each_width(SomeWidths{},
                 []<int N>() { add<Who::team, Kokkos::complex<double>, Right, true, N>(); });
});

}  // namespace
