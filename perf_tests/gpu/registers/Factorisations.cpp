// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.hpp"

namespace registers {

struct LU {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    (void)KokkosContract::TeamLU<Member>::invoke(member, d.a);
  }
};
struct Getrf {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    (void)KokkosContract::TeamGetrf<Member>::invoke(member, d.a, d.ipiv);
  }
};
struct Potrf {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    (void)KokkosContract::TeamPotrf<Member, Uplo::Lower>::invoke(member, d.a);
  }
};
struct Geqrf {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    (void)KokkosContract::TeamGeqrf<Member>::invoke(member, d.a, d.y);
  }
};
struct InverseLU {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    (void)KokkosContract::TeamInverseLU<Member>::invoke(member, d.a, d.work);
  }
};
struct Trtri {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    (void)KokkosContract::TeamTrtri<Member, Uplo::Lower, Diag::NonUnit>::invoke(member, d.a);
  }
};

template <int N>
void compile_all() {
  compile<LU, N>();
  compile<Getrf, N>();
  compile<Potrf, N>();
  compile<Geqrf, N>();
  compile<InverseLU, N>();
  compile<Trtri, N>();
}

void factorisations() {
  compile_all<8>();
  compile_all<16>();
  compile<LU, 32>();
  compile<Potrf, 32>();
}

}  // namespace registers
