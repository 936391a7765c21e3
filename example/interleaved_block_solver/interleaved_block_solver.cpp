// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-tridiagonal systems on many lines, as implicit schemes have them: factor once, solve for
// several right-hand sides. One source serves the SIMD registers of a host and the lanes of a GPU.

#include <KokkosContract/TeamPolicy.hpp>
#include <limits>

#include "../Example.hpp"
#include "../MachineBounds.hpp"
#include "../Options.hpp"
#include "BlockTridiagonal.hpp"

using example::BlockTridiagonal, example::Member;

constexpr const char* usage = R"(Solves block-tridiagonal systems on many lines.
  --block N    the size of the blocks: 3, 5 or 16 (5)
  --lines N    how many lines (as many as take 4 GiB on a GPU, 256 MiB on a host)
  --blocks N   blocks on a line (64)
  --repeat N   the best time of so many (5)
Prints what the factorisation and the solution reach of their bound, the longer of two times: their
operations at the FMA peak, and their inputs and outputs, each moved once, at the triad bandwidth.
On a GPU that means something where there are many more lines than it holds at a time, because a
line keeps its team for long; on a host where they do not fit into its caches. There updates in
place may exceed the bound: a triad reads what it writes, too, and that is not counted.
)";
constexpr double default_bytes = (example::on_host ? 256.0 : 4096.0) * (1 << 20);

struct Options {
  int block = 5, lines = 0, blocks = 64, repeat = 5;  // 0: from default_bytes
};

template <class System>
int default_lines(int blocks) {
  return Kokkos::max(1, static_cast<int>(default_bytes / (blocks * System::bytes())));
}

template <int N>
int run(const Options& options) {
  const example::MachineBounds before = example::measure_machine_bounds();

  // [launch]
  constexpr int L = KokkosContract::default_pack_length<double>;
  constexpr int right_hand_sides = 2;
  using System = BlockTridiagonal<N, right_hand_sides, L, Kokkos::SharedSpace>;
  const Kokkos::DefaultExecutionSpace space;
  const int lines = options.lines > 0 ? options.lines : default_lines<System>(options.blocks);
  const int packs = (lines + L - 1) / L;  // the last pack has its own lines in all lanes
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
  const example::MachineBounds bounds = example::measure_machine_bounds_again(before);
  const auto print = [&](const char* what, double seconds, double flops, double bytes) {
    const double percent = 100 * bounds.seconds(flops * blocks, bytes * blocks) / seconds;
    std::printf("%s %8.2f ns a block, %7.1f GFLOP/s, %5.1f %% of the bound%s\n", what,
                1e9 * seconds / blocks, 1e-9 * flops * blocks / seconds, percent,
                example::remark_on_percent(percent));
  };
  bounds.print();
  std::printf("%d lines of %d blocks of %d x %d, %d in a pack\n", packs * L, options.blocks, N, N,
              L);
  print("factor", factor_seconds, System::factor_flops(), System::factor_bytes());
  print("solve ", solve_seconds, System::solve_flops(), System::solve_bytes());
  return example::check("residual", singular == 0 ? system.residual(space)
                                                  : std::numeric_limits<double>::quiet_NaN());
}

int main(int argc, char* argv[]) {
  using namespace example::option;
  Options options;
  if (const auto status = example::read_options(argc, argv, usage,
                                                {{"--block", {one_of(options.block, {3, 5, 16})}},
                                                 {"--lines", {number(options.lines)}},
                                                 {"--blocks", {number(options.blocks)}},
                                                 {"--repeat", {number(options.repeat)}}}))
    return *status;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  // The compiler knows the size of a block, so its rows stay in registers.
  switch (options.block) {
    case 3:
      return run<3>(options);
    case 5:
      return run<5>(options);
    default:
      return run<16>(options);
  }
}
