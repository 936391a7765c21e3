// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// [program]
#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <cstdio>

using KokkosContract::TeamContract, Kokkos::ALL, Kokkos::subview;
using Member = Kokkos::TeamPolicy<>::member_type;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 1000;
  const Kokkos::View<double* [3][3], Kokkos::SharedSpace> A("A", problems), B("B", problems),
      C("C", problems);
  Kokkos::deep_copy(A, 2.0);
  Kokkos::deep_copy(B, 0.5);
  int codes = 0;
  const auto multiply = KOKKOS_LAMBDA(const Member& team, int& code) {
    const int p = team.league_rank();  // C(p, i, j) = sum over k of A(p, i, k) * B(p, k, j)
    code |= TeamContract<"ik,kj->ij">::invoke(
        team, 1.0, subview(A, p, ALL, ALL), subview(B, p, ALL, ALL), 0.0, subview(C, p, ALL, ALL));
  };
  Kokkos::parallel_reduce(Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), multiply,
                          Kokkos::BOr<int>(codes));
  std::printf("C(999, 1, 2) = %g, codes: %d\n", C(999, 1, 2), codes);
  return codes;
}
// [/program]
