// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction as a kernel of its own, called from the host.

#include <KokkosContract/HostContract.hpp>
#include <cstring>
#include <stdexcept>

#include "../Example.hpp"

using namespace example;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 50, m = 7, n = 5, k = 6;
  const Array<double***> A("A", problems, m, k), B("B", problems, k, n), C("C", problems, m, n);
  for (int p = 0; p < problems; ++p)
    for (int l = 0; l < k; ++l) {
      for (int i = 0; i < m; ++i) A(p, i, l) = entry(p, i, l);
      for (int j = 0; j < n; ++j) B(p, l, j) = entry(l, p, j);
    }

  // [contract]
  const Kokkos::DefaultExecutionSpace space;
  KokkosContract::contract<"pik,pkj->pij">(space, 1.0, A, B, 0.0, C);
  space.fence();
  // [/contract]

  double product = 0;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double s = 0;
        for (int l = 0; l < k; ++l) s += A(p, i, l) * B(p, l, j);
        product = worse(product, std::abs(C(p, i, j) - s));
      }

  // Products of floats whose inputs a GPU may round to 11 bits.
  const int rows = 64;
  const Array<float**> x("x", rows, rows), y("y", rows, rows), z("z", rows, rows);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) {
      x(i, j) = static_cast<float>(entry(0, i, j));
      y(i, j) = static_cast<float>(entry(1, i, j));
    }
  // [accuracy]
  using KokkosContract::Accuracy;
  KokkosContract::contract<"ik,kj->ij", Accuracy::tf32>(space, 1.f, x, y, 0.f, z);
  // [/accuracy]
  space.fence();
  double rounded = 0;  // errors, over the bound 2^-9 of the sum of absolute values
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) {
      double s = 0, size = 0;
      for (int l = 0; l < rows; ++l) {
        s += double(x(i, l)) * y(l, j);
        size += std::abs(double(x(i, l)) * y(l, j));
      }
      if (std::abs(z(i, j) - s) > size / 512) rounded = 1;
    }

  bool throws = false;
  try {  // k has extent 6 in A and 5 in C
    KokkosContract::contract<"pik,pjk->pij">(space, 1.0, A, C, 0.0, B);
  } catch (const std::invalid_argument& error) {
    std::printf("%s\n", error.what());
    throws = std::strstr(error.what(), "'k'") != nullptr;
  }
  return check("a batch of products", product) + check("products of rounded floats", rounded) +
         check("two extents", throws ? 0 : 1);
}
