// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modes that look at misuse, in device code.
#define KOKKOSCONTRACT_CHECKED 1
#define KOKKOSCONTRACT_STRICT 1
#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/PackAccess.hpp>

#include "Device.hpp"

namespace kc = KokkosContract;
using kc::Trans;

using Matrices = Kokkos::View<double***, Kokkos::LayoutRight, Device::memory_space>;

void run_misuse(const Matrices& a, const Matrices& c) {
  using Kokkos::ALL;
  Kokkos::parallel_for(
      Policy(10, 4, 8), KOKKOS_LAMBDA(const Member& member) {
        const auto a_p = Kokkos::subview(a, member.league_rank(), ALL, ALL);
        const auto c_p = Kokkos::subview(c, member.league_rank(), ALL, ALL);
        int code = kc::TeamVectorContract<"ik,kj->ij">::invoke(member, 1.0, a_p, a_p, 0.0, c_p);
        code |= kc::TeamGemm<Member, Trans::NoTranspose, Trans::Transpose>::invoke(member, 1.0, a_p,
                                                                                   a_p, 0.0, c_p);
        code |= kc::VectorContract<"ij->ji">::invoke(member, 1.0, a_p, 0.0, c_p);
        code |= kc::SerialLU<>::invoke(c_p);
        kc::require_success(code);
      });
  Kokkos::fence();
  kc::require_success(kc::first_fault().code);
  kc::clear_first_fault();
}
