// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// team_policy for a GPU, and a kernel that it launches.
#include "Device.hpp"

namespace kc = KokkosContract;
using Product = kc::TeamContract<"bik,bkj->bij">;
using Factor = kc::TeamVectorLU<Member>;

struct Pipeline {
  Right<double* [8][8]> a, c;
  kc::TeamProblems all;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto mine = kc::problems_of(member, all);
    const auto a_t = Kokkos::subview(a, mine, Kokkos::ALL, Kokkos::ALL);
    const auto c_t = Kokkos::subview(c, mine, Kokkos::ALL, Kokkos::ALL);
    KokkosContract::require_success(Product::invoke(member, 1.0, a_t, a_t, 0.0, c_t));
    KokkosContract::require_success(Factor::invoke(member, c_t));
  }
};

int launch(const Right<double* [8][8]>& a, const Right<double* [8][8]>& c) {
  const int problems = a.extent_int(0);
  const auto plan = kc::team_policy(Device(), problems, kc::uses<Product>(a, a, c),
                                    kc::user_scratch{1024, 16}, kc::uses<Factor>(c));
  const Pipeline pipeline{a, c, plan};
  Kokkos::parallel_for(plan.for_functor(pipeline, Kokkos::ParallelForTag()).policy, pipeline);
  const auto [policy, problems_per_team] =
      kc::team_policy<kc::VectorGemm<Member, kc::Trans::NoTranspose, kc::Trans::Transpose>>(
          Device(), problems, a, a, c);
  return policy.team_size() * problems_per_team;
}

struct Doubled {
  KOKKOS_FUNCTION double operator()(double value, int, int, int) const { return 2 * value; }
};

/// A chain with a functor and a kept tensor.
int plan_chain(const Right<double* [8][8]>& a, const Right<double* [8][8]>& c) {
  using Chain = kc::TeamContract<"bik,bkj,bjl->bil">;
  return kc::team_policy(
             Device(), a.extent_int(0),
             kc::uses<Chain>(a, a, kc::pointwise<"bij">(Doubled{}), kc::keep<"bij">(c), a, c))
      .problems_per_team;
}
