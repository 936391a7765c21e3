// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation at each level: which workers share it, and where it may be called.

#include <KokkosContract/Contract.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 32, n = 6;
  const Array<double***> A("A", problems, n, n);
  const Array<double***> serial("serial", problems, n, n), vector("vector", problems, n, n);
  const Array<double***> team_("team", problems, n, n), chain("chain", problems, n, n);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) A(p, i, j) = entry(p, i, j);

  // [serial]
  // One thread a problem.
  Kokkos::parallel_for(
      Kokkos::RangePolicy<>(0, problems), KOKKOS_LAMBDA(const int p) {
        const auto A_p = Kokkos::subview(A, p, ALL, ALL);
        const auto C_p = Kokkos::subview(serial, p, ALL, ALL);
        require_success(SerialContract<"ik,kj->ij">::invoke(1.0, A_p, A_p, 0.0, C_p));
      });
  // [/serial]

  // [vector]
  // Several problems a team; the vector lanes of each team thread share one.
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems / 4, Kokkos::AUTO, 8), KOKKOS_LAMBDA(const Member& team) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 4), [&](const int t) {
          const int p = 4 * team.league_rank() + t;
          const auto A_p = Kokkos::subview(A, p, ALL, ALL);
          const auto C_p = Kokkos::subview(vector, p, ALL, ALL);
          require_success(VectorContract<"ik,kj->ij">::invoke(team, 1.0, A_p, A_p, 0.0, C_p));
        });
      });
  // [/vector]

  // [team]
  // The threads of a team share a problem. All of them make the call.
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const auto A_p = Kokkos::subview(A, team.league_rank(), ALL, ALL);
        const auto C_p = Kokkos::subview(team_, team.league_rank(), ALL, ALL);
        require_success(TeamContract<"ik,kj->ij">::invoke(team, 1.0, A_p, A_p, 0.0, C_p));
      });
  // [/team]

  // [chain]
  // Calls follow each other without barriers: on return a result is visible to all workers.
  using Scratch = Kokkos::View<double**, Member::scratch_memory_space>;
  const auto bytes = Scratch::shmem_size(n, n);
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO, 8).set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const Member& team) {
        const Scratch AA(team.team_scratch(0), n, n);
        const auto A_p = Kokkos::subview(A, team.league_rank(), ALL, ALL);
        const auto C_p = Kokkos::subview(chain, team.league_rank(), ALL, ALL);
        using Product = KokkosContract::TeamVectorContract<"ik,kj->ij">;
        require_success(Product::invoke(team, 1.0, A_p, A_p, 0.0, AA));
        require_success(Product::invoke(team, 1.0, AA, A_p, 0.0, C_p));  // A^3
      });
  // [/chain]
  Kokkos::fence();

  double levels = 0, cubes = 0;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double square = 0, cube = 0;
        for (int k = 0; k < n; ++k) square += A(p, i, k) * A(p, k, j);
        for (int k = 0; k < n; ++k) cube += serial(p, i, k) * A(p, k, j);
        levels = worse(levels, std::abs(serial(p, i, j) - square));
        levels = worse(levels, std::abs(vector(p, i, j) - square));
        levels = worse(levels, std::abs(team_(p, i, j) - square));
        cubes = worse(cubes, std::abs(chain(p, i, j) - cube));
      }
  return check("Serial, Vector, Team", levels) + check("a chain at TeamVector", cubes);
}
