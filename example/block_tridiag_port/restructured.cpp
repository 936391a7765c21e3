// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The systems solved by a program that is restructured for this library. The compiler knows the
// extents. One kernel factors and updates the right-hand sides, which are the columns of a matrix.

#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/PackAccess.hpp>
#include <KokkosContract/SolveLU.hpp>
#include <KokkosContract/TeamPolicy.hpp>

#include "../Example.hpp"
#include "Problem.hpp"

namespace example {
namespace {

template <int N, int R>
struct Lines {
  static constexpr int length = KokkosContract::default_pack_length<double>;
  using Pack = KokkosContract::Pack<double, length>;

  /// Rows are contiguous on every machine.
  template <class T>
  using Rows = Kokkos::View<T, Kokkos::LayoutRight, Kokkos::SharedSpace>;
  Rows<Pack** [3][N][N]> M;  // (pack of lines, block, part, row, column)
  Rows<Pack** [N][R]> x;     // b before, the solution after
  KokkosContract::TeamProblems of_teams;

  /// By address, because a subview would cost more than a product of small blocks.
  KOKKOS_FUNCTION auto block(int p, int k, int part) const {
    return KokkosContract::fix_packed<N, N>(Rows<Pack[N][N]>(&M(p, k, part, 0, 0)));
  }
  KOKKOS_FUNCTION auto right_hand_sides(int p, int k) const {
    return KokkosContract::fix_packed<N, R>(Rows<Pack[N][R]>(&x(p, k, 0, 0)));
  }

  // [fused]
  /// Down the line D_k = D_k - A_k C_k-1, x_k = x_k - A_k x_k-1, C_k = D_k^-1 C_k and x_k = D_k^-1
  /// x_k; then up, x_k = x_k - C_k x_k+1.
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto mine = KokkosContract::problems_of(team, of_teams);
    for (int p = mine.first; p < mine.second; ++p) solve(team, p);
  }
  KOKKOS_FUNCTION void solve(const Member& team, int p) const {
    using namespace KokkosContract;
    using None = Trans::NoTranspose;
    using Update = TeamGemm<Member, None, None>;
    using SolveBlock = TeamSolveLU<Member, None>;
    const int last = M.extent_int(1) - 1;
    for (int k = 0; k <= last; ++k) {
      const auto D = block(p, k, diagonal), C = block(p, k, upper);
      const auto x_k = right_hand_sides(p, k);
      if (k > 0) {
        const auto A = block(p, k, lower);
        require_success(Update::invoke(team, -1.0, A, block(p, k - 1, upper), 1.0, D));
        require_success(Update::invoke(team, -1.0, A, right_hand_sides(p, k - 1), 1.0, x_k));
      }
      require_success(TeamLU<Member>::invoke(team, D));
      if (k < last) require_success(SolveBlock::invoke(team, D, C));
      require_success(SolveBlock::invoke(team, D, x_k));
    }
    for (int k = last - 1; k >= 0; --k)
      require_success(Update::invoke(team, -1.0, block(p, k, upper), right_hand_sides(p, k + 1),
                                     1.0, right_hand_sides(p, k)));
  }
  // [/fused]

  KOKKOS_FUNCTION void fill(int line) const {
    const int p = line / length, l = line % length;
    for (int k = 0; k < M.extent_int(1); ++k)
      for (int i = 0; i < N; ++i) {
        for (int part = lower; part <= upper; ++part)
          for (int j = 0; j < N; ++j) M(p, k, part, i, j)[l] = matrix_entry(line, k, part, i, j, N);
        for (int r = 0; r < R; ++r) x(p, k, i, r)[l] = vector_entry(line, k, i, r);
      }
  }
};

template <int N, int R>
Times run(const Options& options) {
  constexpr int length = Lines<N, R>::length;
  const int packs = (options.lines + length - 1) / length;
  using All = Lines<N, R>;
  using Matrices = typename All::template Rows<typename All::Pack** [3][N][N]>;
  using Columns = typename All::template Rows<typename All::Pack** [N][R]>;
  All lines{Matrices("M", packs, options.blocks), Columns("x", packs, options.blocks), {}};
  const auto plan = KokkosContract::team_policy<KokkosContract::TeamLU<Member>>(
      Kokkos::DefaultExecutionSpace(), packs, lines.block(0, 0, diagonal));
  lines.of_teams = plan;
  Times times;
  for (int repeat = 0; repeat < options.repeat; ++repeat) {
    Kokkos::parallel_for("fill", packs * length, KOKKOS_LAMBDA(int line) { lines.fill(line); });
    Kokkos::fence();
    const Kokkos::Timer timer;
    Kokkos::parallel_for("factor and solve", plan.policy, lines);
    Kokkos::fence();
    times.factor = Kokkos::min(times.factor, timer.seconds());
  }
  times.residual = residual_of(
      options, packs * length, KOKKOS_LAMBDA(int line, int k, int i, int r) {
        return lines.x(line / length, k, i, r)[line % length];
      });
  return times;
}

template <int N>
Times run_for(const Options& options) {
  return options.right_hand_sides == 1 ? run<N, 1>(options) : run<N, 4>(options);
}

}  // namespace

Times solve_restructured(const Options& options) {
  switch (options.block) {
    case 3:
      return run_for<3>(options);
    case 5:
      return run_for<5>(options);
    default:
      return run_for<8>(options);
  }
}

}  // namespace example
