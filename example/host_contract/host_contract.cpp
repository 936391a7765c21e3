// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction as a kernel of its own, called from the host.

#include <KokkosContract/HostContract.hpp>
#include <cstring>
#include <stdexcept>

#include "../Example.hpp"

using namespace example;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 50, m = 7, n = 5, k = 6;
  const Array<double***> A("A", problems, m, k), B("B", problems, k, n), C("C", problems, m, n);
  for (int p = 0; p < problems; ++p)
    for (int l = 0; l < k; ++l) {
      for (int i = 0; i < m; ++i) A(p, i, l) = entry(p, i, l);
      for (int j = 0; j < n; ++j) B(p, l, j) = entry(l, p, j);
    }

  // [contract]
  const Kokkos::DefaultExecutionSpace space;
  KokkosContract::contract<"pik,pkj->pij">(space, 1.0, A, B, 0.0, C);
  space.fence();
  // [/contract]

  double product = 0;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double s = 0;
        for (int l = 0; l < k; ++l) s += A(p, i, l) * B(p, l, j);
        product = worse(product, std::abs(C(p, i, j) - s));
      }

  bool throws = false;
  try {  // k has extent 6 in A and 5 in C
    KokkosContract::contract<"pik,pjk->pij">(space, 1.0, A, C, 0.0, B);
  } catch (const std::invalid_argument& error) {
    std::printf("%s\n", error.what());
    throws = std::strstr(error.what(), "'k'") != nullptr;
  }
  return check("a batch of products", product) + check("two extents", throws ? 0 : 1);
}
