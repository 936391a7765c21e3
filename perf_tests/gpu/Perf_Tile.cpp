// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A B of large matrices in a user's kernel, a block tile of C for each team, beside cuBLAS.
// LAYOUT is that of A and of B; C has rows. 4097 and 1023 are divided by no tile.

#include <KokkosContract/TeamTile.hpp>

#include "Cublas.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;

constexpr int side = 128;  // of a tile

/// Teams that are neighbours share rows of A and columns of B in the cache: eight rows of tiles,
/// column by column.
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
  Kokkos::View<int, Space> code;  // the least of all teams'

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

/// By columns, as cuBLAS sees it, the transpose of C is that of B times that of A.
template <class LayoutA, class LayoutB>
void multiply_by_cublas(const Cublas& cublas, const TileKernel<LayoutA, LayoutB>& problem,
                        double* c) {
  const auto flag = [](bool is_left) { return is_left ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const int n = problem.c.extent_int(0);
  const double one = 1;
  const double zero = 0;
  cublasDgemm(cublas, flag(std::is_same_v<LayoutB, Left>), flag(std::is_same_v<LayoutA, Left>), n,
              n, n, &one, problem.b.data(), n, problem.a.data(), n, &zero, c, n);
}

/// The worst difference of two results, in units of a bound for sums of n products below 1.
double worst_difference(const Kokkos::View<double**, Right, Space>& x,
                        const Kokkos::View<double**, Right, Space>& y) {
  const int n = x.extent_int(0);
  const double bound = 2.0 * (n + 2) * n * Kokkos::Experimental::epsilon_v<double>;
  double worst = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, n),
      KOKKOS_LAMBDA(int i, double& most) {
        for (int j = 0; j < n; ++j) {
          const double error = Kokkos::abs(x(i, j) - y(i, j)) / bound;
          // A NaN counts, too.
          if (!(error <= most)) most = error <= 1 ? error : 2.0;
        }
      },
      Kokkos::Max<double>(worst));
  return worst;
}

template <class LayoutA, class LayoutB>
void run_product(benchmark::State& state, int n, bool by_cublas) {
  const TileKernel<LayoutA, LayoutB> problem(n);
  fill_random(problem.a);
  fill_random(problem.b);
  const Cublas cublas;
  const Kokkos::View<double**, Right, Space> reference("reference", n, n);
  multiply_by_cublas(cublas, problem, reference.data());
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
        multiply_by_cublas(cublas, problem, reference.data());
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
