// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moving least squares, as meshfree methods have them: for each point the coefficients x of a basis
// that fit the values f of its neighbours best, with weights w. The normal equations P^T W P x =
// P^T W f are built, factored and solved in one kernel, and beside it by loops.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Potrf.hpp>
#include <KokkosContract/Potrs.hpp>
#include <KokkosContract/Scratch.hpp>
#include <KokkosContract/TeamPolicy.hpp>
#include <limits>

#include "../Example.hpp"
#include "../Options.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL, Kokkos::subview;

constexpr const char* usage =
    R"(Fits polynomials of degree 2 in three dimensions to the 30 neighbours of each point.
  --points N   how many points (20000)
  --repeat N   the best time of so many (5)
)";

constexpr int neighbours = 30, terms = 10;

struct Fits {
  Array<double* [neighbours][terms]> P;  // the basis at the neighbours q of each point
  Array<double* [neighbours]> w, f;
  Array<double* [terms]> x;

  explicit Fits(int points) : P("P", points), w("w", points), f("f", points), x("x", points) {}
  int points() const { return P.extent_int(0); }

  void fill() const {
    const Fits all = *this;
    Kokkos::parallel_for(
        points(), KOKKOS_LAMBDA(int p) {
          for (int q = 0; q < neighbours; ++q) {
            const double r[] = {1, entry(p, q), entry(q, p, q), entry(2 * p, 3 * q)};
            for (int i = 0, term = 0; i < 4; ++i)
              for (int j = 0; j <= i; ++j, ++term) all.P(p, q, term) = r[i] * r[j];
            all.w(p, q) = 1.5 + entry(q, p);
            all.f(p, q) = entry(p, q, 3);
          }
        });
  }

  void solve() const;
  void solve_by_loops() const;

  /// The largest component of P^T W (P x - f).
  double residual() const {
    double worst = 0;
    const Fits all = *this;
    Kokkos::parallel_reduce(
        points(),
        KOKKOS_LAMBDA(int p, double& most) {
          for (int i = 0; i < terms; ++i) {
            double sum = 0;
            for (int q = 0; q < neighbours; ++q) {
              double fit = -all.f(p, q);
              for (int j = 0; j < terms; ++j) fit += all.P(p, q, j) * all.x(p, j);
              sum += all.P(p, q, i) * all.w(p, q) * fit;
            }
            if (!(Kokkos::abs(sum) <= most)) most = Kokkos::abs(sum);
          }
        },
        Kokkos::Max<double>(worst));
    return worst;
  }
};

void Fits::solve() const {
  const Fits all = *this;
  // [moving]
  using Matrix = TeamContract<"pqi,pq,pqj->pij">;  // P^T W P, for each point p of a team
  using Vector = TeamContract<"pqi,pq,pq->pi">;    // P^T W f
  using Factor = TeamPotrf<Member, Uplo::Lower>;
  using Solve = TeamPotrs<Member, Uplo::Lower>;

  // The matrices are in scratch memory; here only their shape is looked at.
  const Kokkos::View<double* [terms][terms], Kokkos::SharedSpace, Kokkos::MemoryUnmanaged> shape(
      nullptr, points());
  const auto plan = team_policy(
      Kokkos::DefaultExecutionSpace(), points(), uses<Matrix>(P, w, P, shape),
      uses<Vector>(P, w, f, x), uses<Factor>(shape), uses<Solve>(shape, x),
      user_scratch{.bytes_per_problem = scratch_matrices_bytes<double, terms, terms>(1)});
  const TeamProblems teams = plan;
  Kokkos::parallel_for(
      plan.policy, KOKKOS_LAMBDA(const Member& team) {
        const auto mine = problems_of(team, teams);
        const auto scratch = team.team_scratch(0);
        const auto M = scratch_matrices<double, terms, terms>(scratch, mine.second - mine.first);
        const auto P_t = subview(all.P, mine, ALL, ALL);
        const auto w_t = subview(all.w, mine, ALL);
        const auto x_t = subview(all.x, mine, ALL);
        require_success(Matrix::invoke(team, scratch, 1.0, P_t, w_t, P_t, 0.0, M));
        require_success(
            Vector::invoke(team, scratch, 1.0, P_t, w_t, subview(all.f, mine, ALL), 0.0, x_t));
        require_success(Factor::invoke(team, M));
        require_success(Solve::invoke(team, M, x_t));
      });
  // [/moving]
}

void Fits::solve_by_loops() const {
  const Fits all = *this;
  const Array<double* [terms][terms]> M("M", points());
  // [loops]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(points(), Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, terms * terms), [&](int ij) {
          const int i = ij / terms, j = ij % terms;
          double sum = 0;
          for (int q = 0; q < neighbours; ++q) sum += all.P(p, q, i) * all.w(p, q) * all.P(p, q, j);
          M(p, i, j) = sum;
        });
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, terms), [&](int i) {
          double sum = 0;
          for (int q = 0; q < neighbours; ++q) sum += all.P(p, q, i) * all.w(p, q) * all.f(p, q);
          all.x(p, i) = sum;
        });
        team.team_barrier();
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          for (int k = 0; k < terms; ++k) {  // M = L L^T, and x = L^-1 x
            for (int i = k; i < terms; ++i)
              for (int j = 0; j < k; ++j) M(p, i, k) -= M(p, i, j) * M(p, k, j);
            M(p, k, k) = Kokkos::sqrt(M(p, k, k));
            for (int i = k + 1; i < terms; ++i) M(p, i, k) /= M(p, k, k);
            for (int j = 0; j < k; ++j) all.x(p, k) -= M(p, k, j) * all.x(p, j);
            all.x(p, k) /= M(p, k, k);
          }
          for (int k = terms - 1; k >= 0; --k) {  // x = L^-T x
            for (int j = k + 1; j < terms; ++j) all.x(p, k) -= M(p, j, k) * all.x(p, j);
            all.x(p, k) /= M(p, k, k);
          }
        });
      });
  // [/loops]
  Kokkos::fence();
}

int main(int argc, char* argv[]) {
  using namespace example::option;
  int points = 20000, repeat = 5;
  if (const auto status = read_options(
          argc, argv, usage, {{"--points", {number(points)}}, {"--repeat", {number(repeat)}}}))
    return *status;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Fits fits(points);
  fits.fill();
  int failures = 0;
  double loops = 0;
  const auto measure = [&](const char* name, void (Fits::*solve)() const) {
    double seconds = std::numeric_limits<double>::max();
    for (int n = 0; n < repeat; ++n) {
      Kokkos::deep_copy(fits.x, 0.0);
      Kokkos::fence();
      const Kokkos::Timer timer;
      (fits.*solve)();
      Kokkos::fence();
      seconds = Kokkos::min(seconds, timer.seconds());
    }
    if (loops == 0) loops = seconds;
    std::printf("%s: %.1f ns a point, %.1f times as fast as loops\n", name, 1e9 * seconds / points,
                loops / seconds);
    failures += check("  residual", fits.residual(), 1e-11);
  };
  measure("loops", &Fits::solve_by_loops);
  measure("this library", &Fits::solve);
  return failures;
}
