// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DEVICE_COMPILE_TWOINPUTS_HPP
#define KOKKOSCONTRACT_DEVICE_COMPILE_TWOINPUTS_HPP

#include "Device.hpp"

namespace kc = KokkosContract;

/// One string on the same operands at all four levels, in one kernel. In nvcc a generic lambda
/// cannot be a kernel, so these are functors.
template <kc::Spec S, class A, class B, class C, class Scalar = double>
struct TwoInputs {
  A a;
  B b;
  C c;

  KOKKOS_FUNCTION int operator()(const Member& member) const {
    const Scalar one(1);
    const Scalar zero(0);
    int code = kc::TeamContract<S>::invoke(member, one, a, b, zero, c);
    code += kc::TeamVectorContract<S>::invoke(member, one, a, b, one, c);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) {
      KokkosContract::require_success(kc::VectorContract<S>::invoke(member, one, a, b, one, c));
    });
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      KokkosContract::require_success(kc::SerialContract<S>::invoke(one, a, b, zero, c));
    });
    return code;
  }
};

template <kc::Spec S, class A, class B, class C, class Scalar = double>
void two_inputs(const Right<int*>& codes, const A& a, const B& b, const C& c, Scalar = 0) {
  team_kernel(codes, TwoInputs<S, A, B, C, Scalar>{a, b, c});
}

#endif
