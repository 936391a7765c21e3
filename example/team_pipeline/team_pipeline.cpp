// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several problems a team: a product, its factorisation and two solves in one kernel. What passes
// between the steps stays in the team's scratch memory.

#include <KokkosContract.hpp>

#include "../Example.hpp"

using namespace KokkosContract;
using example::check, example::Member;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int n = 8;
  constexpr int each = 16;
  const int problems = 1000;
  const example::ProductSystems<n> systems(problems);
  const auto A = systems.A, B = systems.B;
  const auto x = systems.x;

  // [pipeline]
  // A_p B_p x_p = b_p, `each` problems a team; x holds b before
  Kokkos::TeamPolicy<> policy((problems + each - 1) / each, Kokkos::AUTO);
  policy.set_scratch_size(0, Kokkos::PerTeam(scratch_matrices_bytes<double, n, n>(each)));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Member& team) {
        const int first = team.league_rank() * each;
        const int last = first + each < problems ? first + each : problems;
        const auto mine = Kokkos::make_pair(first, last);
        const auto A_t = Kokkos::subview(A, mine, Kokkos::ALL, Kokkos::ALL);
        const auto B_t = Kokkos::subview(B, mine, Kokkos::ALL, Kokkos::ALL);
        const auto x_t = Kokkos::subview(x, mine, Kokkos::ALL);
        const auto M = scratch_matrices<double, n, n>(team.team_scratch(0), last - first);
        using None = Trans::NoTranspose;
        TeamContract<"pik,pkj->pij">::invoke(team, 1.0, A_t, B_t, 0.0, M);
        TeamLU<Member>::invoke(team, M);
        TeamTrsv<Member, Uplo::Lower, None, Diag::Unit>::invoke(team, 1.0, M, x_t);
        TeamTrsv<Member, Uplo::Upper, None, Diag::NonUnit>::invoke(team, 1.0, M, x_t);
      });
  // [/pipeline]
  Kokkos::fence();
  return check("residual", systems.residual());
}
