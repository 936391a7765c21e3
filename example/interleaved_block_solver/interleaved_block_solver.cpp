// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-tridiagonal systems on many lines, as implicit schemes have them: factor once, solve for
// several right-hand sides. One source for the SIMD registers of a host and the lanes of a GPU.

#include <KokkosContract/TeamPolicy.hpp>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "../Example.hpp"
#include "BlockTridiagonal.hpp"

using example::BlockTridiagonal, example::Member;

constexpr const char* usage = R"(Solves block-tridiagonal systems on many lines.
  --block N    the size of the blocks: 3, 5 or 16 (5)
  --lines N    how many lines (1000)
  --blocks N   blocks on a line (64)
  --repeat N   the best time of so many (5)
)";

struct Options {
  int block = 5, lines = 1000, blocks = 64, repeat = 5;
};

template <int N>
int run(const Options& options) {
  // [launch]
  constexpr int L = KokkosContract::default_pack_length<double>;
  constexpr int right_hand_sides = 2;
  using System = BlockTridiagonal<N, right_hand_sides, L, Kokkos::SharedSpace>;
  const Kokkos::DefaultExecutionSpace space;
  const int packs = (options.lines + L - 1) / L;  // the last one has lines of its own in all lanes
  const System system(packs, options.blocks);
  const auto block = System::block(system.D, 0, 0);
  const auto policy =
      KokkosContract::team_policy<KokkosContract::TeamLU<Member>>(space, packs, block).policy;

  double factor_seconds = 1e99, solve_seconds = 1e99;
  int singular = 0;
  for (int repeat = 0; repeat < options.repeat; ++repeat) {
    system.fill(space);
    space.fence();
    Kokkos::Timer timer;
    Kokkos::parallel_reduce(
        "factor", policy,
        KOKKOS_LAMBDA(const Member& team, int& sum) {
          const int info = system.factor(team, team.league_rank());
          Kokkos::single(Kokkos::PerTeam(team), [&] { sum += info != 0; });
        },
        singular);
    factor_seconds = Kokkos::min(factor_seconds, timer.seconds());
    timer.reset();
    Kokkos::parallel_for(
        "solve", policy,
        KOKKOS_LAMBDA(const Member& team) { system.solve(team, team.league_rank()); });
    space.fence();
    solve_seconds = Kokkos::min(solve_seconds, timer.seconds());
  }
  // [/launch]

  const double blocks = 1.0 * packs * L * options.blocks;
  const auto print = [&](const char* what, double seconds, double flops) {
    std::printf("%s %8.1f ns a block, %7.1f GFLOP/s\n", what, 1e9 * seconds / blocks,
                1e-9 * flops * blocks / seconds);
  };
  std::printf("%d lines of %d blocks of %d x %d, %d in a pack\n", packs * L, options.blocks, N, N,
              L);
  print("factor", factor_seconds, System::factor_flops());
  print("solve ", solve_seconds, System::solve_flops());
  return example::check("residual", singular == 0 ? system.residual(space)
                                                  : std::numeric_limits<double>::quiet_NaN());
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const auto read = [&](const char* name, int& value) {
      if (i + 1 == argc || std::strcmp(argv[i], name) != 0) return false;
      value = std::atoi(argv[i + 1]);
      return value > 0;
    };
    if (!read("--block", options.block) && !read("--lines", options.lines) &&
        !read("--blocks", options.blocks) && !read("--repeat", options.repeat)) {
      std::printf("%s", usage);
      return std::strcmp(argv[i], "--help") != 0;
    }
  }
  // The size of a block is known to the compiler: so its rows stay in registers.
  switch (options.block) {
    case 3:
      return run<3>(options);
    case 5:
      return run<5>(options);
    case 16:
      return run<16>(options);
    default:
      std::printf("%s", usage);
      return 1;
  }
}
