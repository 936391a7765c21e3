// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several problems a team: a product, its factorisation and two solves in one kernel. What passes
// between the steps stays in the team's scratch memory.

#include <KokkosContract.hpp>

#include "../Example.hpp"

using namespace KokkosContract;
using example::Array, example::check, example::entry, example::worse;
using Member = Kokkos::TeamPolicy<>::member_type;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int n = 8;
  constexpr int each = 16;
  const int problems = 1000;
  const Array<double* [n][n]> A("A", problems), B("B", problems);
  const Array<double* [n]> b("b", problems), x("x", problems);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        A(p, i, j) = entry(p, i, j) / n + (i == j ? 2 : 0);
        B(p, i, j) = entry(i, j, p) / n + (i == j ? 2 : 0);
      }
      b(p, i) = x(p, i) = entry(i, p);
    }

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

  double residual = 0;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      double r = b(p, i);
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j) r -= A(p, i, k) * B(p, k, j) * x(p, j);
      residual = worse(residual, std::abs(r));
    }
  return check("residual", residual);
}
