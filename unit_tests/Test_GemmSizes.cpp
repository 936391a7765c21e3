// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of all small sizes: those that have plans of their own, and those around them.
#include <gtest/gtest.h>

#include <KokkosContract/Gemm.hpp>

#include "Matrices.hpp"
#include "PackLanes.hpp"

namespace KokkosContract::Test {
namespace {

template <class TransA, class TransB>
struct GemmForms {
  using Serial = SerialGemm<TransA, TransB>;
  template <class Member>
  using Vector = VectorGemm<Member, TransA, TransB>;
  template <class Member>
  using Team = TeamGemm<Member, TransA, TransB>;
  template <class Member>
  using TeamVector = TeamVectorGemm<Member, TransA, TransB>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::GemmRoutine<TransA, TransB>::run(level, args...);
  }
};
using N = Trans::NoTranspose;
using T = Trans::Transpose;

template <class Level>
class GemmSizes : public testing::Test {};
TYPED_TEST_SUITE(GemmSizes, FewLevels, LevelNames);

template <class Level, class TransA, class TransB, class A, class B, class C>
void check(Random& random, int m, int k, int n) {
  check_operation<Level, PublicForms<GemmForms<TransA, TransB>>, C, A, B>(
      random,
      letters_of_matrix<TransA>("i", "k") + "," + letters_of_matrix<TransB>("k", "j") + "->ij",
      {{'i', m}, {'k', k}, {'j', n}}, 2);
}

/// Rows and columns by turns, so that threads need not be started for each pair.
template <class Level, class Scalar, class TransA, class TransB>
void check_pairs() {
  using Space = typename Level::space;
  using C = view_t<Scalar, 2, Kokkos::LayoutRight, Space>;
  using A = view_t<const Scalar, 2, Kokkos::LayoutRight, Space>;
  constexpr bool slow = std::is_same_v<Level, Threads>;
  Random random;
  for (int m = 1; m <= 12; m += slow ? 11 : 1) {
    for (int n = 1; n <= 12; n += slow ? 11 : 1) {
      check<Level, TransA, TransB, A, A, C>(random, m, random.integer(1, 9), n);
    }
  }
}

TYPED_TEST(GemmSizes, Double) { check_pairs<TypeParam, double, N, N>(); }
TYPED_TEST(GemmSizes, Transposed) { check_pairs<TypeParam, double, N, T>(); }
TYPED_TEST(GemmSizes, Float) { check_pairs<TypeParam, float, N, N>(); }
TYPED_TEST(GemmSizes, Pack) { check_pairs<TypeParam, Pack<double, 4>, N, N>(); }

// A small B is transposed first.
TYPED_TEST(GemmSizes, TransposedStatic) {
  using Memory = typename TypeParam::space::memory_space;
  Random random;
  const auto check_static = [&]<class Scalar, int M, int K, int J>() {
    check<TypeParam, N, T, Kokkos::View<const Scalar[M][K], Kokkos::LayoutRight, Memory, Unmanaged>,
          Kokkos::View<const Scalar[J][K], Kokkos::LayoutRight, Memory, Unmanaged>,
          Kokkos::View<Scalar[M][J], Kokkos::LayoutRight, Memory, Unmanaged>>(random, M, K, J);
  };
  check_static.template operator()<double, 3, 3, 3>();
  check_static.template operator()<double, 5, 5, 5>();
  check_static.template operator()<double, 7, 4, 3>();
  check_static.template operator()<double, 6, 7, 6>();
  check_static.template operator()<double, 8, 8, 8>();
  check_static.template operator()<double, 12, 5, 11>();
  check_static.template operator()<float, 9, 9, 9>();
  check_static.template operator()<float, 16, 13, 10>();
}

}  // namespace
}  // namespace KokkosContract::Test
