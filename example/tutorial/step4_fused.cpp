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

  // [step]
  // M(i, j) = sum over q of N(q, i) w(q) N(q, j);  M x = N^T (w g)
  using Matrix = Kokkos::View<double[4][4], Member::scratch_memory_space>;
  using Build = TeamContract<"qi,q,qj->ij">;
  using Load = TeamContract<"qi,q,q->i">;
  const auto w_0 = subview(w, 0, ALL);
  const auto for_build = Build::scratch_bytes(N, w_0, N, Matrix());
  const auto for_load = Load::scratch_bytes(N, w_0, w_0, subview(x, 0, ALL));
  const auto bytes = Matrix::shmem_size() + Kokkos::max(for_build, for_load);
  int codes = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamPolicy<>(elements.count, Kokkos::AUTO)
          .set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const Member& team, int& code) {
        const int e = team.league_rank();
        const auto w_e = subview(w, e, ALL);
        const auto g_e = subview(g, e, ALL);
        const auto x_e = subview(x, e, ALL);
        const Matrix M(team.team_scratch(0));
        code |= Build::invoke(team, team.team_scratch(0), 1.0, N, w_e, N, 0.0, M);
        code |= Load::invoke(team, team.team_scratch(0), 1.0, N, w_e, g_e, 0.0, x_e);
        code |= TeamPotrf<Member, Uplo::Lower>::invoke(team, M);  // M = L L^T, in place
        code |= TeamPotrs<Member, Uplo::Lower>::invoke(team, M, x_e);
      },
      Kokkos::BOr<int>(codes));
  // [/step]
  std::printf("x(999, :) = %.4f %.4f %.4f %.4f, codes: %d\n", x(999, 0), x(999, 1), x(999, 2),
              x(999, 3), codes);
}
