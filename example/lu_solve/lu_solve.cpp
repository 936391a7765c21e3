// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small linear systems: LU without pivoting, two triangular solves, and what is reported about
// matrices that cannot be factored.

#include <KokkosContract/Gesv.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/Trsv.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 12, n = 6, singular = 7;
  const Array<double***> A("A", problems, n, n), LU("LU", problems, n, n);
  const Array<double**> b("b", problems, n), x("x", problems, n);
  const Array<int*> info("info", problems);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) A(p, i, j) = entry(p, i, j) + (i == j ? n : 0);
      b(p, i) = entry(i, p);
    }
  for (int j = 0; j < n; ++j) A(singular, 2, j) = A(singular, 1, j);  // two equal rows
  Kokkos::deep_copy(LU, A);
  Kokkos::deep_copy(x, b);

  // [solve]
  using Forward = KokkosContract::TeamTrsv<Member, Uplo::Lower, Trans::NoTranspose, Diag::Unit>;
  using Backward = KokkosContract::TeamTrsv<Member, Uplo::Upper, Trans::NoTranspose, Diag::NonUnit>;
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto LU_p = Kokkos::subview(LU, p, ALL, ALL);
        const auto x_p = Kokkos::subview(x, p, ALL);
        const int code = TeamLU<Member>::invoke(team, LU_p);        // A = L U
        if (code == 0) {                                            // in all threads
          require_success(Forward::invoke(team, 1.0, LU_p, x_p));   // L y = b
          require_success(Backward::invoke(team, 1.0, LU_p, x_p));  // U x = y
        }
        Kokkos::single(Kokkos::PerTeam(team), [&] { info(p) = code; });
      });
  // [/solve]
  Kokkos::fence();
  const auto residual_of = [&](const Array<double**>& solutions) {
    double worst = 0;
    for (int p = 0; p < problems; ++p) {
      if (info(p) != 0) continue;
      for (int i = 0; i < n; ++i) {
        double r = b(p, i);
        for (int j = 0; j < n; ++j) r -= A(p, i, j) * solutions(p, j);
        worst = worse(worst, std::abs(r));
      }
    }
    return worst;
  };
  const double residual = residual_of(x);
  bool reported = info(singular) == 3;  // the third pivot is the first that is zero
  for (int p = 0; p < problems; ++p) reported = reported && (p == singular || info(p) == 0);

  // [info]
  // All problems in one call of one team; an info View gets one entry each.
  Kokkos::deep_copy(LU, A);
  int first = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamPolicy<>(1, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Member& team, int& result) {
        const int code = TeamVectorLU<Member>::invoke(team, LU, info);
        Kokkos::single(Kokkos::PerTeam(team), [&] { result += code; });
      },
      first);
  // [/info]
  bool batch = first == 3;
  for (int p = 0; p < problems; ++p) batch = batch && info(p) == (p == singular ? 3 : 0);

  Kokkos::deep_copy(LU, A);
  Kokkos::deep_copy(x, b);
  // [gesv]
  // A x = b in one call, where the factors are not needed; A becomes anything.
  using Solve = TeamGesv<Member, Algo::Gesv::NoPivoting>;
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto A_p = Kokkos::subview(LU, p, ALL, ALL);
        const auto x_p = Kokkos::subview(x, p, ALL);
        const int code = Solve::invoke(team, A_p, x_p);
        Kokkos::single(Kokkos::PerTeam(team), [&] { info(p) = code; });
      });
  // [/gesv]
  Kokkos::fence();
  const bool found = info(singular) == 3;
  return check("residual", residual) + check("in one call: residual", residual_of(x)) +
         check("in one call: the singular matrix is reported", found ? 0 : 1) +
         check("the singular matrix is reported", reported ? 0 : 1) +
         check("info of a batch", batch ? 0 : 1);
}
