// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions of one input: permutations, sums, diagonals, traces.

#include <KokkosContract/Contract.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 10, n = 5;
  const Array<double***> M("M", problems, n, n), T("T", problems, n, n);
  const Array<double**> sum("sum", problems, n), diagonal("diagonal", problems, n);
  const Array<double*> trace("trace", problems);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) M(p, i, j) = entry(p, i, j);

  // [one-input]
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(const int p) {
        const auto M_p = Kokkos::subview(M, p, ALL, ALL);
        require_success(
            SerialContract<"ij->ji">::invoke(1.0, M_p, 0.0, Kokkos::subview(T, p, ALL, ALL)));
        require_success(
            SerialContract<"i+j->i">::invoke(1.0, M_p, 0.0, Kokkos::subview(sum, p, ALL)));
        require_success(
            SerialContract<"ii->i">::invoke(1.0, M_p, 0.0, Kokkos::subview(diagonal, p, ALL)));
        require_success(SerialContract<"ii->">::invoke(1.0, M_p, 0.0, Kokkos::subview(trace, p)));
      });
  // [/one-input]
  Kokkos::fence();

  double permutation = 0, sums = 0, diagonals = 0, traces = 0;
  for (int p = 0; p < problems; ++p) {
    double M_trace = 0;
    for (int i = 0; i < n; ++i) {
      double M_sum = 0;
      for (int j = 0; j < n; ++j) {
        permutation = worse(permutation, std::abs(T(p, j, i) - M(p, i, j)));
        M_sum += M(p, i, j);
      }
      sums = worse(sums, std::abs(sum(p, i) - M_sum));
      diagonals = worse(diagonals, std::abs(diagonal(p, i) - M(p, i, i)));
      M_trace += M(p, i, i);
    }
    traces = worse(traces, std::abs(trace(p) - M_trace));
  }
  return check("permutation", permutation, 0) + check("sums", sums) +
         check("diagonals", diagonals, 0) + check("traces", traces);
}
