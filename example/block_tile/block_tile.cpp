// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block tile: two contractions and a functor, without their sum in memory between them.
#include <KokkosContract/TeamTile.hpp>

#include "../Example.hpp"

using namespace example;
using KokkosContract::Shape;
using KokkosContract::TeamTile;

/// C_ij = sum of A_ik B_kj - sum of D_jm E_mi, and the sum of the squares of C.
struct Difference {
  // [tile]
  using Tile = TeamTile<double, "ij", Shape<64, 32>>;
  Array<double**> A, B, D, E, C;
  Array<double*> squares;  // of each team

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int n = C.extent_int(0), m = C.extent_int(1), across = (m + 31) / 32;
    const int i = team.league_rank() / across * 64, j = team.league_rank() % across * 32;
    Tile t(team, team.team_scratch(scratch_level()), {i, j}, {n, m});
    require_success(t.accumulate<"ik,kj->ij", "jm,mi->ij">(1.0, A, B, -1.0, D, E));
    double sum = 0;
    t.reduce([](double value, int, int, double& to) { to += value * value; }, sum);
    require_success(t.store(1.0, 0.0, C));
    Kokkos::single(Kokkos::PerTeam(team), [&] { squares(team.league_rank()) = sum; });
  }

  void run() const {
    const int teams = static_cast<int>(squares.extent(0));
    const auto bytes = Tile::scratch_bytes<"ik,kj->ij", "jm,mi->ij">(A, B, D, E);
    Kokkos::parallel_for(
        Kokkos::TeamPolicy<>(teams, Tile::workers())
            .set_scratch_size(scratch_level(), Kokkos::PerTeam(static_cast<int>(bytes))),
        *this);
    Kokkos::fence();
  }
  // [/tile]

  /// A host's level 0 is smaller than a tile.
  KOKKOS_FUNCTION static constexpr int scratch_level() {
    using Memory = Kokkos::DefaultExecutionSpace::memory_space;
    return Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible ? 1 : 0;
  }
};

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const int n = 150, m = 70, terms = 41, others = 23;
  const int teams = (n + 63) / 64 * ((m + 31) / 32);
  const Difference d{Array<double**>("A", n, terms),  Array<double**>("B", terms, m),
                     Array<double**>("D", m, others), Array<double**>("E", others, n),
                     Array<double**>("C", n, m),      Array<double*>("squares", teams)};
  for (int k = 0; k < terms; ++k) {
    for (int i = 0; i < n; ++i) d.A(i, k) = entry(i, k);
    for (int j = 0; j < m; ++j) d.B(k, j) = entry(k, j, 1);
  }
  for (int k = 0; k < others; ++k) {
    for (int i = 0; i < n; ++i) d.E(k, i) = entry(k, i, 2);
    for (int j = 0; j < m; ++j) d.D(j, k) = entry(j, k, 3);
  }
  d.run();
  double error = 0, squares = 0, found = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double sum = 0;
      for (int k = 0; k < terms; ++k) sum += d.A(i, k) * d.B(k, j);
      for (int k = 0; k < others; ++k) sum -= d.D(j, k) * d.E(k, i);
      error = worse(error, std::abs(d.C(i, j) - sum));
      squares += sum * sum;
    }
  for (int t = 0; t < teams; ++t) found += d.squares(t);
  return check("two products in a tile", error) +
         check("the sum of squares", std::abs(found - squares) / squares);
}
