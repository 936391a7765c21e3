// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that uses Kokkos Kernels, and this library for some of its calls.

#include <KokkosBatched_LU_Decl.hpp>
// [include]
#include <KokkosBatched_Vector.hpp>
#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/KokkosKernels.hpp>
#include <KokkosContract/Trsm.hpp>
// [/include]

#include "../Example.hpp"

using namespace example;
using Kokkos::ALL;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int vectors = 6;
  constexpr int n = 5, columns = 3;

  // [types]
  namespace kb = KokkosBatched;
  constexpr int length = 4;
  using Vector = kb::Vector<kb::SIMD<double>, length>;  // the elements of its Views, as they are
  using Forward = KokkosContract::SerialTrsm<kb::Side::Left, kb::Uplo::Lower,
                                             kb::Trans::NoTranspose, kb::Diag::Unit>;
  using Backward = KokkosContract::SerialTrsm<kb::Side::Left, kb::Uplo::Upper,
                                              kb::Trans::NoTranspose, kb::Diag::NonUnit>;
  using Product = KokkosContract::SerialGemm<kb::Trans::NoTranspose, kb::Trans::NoTranspose,
                                             kb::Algo::Gemm::Blocked>;
  // [/types]
  const Array<Vector** [n]> A("A", vectors, n), LU("LU", vectors, n);
  const Array<Vector** [columns]> B("B", vectors, n), X("X", vectors, n);
  for (int v = 0; v < vectors; ++v)
    for (int i = 0; i < n; ++i)
      for (int l = 0; l < length; ++l) {
        for (int j = 0; j < n; ++j) A(v, i, j)[l] = entry(v, i, j, l) / n + (i == j ? 2 : 0);
        for (int j = 0; j < columns; ++j) B(v, i, j)[l] = entry(j, i, v, l);
      }
  Kokkos::deep_copy(LU, A);
  Kokkos::deep_copy(X, B);

  // [mixed]
  Kokkos::parallel_for(
      Kokkos::RangePolicy<>(0, vectors), KOKKOS_LAMBDA(int v) {
        const auto A_v = Kokkos::subview(A, v, ALL, ALL), LU_v = Kokkos::subview(LU, v, ALL, ALL);
        const auto B_v = Kokkos::subview(B, v, ALL, ALL), X_v = Kokkos::subview(X, v, ALL, ALL);
        kb::SerialLU<kb::Algo::LU::Unblocked>::invoke(LU_v);  // Kokkos Kernels' factors
        require_success(Forward::invoke(1.0, LU_v, X_v));     // used by this library
        require_success(Backward::invoke(1.0, LU_v, X_v));
        require_success(Product::invoke(-1.0, A_v, X_v, 1.0, B_v));  // B = B - A X
      });
  // [/mixed]
  Kokkos::fence();

  double residual = 0;
  for (int v = 0; v < vectors; ++v)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < columns; ++j)
        for (int l = 0; l < length; ++l) residual = worse(residual, std::abs(B(v, i, j)[l]));
  return check("solve with Kokkos Kernels' LU", residual);
}
