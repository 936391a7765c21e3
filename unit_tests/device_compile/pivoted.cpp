// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of Getrf, Getrs, Gecon, Gesv, Potrf and Potrs: every level, element types, batches
// within the team.
#include "Device.hpp"

namespace kc = KokkosContract;
using kc::Trans;
using kc::Uplo;

/// Factorisations with and without info, and solves with their factors, at all levels.
template <class Matrices, class Vectors, class Pivots, class Info, class Norms>
struct Factorisations {
  Matrices a, b;
  Vectors x;
  Pivots ipiv;
  Info info;
  Norms norm, rcond;

  template <class TransA, class Triangle>
  KOKKOS_FUNCTION int team(const Member& member) const {
    int code = kc::TeamGetrf<Member>::invoke(member, a, ipiv);
    code += kc::TeamVectorGetrf<Member>::invoke(member, a, ipiv, info);
    code += kc::TeamGetrs<Member, TransA>::invoke(member, a, ipiv, x);
    code += kc::TeamVectorGetrs<Member, TransA>::invoke(member, a, ipiv, b);
    code += kc::TeamLaswp<Member>::invoke(member, ipiv, b);
    code += kc::TeamVectorLaswp<Member, kc::Direct::Backward>::invoke(member, ipiv, b);
    code += kc::TeamVectorApplyPivot<Member>::invoke(member, ipiv, b);
    code += kc::TeamGecon<Member>::invoke(member, a, norm, x, rcond);
    code += kc::TeamVectorGecon<Member, kc::Norm::Infinity>::invoke(member, a, norm, x, rcond);
    code += kc::TeamVectorGesv<Member>::invoke(member, a, ipiv, x, info);
    code += kc::TeamPotrf<Member, Triangle>::invoke(member, a);
    code += kc::TeamVectorPotrf<Member, Triangle>::invoke(member, a, info);
    code += kc::TeamVectorPotrs<Member, Triangle>::invoke(member, a, x);
    return code;
  }

  KOKKOS_FUNCTION int operator()(const Member& member) const {
    const int code = team<Trans::NoTranspose, Uplo::Lower>(member);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) {
      KokkosContract::require_success(kc::VectorGecon<Member>::invoke(member, a, norm, x, rcond));
      KokkosContract::require_success(kc::VectorGesv<Member>::invoke(member, a, ipiv, x));
      KokkosContract::require_success(kc::VectorPotrf<Member, Uplo::Upper>::invoke(member, a));
      KokkosContract::require_success(kc::VectorPotrs<Member, Uplo::Upper>::invoke(member, a, b));
    });
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      KokkosContract::require_success(kc::SerialGetrf<>::invoke(a, ipiv, info));
      KokkosContract::require_success(kc::SerialGetrs<Trans::ConjTranspose>::invoke(a, ipiv, x));
      KokkosContract::require_success(kc::SerialGecon<>::invoke(a, norm, x, rcond));
      KokkosContract::require_success(kc::SerialPotrf<Uplo::Lower>::invoke(a, info));
      KokkosContract::require_success(kc::SerialPotrs<Uplo::Lower>::invoke(a, x));
    });
    return code;
  }
};

/// Matrices that a warp has in its registers, and larger ones.
template <class Matrices>
struct CholeskyOfStatic {
  Matrices a;
  Right<int*> info;
  KOKKOS_FUNCTION int operator()(const Member& member) const {
    return kc::TeamPotrf<Member, Uplo::Lower>::invoke(member, a) +
           kc::TeamVectorPotrf<Member, Uplo::Upper>::invoke(member, a, info);
  }
};

template <class Matrices, class Vectors, class Pivots, class Info, class Norms>
void factorisations(const Right<int*>& codes, const Matrices& m, const Vectors& v, const Pivots& p,
                    const Info& info, const Norms& norm) {
  team_kernel(codes,
              Factorisations<Matrices, Vectors, Pivots, Info, Norms>{m, m, v, p, info, norm, norm});
}

void all_factorisations(const Right<int*>& codes) {
  team_kernel(codes, CholeskyOfStatic<Right<double* [48][48]>>{});
  team_kernel(codes, CholeskyOfStatic<Right<double* [96][96]>>{});
  using Packs = kc::Pack<double, 4>;
  factorisations(codes, Right<double**>{}, Right<double*>{}, Right<int*>{}, Right<int>{},
                 Right<double>{});
  factorisations(codes, Right<Packs**>{}, Right<Packs*>{}, Right<int**>{}, Right<int*>{},
                 Right<Packs>{});
  factorisations(codes, Right<Complex***>{}, Right<Complex**>{}, Right<int**>{}, Right<int*>{},
                 Right<double*>{});
}
