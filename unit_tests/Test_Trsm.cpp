// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Trsm.hpp>

#include "Triangular.hpp"

namespace KokkosContract::Test {
namespace {

template <class SideTag, class Triangle, class TransTag, class Diagonal>
struct TrsmForms {
  using Algorithm = Algo::Trsm::Default;
  using Serial = SerialTrsm<SideTag, Triangle, TransTag, Diagonal, Algorithm>;
  template <class Member>
  using Vector = VectorTrsm<Member, SideTag, Triangle, TransTag, Diagonal, Algorithm>;
  template <class Member>
  using Team = TeamTrsm<Member, SideTag, Triangle, TransTag, Diagonal, Algorithm>;
  template <class Member>
  using TeamVector = TeamVectorTrsm<Member, SideTag, Triangle, TransTag, Diagonal, Algorithm>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::TrsmRoutine<SideTag, Triangle, TransTag, Diagonal>::run(level,
                                                                                         args...);
  }
};

template <class SideTag, class Triangle, class TransTag, class Diagonal, bool Share = false>
struct TrsmOp {
  template <class Level, class Scalar, class A, class B>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar& alpha, const A& a,
                                  const Scalar&, const B& b) {
    using Op = PublicForms<TrsmForms<SideTag, Triangle, TransTag, Diagonal>>;
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
using Left = Side::Left;
using Right = Side::Right;

template <class Level, class Scalar, class Layout, class SideTag, class Triangle, class TransTag,
          class Diagonal>
void check_trsm(Random& random) {
  using Space = typename Level::space;
  const auto check = [&](int rows, int cols) {
    check_solve<Level, TrsmOp<SideTag, Triangle, TransTag, Diagonal>, SideTag, Triangle, TransTag,
                Diagonal, view_t<Scalar, 2, Layout, Space>, view_t<const Scalar, 2, Layout, Space>>(
        random, {rows, cols}, false, false);
  };
  check(0, 3);
  check(4, 0);
  check(1, 1);
  check(8, 2);
  check(5, 11);
  check(17, 33);
}

template <class Level, class Scalar, class Layout, class TransTag>
void check_all(Random& random) {
  using L = Uplo::Lower;
  using U = Uplo::Upper;
  using D = Diag::NonUnit;
  using One = Diag::Unit;
  check_trsm<Level, Scalar, Layout, Left, L, TransTag, D>(random);
  check_trsm<Level, Scalar, Layout, Left, L, TransTag, One>(random);
  check_trsm<Level, Scalar, Layout, Left, U, TransTag, D>(random);
  check_trsm<Level, Scalar, Layout, Left, U, TransTag, One>(random);
  check_trsm<Level, Scalar, Layout, Right, L, TransTag, D>(random);
  check_trsm<Level, Scalar, Layout, Right, L, TransTag, One>(random);
  check_trsm<Level, Scalar, Layout, Right, U, TransTag, D>(random);
  check_trsm<Level, Scalar, Layout, Right, U, TransTag, One>(random);
}

template <class Level>
class TrsmAllLevels : public testing::Test {};
TYPED_TEST_SUITE(TrsmAllLevels, Levels, LevelNames);
template <class Level>
class Trsm : public testing::Test {};
TYPED_TEST_SUITE(Trsm, LaneLevels, LevelNames);

TYPED_TEST(TrsmAllLevels, Double) {
  Random random;
  using Layout = Kokkos::LayoutStride;
  check_trsm<TypeParam, double, Layout, Left, Uplo::Lower, N, Diag::Unit>(random);
  check_trsm<TypeParam, double, Layout, Right, Uplo::Upper, N, Diag::NonUnit>(random);
}

TYPED_TEST(Trsm, Double) {
  Random random;
  check_all<TypeParam, double, Kokkos::LayoutStride, N>(random);
}

TYPED_TEST(Trsm, DoubleTransposed) {
  Random random;
  check_all<TypeParam, double, Kokkos::LayoutRight, T>(random);
}

TYPED_TEST(TrsmAllLevels, OtherTypes) {
  Random random;
  check_all<TypeParam, Kokkos::complex<double>, Kokkos::LayoutStride, C>(random);
  check_trsm<TypeParam, float, Kokkos::LayoutRight, Left, Uplo::Lower, N, Diag::NonUnit>(random);
  check_trsm<TypeParam, Kokkos::complex<float>, Kokkos::LayoutRight, Left, Uplo::Upper, C,
             Diag::NonUnit>(random);
  check_trsm<TypeParam, double, Kokkos::LayoutLeft, Right, Uplo::Upper, N, Diag::Unit>(random);
}

// One worker of a host solves for these by halves.
TYPED_TEST(TrsmAllLevels, Large) {
  Random random;
  using Space = typename TypeParam::space;
  using L = Uplo::Lower;
  using U = Uplo::Upper;
  using D = Diag::NonUnit;
  using One = Diag::Unit;
  const auto check = [&]<class Scalar, class Layout, class S, class Tri, class Tr, class Di>(
                         TrsmOp<S, Tri, Tr, Di>, std::type_identity<Scalar>, Layout,
                         const std::vector<int>& extents) {
    check_solve<TypeParam, TrsmOp<S, Tri, Tr, Di>, S, Tri, Tr, Di, view_t<Scalar, 2, Layout, Space>,
                view_t<const Scalar, 2, Layout, Space>>(random, extents, false, false);
  };
  const std::type_identity<double> of_double;
  const std::type_identity<float> of_float;
  const Kokkos::LayoutStride strided;
  const Kokkos::LayoutLeft left;
  const Kokkos::LayoutRight right;
  for (const int n : {9, 65, 131}) check(TrsmOp<Left, L, N, D>{}, of_double, left, {n, 5});
  check(TrsmOp<Left, U, N, D>{}, of_double, left, {67, 33});
  check(TrsmOp<Left, L, T, One>{}, of_float, left, {70, 6});
  check(TrsmOp<Left, U, C, D>{}, of_double, strided, {66, 261});
  check(TrsmOp<Left, L, N, D>{}, of_double, right, {97, 19});
  check(TrsmOp<Left, U, N, One>{}, of_float, right, {129, 21});
  check(TrsmOp<Right, L, N, D>{}, of_double, left, {12, 71});
  check(TrsmOp<Right, L, T, D>{}, of_float, right, {4, 68});
  check(TrsmOp<Right, U, N, One>{}, of_double, strided, {5, 99});
  check_solve<TypeParam, TrsmOp<Left, L, N, D>, Left, L, N, D,
              view_t<double, 3, Kokkos::LayoutLeft, Space>,
              view_t<const double, 3, Kokkos::LayoutLeft, Space>>(random, {2, 73, 7}, false, false);
}

TYPED_TEST(Trsm, Batch) {
  Random random;
  using Space = typename TypeParam::space;
  using L = Uplo::Lower;
  using D = Diag::NonUnit;
  using B = view_t<double, 3, Kokkos::LayoutStride, Space>;
  using SharedA = view_t<const double, 2, Kokkos::LayoutStride, Space>;
  using A = view_t<const double, 3, Kokkos::LayoutStride, Space>;
  for (const int n : {2, 8, 9, 16, 23, 32, 33}) {
    check_solve<TypeParam, TrsmOp<Left, L, N, D>, Left, L, N, D, B, A>(random, {3, n, 5}, false,
                                                                       false);
    check_solve<TypeParam, TrsmOp<Left, L, N, D>, Left, L, N, D, B, A>(random, {2, n, 34}, false,
                                                                       false);
  }
  // Up to 32 static rows a GPU has them in registers.
  const auto check_static = [&]<int Rows, int Cols, class Layout>(Layout) {
    using Memory = typename Space::memory_space;
    using FixedB = Kokkos::View<double* [Rows][Cols], Layout, Memory, Unmanaged>;
    using FixedA = Kokkos::View<const double* [Rows][Rows], Layout, Memory, Unmanaged>;
    check_solve<TypeParam, TrsmOp<Left, L, N, D>, Left, L, N, D, FixedB, FixedA>(
        random, {5, Rows, Cols}, false, false);
    check_solve<TypeParam, TrsmOp<Left, Uplo::Upper, N, Diag::Unit>, Left, Uplo::Upper, N,
                Diag::Unit, FixedB, FixedA>(random, {5, Rows, Cols}, false, false);
  };
  check_static.template operator()<2, 34>(Kokkos::LayoutRight());
  check_static.template operator()<8, 5>(Kokkos::LayoutLeft());
  check_static.template operator()<13, 13>(Kokkos::LayoutRight());
  check_static.template operator()<20, 34>(Kokkos::LayoutRight());
  check_static.template operator()<32, 32>(Kokkos::LayoutRight());
  for (const int batch : {0, 1, 7}) {
    check_solve<TypeParam, TrsmOp<Left, L, N, D>, Left, L, N, D, B, A>(random, {batch, 5, 3}, false,
                                                                       false);
    check_solve<TypeParam, TrsmOp<Right, L, T, D, true>, Right, L, T, D, B, SharedA>(
        random, {batch, 4, 6}, false, true);
  }
}

template <class Level>
class TrsmWarps : public testing::Test {};
TYPED_TEST_SUITE(TrsmWarps, WarpLevels, LevelNames);

TYPED_TEST(TrsmWarps, StaticBatches) {
  Random random;
  const auto check = [&]<int Rows, int Cols, class Layout>(Layout) {
    using Memory = typename TypeParam::space::memory_space;
    using B = Kokkos::View<double* [Rows][Cols], Layout, Memory, Unmanaged>;
    using A = Kokkos::View<const double* [Rows][Rows], Layout, Memory, Unmanaged>;
    using Op = TrsmOp<Left, Uplo::Lower, N, Diag::NonUnit>;
    check_solve<TypeParam, Op, Left, Uplo::Lower, N, Diag::NonUnit, B, A>(random, {20, Rows, Cols},
                                                                          false, false);
  };
  check.template operator()<9, 5>(Kokkos::LayoutRight());
  check.template operator()<20, 34>(Kokkos::LayoutRight());
  check.template operator()<6, 3>(Kokkos::LayoutLeft());
}

}  // namespace
}  // namespace KokkosContract::Test
