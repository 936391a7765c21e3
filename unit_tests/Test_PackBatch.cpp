// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routines of several workers on packs with static extents: on a GPU the lanes are a batch of
// problems that lie side by side.
#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <vector>

#include "Random.hpp"

namespace KokkosContract::Test {
namespace {

using None = Trans::NoTranspose;
using Member = Kokkos::TeamPolicy<>::member_type;
using Space = Kokkos::DefaultExecutionSpace::memory_space;

struct VectorRoutines {
  using LU = VectorLU<Member>;
  template <class Where, class Triangle, class Diagonal>
  using Trsm = VectorTrsm<Member, Where, Triangle, None, Diagonal>;
  using Trsv = VectorTrsv<Member, Uplo::Upper, None, Diag::NonUnit>;
  using SolveLU = VectorSolveLU<Member, None>;
  using Gemm = VectorGemm<Member, None, None>;
  using Gemv = VectorGemv<Member, Trans::Transpose>;
};
struct TeamRoutines {
  using LU = TeamLU<Member>;
  template <class Where, class Triangle, class Diagonal>
  using Trsm = TeamTrsm<Member, Where, Triangle, None, Diagonal>;
  using Trsv = TeamTrsv<Member, Uplo::Upper, None, Diag::NonUnit>;
  using SolveLU = TeamSolveLU<Member, None>;
  using Gemm = TeamGemm<Member, None, None>;
  using Gemv = TeamGemv<Member, Trans::Transpose>;
};
struct TeamVectorRoutines {
  using LU = TeamVectorLU<Member>;
  template <class Where, class Triangle, class Diagonal>
  using Trsm = TeamVectorTrsm<Member, Where, Triangle, None, Diagonal>;
  using Trsv = TeamVectorTrsv<Member, Uplo::Upper, None, Diag::NonUnit>;
  using SolveLU = TeamVectorSolveLU<Member, None>;
  using Gemm = TeamVectorGemm<Member, None, None>;
  using Gemv = TeamVectorGemv<Member, Trans::Transpose>;
};

/// N x N matrices and N x 2 ones, a pack of each; S is one for all lanes.
template <int N, int L>
struct Blocks {
  template <int Columns>
  using Matrix = Kokkos::View<Pack<double, L>[N][Columns], Kokkos::LayoutRight, Space>;
  using Vector = Kokkos::View<Pack<double, L>[N], Kokkos::LayoutRight, Space>;

  Matrix<N> A{"A"}, B{"B"}, C{"C"};
  Matrix<2> D{"D"};
  Vector x{"x"}, y{"y"}, z{"z"};
  Kokkos::View<double[N][N], Space> S{"S"};
  Kokkos::View<int[L], Space> info{"info"};

  template <class F>
  void for_views(const F& f) const {
    f(A), f(B), f(C), f(D), f(x), f(y), f(z), f(S);
  }
};

template <class Routines, int N, int L>
struct Step {
  Blocks<N, L> b;

  KOKKOS_FUNCTION void operator()(const Member& team, int& code) const {
    using Lower = typename Routines::template Trsm<Side::Left, Uplo::Lower, Diag::Unit>;
    using Upper = typename Routines::template Trsm<Side::Right, Uplo::Upper, Diag::NonUnit>;
    int result = Routines::LU::invoke(team, b.A, b.info);
    int failures = Lower::invoke(team, 2.0, b.A, b.B);
    failures += Lower::invoke(team, 1.0, b.A, b.D);
    failures += Upper::invoke(team, 1.0, b.A, b.C);
    failures += Routines::Gemm::invoke(team, -1.0, b.C, b.B, 1.0, b.A);
    failures += Routines::Gemv::invoke(team, 2.0, b.S, b.x, 0.0, b.y);
    failures += Routines::Trsv::invoke(team, 1.0, b.B, b.x);
    failures += Routines::SolveLU::invoke(team, b.B, b.z);
    if (failures != 0) result = -100;
    Kokkos::single(Kokkos::PerTeam(team), [&] { code += result; });
  }
};

/// The results by definition, for the scalars of one lane.
template <int N>
struct Scalars {
  double A[N][N], B[N][N], C[N][N], D[N][2], x[N], y[N], z[N], S[N][N];

  int run() {
    int zero = 0;
    for (int p = 0; p < N; ++p) {
      if (A[p][p] == 0 && zero == 0) zero = p + 1;
      for (int i = p + 1; i < N; ++i) {
        if (A[p][p] != 0) A[i][p] /= A[p][p];
        for (int j = p + 1; j < N; ++j) A[i][j] -= A[i][p] * A[p][j];
      }
    }
    const auto solve_lower = [&](auto& X, int columns, double alpha) {
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < N; ++i) {
          X[i][j] *= alpha;
          for (int p = 0; p < i; ++p) X[i][j] -= A[i][p] * X[p][j];
        }
    };
    solve_lower(B, N, 2.0);
    solve_lower(D, 2, 1.0);
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        for (int p = 0; p < j; ++p) C[i][j] -= C[i][p] * A[p][j];
        C[i][j] /= A[j][j];
      }
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        for (int k = 0; k < N; ++k) A[i][j] -= C[i][k] * B[k][j];
    for (int i = 0; i < N; ++i) {
      y[i] = 0;
      for (int k = 0; k < N; ++k) y[i] += 2 * S[k][i] * x[k];
    }
    const auto solve_upper = [&](double (&v)[N]) {
      for (int i = N - 1; i >= 0; --i) {
        for (int p = i + 1; p < N; ++p) v[i] -= B[i][p] * v[p];
        v[i] /= B[i][i];
      }
    };
    solve_upper(x);
    for (int i = 0; i < N; ++i)
      for (int p = 0; p < i; ++p) z[i] -= B[i][p] * z[p];
    solve_upper(z);
    return zero;
  }
};

/// Numbers of order 1 / N, and diagonals of order 1, so that nothing grows; zero in the first row
/// and column of A in lane `singular`.
template <int N, int L>
void fill(const Blocks<N, L>& blocks, Random& random, int singular) {
  blocks.for_views([&](const auto& view) {
    const auto host = Kokkos::create_mirror_view(view);
    double* const element = reinterpret_cast<double*>(host.data());
    const int count = static_cast<int>(host.span() * sizeof(host.data()[0]) / sizeof(double));
    for (int i = 0; i < count; ++i) element[i] = random.number<double>() / N;
    Kokkos::deep_copy(view, host);
  });
  const auto set_diagonal = [&](const auto& view, int without) {
    const auto host = Kokkos::create_mirror_view(view);
    Kokkos::deep_copy(host, view);
    for (int i = 0; i < N; ++i) {
      for (int l = 0; l < L; ++l) host(i, i)[l] = 2 + 0.1 * random.number<double>();
      if (without >= 0) host(i, 0)[without] = host(0, i)[without] = 0;
    }
    Kokkos::deep_copy(view, host);
  };
  set_diagonal(blocks.A, singular);
  set_diagonal(blocks.B, -1);
}

/// Lane l of the blocks.
template <int N, int L>
Scalars<N> lane_of(const Blocks<N, L>& blocks, int l) {
  Scalars<N> s{};
  const auto host = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  const auto A = host(blocks.A), B = host(blocks.B), C = host(blocks.C);
  const auto D = host(blocks.D);
  const auto x = host(blocks.x), y = host(blocks.y), z = host(blocks.z);
  const auto S = host(blocks.S);
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      s.A[i][j] = A(i, j)[l], s.B[i][j] = B(i, j)[l], s.C[i][j] = C(i, j)[l], s.S[i][j] = S(i, j);
    }
    for (int j = 0; j < 2; ++j) s.D[i][j] = D(i, j)[l];
    s.x[i] = x(i)[l], s.y[i] = y(i)[l], s.z[i] = z(i)[l];
  }
  return s;
}

template <class Routines, int N, int L>
void check(int threads, int vector_length, int singular = -1) {
  SCOPED_TRACE(testing::Message() << N << " rows, packs of " << L << ", " << threads
                                  << " threads x " << vector_length);
  Random random;
  const Blocks<N, L> blocks;
  fill(blocks, random, singular);
  std::vector<Scalars<N>> expected;
  int first_zero = 0;
  for (int l = 0; l < L; ++l) {
    expected.push_back(lane_of(blocks, l));
    const int zero = expected.back().run();
    if (first_zero == 0) first_zero = zero;
  }
  int code = 0;
  Kokkos::parallel_reduce(Kokkos::TeamPolicy<>(1, threads, vector_length),
                          Step<Routines, N, L>{blocks}, code);
  EXPECT_EQ(code, first_zero);
  const auto info = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), blocks.info);
  for (int l = 0; l < L; ++l) {
    EXPECT_EQ(info(l), l == singular ? 1 : 0);
    if (l == singular) continue;
    const Scalars<N> found = lane_of(blocks, l);
    const auto* const a = reinterpret_cast<const double*>(&found);
    const auto* const b = reinterpret_cast<const double*>(&expected[l]);
    for (int i = 0; i < static_cast<int>(sizeof(found) / sizeof(double)); ++i) {
      // Sums of N terms of order 1 / N, one after the other.
      ASSERT_NEAR(a[i], b[i], 1e-14 * (1 + std::abs(b[i]))) << "lane " << l << ", number " << i;
    }
  }
}

/// At Team, with a singular problem too.
template <int N, int L>
void check_team() {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  for (const int threads : {32, 48, 256}) check<TeamRoutines, N, L>(threads, 1);
  check<TeamRoutines, N, L>(64, 1, L - 1);
#endif
  check<TeamRoutines, N, L>(1, 1);
  check<TeamRoutines, N, L>(1, 1, L - 1);
}

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
constexpr int wide = 32, most_lanes = 32;
#else
constexpr int wide = 8, most_lanes = 1;
#endif

TEST(PackBatch, SmallBlocks) {
  check_team<1, wide>();
  check_team<3, wide>();
  check_team<4, 5>();
}
TEST(PackBatch, LargeBlocks) {
  check_team<8, wide>();
  check_team<9, 8>();
  check_team<19, 4>();
}
TEST(PackBatch, Levels) {
  for (const int lanes : {1, most_lanes}) {
    check<VectorRoutines, 7, wide>(1, lanes);
    check<TeamVectorRoutines, 7, wide>(1, lanes);
  }
}

}  // namespace
}  // namespace KokkosContract::Test
