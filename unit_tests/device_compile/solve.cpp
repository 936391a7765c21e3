// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of LU, Trsv and Trsm: every level, element types, batches within the team, a
// pipeline.
#include <Kokkos_DynRankView.hpp>

#include "Device.hpp"

namespace kc = KokkosContract;
using kc::Algo;
using kc::Diag;
using kc::Side;
using kc::Trans;
using kc::Uplo;

/// LU with and without info, and both solves, at all levels.
template <class Matrices, class Vectors, class Info, class Scalar>
struct Solves {
  Matrices a, b;
  Vectors x;
  Info info;

  template <class Where, class Triangle, class TransA, class Diagonal>
  KOKKOS_FUNCTION int triangular(const Member& member) const {
    const Scalar one(1);
    int code = kc::TeamTrsv<Member, Triangle, TransA, Diagonal>::invoke(member, one, a, x);
    code += kc::TeamVectorTrsv<Member, Triangle, TransA, Diagonal>::invoke(member, one, a, x);
    code += kc::TeamTrsm<Member, Where, Triangle, TransA, Diagonal>::invoke(member, one, a, b);
    code +=
        kc::TeamVectorTrsm<Member, Where, Triangle, TransA, Diagonal>::invoke(member, one, a, b);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) {
      KokkosContract::require_success(
          kc::VectorTrsv<Member, Triangle, TransA, Diagonal>::invoke(member, one, a, x));
      KokkosContract::require_success(
          kc::VectorTrsm<Member, Where, Triangle, TransA, Diagonal>::invoke(member, one, a, b));
    });
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      KokkosContract::require_success(
          kc::SerialTrsv<Triangle, TransA, Diagonal>::invoke(one, a, x));
      KokkosContract::require_success(
          kc::SerialTrsm<Where, Triangle, TransA, Diagonal>::invoke(one, a, b));
    });
    return code;
  }

  KOKKOS_FUNCTION int operator()(const Member& member) const {
    const Scalar tiny(1e-3);
    int code = kc::TeamLU<Member>::invoke(member, a);
    code += kc::TeamLU<Member>::invoke(member, a, info);
    code += kc::TeamVectorLU<Member, Algo::LU::Unblocked>::invoke(member, a, tiny);
    code += kc::TeamVectorLU<Member>::invoke(member, a, info, tiny);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) {
      KokkosContract::require_success(kc::VectorLU<Member>::invoke(member, a, info));
    });
    Kokkos::single(Kokkos::PerTeam(member),
                   [&] { KokkosContract::require_success(kc::SerialLU<>::invoke(a, info, tiny)); });
    code += triangular<Side::Left, Uplo::Lower, Trans::NoTranspose, Diag::Unit>(member);
    code += triangular<Side::Right, Uplo::Upper, Trans::ConjTranspose, Diag::NonUnit>(member);
    return code;
  }
};

template <class Matrices, class Vectors, class Info, class Scalar = double>
void solves(const Right<int*>& codes, const Matrices& m, const Vectors& v, const Info& info,
            Scalar = 0) {
  team_kernel(codes, Solves<Matrices, Vectors, Info, Scalar>{m, m, v, info});
}

void all_solves(const Right<int*>& codes) {
  using Packs = kc::Pack<double, 4>;
  solves(codes, Right<double**>{}, Right<double*>{}, Right<int>{});
  solves(codes, Left<float[8][8]>{}, Right<float[8]>{}, Right<int>{}, float{});
  solves(codes, Right<Packs**>{}, Right<Packs*>{}, Right<int*>{});
  solves(codes, Right<Complex**>{}, Right<Complex*>{}, Right<int>{}, Complex{});
  solves(codes, Right<Half**>{}, Right<Half*>{}, Right<int>{}, float{});
  solves(codes, Right<double***>{}, Right<double**>{}, Right<int*>{});
}

/// A matrix that all problems of the team share; a fused pipeline in one kernel.
void pipeline(const Right<int*>& codes, const Right<double** [8][8]>& a,
              const Right<double[8][8]>& basis, const Right<double** [8]>& x) {
  team_kernel(
      codes, KOKKOS_LAMBDA(const Member& member) {
        const int e = member.league_rank();
        const auto ae = Kokkos::subview(a, e, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL);
        const auto xe = Kokkos::subview(x, e, Kokkos::ALL, Kokkos::ALL);
        using T = Trans::NoTranspose;
        int code =
            kc::TeamVectorGemm<Member, T, T>::invoke(member, 1.0, kc::shared(basis), ae, 0.0, ae);
        code += kc::TeamVectorLU<Member>::invoke(member, ae);
        code += kc::TeamVectorTrsv<Member, Uplo::Lower, T, Diag::Unit>::invoke(member, 1.0, ae, xe);
        code += kc::TeamVectorTrsv<Member, Uplo::Upper, T, Diag::NonUnit>::invoke(
            member, 1.0, kc::shared(basis), xe);
        code += kc::TeamVectorGemv<Member, T>::invoke(member, 1.0, kc::shared(basis), xe, 0.0, xe);
        return code;
      });
}

/// Routines that say the ranks of their arguments take a DynRankView.
using DynRankView = Kokkos::DynRankView<double, Kokkos::LayoutRight, Device>;
void dyn_rank_views(const Right<int*>& codes, const DynRankView& a, const DynRankView& x) {
  team_kernel(
      codes, KOKKOS_LAMBDA(const Member& member) {
        return kc::TeamTrsv<Member, Uplo::Lower, Trans::NoTranspose, Diag::Unit>::invoke(member, 1.,
                                                                                         a, x);
      });
}
