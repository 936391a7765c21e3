// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosContract.hpp>
#include <cstdio>

#include "Elements.hpp"

using namespace KokkosContract;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Elements elements(1000);
  const int count = elements.count;
  const auto N = elements.N;

  // [data]
  // Entry b of each View holds the elements L b to L b + L - 1, one in each lane
  constexpr int L = default_pack_length<double>;
  using Lanes = Pack<double, L>;
  const int packs = (count + L - 1) / L;
  const Array<Lanes* [9]> w("w", packs), g("g", packs);
  const Array<Lanes* [4]> x("x", packs);
  const Array<Lanes* [4][4]> M("M", packs);
  const auto each_w = packed_access<0>(w, packs * L);
  const auto each_g = packed_access<0>(g, packs * L);
  for (int e = 0; e < packs * L; ++e)
    for (int q = 0; q < 9; ++q) {
      // What lies behind the last element is a copy of it, so that its matrix is regular, too.
      each_w(e, q) = elements.w(Kokkos::min(e, count - 1), q);
      each_g(e, q) = elements.g(Kokkos::min(e, count - 1), q);
    }
  // [/data]

  // [step]
  // The calls of step 4; each computes on L elements at once
  using Build = TeamContract<"qi,q,qj->ij">;
  using Load = TeamContract<"qi,q,q->i">;
  const auto w_0 = subview(w, 0, ALL);
  const auto bytes = Kokkos::max(Build::scratch_bytes(N, w_0, N, subview(M, 0, ALL, ALL)),
                                 Load::scratch_bytes(N, w_0, w_0, subview(x, 0, ALL)));
  int codes = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamPolicy<>(packs, Kokkos::AUTO).set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const Member& team, int& code) {
        const int b = team.league_rank();
        const auto w_b = subview(w, b, ALL);
        const auto g_b = subview(g, b, ALL);
        const auto x_b = subview(x, b, ALL);
        const auto M_b = subview(M, b, ALL, ALL);
        code |= Build::invoke(team, team.team_scratch(0), 1.0, N, w_b, N, 0.0, M_b);
        code |= Load::invoke(team, team.team_scratch(0), 1.0, N, w_b, g_b, 0.0, x_b);
        code |= TeamPotrf<Member, Uplo::Lower>::invoke(team, M_b);
        code |= TeamPotrs<Member, Uplo::Lower>::invoke(team, M_b, x_b);
      },
      Kokkos::BOr<int>(codes));
  // [/step]
  const auto each_x = packed_access<0>(x, count);
  std::printf("x(999, :) = %.4f %.4f %.4f %.4f, codes: %d\n", each_x(999, 0), each_x(999, 1),
              each_x(999, 2), each_x(999, 3), codes);
}
