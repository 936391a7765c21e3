// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Trsv.hpp>

#include "Triangular.hpp"

namespace KokkosContract::Test {
namespace {

template <class Triangle, class TransTag, class Diagonal>
struct TrsvForms {
  using Algorithm = Algo::Trsv::Default;
  using Serial = SerialTrsv<Triangle, TransTag, Diagonal, Algorithm>;
  template <class Member>
  using Vector = VectorTrsv<Member, Triangle, TransTag, Diagonal, Algorithm>;
  template <class Member>
  using Team = TeamTrsv<Member, Triangle, TransTag, Diagonal, Algorithm>;
  template <class Member>
  using TeamVector = TeamVectorTrsv<Member, Triangle, TransTag, Diagonal, Algorithm>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::TrsvRoutine<Triangle, TransTag, Diagonal>::run(level, args...);
  }
};

template <class Triangle, class TransTag, class Diagonal, bool Share = false>
struct TrsvOp {
  template <class Level, class Scalar, class A, class B>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar& alpha, const A& a,
                                  const Scalar&, const B& b) {
    using Op = PublicForms<TrsvForms<Triangle, TransTag, Diagonal>>;
    if constexpr (Share) {
      return Op::call(level, alpha, shared(a), b);
    } else {
      return Op::call(level, alpha, a, b);
    }
  }
};

using N = Trans::NoTranspose;
using T = Trans::Transpose;
using C = Trans::ConjTranspose;

template <class Level, class Scalar, class Layout, class Triangle, class TransTag, class Diagonal>
void check_trsv(Random& random) {
  using Space = typename Level::space;
  for (const int n : {0, 1, 2, 5, 8, 17, 33}) {
    check_solve<Level, TrsvOp<Triangle, TransTag, Diagonal>, Side::Left, Triangle, TransTag,
                Diagonal, view_t<Scalar, 1, Layout, Space>, view_t<const Scalar, 2, Layout, Space>>(
        random, {n}, true, false);
  }
}

template <class Level, class Scalar, class Layout, class TransTag>
void check_triangles(Random& random) {
  check_trsv<Level, Scalar, Layout, Uplo::Lower, TransTag, Diag::NonUnit>(random);
  check_trsv<Level, Scalar, Layout, Uplo::Lower, TransTag, Diag::Unit>(random);
  check_trsv<Level, Scalar, Layout, Uplo::Upper, TransTag, Diag::NonUnit>(random);
  check_trsv<Level, Scalar, Layout, Uplo::Upper, TransTag, Diag::Unit>(random);
}

template <class Level>
class TrsvAllLevels : public testing::Test {};
TYPED_TEST_SUITE(TrsvAllLevels, Levels, LevelNames);
template <class Level>
class Trsv : public testing::Test {};
TYPED_TEST_SUITE(Trsv, LaneLevels, LevelNames);

TYPED_TEST(TrsvAllLevels, Double) {
  Random random;
  using Layout = Kokkos::LayoutStride;
  check_trsv<TypeParam, double, Layout, Uplo::Lower, N, Diag::Unit>(random);
  check_trsv<TypeParam, double, Layout, Uplo::Upper, N, Diag::NonUnit>(random);
}

// On a GPU each lane of a warp has several rows.
TYPED_TEST(TrsvAllLevels, Large) {
  Random random;
  using Space = typename TypeParam::space;
  const auto check = [&]<class Triangle, class TransTag, class Diagonal, class Layout>(int n) {
    check_solve<TypeParam, TrsvOp<Triangle, TransTag, Diagonal>, Side::Left, Triangle, TransTag,
                Diagonal, view_t<double, 1, Kokkos::LayoutStride, Space>,
                view_t<const double, 2, Layout, Space>>(random, {n}, true, false);
  };
  for (const int n : {40, 64, 65, 100, 150, 260, 300}) {
    check.template operator()<Uplo::Lower, N, Diag::NonUnit, Kokkos::LayoutRight>(n);
    check.template operator()<Uplo::Upper, T, Diag::Unit, Kokkos::LayoutLeft>(n);
  }
}

TYPED_TEST(Trsv, Double) {
  Random random;
  check_triangles<TypeParam, double, Kokkos::LayoutStride, N>(random);
  check_triangles<TypeParam, double, Kokkos::LayoutStride, T>(random);
}

TYPED_TEST(Trsv, Layouts) {
  Random random;
  check_triangles<TypeParam, double, Kokkos::LayoutRight, N>(random);
  check_triangles<TypeParam, double, Kokkos::LayoutLeft, N>(random);
}

TYPED_TEST(TrsvAllLevels, OtherTypes) {
  Random random;
  check_triangles<TypeParam, float, Kokkos::LayoutRight, N>(random);
  check_triangles<TypeParam, Kokkos::complex<double>, Kokkos::LayoutStride, C>(random);
  check_triangles<TypeParam, Kokkos::complex<float>, Kokkos::LayoutRight, T>(random);
}

TYPED_TEST(Trsv, Batch) {
  Random random;
  using Space = typename TypeParam::space;
  using L = Uplo::Lower;
  using D = Diag::NonUnit;
  using B = view_t<double, 2, Kokkos::LayoutStride, Space>;
  using A = view_t<const double, 3, Kokkos::LayoutStride, Space>;
  using SharedA = view_t<const double, 2, Kokkos::LayoutStride, Space>;
  for (const int n : {2, 8, 9, 16, 23, 32, 33}) {
    check_solve<TypeParam, TrsvOp<L, N, D>, Side::Left, L, N, D, B, A>(random, {3, n}, true, false);
  }
  // Up to 32 static rows a GPU has them in registers.
  const auto check_static = [&]<int Rows, class Layout>(Layout, int problems = 5) {
    using Memory = typename Space::memory_space;
    using FixedB = Kokkos::View<double* [Rows], Layout, Memory, Unmanaged>;
    using FixedA = Kokkos::View<const double* [Rows][Rows], Layout, Memory, Unmanaged>;
    check_solve<TypeParam, TrsvOp<L, N, D>, Side::Left, L, N, D, FixedB, FixedA>(
        random, {problems, Rows}, true, false);
    check_solve<TypeParam, TrsvOp<Uplo::Upper, N, Diag::Unit>, Side::Left, Uplo::Upper, N,
                Diag::Unit, FixedB, FixedA>(random, {problems, Rows}, true, false);
  };
  check_static.template operator()<3>(Kokkos::LayoutRight());
  check_static.template operator()<8>(Kokkos::LayoutLeft());
  check_static.template operator()<13>(Kokkos::LayoutRight());
  check_static.template operator()<20>(Kokkos::LayoutRight());
  check_static.template operator()<32>(Kokkos::LayoutRight());
  // Of more rows several workers take eight at a time.
  check_static.template operator()<37>(Kokkos::LayoutRight(), 1);
  for (const int batch : {0, 1, 2, 9}) {
    check_solve<TypeParam, TrsvOp<L, N, D>, Side::Left, L, N, D, B, A>(random, {batch, 5}, true,
                                                                       false);
    check_solve<TypeParam, TrsvOp<L, T, D, true>, Side::Left, L, T, D, B, SharedA>(
        random, {batch, 7}, true, true);
  }
}

}  // namespace
}  // namespace KokkosContract::Test
