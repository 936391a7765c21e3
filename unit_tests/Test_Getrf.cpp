// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Gesv.hpp>
#include <KokkosContract/Getrf.hpp>
#include <KokkosContract/Getrs.hpp>

#include "Factored.hpp"
#include "Residual.hpp"

namespace KokkosContract::Test {
namespace {

struct GetrfForms {
  using Serial = SerialGetrf<>;
  template <class Member>
  using Vector = VectorGetrf<Member>;
  template <class Member>
  using Team = TeamGetrf<Member>;
  template <class Member>
  using TeamVector = TeamVectorGetrf<Member>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::GetrfRoutine::run(level, args...);
  }
};
template <class TransTag>
struct GetrsForms {
  using Serial = SerialGetrs<TransTag>;
  template <class Member>
  using Vector = VectorGetrs<Member, TransTag>;
  template <class Member>
  using Team = TeamGetrs<Member, TransTag, Algo::Getrs::Unblocked>;
  template <class Member>
  using TeamVector = TeamVectorGetrs<Member, TransTag>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::GetrsRoutine<TransTag>::run(level, args...);
  }
};
struct GesvForms {
  using Serial = SerialGesv<>;
  template <class Member>
  using Vector = VectorGesv<Member>;
  template <class Member>
  using Team = TeamGesv<Member>;
  template <class Member>
  using TeamVector = TeamVectorGesv<Member, Algo::Gesv::Blocked>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::gesv(level, args...);
  }
};

// What a functor does: it factors, it solves with the factors of A, or both at once.
struct FactorOnly {};
struct SolveOnly {};
struct Gesv {};
using N = Trans::NoTranspose;
using T = Trans::Transpose;
using C = Trans::ConjTranspose;

template <class What, class AView, class PView, class BView, class InfoView>
struct Functor {
  Problems<AView> a;
  Problems<PView> ipiv;
  Problems<BView> b;
  Problems<InfoView> info;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int problem) const {
    if constexpr (std::is_same_v<What, FactorOnly>) {
      return PublicForms<GetrfForms>::call(level, a(problem), ipiv(problem), info(problem));
    } else if constexpr (std::is_same_v<What, SolveOnly>) {
      return PublicForms<GetrsForms<N>>::call(level, a(problem), ipiv(problem), b(problem));
    } else if constexpr (std::is_same_v<What, Gesv>) {
      return PublicForms<GesvForms>::call(level, a(problem), ipiv(problem), b(problem),
                                          info(problem));
    } else {
      const int code =
          PublicForms<GetrfForms>::call(level, a(problem), ipiv(problem), info(problem));
      return code +
             PublicForms<GetrsForms<What>>::call(level, a(problem), ipiv(problem), b(problem));
    }
  }
};

/// Rows swapped as ipiv says, which are legal interchanges.
template <class W>
Dense<W> interchanged(Dense<W> a, const std::vector<std::int64_t>& ipiv) {
  for (int p = 0; p < static_cast<int>(ipiv.size()); ++p) {
    const int r = static_cast<int>(ipiv[p]);
    EXPECT_TRUE(r >= p && r < a.extents[0]) << "interchange " << p << " is with row " << r;
    if (r < p || r >= a.extents[0]) return a;
    for (int j = 0; j < a.extents[1]; ++j) std::swap(a(p, j), a(r, j));
  }
  return a;
}

/// P A = L U, and no multiplier is larger than a pivot allows.
template <class Scalar, class W>
void expect_factors(const Dense<W>& before, const Dense<W>& after,
                    const std::vector<std::int64_t>& ipiv) {
  const int rows = before.extents[0], cols = before.extents[1], steps = std::min(rows, cols);
  // |re| + |im| of a pivot is the largest, so that the absolute value of a multiplier is at most:
  const long double most = is_complex<Scalar>::value ? 1.4143L : 1.0001L;
  Dense<W> l{{rows, steps}, std::vector<W>(static_cast<std::size_t>(rows) * steps)};
  Dense<W> u{{steps, cols}, std::vector<W>(static_cast<std::size_t>(steps) * cols)};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      if (i <= j) {
        u(i, j) = after(i, j);
      } else {
        EXPECT_LE(magnitude(l(i, j) = after(i, j)), most);
      }
    }
    if (i < steps) l(i, i) = 1;
  }
  expect_small<Scalar>(difference(interchanged(before, ipiv), product(l, u)), std::max(rows, cols),
                       norm_one(before));
}

enum class Matrices { random, dominant, scaled, near_singular, chained };

/// Row i + 1 is row i of L U, the last one first, so that each pivot has to be fetched from the row
/// below. Before an elimination the other elements of the next column are larger than its pivot,
/// and the last pivot is zero. All numbers are exact.
template <class W>
Dense<W> chained_matrix(Random& random, int n) {
  Dense<W> l{{n, n}, std::vector<W>(n * n)}, u = l, a = l;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) l(i, j) = random.integer(0, 1) == 0 ? 0.5L : -0.5L;
    l(i, i) = u(i, i) = 1;
    for (int j = i + 1; j < n; ++j) u(i, j) = j == i + 1 ? 64 : random.integer(-2, 2);
  }
  u(n - 1, n - 1) = -l(n - 1, n - 2) * u(n - 2, n - 1);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) a((i + 1) % n, j) += l(i, k) * u(k, j);
    }
  }
  return a;
}

/// Matrices of one kind; in each lane and problem others.
template <class Tensor>
void make(Tensor& tensor, Random& random, Matrices kind) {
  using Scalar = typename Tensor::scalar;
  using W = wide_t<Scalar>;
  const auto& extents = tensor.extents();
  const int rank = static_cast<int>(extents.size());
  const int rows = extents[rank - 2], cols = extents[rank - 1];
  if (rows * cols == 0) return;
  if (kind == Matrices::dominant) make_dominant(tensor, random);
  for (int p = 0; p < tensor.problems(); ++p) {
    for (int l = 0; l < lanes<typename Tensor::value_type>::count; ++l) {
      auto dense = tensor.template dense<W>(p, l);
      for (std::size_t first = 0; first < dense.values.size(); first += rows * cols) {
        W* a = &dense.values[first];
        for (int i = 0; i < rows && kind == Matrices::scaled; ++i) {
          const long double factor = std::pow(2.0L, random.integer(-40, 40));
          for (int j = 0; j < cols; ++j) a[i * cols + j] *= factor;
        }
        // The last row is nearly that before it: by a few rounding errors more than a multiple of
        // it, after which the last pivot could be exactly zero.
        for (int j = 0; j < cols && rows > 1 && kind == Matrices::near_singular; ++j) {
          const W x = a[(rows - 2) * cols + j];
          a[(rows - 1) * cols + j] = x + x * (64 * (j + 1) * unit_roundoff<Scalar>());
        }
        if (kind == Matrices::chained) {
          const auto matrix = chained_matrix<W>(random, rows);
          std::copy(matrix.values.begin(), matrix.values.end(), a);
        }
      }
      tensor.assign(dense.values, p, l);
    }
  }
}

/// The entries of ipiv of number z of the batch and lane l.
template <class E>
std::vector<std::int64_t> pivots_of(const Dense<std::int64_t>& ipiv, int z, int steps, int l) {
  constexpr int count = KokkosContract::Impl::is_pack<E> ? lanes<E>::count : 1;
  std::vector<std::int64_t> result;
  for (int p = 0; p < steps; ++p) result.push_back(ipiv.values[(z * steps + p) * count + l]);
  return result;
}

/// extents: of A. right: number of right-hand sides, -1 for a vector.
template <class Level, class What, class AView>
void check_solve(Random& random, const std::vector<int>& extents, Matrices kind,
                 bool each_barrier_needed = false) {
  using Space = typename Level::space;
  using E = typename AView::value_type;
  using Scalar = typename lanes<E>::scalar;
  using W = wide_t<Scalar>;
  using Layout = typename AView::array_layout;
  constexpr bool factor_only = std::is_same_v<What, FactorOnly>;
  constexpr int rank = AView::rank();
  // A batch has matrices of right-hand sides, one matrix a vector.
  constexpr bool batch = rank == 3;
  constexpr int lane_rank = KokkosContract::Impl::is_pack<E> ? 1 : 0;
  using BView = view_t<E, batch ? 3 : 1, Layout, Space>;
  using PView = view_t<int, rank - 1 + lane_rank, Kokkos::LayoutStride, Space>;
  using InfoView = view_t<int, rank - 2 + lane_rank, Kokkos::LayoutStride, Space>;
  std::string trace = random.state() + ", kind " + std::to_string(static_cast<int>(kind));
  for (const int extent : extents) trace += " " + std::to_string(extent);
  SCOPED_TRACE(trace);

  const int m = extents[rank - 2], n = extents[rank - 1], steps = std::min(m, n);
  const int number = batch ? extents[0] : 1, outer = batch ? extents[0] : -1;
  std::vector<int> b_extents{m};
  if (batch) b_extents = {extents[0], m, 3};
  const int problems = 2;
  StridedTensor<E, Space> a(random, extents, arrangement_of<Layout>(), problems);
  StridedTensor<E, Space> b(random, b_extents, arrangement_of<Layout>(), problems);
  StridedTensor<int, Space> ipiv(random, entries_of<E>(outer, steps), Arrangement::strided,
                                 problems);
  StridedTensor<int, Space> info(random, entries_of<E>(outer, -1), Arrangement::strided, problems);
  // Without a barrier a worker may look at what was there before, which has to be the number of a
  // row.
  if (each_barrier_needed) ipiv.fill(0);
  make(a, random, kind);
  std::vector<Dense<W>> a_before, b_before;
  for (int p = 0; p < problems; ++p) {
    for (int l = 0; l < lanes<E>::count; ++l) {
      a_before.push_back(a.template dense<W>(p, l));
      b_before.push_back(b.template dense<W>(p, l));
    }
  }
  using F = Functor<What, AView, PView, BView, InfoView>;
  const F functor{a.template views<AView>(), ipiv.template views<PView>(),
                  b.template views<BView>(), info.template views<InfoView>()};
  if constexpr (std::is_same_v<What, SolveOnly>) {
    const Functor<FactorOnly, AView, PView, BView, InfoView> factor{functor.a, functor.ipiv,
                                                                    functor.b, functor.info};
    if constexpr (std::is_same_v<Level, Threads>) {
      // Its memory is the host's, wherever Serial runs.
      for (int p = 0; p < problems; ++p) factor(SerialCaller{}, p);
    } else {
      Serial::launch({1, 1}, problems, factor, {});
    }
    const auto keep = [](auto& tensor) {
      tensor.download();
      tensor.upload();
    };
    keep(a);
    keep(ipiv);
    keep(info);
  }
  const auto check = [&](const std::vector<int>& codes) {
    for (int p = 0; p < problems; ++p) {
      EXPECT_EQ(codes[p], 0);
      for (const auto i : info.dense(p).values) EXPECT_EQ(i, 0);
      for (int l = 0; l < lanes<E>::count; ++l) {
        const int e = p * lanes<E>::count + l;
        const auto a_after = a.template dense<W>(p, l), b_after = b.template dense<W>(p, l);
        for (int z = 0; z < number; ++z) {
          SCOPED_TRACE("problem " + std::to_string(p) + ", lane " + std::to_string(l) +
                       ", number " + std::to_string(z));
          const auto before = matrix_of_batch(a_before[e], z, batch);
          expect_factors<Scalar>(before, matrix_of_batch(a_after, z, batch),
                                 pivots_of<E>(ipiv.dense(p), z, steps, l));
          if constexpr (!factor_only) {
            using TransTag =
                std::conditional_t<!std::is_same_v<What, Gesv> && !std::is_same_v<What, SolveOnly>,
                                   What, N>;
            expect_solution<Scalar>(transposed<TransTag>(before),
                                    matrix_of_batch(b_after, z, batch, !batch),
                                    matrix_of_batch(b_before[e], z, batch, !batch));
          }
        }
      }
    }
  };
  check_everywhere<Level>(functor, each_barrier_needed, check, a, ipiv, info, b);
}

template <class Level>
class GetrfAllLevels : public testing::Test {};
TYPED_TEST_SUITE(GetrfAllLevels, Levels, LevelNames);
template <class Level>
class GetrfHeavy : public testing::Test {};
TYPED_TEST_SUITE(GetrfHeavy, HeavyLevels, LevelNames);
template <class Level>
class Getrf : public testing::Test {};
TYPED_TEST_SUITE(Getrf, LaneLevels, LevelNames);

TYPED_TEST(GetrfAllLevels, Double) {
  Random random;
  using View = view_t<double, 2, Kokkos::LayoutStride, typename TypeParam::space>;
  for (const int n : {0, 1, 2, 3, 5, 8, 13, 16, 33}) {
    check_solve<TypeParam, N, View>(random, {n, n}, Matrices::random);
  }
  check_solve<TypeParam, N, View>(random, {10, 10}, Matrices::scaled);
  check_solve<TypeParam, N, View>(random, {10, 10}, Matrices::near_singular);
}

TYPED_TEST(GetrfHeavy, BatchesOfRightHandSides) {
  Random random;
  using View = view_t<double, 3, Kokkos::LayoutStride, typename TypeParam::space>;
  for (const int batch : {0, 1, 2, 5, 9}) {
    check_solve<TypeParam, Gesv, View>(random, {batch, 6, 6}, Matrices::random);
  }
  check_solve<TypeParam, Gesv, View>(random, {3, 17, 17}, Matrices::random);
}

template <class Level, class View>
void check_rectangular(Random& random) {
  const std::vector<std::vector<int>> shapes{{7, 4},  {4, 9},  {5, 0}, {0, 3},
                                             {11, 6}, {6, 23}, {1, 5}};
  for (const auto& shape : shapes) {
    check_solve<Level, FactorOnly, View>(random, shape, Matrices::random);
  }
}

TYPED_TEST(GetrfHeavy, Rectangular) {
  Random random;
  check_rectangular<TypeParam, view_t<double, 2, Kokkos::LayoutStride, typename TypeParam::space>>(
      random);
}

// One worker of a host factors these by halves.
TYPED_TEST(GetrfHeavy, Large) {
  Random random;
  using Space = typename TypeParam::space;
  using Strided = view_t<double, 2, Kokkos::LayoutStride, Space>;
  for (const auto& shape : {std::vector<int>{71, 45}, {45, 70}, {100, 32}, {32, 99}, {31, 60}}) {
    check_solve<TypeParam, FactorOnly, Strided>(random, shape, Matrices::random);
  }
  for (const auto kind : {Matrices::scaled, Matrices::near_singular, Matrices::chained}) {
    check_solve<TypeParam, FactorOnly, Strided>(random, {40, 40}, kind);
  }
  using Left = view_t<float, 2, Kokkos::LayoutLeft, Space>;
  check_solve<TypeParam, FactorOnly, Left>(random, {67, 53}, Matrices::random);
  check_solve<TypeParam, N, Left>(random, {48, 48}, Matrices::random);
  using Right = view_t<double, 3, Kokkos::LayoutRight, Space>;
  check_solve<TypeParam, Gesv, Right>(random, {2, 63, 63}, Matrices::random);
}

// On a GPU warps factor panels of these, and each lane has several rows. The last ones have too
// many rows for it.
TYPED_TEST(GetrfHeavy, RowsOfLanes) {
  Random random;
  using Space = typename TypeParam::space;
  using Right = view_t<double, 2, Kokkos::LayoutRight, Space>;
  for (const auto& shape : {std::vector<int>{33, 33},
                            {64, 64},
                            {65, 40},
                            {130, 33},
                            {150, 150},
                            {256, 35},
                            {34, 200},
                            {257, 40},
                            {300, 33}}) {
    check_solve<TypeParam, FactorOnly, Right>(random, shape, Matrices::random);
  }
  check_solve<TypeParam, FactorOnly, Right>(random, {140, 140}, Matrices::scaled);
  check_solve<TypeParam, FactorOnly, Right>(random, {100, 100}, Matrices::near_singular);
  using Batch = view_t<double, 3, Kokkos::LayoutLeft, Space>;
  for (const int batch : {1, 3, 9}) {
    check_solve<TypeParam, Gesv, Batch>(random, {batch, 50, 50}, Matrices::random);
  }
  using Static = view_t<double, 3, StaticExtents<Kokkos::LayoutRight, 3, 70, 70>, Space>;
  check_solve<TypeParam, Gesv, Static>(random, {2, 70, 70}, Matrices::random);
  using Complex = view_t<Kokkos::complex<double>, 2, Kokkos::LayoutRight, Space>;
  check_solve<TypeParam, FactorOnly, Complex>(random, {131, 50}, Matrices::random);
}

TYPED_TEST(GetrfAllLevels, EachBarrierIsNeeded) {
  Random random;
  using View = view_t<double, 2, Kokkos::LayoutStride, typename TypeParam::space>;
  check_solve<TypeParam, FactorOnly, View>(random, {9, 9}, Matrices::chained, true);
  check_solve<TypeParam, SolveOnly, View>(random, {9, 9}, Matrices::random, true);
}

TYPED_TEST(Getrf, Transposed) {
  Random random;
  using View = view_t<double, 3, Kokkos::LayoutLeft, typename TypeParam::space>;
  check_solve<TypeParam, T, View>(random, {5, 7, 7}, Matrices::random);
}

TYPED_TEST(GetrfHeavy, OtherTypes) {
  Random random;
  using Space = typename TypeParam::space;
  using Float = view_t<float, 2, Kokkos::LayoutRight, Space>;
  for (const int n : {2, 7, 17}) check_solve<TypeParam, N, Float>(random, {n, n}, Matrices::random);
  check_rectangular<TypeParam, Float>(random);
  using Complex = view_t<Kokkos::complex<double>, 2, Kokkos::LayoutStride, Space>;
  for (const int n : {1, 4, 11})
    check_solve<TypeParam, C, Complex>(random, {n, n}, Matrices::random);
  using ComplexFloat = view_t<Kokkos::complex<float>, 2, Kokkos::LayoutRight, Space>;
  check_solve<TypeParam, T, ComplexFloat>(random, {6, 6}, Matrices::random);
}

TYPED_TEST(Getrf, StaticExtents) {
  Random random;
  const auto check = [&]<int Rows, int Cols>() {
    using View = Kokkos::View<double[Rows][Cols], Kokkos::LayoutRight,
                              typename TypeParam::space::memory_space, Unmanaged>;
    check_solve<TypeParam, FactorOnly, View>(random, {Rows, Cols}, Matrices::random);
  };
  check.template operator()<7, 7>();
  check.template operator()<6, 11>();
}

TYPED_TEST(Getrf, StaticBatches) {
  Random random;
  const auto check = [&]<int Size, class E, class What>() {
    using View =
        view_t<E, 3, StaticExtents<Kokkos::LayoutRight, 3, Size, Size>, typename TypeParam::space>;
    for (const int batch : {1, 5, more_than_at_once(Size)}) {
      check_solve<TypeParam, What, View>(random, {batch, Size, Size}, Matrices::random);
    }
    check_solve<TypeParam, What, View>(random, {7, Size, Size}, Matrices::scaled);
  };
  check.template operator()<2, double, Gesv>();
  check.template operator()<4, Kokkos::complex<double>, T>();
  check.template operator()<7, double, N>();
  check.template operator()<8, double, Gesv>();
  check.template operator()<13, float, Gesv>();
  check.template operator()<20, double, T>();
  check.template operator()<29, double, N>();
  using One = Kokkos::View<double[9][9], Kokkos::LayoutRight,
                           typename TypeParam::space::memory_space, Unmanaged>;
  check_solve<TypeParam, N, One>(random, {9, 9}, Matrices::random);
  check_solve<TypeParam, T, One>(random, {9, 9}, Matrices::random);
  check_solve<TypeParam, Gesv, One>(random, {9, 9}, Matrices::random);
}

template <class Level>
class GetrfWarps : public testing::Test {};
TYPED_TEST_SUITE(GetrfWarps, WarpLevels, LevelNames);

TYPED_TEST(GetrfWarps, StaticBatches) {
  Random random;
  const auto check = [&]<int Size, class E, class Layout>(Layout) {
    using View = view_t<E, 3, StaticExtents<Layout, 3, Size, Size>, typename TypeParam::space>;
    check_solve<TypeParam, Gesv, View>(random, {more_than_at_once(Size), Size, Size},
                                       Matrices::random);
  };
  check.template operator()<5, double>(Kokkos::LayoutRight());
  check.template operator()<29, double>(Kokkos::LayoutRight());
  check.template operator()<6, float>(Kokkos::LayoutLeft());
}

TYPED_TEST(Getrf, Packs) {
  Random random;
  using Space = typename TypeParam::space;
  using View = view_t<Pack<double, 4>, 2, Kokkos::LayoutRight, Space>;
  for (const int n : {1, 2, 5, 9, 16}) {
    check_solve<TypeParam, N, View>(random, {n, n}, Matrices::random);
  }
  check_solve<TypeParam, N, View>(random, {8, 8}, Matrices::scaled);
  check_solve<TypeParam, N, View>(random, {9, 9}, Matrices::dominant);
  using Static = Kokkos::View<Pack<float, 16>[7][7], Kokkos::LayoutRight,
                              typename Space::memory_space, Unmanaged>;
  check_solve<TypeParam, T, Static>(random, {7, 7}, Matrices::random);
  using ComplexView = view_t<Pack<Kokkos::complex<double>, 2>, 3, Kokkos::LayoutStride, Space>;
  check_solve<TypeParam, Gesv, ComplexView>(random, {3, 5, 5}, Matrices::random);
}

// --- Given matrices, and what becomes of them
// -----------------------------------------------------

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Given {
  std::vector<long double> matrix, factors;
  std::vector<std::int64_t> ipiv;
  std::int64_t info;
};

const std::vector<Given>& given() {
  static const std::vector<Given> cases{
      {{0, 1, 1, 0}, {1, 0, 0, 1}, {1, 1}, 0},
      {{0, 2, -3, 0}, {-3, 0, 0, 2}, {1, 1}, 0},
      {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 1}, 1},
      {{1, 2, 2, 4}, {2, 4, 0.5L, 0}, {1, 1}, 2},
      {{0, 3, 0, 5}, {0, 3, 0, 5}, {0, 1}, 1},
      {{1e300, 1e300, -1e300, 1e300}, {1e300, 1e300, -1, 2e300}, {0, 1}, 0},
      {{1e-310, 1e-310, -1e-310, 1e-310}, {1e-310, 1e-310, -1, 2e-310}, {0, 1}, 0},
      {{nan, 1, 2, 3}, {2, 3, nan, nan}, {1, 1}, 0},
      {{nan, 1, nan, 3}, {nan, 1, nan, nan}, {0, 1}, 0},
  };
  return cases;
}

void expect_same(const std::vector<long double>& got, const std::vector<long double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t e = 0; e < got.size(); ++e) {
    const auto wanted = static_cast<double>(expected[e]);
    EXPECT_TRUE(got[e] == wanted || (std::isnan(got[e]) && std::isnan(wanted)))
        << "element " << e << " is " << got[e] << " instead of " << wanted;
  }
}

/// The given matrices in a batch.
template <class Level, class AView, bool Vector>
void check_given() {
  using Space = typename Level::space;
  Random random;
  const int batch = static_cast<int>(given().size());
  StridedTensor<double, Space> a(random, {batch, 2, 2},
                                 arrangement_of<typename AView::array_layout>());
  std::vector<int> b_extents{batch, 2};
  if (!Vector) b_extents.push_back(1);
  StridedTensor<double, Space> b(random, b_extents, Arrangement::strided);
  StridedTensor<int, Space> ipiv(random, {batch, 2}, Arrangement::strided);
  StridedTensor<int, Space> info(random, {batch}, Arrangement::strided);
  std::vector<long double> matrices, factored;
  std::vector<std::int64_t> infos, pivots;
  for (const Given& g : given()) {
    matrices.insert(matrices.end(), g.matrix.begin(), g.matrix.end());
    factored.insert(factored.end(), g.factors.begin(), g.factors.end());
    pivots.insert(pivots.end(), g.ipiv.begin(), g.ipiv.end());
    infos.push_back(g.info);
  }
  a.assign(matrices, 0);
  const auto before = b.dense(0).values;
  using BView = view_t<double, Vector ? 2 : 3, Kokkos::LayoutStride, Space>;
  using PView = view_t<int, 2, Kokkos::LayoutStride, Space>;
  using InfoView = view_t<int, 1, Kokkos::LayoutStride, Space>;
  const Functor<Gesv, AView, PView, BView, InfoView> functor{
      a.template views<AView>(), ipiv.template views<PView>(), b.template views<BView>(),
      info.template views<InfoView>()};
  check_everywhere<Level>(
      functor, false,
      [&](const std::vector<int>& codes) {
        EXPECT_EQ(codes, std::vector<int>{1});
        EXPECT_EQ(info.dense(0).values, infos);
        EXPECT_EQ(ipiv.dense(0).values, pivots);
        expect_same(a.dense(0).values, factored);
        // A singular problem keeps its b, the others are solved.
        const auto after = b.dense(0).values;
        for (int z = 0; z < batch; ++z) {
          const bool kept = after[2 * z] == before[2 * z] && after[2 * z + 1] == before[2 * z + 1];
          EXPECT_EQ(kept, infos[z] != 0) << "problem " << z;
        }
        EXPECT_EQ(after[0], before[1]);
        EXPECT_EQ(after[1], before[0]);
      },
      a, ipiv, info, b);
}
TYPED_TEST(GetrfHeavy, GivenMatrices) {
  using Space = typename TypeParam::space;
  check_given<TypeParam, view_t<double, 3, Kokkos::LayoutStride, Space>, false>();
  using Static = view_t<double, 3, StaticExtents<Kokkos::LayoutRight, 3, 2, 2>, Space>;
  check_given<TypeParam, Static, false>();
  check_given<TypeParam, Static, true>();
}

/// The given matrices in the lanes of packs.
TYPED_TEST(Getrf, GivenMatricesInLanes) {
  using Space = typename TypeParam::space;
  constexpr int L = 4, problems = 3;
  using E = Pack<double, L>;
  Random random;
  StridedTensor<E, Space> a(random, {2, 2}, Arrangement::right, problems);
  StridedTensor<E, Space> b(random, {2}, Arrangement::right, problems);
  StridedTensor<int, Space> ipiv(random, {2, L}, Arrangement::strided, problems);
  StridedTensor<int, Space> info(random, {L}, Arrangement::strided, problems);
  const auto number = [](int p, int l) { return (p * L + l) % given().size(); };
  for (int p = 0; p < problems; ++p) {
    for (int l = 0; l < L; ++l) a.assign(given()[number(p, l)].matrix, p, l);
  }
  using AView = view_t<E, 2, Kokkos::LayoutRight, Space>;
  using BView = view_t<E, 1, Kokkos::LayoutRight, Space>;
  using PView = view_t<int, 2, Kokkos::LayoutStride, Space>;
  using InfoView = view_t<int, 1, Kokkos::LayoutStride, Space>;
  const Functor<N, AView, PView, BView, InfoView> functor{
      a.template views<AView>(), ipiv.template views<PView>(), b.template views<BView>(),
      info.template views<InfoView>()};
  check_everywhere<TypeParam>(
      functor, false,
      [&](const std::vector<int>& codes) {
        for (int p = 0; p < problems; ++p) {
          int first = 0;
          for (int l = 0; l < L; ++l) {
            SCOPED_TRACE("problem " + std::to_string(p) + ", lane " + std::to_string(l));
            const Given& g = given()[number(p, l)];
            if (first == 0) first = static_cast<int>(g.info);
            expect_same(a.dense(p, l).values, g.factors);
            EXPECT_EQ(pivots_of<E>(ipiv.dense(p), 0, 2, l), g.ipiv);
            EXPECT_EQ(info.dense(p).values[l], g.info);
            const auto x = b.dense(p, l).values;
            const bool is_finite = std::isfinite(x[0]) && std::isfinite(x[1]);
            EXPECT_EQ(is_finite, g.info == 0 && g.factors[3] > 1e-300L);
          }
          EXPECT_EQ(codes[p], first);
        }
      },
      a, ipiv, info, b);
}

/// A column of zeros stays one.
template <class Level>
void check_zero_columns(int n, const std::vector<int>& columns) {
  using Space = typename Level::space;
  Random random;
  StridedTensor<double, Space> a(random, {n, n}, Arrangement::strided);
  StridedTensor<int, Space> ipiv(random, {n}, Arrangement::strided);
  StridedTensor<int, Space> info(random, {}, Arrangement::strided);
  auto before = a.dense(0);
  for (const int j : columns) {
    for (int i = 0; i < n; ++i) before(i, j) = 0;
  }
  a.assign(before.values, 0);
  using AView = view_t<double, 2, Kokkos::LayoutStride, Space>;
  using PView = view_t<int, 1, Kokkos::LayoutStride, Space>;
  using InfoView = view_t<int, 0, Kokkos::LayoutStride, Space>;
  const Functor<FactorOnly, AView, PView, PView, InfoView> functor{
      a.template views<AView>(), ipiv.template views<PView>(), ipiv.template views<PView>(),
      info.template views<InfoView>()};
  check_everywhere<Level>(
      functor, false,
      [&](const std::vector<int>& codes) {
        EXPECT_EQ(codes, std::vector<int>{columns.front() + 1});
        EXPECT_EQ(info.dense(0).values, std::vector<std::int64_t>{columns.front() + 1});
        expect_factors<double>(before, a.dense(0), ipiv.dense(0).values);
      },
      a, ipiv, info);
}

TYPED_TEST(Getrf, FirstZeroPivot) { check_zero_columns<TypeParam>(9, {5, 7}); }

// In the first panel, in a later one, at the edges of halves, and in the last column.
TYPED_TEST(GetrfHeavy, ZeroPivotsOfLarge) {
  check_zero_columns<TypeParam>(41, {3, 20});
  check_zero_columns<TypeParam>(41, {20, 35});
  check_zero_columns<TypeParam>(53, {32});
  check_zero_columns<TypeParam>(53, {52});
}

// --- Extents, and shared factors
// ------------------------------------------------------------------

TEST(GetrfExtents, Disagree) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Numbers = Kokkos::View<double*, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Integers = Kokkos::View<int*, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Packs = Kokkos::View<Pack<double, 4>**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using LaneIntegers = Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  const Matrix a("a", 3, 3), wide("wide", 3, 4), b("b", 2, 1);
  const Numbers x("x", 3), y("y", 4);
  const Integers two("two", 2), three("three", 3), four("four", 4);
  Kokkos::deep_copy(a, 7.0);
  Kokkos::deep_copy(x, 5.0);
  EXPECT_EQ(SerialGetrf<>::invoke(a, two), -1);
  EXPECT_EQ(SerialGetrf<>::invoke(a, four), -1);
  EXPECT_EQ(SerialGetrf<>::invoke(wide, four), -1);
  EXPECT_EQ(SerialGetrf<>::invoke(wide, three), 1);
  EXPECT_EQ(SerialGetrs<N>::invoke(wide, three, x), -1);
  EXPECT_EQ(SerialGetrs<N>::invoke(a, two, x), -1);
  EXPECT_EQ(SerialGetrs<N>::invoke(a, three, y), -1);
  EXPECT_EQ(SerialGetrs<N>::invoke(a, three, b), -1);
  EXPECT_EQ(SerialGesv<>::invoke(a, three, y), -1);
  EXPECT_EQ(SerialGesv<>::invoke(a, two, x), -1);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(a.data()[i], 7.0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(x(i), 5.0);
  const Packs p("p", 2, 2);
  EXPECT_EQ(SerialGetrf<>::invoke(p, LaneIntegers("ipiv", 2, 3)), -1);
  EXPECT_EQ(SerialGetrf<>::invoke(p, LaneIntegers("ipiv", 2, 4), Integers("info", 3)), -1);
  EXPECT_EQ(SerialGetrf<>::invoke(p, LaneIntegers("ipiv", 2, 4), Integers("info", 4)), 1);
}

// Sizes of complex numbers are those of LAPACK's izamax: |2 + 2 i| is less than 3.2, 2 + 2 is more.
TEST(GetrfComplex, PivotAsLapack) {
  using E = Kokkos::complex<double>;
  using Space = Kokkos::DefaultHostExecutionSpace;
  E a[] = {E(3.2, 0), E(1, 0), E(2, -2), E(1, 0)};
  int ipiv[] = {7, 7}, info = 7;
  const int code = SerialGetrf<>::invoke(
      view_t<E, 2, Kokkos::LayoutStride, Space>(a, Kokkos::LayoutStride(2, 2, 2, 1)),
      view_t<int, 1, Kokkos::LayoutStride, Space>(ipiv, Kokkos::LayoutStride(2, 1)),
      view_t<int, 0, Kokkos::LayoutStride, Space>(&info, Kokkos::LayoutStride()));
  EXPECT_EQ(code, 0);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(ipiv[0], 1);
  EXPECT_EQ(ipiv[1], 1);
  EXPECT_EQ(a[0], E(2, -2));
  EXPECT_NEAR(a[2].real(), 0.8, 1e-15);
  EXPECT_NEAR(a[2].imag(), 0.8, 1e-15);
}

// One matrix of scalars, right-hand sides of packs, several of them.
TEST(GetrsShared, BatchOfPacks) {
  Random random;
  constexpr int n = 5, batch = 3, L = 4;
  const Kokkos::View<double[n][n], Kokkos::LayoutRight, Kokkos::HostSpace> a("a"), factored("f");
  const Kokkos::View<Pack<double, L>[batch][n], Kokkos::LayoutRight, Kokkos::HostSpace> b("b"),
      x("x");
  const Kokkos::View<int[n], Kokkos::LayoutRight, Kokkos::HostSpace> ipiv("ipiv");
  for (int i = 0; i < n * n; ++i) a.data()[i] = factored.data()[i] = random.number<double>();
  for (int i = 0; i < batch * n; ++i) {
    for (int l = 0; l < L; ++l) b.data()[i][l] = x.data()[i][l] = random.number<double>();
  }
  ASSERT_EQ(SerialGetrf<>::invoke(factored, ipiv), 0);
  ASSERT_EQ(SerialGetrs<N>::invoke(shared(factored), shared(ipiv), x), 0);
  const Dense<long double> matrix{{n, n}, {a.data(), a.data() + n * n}};
  for (int z = 0; z < batch; ++z) {
    for (int l = 0; l < L; ++l) {
      Dense<long double> left{{n, 1}, {}}, right{{n, 1}, {}};
      for (int i = 0; i < n; ++i) left.values.push_back(x(z, i)[l]);
      for (int i = 0; i < n; ++i) right.values.push_back(b(z, i)[l]);
      expect_solution<double>(matrix, left, right);
    }
  }
}

// ipiv of a thread's own, and of other integers than int.
template <class Integers>
void check_ipiv(const Integers& ipiv) {
  Tile<double, 3, 3> a;
  Tile<double, 3> b;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) a(i, j) = i == (j + 1) % 3 ? 2 : 0;
    b(i) = 2 * i;
  }
  ASSERT_EQ(SerialGetrf<>::invoke(a, ipiv), 0);
  EXPECT_EQ(ipiv(0), 1);
  EXPECT_EQ(ipiv(1), 2);
  EXPECT_EQ(ipiv(2), 2);
  ASSERT_EQ(SerialGetrs<N>::invoke(a, ipiv, b), 0);
  for (int j = 0; j < 3; ++j) EXPECT_EQ(b(j), (j + 1) % 3);
}

TEST(GetrfIpiv, OtherTypes) {
  check_ipiv(Tile<int, 3>());
  check_ipiv(Tile<short, 3>());
  check_ipiv(Kokkos::View<long*, Kokkos::HostSpace>("ipiv", 3));
  check_ipiv(Kokkos::View<unsigned*, Kokkos::HostSpace>("ipiv", 3));
}

}  // namespace
}  // namespace KokkosContract::Test
