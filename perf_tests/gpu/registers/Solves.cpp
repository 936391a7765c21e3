// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.hpp"

namespace registers {

struct Trsv {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    using Call = KokkosContract::TeamTrsv<Member, Uplo::Lower, None, Diag::NonUnit>;
    (void)Call::invoke(member, T(1), d.a, d.x);
  }
};
struct Trsm {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    using Call = KokkosContract::TeamTrsm<Member, Side::Left, Uplo::Lower, None, Diag::NonUnit>;
    (void)Call::invoke(member, T(1), d.a, d.b);
  }
};
struct Trmm {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    using Call = KokkosContract::TeamTrmm<Member, Side::Left, Uplo::Lower, None, Diag::NonUnit>;
    (void)Call::invoke(member, T(1), d.a, d.b);
  }
};
struct Potrs {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    (void)KokkosContract::TeamPotrs<Member, Uplo::Lower>::invoke(member, d.a, d.x);
  }
};
struct Getrs {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    (void)KokkosContract::TeamGetrs<Member, None>::invoke(member, d.a, d.ipiv, d.x);
  }
};
struct Gesv {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    (void)KokkosContract::TeamGesv<Member>::invoke(member, d.a, d.ipiv, d.x);
  }
};
struct GesvNoPivoting {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    using Call = KokkosContract::TeamGesv<Member, KokkosContract::Algo::Gesv::NoPivoting>;
    (void)Call::invoke(member, d.a, d.x);
  }
};
struct Gels {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    (void)KokkosContract::TeamGels<Member>::invoke(member, d.a, d.y, d.x);
  }
};

template <int N>
void compile_all() {
  compile<Trsv, N>();
  compile<Trsm, N>();
  compile<Trmm, N>();
  compile<Potrs, N>();
  compile<Getrs, N>();
  compile<Gesv, N>();
  compile<GesvNoPivoting, N>();
  compile<Gels, N>();
}

void solves() {
  compile_all<8>();
  compile_all<16>();
  compile<Trsv, 32>();
  compile<Trsm, 32>();
}

}  // namespace registers
