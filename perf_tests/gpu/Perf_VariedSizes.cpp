// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems of sizes 2 to N, all equally often, in one launch: C = A B, C = L U, C x = f.
//
//     Vector, Team   the operands have the sizes of the problems, at run time; a problem per team
//                    thread of 16 lanes, or per team of 32 threads
//     padded         all have N rows and columns, known to the compiler; several problems per team,
//                    as team_policy says
//
// Rates are of the problems without padding.
#include "../VariedSizes.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;
using Kokkos::ALL;
using KokkosContract::Diag;
using KokkosContract::Uplo;
using None = KokkosContract::Trans::NoTranspose;
using Lower = KokkosContract::TeamTrsv<Member, Uplo::Lower, None, Diag::Unit>;
using Upper = KokkosContract::TeamTrsv<Member, Uplo::Upper, None, Diag::NonUnit>;

enum class Who { vector, team, padded };

template <Who W, int Most>
struct Body {
  static constexpr int threads = 8;  // threads of a team
  static constexpr int lanes = 16;
  VariedSizes<Space::memory_space, Most> problems;
  KokkosContract::TeamProblems of_teams{};

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    if constexpr (W == Who::vector) {
      const int p = member.league_rank() * threads + member.team_rank();
      if (p >= problems.problems) return;
      problems.template with_operands<false>(
          p, [&](const auto& a, const auto& b, const auto& c, const auto& f, const auto& x) {
            (void)KokkosContract::VectorReshape<"i->i">::invoke(member, f, x);
            (void)KokkosContract::VectorContract<"ik,kj->ij">::invoke(member, 1.0, a, b, 0.0, c);
            (void)KokkosContract::VectorLU<Member>::invoke(member, c);
            (void)KokkosContract::VectorSolveLU<Member, None>::invoke(member, c, x);
          });
    } else if constexpr (W == Who::team) {
      problems.template with_operands<false>(
          member.league_rank(),
          [&](const auto& a, const auto& b, const auto& c, const auto& f, const auto& x) {
            (void)KokkosContract::TeamReshape<"i->i">::invoke(member, f, x);
            (void)KokkosContract::TeamContract<"ik,kj->ij">::invoke(member, 1.0, a, b, 0.0, c);
            (void)KokkosContract::TeamLU<Member>::invoke(member, c);
            (void)KokkosContract::TeamSolveLU<Member, None>::invoke(member, c, x);
          });
    } else {
      const auto mine = KokkosContract::problems_of(member, of_teams);
      const auto [A, B, C, f, x] = batch();
      const auto c = Kokkos::subview(C, mine, ALL, ALL);
      const auto x_t = Kokkos::subview(x, mine, ALL);
      (void)KokkosContract::TeamReshape<"bi->bi">::invoke(member, Kokkos::subview(f, mine, ALL),
                                                          x_t);
      (void)KokkosContract::TeamContract<"bik,bkj->bij">::invoke(
          member, 1.0, Kokkos::subview(A, mine, ALL, ALL), Kokkos::subview(B, mine, ALL, ALL), 0.0,
          c);
      (void)KokkosContract::TeamLU<Member>::invoke(member, c);
      (void)Lower::invoke(member, 1.0, c, x_t);
      (void)Upper::invoke(member, 1.0, c, x_t);
    }
  }

  /// The padded problems as Views.
  struct Batch {
    using Traits = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    using Matrices = Kokkos::View<double* [Most][Most], Right, Space, Traits>;
    using Vectors = Kokkos::View<double* [Most], Right, Space, Traits>;
    Matrices A, B, C;
    Vectors f, x;
  };
  KOKKOS_FUNCTION Batch batch() const {
    using M = typename Batch::Matrices;
    using V = typename Batch::Vectors;
    const auto& [padded, n, size, matrix, vector, A, B, C, f, x, flops, bytes] = problems;
    return {M(A.data(), n), M(B.data(), n), M(C.data(), n), V(f.data(), n), V(x.data(), n)};
  }

  void launch() const {
    const Space space;
    if constexpr (W == Who::vector) {
      Kokkos::parallel_for(
          Policy(space, (problems.problems + threads - 1) / threads, threads, lanes), *this);
    } else if constexpr (W == Who::team) {
      Kokkos::parallel_for(Policy(space, problems.problems, 32, 1), *this);
    } else {
      using namespace KokkosContract;
      const auto [A, B, C, f, x] = batch();
      const auto plan =
          team_policy(space, problems.problems, uses<TeamContract<"bik,bkj->bij">>(A, B, C),
                      uses<TeamLU<Member>>(C), uses<Lower>(C, x), uses<Upper>(C, x));
      Body body = *this;
      body.of_teams = plan;
      Kokkos::parallel_for(plan.policy, body);
    }
  }
};

template <Who W, int Most>
void solve(benchmark::State& state) {
  using B = Body<W, Most>;
  const Space space;
  const auto count = static_cast<int>(batch_bytes / (3 * 8.0 * Most * Most)) / 4 * 4;
  const B body{{count, 2, W == Who::padded}};
  body.problems.fill(space);
  body.launch();
  if (!(body.problems.residual(space) < 1e-13)) {
    state.SkipWithError("wrong result");
    return;
  }
  time_launches(state, body.problems.flops, body.problems.bytes, [&] { body.launch(); });
}

template <Who W, int Most>
void add(const std::string& who) {
  add_benchmark(std::string("VariedSizes/double/right/") +
                    (W == Who::padded ? "static" : "dynamic") + "/memory/" + who + "/" +
                    std::to_string(Most),
                solve<W, Most>);
}

const Registered registered([] {
  for_each_width(std::integer_sequence<int, 8, 16, 32>{}, []<int N>() {
    add<Who::vector, N>("Vector");
    add<Who::team, N>("Team");
    add<Who::padded, N>("padded");
  });
});

}  // namespace
