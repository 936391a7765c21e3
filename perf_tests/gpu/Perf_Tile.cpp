// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A B of large matrices in a user's kernel, with one block tile of C per team, compared with
// cuBLAS. LAYOUT is that of A and of B; C is row-major. No tile divides 4097 and 1023.

#include <KokkosContract/TeamTile.hpp>

#include "Cublas.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;

constexpr int side = 128;  // rows and columns of a tile

/// Neighbouring teams share rows of A and columns of B in the cache: eight rows of tiles, column by
/// column.
struct TilePlace {
  int row, col;
  KOKKOS_FUNCTION TilePlace(int team, int tiles) {
    constexpr int rows_of_group = 8;
    const int group = team / (rows_of_group * tiles);
    const int in_group = team % (rows_of_group * tiles);
    const int left = tiles - group * rows_of_group;
    const int rows = left < rows_of_group ? left : rows_of_group;
    row = (group * rows_of_group + in_group % rows) * side;
    col = in_group / rows * side;
  }
};

template <class LayoutA, class LayoutB>
struct TileKernel {
  using Tile = KokkosContract::TeamTile<double, "ij", KokkosContract::Shape<side, side>, Member>;
  static constexpr int workers = Tile::workers();
  using Bounded = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<workers, 1>>;

  Kokkos::View<double**, LayoutA, Space> a;
  Kokkos::View<double**, LayoutB, Space> b;
  Kokkos::View<double**, Right, Space> c;
  Kokkos::View<int, Space> code;  // the least code of all teams

  TileKernel(int n) : a("A", n, n), b("B", n, n), c("C", n, n), code("code") {}
  int tiles() const { return (c.extent_int(0) + side - 1) / side; }
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int n = c.extent_int(0);
    const TilePlace at(member.league_rank(), (n + side - 1) / side);
    Tile tile(member, member.team_scratch(0), {at.row, at.col}, {n, n});
    int done = tile.template accumulate<"ik,kj->ij">(1.0, a, b);
    if (done == 0) done = tile.store(1.0, 0.0, c);
    if (done != 0) Kokkos::atomic_min(&code(), done);
  }
  void launch() const {
    const auto bytes = static_cast<int>(Tile::template scratch_bytes<"ik,kj->ij">(a, b));
    Kokkos::parallel_for(
        Bounded(tiles() * tiles(), workers).set_scratch_size(0, Kokkos::PerTeam(bytes)), *this);
  }
};

template <class LayoutA, class LayoutB>
void run_product(benchmark::State& state, int n, bool by_cublas) {
  const TileKernel<LayoutA, LayoutB> problem(n);
  fill_random(problem.a);
  fill_random(problem.b);
  const Cublas cublas;
  const Kokkos::View<double**, Right, Space> reference("reference", n, n);
  const auto by_rows = [&] {
    gemm(cublas, operation<LayoutB>(), operation<LayoutA>(), n, problem.b.data(), problem.a.data(),
         reference.data());
  };
  by_rows();
  problem.launch();
  int code = 0;
  Kokkos::deep_copy(code, problem.code);
  if (code != 0 || worst_difference(problem.c, reference) > 1) {
    state.SkipWithError("wrong result");
  } else {
    const double flops = 2.0 * n * n * n;
    const double bytes = 3.0 * n * n * sizeof(double);
    time_launches(state, flops, bytes, [&] {
      if (by_cublas) {
        by_rows();
      } else {
        problem.launch();
      }
    });
  }
}

template <class LayoutA, class LayoutB>
void add_products(const char* layouts) {
  for (const int n : {4096, 4097, 1023}) {
    for (const bool by_cublas : {false, true}) {
      add_benchmark(
          std::string("Tile/double/") + layouts + "/dynamic/memory/" +
              (by_cublas ? "cuBLAS/" : "TeamTile/") + std::to_string(n),
          [=](benchmark::State& state) { run_product<LayoutA, LayoutB>(state, n, by_cublas); });
    }
  }
}

const Registered registered([] {
  add_products<Right, Right>("right-right");
  add_products<Left, Right>("left-right");
  add_products<Right, Left>("right-left");
  add_products<Left, Left>("left-left");
});

}  // namespace
