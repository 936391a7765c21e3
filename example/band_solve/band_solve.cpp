// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Band matrices, stored as LAPACK does: a general one with pivoting, one matrix for many right-hand
// sides, tridiagonal ones, a triangle alone.

#include <KokkosContract/Gbtrf.hpp>
#include <KokkosContract/Gbtrs.hpp>
#include <KokkosContract/Pttrf.hpp>
#include <KokkosContract/Pttrs.hpp>
#include <KokkosContract/Tbsv.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

constexpr int n = 20, problems = 7;

/// Element (i, j) of matrix p; `dominant`: that of a symmetric one, diagonally dominant.
KOKKOS_INLINE_FUNCTION double element(int p, int i, int j, bool dominant) {
  if (dominant && i == j) return 3;
  return dominant && i < j ? entry(p, j, i) : entry(p, i, j);
}

/// The largest element of b - A x, where A has so many diagonals below and above the main one.
double residual(int p, bool dominant, int below, int above, const auto& x, const auto& b) {
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    double r = b(i);
    for (int j = 0; j < n; ++j)
      if (i - j <= below && j - i <= above) r -= element(p, i, j, dominant) * x(j);
    largest = worse(largest, std::abs(r));
  }
  return largest;
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int kl = 2, ku = 1;  // diagonals below and above the main one
  const Array<double***> A("A", problems, 2 * kl + ku + 1, n);
  const Array<int**> ipiv("ipiv", problems, n);
  const Array<double**> d("d", problems, n), e("e", problems, n - 1);
  const Array<double**> b("b", problems, n), x("x", problems, n), y("y", problems, n),
      z("z", problems, n), t("t", problems, n);
  const Array<double**> triangle("triangle", 2, n);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) b(p, i) = x(p, i) = y(p, i) = z(p, i) = t(p, i) = entry(i, p);

  // [pivoted]
  // Element (i, j) of the matrix is A(kl + ku + i - j, j). The first kl rows take the fill-in.
  for (int p = 0; p < problems; ++p)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (i - j <= kl && j - i <= ku) A(p, kl + ku + i - j, j) = element(p, i, j, false);
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(int p) {
        const auto A_p = Kokkos::subview(A, p, ALL, ALL);
        const auto ipiv_p = Kokkos::subview(ipiv, p, ALL);
        int code = SerialGbtrf<>::invoke(A_p, ipiv_p, kl, ku);
        if (code == 0)
          code = SerialGbtrs<>::invoke(A_p, ipiv_p, Kokkos::subview(x, p, ALL), kl, ku);
        require_success(code);
      });
  // [/pivoted]
  Kokkos::fence();
  // [shared]
  // The factors of matrix 0 for all right-hand sides, which a team's threads share out.
  const auto A_0 = Kokkos::subview(A, 0, ALL, ALL);
  const auto ipiv_0 = Kokkos::subview(ipiv, 0, ALL);
  using Solve = TeamGbtrs<Member, Trans::NoTranspose>;
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(1, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        require_success(Solve::invoke(team, shared(A_0), shared(ipiv_0), y, kl, ku));
      });
  // [/shared]
  Kokkos::fence();
  // [tridiagonal]
  // The diagonal and the numbers below it become D and L of A = L D L^T.
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      d(p, i) = element(p, i, i, true);
      if (i + 1 < n) e(p, i) = element(p, i + 1, i, true);
    }
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(int p) {
        const auto d_p = Kokkos::subview(d, p, ALL), e_p = Kokkos::subview(e, p, ALL);
        int code = SerialPttrf<>::invoke(d_p, e_p);
        if (code == 0)
          code = SerialPttrs<Uplo::Lower>::invoke(d_p, e_p, Kokkos::subview(z, p, ALL));
        require_success(code);
      });
  // [/tridiagonal]
  Kokkos::fence();
  // [triangle]
  // A lower triangle with one diagonal below the main one: element (i, j) is triangle(i - j, j).
  for (int j = 0; j < n; ++j) {
    triangle(0, j) = element(0, j, j, true);
    if (j + 1 < n) triangle(1, j) = element(0, j + 1, j, true);
  }
  using SolveLower = SerialTbsv<Uplo::Lower, Trans::NoTranspose, Diag::NonUnit>;
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(int p) {
        require_success(SolveLower::invoke(triangle, Kokkos::subview(t, p, ALL), 1));
      });
  // [/triangle]
  Kokkos::fence();

  double pivoted = 0, shared_factors = 0, tridiagonal = 0, lower = 0;
  for (int p = 0; p < problems; ++p) {
    const auto of = [&](const auto& v) { return Kokkos::subview(v, p, ALL); };
    pivoted = worse(pivoted, residual(p, false, kl, ku, of(x), of(b)));
    shared_factors = worse(shared_factors, residual(0, false, kl, ku, of(y), of(b)));
    tridiagonal = worse(tridiagonal, residual(p, true, 1, 1, of(z), of(b)));
    lower = worse(lower, residual(0, true, 1, 0, of(t), of(b)));
  }
  int failures = check("Gbtrf and Gbtrs", pivoted, 1e-11);
  failures += check("Gbtrs of one matrix for all", shared_factors, 1e-11);
  failures += check("Pttrf and Pttrs", tridiagonal);
  failures += check("Tbsv", lower);
  return failures;
}
