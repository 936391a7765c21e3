// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosContract.hpp>
#include <cstdio>

#include "Elements.hpp"

using namespace KokkosContract;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Elements elements(1000);
  const auto N = elements.N;
  const auto w = elements.w, g = elements.g;
  const Array<double* [4]> x("x", elements.count);
  const Array<double* [4][4]> like_M("only its shape is used", elements.count);

  // [step]
  // As many elements a team as suit the machine; e is a letter of the strings now
  using Build = TeamContract<"qi,eq,qj->eij">;
  using Load = TeamContract<"qi,eq,eq->ei">;
  using Factor = TeamPotrf<Member, Uplo::Lower>;
  using Solve = TeamPotrs<Member, Uplo::Lower>;
  const auto plan = team_policy(
      Kokkos::DefaultExecutionSpace(), elements.count, uses<Build>(shared(N), w, shared(N), like_M),
      uses<Load>(shared(N), w, g, x), uses<Factor>(like_M), uses<Solve>(like_M, x),
      user_scratch{0, 0, scratch_matrices_bytes<double, 4, 4>(1)});
  const TeamProblems all = plan;
  Kokkos::parallel_for(
      plan.policy, KOKKOS_LAMBDA(const Member& team) {
        const auto mine = problems_of(team, all);
        const auto w_t = subview(w, mine, ALL);
        const auto g_t = subview(g, mine, ALL);
        const auto x_t = subview(x, mine, ALL);
        const auto M =
            scratch_matrices<double, 4, 4>(team.team_scratch(0), mine.second - mine.first);
        require_success(Build::invoke(team, team.team_scratch(0), 1.0, N, w_t, N, 0.0, M));
        require_success(Load::invoke(team, team.team_scratch(0), 1.0, N, w_t, g_t, 0.0, x_t));
        require_success(Factor::invoke(team, M));
        require_success(Solve::invoke(team, M, x_t));
      });
  Kokkos::fence();
  // [/step]
  std::printf("x(999, :) = %.4f %.4f %.4f %.4f\n", x(999, 0), x(999, 1), x(999, 2), x(999, 3));
}
