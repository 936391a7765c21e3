// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Periodic splines through the values on many lines: one small band matrix, and a right-hand side
// of each line. The matrix of the B-splines' values has diagonals next to the main one, and
// corners, because the ends of a line are neighbours. The last `border` unknowns are taken out of
// it:
//
//     [ B    E ] [ c ]   [ f ]       B   a band, factored by Pbtrf
//     [ E^T  D ] [ d ] = [ g ]       S = D - E^T B^-1 E   small and dense, factored by Getrf
//
// and S d = g - (B^-1 E)^T f comes first, then B c = f - E d. The factors are made once, on the
// host; then each team solves for some lines.

#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/Getrf.hpp>
#include <KokkosContract/Getrs.hpp>
#include <KokkosContract/Pbtrf.hpp>
#include <KokkosContract/Pbtrs.hpp>
#include <numbers>

#include "../Example.hpp"
#include "../MachineBounds.hpp"
#include "../Options.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

/// Splines of an odd degree on a uniform grid: what the B-splines around a point have there, from
/// the point on, and half a step further.
template <int Degree>
struct Spline;
template <>
struct Spline<3> {
  static constexpr int border = 1;
  static constexpr double at_point[] = {4. / 6, 1. / 6};
  static KOKKOS_FUNCTION double between(int k) { return k == 0 ? 23. / 48 : 1. / 48; }
};
template <>
struct Spline<5> {
  static constexpr int border = 2;
  static constexpr double at_point[] = {66. / 120, 26. / 120, 1. / 120};
  static KOKKOS_FUNCTION double between(int k) {
    return (k == 0 ? 1682. : k == 1 ? 237. : 1.) / 3840;
  }
};

/// Values on lines become the coefficients of their splines. A line's numbers are far from each
/// other, those of a point next to each other.
using Lines = Kokkos::View<double**, Kokkos::LayoutLeft>;

template <int Degree>
struct Interpolation {
  static constexpr int border = Spline<Degree>::border;
  int n;                    ///< points of a line
  Array<double**> B, E, F;  ///< the band; beside it; B^-1 E
  Array<double[border][border]> S;
  Array<int[border]> ipiv;

  explicit Interpolation(int points)
      : n(points),
        B("B", border + 1, points - border),
        E("E", points - border, border),
        F("F", points - border, border),
        S("S"),
        ipiv("ipiv") {
    const auto& value = Spline<Degree>::at_point;
    const int m = n - border;
    // [factor]
    for (int j = 0; j < m; ++j)
      for (int d = 0; d <= border; ++d) B(d, j) = value[d];  // the diagonal, and those below
    for (int j = 0; j < border; ++j)
      for (int d = -border; d <= border; ++d) {
        const int i = (m + j + d + n) % n;  // a neighbour of unknown m + j
        if (i < m) {
          E(i, j) = F(i, j) = value[d < 0 ? -d : d];
        } else {
          S(i - m, j) = value[d < 0 ? -d : d];
        }
      }
    require_success(SerialPbtrf<Uplo::Lower>::invoke(B));
    require_success(SerialPbtrs<Uplo::Lower>::invoke(B, F));
    for (int i = 0; i < border; ++i)
      for (int j = 0; j < border; ++j)
        for (int k = 0; k < m; ++k) S(i, j) -= E(k, i) * F(k, j);
    require_success(SerialGetrf<>::invoke(S, ipiv));
    // [/factor]
  }

  /// The lines in place. Returns the seconds that it took.
  double solve(const Lines& lines) const {
    const auto self = *this;
    const int count = lines.extent_int(0), m = n - border;
    // [solve]
    // A team takes 32 lines: on a GPU each thread has one, on a host its lanes have eight or so.
    constexpr int block = 32;
    using Workspace = Kokkos::View<double**, Kokkos::LayoutLeft, Member::scratch_memory_space>;
    const int threads = on_host ? 1 : block;
    const int level = Workspace::shmem_size(block, m) <= 32768 ? 0 : 1;
    const auto bytes = Kokkos::PerTeam(static_cast<int>(Workspace::shmem_size(block, m)));
    const Kokkos::Timer timer;
    Kokkos::parallel_for(
        Kokkos::TeamPolicy<>((count + block - 1) / block, threads).set_scratch_size(level, bytes),
        KOKKOS_LAMBDA(const Member& team) {
          using None = Trans::NoTranspose;
          const int first = team.league_rank() * block;
          const int end = first + block < count ? first + block : count;
          const auto part = [&](int begin, int size) {
            return Kokkos::subview(lines, Kokkos::make_pair(first, end),
                                   Kokkos::make_pair(begin, begin + size));
          };
          const auto rows_of_E = [&](int begin) {
            return Kokkos::subview(self.E, Kokkos::make_pair(begin, begin + border), ALL);
          };
          const auto f = part(0, m), g = part(m, border);
          const Workspace w(team.team_scratch(level), end - first, m);
          int code = TeamVectorGemm<Member, None, None>::invoke(team, -1.0, f, self.F, 1.0, g);
          code |= TeamVectorGetrs<Member>::invoke(team, shared(self.S), shared(self.ipiv), g);
          for (const int i : {0, m - border})  // the rows of E that are not zero
            code |= TeamVectorGemm<Member, None, Trans::Transpose>::invoke(
                team, -1.0, g, rows_of_E(i), 1.0, part(i, border));
          // What passes between the two substitutions stays in scratch memory.
          code |= TeamVectorPbtrs<Member, Uplo::Lower>::invoke(team, shared(self.B), f, w);
          require_success(code);
        });
    // [/solve]
    Kokkos::fence();
    return timer.seconds();
  }
};

/// A smooth periodic function, another one on each line.
KOKKOS_INLINE_FUNCTION double function(int line, double x) {
  const double t = 2 * std::numbers::pi * x;
  return Kokkos::exp(Kokkos::sin(t + 0.1 * (line % 64))) + 0.25 * Kokkos::cos(2 * t);
}

/// The largest error of the splines half way between their points, and the time that a repetition
/// takes.
struct Result {
  double error, seconds;
};
template <int Degree>
Result interpolate(int count, int points, int repeat) {
  const Interpolation<Degree> spline(points);
  const Lines lines("lines", count, points);
  Result result{0, 1e300};
  for (int r = 0; r < repeat; ++r) {
    Kokkos::parallel_for(
        Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {count, points}),
        KOKKOS_LAMBDA(int line, int i) { lines(line, i) = function(line, double(i) / points); });
    Kokkos::fence();
    const double seconds = spline.solve(lines);
    if (seconds < result.seconds) result.seconds = seconds;
  }
  Kokkos::parallel_reduce(
      count,
      KOKKOS_LAMBDA(int line, double& most) {
        constexpr int half = (Degree + 1) / 2;
        for (int i = 0; i < points; ++i) {
          double sum = 0;
          for (int k = 0; k < half; ++k) {
            const double sides =
                lines(line, (i + points - k) % points) + lines(line, (i + 1 + k) % points);
            sum += Spline<Degree>::between(k) * sides;
          }
          const double error = Kokkos::abs(sum - function(line, (i + 0.5) / points));
          if (!(error <= most)) most = error;
        }
      },
      Kokkos::Max<double>(result.error));
  return result;
}

/// Errors at two resolutions, and the rate; returns whether the order is what theory says.
template <int Degree>
bool run(int lines, int points, int repeat, const MachineBounds& machine) {
  const Result coarse = interpolate<Degree>(lines, points / 2, 1);
  const Result fine = interpolate<Degree>(lines, points, repeat);
  const double order = std::log2(coarse.error / fine.error);
  const double words = 8.0 * lines * points;
  const double shortest = 2 * words / machine.bandwidth;
  std::printf("degree %d: errors %.2e at %d points, %.2e at %d: order %.2f\n", Degree, coarse.error,
              points / 2, fine.error, points, order);
  std::printf(
      "  %d lines in %.4f s: %.2f GB/s of one load and one store a number, %.0f %% of what "
      "the memory moves\n",
      lines, fine.seconds, 2e-9 * words / fine.seconds, 100 * shortest / fine.seconds);
  return order > Degree + 1 - 0.3 && order < Degree + 1 + 0.7;
}

int main(int argc, char* argv[]) {
  using namespace example::option;
  int lines = 100000, points = 96, repeat = 5;
  if (const auto status =
          read_options(argc, argv,
                       "Usage: spline_interpolation [--lines L] [--points N] [--repeat R]\n"
                       "Periodic splines of degree 3 and 5 through N values (default 96, at most "
                       "192) on each of\n"
                       "L lines (default 100000). Checks the order of their errors against half as "
                       "many points,\n"
                       "and prints the rate of the best of R solves.\n",
                       {{"--lines", {number(lines, 1, 100000000)}},
                        {"--points", {number(points, 40, 192)}},
                        {"--repeat", {number(repeat, 1, 999)}}}))
    return *status;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const MachineBounds machine = measure_machine_bounds();
  machine.print();
  const bool cubic = run<3>(lines, points, repeat, machine);
  const bool quintic = run<5>(lines, points, repeat, machine);
  std::printf("orders 4 and 6: %s\n", cubic && quintic ? "passed" : "FAILED");
  return cubic && quintic ? 0 : 1;
}
