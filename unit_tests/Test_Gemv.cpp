// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Gemv.hpp>

#include "Matrices.hpp"

namespace KokkosContract::Test {
namespace {

template <class TransA, class Algorithm>
struct GemvForms {
  using Serial = SerialGemv<TransA, Algorithm>;
  template <class Member>
  using Vector = VectorGemv<Member, TransA, Algorithm>;
  template <class Member>
  using Team = TeamGemv<Member, TransA, Algorithm>;
  template <class Member>
  using TeamVector = TeamVectorGemv<Member, TransA, Algorithm>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::GemvRoutine<TransA>::run(level, args...);
  }
};
template <class TransA, class Algorithm = Algo::Gemv::Default>
using GemvOp = PublicForms<GemvForms<TransA, Algorithm>>;

using N = Trans::NoTranspose;
using T = Trans::Transpose;
using C = Trans::ConjTranspose;

template <class Level>
class GemvAllLevels : public testing::Test {};
TYPED_TEST_SUITE(GemvAllLevels, Levels, LevelNames);
template <class Level>
class Gemv : public testing::Test {};
TYPED_TEST_SUITE(Gemv, FewLevels, LevelNames);

template <class TransA>
std::string text(const std::string& batch_a = "", const std::string& batch_x = "") {
  return batch_a + letters_of_matrix<TransA>("i", "k") + "," + batch_x + "k->" +
         (batch_a.empty() ? batch_x : batch_a) + "i";
}

template <class Level, class Scalar, class TransA, class Layout>
void check_sizes(Random& random) {
  using Space = typename Level::space;
  const auto check = [&](int m, int n) {
    check_operation<Level, GemvOp<TransA>, view_t<Scalar, 1, Layout, Space>,
                    view_t<const Scalar, 2, Layout, Space>, view_t<const Scalar, 1, Layout, Space>>(
        random, text<TransA>(), {{'i', m}, {'k', n}}, 2);
  };
  check(0, 3);
  check(3, 0);
  check(1, 1);
  check(4, 8);
  check(7, 5);
  check(65, 33);
  check(random.integer(1, 20), random.integer(1, 20));
}

TYPED_TEST(GemvAllLevels, Double) {
  Random random;
  check_sizes<TypeParam, double, N, Kokkos::LayoutStride>(random);
  check_sizes<TypeParam, double, T, Kokkos::LayoutStride>(random);
}

TYPED_TEST(Gemv, Layouts) {
  Random random;
  check_sizes<TypeParam, double, N, Kokkos::LayoutLeft>(random);
  check_sizes<TypeParam, double, N, Kokkos::LayoutRight>(random);
  check_sizes<TypeParam, double, T, Kokkos::LayoutRight>(random);
}

TYPED_TEST(GemvAllLevels, OtherTypes) {
  Random random;
  check_sizes<TypeParam, float, N, Kokkos::LayoutRight>(random);
  check_sizes<TypeParam, Kokkos::complex<double>, C, Kokkos::LayoutStride>(random);
  check_sizes<TypeParam, Kokkos::complex<float>, T, Kokkos::LayoutRight>(random);
}

TYPED_TEST(Gemv, Batch) {
  Random random;
  using Space = typename TypeParam::space;
  using Vector = view_t<const double, 1, Kokkos::LayoutStride, Space>;
  using Matrix = view_t<const double, 2, Kokkos::LayoutStride, Space>;
  using Batch = view_t<const double, 3, Kokkos::LayoutStride, Space>;
  using Output = view_t<double, 2, Kokkos::LayoutStride, Space>;
  for (const int batch : {0, 1, 6}) {
    const Extents extents{{'b', batch}, {'i', 5}, {'k', 9}};
    check_operation<TypeParam, GemvOp<N>, Output, Batch, Matrix>(random, text<N>("b", "b"), extents,
                                                                 2);
    check_operation<TypeParam, WithShared<GemvOp<T>, true, false>, Output, Matrix, Matrix>(
        random, text<T>("", "b"), extents, 2);
    check_operation<TypeParam, WithShared<GemvOp<N>, false, true>, Output, Batch, Vector>(
        random, text<N>("b", ""), extents, 2);
  }
}

}  // namespace
}  // namespace KokkosContract::Test
