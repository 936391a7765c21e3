// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/LU.hpp>

#include "Matrices.hpp"

namespace KokkosContract::Test {
namespace {

template <class Algorithm>
struct LUForms {
  using Serial = SerialLU<Algorithm>;
  template <class Member>
  using Vector = VectorLU<Member, Algorithm>;
  template <class Member>
  using Team = TeamLU<Member, Algorithm>;
  template <class Member>
  using TeamVector = TeamVectorLU<Member, Algorithm>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::LURoutine::run(level, args...);
  }
};

// alpha is tiny; beta plays no part.
template <class Algorithm = Algo::LU::Default>
struct LUOp {
  // The last two: one is for those who look for zero pivots, the other for those who change A next.
  // Without info neither shows in the factors, as the other one is still there. ZeroPivots has
  // info.
  static constexpr bool barriers_cover_each_other = true;

  template <class Level, class Scalar, class A>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar& tiny, const Scalar&,
                                  const A& a) {
    return PublicForms<LUForms<Algorithm>>::call(level, a, tiny);
  }
};
// The form without tiny.
struct LUWithoutTiny {
  template <class Level, class Scalar, class A>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const Scalar&, const A& a) {
    return PublicForms<LUForms<Algo::LU::Default>>::call(level, a);
  }
};

/// |A + D - L U| <= gamma_k |L| |U| in each element, where D holds what tiny added to the pivots.
template <class T, class W>
testing::AssertionResult factors(const Dense<W>& before, const Dense<W>& after, long double tiny) {
  const int rows = before.extents[0], cols = before.extents[1];
  Expected<W> product{before.extents, {}, {}};
  const long double k = std::min(rows, cols) + roundings_of_product<T> + roundings_of_quotient<T>;
  const long double g = gamma(k, unit_roundoff<T>());
  Dense<W> pushed = before;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      W sum(0);
      long double absolute = 0;
      for (int p = 0; p <= std::min(i, j); ++p) {
        const W term = p < i ? after(i, p) * after(p, j) : after(i, j);
        sum += term;
        absolute += magnitude(term);
      }
      product.value.push_back(sum);
      product.bound.push_back(g * absolute);
    }
    if (i < cols) pushed(i, i) += std::real(after(i, i)) < 0 ? -tiny : tiny;
  }
  return within_bounds(pushed, product);
}

template <class Level, class View, class Op = LUOp<>>
void check_lu(Random& random, std::vector<int> extents, long double tiny = 0) {
  using Space = typename Level::space;
  using T = typename View::value_type;
  using Scalar = typename lanes<T>::scalar;
  using Real = real_of_t<Scalar>;
  using W = wide_t<Scalar>;
  std::string trace = random.state();
  for (const int extent : extents) trace += " " + std::to_string(extent);
  SCOPED_TRACE(trace);

  StridedTensor<T, Space> a(random, extents, arrangement_of<typename View::array_layout>(), 3);
  std::tuple<> none;
  make_dominant(a, random);
  const bool batch = extents.size() == 3;
  std::vector<Dense<W>> before;
  for (int p = 0; p < a.problems(); ++p) before.push_back(a.template dense<W>(p));
  const auto start = make_start<Level, Op, View>(std::type_identity<Real>{}, a, none);
  check_configurations(start, Real(tiny), Real(0), [&](int p, int code) {
    EXPECT_EQ(code, 0);
    const Dense<W> after = a.template dense<W>(p);
    for (int z = 0; z < (batch ? extents[0] : 1); ++z) {
      EXPECT_TRUE(factors<Scalar>(matrix_of_batch(before[p], z, batch),
                                  matrix_of_batch(after, z, batch), Real(tiny)))
          << "problem " << p << ", matrix " << z << " of the batch";
    }
  });
}

template <class Level>
class LUAllLevels : public testing::Test {};
TYPED_TEST_SUITE(LUAllLevels, Levels, LevelNames);
template <class Level>
class LU : public testing::Test {};
TYPED_TEST_SUITE(LU, LaneLevels, LevelNames);

template <class Level, class T, class Layout>
void check_sizes(Random& random) {
  using View = view_t<T, 2, Layout, typename Level::space>;
  for (const int n : {0, 1, 2, 3, 5, 8, 13, 16, 33}) check_lu<Level, View>(random, {n, n});
  check_lu<Level, View>(random, {7, 4});
  check_lu<Level, View>(random, {4, 9});
  check_lu<Level, View>(random, {5, 0});
}

TYPED_TEST(LUAllLevels, Double) {
  Random random;
  check_sizes<TypeParam, double, Kokkos::LayoutStride>(random);
  check_sizes<TypeParam, double, Kokkos::LayoutRight>(random);
}

TYPED_TEST(LUAllLevels, OtherTypes) {
  Random random;
  check_sizes<TypeParam, float, Kokkos::LayoutRight>(random);
  check_sizes<TypeParam, double, Kokkos::LayoutLeft>(random);
  check_sizes<TypeParam, Kokkos::complex<double>, Kokkos::LayoutStride>(random);
  check_sizes<TypeParam, Kokkos::complex<float>, Kokkos::LayoutRight>(random);
}

template <class Level>
class LUOtherLevels : public testing::Test {};
TYPED_TEST_SUITE(LUOtherLevels, OtherLevels, LevelNames);

TYPED_TEST(LUOtherLevels, Double) {
  Random random;
  using Space = typename TypeParam::space;
  check_lu<TypeParam, view_t<double, 2, Kokkos::LayoutStride, Space>>(random, {9, 9});
  check_lu<TypeParam, view_t<double, 3, StaticExtents<Kokkos::LayoutRight, 3, 7, 7>, Space>>(
      random, {5, 7, 7});
}

TYPED_TEST(LU, StaticExtents) {
  Random random;
  const auto check = [&]<int Rows, int Cols>() {
    check_lu<TypeParam, Kokkos::View<double[Rows][Cols], Kokkos::LayoutRight,
                                     typename TypeParam::space::memory_space, Unmanaged>>(
        random, {Rows, Cols});
  };
  check.template operator()<1, 1>();
  check.template operator()<3, 3>();
  check.template operator()<8, 8>();
  check.template operator()<11, 11>();
  check.template operator()<6, 4>();
}

TYPED_TEST(LU, Batch) {
  Random random;
  using View = view_t<double, 3, Kokkos::LayoutStride, typename TypeParam::space>;
  check_lu<TypeParam, View>(random, {5, 4, 4});
  check_lu<TypeParam, View>(random, {1, 7, 7});
  check_lu<TypeParam, View>(random, {9, 1, 1});
  check_lu<TypeParam, View>(random, {0, 3, 3});
}

// Up to 32 static rows a GPU holds matrices in registers, by code of its own for each extent.
TYPED_TEST(LU, BatchOfEachSize) {
  Random random;
  using Space = typename TypeParam::space;
  for (const int n : {2, 3, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33}) {
    check_lu<TypeParam, view_t<double, 3, Kokkos::LayoutRight, Space>>(random, {3, n, n});
    check_lu<TypeParam, view_t<double, 3, Kokkos::LayoutLeft, Space>>(random, {2, n, n}, 0.125L);
  }
  const auto check = [&]<class T, int N>(std::type_identity<T>, std::integral_constant<int, N>) {
    using View =
        Kokkos::View<T* [N][N], Kokkos::LayoutRight, typename Space::memory_space, Unmanaged>;
    check_lu<TypeParam, View>(random, {5, N, N});
  };
  check(std::type_identity<double>{}, std::integral_constant<int, 4>{});
  check(std::type_identity<double>{}, std::integral_constant<int, 6>{});
  check(std::type_identity<float>{}, std::integral_constant<int, 12>{});
  check(std::type_identity<Kokkos::complex<double>>{}, std::integral_constant<int, 7>{});
  check(std::type_identity<double>{}, std::integral_constant<int, 20>{});
  check(std::type_identity<double>{}, std::integral_constant<int, 32>{});
}

template <class Level>
class LUWarps : public testing::Test {};
TYPED_TEST_SUITE(LUWarps, WarpLevels, LevelNames);

TYPED_TEST(LUWarps, StaticBatches) {
  Random random;
  using Space = typename TypeParam::space;
  const auto check = [&]<class T, int N, class Layout>(Layout) {
    using View = Kokkos::View<T* [N][N], Layout, typename Space::memory_space, Unmanaged>;
    check_lu<TypeParam, View>(random, {70, N, N});
  };
  check.template operator()<double, 7>(Kokkos::LayoutRight());
  check.template operator()<double, 5>(Kokkos::LayoutLeft());  // interleaved
  check_lu<TypeParam, view_t<double, 2, Kokkos::LayoutRight, Space>>(random, {45, 50});
}

// More than a warp holds: several workers take blocks of rows and columns.
TYPED_TEST(LUAllLevels, Large) {
  Random random;
  using Space = typename TypeParam::space;
  check_lu<TypeParam, view_t<double, 2, Kokkos::LayoutRight, Space>>(random, {70, 45});
  check_lu<TypeParam, view_t<double, 2, Kokkos::LayoutStride, Space>>(random, {36, 53}, 0.125L);
  check_lu<TypeParam, view_t<Kokkos::complex<float>, 2, Kokkos::LayoutLeft, Space>>(random,
                                                                                    {35, 35});
  check_lu<TypeParam, view_t<float, 3, Kokkos::LayoutRight, Space>>(random, {2, 34, 34});
  check_lu<TypeParam, view_t<float, 2, Kokkos::LayoutLeft, Space>>(random, {67, 90});
  check_lu<TypeParam, view_t<double, 2, Kokkos::LayoutRight, Space>>(random, {97, 69}, 0.125L);
  using Static =
      Kokkos::View<double* [43][43], Kokkos::LayoutRight, typename Space::memory_space, Unmanaged>;
  check_lu<TypeParam, Static>(random, {2, 43, 43});
  check_lu<TypeParam, Static>(random, {1, 43, 43}, 0.25L);
}

TYPED_TEST(LU, TinyAndAlgorithms) {
  Random random;
  using View = view_t<double, 2, Kokkos::LayoutRight, typename TypeParam::space>;
  check_lu<TypeParam, View>(random, {6, 6}, 0.125L);
  check_lu<TypeParam, View>(random, {9, 9}, 1e-3L);
  check_lu<TypeParam, View, LUOp<Algo::LU::Blocked>>(random, {6, 6}, 0.25L);
  check_lu<TypeParam, View, LUOp<Algo::LU::Unblocked>>(random, {6, 6});
  check_lu<TypeParam, View, LUWithoutTiny>(random, {5, 5});
}

// --- Zero pivots
// ----------------------------------------------------------------------------------

/// info is an output of its own; the matrix goes with it as an input that is overwritten.
template <class AView, class InfoView>
struct LUWithInfo {
  Problems<AView> a;
  Problems<InfoView> info;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int problem) const {
    return PublicForms<LUForms<Algo::LU::Default>>::call(level, a(problem), info(problem));
  }
};

/// Factors the problems in all configurations; check(codes) looks at what a and info hold then.
template <class Level, class A, class Info, class Check>
void check_with_info(A& a, Info& info, int problems, const Check& check,
                     bool without_barriers = true) {
  using Space = typename Level::space;
  using AView = view_t<double, 3, Kokkos::LayoutStride, Space>;
  using InfoView = view_t<int, 1, Kokkos::LayoutStride, Space>;
  const LUWithInfo<AView, InfoView> functor{a.template views<AView>(),
                                            info.template views<InfoView>()};
  const auto restore = [&] {
    a.restore();
    info.restore();
  };
  for (const Configuration& configuration : Level::configurations()) {
    SCOPED_TRACE(configuration.text());
    restore();
    const auto codes =
        Level::launch(configuration, problems, functor, {a.watched(), info.watched()});
    if (codes.empty()) continue;
    a.download();
    info.download();
    check(codes);
    EXPECT_TRUE(a.guards_unchanged());
    EXPECT_TRUE(info.guards_unchanged());
  }
  if constexpr (std::is_same_v<Level, Threads>) {
    if (without_barriers) check_barriers(functor, {a.watched(), info.watched()}, restore);
  }
}

/// Element by element, as the routine does with a pivot of zero.
void eliminate(Dense<long double>& a) {
  const int n = a.extents[0];
  for (int p = 0; p < n; ++p) {
    for (int i = p + 1; i < n; ++i) {
      if (a(p, p) != 0) a(i, p) /= a(p, p);
      for (int j = p + 1; j < n; ++j) a(i, j) -= a(i, p) * a(p, j);
    }
  }
}

// A row of zeros stays one, so that its pivot is exactly zero.
template <class Tensor>
void clear_row(Tensor& a, int problem, int z, int row) {
  auto dense = a.dense(problem);
  const int rows = dense.extents[1], cols = dense.extents[2];
  for (int j = 0; j < cols; ++j) dense.values[(z * rows + row) * cols + j] = 0;
  a.assign(dense.values, problem);
}

// The last pivot becomes zero in the very last step, without a rounding error: 2 - (2 / 2) 2.
template <class Tensor>
void last_pivot_zero(Tensor& a, int problem, int z) {
  auto dense = a.dense(problem);
  const int n = dense.extents[1];
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      dense.values[(z * n + i) * n + j] = i >= n - 2 && j >= n - 2 ? 2 : (i == j ? 1 : 0);
    }
  }
  a.assign(dense.values, problem);
}

TYPED_TEST(LUAllLevels, ZeroPivots) {
  using Space = typename TypeParam::space;
  Random random;
  const int batch = 4, n = 6;
  StridedTensor<double, Space> a(random, {batch, n, n}, Arrangement::strided, 2);
  StridedTensor<int, Space> info(random, {batch}, Arrangement::strided, 2);
  make_dominant(a, random);
  clear_row(a, 0, 1, 2);
  clear_row(a, 0, 1, 4);
  clear_row(a, 0, 3, 0);
  last_pivot_zero(a, 0, 2);
  clear_row(a, 1, 3, 5);
  check_with_info<TypeParam>(a, info, 2, [&](const std::vector<int>& codes) {
    using Values = std::vector<std::int64_t>;
    EXPECT_EQ(codes, (std::vector<int>{3, 6}));
    EXPECT_EQ(info.dense(0).values, (Values{0, 3, 6, 1}));
    EXPECT_EQ(info.dense(1).values, (Values{0, 0, 0, 6}));
  });
}

// In blocks of rows and columns, and behind one that could not be taken as a whole.
TYPED_TEST(LU, ZeroPivotsOfLarge) {
  using Space = typename TypeParam::space;
  Random random;
  const int batch = 4, n = 41;
  StridedTensor<double, Space> a(random, {batch, n, n}, Arrangement::strided, 1);
  StridedTensor<int, Space> info(random, {batch}, Arrangement::strided, 1);
  make_dominant(a, random);
  clear_row(a, 0, 1, 18);
  clear_row(a, 0, 1, 30);
  clear_row(a, 0, 2, n - 1);
  last_pivot_zero(a, 0, 3);
  const auto before = a.template dense<long double>(0);
  check_with_info<TypeParam>(
      a, info, 1,
      [&](const std::vector<int>& codes) {
        EXPECT_EQ(codes, std::vector<int>{19});
        EXPECT_EQ(info.dense(0).values, (std::vector<std::int64_t>{0, 19, n, n}));
        const auto after = a.template dense<long double>(0);
        long double error = 0;
        for (int z = 0; z < batch; ++z) {
          Dense<long double> expected = matrix_of_batch(before, z, true);
          eliminate(expected);
          const Dense<long double> found = matrix_of_batch(after, z, true);
          for (std::size_t e = 0; e < expected.values.size(); ++e) {
            const long double one = std::abs(found.values[e] - expected.values[e]);
            error = one <= error ? error : one;
          }
        }
        // The matrices are dominated by diagonals of the order of n.
        EXPECT_LE(error, n * n * 1e-16L);
      },
      false);
}

// The reciprocals of these pivots are no normal numbers.
TYPED_TEST(LUAllLevels, ExtremePivots) {
  using Space = typename TypeParam::space;
  Random random;
  const std::vector<double> sizes{5e-324, 1e-310, 1e300, 8e307};
  const int batch = static_cast<int>(sizes.size());
  StridedTensor<double, Space> a(random, {batch, 2, 2}, Arrangement::strided, 1);
  StridedTensor<int, Space> info(random, {batch}, Arrangement::strided, 1);
  auto before = a.dense(0);
  auto after = before;
  for (int z = 0; z < batch; ++z) {
    for (int i = 0; i < 4; ++i) {
      before.values[z * 4 + i] = (i == 3 ? 2 : 1) * sizes[z];
      after.values[z * 4 + i] = i == 2 ? 1 : sizes[z];
    }
  }
  a.assign(before.values, 0);
  check_with_info<TypeParam>(a, info, 1, [&](const std::vector<int>& codes) {
    EXPECT_EQ(codes, std::vector<int>{0});
    EXPECT_EQ(a.dense(0).values, after.values);
    EXPECT_EQ(info.dense(0).values, std::vector<std::int64_t>(sizes.size()));
  });
}

}  // namespace
}  // namespace KokkosContract::Test
