// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <KokkosContract/TeamPolicy.hpp>
#include <stdexcept>
#include <type_traits>

namespace KokkosContract::Test {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;
using Matrices = Kokkos::View<double***, Kokkos::LayoutRight>;
using Vectors = Kokkos::View<double**, Kokkos::LayoutRight>;
using None = Trans::NoTranspose;
using Product = TeamContract<"bik,bkj->bij">;
using Kokkos::ALL;

/// Bytes of scratch memory that Kokkos gives a block of an H200.
constexpr double gpu_room = 40928;

/// Of calls that multiply matrices of n rows and factor the result.
constexpr Impl::Demand product_and_factors(int n, int lanes) {
  Impl::Demand all{};
  all.batch = true;
  all.bytes = 24.0 * n * n;
  all.staged = 16.0 * n * n;
  all.lanes = lanes;
  all.rows = n;
  return all;
}

/// The problems of a GPU's team that multiplies and factors matrices of n rows, with so much of the
/// user's scratch memory for each.
constexpr int pipeline_problems(int n, double scratch) {
  Impl::Demand all = product_and_factors(n, 4);
  all.reads.in_place = true;
  all.scratch = scratch;
  return Impl::gpu_shape(all, true, false, false, gpu_room, 32).problems;
}
static_assert(pipeline_problems(4, 256) == 32 && pipeline_problems(8, 700) == 12);
static_assert(pipeline_problems(16, 2800) == 8 && pipeline_problems(32, 9500) == 4);
// What they have in scratch memory has to fit, and more than 32 rows are no such pipeline.
static_assert(pipeline_problems(32, 19000) == 2 && pipeline_problems(32, 100000) == 1);
static_assert(pipeline_problems(100, 0) == 1 && pipeline_problems(0, 0) >= 1);

/// The threads of a GPU's team that factors one matrix of n rows, or one of a batch, and multiplies
/// others.
constexpr int threads_of_factors(int n, bool batch) {
  Impl::Demand all = product_and_factors(n, 32);
  all.batch = batch;
  return Impl::gpu_shape(all, true, false, false, gpu_room, 32).threads;
}
static_assert(threads_of_factors(27, false) == 32 && threads_of_factors(64, false) == 128);
static_assert(threads_of_factors(64, true) == 128);

/// The threads of a GPU's team for one small product, whose algorithm needs so many.
constexpr int threads_of_product(int least) {
  Impl::Demand all{};
  all.batch = true;
  all.staged = 16384;
  all.reads.least_workers = least;
  return Impl::gpu_shape(all, true, false, false, gpu_room, 32).threads;
}
static_assert(threads_of_product(1) == 64 && threads_of_product(128) == 128);

/// The problems of a GPU's team for a product in place, with so many bytes of inputs that all
/// problems share for each byte of a problem's own, and so much scratch memory.
constexpr int problems_with_shared(double shared, double scratch) {
  Impl::Demand all{};
  all.batch = true;
  all.staged = 8192;
  all.own = 8192;
  all.shared = shared * all.own;
  all.scratch = scratch;
  all.reads.in_place = true;
  return Impl::gpu_shape(all, true, false, false, gpu_room, 32).problems;
}
static_assert(problems_with_shared(0, 0) == 2 && problems_with_shared(1, 0) == 2);
static_assert(problems_with_shared(5, 0) == 5 && problems_with_shared(100, 0) == 8);
static_assert(problems_with_shared(100, 0.4 * gpu_room) == 2);

/// Whether what a GPU's team has in scratch memory fits, for matrices of n rows and their
/// right-hand sides: of kernels that factor and solve, that copy the inputs of a product too, and
/// that give each thread a problem of its own.
constexpr bool fits(int n) {
  Impl::Demand all{};
  all.batch = true;
  all.bytes = 8.0 * n * n;
  all.lanes = 4;
  all.rows = n;
  all.scratch = 8.0 * n * (n + 2);
  bool all_fit = true;
  for (const bool has_product : {false, true}) {
    for (const bool is_collective : {false, true}) {
      all.staged = has_product ? all.bytes : 0;
      all.reads.block_stage = has_product && is_collective ? Impl::stage_bytes : 0;
      const int problems =
          Impl::gpu_shape(all, is_collective, !is_collective, false, gpu_room, 32).problems;
      const double copies = has_product && is_collective ? Impl::stage_bytes : 0;
      all_fit = all_fit && (problems == 1 || problems * all.scratch + copies <= gpu_room);
    }
  }
  return all_fit;
}
static_assert(fits(4) && fits(8) && fits(16) && fits(24) && fits(32) && fits(48));

/// How many of the problems are not met exactly once, the threads of a team sharing theirs.
int badly_met(const TeamPlan<Space>& plan) {
  const TeamProblems all = plan;
  const Kokkos::View<int*> met("met", all.problems);
  Kokkos::parallel_for(
      plan.policy, KOKKOS_LAMBDA(const Member& member) {
        const auto mine = problems_of(member, all);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, mine.first, mine.second), [&](int p) {
          Kokkos::single(Kokkos::PerThread(member), [&] { Kokkos::atomic_inc(&met(p)); });
        });
      });
  int wrong = 0;
  Kokkos::parallel_reduce(
      all.problems, KOKKOS_LAMBDA(int p, int& sum) { sum += met(p) != 1; }, wrong);
  return wrong;
}

TEST(TeamPolicy, ScratchMemoryIsThatOfTheSpace) {
  // A matrix and its factors in scratch memory: what the plan asks for can be launched.
  const Space exec;
  for (const int n : {4, 16, 32, 48}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const Kokkos::View<double***> A("A", 1000, n, n);
    const Kokkos::View<double**> b("b", 1000, n);
    const user_scratch own{64, 0, sizeof(double) * n * (n + 1)};
    const auto plan = team_policy(exec, 1000, uses<TeamPotrf<Member, Uplo::Lower>>(A),
                                  uses<TeamPotrs<Member, Uplo::Lower>>(A, b), own);
    EXPECT_LE(plan.policy.scratch_size(0), Kokkos::TeamPolicy<Space>::scratch_size_max(0));
    EXPECT_EQ(badly_met(plan), 0);
  }
  const Kokkos::View<double***> A("A", 10, 4, 4);
  const user_scratch too_much{0, 0, 1 << 20};
  EXPECT_THROW(team_policy(exec, 10, uses<TeamLU<Member>>(A), too_much), std::invalid_argument);
}

TEST(TeamPolicy, EachProblemIsMetOnce) {
  const Space exec;
  for (const int problems : {0, 1, 3, 4, 127, 1000}) {
    for (const int n : {1, 2, 5, 8, 16, 33}) {
      SCOPED_TRACE(std::to_string(problems) + " problems, n = " + std::to_string(n));
      const Matrices a("a", problems, n, n);
      const Vectors x("x", problems, n);
      EXPECT_EQ(badly_met(team_policy<Product>(exec, problems, a, a, a)), 0);
      EXPECT_EQ(badly_met(team_policy<VectorContract<"ik,kj->ij">>(exec, problems, a, a, a)), 0);
      EXPECT_EQ(badly_met(team_policy<SerialGemm<None, None>>(exec, problems, a, a, a)), 0);
      EXPECT_EQ(badly_met(team_policy<TeamVectorLU<Member>>(exec, problems, a)), 0);
      EXPECT_EQ(badly_met(team_policy(
                    exec, problems, uses<Product>(a, a, a), uses<TeamLU<Member>>(a),
                    uses<TeamTrsv<Member, Uplo::Lower, None, Diag::Unit>>(a, x),
                    uses<TeamTrsm<Member, Side::Left, Uplo::Upper, None, Diag::NonUnit>>(a, a),
                    uses<TeamGemv<Member, None>>(a, x, x), uses<TeamReshape<"bij->bji">>(a, a))),
                0);
      const Kokkos::View<int**> ipiv("ipiv", problems, n);
      EXPECT_EQ(badly_met(team_policy(
                    exec, problems, uses<TeamPbtrf<Member, Uplo::Lower>>(a),
                    uses<TeamPbtrs<Member, Uplo::Lower>>(a, x), uses<TeamGbtrf<Member>>(a, ipiv),
                    uses<TeamGbtrs<Member, None>>(a, ipiv, x), uses<TeamPttrf<Member>>(x, x),
                    uses<TeamPttrs<Member, Uplo::Lower>>(x, x, a),
                    uses<TeamTbsv<Member, Uplo::Lower, None, Diag::Unit>>(a, x))),
                0);
      const Vectors work("work", problems, n * n);
      EXPECT_EQ(
          badly_met(team_policy(
              exec, problems, uses<TeamGetrf<Member>>(a, ipiv),
              uses<TeamGetrs<Member, None>>(a, ipiv, x), uses<TeamGesv<Member>>(a, ipiv, a),
              uses<TeamPotrf<Member, Uplo::Lower>>(a), uses<TeamPotrs<Member, Uplo::Lower>>(a, x),
              uses<TeamGeqrf<Member>>(a, x), uses<TeamOrmqr<Member, Side::Left, None>>(a, x, a),
              uses<TeamGels<Member>>(a, x, x), uses<TeamInverseLU<Member>>(a, work),
              uses<TeamTrtri<Member, Uplo::Upper, Diag::NonUnit>>(a),
              uses<TeamTrmm<Member, Side::Left, Uplo::Lower, None, Diag::Unit>>(a, a))),
          0);
    }
  }
}

TEST(TeamPolicy, WhatATeamGets) {
  const Space exec;
  const Matrices a("a", 100000, 4, 4);
  const auto plan = team_policy<Product>(exec, 100000, a, a, a);
  EXPECT_GT(plan.problems_per_team, 1);
  EXPECT_EQ(plan.policy.league_size(),
            (100000 + plan.problems_per_team - 1) / plan.problems_per_team);
  const auto [policy, problems_per_team] = plan;
  EXPECT_EQ(policy.league_size(), plan.policy.league_size());
  EXPECT_EQ(problems_per_team, plan.problems_per_team);

  // A matrix that all problems share is not a batch of them.
  const Kokkos::View<double**, Kokkos::LayoutRight> b("b", 4, 4);
  EXPECT_GT(
      (team_policy<TeamGemm<Member, None, None>>(exec, 100000, a, shared(b), a).problems_per_team),
      1);
  // A host's team takes so many problems that packing a large one pays.
  const Kokkos::View<double**, Kokkos::LayoutRight> large("large", 64, 64);
  const Matrices rows("rows", 1000, 4, 64);
  EXPECT_GT((team_policy<TeamGemm<Member, None, None>>(exec, 1000, rows, shared(large), rows)
                 .problems_per_team),
            Impl::is_gpu<Space> ? 0 : 10);
  // A team cannot take several problems in a call for one.
  EXPECT_EQ((team_policy<TeamGemm<Member, None, None>>(exec, 100000, b, b, b).problems_per_team),
            1);
  EXPECT_EQ(
      team_policy(exec, 100000, uses<Product>(a, a, a), uses<TeamLU<Member>>(b)).problems_per_team,
      1);
}

/// Right-hand sides are vectors or matrices, by the rank of the factors.
TEST(TeamPolicy, RightHandSides) {
  const Space exec;
  const int problems = 100000;
  const Matrices a("a", problems, 8, 8);
  const Vectors x("x", problems, 8);
  const Kokkos::View<int**> ipiv("ipiv", problems, 8);
  const Kokkos::View<double**, Kokkos::LayoutRight> one("one", 8, 8);
  const Kokkos::View<int*> its("its", 8);
  using Solve = TeamGetrs<Member, None>;
  const int several = team_policy<Solve>(exec, problems, a, ipiv, x).problems_per_team;
  EXPECT_GT(several, 1);
  EXPECT_GT(team_policy<Solve>(exec, problems, a, ipiv, a).problems_per_team, 1);
  EXPECT_GT(team_policy<Solve>(exec, problems, shared(one), shared(its), x).problems_per_team, 1);
  EXPECT_GT(team_policy<Solve>(exec, problems, shared(one), shared(its), a).problems_per_team, 1);
  // One matrix, and as many right-hand sides: a team cannot take several problems.
  EXPECT_EQ(team_policy<Solve>(exec, problems, one, its, one).problems_per_team, 1);
  EXPECT_THROW(team_policy<Solve>(exec, problems - 1, a, ipiv, x), std::invalid_argument);
}

struct Nothing {
  KOKKOS_FUNCTION void operator()(const Member&) const {}
};

TEST(TeamPolicy, ForFunctor) {
  const Matrices a("a", 1000, 8, 8);
  const auto plan = team_policy<Product>(Space(), 1000, a, a, a);
  const auto clamped = plan.for_functor(Nothing());
  EXPECT_LE(clamped.policy.team_size(),
            clamped.policy.team_size_max(Nothing(), Kokkos::ParallelForTag()));
  EXPECT_EQ(clamped.problems_per_team, plan.problems_per_team);
  EXPECT_EQ(badly_met(clamped), 0);
}

TEST(TeamPolicy, BadArguments) {
  const Space exec;
  const Matrices a("a", 10, 8, 8);
  EXPECT_THROW(team_policy<Product>(exec, 9, a, a, a), std::invalid_argument);
  EXPECT_THROW(team_policy<Product>(exec, -1, a, a, a), std::invalid_argument);
}

/// The worst residual of A B x = f, by the kernel that the documentation shows.
double pipeline_residual(int problems) {
  constexpr int n = 6;
  const Kokkos::View<double* [n][n], Kokkos::LayoutRight> a("a", problems), b("b", problems);
  const Kokkos::View<double* [n], Kokkos::LayoutRight> x("x", problems);
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(int p) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            a(p, i, j) = i == j ? 8 + p % 3 : 1.0 / (1 + i + 2 * j);
            b(p, i, j) = i == j ? 9 : 1.0 / (2 + 3 * i + j);
          }
          x(p, i) = i + p;
        }
      });
  using Lower = TeamTrsv<Member, Uplo::Lower, None, Diag::Unit>;
  using Upper = TeamTrsv<Member, Uplo::Upper, None, Diag::NonUnit>;
  const auto plan = team_policy(Space(), problems, uses<Product>(a, b, a),
                                user_scratch{0, 0, scratch_matrices_bytes<double, n, n>(1)},
                                uses<TeamLU<Member>>(a), uses<Lower>(a, x), uses<Upper>(a, x));
  const TeamProblems all = plan;
  Kokkos::parallel_for(
      plan.policy, KOKKOS_LAMBDA(const Member& member) {
        const auto mine = problems_of(member, all);
        const auto c =
            scratch_matrices<double, n, n>(member.team_scratch(0), mine.second - mine.first);
        const auto x_t = Kokkos::subview(x, mine, ALL);
        require_success(Product::invoke(member, 1.0, Kokkos::subview(a, mine, ALL, ALL),
                                        Kokkos::subview(b, mine, ALL, ALL), 0.0, c));
        require_success(TeamLU<Member>::invoke(member, c));
        require_success(Lower::invoke(member, 1.0, c, x_t));
        require_success(Upper::invoke(member, 1.0, c, x_t));
      });
  double worst = 0;
  Kokkos::parallel_reduce(
      problems,
      KOKKOS_LAMBDA(int p, double& most) {
        for (int i = 0; i < n; ++i) {
          double sum = -(i + p);
          for (int k = 0; k < n; ++k) {
            double y = 0;
            for (int j = 0; j < n; ++j) y += b(p, k, j) * x(p, j);
            sum += a(p, i, k) * y;
          }
          const double error = Kokkos::abs(sum) / (1 + p);
          if (!(error <= most)) most = error;
        }
      },
      Kokkos::Max<double>(worst));
  return worst;
}

TEST(TeamPolicy, Pipeline) {
  EXPECT_LT(pipeline_residual(1), 1e-13);
  EXPECT_LT(pipeline_residual(1003), 1e-13);
}

/// D = A B C for each problem; counts the calls that fail for lack of scratch memory.
template <bool Team>
struct ChainKernel {
  using Op =
      std::conditional_t<Team, TeamContract<"pij,pjk,pkl->pil">, VectorContract<"ij,jk,kl->il">>;
  Matrices a, b, c, d;
  Kokkos::View<int> failed;
  TeamProblems all;

  template <class Scratch, class Range>
  KOKKOS_FUNCTION void multiply(const Member& member, const Scratch& scratch,
                                const Range& range) const {
    const auto part = [&](const Matrices& m) { return Kokkos::subview(m, range, ALL, ALL); };
    const int info = Op::invoke(member, scratch, 1.0, part(a), part(b), part(c), 0.0, part(d));
    if (info != 0) Kokkos::atomic_inc(&failed());
  }
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto mine = problems_of(member, all);
    if constexpr (Team) {
      multiply(member, member.team_scratch(0), mine);
    } else {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, mine.first, mine.second),
                           [&](int p) { multiply(member, member.thread_scratch(0), p); });
    }
  }
};

/// How many calls fail, and elements are wrong.
template <bool Team>
int wrong_chains(int problems, int n) {
  const Matrices a("a", problems, n, n), d("d", problems, n, n);
  Kokkos::deep_copy(a, 2);
  ChainKernel<Team> kernel{a, a, a, d, Kokkos::View<int>("failed"), {}};
  using Op = typename ChainKernel<Team>::Op;
  const auto plan = [&] {
    if constexpr (Team) {
      return team_policy<Op>(Space(), problems, a, a, a, d);
    } else {
      const auto one = Kokkos::subview(a, 0, ALL, ALL);
      return team_policy<Op>(Space(), problems, one, one, one, one);
    }
  }();
  kernel.all = plan;
  Kokkos::parallel_for(plan.policy, kernel);
  int wrong = 0;
  Kokkos::parallel_reduce(
      problems,
      KOKKOS_LAMBDA(int p, int& sum) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) sum += d(p, i, j) != 8.0 * n * n;
        }
      },
      wrong);
  int failed = 0;
  Kokkos::deep_copy(failed, kernel.failed);
  return wrong + failed;
}

TEST(TeamPolicy, ScratchOfChains) {
  EXPECT_EQ(wrong_chains<true>(100, 5), 0);
  EXPECT_EQ(wrong_chains<true>(3, 7), 0);
  EXPECT_EQ(wrong_chains<false>(100, 5), 0);
}

/// A mass matrix of two dimensions for each problem, with 1-D matrices that all problems share.
struct ActionKernel {
  static constexpr int nodes = 3;
  static constexpr int points = 4;
  using Op = TeamContract<"eab,yb,xa,exy,xi,yj->eij">;
  using Nodes = Kokkos::View<double* [nodes][nodes], Kokkos::LayoutRight>;
  Tile<double, points, nodes> b;
  Nodes v, u;
  Kokkos::View<double* [points][points], Kokkos::LayoutRight> d;
  Kokkos::View<int> failed;
  TeamProblems all;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto mine = problems_of(member, all);
    const auto part = [&](const auto& m) { return Kokkos::subview(m, mine, ALL, ALL); };
    const int info =
        Op::invoke(member, member.team_scratch(0), 1.0, part(v), b, b, part(d), b, b, 0.0, part(u));
    if (info != 0) Kokkos::atomic_inc(&failed());
  }
};

int wrong_actions(int problems) {
  ActionKernel kernel{};
  for (int q = 0; q < ActionKernel::points; ++q) {
    for (int i = 0; i < ActionKernel::nodes; ++i) kernel.b(q, i) = 0.5;
  }
  kernel.v = ActionKernel::Nodes("v", problems);
  kernel.u = ActionKernel::Nodes("u", problems);
  kernel.d = decltype(kernel.d)("d", problems);
  kernel.failed = Kokkos::View<int>("failed");
  Kokkos::deep_copy(kernel.v, 1);
  Kokkos::deep_copy(kernel.d, 2);
  const auto b = shared(kernel.b);
  const auto plan =
      team_policy<ActionKernel::Op>(Space(), problems, kernel.v, b, b, kernel.d, b, b, kernel.u);
  if (Impl::is_gpu<Space>) {
    // Of four lines each, in a block of 128 threads.
    EXPECT_EQ(plan.problems_per_team, 128 / ActionKernel::points);
  }
  kernel.all = plan;
  Kokkos::parallel_for(plan.policy, kernel);
  const auto u = kernel.u;
  int wrong = 0;
  Kokkos::parallel_reduce(
      problems,
      KOKKOS_LAMBDA(int p, int& sum) {
        for (int i = 0; i < ActionKernel::nodes; ++i) {
          // 9 nodes to a point and 16 points to a node, a quarter each.
          for (int j = 0; j < ActionKernel::nodes; ++j) sum += u(p, i, j) != 2.25 * 2 * 4;
        }
      },
      wrong);
  int failed = 0;
  Kokkos::deep_copy(failed, kernel.failed);
  return wrong + failed;
}

TEST(TeamPolicy, ChainsWithSharedMatrices) {
  EXPECT_EQ(wrong_actions(100), 0);
  EXPECT_EQ(wrong_actions(3), 0);
}

/// A functor and a kept tensor between the operands: what points have is doubled, and kept.
struct Twice {
  template <class... I>
  KOKKOS_FUNCTION double operator()(double value, I...) const {
    return 2 * value;
  }
};
struct ComposedKernel {
  static constexpr int nodes = 3;
  static constexpr int points = 4;
  using Op = TeamContract<"eab,yb,xa,xi,yj->eij">;
  using Nodes = Kokkos::View<double* [nodes][nodes], Kokkos::LayoutRight>;
  using Points = Kokkos::View<double* [points][points], Kokkos::LayoutRight>;
  Tile<double, points, nodes> b;
  Nodes v, u;
  Points kept;
  Kokkos::View<int> failed;
  TeamProblems all;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto mine = problems_of(member, all);
    const auto part = [&](const auto& m) { return Kokkos::subview(m, mine, ALL, ALL); };
    const int info =
        Op::invoke(member, member.team_scratch(0), 1.0, part(v), b, b, pointwise<"exy">(Twice{}),
                   keep<"exy">(part(kept)), b, b, 0.0, part(u));
    if (info != 0) Kokkos::atomic_inc(&failed());
  }
};

int wrong_composed(int problems) {
  ComposedKernel kernel{};
  for (int q = 0; q < ComposedKernel::points; ++q) {
    for (int i = 0; i < ComposedKernel::nodes; ++i) kernel.b(q, i) = 0.5;
  }
  kernel.v = ComposedKernel::Nodes("v", problems);
  kernel.u = ComposedKernel::Nodes("u", problems);
  kernel.kept = ComposedKernel::Points("kept", problems);
  kernel.failed = Kokkos::View<int>("failed");
  Kokkos::deep_copy(kernel.v, 1);
  const auto b = shared(kernel.b);
  using Op = ComposedKernel::Op;
  const auto plan = team_policy(Space(), problems,
                                uses<Op>(kernel.v, b, b, pointwise<"exy">(Twice{}),
                                         keep<"exy">(kernel.kept), b, b, kernel.u));
  kernel.all = plan;
  Kokkos::parallel_for(plan.policy, kernel);
  const auto u = kernel.u;
  const auto kept = kernel.kept;
  int wrong = 0;
  Kokkos::parallel_reduce(
      problems,
      KOKKOS_LAMBDA(int p, int& sum) {
        // 9 nodes to a point, a quarter each; twice that; 16 points to a node, a quarter each.
        for (int i = 0; i < ComposedKernel::points; ++i) {
          for (int j = 0; j < ComposedKernel::points; ++j) sum += kept(p, i, j) != 4.5;
        }
        for (int i = 0; i < ComposedKernel::nodes; ++i) {
          for (int j = 0; j < ComposedKernel::nodes; ++j) sum += u(p, i, j) != 18;
        }
      },
      wrong);
  int failed = 0;
  Kokkos::deep_copy(failed, kernel.failed);
  return wrong + failed;
}

TEST(TeamPolicy, FunctorsAndKeptTensors) {
  EXPECT_EQ(wrong_composed(100), 0);
  EXPECT_EQ(wrong_composed(3), 0);
  // One input with a functor needs scratch memory too; the short form takes functors as well.
  const Matrices a("a", 50, 6, 6);
  const Vectors v("v", 50, 6);
  using Sums = TeamContract<"pi+j->pi">;
  const auto plan = team_policy<Sums>(Space(), 50, a, pointwise<"pij">(Twice{}), v);
  EXPECT_GE(static_cast<std::size_t>(plan.policy.scratch_size(0)),
            Sums::scratch_bytes(a, pointwise<"pij">(Twice{}), v) / 50 *
                static_cast<std::size_t>(plan.problems_per_team));
  EXPECT_GT(plan.policy.scratch_size(0), 0);
}

/// Operands of all problems, where the string has no letter for them, count as those of one.
TEST(TeamPolicy, ProblemsWithoutALetter) {
  const Matrices a("a", 40, 5, 7), b("b", 40, 7, 9), c("c", 40, 9, 3), d("d", 40, 5, 3);
  const auto first = [](const Matrices& m) { return Kokkos::subview(m, 0, ALL, ALL); };
  using Op = VectorContract<"ij,jk,kl->il">;
  const auto all = team_policy<Op>(Space(), 40, a, b, c, d);
  const auto one = team_policy<Op>(Space(), 40, first(a), first(b), first(c), first(d));
  EXPECT_EQ(all.policy.scratch_size(0), one.policy.scratch_size(0));
  EXPECT_EQ(all.policy.scratch_size(0, 0), one.policy.scratch_size(0, 0));
  EXPECT_NO_THROW(team_policy<Op>(Space(), 0, Matrices("a", 0, 5, 7), Matrices("b", 0, 7, 9),
                                  Matrices("c", 0, 9, 3), Matrices("d", 0, 5, 3)));
}

}  // namespace
}  // namespace KokkosContract::Test
