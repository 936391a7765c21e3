// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of Pbtrf, Pbtrs, Gbtrf, Gbtrs, Pttrf, Pttrs and Tbsv: every level, element types,
// batches within the team, workspaces. Each solve has code for eight widths, which is slow to
// compile: numbers and batches of complex numbers share out the calls that differ in little else.
#include "Device.hpp"

namespace kc = KokkosContract;
using kc::Diag;
using kc::Trans;
using kc::Uplo;

template <class Matrices, class Vectors, class Pivots, class Info>
struct Bands {
  Matrices a, c;
  Vectors d, e, x, w;
  Pivots ipiv;
  Info info;

  KOKKOS_FUNCTION int operator()(const Member& member) const {
    int code = kc::TeamVectorPbtrf<Member, Uplo::Lower>::invoke(member, a);
    code += kc::TeamVectorPbtrs<Member, Uplo::Upper>::invoke(member, a, x, w);
    code += kc::TeamGbtrf<Member>::invoke(member, c, ipiv, 1, 1, info);
    if constexpr (Matrices::rank == 3) {
      code += kc::TeamGbtrs<Member, Trans::ConjTranspose>::invoke(member, c, ipiv, x, 1, 1);
    } else {
      Kokkos::single(Kokkos::PerTeam(member), [&] {
        kc::require_success(kc::SerialGbtrs<>::invoke(c, ipiv, x, 1, 1));
        kc::require_success(
            kc::SerialTbsv<Uplo::Lower, Trans::Transpose, Diag::Unit>::invoke(a, x, 1));
      });
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) {
      kc::require_success(kc::VectorPttrf<Member>::invoke(member, d, e, info));
      kc::require_success(kc::VectorPttrs<Member, Uplo::Upper>::invoke(member, d, e, x, w));
    });
    return code;
  }
};

void all_bands(const Right<int*>& codes) {
  team_kernel(codes, Bands<Right<double**>, Right<double*>, Right<int*>, Right<int>>{});
  team_kernel(codes, Bands<Right<Complex***>, Right<Complex**>, Right<int**>, Right<int*>>{});
}
