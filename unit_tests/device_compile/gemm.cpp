// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of Gemm and Gemv: every level and tag, element types, batches within the team.
#include "Device.hpp"

namespace kc = KokkosContract;
using kc::Algo;
using kc::Trans;

/// C = op(A) op(B), y = op(A) x at all levels.
template <class TransA, class TransB, class Matrices, class Vectors, class Scalar>
struct Products {
  Matrices a, b, c;
  Vectors x, y;

  KOKKOS_FUNCTION int operator()(const Member& member) const {
    const Scalar one(1);
    int code = kc::TeamGemm<Member, TransA, TransB>::invoke(member, one, a, b, one, c);
    code += kc::TeamVectorGemm<Member, TransA, TransB, Algo::Gemm::Blocked>::invoke(member, one, a,
                                                                                    b, one, c);
    code += kc::TeamGemv<Member, TransA>::invoke(member, one, a, x, one, y);
    code += kc::TeamVectorGemv<Member, TransA, Algo::Gemv::Unblocked>::invoke(member, one, a, x,
                                                                              one, y);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) {
      KokkosContract::require_success(
          kc::VectorGemm<Member, TransA, TransB>::invoke(member, one, a, b, one, c));
      KokkosContract::require_success(
          kc::VectorGemv<Member, TransA>::invoke(member, one, a, x, one, y));
    });
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      KokkosContract::require_success(kc::SerialGemm<TransA, TransB>::invoke(one, a, b, one, c));
      KokkosContract::require_success(kc::SerialGemv<TransA>::invoke(one, a, x, one, y));
    });
    return code;
  }
};

template <class TransA, class TransB, class Matrices, class Vectors, class Scalar = double>
void products(const Right<int*>& codes, const Matrices& m, const Vectors& v, Scalar = 0) {
  team_kernel(codes, Products<TransA, TransB, Matrices, Vectors, Scalar>{m, m, m, v, v});
}

/// Static matrices that are too large for copies of them, by block tiles.
template <class T>
struct LargeProduct {
  Right<T[96][64]> a, c;
  Right<T[64][64]> b;
  KOKKOS_FUNCTION int operator()(const Member& member) const {
    return kc::TeamGemm<Member, Trans::NoTranspose, Trans::NoTranspose>::invoke(member, T(1), a, b,
                                                                                T(1), c);
  }
};

void all_products(const Right<int*>& codes) {
  using N = Trans::NoTranspose;
  using T = Trans::Transpose;
  using H = Trans::ConjTranspose;
  products<N, N>(codes, Right<double**>{}, Right<double*>{});
  products<T, N>(codes, Left<double[8][8]>{}, Right<double[8]>{});
  products<N, T>(codes, Right<kc::Pack<double, 4>**>{}, Right<kc::Pack<double, 4>*>{});
  products<N, H>(codes, Right<Complex**>{}, Right<Complex*>{}, Complex{});
  products<T, T>(codes, Right<Half**>{}, Right<Half*>{}, float{});
  products<N, N>(codes, Right<float***>{}, Right<float**>{}, float{});  // batches within the team
  products<N, T>(codes, Left<double* [4][4]>{}, Left<double* [4]>{});
  team_kernel(codes, LargeProduct<double>{});
  team_kernel(codes, LargeProduct<float>{});
}
