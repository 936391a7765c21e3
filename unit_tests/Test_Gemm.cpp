// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Gemm.hpp>

#include "Matrices.hpp"

namespace KokkosContract::Test {
namespace {

template <class TransA, class TransB, class Algorithm>
struct GemmForms {
  using Serial = SerialGemm<TransA, TransB, Algorithm>;
  template <class Member>
  using Vector = VectorGemm<Member, TransA, TransB, Algorithm>;
  template <class Member>
  using Team = TeamGemm<Member, TransA, TransB, Algorithm>;
  template <class Member>
  using TeamVector = TeamVectorGemm<Member, TransA, TransB, Algorithm>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::GemmRoutine<TransA, TransB>::run(level, args...);
  }
};
template <class TransA, class TransB, class Algorithm = Algo::Gemm::Default>
using GemmOp = PublicForms<GemmForms<TransA, TransB, Algorithm>>;

using N = Trans::NoTranspose;
using T = Trans::Transpose;
using C = Trans::ConjTranspose;

template <class Level>
class GemmAllLevels : public testing::Test {};
TYPED_TEST_SUITE(GemmAllLevels, Levels, LevelNames);
template <class Level>
class Gemm : public testing::Test {};
TYPED_TEST_SUITE(Gemm, LaneLevels, LevelNames);

/// The contraction that this product is.
template <class TransA, class TransB>
std::string text(bool batch_a = false, bool batch_b = false) {
  return (batch_a ? "b" : "") + letters_of_matrix<TransA>("i", "k") + "," + (batch_b ? "b" : "") +
         letters_of_matrix<TransB>("k", "j") + "->" + (batch_a || batch_b ? "b" : "") + "ij";
}

template <class Level, class Scalar, class TransA, class TransB, class Layout>
void check_sizes(Random& random) {
  using Space = typename Level::space;
  const auto check = [&](int m, int k, int n) {
    check_operation<Level, GemmOp<TransA, TransB>, view_t<Scalar, 2, Layout, Space>,
                    view_t<const Scalar, 2, Layout, Space>, view_t<const Scalar, 2, Layout, Space>>(
        random, text<TransA, TransB>(), {{'i', m}, {'k', k}, {'j', n}}, 2);
  };
  check(0, 3, 2);
  check(3, 0, 2);
  check(1, 1, 1);
  check(4, 8, 16);
  check(5, 7, 3);
  check(9, 17, 33);
  check(random.integer(1, 12), random.integer(1, 12), random.integer(1, 12));
}

TYPED_TEST(GemmAllLevels, Double) {
  Random random;
  using Layout = Kokkos::LayoutStride;
  check_sizes<TypeParam, double, N, N, Layout>(random);
  check_sizes<TypeParam, double, T, T, Layout>(random);
}

TYPED_TEST(Gemm, Double) {
  Random random;
  check_sizes<TypeParam, double, T, N, Kokkos::LayoutStride>(random);
  check_sizes<TypeParam, double, N, T, Kokkos::LayoutStride>(random);
}

TYPED_TEST(Gemm, Layouts) {
  Random random;
  check_sizes<TypeParam, double, N, N, Kokkos::LayoutLeft>(random);
  check_sizes<TypeParam, double, N, N, Kokkos::LayoutRight>(random);
  check_sizes<TypeParam, double, T, T, Kokkos::LayoutRight>(random);
}

TYPED_TEST(GemmAllLevels, Float) {
  Random random;
  check_sizes<TypeParam, float, N, N, Kokkos::LayoutRight>(random);
  check_sizes<TypeParam, float, T, N, Kokkos::LayoutRight>(random);
}

TYPED_TEST(GemmAllLevels, Complex) {
  Random random;
  using Scalar = Kokkos::complex<double>;
  using Layout = Kokkos::LayoutStride;
  check_sizes<TypeParam, Scalar, N, N, Layout>(random);
  check_sizes<TypeParam, Scalar, N, C, Layout>(random);
  check_sizes<TypeParam, Scalar, C, N, Layout>(random);
  check_sizes<TypeParam, Scalar, C, T, Layout>(random);
  check_sizes<TypeParam, Scalar, C, C, Layout>(random);
  check_sizes<TypeParam, Kokkos::complex<float>, N, N, Kokkos::LayoutRight>(random);
}

TYPED_TEST(Gemm, StaticExtents) {
  Random random;
  const auto check = [&]<int M, int K, int J>() {
    using Memory = typename TypeParam::space::memory_space;
    check_operation<TypeParam, GemmOp<N, N>,
                    Kokkos::View<double[M][J], Kokkos::LayoutRight, Memory, Unmanaged>,
                    Kokkos::View<const double[M][K], Kokkos::LayoutRight, Memory, Unmanaged>,
                    Kokkos::View<const double[K][J], Kokkos::LayoutRight, Memory, Unmanaged>>(
        random, text<N, N>(), {{'i', M}, {'k', K}, {'j', J}});
  };
  check.template operator()<1, 1, 1>();
  check.template operator()<3, 3, 3>();
  check.template operator()<5, 4, 7>();
  check.template operator()<8, 8, 8>();
  check.template operator()<12, 2, 10>();
}

TYPED_TEST(Gemm, Batch) {
  Random random;
  using Space = typename TypeParam::space;
  using Matrix = view_t<const double, 2, Kokkos::LayoutStride, Space>;
  using Batch = view_t<const double, 3, Kokkos::LayoutStride, Space>;
  using Output = view_t<double, 3, Kokkos::LayoutStride, Space>;
  for (const int batch : {0, 1, 7}) {
    const Extents extents{{'b', batch}, {'i', 5}, {'k', 6}, {'j', 9}};
    check_operation<TypeParam, GemmOp<N, T>, Output, Batch, Batch>(random, text<N, T>(true, true),
                                                                   extents, 2);
    check_operation<TypeParam, WithShared<GemmOp<N, N>, true, false>, Output, Matrix, Batch>(
        random, text<N, N>(false, true), extents, 2);
    check_operation<TypeParam, WithShared<GemmOp<T, N>, false, true>, Output, Batch, Matrix>(
        random, text<T, N>(true, false), extents, 2);
  }
}

template <class Level>
class GemmOtherLevels : public testing::Test {};
TYPED_TEST_SUITE(GemmOtherLevels, OtherLevels, LevelNames);

TYPED_TEST(GemmOtherLevels, Double) {
  Random random;
  check_sizes<TypeParam, double, N, N, Kokkos::LayoutRight>(random);
}

TYPED_TEST(Gemm, OtherAlgorithms) {
  Random random;
  using View = view_t<double, 2, Kokkos::LayoutRight, typename TypeParam::space>;
  const Extents extents{{'i', 6}, {'k', 5}, {'j', 7}};
  check_operation<TypeParam, GemmOp<N, N, Algo::Gemm::Blocked>, View, View, View>(
      random, text<N, N>(), extents);
  check_operation<TypeParam, GemmOp<N, N, Algo::Gemm::Unblocked>, View, View, View>(
      random, text<N, N>(), extents);
}

template <class Level>
class GemmWarps : public testing::Test {};
TYPED_TEST_SUITE(GemmWarps, WarpLevels, LevelNames);

TYPED_TEST(GemmWarps, Double) {
  Random random;
  check_sizes<TypeParam, double, N, T, Kokkos::LayoutRight>(random);
}

}  // namespace
}  // namespace KokkosContract::Test
