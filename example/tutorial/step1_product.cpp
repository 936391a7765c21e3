// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosContract.hpp>
#include <cstdio>

#include "Elements.hpp"

using KokkosContract::require_success, KokkosContract::SerialContract;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Elements elements(1000);
  const auto B = elements.B;
  const auto V = elements.V;
  const Array<double* [3][2]> W("W", elements.count);

  // [step]
  // W(e, x, b) = sum over a of B(x, a) * V(e, a, b), one thread an element
  Kokkos::parallel_for(
      elements.count, KOKKOS_LAMBDA(const int e) {
        require_success(SerialContract<"xa,ab->xb">::invoke(1.0, B, subview(V, e, ALL, ALL), 0.0,
                                                            subview(W, e, ALL, ALL)));
      });
  Kokkos::fence();
  // [/step]
  std::printf("W(0, 1, :) = %.4f %.4f\n", W(0, 1, 0), W(0, 1, 1));
}
