// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gesv without pivoting: solutions of dominant matrices, and what becomes of zero pivots.
#include <gtest/gtest.h>

#include <KokkosContract/Gesv.hpp>

#include "Factored.hpp"
#include "Residual.hpp"

namespace KokkosContract::Test {
namespace {

using NoPivoting = Algo::Gesv::NoPivoting;

struct Forms {
  using Serial = SerialGesv<NoPivoting>;
  template <class Member>
  using Vector = VectorGesv<Member, NoPivoting>;
  template <class Member>
  using Team = TeamGesv<Member, NoPivoting>;
  template <class Member>
  using TeamVector = TeamVectorGesv<Member, NoPivoting>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::gesv_without_pivoting(level, args...);
  }
};

template <class AView, class BView, class InfoView>
struct Functor {
  Problems<AView> a;
  Problems<BView> b;
  Problems<InfoView> info;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int problem) const {
    return PublicForms<Forms>::call(level, a(problem), b(problem), info(problem));
  }
};

/// b of rank BRank; extents: of A.
template <class Level, class AView, int BRank>
void check_dominant(Random& random, const std::vector<int>& extents) {
  using Space = typename Level::space;
  using E = typename AView::value_type;
  using Scalar = typename lanes<E>::scalar;
  using W = wide_t<Scalar>;
  constexpr int rank = AView::rank();
  constexpr bool batch = rank == 3;
  constexpr bool vector = BRank == rank - 1;
  constexpr int lane_rank = KokkosContract::Impl::is_pack<E> ? 1 : 0;
  const int n = extents.back(), number = batch ? extents[0] : 1;
  SCOPED_TRACE(random.state() + ", " + std::to_string(number) + " of " + std::to_string(n));
  std::vector<int> b_extents(extents.begin(), extents.end() - 1);
  if (!vector) b_extents.push_back(3);
  using BView = view_t<E, BRank, Kokkos::LayoutStride, Space>;
  using InfoView = view_t<int, rank - 2 + lane_rank, Kokkos::LayoutStride, Space>;
  const int problems = 2;
  StridedTensor<E, Space> a(random, extents, arrangement_of<typename AView::array_layout>(),
                            problems);
  StridedTensor<E, Space> b(random, b_extents, Arrangement::strided, problems);
  StridedTensor<int, Space> info(random, entries_of<E>(batch ? number : -1, -1),
                                 Arrangement::strided, problems);
  if (n > 0) make_dominant(a, random);
  std::vector<Dense<W>> matrix, right;
  for (int p = 0; p < problems; ++p) {
    for (int l = 0; l < lanes<E>::count; ++l) {
      matrix.push_back(a.template dense<W>(p, l));
      right.push_back(b.template dense<W>(p, l));
    }
  }
  const Functor<AView, BView, InfoView> functor{
      a.template views<AView>(), b.template views<BView>(), info.template views<InfoView>()};
  const auto check = [&](const std::vector<int>& codes) {
    for (int p = 0; p < problems; ++p) {
      EXPECT_EQ(codes[p], 0);
      for (const auto i : info.dense(p).values) EXPECT_EQ(i, 0);
      for (int l = 0; l < lanes<E>::count; ++l) {
        const int e = p * lanes<E>::count + l;
        const auto solution = b.template dense<W>(p, l);
        for (int z = 0; z < number; ++z) {
          SCOPED_TRACE("problem " + std::to_string(p) + ", lane " + std::to_string(l) +
                       ", number " + std::to_string(z));
          expect_solution<Scalar>(matrix_of_batch(matrix[e], z, batch),
                                  matrix_of_batch(solution, z, batch, vector),
                                  matrix_of_batch(right[e], z, batch, vector));
        }
      }
    }
  };
  check_everywhere<Level>(functor, false, check, a, info, b);
}

template <class Level, class E, int N, class Layout = Kokkos::LayoutRight>
using Batch = view_t<E, 3, StaticExtents<Layout, 3, N, N>, typename Level::space>;
template <class Level, class E, int N>
using One =
    Kokkos::View<E[N][N], Kokkos::LayoutRight, typename Level::space::memory_space, Unmanaged>;

template <class Level>
class GesvNoPivoting : public testing::Test {};
TYPED_TEST_SUITE(GesvNoPivoting, Levels, LevelNames);

TYPED_TEST(GesvNoPivoting, RunTimeExtents) {
  Random random;
  using View = view_t<double, 2, Kokkos::LayoutStride, typename TypeParam::space>;
  for (const int n : {0, 1, 5, 17, 40}) check_dominant<TypeParam, View, 1>(random, {n, n});
  check_dominant<TypeParam, View, 2>(random, {9, 9});
}

TYPED_TEST(GesvNoPivoting, StaticExtents) {
  Random random;
  const auto check = [&]<class View>(std::type_identity<View>) {
    const auto n = static_cast<int>(View::static_extent(1));
    if constexpr (View::rank() == 2) {
      check_dominant<TypeParam, View, 1>(random, {n, n});
    } else {
      for (const int batch : {1, 5, 41}) check_dominant<TypeParam, View, 2>(random, {batch, n, n});
    }
  };
  check(std::type_identity<Batch<TypeParam, double, 3>>());
  check(std::type_identity<Batch<TypeParam, double, 13>>());
  check(std::type_identity<One<TypeParam, double, 27>>());
  check(std::type_identity<One<TypeParam, double, 33>>());
  check(std::type_identity<Batch<TypeParam, double, 27, Kokkos::LayoutLeft>>());
  check(std::type_identity<Batch<TypeParam, float, 20>>());
  check(std::type_identity<One<TypeParam, Kokkos::complex<double>, 6>>());
}

TYPED_TEST(GesvNoPivoting, Packs) {
  Random random;
  using Space = typename TypeParam::space;
  check_dominant<TypeParam, view_t<Pack<double, 4>, 2, Kokkos::LayoutRight, Space>, 1>(random,
                                                                                       {7, 7});
  check_dominant<TypeParam, One<TypeParam, Pack<double, 4>, 5>, 2>(random, {5, 5});
}

// --- Given matrices -----------------------------------------------------------------------------

struct Given {
  std::vector<long double> matrix;
  int zero;  ///< pivot, from 1; 0: none is
};

/// The last two rows and columns of identities of N rows.
template <class Level, class AView, int N>
void check_given() {
  using Space = typename Level::space;
  const std::vector<Given> given{
      {{1, 2, 3, 0}, 0},  // a zero that no pivot is
      {{0, 1, 1, 0}, 1},           {{1, 2, 2, 4}, 2},
      {{1e-300, 0, 0, 2e-300}, 0},  // whose reciprocals are not trusted
      {{4, 1, 2, 3}, 0},
  };
  Random random;
  const auto batch = static_cast<int>(given.size());
  StridedTensor<double, Space> a(random, {batch, N, N},
                                 arrangement_of<typename AView::array_layout>());
  StridedTensor<double, Space> b(random, {batch, N}, Arrangement::strided);
  StridedTensor<int, Space> info(random, {batch}, Arrangement::strided);
  std::vector<long double> matrices;
  std::vector<std::int64_t> infos;
  for (const Given& g : given) {
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        const bool in_corner = i >= N - 2 && j >= N - 2;
        matrices.push_back(in_corner ? g.matrix[2 * (i - N + 2) + j - N + 2] : (i == j ? 1 : 0));
      }
    }
    infos.push_back(g.zero == 0 ? 0 : N - 2 + g.zero);
  }
  a.assign(matrices, 0);
  const auto before = b.template dense<long double>(0);
  const auto matrix = a.template dense<long double>(0);
  using BView = view_t<double, 2, Kokkos::LayoutStride, Space>;
  using InfoView = view_t<int, 1, Kokkos::LayoutStride, Space>;
  const Functor<AView, BView, InfoView> functor{
      a.template views<AView>(), b.template views<BView>(), info.template views<InfoView>()};
  const auto check = [&](const std::vector<int>& codes) {
    EXPECT_EQ(codes, std::vector<int>{N - 1});
    EXPECT_EQ(info.dense(0).values, infos);
    const auto after = b.template dense<long double>(0);
    for (int z = 0; z < batch; ++z) {
      SCOPED_TRACE("number " + std::to_string(z));
      const auto x = matrix_of_batch(after, z, true, true);
      const auto right = matrix_of_batch(before, z, true, true);
      if (infos[z] == 0) {
        expect_solution<double>(matrix_of_batch(matrix, z, true), x, right);
      } else {
        EXPECT_EQ(x.values, right.values) << "right-hand side of a singular matrix";
      }
    }
  };
  check_everywhere<Level>(functor, false, check, a, info, b);
}

TYPED_TEST(GesvNoPivoting, GivenMatrices) {
  using Space = typename TypeParam::space;
  check_given<TypeParam, view_t<double, 3, Kokkos::LayoutStride, Space>, 6>();
  check_given<TypeParam, Batch<TypeParam, double, 2>, 2>();
  check_given<TypeParam, Batch<TypeParam, double, 8>, 8>();
  check_given<TypeParam, Batch<TypeParam, double, 27>, 27>();
}

// --- Refusals -----------------------------------------------------------------------------------

TEST(GesvNoPivotingArguments, RefusesExtents) {
  if (Impl::checked_build) return;  // such a call ends a checked build
  Kokkos::View<double**, Kokkos::HostSpace> square("square", 3, 3), wide("wide", 3, 4);
  Kokkos::View<double*, Kokkos::HostSpace> three("three", 3), two("two", 2);
  Kokkos::deep_copy(three, 7);
  EXPECT_EQ(SerialGesv<NoPivoting>::invoke(wide, three), -1);
  EXPECT_EQ(SerialGesv<NoPivoting>::invoke(square, two), -1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(three(i), 7);
}

}  // namespace
}  // namespace KokkosContract::Test
