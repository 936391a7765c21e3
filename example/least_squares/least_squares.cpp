// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QR of tall matrices: fits of a polynomial to many sets of points, and what their residuals are.

#include <KokkosContract/QR.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

/// The value at point i of problem p, which lies at t(p, i).
KOKKOS_INLINE_FUNCTION double t(int p, int i) { return i + 0.3 * entry(p, i); }

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 9, points = 12, terms = 4, flat = 3;
  const Array<double***> A("A", problems, points, terms), QR("QR", problems, points, terms);
  const Array<double**> b("b", problems, points), x("x", problems, points),
      tau("tau", problems, terms);
  const Array<int*> info("info", problems);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < points; ++i) {
      double power = 1;
      for (int j = 0; j < terms; ++j) {
        A(p, i, j) = p == flat && j == 2 ? 0 : power;
        power *= t(p, i) / points;
      }
      b(p, i) = entry(i, p);
    }
  Kokkos::deep_copy(QR, A);
  Kokkos::deep_copy(x, b);

  // [gels]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto QR_p = Kokkos::subview(QR, p, ALL, ALL);
        const auto tau_p = Kokkos::subview(tau, p, ALL);
        const auto x_p = Kokkos::subview(x, p, ALL);
        // x holds b; its first elements become the x of the smallest |A x - b|.
        const int code = TeamGels<Member>::invoke(team, QR_p, tau_p, x_p);
        Kokkos::single(Kokkos::PerTeam(team), [&] { info(p) = code; });
      });
  // [/gels]
  Kokkos::fence();
  bool reported = info(flat) == 3;  // R has a zero on its diagonal
  double normal = 0;                // A^T (A x - b)
  for (int p = 0; p < problems; ++p) {
    if (p == flat) continue;
    reported = reported && info(p) == 0;
    for (int j = 0; j < terms; ++j) {
      double sum = 0;
      for (int i = 0; i < points; ++i) {
        double r = -b(p, i);
        for (int k = 0; k < terms; ++k) r += A(p, i, k) * x(p, k);
        sum += A(p, i, j) * r;
      }
      normal = worse(normal, std::abs(sum));
    }
  }

  // [qr]
  // The same in steps: A = Q R, then Q^T b, whose last elements are the residual's share.
  Kokkos::deep_copy(QR, A);
  Kokkos::deep_copy(x, b);
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto QR_p = Kokkos::subview(QR, p, ALL, ALL);
        const auto tau_p = Kokkos::subview(tau, p, ALL);
        const auto x_p = Kokkos::subview(x, p, ALL);
        require_success(TeamGeqrf<Member>::invoke(team, QR_p, tau_p));
        require_success(
            TeamOrmqr<Member, Side::Left, Trans::Transpose>::invoke(team, QR_p, tau_p, x_p));
      });
  // [/qr]
  Kokkos::fence();
  double length = 0;  // Q keeps lengths
  for (int p = 0; p < problems; ++p) {
    double before = 0, after = 0;
    for (int i = 0; i < points; ++i) {
      before += b(p, i) * b(p, i);
      after += x(p, i) * x(p, i);
    }
    length = worse(length, std::abs(before - after));
  }

  // [back]
  // Q (Q^T b) = b; KokkosBatched's names do the same, and their workspace is not used.
  Kokkos::parallel_for(
      Kokkos::RangePolicy<>(0, problems), KOKKOS_LAMBDA(int p) {
        const auto tau_p = Kokkos::subview(tau, p, ALL);
        require_success(SerialApplyQ<Side::Left, Trans::NoTranspose>::invoke(
            Kokkos::subview(QR, p, ALL, ALL), tau_p, Kokkos::subview(x, p, ALL), tau_p));
      });
  // [/back]
  Kokkos::fence();
  double back = 0;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < points; ++i) back = worse(back, std::abs(x(p, i) - b(p, i)));
  return check("normal equations", normal) + check("a zero column is reported", reported ? 0 : 1) +
         check("length of Q^T b", length) + check("Q Q^T b", back);
}
