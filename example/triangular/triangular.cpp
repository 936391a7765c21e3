// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular solves with several right-hand sides: sides, triangles, transposes.

#include <KokkosContract/Trsm.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 12, n = 6, columns = 4;
  const Array<double***> A("A", problems, n, n);
  const Array<double***> B("B", problems, n, columns), X("X", problems, n, columns);
  const Array<double***> Y("Y", problems, columns, n);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) A(p, i, j) = entry(p, i, j) + (i == j ? n : 0);
      for (int j = 0; j < columns; ++j) Y(p, j, i) = X(p, i, j) = B(p, i, j) = entry(i, p, j);
    }

  // [trsm]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto A_p = Kokkos::subview(A, p, ALL, ALL);
        const auto X_p = Kokkos::subview(X, p, ALL, ALL);
        const auto Y_p = Kokkos::subview(Y, p, ALL, ALL);
        // L X = 2 B, with L the lower triangle of A
        require_success(
            TeamTrsm<Member, Side::Left, Uplo::Lower, Trans::NoTranspose, Diag::NonUnit>::invoke(
                team, 2.0, A_p, X_p));
        // Y U^T = B^T, with U the upper triangle of A and ones on its diagonal
        require_success(
            TeamTrsm<Member, Side::Right, Uplo::Upper, Trans::Transpose, Diag::Unit>::invoke(
                team, 1.0, A_p, Y_p));
      });
  // [/trsm]
  Kokkos::fence();

  double left = 0, right = 0;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < columns; ++j) {
        double LX = 0, YUt = Y(p, j, i);
        for (int k = 0; k <= i; ++k) LX += A(p, i, k) * X(p, k, j);
        for (int k = i + 1; k < n; ++k) YUt += Y(p, j, k) * A(p, i, k);
        left = worse(left, std::abs(LX - 2 * B(p, i, j)));
        right = worse(right, std::abs(YUt - B(p, i, j)));
      }
  return check("from the left", left) + check("from the right, transposed", right);
}
