// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block tiles: two contractions and a functor, without storing their sum in between. There are
// tiles of a team, and small ones of single threads.
#include <KokkosContract/Epilogue.hpp>
#include <KokkosContract/Explain.hpp>
#include <KokkosContract/TeamPolicy.hpp>
#include <KokkosContract/TeamTile.hpp>
#include <KokkosContract/TileParts.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>

#include "../Example.hpp"

using namespace example;
using KokkosContract::Computed;
using KokkosContract::problems_of;
using KokkosContract::SerialTile;
using KokkosContract::Shape;
using KokkosContract::team_policy;
using KokkosContract::TeamProblems;
using KokkosContract::TeamTile;
using KokkosContract::TileSlices;
using KokkosContract::uses;

/// C_ij = sum of A_ik B_kj - sum of D_jm E_mi, and the sum of the squares of C.
struct Difference {
  // [tile]
  using Tile = TeamTile<double, "ij", Shape<64, 32>>;
  Array<double**> A, B, D, E, C;
  Array<double*> squares;  // sum of squares of each team

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int n = C.extent_int(0), m = C.extent_int(1), across = (m + 31) / 32;
    const int i = team.league_rank() / across * 64, j = team.league_rank() % across * 32;
    Tile t(team, team.team_scratch(Tile::scratch_level()), {i, j}, {n, m});
    require_success(t.accumulate<"ik,kj->ij", "jm,mi->ij">(1.0, A, B, -1.0, D, E));
    double sum = 0;
    t.reduce([](double value, int, int, double& to) { to += value * value; }, sum);
    require_success(t.store(1.0, 0.0, C));
    Kokkos::single(Kokkos::PerTeam(team), [&] { squares(team.league_rank()) = sum; });
  }

  void run() const {
    const int tiles = static_cast<int>(squares.extent(0));
    const auto plan = team_policy(Kokkos::DefaultExecutionSpace(), tiles,
                                  uses<Tile, "ik,kj->ij", "jm,mi->ij">(A, B, D, E));
    Kokkos::parallel_for(plan.policy, *this);
    Kokkos::fence();
  }
  // [/tile]

  void explain(std::ostream& os) const {
    // [explain]
    KokkosContract::explain<Tile, "ik,kj->ij", "jm,mi->ij">(os, A, B, D, E);
    // [/explain]
  }
};

/// C_ij = sum of A_ik B_kj, with few rows.
struct ThinProduct {
  // [serial]
  using Tile = SerialTile<double, "ij", Shape<4, 8>>;
  Array<double**> A, B, C;
  TeamProblems tiles;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int n = C.extent_int(0), m = C.extent_int(1), across = (m + 7) / 8;
    const auto mine = problems_of(team, tiles);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, mine.first, mine.second), [&](int tile) {
      Tile t(team.thread_scratch(Tile::scratch_level()), {tile / across * 4, tile % across * 8},
             {n, m});
      require_success(t.accumulate<"ik,kj->ij">(1.0, A, B));
      require_success(t.store(1.0, 0.0, C));
    });
  }

  void run() {
    const int count = (C.extent_int(0) + 3) / 4 * ((C.extent_int(1) + 7) / 8);
    const auto plan =
        team_policy(Kokkos::DefaultExecutionSpace(), count, uses<Tile, "ik,kj->ij">(A, B));
    tiles = plan;
    Kokkos::parallel_for(plan.policy, *this);
    Kokkos::fence();
  }
  // [/serial]
};

struct Relu {
  KOKKOS_FUNCTION double operator()(double x) const { return x > 0 ? x : 0; }
};

/// C_ij = max(0, sum of A_ik B_kj + b_j), and the largest element of each row.
struct Layer {
  using Tile = TeamTile<double, "ij", Shape<64, 32>>;
  Array<double**> A, B, C;
  Array<double*> b, largest;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int n = C.extent_int(0), m = C.extent_int(1), across = (m + 31) / 32;
    const int i = team.league_rank() / across * 64, j = team.league_rank() % across * 32;
    // [epilogue]
    using namespace KokkosContract;
    Tile t(team, team.team_scratch(Tile::scratch_level()), {i, j}, {n, m});
    require_success(t.accumulate<"ik,kj->ij">(1.0, A, B));
    require_success(
        t.store(1.0, 0.0, C, bias<"j">(b) | activation(Relu{}) | row_max<"i">(largest)));
    // [/epilogue]
  }

  void run() const {
    const int tiles = (C.extent_int(0) + 63) / 64 * ((C.extent_int(1) + 31) / 32);
    const auto plan =
        team_policy(Kokkos::DefaultExecutionSpace(), tiles, uses<Tile, "ik,kj->ij">(A, B));
    Kokkos::parallel_for(plan.policy, *this);
    Kokkos::fence();
  }
};

/// C_ij = sum of exp(-|x_i - y_k|) B_kj. The matrix of the kernel function is never in memory.
struct KernelMatrix {
  // [parts]
  using Tile = TeamTile<double, "ij", Shape<64, 32>>;
  using Slices = TileSlices<Tile, "ik,kj->ij", Computed, Array<double**>>;
  Array<double*> x, y;
  Array<double**> B, C;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int n = C.extent_int(0), m = C.extent_int(1), across = (m + 31) / 32;
    const int i = team.league_rank() / across * 64, j = team.league_rank() % across * 32;
    Tile t(team, team.team_scratch(Tile::scratch_level()), {i, j}, {n, m});
    Slices slices(t, team.team_scratch(Slices::scratch_level()), {B.extent_int(0)});
    auto b = slices.loader<1>(B);
    const auto start = [&](int step) {
      b.start(step);
      slices.fill<0>(step,
                     [&](int row, int k) { return Kokkos::exp(-Kokkos::abs(x(row) - y(k))); });
    };
    require_success(slices.run(start, [&](int step) { slices.multiply(1.0, step); }));
    require_success(t.store(1.0, 0.0, C));
  }

  void run() const {
    const int tiles = (C.extent_int(0) + 63) / 64 * ((C.extent_int(1) + 31) / 32);
    const auto plan =
        team_policy(Kokkos::DefaultExecutionSpace(), tiles, uses<Tile>(), uses<Slices>());
    Kokkos::parallel_for(plan.policy, *this);
    Kokkos::fence();
  }
  // [/parts]
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

  ThinProduct thin{Array<double**>("A", 6, terms), d.B, Array<double**>("C", 6, m), {}};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < terms; ++k) thin.A(i, k) = entry(k, i);
  thin.run();
  double thin_error = 0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < m; ++j) {
      double sum = 0;
      for (int k = 0; k < terms; ++k) sum += thin.A(i, k) * d.B(k, j);
      thin_error = worse(thin_error, std::abs(thin.C(i, j) - sum));
    }

  const Layer layer{d.A, d.B, Array<double**>("C", n, m), Array<double*>("b", m),
                    Array<double*>("largest", n)};
  for (int j = 0; j < m; ++j) layer.b(j) = entry(j, 4);
  layer.run();
  double layer_error = 0;
  for (int i = 0; i < n; ++i) {
    double largest = 0;
    for (int j = 0; j < m; ++j) {
      double sum = layer.b(j);
      for (int k = 0; k < terms; ++k) sum += d.A(i, k) * d.B(k, j);
      largest = std::max(largest, sum);
      layer_error = worse(layer_error, std::abs(layer.C(i, j) - std::max(sum, 0.)));
    }
    layer_error = worse(layer_error, std::abs(layer.largest(i) - largest));
  }

  const KernelMatrix kernel{Array<double*>("x", n), Array<double*>("y", terms), d.B,
                            Array<double**>("C", n, m)};
  for (int i = 0; i < n; ++i) kernel.x(i) = entry(i, 1);
  for (int k = 0; k < terms; ++k) kernel.y(k) = entry(k, 2, 1);
  kernel.run();
  double kernel_error = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double sum = 0;
      for (int k = 0; k < terms; ++k)
        sum += std::exp(-std::abs(kernel.x(i) - kernel.y(k))) * d.B(k, j);
      kernel_error = worse(kernel_error, std::abs(kernel.C(i, j) - sum));
    }

  d.explain(std::cout);
  std::ostringstream words;
  d.explain(words);
  const bool counts = words.str().find("flops: 262144") != std::string::npos;  // 2 * 64 * 32 * 64
  return check("two products in a tile", error) +
         check("the sum of squares", std::abs(found - squares) / squares) +
         check("tiles of threads", thin_error) +
         check("a bias, an activation and largest elements", layer_error) +
         check("a matrix of kernel functions", kernel_error) +
         check("flops are counted", counts ? 0 : 1);
}
