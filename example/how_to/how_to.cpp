// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/how-to.md that is in no other example.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/Scratch.hpp>
#include <KokkosContract/SolveLU.hpp>
#include <KokkosContract/TeamPolicy.hpp>

#include "../Example.hpp"

using namespace KokkosContract;
using example::Array, example::check, example::entry, example::Member, example::worse;
using Kokkos::ALL, Kokkos::subview;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int n = 8;
  const int problems = 100;
  const example::ProductSystems<n> systems(problems);
  const auto A = systems.A, B = systems.B;
  const auto x = systems.x;

  // [slice]
  // A_p B_p x_p = b_p, where each thread of a team has problems of its own: Vector calls
  using Product = VectorContract<"ik,kj->ij">;
  using Factor = VectorLU<Member>;
  using Solve = VectorSolveLU<Member, Trans::NoTranspose>;
  const auto plan = team_policy(Kokkos::DefaultExecutionSpace(), problems, uses<Product>(A, B, A),
                                uses<Factor>(A), uses<Solve>(A, x),
                                user_scratch{0, 0, scratch_matrices_bytes<double, n, n>(1)});
  const TeamProblems all = plan;
  Kokkos::parallel_for(
      plan.policy, KOKKOS_LAMBDA(const Member& team) {
        const auto mine = problems_of(team, all);
        const auto M =
            scratch_matrices<double, n, n>(team.team_scratch(0), mine.second - mine.first);
        Kokkos::parallel_for(
            Kokkos::TeamThreadRange(team, mine.first, mine.second), [&](const int p) {
              const auto M_p = slice(M, p - mine.first);  // n x n, as subview(A, p, ALL, ALL)
              require_success(Product::invoke(team, 1.0, subview(A, p, ALL, ALL),
                                              subview(B, p, ALL, ALL), 0.0, M_p));
              require_success(Factor::invoke(team, M_p));
              require_success(Solve::invoke(team, M_p, subview(x, p, ALL)));
            });
      });
  // [/slice]
  Kokkos::fence();

  constexpr int m = 80;
  const Array<double[m][m]> P("P");
  const Array<double* [m]> y("y", problems);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) P(i, j) = entry(i, j);
  // [level]
  // y = P (P 1): a matrix of 51,200 bytes is too large for level 0 of a host
  const int bytes = scratch_matrices_bytes<double, m, m>(1);
  const int level = bytes <= Kokkos::TeamPolicy<>::scratch_size_max(0) ? 0 : 1;
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO).set_scratch_size(level, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const Member& team) {
        const auto M = slice(scratch_matrices<double, m, m>(team.team_scratch(level), 1), 0);
        require_success(TeamContract<"ik,kj->ij">::invoke(team, 1.0, P, P, 0.0, M));
        require_success(
            TeamContract<"i+j->i">::invoke(team, 1.0, M, 0.0, subview(y, team.league_rank(), ALL)));
      });
  // [/level]
  Kokkos::fence();
  double error = 0;
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int k = 0; k < m; ++k)
      for (int j = 0; j < m; ++j) sum += P(i, k) * P(k, j);
    error = worse(error, std::abs(sum - y(problems - 1, i)));
  }
  return check("slices", systems.residual()) + check("level of scratch memory", error, 1e-11);
}
