// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of Reshape and flatten at every level.
#include "Device.hpp"

namespace kc = KokkosContract;

template <kc::Spec S, class A, class B>
struct Reshapes {
  A a;
  B b;

  KOKKOS_FUNCTION int operator()(const Member& member) const {
    int code = kc::TeamReshape<S>::invoke(member, a, b);
    code += kc::TeamVectorReshape<S>::invoke(member, a, b);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) {
      KokkosContract::require_success(kc::VectorReshape<S>::invoke(member, a, b));
    });
    Kokkos::single(Kokkos::PerTeam(member),
                   [&] { KokkosContract::require_success(kc::SerialReshape<S>::invoke(a, b)); });
    return code;
  }
};

template <kc::Spec S, class A, class B>
void reshapes(const Right<int*>& codes, const A& a, const B& b) {
  team_kernel(codes, Reshapes<S, A, B>{a, b});
}

void reshape(const Right<int*>& codes) {
  reshapes<"ijk->kij">(codes, Right<const double***>{}, Right<double***>{});
  reshapes<"ijk->ijk">(codes, Right<float***>{}, Left<float***>{});
  reshapes<"ij->ji">(codes, Right<double[8][8]>{}, Right<double[8][8]>{});
  reshapes<"ij->ji">(codes, Right<Complex**>{}, StridedView<Complex**>{});
  reshapes<"ij->ji">(codes, Right<Half**>{}, Right<float**>{});
  reshapes<"ij->ji">(codes, Right<kc::Pack<double, 2>**>{}, Right<kc::Pack<double, 2>**>{});
}

void flatten(const Right<int*>& codes, const Right<double***>& a, const Right<double**>& b,
             const Left<double[4][4][4]>& c) {
  team_kernel(
      codes, KOKKOS_LAMBDA(const Member& member) {
        int code = kc::TeamContract<"mk,kn->mn">::invoke(member, 1.0, kc::flatten<"(ij)k">(a), b,
                                                         0.0, kc::flatten<"(ij)k">(a));
        code += kc::SerialContract<"i->">::invoke(1.0, kc::flatten<"(ijk)">(c), 0.0,
                                                  Right<double>(&b(0, 0)));
        return code;
      });
}
