// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosContract.hpp>
#include <cstdio>

#include "Elements.hpp"

using KokkosContract::require_success, KokkosContract::TeamContract;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Elements elements(1000);
  const auto B = elements.B;
  const auto V = elements.V;
  const Array<double* [3][3]> U("U", elements.count);

  // [step]
  // The same in one call: what passes between the two products is in scratch memory
  using Interpolate = TeamContract<"xa,yb,ab->xy">;
  const auto bytes =
      Interpolate::scratch_bytes(B, B, subview(V, 0, ALL, ALL), subview(U, 0, ALL, ALL));
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(elements.count, Kokkos::AUTO)
          .set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank();
        require_success(Interpolate::invoke(team, team.team_scratch(0), 1.0, B, B,
                                            subview(V, e, ALL, ALL), 0.0, subview(U, e, ALL, ALL)));
      });
  Kokkos::fence();
  // [/step]
  std::printf("U(0, 1, :) = %.4f %.4f %.4f\n", U(0, 1, 0), U(0, 1, 1), U(0, 1, 2));
}
