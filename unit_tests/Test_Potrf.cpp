// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Potrf.hpp>
#include <KokkosContract/Potrs.hpp>

#include "Factored.hpp"
#include "Residual.hpp"

namespace KokkosContract::Test {
namespace {

using Lower = Uplo::Lower;
using Upper = Uplo::Upper;

template <class Triangle>
struct PotrfForms {
  using Serial = SerialPotrf<Triangle>;
  template <class Member>
  using Vector = VectorPotrf<Member, Triangle>;
  template <class Member>
  using Team = TeamPotrf<Member, Triangle, Algo::Potrf::Blocked>;
  template <class Member>
  using TeamVector = TeamVectorPotrf<Member, Triangle>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::PotrfRoutine<Triangle>::run(level, args...);
  }
};
template <class Triangle>
struct PotrsForms {
  using Serial = SerialPotrs<Triangle>;
  template <class Member>
  using Vector = VectorPotrs<Member, Triangle>;
  template <class Member>
  using Team = TeamPotrs<Member, Triangle>;
  template <class Member>
  using TeamVector = TeamVectorPotrs<Member, Triangle, Algo::Potrs::Unblocked>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::PotrsRoutine<Triangle>::run(level, args...);
  }
};

template <class Triangle, bool Solve, class AView, class BView, class InfoView>
struct Functor {
  Problems<AView> a;
  Problems<BView> b;
  Problems<InfoView> info;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int problem) const {
    const int code = PublicForms<PotrfForms<Triangle>>::call(level, a(problem), info(problem));
    if constexpr (Solve) {
      return code + PublicForms<PotrsForms<Triangle>>::call(level, a(problem), b(problem));
    } else {
      return code;
    }
  }
};

template <class Triangle>
bool is_named(int i, int j) {
  return std::is_same_v<Triangle, Lower> ? i > j : i < j;
}

/// Hermitian matrices with eigenvalues of at least about 1, but with `minor` > 0 the leading minor
/// of that size is the first that is not positive. What is not to be read is NaN, and the diagonal
/// has imaginary parts. Returns the matrices that are meant.
template <class Triangle, class E, class Space>
std::vector<Dense<wide_t<typename lanes<E>::scalar>>> make_definite(
    StridedTensor<E, Space>& tensor, Random& random, bool badly_scaled,
    const std::vector<int>& minors) {
  using Scalar = typename lanes<E>::scalar;
  using W = wide_t<Scalar>;
  const int rank = static_cast<int>(tensor.extents().size());
  const int n = tensor.extents()[rank - 1];
  const auto number = [&] { return widen<W>(random.template number<Scalar>()); };
  std::vector<Dense<W>> meant;
  std::size_t next = 0;
  for (int p = 0; p < tensor.problems(); ++p) {
    for (int l = 0; l < lanes<E>::count; ++l) {
      auto stored = tensor.template dense<W>(p, l);
      auto full = stored;
      for (std::size_t first = 0; first < stored.values.size(); first += n * n) {
        Dense<W> g{{n, n}, {}};
        for (int e = 0; e < n * n; ++e) g.values.push_back(number());
        std::vector<long double> scale(n, 1.0L);
        for (int i = 0; i < n && badly_scaled; ++i)
          scale[i] = std::pow(2.0L, random.integer(-9, 9));
        const int minor = minors.empty() ? 0 : minors[next++ % minors.size()];
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            W sum(i == j ? 1 : 0);
            for (int k = 0; k < n; ++k) sum += g(i, k) * conjugate(g(j, k));
            sum *= scale[i] * scale[j];
            if (i == j && i + 1 == minor) sum = W(-2);
            const bool diagonal = i == j;
            // Rounded as it is stored; the same above and below the diagonal.
            const W rounded = widen<W>(narrow<Scalar>(sum));
            full.values[first + i * n + j] = diagonal ? W(std::real(rounded)) : rounded;
            W& element = stored.values[first + i * n + j];
            element = rounded;
            if constexpr (is_complex<Scalar>::value) {
              if (diagonal) element = W(std::real(rounded), 7);
            }
            if (!diagonal && !is_named<Triangle>(i, j)) {
              element = W(std::numeric_limits<double>::quiet_NaN());
            }
          }
        }
      }
      tensor.assign(stored.values, p, l);
      meant.push_back(full);
    }
  }
  return meant;
}

/// A = L L^H or U^H U in its first `size` rows and columns, with a real, positive diagonal; the
/// other triangle is NaN still.
template <class Triangle, class Scalar, class W>
void expect_factors(const Dense<W>& a, const Dense<W>& after, int size) {
  Dense<W> leading{{size, size}, {}}, factor = leading;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      leading.values.push_back(a(i, j));
      const bool stored = i == j || is_named<Triangle>(i, j);
      factor.values.push_back(stored ? after(i, j) : W(0));
    }
    EXPECT_GT(std::real(after(i, i)), 0);
    EXPECT_EQ(std::imag(after(i, i)), 0);
  }
  for (int i = 0; i < a.extents[0]; ++i) {
    for (int j = 0; j < a.extents[0]; ++j) {
      if (i != j && !is_named<Triangle>(i, j)) {
        EXPECT_TRUE(std::isnan(std::real(after(i, j)))) << "the other triangle was written";
      }
    }
  }
  const auto adjoint = transposed<Trans::ConjTranspose>(factor);
  constexpr bool lower = std::is_same_v<Triangle, Lower>;
  const auto square = lower ? product(factor, adjoint) : product(adjoint, factor);
  expect_small<Scalar>(difference(leading, square), size, norm_one(leading));
}

/// extents: of A. minors: of each matrix in turn, where it fails, and then nothing is solved.
template <class Level, class Triangle, class AView, bool Solve = true>
void check_cholesky(Random& random, const std::vector<int>& extents, bool badly_scaled = false,
                    const std::vector<int>& minors = {}) {
  using Space = typename Level::space;
  using E = typename AView::value_type;
  using Scalar = typename lanes<E>::scalar;
  using W = wide_t<Scalar>;
  using Layout = typename AView::array_layout;
  constexpr int rank = AView::rank();
  // A batch has vectors as right-hand sides, one matrix has several.
  constexpr bool batch = rank == 3;
  constexpr int lane_rank = KokkosContract::Impl::is_pack<E> ? 1 : 0;
  using BView = view_t<E, 2, Layout, Space>;
  using InfoView = view_t<int, rank - 2 + lane_rank, Kokkos::LayoutStride, Space>;
  std::string trace = random.state();
  for (const int extent : extents) trace += " " + std::to_string(extent);
  SCOPED_TRACE(trace);

  const int n = extents[rank - 1], number = batch ? extents[0] : 1, problems = 2;
  const std::vector<int> b_extents =
      batch ? std::vector<int>{extents[0], n} : std::vector<int>{n, 3};
  StridedTensor<E, Space> a(random, extents, arrangement_of<Layout>(), problems);
  StridedTensor<E, Space> b(random, b_extents, arrangement_of<Layout>(), problems);
  StridedTensor<int, Space> info(random, entries_of<E>(batch ? extents[0] : -1, -1),
                                 Arrangement::strided, problems);
  const auto a_before = make_definite<Triangle>(a, random, badly_scaled, minors);
  std::vector<Dense<W>> b_before;
  for (int p = 0; p < problems; ++p) {
    for (int l = 0; l < lanes<E>::count; ++l) b_before.push_back(b.template dense<W>(p, l));
  }
  const Functor<Triangle, Solve, AView, BView, InfoView> functor{
      a.template views<AView>(), b.template views<BView>(), info.template views<InfoView>()};
  const auto check = [&](const std::vector<int>& codes) {
    for (int p = 0; p < problems; ++p) {
      constexpr int L = lanes<E>::count;
      int first = 0;
      const auto infos = info.dense(p).values;
      for (std::size_t e = infos.size(); e-- > 0;)
        first = infos[e] != 0 ? static_cast<int>(infos[e]) : first;
      EXPECT_EQ(codes[p], first);
      for (int l = 0; l < L; ++l) {
        const int e = p * L + l;
        const auto a_after = a.template dense<W>(p, l), b_after = b.template dense<W>(p, l);
        for (int z = 0; z < number; ++z) {
          SCOPED_TRACE("problem " + std::to_string(p) + ", lane " + std::to_string(l) +
                       ", number " + std::to_string(z));
          const int minor = minors.empty() ? 0 : minors[(e * number + z) % minors.size()];
          EXPECT_EQ(infos[z * L + l], minor);
          const auto before = matrix_of_batch(a_before[e], z, batch);
          const auto after = matrix_of_batch(a_after, z, batch);
          const int size = minor > 0 ? minor - 1 : n;
          expect_factors<Triangle, Scalar>(before, after, size);
          if (minor > 0) {
            EXPECT_LT(std::real(after(minor - 1, minor - 1)), 0);
          } else if (Solve) {
            expect_solution<Scalar>(before, matrix_of_batch(b_after, z, batch, batch),
                                    matrix_of_batch(b_before[e], z, batch, batch));
          }
        }
      }
    }
  };
  // Not each barrier shows: whoever looks for numbers that are not positive may see the squares of
  // the diagonal elements instead; and on a host the last row stays with one worker.
  check_everywhere<Level>(functor, false, check, a, info, b);
}

template <class Level>
class PotrfAllLevels : public testing::Test {};
TYPED_TEST_SUITE(PotrfAllLevels, Levels, LevelNames);
template <class Level>
class Potrf : public testing::Test {};
TYPED_TEST_SUITE(Potrf, LaneLevels, LevelNames);

TYPED_TEST(PotrfAllLevels, Double) {
  Random random;
  using View = view_t<double, 2, Kokkos::LayoutStride, typename TypeParam::space>;
  for (const int n : {0, 1, 2, 3, 5, 8, 13, 16, 33}) {
    check_cholesky<TypeParam, Lower, View>(random, {n, n});
  }
  check_cholesky<TypeParam, Upper, View>(random, {10, 10});
  check_cholesky<TypeParam, Upper, View>(random, {11, 11}, true);
}

TYPED_TEST(PotrfAllLevels, NotPositiveDefinite) {
  Random random;
  using View = view_t<double, 3, Kokkos::LayoutStride, typename TypeParam::space>;
  for (const int batch : {2, 9}) {
    check_cholesky<TypeParam, Lower, View, false>(random, {batch, 7, 7}, false, {0, 3, 1, 7, 5});
  }
}

// One worker of a host factors these by halves.
TYPED_TEST(PotrfAllLevels, Large) {
  Random random;
  using Space = typename TypeParam::space;
  using Strided = view_t<double, 2, Kokkos::LayoutStride, Space>;
  using Right = view_t<double, 2, Kokkos::LayoutRight, Space>;
  using Left = view_t<double, 2, Kokkos::LayoutLeft, Space>;
  for (const int n : {32, 41, 65, 131}) {
    check_cholesky<TypeParam, Lower, Right>(random, {n, n});
    check_cholesky<TypeParam, Upper, Right>(random, {n, n}, true);
  }
  check_cholesky<TypeParam, Lower, Left>(random, {97, 97});
  check_cholesky<TypeParam, Upper, Left>(random, {77, 77});
  check_cholesky<TypeParam, Lower, Strided>(random, {99, 99});
  check_cholesky<TypeParam, Lower, view_t<float, 2, Kokkos::LayoutRight, Space>>(random, {83, 83});
  check_cholesky<TypeParam, Upper, view_t<float, 2, Kokkos::LayoutRight, Space>>(random, {70, 70});
  check_cholesky<TypeParam, Lower, view_t<double, 3, Kokkos::LayoutRight, Space>>(random,
                                                                                  {2, 71, 71});
}

// In the first panel, in the last one, and at the edges of halves.
TYPED_TEST(PotrfAllLevels, LargeNotPositiveDefinite) {
  Random random;
  using Space = typename TypeParam::space;
  check_cholesky<TypeParam, Lower, view_t<double, 2, Kokkos::LayoutRight, Space>, false>(
      random, {70, 70}, false, {3, 64});
  check_cholesky<TypeParam, Lower, view_t<double, 2, Kokkos::LayoutRight, Space>, false>(
      random, {130, 130}, false, {65, 129});
  check_cholesky<TypeParam, Lower, view_t<double, 2, Kokkos::LayoutLeft, Space>, false>(
      random, {67, 67}, false, {33, 67});
  check_cholesky<TypeParam, Upper, view_t<float, 3, Kokkos::LayoutStride, Space>, false>(
      random, {4, 69, 69}, false, {0, 66, 17, 0, 69});
}

TYPED_TEST(Potrf, Layouts) {
  Random random;
  using Space = typename TypeParam::space;
  using Right = view_t<double, 3, Kokkos::LayoutRight, Space>;
  using Left = view_t<double, 2, Kokkos::LayoutLeft, Space>;
  for (const int n : {1, 4, 7, 18}) {
    check_cholesky<TypeParam, Upper, Right>(random, {4, n, n});
    check_cholesky<TypeParam, Lower, Left>(random, {n, n});
  }
  check_cholesky<TypeParam, Lower, Right>(random, {0, 5, 5});
}

TYPED_TEST(PotrfAllLevels, OtherTypes) {
  Random random;
  using Space = typename TypeParam::space;
  using Float = view_t<float, 2, Kokkos::LayoutLeft, Space>;
  using Complex = view_t<Kokkos::complex<double>, 3, Kokkos::LayoutStride, Space>;
  for (const int n : {2, 9}) {
    check_cholesky<TypeParam, Lower, Float>(random, {n, n});
    check_cholesky<TypeParam, Lower, Complex>(random, {3, n, n});
    check_cholesky<TypeParam, Upper, Complex>(random, {3, n, n});
  }
  check_cholesky<TypeParam, Lower, Complex, false>(random, {3, 6, 6}, false, {2, 0, 6, 5});
  using ComplexFloat = view_t<Kokkos::complex<float>, 2, Kokkos::LayoutRight, Space>;
  check_cholesky<TypeParam, Upper, ComplexFloat>(random, {7, 7});
}

TYPED_TEST(Potrf, StaticExtents) {
  Random random;
  const auto check = [&]<int Size>() {
    using View = Kokkos::View<double[Size][Size], Kokkos::LayoutRight,
                              typename TypeParam::space::memory_space, Unmanaged>;
    check_cholesky<TypeParam, Lower, View, false>(random, {Size, Size});
  };
  check.template operator()<3>();
  check.template operator()<7>();
  check.template operator()<16>();
}

TYPED_TEST(Potrf, StaticBatches) {
  Random random;
  const auto check = [&]<int Size, class T, class Triangle>(const std::vector<int>& minors) {
    using View =
        view_t<T, 3, StaticExtents<Kokkos::LayoutRight, 3, Size, Size>, typename TypeParam::space>;
    for (const int batch : {1, 5, more_than_at_once(Size)}) {
      check_cholesky<TypeParam, Triangle, View>(random, {batch, Size, Size});
      check_cholesky<TypeParam, Triangle, View, false>(random, {batch, Size, Size}, false, minors);
    }
  };
  check.template operator()<2, double, Lower>({0, 1, 2});
  check.template operator()<5, Kokkos::complex<double>, Upper>({0, 0, 4, 1});
  check.template operator()<13, float, Lower>({0, 13, 0, 6, 1});
  check.template operator()<21, double, Upper>({0, 20, 0, 0, 11});
  check.template operator()<32, double, Lower>({0, 0, 31, 2});
}

// One warp of a GPU has the tiles of these in registers.
TYPED_TEST(PotrfAllLevels, StaticTiles) {
  Random random;
  const auto check = [&]<int Size, class Triangle, class Layout>(const std::vector<int>& minors) {
    using View = view_t<double, 3, StaticExtents<Layout, 3, Size, Size>, typename TypeParam::space>;
    for (const int batch : {1, 3, 9}) {
      check_cholesky<TypeParam, Triangle, View>(random, {batch, Size, Size});
    }
    check_cholesky<TypeParam, Triangle, View, false>(random, {4, Size, Size}, false, minors);
  };
  check.template operator()<33, Lower, Kokkos::LayoutRight>({0, 1, 0, 33});
  check.template operator()<47, Upper, Kokkos::LayoutRight>({0, 16, 47});
  check.template operator()<64, Lower, Kokkos::LayoutLeft>({64, 0, 9, 57});
}

TYPED_TEST(Potrf, Packs) {
  Random random;
  using Space = typename TypeParam::space;
  using View = view_t<Pack<double, 4>, 2, Kokkos::LayoutRight, Space>;
  for (const int n : {1, 4, 6, 11, 17}) check_cholesky<TypeParam, Lower, View>(random, {n, n});
  check_cholesky<TypeParam, Lower, View, false>(random, {9, 9}, false, {0, 7, 0, 1, 9, 0, 3});
  using Static = Kokkos::View<Pack<float, 16>[5][5], Kokkos::LayoutRight,
                              typename Space::memory_space, Unmanaged>;
  check_cholesky<TypeParam, Upper, Static, false>(random, {5, 5}, false, {0, 0, 4});
  using Complex = view_t<Pack<Kokkos::complex<double>, 2>, 3, Kokkos::LayoutStride, Space>;
  check_cholesky<TypeParam, Lower, Complex>(random, {2, 5, 5});
}

// --- Numbers that are not positive, or as small and as large as numbers can be
// ----------------------------------------------------------------------------------

TYPED_TEST(PotrfAllLevels, GivenNumbers) {
  using Space = typename TypeParam::space;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Random random;
  const std::vector<double> numbers{4, 0, -4, nan, 5e-324, 1.5e308, -0.0};
  const int batch = static_cast<int>(numbers.size());
  StridedTensor<double, Space> a(random, {batch, 2, 2}, Arrangement::strided);
  StridedTensor<int, Space> info(random, {batch}, Arrangement::strided);
  std::vector<long double> matrices;
  for (const double x : numbers) matrices.insert(matrices.end(), {9, 0, 0, x});
  a.assign(matrices, 0);
  using AView = view_t<double, 3, Kokkos::LayoutStride, Space>;
  using InfoView = view_t<int, 1, Kokkos::LayoutStride, Space>;
  const Functor<Lower, false, AView, AView, InfoView> functor{
      a.template views<AView>(), a.template views<AView>(), info.template views<InfoView>()};
  check_everywhere<TypeParam>(
      functor, false,
      [&](const std::vector<int>& codes) {
        EXPECT_EQ(codes, std::vector<int>{2});
        const auto after = a.dense(0).values;
        for (int z = 0; z < batch; ++z) {
          const double x = numbers[z];
          EXPECT_EQ(info.dense(0).values[z], x > 0 ? 0 : 2) << x;
          EXPECT_EQ(after[4 * z], 3) << x;
          const double expected = x > 0 ? std::sqrt(x) : x;
          const auto got = static_cast<double>(after[4 * z + 3]);
          EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << got;
        }
      },
      a, info);
}

TEST(PotrfExtents, Disagree) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Batch = Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Numbers = Kokkos::View<double*, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Integers = Kokkos::View<int*, Kokkos::LayoutRight, Kokkos::HostSpace>;
  const Matrix a("a", 3, 3), wide("wide", 3, 4), b("b", 4, 1);
  const Numbers x("x", 3), y("y", 2);
  const Batch batch("batch", 2, 3, 3);
  Kokkos::deep_copy(wide, 7.0);
  Kokkos::deep_copy(batch, 7.0);
  Kokkos::deep_copy(x, 5.0);
  EXPECT_EQ(SerialPotrf<Lower>::invoke(wide), -1);
  EXPECT_EQ(SerialPotrf<Lower>::invoke(batch, Integers("info", 3)), -1);
  EXPECT_EQ(SerialPotrs<Lower>::invoke(wide, x), -1);
  EXPECT_EQ(SerialPotrs<Lower>::invoke(a, y), -1);
  EXPECT_EQ(SerialPotrs<Lower>::invoke(a, b), -1);
  EXPECT_EQ(SerialPotrs<Lower>::invoke(batch, a), -1);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(wide.data()[i], 7.0);
  for (int i = 0; i < 18; ++i) EXPECT_EQ(batch.data()[i], 7.0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(x(i), 5.0);
}

// One factor for all vectors of a batch.
TEST(PotrsShared, Batch) {
  constexpr int batch = 4;
  const Kokkos::View<double[2][2], Kokkos::LayoutRight, Kokkos::HostSpace> a("a");
  const Kokkos::View<double[batch][2], Kokkos::LayoutRight, Kokkos::HostSpace> x("x");
  a(0, 0) = 4, a(1, 0) = 2, a(1, 1) = 10;  // L = [[2, 0], [1, 3]]
  for (int z = 0; z < batch; ++z) x(z, 0) = 6 + 4 * z, x(z, 1) = 12 + 2 * z;
  ASSERT_EQ(SerialPotrf<Lower>::invoke(a), 0);
  EXPECT_EQ(a(1, 1), 3);
  ASSERT_EQ(SerialPotrs<Lower>::invoke(shared(a), x), 0);
  for (int z = 0; z < batch; ++z) {
    EXPECT_NEAR(x(z, 0), 1 + z, 1e-14);
    EXPECT_NEAR(x(z, 1), 1, 1e-14);
  }
}

}  // namespace
}  // namespace KokkosContract::Test
