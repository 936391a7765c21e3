// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds of results: beta, an epilogue and its steps, no output, atomic addition.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Epilogue.hpp>
#include <limits>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 20, n = 6;
  const Array<double***> A("A", problems, n, n), C("C", problems, n, n), E("E", problems, n, n);
  const Array<double***> S("S", problems, n, n);
  const Array<double**> G("G", n, n), m("m", problems, n);
  const Array<double*> b("b", n);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) A(p, i, j) = entry(p, i, j);
  for (int j = 0; j < n; ++j) b(j) = entry(j);

  // [beta]
  Kokkos::deep_copy(C, std::numeric_limits<double>::quiet_NaN());
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const auto A_p = Kokkos::subview(A, team.league_rank(), ALL, ALL);
        const auto C_p = Kokkos::subview(C, team.league_rank(), ALL, ALL);
        using AtA = KokkosContract::TeamContract<"ki,kj->ij">;
        require_success(AtA::invoke(team, 1.0, A_p, A_p, 0.0,
                                    C_p));  // C = A^T A: beta == 0 does not read the NaN
        require_success(AtA::invoke(team, 1.0, A_p, A_p, 2.0, C_p));  // C = A^T A + 2 C
      });
  // [/beta]

  // [epilogue]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const auto A_p = Kokkos::subview(A, team.league_rank(), ALL, ALL);
        const auto E_p = Kokkos::subview(E, team.league_rank(), ALL, ALL);
        // E = max(A A^T, 0), and 1 on the diagonal
        const auto keep_positive = [](double value, int i, int j) {
          return i == j ? 1.0 : (value > 0 ? value : 0.0);
        };
        require_success(
            TeamContract<"ik,jk->ij">::invoke(team, 1.0, A_p, A_p, 0.0, E_p, keep_positive));
      });
  // [/epilogue]

  // [steps]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const auto A_p = Kokkos::subview(A, team.league_rank(), ALL, ALL);
        const auto S_p = Kokkos::subview(S, team.league_rank(), ALL, ALL);
        const auto m_p = Kokkos::subview(m, team.league_rank(), ALL);
        // S = max(A A^T + b, 0) with b(j) in column j, and the largest element of row i in m(i)
        const auto positive = [](double value) { return value > 0 ? value : 0; };
        require_success(TeamContract<"ik,jk->ij">::invoke(
            team, 1.0, A_p, A_p, 0.0, S_p,
            bias<"j">(b) | activation(positive) | row_max<"i">(m_p)));
      });
  // [/steps]

  // [elsewhere]
  // The squares of all elements of A A^T, added up: no product is stored.
  const Kokkos::View<double, Kokkos::SharedSpace> squares("squares");
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const auto A_p = Kokkos::subview(A, team.league_rank(), ALL, ALL);
        const auto add_square = [&](double value, int, int) {
          Kokkos::atomic_add(&squares(), value * value);
        };
        require_success(
            TeamContract<"ik,jk->ij">::invoke(team, 1.0, A_p, A_p, elsewhere(add_square)));
      });
  // [/elsewhere]

  // [atomic]
  // G = sum of A^T A over all problems: every team adds to the same matrix.
  const Kokkos::View<double**, Kokkos::SharedSpace, Kokkos::MemoryTraits<Kokkos::Atomic>> sum = G;
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const auto A_p = Kokkos::subview(A, team.league_rank(), ALL, ALL);
        require_success(TeamContract<"ki,kj->ij">::invoke(team, 1.0, A_p, A_p, 1.0, sum));
      });
  // [/atomic]
  Kokkos::fence();

  double beta = 0, epilogue = 0, steps = 0, atomic = 0, all_squares = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double total = 0;
      for (int p = 0; p < problems; ++p) {
        double s = 0, t = 0;
        for (int k = 0; k < n; ++k) {
          s += A(p, k, i) * A(p, k, j);
          t += A(p, i, k) * A(p, j, k);
        }
        beta = worse(beta, std::abs(C(p, i, j) - 3 * s));
        epilogue = worse(epilogue, std::abs(E(p, i, j) - (i == j ? 1 : std::fmax(t, 0.0))));
        steps = worse(steps, std::abs(S(p, i, j) - std::fmax(t + b(j), 0.0)));
        steps = worse(steps, std::fmax(S(p, i, j) - m(p, i), 0.0));
        all_squares += t * t;
        total += s;
      }
      atomic = worse(atomic, std::abs(G(i, j) - total));
    }
  return check("beta", beta) + check("an epilogue", epilogue) +
         check("steps of an epilogue", steps) + check("atomic addition", atomic) +
         check("no output", std::abs(squares() / all_squares - 1));
}
