// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Norm.hpp>
#include <cmath>
#include <limits>

#include "Matrices.hpp"
#include "PackLanes.hpp"

namespace KokkosContract::Test {
namespace {

using Stride = Kokkos::LayoutStride;
using Complex = Kokkos::complex<double>;
using ComplexFloat = Kokkos::complex<float>;
using Pack4 = Pack<double, 4>;
using ComplexPack = Pack<Complex, 2>;

template <class Level>
class NormAllLevels : public testing::Test {};
TYPED_TEST_SUITE(NormAllLevels, Levels, LevelNames);
template <class Level>
class NormFewLevels : public testing::Test {};
TYPED_TEST_SUITE(NormFewLevels, FewLevels, LevelNames);

struct Nrm2Forms {
  using Serial = SerialNrm2;
  template <class Member>
  using Vector = VectorNrm2<Member>;
  template <class Member>
  using Team = TeamNrm2<Member>;
  template <class Member>
  using TeamVector = TeamVectorNrm2<Member>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::NormRoutine<Norm::Frobenius, 1>::run(level, args...);
  }
};

struct AsumForms {
  using Serial = SerialAsum;
  template <class Member>
  using Vector = VectorAsum<Member>;
  template <class Member>
  using Team = TeamAsum<Member>;
  template <class Member>
  using TeamVector = TeamVectorAsum<Member>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::NormRoutine<KokkosContract::Impl::SumOfParts, 1>::run(level,
                                                                                       args...);
  }
};

struct IamaxForms {
  using Serial = SerialIamax;
  template <class Member>
  using Vector = VectorIamax<Member>;
  template <class Member>
  using Team = TeamIamax<Member>;
  template <class Member>
  using TeamVector = TeamVectorIamax<Member>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::IamaxRoutine::run(level, args...);
  }
};

template <class Kind>
struct NormForms {
  using Serial = SerialNorm<Kind>;
  template <class Member>
  using Vector = VectorNorm<Member, Kind>;
  template <class Member>
  using Team = TeamNorm<Member, Kind>;
  template <class Member>
  using TeamVector = TeamVectorNorm<Member, Kind>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::NormRoutine<Kind, 2>::run(level, args...);
  }
};

template <class Forms>
struct NormOp {
  template <class Level, class Scalar, class A, class Result>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const A& a, const Scalar&,
                                  const Result& result) {
    return PublicForms<Forms>::call(level, a, result);
  }
};

/// What a norm is made of: |x|, or of a complex number the sum of its parts.
long double size_of(long double x, bool) { return std::abs(x); }
long double size_of(const std::complex<long double>& x, bool parts) {
  return parts ? std::abs(x.real()) + std::abs(x.imag()) : std::abs(x);
}

/// The norm of one matrix in higher precision, with a larger range of exponents.
template <class Forms, class W>
long double norm_of(const Dense<W>& a) {
  const int rows = a.extents[0], cols = a.extents[1];
  long double largest = 0, sum = 0, squares = 0;
  std::vector<long double> row(rows), col(cols);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      const long double x = size_of(a(i, j), std::is_same_v<Forms, AsumForms>);
      row[i] += x, col[j] += x, sum += x, squares += x * x;
      largest = x > largest || x != x ? x : largest;
    }
  }
  const auto largest_of = [](const std::vector<long double>& x) {
    return x.empty() ? 0 : *std::max_element(x.begin(), x.end());
  };
  if (std::is_same_v<Forms, AsumForms>) return sum;
  if (std::is_same_v<Forms, NormForms<Norm::One>>) return largest_of(col);
  if (std::is_same_v<Forms, NormForms<Norm::Infinity>>) return largest_of(row);
  if (std::is_same_v<Forms, NormForms<Norm::Max>>) return largest;
  return std::sqrt(squares);
}

/// A norm of matrices, or (`Vector`) vectors, of these extents, one of them the batch if Rank is
/// larger; set(element, number) fills them.
template <class Level, class Forms, class AView, class Set>
void check_norm(Random& random, const std::vector<int>& extents, bool vector, const Set& set) {
  using Space = typename Level::space;
  using T = typename AView::non_const_value_type;
  using Scalar = typename lanes<T>::scalar;
  using Real = real_of_t<Scalar>;
  using Result = std::conditional_t<lanes<T>::count == 1, Real, Pack<Real, lanes<T>::count>>;
  constexpr bool of_vectors = std::is_same_v<Forms, Nrm2Forms> || std::is_same_v<Forms, AsumForms>;
  constexpr bool batch = AView::rank() == (of_vectors ? 2 : 3);
  SCOPED_TRACE(random.state());
  ASSERT_EQ(vector, of_vectors);
  std::tuple<tensor_for_t<AView, Space>> inputs{
      tensor_for_t<AView, Space>(random, extents, arrangement_of<typename AView::array_layout>())};
  auto& a = std::get<0>(inputs);
  int number = 0;
  a.set([&](Scalar& x, int) { set(x, number++); });
  using ResultView = view_t<Result, batch ? 1 : 0, Stride, Space>;
  StridedTensor<Result, Space> result(
      random, std::vector<int>(extents.begin(), extents.begin() + batch), Arrangement::strided);
  check_configurations(
      make_start<Level, NormOp<Forms>, ResultView, AView>(std::type_identity<double>{}, result,
                                                          inputs),
      0., 0., [&](int p, int code) {
        EXPECT_EQ(code, 0);
        for (int l = 0; l < lanes<T>::count; ++l) {
          const auto got = result.dense(p, l);
          for (int z = 0; z < (batch ? extents[0] : 1); ++z) {
            const auto matrix = matrix_of_batch(a.dense(p, l), z, batch, of_vectors);
            const long double expected = norm_of<Forms>(matrix), value = got.values[z];
            const long double bound =
                gamma(static_cast<long double>(matrix.values.size()) + 6, unit_roundoff<Scalar>());
            if (std::isnan(expected)) {
              EXPECT_TRUE(std::isnan(value)) << value;
            } else if (expected > std::numeric_limits<Real>::max()) {
              EXPECT_EQ(value, std::numeric_limits<Real>::infinity());
            } else {
              EXPECT_LE(std::abs(value - expected), bound * expected + smallest<Real>())
                  << value << " instead of " << expected;
            }
          }
        }
      });
}

template <class Level, class T, class Forms, int Rank, class Layout>
void check_norm_sizes(Random& random) {
  using View = view_t<const T, Rank, Layout, typename Level::space>;
  constexpr bool vector = std::is_same_v<Forms, Nrm2Forms> || std::is_same_v<Forms, AsumForms>;
  const auto check = [&](std::vector<int> extents) {
    if (vector) extents.resize(1);
    if (Rank > (vector ? 1 : 2)) extents.insert(extents.begin(), 5);
    check_norm<Level, Forms, View>(random, extents, vector, [&](auto& x, int) {
      x = random.template number<std::remove_reference_t<decltype(x)>>();
    });
  };
  check({0, 3});
  check({1, 1});
  check({6, 9});
  check({33, 2});
}

template <class Level, class T, class Layout, int More = 0>
void check_norms(Random& random) {
  check_norm_sizes<Level, T, Nrm2Forms, 1 + More, Layout>(random);
  check_norm_sizes<Level, T, AsumForms, 1 + More, Layout>(random);
  check_norm_sizes<Level, T, NormForms<Norm::One>, 2 + More, Layout>(random);
  check_norm_sizes<Level, T, NormForms<Norm::Infinity>, 2 + More, Layout>(random);
  check_norm_sizes<Level, T, NormForms<Norm::Frobenius>, 2 + More, Layout>(random);
  check_norm_sizes<Level, T, NormForms<Norm::Max>, 2 + More, Layout>(random);
}

TYPED_TEST(NormAllLevels, Double) {
  Random random;
  check_norms<TypeParam, double, Stride>(random);
}

TYPED_TEST(NormAllLevels, OtherTypes) {
  Random random;
  check_norms<TypeParam, double, Stride, 1>(random);
  check_norms<TypeParam, float, Kokkos::LayoutRight>(random);
  check_norms<TypeParam, Complex, Kokkos::LayoutLeft>(random);
  check_norms<TypeParam, ComplexFloat, Kokkos::LayoutRight>(random);
  check_norms<TypeParam, Pack4, Stride>(random);
  check_norm_sizes<TypeParam, ComplexPack, Nrm2Forms, 1, Kokkos::LayoutRight>(random);
}

// Squares of these overflow or underflow; each is in another lane of a pack.
template <class Level, class T>
void check_extremes(Random& random) {
  using Scalar = typename lanes<T>::scalar;
  using Real = real_of_t<Scalar>;
  using Limits = std::numeric_limits<Real>;
  const Real most = Limits::max(), least = Limits::denorm_min(), normal = Limits::min();
  const Real huge = most / 8, tiny = normal / 8, infinity = Limits::infinity();
  const std::vector<std::vector<Real>> vectors{{huge, huge, huge},
                                               {tiny, tiny, -tiny},
                                               {least, least, least, least},
                                               {huge, 1, tiny},
                                               {tiny, tiny, 1},
                                               {std::sqrt(normal), std::sqrt(normal)},
                                               {std::sqrt(most), 1},
                                               {0, 0, 0},
                                               {-infinity, 1},
                                               {Limits::quiet_NaN()},
                                               {1, Limits::quiet_NaN(), infinity},
                                               {most, most},
                                               {infinity, tiny, huge}};
  using Vector = view_t<const T, 1, Stride, typename Level::space>;
  using Matrix = view_t<const T, 2, Stride, typename Level::space>;
  constexpr int count = lanes<T>::count;
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    SCOPED_TRACE("vector " + std::to_string(v));
    const auto set = [&](Scalar& x, int number) {
      const auto& values = vectors[(v + number % count) % vectors.size()];
      const auto i = static_cast<std::size_t>(number / count);
      x = i < values.size() ? Scalar(values[i]) : Scalar(0);
      if constexpr (is_complex<Scalar>::value) {
        if (i == 3) x = Scalar(0, vectors[v][0]);
      }
    };
    check_norm<Level, Nrm2Forms, Vector>(random, {7}, true, set);
    check_norm<Level, NormForms<Norm::Frobenius>, Matrix>(random, {3, 2}, false, set);
    check_norm<Level, NormForms<Norm::Max>, Matrix>(random, {3, 2}, false, set);
  }
}

TYPED_TEST(NormFewLevels, Extremes) {
  Random random;
  check_extremes<TypeParam, double>(random);
  check_extremes<TypeParam, float>(random);
  check_extremes<TypeParam, Pack4>(random);
  check_extremes<TypeParam, Complex>(random);
}

TYPED_TEST(NormAllLevels, Iamax) {
  using Space = typename TypeParam::space;
  Random random;
  const int batch = 5, n = 6;
  std::tuple<StridedTensor<Complex, Space>> inputs{
      StridedTensor<Complex, Space>(random, {batch, n}, Arrangement::strided)};
  auto& x = std::get<0>(inputs);
  auto values = x.dense(0).values;
  const std::vector<std::int64_t> expected{0, 5, 3, 2, 4};
  for (int z = 0; z < batch; ++z) values[z * n + expected[z]] = {3, -4};
  values[2 * n + 5] = {-4, 3};  // as large, but later
  values[3 * n + 1] = {6, 0};   // a larger modulus, but a smaller sum of parts
  x.assign(values, 0);
  StridedTensor<int, Space> index(random, {batch}, Arrangement::strided);
  check_configurations(make_start<TypeParam, NormOp<IamaxForms>, view_t<int, 1, Stride, Space>,
                                  view_t<const Complex, 2, Stride, Space>>(
                           std::type_identity<double>{}, index, inputs),
                       0., 0., [&](int p, int code) {
                         EXPECT_EQ(code, 0);
                         EXPECT_EQ(index.dense(p).values, expected);
                       });
}

// NaN before all numbers, and complex numbers whose |re| + |im| overflow.
template <class Level, class T>
void check_iamax_of_extremes(Random& random) {
  using Space = typename Level::space;
  using Limits = std::numeric_limits<real_of_t<T>>;
  using Wide = typename decltype(StridedTensor<T, Space>(random, {1}, Arrangement::strided)
                                     .dense(0)
                                     .values)::value_type;
  const long double most = Limits::max(), nan = Limits::quiet_NaN();
  const long double infinity = Limits::infinity(), least = Limits::denorm_min();
  const auto number = [](long double re, long double im) {
    if constexpr (is_complex<T>::value) {
      return Wide(re, im);
    } else {
      return Wide(std::isnan(im) ? im : re);
    }
  };
  const std::vector<std::pair<std::vector<Wide>, int>> vectors{
      {{number(1, 0), number(nan, 0), number(infinity, 0), number(nan, 0)}, 1},
      {{number(nan, 0), number(3, 0), number(infinity, 0), number(nan, 0)}, 0},
      {{number(infinity, 0), number(3, 0), number(most, most), number(0, nan)}, 3},
      {{number(most, most), number(3, 0), number(-infinity, 0), number(infinity, 0)}, 2},
      {{number(0, 0), number(least, 0), number(-least, 0), number(0, 0)}, 1},
      {{number(most / 2, most), number(most, most), number(-most, most), number(1, 0)}, 1},
      {{number(most, most), number(most / 2, most), number(-most, most), number(1, 0)}, 0},
      {{number(most / 2, most / 4), number(most * 0.625L, most / 2), number(0, 0),
        number(most * 0.75L, most / 2)},
       3}};
  const int batch = static_cast<int>(vectors.size()), n = 4;
  std::tuple<StridedTensor<T, Space>> inputs{
      StridedTensor<T, Space>(random, {batch, n}, Arrangement::strided)};
  auto& x = std::get<0>(inputs);
  auto values = x.dense(0).values;
  std::vector<std::int64_t> expected;
  for (int z = 0; z < batch; ++z) {
    std::copy_n(vectors[z].first.begin(), n, values.begin() + z * n);
    expected.push_back(vectors[z].second);
  }
  x.assign(values, 0);
  StridedTensor<int, Space> index(random, {batch}, Arrangement::strided);
  check_configurations(
      make_start<Level, NormOp<IamaxForms>, view_t<int, 1, Stride, Space>,
                 view_t<const T, 2, Stride, Space>>(std::type_identity<double>{}, index, inputs),
      0., 0., [&](int p, int code) {
        EXPECT_EQ(code, 0);
        EXPECT_EQ(index.dense(p).values, expected);
      });
}

TYPED_TEST(NormFewLevels, IamaxOfExtremes) {
  Random random;
  check_iamax_of_extremes<TypeParam, double>(random);
  check_iamax_of_extremes<TypeParam, float>(random);
  check_iamax_of_extremes<TypeParam, Complex>(random);
  check_iamax_of_extremes<TypeParam, ComplexFloat>(random);
}

struct IamaxIndex {
  template <class Level, class Scalar, class X>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const Scalar&, const X& x) {
    return PublicForms<IamaxForms>::call(level, x);
  }
};

TYPED_TEST(NormFewLevels, IamaxReturnsTheIndex) {
  using Space = typename TypeParam::space;
  Random random;
  StridedTensor<double, Space> x(random, {7}, Arrangement::strided, 2);
  for (const int p : {0, 1}) {
    auto values = x.dense(p).values;
    values[3 + p] = -2;
    x.assign(values, p);
  }
  std::tuple<> none;
  const auto start = make_start<TypeParam, IamaxIndex, view_t<double, 1, Stride, Space>>(
      std::type_identity<double>{}, x, none);
  check_configurations(start, 0., 0., [](int p, int code) { EXPECT_EQ(code, 3 + p); });
}

TEST(NormOneThread, Extents) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  const Kokkos::View<double**, Kokkos::HostSpace> a("a", 3, 4);
  const Kokkos::View<double*, Kokkos::HostSpace> norms("norms", 4);
  const Kokkos::View<int*, Kokkos::HostSpace> indices("indices", 2);
  EXPECT_EQ(SerialNrm2::invoke(a, norms), -1);
  EXPECT_EQ(SerialIamax::invoke(a, indices), -1);
}

}  // namespace
}  // namespace KokkosContract::Test
