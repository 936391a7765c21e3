// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of Pbtrf, Pbtrs, Gbtrf, Gbtrs, Pttrf, Pttrs and Tbsv: every level, element types,
// batches within the team, workspaces.
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
    int code = kc::TeamPbtrf<Member, Uplo::Lower>::invoke(member, a);
    code += kc::TeamVectorPbtrs<Member, Uplo::Upper>::invoke(member, a, x, w);
    code += kc::TeamVectorGbtrf<Member>::invoke(member, c, ipiv, 1, 1, info);
    code += kc::TeamGbtrs<Member, Trans::ConjTranspose>::invoke(member, c, ipiv, x, 1, 1);
    code += kc::TeamPttrf<Member>::invoke(member, d, e, info);
    code += kc::TeamVectorPttrs<Member, Uplo::Upper>::invoke(member, d, e, x);
    code += kc::TeamTbsv<Member, Uplo::Upper, Trans::Transpose, Diag::Unit>::invoke(member, a, x, 1);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) {
      kc::require_success(kc::VectorPbtrf<Member, Uplo::Upper>::invoke(member, a));
      kc::require_success(kc::VectorGbtrs<Member>::invoke(member, c, ipiv, x, 1, 1, w));
      kc::require_success(kc::VectorPttrs<Member>::invoke(member, d, e, x, w));
    });
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      kc::require_success(kc::SerialPbtrf<Uplo::Lower>::invoke(a, info));
      kc::require_success(kc::SerialPbtrs<Uplo::Lower>::invoke(a, x));
      kc::require_success(kc::SerialGbtrf<>::invoke(c, ipiv, 1, 1));
      kc::require_success(kc::SerialGbtrs<>::invoke(c, ipiv, x, 1, 1));
      kc::require_success(kc::SerialPttrf<>::invoke(d, e));
      kc::require_success(kc::SerialPttrs<>::invoke(d, e, x));
      kc::require_success(kc::SerialTbsv<Uplo::Lower>::invoke(a, x, 1));
    });
    return code;
  }
};

void all_bands(const Right<int*>& codes) {
  using Packs = kc::Pack<double, 4>;
  team_kernel(codes, Bands<Right<double**>, Right<double*>, Right<int*>, Right<int>>{});
  team_kernel(codes, Bands<Right<Packs**>, Right<Packs*>, Right<int**>, Right<int*>>{});
  team_kernel(codes, Bands<Right<Complex***>, Right<Complex**>, Right<int**>, Right<int*>>{});
}
