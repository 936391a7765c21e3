// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that follow each other without barriers of the user's: each reads or overwrites what the
// one before wrote or read.
#include <gtest/gtest.h>

#include <KokkosContract.hpp>

#include "ContractOp.hpp"
#include "Triangular.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class Compose : public testing::Test {};
TYPED_TEST_SUITE(Compose, Levels, LevelNames);

template <class Space>
using Matrix = view_t<double, 2, Kokkos::LayoutStride, Space>;
template <class Space>
using Column = view_t<double, 1, Kokkos::LayoutStride, Space>;

/// first = a b; a = first b; second = a b: a is read, then overwritten, then read again.
template <class Space>
struct Chain {
  Problems<Matrix<Space>> a, b, first, second;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int p) const {
    using Product = ContractOp<"ik,kj->ij">;
    int code = Product::call(level, 1., a(p), b(p), 0., first(p));
    code += Product::call(level, 1., first(p), b(p), 0., a(p));
    return code + Product::call(level, 1., a(p), b(p), 0., second(p));
  }
};

TYPED_TEST(Compose, Products) {
  using Space = typename TypeParam::space;
  Random random;
  const int n = 9, problems = 3;
  const auto make = [&] {
    return StridedTensor<double, Space>(random, {n, n}, Arrangement::strided, problems);
  };
  auto a = make(), b = make(), first = make(), second = make();
  const Chain<Space> functor{a.template views<Matrix<Space>>(), b.template views<Matrix<Space>>(),
                             first.template views<Matrix<Space>>(),
                             second.template views<Matrix<Space>>()};
  std::vector<Dense<long double>> start;
  for (int p = 0; p < problems; ++p) start.push_back(a.dense(p));
  const auto restore = [&] {
    a.restore();
    first.restore();
    second.restore();
  };
  const std::vector<Watched> watched{a.watched(), first.watched(), second.watched()};
  const auto is_product = [&](const Dense<long double>& x, const Dense<long double>& y,
                              const Dense<long double>& product) {
    const auto sums = sum_products<long double>("ik,kj->ij", {x, y});
    return within_bounds(product, expect<double, double>(sums, 2, 1.L, 0.L, product));
  };
  for (const Configuration& configuration : TypeParam::configurations()) {
    SCOPED_TRACE(configuration.text());
    restore();
    const auto codes = TypeParam::launch(configuration, problems, functor, watched);
    if (codes.empty()) continue;
    a.download();
    first.download();
    second.download();
    for (int p = 0; p < problems; ++p) {
      EXPECT_EQ(codes[p], 0);
      EXPECT_TRUE(is_product(start[p], b.dense(p), first.dense(p)));
      EXPECT_TRUE(is_product(first.dense(p), b.dense(p), a.dense(p)));
      EXPECT_TRUE(is_product(a.dense(p), b.dense(p), second.dense(p)));
    }
  }
  if constexpr (std::is_same_v<TypeParam, Threads>)
    check_barriers(functor, watched, restore, false);
}

/// The pipeline of the manual: matrix = a b; L U = matrix; x = U^-1 L^-1 x.
template <class Space>
struct Solve {
  Problems<Matrix<Space>> a, b, matrix;
  Problems<Column<Space>> x;

  template <class M>
  using Lower = TeamTrsv<M, Uplo::Lower, Trans::NoTranspose, Diag::Unit, Algo::Trsv::Default>;
  template <class M>
  using Upper = TeamTrsv<M, Uplo::Upper, Trans::NoTranspose, Diag::NonUnit, Algo::Trsv::Default>;

  template <class Member>
  KOKKOS_FUNCTION int operator()(const TeamCaller<Member>& level, int p) const {
    const Member& member = level.member;
    using N = Trans::NoTranspose;
    int code =
        TeamGemm<Member, N, N, Algo::Gemm::Default>::invoke(member, 1., a(p), b(p), 0., matrix(p));
    code += TeamLU<Member, Algo::LU::Default>::invoke(member, matrix(p));
    code += Lower<Member>::invoke(member, 1., matrix(p), x(p));
    return code + Upper<Member>::invoke(member, 1., matrix(p), x(p));
  }
  KOKKOS_FUNCTION int operator()(const SerialCaller&, int p) const {
    using N = Trans::NoTranspose;
    int code = SerialGemm<N, N>::invoke(1., a(p), b(p), 0., matrix(p));
    code += SerialLU<>::invoke(matrix(p));
    code += SerialTrsv<Uplo::Lower, N, Diag::Unit>::invoke(1., matrix(p), x(p));
    return code + SerialTrsv<Uplo::Upper, N, Diag::NonUnit>::invoke(1., matrix(p), x(p));
  }
  int operator()(const ThreadLevel& level, int p) const {
    namespace Engine = KokkosContract::Impl;
    using N = Trans::NoTranspose;
    int code = Engine::GemmRoutine<N, N>::run(level, 1., a(p), b(p), 0., matrix(p));
    code += Engine::LURoutine::run(level, matrix(p));
    code += Engine::TrsvRoutine<Uplo::Lower, N, Diag::Unit>::run(level, 1., matrix(p), x(p));
    return code +
           Engine::TrsvRoutine<Uplo::Upper, N, Diag::NonUnit>::run(level, 1., matrix(p), x(p));
  }
};

template <class Level>
class ComposeSolve : public testing::Test {};
#ifdef KOKKOSCONTRACT_TEST_TSAN
using SolveLevels = testing::Types<Threads>;
#else
using SolveLevels = testing::Types<Serial, Team, Threads>;
#endif
TYPED_TEST_SUITE(ComposeSolve, SolveLevels, LevelNames);

// Higham, theorem 9.4: (L U + E) x = b with |E| <= gamma_3n |L| |U|.
TYPED_TEST(ComposeSolve, GemmLUTrsv) {
  using Space = typename TypeParam::space;
  Random random;
  const int n = 10, problems = 3;
  const auto make = [&](std::vector<int> extents) {
    return StridedTensor<double, Space>(random, std::move(extents), Arrangement::strided, problems);
  };
  auto a = make({n, n}), b = make({n, n}), matrix = make({n, n}), x = make({n});
  make_dominant(a, random);
  make_dominant(b, random);
  const Solve<Space> functor{a.template views<Matrix<Space>>(), b.template views<Matrix<Space>>(),
                             matrix.template views<Matrix<Space>>(),
                             x.template views<Column<Space>>()};
  std::vector<Dense<long double>> right;
  for (int p = 0; p < problems; ++p) right.push_back(x.dense(p));
  const std::vector<Watched> watched{matrix.watched(), x.watched()};
  const auto restore = [&] {
    matrix.restore();
    x.restore();
  };
  for (const Configuration& configuration : TypeParam::configurations()) {
    SCOPED_TRACE(configuration.text());
    restore();
    const auto codes = TypeParam::launch(configuration, problems, functor, watched);
    if (codes.empty()) continue;
    matrix.download();
    x.download();
    for (int p = 0; p < problems; ++p) {
      EXPECT_EQ(codes[p], 0);
      const auto lu = matrix.dense(p), solution = x.dense(p);
      const auto lower = triangle<Uplo::Lower, Diag::Unit>(lu);
      const auto upper = triangle<Uplo::Upper, Diag::NonUnit>(lu);
      const auto sums = sum_products<long double>("ij,jk,k->i", {lower, upper, solution});
      const long double g = gamma(3 * n + 6, unit_roundoff<double>());
      Expected<long double> expected{{n}, right[p].values, {}};
      for (const long double absolute : sums.absolute) expected.bound.push_back(g * absolute);
      EXPECT_TRUE(within_bounds(Dense<long double>{{n}, sums.value}, expected));
    }
  }
  if constexpr (std::is_same_v<TypeParam, Threads>)
    check_barriers(functor, watched, restore, false);
}

}  // namespace
}  // namespace KokkosContract::Test
