// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosContract.hpp>
#include <cstdio>

#include "Elements.hpp"

using KokkosContract::TeamContract;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Elements elements(1000);
  const auto B = elements.B;
  const auto V = elements.V;
  const Array<double* [3][2]> W("W", elements.count);
  const Array<double* [3][3]> U("U", elements.count);

  // [step]
  // Two steps of a team, without a barrier between them, and the codes of all calls in one
  int codes = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamPolicy<>(elements.count, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Member& team, int& code) {
        const int e = team.league_rank();
        const auto V_e = subview(V, e, ALL, ALL);
        const auto W_e = subview(W, e, ALL, ALL);
        const auto U_e = subview(U, e, ALL, ALL);
        code |= TeamContract<"xa,ab->xb">::invoke(team, 1.0, B, V_e, 0.0, W_e);
        code |= TeamContract<"yb,xb->xy">::invoke(team, 1.0, B, W_e, 0.0, U_e);
      },
      Kokkos::BOr<int>(codes));
  // [/step]
  std::printf("U(0, 1, :) = %.4f %.4f %.4f, codes: %d\n", U(0, 1, 0), U(0, 1, 1), U(0, 1, 2),
              codes);
}
