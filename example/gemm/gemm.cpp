// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices, and of a matrix and a vector, with BLAS' vocabulary.

#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/Gemv.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 24, per_team = 4, m = 5, k = 7, n = 3;
  const Array<double***> A("A", problems, k, m), B("B", problems, k, n), C("C", problems, m, n);
  const Array<double**> x("x", problems, n), y("y", problems, m), z("z", problems, n);
  const Array<double**> S("S", n, m);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j < m; ++j) A(p, i, j) = entry(p, i, j);
      for (int j = 0; j < n; ++j) B(p, i, j) = entry(i, p, j);
    }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) S(j, i) = entry(i, j);
    for (int p = 0; p < problems; ++p) x(p, j) = entry(j, p);
  }

  // [gemm]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto A_p = Kokkos::subview(A, p, ALL, ALL);
        const auto B_p = Kokkos::subview(B, p, ALL, ALL);
        const auto C_p = Kokkos::subview(C, p, ALL, ALL);
        // C = 2 A^T B, then y = C x
        require_success(TeamGemm<Member, Trans::Transpose, Trans::NoTranspose>::invoke(
            team, 2.0, A_p, B_p, 0.0, C_p));
        require_success(TeamGemv<Member, Trans::NoTranspose>::invoke(
            team, 1.0, C_p, Kokkos::subview(x, p, ALL), 0.0, Kokkos::subview(y, p, ALL)));
      });
  // [/gemm]

  // [batch]
  // z = S y for four problems a team, which share the matrix S. All workers share the four.
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems / per_team, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = per_team * team.league_rank();
        const auto mine = Kokkos::pair(p, p + per_team);
        require_success(TeamVectorGemv<Member, Trans::NoTranspose>::invoke(
            team, 1.0, shared(S), Kokkos::subview(y, mine, ALL), 0.0,
            Kokkos::subview(z, mine, ALL)));
      });
  // [/batch]
  Kokkos::fence();

  double gemm = 0, gemv = 0, batch = 0;
  for (int p = 0; p < problems; ++p) {
    for (int i = 0; i < m; ++i) {
      double Cx = 0;
      for (int j = 0; j < n; ++j) {
        double AtB = 0;
        for (int l = 0; l < k; ++l) AtB += A(p, l, i) * B(p, l, j);
        gemm = worse(gemm, std::abs(C(p, i, j) - 2 * AtB));
        Cx += C(p, i, j) * x(p, j);
      }
      gemv = worse(gemv, std::abs(y(p, i) - Cx));
    }
    for (int j = 0; j < n; ++j) {
      double Sy = 0;
      for (int i = 0; i < m; ++i) Sy += S(j, i) * y(p, i);
      batch = worse(batch, std::abs(z(p, j) - Sy));
    }
  }
  return check("Gemm", gemm) + check("Gemv", gemv) + check("Gemv, a batch within the team", batch);
}
