// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Return codes of calls that are misused at run time, and how to get a code out of a kernel.

#define KOKKOSCONTRACT_STRICT 1  // for first_fault
#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Set.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 8;
  const Array<double***> A("A", problems, 3, 4), B("B", problems, 5, 2), C("C", problems, 3, 2);

#if defined(KOKKOSCONTRACT_CHECKED)
  std::printf("a checked build ends at the first misuse\n");
  return 0;
#endif

  // [code]
  int code = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Member& team, int& codes) {
        const int p = team.league_rank();
        const auto C_p = Kokkos::subview(C, p, ALL, ALL);
        codes |= TeamSet<Member>::invoke(team, 7.0, C_p);
        // A is 3 x 4, but B is 5 x 2: k has two extents.
        codes |= TeamContract<"ik,kj->ij">::invoke(team, 1.0, Kokkos::subview(A, p, ALL, ALL),
                                                   Kokkos::subview(B, p, ALL, ALL), 0.0, C_p);
      },
      Kokkos::BOr<int>(code));
  // [/code]

  // [strict]
  Kokkos::fence();
  const Fault fault = first_fault();
  if (fault.code != 0) {
    std::printf("%s returned %d in team %d\n", fault.routine, fault.code, fault.problem);
  }
  // [/strict]

  double changed = 0;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 2; ++j) changed = worse(changed, std::abs(C(p, i, j) - 7));
  return check("the code is -1", std::abs(code + 1), 0) +
         check("the first fault is it", std::abs(fault.code + 1), 0) +
         check("C is as it was", changed, 0);
}
