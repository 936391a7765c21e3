// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.hpp"

namespace registers {

using Multiply = KokkosContract::TeamContract<"bik,bkj->bij">;

struct Product {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    (void)Multiply::invoke(member, T(1), d.a, d.b, T(0), d.c);
  }
};
/// Product, factorisation and solution in one kernel, the product in scratch memory.
struct Pipeline {
  template <class T, int N, class D>
  KOKKOS_FUNCTION static void call(const Member& member, const D& d) {
    const auto factors =
        KokkosContract::scratch_matrices<T, N, N>(member.team_scratch(0), d.x.extent_int(0));
    (void)Multiply::invoke(member, T(1), d.a, d.b, T(0), factors);
    (void)KokkosContract::TeamLU<Member>::invoke(member, factors);
    (void)KokkosContract::TeamSolveLU<Member, None>::invoke(member, factors, d.x);
  }
};

void products() {
  compile<Product, 3>();
  compile<Product, 8>();
  compile<Product, 16>();
  compile<Product, 32>();
  compile<Product, 64>();
  compile<Product, 96>();
  compile<Product, 128>();
  compile<Product, 8, float>();
  compile<Product, 32, float>();
  compile<Product, 64, float>();
  compile<Product, 8, Kokkos::complex<double>>();
  compile<Pipeline, 8>();
  compile<Pipeline, 16>();
  compile<Pipeline, 24>();
  compile<Pipeline, 32>();
}

}  // namespace registers
