// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch that is larger than any cache: while a thread works on one problem, the next one is
// loaded.

#include <KokkosContract.hpp>

#include "../Example.hpp"

using namespace KokkosContract;
using example::check;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int n = 8;
  const int problems = 1000;
  const example::ProductSystems<n> systems(problems);
  const auto A = systems.A, B = systems.B;
  const auto x = systems.x;

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
        require_success(
            SerialContract<"ik,kj->ij">::invoke(1.0, matrix(A, p), matrix(B, p), 0.0, M));
        if (!last) prefetch(matrix(B, p + 1));
        require_success(SerialLU<>::invoke(M));
        require_success(
            SerialTrsv<Uplo::Lower, Trans::NoTranspose, Diag::Unit>::invoke(1.0, M, x_p));
        require_success(
            SerialTrsv<Uplo::Upper, Trans::NoTranspose, Diag::NonUnit>::invoke(1.0, M, x_p));
      });
  // [/prefetch]
  Kokkos::fence();
  return check("residual", systems.residual());
}
