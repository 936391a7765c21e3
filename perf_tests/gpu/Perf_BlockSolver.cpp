// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-tridiagonal systems on lines (example/interleaved_block_solver): factorisation and solution
// for one right-hand side of each line, in one kernel, with one pack of lines per team.
//
//     Team-T          with the library: T threads
//     KK-Team-T       with the routines of Kokkos Kernels, on the same memory: a line in each
//                     vector lane of a warp, and T threads share its blocks
//
// Bytes are those that must move: the factorisation reads and writes the blocks, and the solution
// reads them.
#include "../BlockSolver.hpp"
#include "Perf.hpp"

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Team_Impl.hpp>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Team_Impl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>
#include <KokkosBatched_Trsm_Team_Impl.hpp>
#endif

namespace {

using namespace perf;

constexpr int lanes = KokkosContract::default_pack_length<double, Space>;
template <int N>
using System = example::BlockTridiagonal<N, 1, lanes, Space::memory_space>;

template <int N, int Threads>
struct Library {
  static constexpr int vector_length = 1;
  // 128 or 168 registers per thread, so that more lines are in flight. Large blocks need all
  // registers.
  static constexpr int resident_threads = N <= 4 ? 512 : N <= 9 ? 384 : 256;
  using Launch =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Threads, resident_threads / Threads>>;
  System<N> system;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int p = member.league_rank();
    system.factor(member, p);
    system.solve(member, p);
  }
};

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
template <int N, int Threads>
struct KokkosKernels {
  static constexpr int vector_length = lanes;
  using Launch = Policy;
  using None = KokkosBatched::Trans::NoTranspose;
  using Left = KokkosBatched::Side::Left;
  using Right = KokkosBatched::Side::Right;
  using Lower = KokkosBatched::Uplo::Lower;
  using Upper = KokkosBatched::Uplo::Upper;
  using Unit = KokkosBatched::Diag::Unit;
  using NonUnit = KokkosBatched::Diag::NonUnit;
  using LU = KokkosBatched::TeamLU<Member, KokkosBatched::Algo::LU::Unblocked>;
  // Unblocked spreads its elements over the vector lanes, too, each of which has another line here.
  using Update = KokkosBatched::TeamGemm<Member, None, None, KokkosBatched::Algo::Gemm::Blocked>;
  template <class Side, class Uplo, class Diag>
  using Solve =
      KokkosBatched::TeamTrsm<Member, Side, Uplo, None, Diag, KokkosBatched::Algo::Trsm::Unblocked>;
  System<N> system;

  /// The block of one lane.
  template <class V>
  KOKKOS_FUNCTION static auto block(const V& view, int p, int k, int lane) {
    constexpr int columns = V::static_extent(3);
    const Kokkos::View<double[N][columns][lanes], Kokkos::LayoutRight, Space,
                       Kokkos::MemoryTraits<Kokkos::Unmanaged>>
        all(&view(p, k, 0, 0)[0]);
    return Kokkos::subview(all, Kokkos::ALL, Kokkos::ALL, lane);
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int p = member.league_rank();
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes), [&](int lane) {
      const auto A = [&](int k) { return block(system.A, p, k, lane); };
      const auto D = [&](int k) { return block(system.D, p, k, lane); };
      const auto C = [&](int k) { return block(system.C, p, k, lane); };
      const auto x = [&](int k) { return block(system.x, p, k, lane); };
      const int last = system.blocks() - 1;
      for (int k = 0; k <= last; ++k) {
        (void)LU::invoke(member, D(k));
        member.team_barrier();
        if (k == last) break;
        (void)Solve<Left, Lower, Unit>::invoke(member, 1.0, D(k), C(k));
        (void)Solve<Right, Upper, NonUnit>::invoke(member, 1.0, D(k), A(k + 1));
        member.team_barrier();
        (void)Update::invoke(member, -1.0, A(k + 1), C(k), 1.0, D(k + 1));
        member.team_barrier();
      }
      for (int k = 0; k <= last; ++k) {
        if (k > 0) {
          (void)Update::invoke(member, -1.0, A(k), x(k - 1), 1.0, x(k));
          member.team_barrier();
        }
        (void)Solve<Left, Lower, Unit>::invoke(member, 1.0, D(k), x(k));
        member.team_barrier();
      }
      for (int k = last; k >= 0; --k) {
        if (k < last) {
          (void)Update::invoke(member, -1.0, C(k), x(k + 1), 1.0, x(k));
          member.team_barrier();
        }
        (void)Solve<Left, Upper, NonUnit>::invoke(member, 1.0, D(k), x(k));
        member.team_barrier();
      }
    });
  }
};
#endif

template <template <int, int> class Body, int N, int Threads>
void solve(benchmark::State& state) {
  using Kernel = Body<N, Threads>;
  using S = System<N>;
  const Space space;
  const int blocks = 64;
  const double block_bytes = 8.0 * N * N;
  // A line keeps its team busy for long. With this many lines the last ones to run do not matter.
  const int packs = static_cast<int>(4 * batch_bytes / (3 * block_bytes * blocks * lanes));
  const S system(packs, blocks);
  const auto launch = [&] {
    Kokkos::parallel_for(typename Kernel::Launch(space, packs, Threads, Kernel::vector_length),
                         Kernel{system});
  };
  system.fill(space);
  launch();
  if (!(system.residual(space) < 1e-13)) {
    state.SkipWithError("wrong result");
    return;
  }
  make_own_factors(space, system);
  Kokkos::deep_copy(space, system.x, 0.0);
  const double times = 1.0 * packs * lanes * blocks;
  time_launches(state, times * (S::factor_flops() + S::solve_flops()),
                times * (3 + 3 + 3) * block_bytes, launch);
}

template <template <int, int> class Body, int N, int... Threads>
void add(const std::string& who) {
  (add_benchmark("BlockSolver/double/interleaved/static/memory/" + who + "-" +
                     std::to_string(Threads) + "/" + std::to_string(N),
                 [](benchmark::State& state) { solve<Body, N, Threads>(state); }),
   ...);
}

const Registered registered([] {
  for_each_width(BlockWidths{}, []<int N>() {
    constexpr int threads = lanes * KokkosContract::Impl::lane_grid(N, false, true).size();
    add<Library, N, threads>("Team");
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    add<KokkosKernels, N, 1, 2, 4, 8>("KK-Team");
#endif
  });
});

}  // namespace
