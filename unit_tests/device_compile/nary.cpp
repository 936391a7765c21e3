// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of contractions of more than two inputs, of private tiles, and of contractions from
// the host.
#include "Device.hpp"

namespace kc = KokkosContract;

void team(const Right<int*>& codes, const Right<double**>& m, const Right<double***>& v,
          const Right<double[4][4]>& fixed) {
  using Routine = kc::TeamContract<"xa,yb,zc,abc->xyz">;
  const auto bytes = Routine::scratch_bytes(m, m, m, v, v);
  const auto level0 = Kokkos::PerTeam(bytes);
  Kokkos::parallel_for(
      Policy(codes.extent_int(0), 4, 8).set_scratch_size(0, level0, Kokkos::PerThread(bytes)),
      KOKKOS_LAMBDA(const Member& member) {
        const auto e = [](double value, int i, int j, int k) { return value + i + j + k; };
        int code = Routine::invoke(member, member.team_scratch(0), 1.0, m, m, m, v, 0.0, v);
        code += Routine::invoke(member, member.team_scratch(0), 1.0, m, m, m, v, 1.0, v, e);
        code += kc::TeamVectorContract<"xa,yb,zc,abc->xyz">::invoke(member, member.team_scratch(0),
                                                                    1.0, m, m, m, v, 0.0, v);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) {
          KokkosContract::require_success(kc::VectorContract<"xa,yb,zc,abc->xyz">::invoke(
              member, member.thread_scratch(0), 1.0, m, m, m, v, 0.0, v));
        });
        Kokkos::single(Kokkos::PerThread(member), [&] {
          KokkosContract::require_success(kc::SerialContract<"ij,jk,kl->il">::invoke(
              member.thread_scratch(0), 1.0, m, m, m, 0.0, fixed));
        });
        codes(member.league_rank()) = code;
      });
}

void tiles(const Right<int*>& codes, const Right<double* [3][3]>& a) {
  thread_kernel(
      codes, KOKKOS_LAMBDA(int i) {
        const auto ai = Kokkos::subview(a, i, Kokkos::ALL, Kokkos::ALL);
        kc::Tile<double, 3, 3> t;
        int code = kc::SerialContract<"ik,kj->ij">::invoke(1.0, ai, ai, 0.0, t);
        code += kc::SerialLU<>::invoke(t);
        code += kc::SerialReshape<"ij->ji">::invoke(t, ai);
        code += kc::SerialContract<"ij,jk,kl->il">::invoke(1.0, ai, t, ai, 0.0, ai);
        kc::Tile<float, 3, 3> single;
        code += kc::SerialContract<"ij,jk,kl->il">::invoke(1.0, single, single, kc::keep<"ik">(t),
                                                           single, 0.0, single);
        return code;
      });
}

void from_host(const Right<double***>& a, const Right<double***>& b, const Left<float**>& c,
               const Right<float**>& d) {
  kc::contract<"bij,bjk->bik">(Device(), 1.0, a, a, 0.0, b);
  kc::contract<"ij,jk->ik", kc::Accuracy::tf32>(Device(), 1.0f, c, c, 0.0f, d);
  kc::contract<"ij->ji">(Device(), 2.0f, c, 1.0f, d);
}
