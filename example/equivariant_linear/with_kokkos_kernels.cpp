// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layers as they are with Kokkos Kernels: a team for each node and each l.

#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Serial_Impl.hpp>
#include <KokkosBatched_Gemm_Team_Impl.hpp>

#include "Problem.hpp"

namespace {

using Kokkos::ALL, Kokkos::subview;

template <class T>
void multiply(const example::Layers<T>& layers) {
  using example::orders, example::components;
  const auto in = layers.in, weights = layers.weights, out = layers.out;
  // [original]
  using Member = Kokkos::TeamPolicy<>::member_type;
  using None = KokkosBatched::Trans::NoTranspose;
  using Gemm = KokkosBatched::TeamGemm<Member, None, None, KokkosBatched::Algo::Gemm::Unblocked>;
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(layers.nodes() * orders, Kokkos::AUTO, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank() / orders, l = team.league_rank() % orders;
        const auto m = components(l);
        Gemm::invoke(team, T(1), subview(in, e, m, ALL), subview(weights, l, ALL, ALL), T(0),
                     subview(out, e, m, ALL));
      });
  // [/original]
}

}  // namespace

void example::multiply_with_kokkos_kernels(const Layers<double>& layers) { multiply(layers); }
void example::multiply_with_kokkos_kernels(const Layers<float>& layers) { multiply(layers); }
