// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of packed_access, pad_identity and for_each_lane: the fused solve of the README.
#include "Device.hpp"

namespace kc = KokkosContract;
using kc::Algo;
using kc::Diag;
using kc::Trans;
using kc::Uplo;

template <class P, class Layout>
void fused_solve(const Right<int*>& codes, const Kokkos::View<P***, Layout, Device>& a,
                 const Kokkos::View<P**, Layout, Device>& x, const Right<double**>& basis) {
  team_kernel(
      codes, KOKKOS_LAMBDA(const Member& member) {
        int code = 0;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, a.extent_int(0)), [&](int p) {
          const auto ap = Kokkos::subview(a, p, Kokkos::ALL, Kokkos::ALL);
          const auto xp = Kokkos::subview(x, p, Kokkos::ALL);
          code += kc::for_each_lane(
              member,
              [&](const auto& m, const auto& v, const auto& b) {
                KokkosContract::require_success(
                    kc::SerialGemm<Trans::Transpose, Trans::NoTranspose>::invoke(1.0, b, m, 0.0,
                                                                                 m));
                int info = kc::SerialLU<>::invoke(m);
                info +=
                    kc::SerialTrsv<Uplo::Lower, Trans::NoTranspose, Diag::Unit>::invoke(1.0, m, v);
                KokkosContract::require_success(
                    kc::SerialTrsv<Uplo::Upper, Trans::NoTranspose, Diag::NonUnit>::invoke(1.0, m,
                                                                                           v));
                KokkosContract::require_success(
                    kc::SerialContract<"ij,j->i">::invoke(1.0, b, v, 1.0, v));
                return info;
              },
              ap, xp, basis);
          const auto mask = xp(0) < 1.0 && !(ap(0, 0) >= xp(0));
          xp(0) = conditional_assign(mask, sqrt(abs(xp(0))), max(exp(xp(0)), pow(xp(0), 2.0)));
          code += is_any_true(mask) ? 1 : 0;
          code += kc::for_each_lane(
              member, [&](const auto& m) { return kc::SerialLU<>::invoke(m, 1e-9); },
              kc::fix<4, 4>(ap));
        });
        return code;
      });
}

void solves(const Right<int*>& codes, const Right<double**>& basis) {
  using P8 = kc::Pack<double, 8>;
  using P32 = kc::Pack<float, kc::default_pack_length<float, Device>>;
  fused_solve(codes, Right<P8***>{}, Right<P8**>{}, basis);
  fused_solve(codes, Left<P32***>{}, Left<P32**>{}, basis);
}

void fill(const Right<int*>& codes, const Right<kc::Pack<double, 32>***>& a) {
  kc::pad_identity(Device(), a, 7);
  kc::pad_zero(Device(), a, 7);
  thread_kernel(
      codes, KOKKOS_LAMBDA(int i) {
        const auto access = kc::packed_access<0>(a, 7);
        access(i, 0, 0) = access.extent(0);
        return 0;
      });
}
