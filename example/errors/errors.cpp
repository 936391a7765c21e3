// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call returns when it is misused at run time, and how to get the code out of a kernel.

#include <KokkosContract/Contract.hpp>

#include "../Example.hpp"

using namespace example;
using Kokkos::ALL;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 8;
  const Array<double***> A("A", problems, 3, 4), B("B", problems, 5, 2), C("C", problems, 3, 2);
  Kokkos::deep_copy(C, 7);

  // [code]
  int code = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Member& team, int& worst) {
        const int p = team.league_rank();
        // A is 3 x 4, but B is 5 x 2: k has two extents.
        const int result = KokkosContract::TeamContract<"ik,kj->ij">::invoke(
            team, 1.0, Kokkos::subview(A, p, ALL, ALL), Kokkos::subview(B, p, ALL, ALL), 0.0,
            Kokkos::subview(C, p, ALL, ALL));
        if (result < worst) worst = result;  // the same in all threads of the team
      },
      Kokkos::Min<int>(code));
  // [/code]

  double changed = 0;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 2; ++j) changed = worse(changed, std::abs(C(p, i, j) - 7));
  return check("the code is -1", std::abs(code + 1), 0) + check("C is as it was", changed, 0);
}
