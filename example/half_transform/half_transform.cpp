// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transformation of two-electron integrals from atomic to molecular orbitals, with two of its
// four indices in each kernel. A matrix of integrals (pq|rs) for each rs becomes C^T (pq|rs) C.
// What is between the two products of a kernel stays in scratch memory.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/HostContract.hpp>
#include <cmath>
#include <string>

#include "../Example.hpp"
#include "../MachineBounds.hpp"
#include "../Options.hpp"

using example::Member;

constexpr const char* usage =
    R"(Transforms the integrals (pq|rs) of N atomic orbitals to N molecular orbitals.
  --orbitals N  16, 24 or 32 (32)
  --repeat N    the best time of so many (5)
Compares two kernels, each of which transforms two indices, with four calls of contract.
)";

namespace {

struct Options {
  std::string orbitals = "32";
  int repeat = 5;
};

template <class Data>
using Array = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::SharedSpace>;
/// There is a matrix of integrals for each pair of orbitals. The pairs are outermost or innermost.
template <int N>
using Integrals = Array<double* [N][N]>;
template <int N>
using Turned = Array<double[N][N][N * N]>;
template <int N>
using Orbitals = Array<double[N][N]>;

// [kernel]
/// Computes to(i, j, b) = sum over p and q of C(p, i) from(b, p, q) C(q, j), for all pairs b. A
/// team has several pairs, whose results are neighbours in memory.
template <int N>
void transform_two(const Orbitals<N>& C, const Integrals<N>& from, const Turned<N>& to) {
  using namespace KokkosContract;
  constexpr int pairs = 8;  // of a team
  using Between = Kokkos::View<double[N][N][pairs], Kokkos::LayoutRight,
                               Member::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  const auto bytes = static_cast<int>(Between::shmem_size());
  const int level = bytes <= Kokkos::TeamPolicy<>::scratch_size_max(0) ? 0 : 1;
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(N * N / pairs, Kokkos::AUTO)
          .set_scratch_size(level, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const Member& team) {
        const auto mine =
            Kokkos::make_pair(team.league_rank() * pairs, (team.league_rank() + 1) * pairs);
        const Between between(team.team_scratch(level));
        require_success(TeamContract<"bpq,qj->pjb">::invoke(
            team, 1.0, Kokkos::subview(from, mine, Kokkos::ALL, Kokkos::ALL), C, 0.0, between));
        require_success(TeamContract<"pi,pjb->ijb">::invoke(
            team, 1.0, C, between, 0.0, Kokkos::subview(to, Kokkos::ALL, Kokkos::ALL, mine)));
      });
}
// [/kernel]

/// The integrals of a problem, and places for what becomes of them.
template <int N>
struct Problem {
  Orbitals<N> C{"C"};
  Integrals<N> ao{"ao", N* N}, half{"half", N* N}, mo{"mo", N* N};

  Problem() {
    for (int p = 0; p < N; ++p) {
      for (int i = 0; i < N; ++i) C(p, i) = example::entry(p, i) / std::sqrt(N);
    }
    for (int rs = 0; rs < N * N; ++rs) {
      for (int p = 0; p < N; ++p) {
        for (int q = 0; q < N; ++q) ao(rs, p, q) = example::entry(p, q, rs / N, rs % N);
      }
    }
  }

  /// The largest error of some transformed integrals.
  [[nodiscard]] double error() const {
    double error = 0;
    for (const int i : {0, N / 2 - 1}) {
      for (const int k : {1, N - 1}) {
        const int j = N - 1 - i, l = k / 2;
        double sum = 0;
        for (int r = 0; r < N; ++r) {
          for (int s = 0; s < N; ++s) {
            double pq = 0;
            for (int p = 0; p < N; ++p) {
              for (int q = 0; q < N; ++q) pq += C(p, i) * ao(r * N + s, p, q) * C(q, j);
            }
            sum += C(r, k) * pq * C(s, l);
          }
        }
        error = example::worse(error, std::abs(mo(k * N + l, i, j) - sum));
      }
    }
    return error;
  }
};

/// Returns the same array with other dimensions: with pairs innermost, or with four indices.
template <int N>
Turned<N> turned(const Integrals<N>& x) {
  return Turned<N>(x.data());
}
template <int N>
Array<double[N][N][N][N]> four_indices(const Integrals<N>& x) {
  return Array<double[N][N][N][N]>(x.data());
}

template <int N>
void by_two(const Problem<N>& problem) {
  transform_two<N>(problem.C, problem.ao, turned<N>(problem.half));  // (ij|rs), rs innermost
  transform_two<N>(problem.C, problem.half, turned<N>(problem.mo));  // (kl|ij), ij innermost
}

template <int N>
void by_one(const Problem<N>& problem) {
  using KokkosContract::contract;
  const Kokkos::DefaultExecutionSpace space;
  const auto& C = problem.C;
  const auto ao = four_indices<N>(problem.ao), half = four_indices<N>(problem.half),
             mo = four_indices<N>(problem.mo);
  contract<"rspq,qj->rspj">(space, 1.0, ao, C, 0.0, half);
  contract<"rspj,pi->rsij">(space, 1.0, half, C, 0.0, mo);
  contract<"rsij,sl->rlij">(space, 1.0, mo, C, 0.0, half);
  contract<"rlij,rk->klij">(space, 1.0, half, C, 0.0, mo);
}

template <int N>
int run(const Options& options) {
  const Problem<N> problem;
  std::printf("%d orbitals\n", N);
  int failures = 0;
  const auto measure = [&](const char* name, const auto& transform) {
    Kokkos::deep_copy(problem.mo, 0.0);
    const double seconds = example::shortest_of(options.repeat, [&] { transform(problem); });
    example::print_rate(name, seconds, 8.0 * N * N * N * N * N);
    failures += example::check("    error", problem.error());
  };
  measure("two indices in a kernel", by_two<N>);
  measure("contract for each index", by_one<N>);
  return failures;
}

}  // namespace

int main(int argc, char* argv[]) {
  using namespace example::option;
  Options options;
  if (const auto status =
          example::read_options(argc, argv, usage,
                                {{"--orbitals", {one_of(options.orbitals, {"16", "24", "32"})}},
                                 {"--repeat", {number(options.repeat)}}}))
    return *status;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  if (options.orbitals == "16") return run<16>(options);
  return options.orbitals == "24" ? run<24>(options) : run<32>(options);
}
