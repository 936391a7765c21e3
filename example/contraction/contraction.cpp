// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions of two inputs: products, batches, conjugation.

#include <KokkosContract/Contract.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;
using Complex = Kokkos::complex<double>;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 10, n = 5, m = 4;
  const Array<double****> A("A", problems, n, m, n), C("C", problems, n, m, m);
  const Array<double**> B("B", n, m);
  const Array<double***> M("M", problems, n, n), P("P", problems, n, n);
  const Array<Complex**> z("z", problems, n);
  const Array<Complex*> norm("norm", problems);
  for (int p = 0; p < problems; ++p) {
    for (int i = 0; i < n; ++i) {
      z(p, i) = Complex(entry(p, i), entry(i, p));
      for (int k = 0; k < m; ++k) B(i, k) = entry(i, k);
      for (int k = 0; k < n; ++k) {
        M(p, i, k) = entry(p, i, k);
        for (int j = 0; j < m; ++j) A(p, i, j, k) = entry(p, i, j, k);
      }
    }
  }

  // [product]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto A_p = Kokkos::subview(A, p, ALL, ALL, ALL);
        const auto C_p = Kokkos::subview(C, p, ALL, ALL, ALL);
        // C(i, j, l) = 2 * sum over k of A(i, j, k) * B(k, l)
        require_success(TeamContract<"ijk,kl->ijl">::invoke(team, 2.0, A_p, B, 0.0, C_p));
      });
  // [/product]

  // [batch]
  // P(b, i, j) = sum over k of M(b, i, k) * M(b, k, j): b is in both inputs and the output. One
  // team.
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(1, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        require_success(TeamContract<"bik,bkj->bij">::invoke(team, 1.0, M, M, 0.0, P));
      });
  // [/batch]

  // [conjugate]
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(const int p) {
        const auto z_p = Kokkos::subview(z, p, ALL);
        // norm = sum over i of conj(z(i)) * z(i)
        require_success(
            SerialContract<"i*,i->">::invoke(1.0, z_p, z_p, 0.0, Kokkos::subview(norm, p)));
      });
  // [/conjugate]
  Kokkos::fence();

  double product = 0, batch = 0, conjugate = 0;
  for (int p = 0; p < problems; ++p) {
    double squares = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < m; ++j)
        for (int l = 0; l < m; ++l) {
          double s = 0;
          for (int k = 0; k < n; ++k) s += 2 * A(p, i, j, k) * B(k, l);
          product = worse(product, std::abs(C(p, i, j, l) - s));
        }
      for (int j = 0; j < n; ++j) {
        double s = 0;
        for (int k = 0; k < n; ++k) s += M(p, i, k) * M(p, k, j);
        batch = worse(batch, std::abs(P(p, i, j) - s));
      }
      squares += z(p, i).real() * z(p, i).real() + z(p, i).imag() * z(p, i).imag();
    }
    conjugate = worse(conjugate, Kokkos::abs(norm(p) - squares));
  }
  return check("products", product) + check("a batch", batch) + check("conjugation", conjugate);
}
