// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of the smaller routines of the dense linear algebra: vectors, updates, norms,
// inverses and QR, at every level, for several element types.
#include "Device.hpp"

namespace kc = KokkosContract;
using kc::Diag;
using kc::Norm;
using kc::Side;
using kc::Trans;
using kc::Uplo;

/// Vectors, updates and norms.
template <class Matrix, class Vector, class Result, class Size, class Scalar>
struct Vectors {
  Matrix a, b;
  Vector x, y;
  Result dot;
  Size norm;

  KOKKOS_FUNCTION int serial() const {
    int code = kc::SerialSet::invoke(Scalar(1), a) + kc::SerialSetIdentity::invoke(b);
    code += kc::SerialScale::invoke(Scalar(2), a);
    code += kc::SerialCopy<Trans::Transpose>::invoke(a, b);
    code += kc::SerialAxpy::invoke(Scalar(2), x, y);
    code += kc::SerialDot<>::invoke(x, y, dot);
    code += kc::SerialGer<Trans::ConjTranspose>::invoke(Scalar(2), x, y, a);
    code += kc::SerialSyr<Uplo::Lower, Trans::ConjTranspose>::invoke(Scalar(2), x, a);
    code += kc::SerialLacgv::invoke(x) + kc::SerialXpay::invoke(Scalar(2), x, y);
    code += kc::SerialHadamardProduct::invoke(x, y, y) + kc::SerialSwap::invoke(x, y);
    code += kc::SerialSymv<Uplo::Lower>::invoke(Scalar(2), a, x, Scalar(1), y);
    code += kc::SerialAddRadial::invoke(Scalar(2), a) + kc::SerialApplyPivot<>::invoke(1, a);
    code += kc::SerialNrm2::invoke(x, norm) + kc::SerialAsum::invoke(x, norm);
    code += kc::SerialNorm<Norm::Max>::invoke(a, norm);
    return code + kc::SerialNorm<Norm::Frobenius>::invoke(a, norm);
  }
  KOKKOS_FUNCTION int vector(const Member& member) const {
    int code = kc::VectorSet<Member>::invoke(member, Scalar(1), a);
    code += kc::VectorSetIdentity<Member>::invoke(member, b);
    code += kc::VectorScale<Member>::invoke(member, Scalar(2), a);
    code += kc::VectorCopy<Member, Trans::ConjTranspose>::invoke(member, a, b);
    code += kc::VectorAxpy<Member>::invoke(member, Scalar(2), x, y);
    code += kc::VectorDot<Member>::invoke(member, x, y, dot);
    code += kc::VectorGer<Member, Trans::Transpose>::invoke(member, Scalar(2), x, y, a);
    code += kc::VectorSyr<Member, Uplo::Upper, Trans::Transpose>::invoke(member, Scalar(2), x, a);
    code += kc::VectorLacgv<Member>::invoke(member, x);
    code += kc::VectorXpay<Member>::invoke(member, Scalar(2), x, y);
    code += kc::VectorHadamardProduct<Member>::invoke(member, x, y, y);
    code += kc::VectorSwap<Member>::invoke(member, x, y);
    code += kc::VectorSymv<Member, Uplo::Upper>::invoke(member, Scalar(2), a, x, Scalar(1), y);
    code += kc::VectorAddRadial<Member>::invoke(member, Scalar(2), a);
    code += kc::VectorApplyPivot<Member, Side::Right>::invoke(member, 1, a);
    code += kc::VectorNrm2<Member>::invoke(member, x, norm);
    code += kc::VectorAsum<Member>::invoke(member, x, norm);
    return code + kc::VectorNorm<Member, Norm::One>::invoke(member, a, norm);
  }
  KOKKOS_FUNCTION int operator()(const Member& member) const {
    Kokkos::single(Kokkos::PerTeam(member), [&] { serial(); });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) { vector(member); });
    int code = kc::TeamSet<Member>::invoke(member, Scalar(1), a);
    code += kc::TeamVectorSetIdentity<Member>::invoke(member, b);
    code += kc::TeamVectorScale<Member>::invoke(member, Scalar(2), a);
    code += kc::TeamVectorCopy<Member>::invoke(member, a, b);
    code += kc::TeamAxpy<Member>::invoke(member, Scalar(2), x, y);
    code += kc::TeamVectorDot<Member, Trans::Transpose>::invoke(member, x, y, dot);
    code += kc::TeamGer<Member, Trans::Transpose>::invoke(member, Scalar(2), x, y, a);
    code +=
        kc::TeamVectorSyr<Member, Uplo::Lower, Trans::Transpose>::invoke(member, Scalar(2), x, a);
    code += kc::TeamLacgv<Member>::invoke(member, x);
    code += kc::TeamVectorXpay<Member>::invoke(member, Scalar(2), x, y);
    code += kc::TeamHadamardProduct<Member>::invoke(member, x, y, y);
    code += kc::TeamVectorSwap<Member>::invoke(member, x, y);
    code += kc::TeamVectorSymv<Member, Uplo::Lower, Trans::ConjTranspose>::invoke(
        member, Scalar(2), a, x, Scalar(1), y);
    code += kc::TeamVectorAddRadial<Member>::invoke(member, Scalar(2), a);
    code += kc::TeamVectorApplyPivot<Member>::invoke(member, 1, a);
    code += kc::TeamVectorNrm2<Member>::invoke(member, x, norm);
    code += kc::TeamVectorAsum<Member>::invoke(member, x, norm);
    return code + kc::TeamNorm<Member, Norm::Infinity>::invoke(member, a, norm);
  }
};

template <class Scalar, class Matrix, class Vector, class Result, class Size>
void vectors(const Right<int*>& codes, const Matrix& a, const Vector& x, const Result& dot,
             const Size& norm) {
  team_kernel(codes, Vectors<Matrix, Vector, Result, Size, Scalar>{a, a, x, x, dot, norm});
}

void all_vectors(const Right<int*>& codes) {
  using Packs = kc::Pack<double, 4>;
  vectors<double>(codes, Right<double**>{}, Right<double*>{}, Right<double>{}, Right<double>{});
  vectors<double>(codes, Right<Packs**>{}, Right<Packs*>{}, Right<Packs>{}, Right<Packs>{});
  vectors<float>(codes, Right<Half**>{}, Right<Half*>{}, Right<Half>{}, Right<float>{});
}

/// The largest elements of all vectors of a team, and sums with a factor for each.
void batches(const Right<int*>& codes, const Right<double**>& x, const Right<double*>& alpha,
             const Right<int*>& index) {
  team_kernel(
      codes, KOKKOS_LAMBDA(const Member& member) {
        int code = kc::TeamVectorIamax<Member>::invoke(member, x, index);
        code += kc::TeamIamax<Member>::invoke(member, x, index);
        return code + kc::TeamVectorAxpy<Member>::invoke(member, alpha, x, x);
      });
}

/// Inverses, triangular products and QR.
template <class Matrix, class Vector, class Info, class Scalar>
struct Solutions {
  Matrix a, b;
  Vector x, y;
  Info info;

  KOKKOS_FUNCTION int serial() const {
    using N = Trans::NoTranspose;
    using H = Trans::ConjTranspose;
    int code = kc::SerialSolveLU<N>::invoke(a, x) + kc::SerialSolveLU<H>::invoke(a, b);
    code += kc::SerialInverseLU<>::invoke(a, x);
    code += kc::SerialTrtri<Uplo::Upper, Diag::NonUnit>::invoke(a, info);
    code += kc::SerialTrmm<Side::Right, Uplo::Lower, H, Diag::NonUnit>::invoke(Scalar(2), a, b);
    code += kc::SerialGeqrf<>::invoke(a, x) + kc::SerialOrmqr<Side::Left, H>::invoke(a, x, b);
    return code + kc::SerialGels<>::invoke(a, x, y, info);
  }
  KOKKOS_FUNCTION int vector(const Member& member) const {
    using N = Trans::NoTranspose;
    int code = kc::VectorSolveLU<Member, N>::invoke(member, a, b);
    code += kc::VectorInverseLU<Member>::invoke(member, a, x);
    code += kc::VectorTrtri<Member, Uplo::Lower, Diag::Unit>::invoke(member, a);
    code += kc::VectorTrmm<Member, Side::Left, Uplo::Lower, N, Diag::Unit>::invoke(member,
                                                                                   Scalar(2), a, b);
    code += kc::VectorGeqrf<Member>::invoke(member, a, x);
    code += kc::VectorOrmqr<Member, Side::Right, N>::invoke(member, a, x, b);
    return code + kc::VectorGels<Member>::invoke(member, a, x, b);
  }
  KOKKOS_FUNCTION int operator()(const Member& member) const {
    using N = Trans::NoTranspose;
    Kokkos::single(Kokkos::PerTeam(member), [&] { serial(); });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) { vector(member); });
    int code = kc::TeamSolveLU<Member, N>::invoke(member, a, b);
    code += kc::TeamVectorInverseLU<Member>::invoke(member, a, x);
    code += kc::TeamVectorTrtri<Member, Uplo::Lower, Diag::NonUnit>::invoke(member, a, info);
    code += kc::TeamTrmm<Member, Side::Left, Uplo::Upper, N, Diag::Unit>::invoke(member, Scalar(2),
                                                                                 a, b);
    code += kc::TeamGeqrf<Member>::invoke(member, a, x);
    code += kc::TeamVectorGeqrf<Member>::invoke(member, a, x);
    code += kc::TeamOrmqr<Member, Side::Left, N>::invoke(member, a, x, b);
    code += kc::TeamVectorApplyQ<Member, Side::Left, N>::invoke(member, a, x, b, y);
    return code + kc::TeamVectorGels<Member>::invoke(member, a, x, b, info);
  }
};

template <class Scalar, class Matrix, class Vector, class Info>
void solutions(const Right<int*>& codes, const Matrix& a, const Vector& x, const Info& info) {
  team_kernel(codes, Solutions<Matrix, Vector, Info, Scalar>{a, a, x, x, info});
}

void all_solutions(const Right<int*>& codes) {
  solutions<double>(codes, Right<double**>{}, Right<double*>{}, Right<int>{});
  solutions<double>(codes, Left<Complex***>{}, Left<Complex**>{}, Left<int*>{});
}
