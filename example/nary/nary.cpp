// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions of more than two inputs, pair by pair, with the intermediates in scratch memory. A
// field is interpolated from a p x p x p grid of nodes to points, direction by direction. Its
// derivative at the points is computed, too.

#include <KokkosContract/Contract.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int elements = 12, nodes = 4, points = 5;
  const Array<double[points][nodes]> B("B");
  const Array<double* [nodes][nodes][nodes]> V("V", elements);
  const Array<double[points][points]> G("G");
  const Array<double* [points][points][points]> U("U", elements), W("W", elements),
      kept("kept", elements), slope("slope", elements);
  for (int x = 0; x < points; ++x)
    for (int a = 0; a < nodes; ++a) B(x, a) = entry(x, a);
  for (int x = 0; x < points; ++x)
    for (int y = 0; y < points; ++y) G(x, y) = entry(y, x, 1);
  for (int e = 0; e < elements; ++e)
    for (int a = 0; a < nodes; ++a)
      for (int b = 0; b < nodes; ++b)
        for (int c = 0; c < nodes; ++c) V(e, a, b, c) = entry(e, a, b, c);

  // [team]
  // U(x, y, z) = sum over a, b, c of B(x, a) B(y, b) B(z, c) V(a, b, c)
  using Interpolate = KokkosContract::TeamContract<"xa,yb,zc,abc->xyz">;
  const auto V_0 = Kokkos::subview(V, 0, ALL, ALL, ALL);
  const auto U_0 = Kokkos::subview(U, 0, ALL, ALL, ALL);
  const std::size_t bytes = Interpolate::scratch_bytes(B, B, B, V_0, U_0);
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(elements, Kokkos::AUTO).set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const Member& team) {
        const auto V_e = Kokkos::subview(V, team.league_rank(), ALL, ALL, ALL);
        const auto U_e = Kokkos::subview(U, team.league_rank(), ALL, ALL, ALL);
        require_success(
            Interpolate::invoke(team, team.team_scratch(0), 1.0, B, B, B, V_e, 0.0, U_e));
      });
  // [/team]

  // [serial]
  // All extents are static here, so one thread alone needs no scratch.
  Kokkos::parallel_for(
      elements, KOKKOS_LAMBDA(const int e) {
        const auto V_e = Kokkos::subview(V, e, ALL, ALL, ALL);
        const auto W_e = Kokkos::subview(W, e, ALL, ALL, ALL);
        require_success(SerialContract<"xa,yb,zc,abc->xyz">::invoke(1.0, B, B, B, V_e, 0.0, W_e));
      });
  // [/serial]

  // [keep]
  // Two results of one call: the interpolated values, and their derivatives along x.
  Kokkos::parallel_for(
      elements, KOKKOS_LAMBDA(const int e) {
        const auto V_e = Kokkos::subview(V, e, ALL, ALL, ALL);
        const auto values = Kokkos::subview(kept, e, ALL, ALL, ALL);
        const auto slope_e = Kokkos::subview(slope, e, ALL, ALL, ALL);
        require_success(SerialContract<"yb,zc,xa,abc,wx->wyz">::invoke(
            1.0, B, B, B, V_e, keep<"xyz">(values), G, 0.0, slope_e));
      });
  // [/keep]
  Kokkos::fence();

  double team = 0, serial = 0, first = 0, second = 0;
  for (int e = 0; e < elements; ++e)
    for (int x = 0; x < points; ++x)
      for (int y = 0; y < points; ++y)
        for (int z = 0; z < points; ++z) {
          double s = 0;
          for (int a = 0; a < nodes; ++a)
            for (int b = 0; b < nodes; ++b)
              for (int c = 0; c < nodes; ++c) s += B(x, a) * B(y, b) * B(z, c) * V(e, a, b, c);
          team = worse(team, std::abs(U(e, x, y, z) - s));
          serial = worse(serial, std::abs(W(e, x, y, z) - s));
          first = worse(first, std::abs(kept(e, x, y, z) - s));
          double derivative = 0;
          for (int w = 0; w < points; ++w) derivative += G(x, w) * U(e, w, y, z);
          second = worse(second, std::abs(slope(e, x, y, z) - derivative));
        }
  std::printf("%zu bytes of scratch a team\n", bytes);
  return check("four inputs, at Team", team) + check("four inputs, at Serial", serial) +
         check("an intermediate that is kept", first) + check("what comes behind it", second);
}
