// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch that is larger than any cache: while a thread works on one problem, the next one comes.

#include <KokkosContract.hpp>

#include "../Example.hpp"

using namespace KokkosContract;
using example::Array, example::check, example::entry, example::worse;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int n = 8;
  const int problems = 1000;
  const Array<double* [n][n]> A("A", problems), B("B", problems);
  const Array<double* [n]> b("b", problems), x("x", problems);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        A(p, i, j) = entry(p, i, j) / n + (i == j ? 2 : 0);
        B(p, i, j) = entry(i, j, p) / n + (i == j ? 2 : 0);
      }
      b(p, i) = x(p, i) = entry(i, p);
    }

  // [prefetch]
  // A_p B_p x_p = b_p, a problem a thread; x holds b before
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(const int p) {
        const auto matrix = [](const auto& batch, int q) {
          return Kokkos::subview(batch, q, Kokkos::ALL, Kokkos::ALL);
        };
        const auto x_p = Kokkos::subview(x, p, Kokkos::ALL);
        const bool last = p + 1 == problems;
        const Tile<double, n, n> M;
        if (!last) prefetch(matrix(A, p + 1));
        SerialContract<"ik,kj->ij">::invoke(1.0, matrix(A, p), matrix(B, p), 0.0, M);
        if (!last) prefetch(matrix(B, p + 1));
        SerialLU<>::invoke(M);
        SerialTrsv<Uplo::Lower, Trans::NoTranspose, Diag::Unit>::invoke(1.0, M, x_p);
        SerialTrsv<Uplo::Upper, Trans::NoTranspose, Diag::NonUnit>::invoke(1.0, M, x_p);
      });
  // [/prefetch]
  Kokkos::fence();

  double residual = 0;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      double r = b(p, i);
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j) r -= A(p, i, k) * B(p, k, j) * x(p, j);
      residual = worse(residual, std::abs(r));
    }
  return check("residual", residual);
}
