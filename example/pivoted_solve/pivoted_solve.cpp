// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small linear systems that need pivoting, and some that are symmetric positive definite.

#include <KokkosContract/Gecon.hpp>
#include <KokkosContract/Gesv.hpp>
#include <KokkosContract/Getrf.hpp>
#include <KokkosContract/Getrs.hpp>
#include <KokkosContract/Norm.hpp>
#include <KokkosContract/Potrf.hpp>
#include <KokkosContract/Potrs.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

/// The largest |b - A x| of the problems whose info is 0.
double residual(const Array<double***>& A, const Array<double**>& x, const Array<double**>& b,
                const Array<int*>& info) {
  double result = 0;
  for (int p = 0; p < A.extent_int(0); ++p) {
    if (info(p) != 0) continue;
    for (int i = 0; i < A.extent_int(1); ++i) {
      double r = b(p, i);
      for (int j = 0; j < A.extent_int(2); ++j) r -= A(p, i, j) * x(p, j);
      result = worse(result, std::abs(r));
    }
  }
  return result;
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 12, n = 7, special = 5;
  const Array<double***> A("A", problems, n, n), factors("factors", problems, n, n);
  const Array<double**> b("b", problems, n), x("x", problems, n);
  const Array<int**> ipiv("ipiv", problems, n);
  const Array<int*> info("info", problems);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      // A zero on the diagonal needs a row from below.
      for (int j = 0; j < n; ++j) A(p, i, j) = i == j ? 0 : entry(p, i, j);
      b(p, i) = entry(i, p);
    }
  for (int i = 0; i < n; ++i) A(special, i, 3) = 0;  // singular
  Kokkos::deep_copy(factors, A);
  Kokkos::deep_copy(x, b);

  // [pivoted]
  using Solve = KokkosContract::TeamGetrs<Member, Trans::NoTranspose>;
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto A_p = Kokkos::subview(factors, p, ALL, ALL);
        const auto ipiv_p = Kokkos::subview(ipiv, p, ALL);
        const auto x_p = Kokkos::subview(x, p, ALL);
        const int code = TeamGetrf<Member>::invoke(team, A_p, ipiv_p);
        if (code == 0) require_success(Solve::invoke(team, A_p, ipiv_p, x_p));  // in all threads
        Kokkos::single(Kokkos::PerTeam(team), [&] { info(p) = code; });
      });
  // [/pivoted]
  Kokkos::fence();
  bool reported = true;
  for (int p = 0; p < problems; ++p) reported = reported && info(p) == (p == special ? 4 : 0);
  int failures = check("pivoted: residual", residual(A, x, b, info), 1e-11) +
                 check("the singular matrix is reported", reported ? 0 : 1);

  // [gesv]
  // The same in one call, for all problems of a team at once.
  Kokkos::deep_copy(factors, A);
  Kokkos::deep_copy(x, b);
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(1, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        // The code is that of the first singular matrix; info has one for each.
        (void)TeamVectorGesv<Member>::invoke(team, factors, ipiv, x, info);
      });
  // [/gesv]
  Kokkos::fence();
  failures += check("in one call: residual", residual(A, x, b, info), 1e-11) +
              check("in one call: info", info(special) == 4 ? 0 : 1);

  const int nearly = 7;  // is nearly singular: no pivot is zero
  for (int j = 0; j < n; ++j) A(nearly, 6, j) = A(nearly, 5, j) + A(nearly, 4, j);
  A(nearly, 6, 6) += 1e-14;
  Kokkos::deep_copy(factors, A);
  const Array<double**> work("work", problems, n);
  const Array<double*> norm("norm", problems), rcond("rcond", problems);
  // [condition]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto A_p = Kokkos::subview(factors, p, ALL, ALL);
        const auto norm_p = Kokkos::subview(norm, p), rcond_p = Kokkos::subview(rcond, p);
        require_success(TeamNorm<Member, Norm::One>::invoke(team, A_p, norm_p));
        (void)TeamGetrf<Member>::invoke(team, A_p, Kokkos::subview(ipiv, p, ALL));
        // 1 / (|A| |A^-1|), and 0 where a pivot is zero
        require_success(
            TeamGecon<Member>::invoke(team, A_p, norm_p, Kokkos::subview(work, p, ALL), rcond_p));
      });
  // [/condition]
  Kokkos::fence();
  bool estimated = rcond(special) == 0 && rcond(nearly) < 1e-13;
  for (int p = 0; p < problems; ++p) {
    if (p != special && p != nearly) estimated = estimated && rcond(p) > 1e-6;
  }
  failures += check("matrices that are singular, or nearly so, are found", estimated ? 0 : 1);

  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        A(p, i, j) = entry(p, i < j ? i : j, i < j ? j : i) + (i == j ? n : 0);
  A(special, 2, 2) = -1;  // not positive definite
  Kokkos::deep_copy(factors, A);
  Kokkos::deep_copy(x, b);
  // [cholesky]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto A_p = Kokkos::subview(factors, p, ALL, ALL);  // only its lower triangle is used
        const auto x_p = Kokkos::subview(x, p, ALL);
        const auto info_p = Kokkos::subview(info, p);
        const int code = TeamPotrf<Member, Uplo::Lower>::invoke(team, A_p, info_p);
        if (code == 0) require_success(TeamPotrs<Member, Uplo::Lower>::invoke(team, A_p, x_p));
      });
  // [/cholesky]
  Kokkos::fence();
  reported = true;
  for (int p = 0; p < problems; ++p) reported = reported && info(p) == (p == special ? 3 : 0);
  return failures + check("Cholesky: residual", residual(A, x, b, info), 1e-11) +
         check("the indefinite matrix is reported", reported ? 0 : 1);
}
