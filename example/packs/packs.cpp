// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many small interleaved systems from one source. On a host a SIMD register works on several
// problems at once, and on a GPU each vector lane works on one.

#include <KokkosContract/LU.hpp>
#include <KokkosContract/PackAccess.hpp>
#include <KokkosContract/PackMath.hpp>
#include <KokkosContract/Trsv.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;
using Forward = KokkosContract::SerialTrsv<Uplo::Lower, Trans::NoTranspose, Diag::Unit>;
using Backward = KokkosContract::SerialTrsv<Uplo::Upper, Trans::NoTranspose, Diag::NonUnit>;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 50;
  constexpr int n = 5;

  // [fill]
  // Entry b of the first dimension holds the problems L b to L b + L - 1.
  constexpr int L = default_pack_length<double>;
  using Pack = KokkosContract::Pack<double, L>;
  const int packs = (problems + L - 1) / L;
  const Array<Pack* [n][n]> A("A", packs);
  const Array<Pack* [n]> x("x", packs);
  const auto matrix = packed_access<0>(A, problems);
  const auto vector = packed_access<0>(x, problems);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) matrix(p, i, j) = entry(p, i, j) + (i == j ? n : 0);
      vector(p, i) = entry(i, p);
    }
  // The lanes behind the last problem get identity matrices and zeros.
  const Kokkos::DefaultExecutionSpace space;
  pad_identity(space, A, problems);
  pad_zero(space, x, problems);
  // [/fill]

  // [solve]
  int failures = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamPolicy<>(packs, 1, L),
      KOKKOS_LAMBDA(const Member& team, int& failed) {
        const auto A_b = Kokkos::subview(A, team.league_rank(), ALL, ALL);
        const auto x_b = Kokkos::subview(x, team.league_rank(), ALL);
        const int code = for_each_lane(
            team,
            [](const auto& A_l, const auto& x_l) {
              const int info = SerialLU<>::invoke(A_l);
              require_success(Forward::invoke(1.0, A_l, x_l));
              require_success(Backward::invoke(1.0, A_l, x_l));
              return info;
            },
            A_b, x_b);
        Kokkos::single(Kokkos::PerTeam(team), [&] { failed += code != 0; });
      },
      failures);
  // [/solve]

  double residual = failures;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      double r = entry(i, p);
      for (int j = 0; j < n; ++j) r -= (entry(p, i, j) + (i == j ? n : 0)) * vector(p, j);
      residual = worse(residual, std::abs(r));
    }

  // [select]
  // In each lane the root of x, or 0 where x is negative.
  const Array<Pack* [n]> root("root", packs);
  Kokkos::parallel_for(
      packs, KOKKOS_LAMBDA(const int b) {
        for (int i = 0; i < n; ++i) {
          const auto negative = x(b, i) < 0;
          root(b, i) = conditional_assign(negative, 0.0, sqrt(abs(x(b, i))));
        }
      });
  // [/select]
  Kokkos::fence();
  double roots = 0;
  const auto root_of = packed_access<0>(root, problems);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i)
      roots = worse(roots, std::abs(root_of(p, i) - std::sqrt(std::max(vector(p, i), 0.0))));
  return check("residual", residual) + check("roots", roots);
}
