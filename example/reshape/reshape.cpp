// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another order of dimensions: a copy in memory (Reshape), or the same memory seen with fewer
// dimensions (flatten).

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Reshape.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 10, l = 3, m = 4, n = 5;
  const Kokkos::View<double****, Kokkos::LayoutRight, Kokkos::SharedSpace> A("A", problems, l, m,
                                                                             n);
  const Array<double****> B("B", problems, n, l, m);
  const Array<double***> G("G", problems, n, n);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < l; ++i)
      for (int j = 0; j < m; ++j)
        for (int k = 0; k < n; ++k) A(p, i, j, k) = entry(p, i, j, k);

  // [reshape]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const auto A_p = Kokkos::subview(A, team.league_rank(), ALL, ALL, ALL);
        const auto B_p = Kokkos::subview(B, team.league_rank(), ALL, ALL, ALL);
        // B(k, i, j) = A(i, j, k)
        require_success(TeamReshape<"ijk->kij">::invoke(team, A_p, B_p));
      });
  // [/reshape]

  // [flatten]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const auto A_p = Kokkos::subview(A, team.league_rank(), ALL, ALL, ALL);
        const auto G_p = Kokkos::subview(G, team.league_rank(), ALL, ALL);
        // A(i, j, k) as a matrix of l * m rows and n columns: the same memory, no copy.
        const auto rows = flatten<"(ij)k">(A_p);
        require_success(TeamContract<"rk,rh->kh">::invoke(team, 1.0, rows, rows, 0.0, G_p));
      });
  // [/flatten]
  Kokkos::fence();

  double reshape = 0, flatten = 0;
  for (int p = 0; p < problems; ++p)
    for (int k = 0; k < n; ++k)
      for (int h = 0; h < n; ++h) {
        double s = 0;
        for (int i = 0; i < l; ++i)
          for (int j = 0; j < m; ++j) {
            s += A(p, i, j, k) * A(p, i, j, h);
            reshape = worse(reshape, std::abs(B(p, k, i, j) - A(p, i, j, k)));
          }
        flatten = worse(flatten, std::abs(G(p, k, h) - s));
      }
  return check("Reshape", reshape, 0) + check("flatten", flatten);
}
