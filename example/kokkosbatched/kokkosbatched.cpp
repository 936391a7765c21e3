// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs written for KokkosBatched call and this library does otherwise: systems whose
// solution is apart from the right-hand side, Q of a factorisation as a matrix, and operands that
// are larger than the problem.

#include <KokkosContract/KokkosBatched.hpp>

#include "../Example.hpp"

using example::Array, example::check, example::entry, example::Member, example::require_success,
    example::worse;
using Kokkos::ALL;
namespace kb = KokkosContract;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 10, n = 6;
  const Array<double***> A("A", problems, n, n), LU("LU", problems, n, n), QR("QR", problems, n, n),
      work("work", problems, n, n + 4), Q("Q", problems, n, n);
  const Array<double**> b("b", problems, n), x("x", problems, n), y("y", problems, n),
      tau("tau", problems, n), unused("unused", problems, n);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      // A zero on the diagonal needs a row from below.
      for (int j = 0; j < n; ++j) A(p, i, j) = i == j ? 0 : entry(p, i, j);
      b(p, i) = entry(i, p);
    }

  // [gesv]
  // A x = b, where b stays as it is: a thread a problem, with the pivots in `work`, n x (n + 4) ...
  Kokkos::deep_copy(LU, A);
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(const int p) {
        require_success(kb::SerialGesv<kb::Gesv::StaticPivoting>::invoke(
            Kokkos::subview(LU, p, ALL, ALL), Kokkos::subview(x, p, ALL),
            Kokkos::subview(b, p, ALL), Kokkos::subview(work, p, ALL, ALL)));
      });
  // ... or a team a problem, with the pivots in scratch memory.
  Kokkos::deep_copy(LU, A);
  const auto pivots = Kokkos::View<int*, Member::scratch_memory_space>::shmem_size(n);
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO).set_scratch_size(0, Kokkos::PerTeam(pivots)),
      KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        require_success(kb::TeamVectorGesv<Member, kb::Gesv::StaticPivoting>::invoke(
            team, Kokkos::subview(LU, p, ALL, ALL), Kokkos::subview(y, p, ALL),
            Kokkos::subview(b, p, ALL)));
      });
  // [/gesv]

  // [form_q]
  // A = Q R: R and what Q is made of are where A was; then Q as a matrix.
  Kokkos::deep_copy(QR, A);
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(const int p) {
        const auto QR_p = Kokkos::subview(QR, p, ALL, ALL);
        const auto tau_p = Kokkos::subview(tau, p, ALL);
        const auto w = Kokkos::subview(unused, p, ALL);
        require_success(kb::SerialQR<kb::Algo::QR::Unblocked>::invoke(QR_p, tau_p, w));
        require_success(
            kb::SerialQR_FormQ::invoke(QR_p, tau_p, Kokkos::subview(Q, p, ALL, ALL), w));
      });
  // [/form_q]

  // [sizes]
  // The leading 3 x 4 part of A times the leading 4 x 2 part of Q: sizes are those of C, and the
  // columns of A_p. At the name kb::SerialGemm this call returns -1.
  const Array<double***> C("C", problems, 3, 2);
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(const int p) {
        const auto A_p = Kokkos::subview(A, p, ALL, Kokkos::pair<int, int>(0, 4));
        require_success(kb::Batched::SerialGemm<>::invoke(1.0, A_p, Kokkos::subview(Q, p, ALL, ALL),
                                                          0.0, Kokkos::subview(C, p, ALL, ALL)));
      });
  // [/sizes]
  Kokkos::fence();

  double residual = 0, difference = 0, product = 0, orthogonality = 0, part = 0;
  for (int p = 0; p < problems; ++p) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 2; ++j) {
        double c = C(p, i, j);
        for (int k = 0; k < 4; ++k) c -= A(p, i, k) * Q(p, k, j);
        part = worse(part, std::abs(c));
      }
    for (int i = 0; i < n; ++i) {
      double r = b(p, i);
      for (int j = 0; j < n; ++j) {
        r -= A(p, i, j) * x(p, j);
        double qr = 0, qtq = 0;
        for (int k = 0; k <= j; ++k) qr += Q(p, i, k) * QR(p, k, j);
        for (int k = 0; k < n; ++k) qtq += Q(p, k, i) * Q(p, k, j);
        product = worse(product, std::abs(qr - A(p, i, j)));
        orthogonality = worse(orthogonality, std::abs(qtq - (i == j ? 1 : 0)));
      }
      residual = worse(residual, std::abs(r));
      difference = worse(difference, std::abs(x(p, i) - y(p, i)));
    }
  }
  return check("residual", residual, 1e-11) + check("thread and team", difference, 1e-11) +
         check("Q R - A", product) + check("Q^T Q - 1", orthogonality) +
         check("leading part", part);
}
