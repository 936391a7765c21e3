// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds, factors and solves a small system for each element, in one kernel. The matrix never
// leaves the team's scratch memory.

#include <KokkosContract.hpp>

#include "../Example.hpp"

using namespace KokkosContract;
using example::Array, example::check, example::entry, example::worse;
using Kokkos::ALL, Kokkos::subview;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int points = 27, unknowns = 8;
  const int elements = 100;
  const Array<double[points][unknowns]> B("B");
  const Array<double* [points]> D("D", elements), f("f", elements);
  const Array<double* [unknowns]> x("x", elements);
  const Array<int*> info("info", elements);
  for (int q = 0; q < points; ++q) {
    for (int i = 0; i < unknowns; ++i) B(q, i) = (q % unknowns == i ? 2 : 0) + 0.3 * entry(q, i);
    for (int e = 0; e < elements; ++e) {
      D(e, q) = 2 + entry(e, q);
      f(e, q) = entry(q, e);
    }
  }

  // [pipeline]
  // For each element e: M = B^T D_e B, then M x_e = B^T f_e
  using Member = Kokkos::TeamPolicy<>::member_type;
  using Matrix = Kokkos::View<double[unknowns][unknowns], Member::scratch_memory_space>;
  using Build = TeamContract<"qi,q,qj->ij">;
  const auto bytes =
      Matrix::shmem_size() + Build::scratch_bytes(B, subview(D, 0, ALL), B, Matrix());
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(elements, Kokkos::AUTO).set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank();
        const auto x_e = subview(x, e, ALL);
        const Matrix M(team.team_scratch(0));
        int code = Build::invoke(team, team.team_scratch(0), 1.0, B, subview(D, e, ALL), B, 0.0, M);
        code |= TeamContract<"qi,q->i">::invoke(team, 1.0, B, subview(f, e, ALL), 0.0, x_e);
        code |= TeamLU<Member>::invoke(team, M);  // M = L U, in place
        code |= TeamSolveLU<Member, Trans::NoTranspose>::invoke(team, M, x_e);
        Kokkos::single(Kokkos::PerTeam(team), [&] { info(e) = code; });  // 0: all went well
      });
  // [/pipeline]
  Kokkos::fence();

  double residual = 0, codes = 0;
  for (int e = 0; e < elements; ++e) {
    codes = worse(codes, std::abs(info(e)));
    for (int i = 0; i < unknowns; ++i) {
      double r = 0;
      for (int q = 0; q < points; ++q) {
        double Bx = 0;
        for (int j = 0; j < unknowns; ++j) Bx += B(q, j) * x(e, j);
        r += B(q, i) * (f(e, q) - D(e, q) * Bx);
      }
      residual = worse(residual, std::abs(r));
    }
  }
  return check("residual", residual) + check("info", codes);
}
