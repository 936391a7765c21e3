// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosContract.hpp>
#include <cstdio>

#include "Elements.hpp"

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Elements elements(1000);
  const Array<double* [9]> U("U", elements.count);
  const Array<double> norm("norm");

  const Array<double* [4]> x("x", elements.count);  // the values at the nodes, one index for both
  for (int e = 0; e < elements.count; ++e)
    for (int i = 0; i < 4; ++i) x(e, i) = elements.V(e, i / 2, i % 2);

  // [step]
  // Whole arrays, in kernels of their own: U = N x, then norm = sum of w U U
  using KokkosContract::contract;
  const Kokkos::DefaultExecutionSpace space;
  contract<"qi,ei->eq">(space, 1.0, elements.N, x, 0.0, U);
  contract<"eq,eq->eq">(space, 1.0, elements.w, U, 0.0, elements.g);
  contract<"eq,eq->">(space, 1.0, elements.g, U, 0.0, norm);
  space.fence();
  // [/step]
  std::printf("U(0, 4) = %.4f, norm = %.4f\n", U(0, 4), norm());
}
