// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several problems per team: a product, its factorisation and a solve in one kernel. The factors
// stay in the team's scratch memory; team_policy says how to launch the kernel.

#include <KokkosContract.hpp>

#include "../Example.hpp"

using namespace KokkosContract;
using example::check, example::Member;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int n = 8;
  const int problems = 1000;
  const example::ProductSystems<n> systems(problems);
  const auto A = systems.A, B = systems.B;
  const auto x = systems.x;

  // [pipeline]
  // A_p B_p x_p = b_p, several problems a team; x holds b before
  using None = Trans::NoTranspose;
  using Product = TeamContract<"pik,pkj->pij">;
  using Factor = TeamLU<Member>;
  using Solve = TeamSolveLU<Member, None>;

  // The factors have the shape of A; they are in scratch memory.
  const auto plan = team_policy(Kokkos::DefaultExecutionSpace(), problems, uses<Product>(A, B, A),
                                uses<Factor>(A), uses<Solve>(A, x),
                                user_scratch{0, 0, scratch_matrices_bytes<double, n, n>(1)});
  const TeamProblems all = plan;
  Kokkos::parallel_for(
      plan.policy, KOKKOS_LAMBDA(const Member& team) {
        const auto mine = problems_of(team, all);
        const auto A_t = Kokkos::subview(A, mine, Kokkos::ALL, Kokkos::ALL);
        const auto B_t = Kokkos::subview(B, mine, Kokkos::ALL, Kokkos::ALL);
        const auto x_t = Kokkos::subview(x, mine, Kokkos::ALL);
        const int count = mine.second - mine.first;
        const auto M = scratch_matrices<double, n, n>(team.team_scratch(0), count);
        require_success(Product::invoke(team, 1.0, A_t, B_t, 0.0, M));
        require_success(Factor::invoke(team, M));
        require_success(Solve::invoke(team, M, x_t));
      });
  // [/pipeline]
  Kokkos::fence();
  return check("residual", systems.residual());
}
