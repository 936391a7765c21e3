// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Geqrf, Ormqr and Gels.
#include <gtest/gtest.h>

#include <KokkosContract/QR.hpp>
#include <cmath>
#include <limits>

#include "Outputs.hpp"
#include "PackLanes.hpp"
#include "Residual.hpp"

namespace KokkosContract::Test {
namespace {

using N = Trans::NoTranspose;
using T = Trans::Transpose;
using C = Trans::ConjTranspose;
using Left = Side::Left;
using Right = Side::Right;
using Stride = Kokkos::LayoutStride;
using Complex = Kokkos::complex<double>;
using Pack4 = Pack<double, 4>;
using ComplexPack = Pack<Complex, 2>;

template <class Level>
class QRAllLevels : public testing::Test {};
TYPED_TEST_SUITE(QRAllLevels, Levels, LevelNames);
template <class Level>
class QR : public testing::Test {};
TYPED_TEST_SUITE(QR, LaneLevels, LevelNames);

// --- The public forms ---------------------------------------------------------------------------

struct GeqrfForms {
  using Serial = SerialGeqrf<>;
  template <class Member>
  using Vector = VectorGeqrf<Member>;
  template <class Member>
  using Team = TeamGeqrf<Member>;
  template <class Member>
  using TeamVector = TeamVectorGeqrf<Member>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::GeqrfRoutine::run(level, args...);
  }
};

template <class SideTag, class TransQ>
struct OrmqrForms {
  using Serial = SerialOrmqr<SideTag, TransQ>;
  template <class Member>
  using Vector = VectorOrmqr<Member, SideTag, TransQ>;
  template <class Member>
  using Team = TeamOrmqr<Member, SideTag, TransQ>;
  template <class Member>
  using TeamVector = TeamVectorOrmqr<Member, SideTag, TransQ>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::OrmqrRoutine<SideTag, TransQ>::run(level, args...);
  }
};

struct GelsForms {
  using Serial = SerialGels<>;
  template <class Member>
  using Vector = VectorGels<Member>;
  template <class Member>
  using Team = TeamGels<Member>;
  template <class Member>
  using TeamVector = TeamVectorGels<Member>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::GelsRoutine::run(level, args...);
  }
};

// --- Q and R from what Geqrf leaves -------------------------------------------------------------

/// Q in full, from its reflectors.
template <class W>
Dense<W> q_of(const Dense<W>& a, const std::vector<W>& tau) {
  const int m = a.extents[0];
  Dense<W> q = identity<W>(m);
  for (int k = static_cast<int>(tau.size()) - 1; k >= 0; --k) {
    std::vector<W> v(m);
    v[k] = 1;
    for (int i = k + 1; i < m; ++i) v[i] = a(i, k);
    for (int j = 0; j < m; ++j) {
      W sum(0);
      for (int i = k; i < m; ++i) sum += conjugate(v[i]) * q(i, j);
      for (int i = k; i < m; ++i) q(i, j) -= tau[k] * v[i] * sum;
    }
  }
  return q;
}

template <class W>
Dense<W> r_of(Dense<W> a) {
  for (int i = 0; i < a.extents[0]; ++i) {
    for (int j = 0; j < i && j < a.extents[1]; ++j) a(i, j) = 0;
  }
  return a;
}

/// A = Q R with a unitary Q, to within the rounding errors.
template <class Scalar, class W>
void expect_factors(const Dense<W>& before, const Dense<W>& after, const std::vector<W>& tau) {
  const int m = before.extents[0];
  const Dense<W> q = q_of(after, tau), r = r_of(after);
  expect_small<Scalar>(difference(product(q, r), before), std::max(m, 1), norm_one(before));
  expect_small<Scalar>(difference(product(transposed<C>(q), q), identity<W>(m)), m, 1);
  for (std::size_t k = 0; k < tau.size(); ++k) {
    const int d = static_cast<int>(k);
    EXPECT_EQ(std::imag(r(d, d)), 0);
    // The sign is opposite to that of alpha, so that 1 <= Re tau <= 2, but for H = I.
    const long double t = std::real(tau[k]);
    EXPECT_TRUE(tau[k] == W(0) || (t > 0.99L && t < 2.01L)) << "tau " << t;
  }
}

template <class W>
std::vector<W> row_of(const Dense<W>& tensor, int z, std::size_t size) {
  const auto first = tensor.values.begin() + z * static_cast<std::ptrdiff_t>(size);
  return {first, first + static_cast<std::ptrdiff_t>(size)};
}

struct GeqrfOp {
  template <class Level, class Scalar, class Tau, class A>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const Tau& tau, const Scalar&,
                                  const A& a) {
    return PublicForms<GeqrfForms>::call(level, a, tau);
  }
};

/// The factorisation of matrices that set(matrix) changes, or (`Batch`) of a batch of them.
template <class Level, class T_, class Layout, bool Batch, class Set>
void check_geqrf(Random& random, int m, int n, const Set& set, bool each_barrier_needed = false) {
  using Space = typename Level::space;
  using Scalar = typename lanes<T_>::scalar;
  constexpr int batch = Batch ? 4 : 1, count = lanes<T_>::count;
  using AView = view_t<T_, 2 + Batch, Layout, Space>;
  using TauView = view_t<T_, 1 + Batch, Stride, Space>;
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + ", " + random.state());
  const int steps = std::min(m, n);
  std::vector<int> a_extents{m, n}, tau_extents{steps};
  if (Batch) a_extents.insert(a_extents.begin(), batch);
  if (Batch) tau_extents.insert(tau_extents.begin(), batch);
  StridedTensor<T_, Space> a(random, a_extents, arrangement_of<Layout>(), 2);
  StridedTensor<T_, Space> tau(random, tau_extents, Arrangement::strided, 2);
  spoil(tau);
  for_each_lane_of(a, [&](int p, int l) {
    auto dense = a.dense(p, l);
    set(dense);
    a.assign(dense.values, p, l);
    return 0;
  });
  const auto before = for_each_lane_of(a, [&](int p, int l) { return a.dense(p, l); });
  check_everywhere<Level>(
      functor_of<GeqrfOp, AView, TauView>(1., a, tau), each_barrier_needed,
      [&](const std::vector<int>& codes) {
        EXPECT_EQ(codes, std::vector<int>(2, 0));
        for_each_lane_of(a, [&](int p, int l) {
          const auto after = a.dense(p, l), taus = tau.dense(p, l);
          for (int z = 0; z < batch; ++z) {
            expect_factors<Scalar>(matrix_of_batch(before[p * count + l], z, Batch),
                                   matrix_of_batch(after, z, Batch),
                                   row_of(taus, z, static_cast<std::size_t>(steps)));
          }
          return 0;
        });
      },
      a, tau);
}

template <class Level, class T_, class Layout, bool Batch = false>
void check_geqrf(Random& random, int m, int n) {
  // The last row of a real matrix has nothing to annihilate, and its step changes nothing.
  check_geqrf<Level, T_, Layout, Batch>(random, m, n, [](auto&) {}, m > n && n > 1);
}

TYPED_TEST(QRAllLevels, Geqrf) {
  Random random;
  for (const auto& [m, n] : {std::pair{0, 0},
                             {0, 3},
                             {3, 0},
                             {1, 1},
                             {2, 2},
                             {5, 5},
                             {7, 3},
                             {4, 9},
                             {17, 16},
                             {1, 6}}) {
    check_geqrf<TypeParam, double, Stride>(random, m, n);
    check_geqrf<TypeParam, double, Kokkos::LayoutRight>(random, m, n);
  }
}

// One worker of a host factors these by panels.
TYPED_TEST(QRAllLevels, GeqrfLarge) {
  Random random;
  check_geqrf<TypeParam, double, Stride>(random, 40, 51);
  check_geqrf<TypeParam, double, Kokkos::LayoutRight>(random, 45, 40);
  check_geqrf<TypeParam, float, Kokkos::LayoutRight>(random, 50, 41);
}

// Panels of many rows have fewer columns, and those of the last matrix have no room for any.
TEST(QROneThread, GeqrfOfManyRows) {
  Random random;
  constexpr int n = 40;
  for (const int m : {39, 81, 159, 160, 171, 1024, 1025, 2048, 2049}) {
    const Kokkos::View<double**, Kokkos::HostSpace> a("a", m, n), before("before", m, n);
    const Kokkos::View<double*, Kokkos::HostSpace> tau("tau", std::min(m, n));
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) a(i, j) = before(i, j) = random.number<double>();
    }
    ASSERT_EQ(SerialGeqrf<>::invoke(a, tau), 0);
    double worst = 0;
    for (int j = 0; j < n; ++j) {
      std::vector<double> column(m);  // of Q R
      for (int i = 0; i <= j && i < m; ++i) column[i] = a(i, j);
      for (int k = std::min(m, n) - 1; k >= 0; --k) {
        double sum = column[k];
        for (int i = k + 1; i < m; ++i) sum += a(i, k) * column[i];
        column[k] -= tau(k) * sum;
        for (int i = k + 1; i < m; ++i) column[i] -= tau(k) * sum * a(i, k);
      }
      for (int i = 0; i < m; ++i) worst = std::max(worst, std::abs(column[i] - before(i, j)));
    }
    EXPECT_LT(worst, 1e-13) << m;
  }
}

TYPED_TEST(QRAllLevels, GeqrfOtherTypes) {
  Random random;
  for (const auto& [m, n] : {std::pair{1, 1}, {6, 6}, {8, 3}, {3, 7}}) {
    check_geqrf<TypeParam, float, Kokkos::LayoutRight>(random, m, n);
    check_geqrf<TypeParam, Complex, Stride>(random, m, n);
    check_geqrf<TypeParam, Pack4, Kokkos::LayoutRight>(random, m, n);
    check_geqrf<TypeParam, ComplexPack, Kokkos::LayoutLeft>(random, m, n);
    check_geqrf<TypeParam, double, Stride, true>(random, m, n);
  }
}

// Rows and columns whose squares overflow or underflow; columns without anything to annihilate.
TYPED_TEST(QR, GeqrfExtremes) {
  Random random;
  const auto scale_by = [](long double factor) {
    return [=](auto& a) {
      for (auto& x : a.values) x *= factor;
    };
  };
  for (const long double factor : {1e200L, 1e-200L, 1e305L, 1e-308L, 1e-321L}) {
    SCOPED_TRACE(static_cast<double>(factor));
    // Elements this small are integer multiples of the smallest number, which R is, too.
    if (factor > 1e-320L) {
      check_geqrf<TypeParam, double, Stride, false>(random, 6, 4, scale_by(factor));
      check_geqrf<TypeParam, Pack4, Kokkos::LayoutRight, false>(random, 5, 5, scale_by(factor));
    }
    check_geqrf<TypeParam, Complex, Stride, false>(random, 3, 1,
                                                   scale_by(std::max(factor, 1e-308L)));
  }
  const auto graded = [](auto& a) {
    for (std::size_t e = 0; e < a.values.size(); ++e) {
      const std::size_t i = e / static_cast<std::size_t>(a.extents[1]);
      a.values[e] *= i == 0 ? 1 : 1e-200L;
    }
  };
  check_geqrf<TypeParam, double, Stride, false>(random, 6, 4, graded);
  const auto zero = [](auto& a) { std::fill(a.values.begin(), a.values.end(), 0); };
  check_geqrf<TypeParam, double, Stride, false>(random, 5, 3, zero);
  check_geqrf<TypeParam, Complex, Stride, false>(random, 4, 4, zero);
  // One column each is zero: of a pack, in one lane.
  int number = 0;
  const auto zero_column = [&](auto& a) {
    const int column = number++ % a.extents[1];
    for (int i = 0; i < a.extents[0]; ++i) a(i, column) = 0;
  };
  check_geqrf<TypeParam, Pack4, Kokkos::LayoutRight, false>(random, 6, 5, zero_column);
}

// As LAPACK does: v = x / (alpha - beta), also where x is tiny beside alpha.
TEST(QROneThread, Conventions) {
  const Kokkos::View<double**, Kokkos::HostSpace> a("a", 2, 1), b("b", 2, 1);
  const Kokkos::View<double*, Kokkos::HostSpace> tau("tau", 1);
  a(0, 0) = 3, a(1, 0) = 4;
  EXPECT_EQ(SerialGeqrf<>::invoke(a, tau), 0);
  EXPECT_DOUBLE_EQ(a(0, 0), -5);
  EXPECT_DOUBLE_EQ(a(1, 0), 0.5);
  EXPECT_DOUBLE_EQ(tau(0), 1.6);
  b(0, 0) = -1, b(1, 0) = 1e-200;
  EXPECT_EQ(SerialGeqrf<>::invoke(b, tau), 0);
  EXPECT_DOUBLE_EQ(b(0, 0), 1);
  EXPECT_DOUBLE_EQ(b(1, 0), -5e-201);
  EXPECT_DOUBLE_EQ(tau(0), 2);
}

TEST(QROneThread, NaN) {
  const Kokkos::View<double**, Kokkos::HostSpace> a("a", 3, 2);
  const Kokkos::View<double*, Kokkos::HostSpace> tau("tau", 2);
  Kokkos::deep_copy(a, 1);
  a(2, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(SerialGeqrf<>::invoke(a, tau), 0);
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(a(i, j)));
    EXPECT_TRUE(std::isnan(tau(j)));
  }
}

// --- Ormqr --------------------------------------------------------------------------------------

template <class SideTag, class TransQ, bool Share>
struct OrmqrOp {
  template <class Level, class Scalar, class A, class Tau, class C_>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const A& a, const Tau& tau,
                                  const Scalar&, const C_& c) {
    using Op = PublicForms<OrmqrForms<SideTag, TransQ>>;
    if constexpr (Share) {
      return Op::call(level, shared(a), shared(tau), c);
    } else {
      return Op::call(level, a, tau, c);
    }
  }
};

template <class AView, class TauView>
struct FactorEach {
  Problems<AView> a;
  Problems<TauView> tau;
  KOKKOS_FUNCTION void operator()(int p) const {
    require_success(SerialGeqrf<>::invoke(a(p), tau(p)));
  }
};

/// The reflectors of A and tau, in each problem, batch entry and lane.
template <class AView, class TauView, class Tensor>
void factor(Tensor& a, Tensor& tau) {
  Kokkos::parallel_for(
      "QR", Kokkos::RangePolicy<typename AView::execution_space>(0, a.problems()),
      FactorEach<AView, TauView>{a.template views<AView>(), tau.template views<TauView>()});
  Kokkos::fence();
  for (auto* tensor : {&a, &tau}) {
    tensor->download();
    tensor->upload();
  }
}

/// Q is m x m, of min(m, n) reflectors; C has `others` columns, or rows on the right; 0: a vector.
template <class Level, class T_, class SideTag, class TransQ, class Layout, bool Batch = false,
          bool Share = false, bool Vector = false>
void check_ormqr(Random& random, int m, int n, int others) {
  using Space = typename Level::space;
  using Scalar = typename lanes<T_>::scalar;
  constexpr bool left = std::is_same_v<SideTag, Left>, a_batch = Batch && !Share;
  constexpr int batch = Batch ? 3 : 1;
  using AView = view_t<T_, 2 + a_batch, Layout, Space>;
  using TauView = view_t<T_, 1 + a_batch, Stride, Space>;
  using CView = view_t<T_, 2 + Batch - Vector, Layout, Space>;
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + ", " + std::to_string(others) +
               ", " + random.state());
  std::vector<int> a_extents{m, n}, tau_extents{std::min(m, n)}, c_extents{m};
  if (!Vector) c_extents.insert(left ? c_extents.end() : c_extents.begin(), others);
  if (Batch) c_extents.insert(c_extents.begin(), batch);
  if (a_batch) a_extents.insert(a_extents.begin(), batch);
  if (a_batch) tau_extents.insert(tau_extents.begin(), batch);
  std::tuple<StridedTensor<T_, Space>, StridedTensor<T_, Space>> inputs{
      StridedTensor<T_, Space>(random, a_extents, arrangement_of<Layout>(), 2),
      StridedTensor<T_, Space>(random, tau_extents, Arrangement::strided, 2)};
  auto& [a, tau] = inputs;
  factor<AView, TauView>(a, tau);
  StridedTensor<T_, Space> c(random, c_extents, arrangement_of<Layout>(), 2);
  const auto before = for_each_lane_of(c, [&](int p, int l) { return c.dense(p, l); });
  check_configurations(
      make_start<Level, OrmqrOp<SideTag, TransQ, Share>, CView, AView, TauView>(
          std::type_identity<double>{}, c, inputs),
      0., 0., [&](int p, int code) {
        EXPECT_EQ(code, 0);
        for (int l = 0; l < lanes<T_>::count; ++l) {
          const auto reflectors = a.dense(p, l), taus = tau.dense(p, l), got = c.dense(p, l);
          const auto& old = before[p * lanes<T_>::count + l];
          for (int z = 0; z < batch; ++z) {
            const auto q = transposed<TransQ>(
                q_of(matrix_of_batch(reflectors, z, a_batch),
                     row_of(taus, a_batch ? z : 0, static_cast<std::size_t>(std::min(m, n)))));
            const auto from = matrix_of_batch(old, z, Batch, Vector);
            const auto expected = left ? product(q, from) : product(from, q);
            expect_small<Scalar>(difference(matrix_of_batch(got, z, Batch, Vector), expected), m,
                                 norm_one(from) + norm_one(expected));
          }
        }
      });
}

TYPED_TEST(QRAllLevels, Ormqr) {
  Random random;
  for (const auto& [m, n] : {std::pair{0, 0}, {1, 1}, {5, 5}, {9, 4}, {3, 8}}) {
    check_ormqr<TypeParam, double, Left, N, Stride>(random, m, n, 11);
    check_ormqr<TypeParam, double, Right, T, Kokkos::LayoutRight>(random, m, n, 7);
  }
}

// One worker of a host applies panels of these reflectors.
TYPED_TEST(QRAllLevels, OrmqrLarge) {
  Random random;
  check_ormqr<TypeParam, double, Left, N, Stride>(random, 45, 40, 21);
  check_ormqr<TypeParam, double, Right, T, Kokkos::LayoutRight>(random, 41, 45, 66);
}

TYPED_TEST(QRAllLevels, OrmqrOtherTypes) {
  Random random;
  for (const auto& [m, n] : {std::pair{6, 6}, {7, 3}}) {
    check_ormqr<TypeParam, Complex, Left, C, Stride>(random, m, n, 3);
    check_ormqr<TypeParam, Complex, Right, N, Kokkos::LayoutRight>(random, m, n, 4);
    check_ormqr<TypeParam, Complex, Right, C, Kokkos::LayoutLeft>(random, m, n, 4);
    check_ormqr<TypeParam, Pack4, Left, T, Kokkos::LayoutRight>(random, m, n, 6);
    check_ormqr<TypeParam, float, Left, T, Stride, false, false, true>(random, m, n, 0);
    check_ormqr<TypeParam, double, Left, N, Kokkos::LayoutRight, true, false>(random, m, n, 9);
    check_ormqr<TypeParam, double, Left, T, Stride, true, true, true>(random, m, n, 0);
  }
}

// --- Gels ---------------------------------------------------------------------------------------

struct GelsOp {
  template <class Level, class Scalar, class A, class Tau, class Info, class B>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const A& a, const Tau& tau,
                                  const Info& info, const Scalar&, const B& b) {
    return PublicForms<GelsForms>::call(level, a, tau, b, info);
  }
};

/// zero: the column that is zero in the last problem, batch entry and lane; -1: none.
template <class Level, class T_, class Layout, bool Batch = false, bool Vector = false>
void check_gels(Random& random, int m, int n, int zero = -1) {
  using Space = typename Level::space;
  using Scalar = typename lanes<T_>::scalar;
  using W = wide_t<Scalar>;
  constexpr int batch = Batch ? 3 : 1, count = lanes<T_>::count, sides = 4;
  using AView = view_t<T_, 2 + Batch, Layout, Space>;
  using TauView = view_t<T_, 1 + Batch, Stride, Space>;
  using BView = view_t<T_, 2 + Batch - Vector, Layout, Space>;
  using InfoView = view_t<int, Batch + (count > 1), Stride, Space>;
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + ", " + random.state());
  std::vector<int> a_extents{m, n}, tau_extents{n}, b_extents{m}, info_extents;
  if (!Vector) b_extents.push_back(sides);
  if (count > 1) info_extents.push_back(count);
  for (auto* extents : {&a_extents, &tau_extents, &b_extents, &info_extents}) {
    if (Batch) extents->insert(extents->begin(), batch);
  }
  StridedTensor<T_, Space> a(random, a_extents, arrangement_of<Layout>(), 2);
  StridedTensor<T_, Space> tau(random, tau_extents, Arrangement::strided, 2);
  StridedTensor<T_, Space> b(random, b_extents, arrangement_of<Layout>(), 2);
  StridedTensor<int, Space> info(random, info_extents, Arrangement::strided, 2);
  if (zero >= 0) {
    auto values = a.dense(1, count - 1).values;
    for (int i = 0; i < m; ++i) values[((batch - 1) * m + i) * n + zero] = 0;
    a.assign(values, 1, count - 1);
  }
  const auto matrices = for_each_lane_of(a, [&](int p, int l) { return a.dense(p, l); });
  const auto sides_before = for_each_lane_of(b, [&](int p, int l) { return b.dense(p, l); });
  check_everywhere<Level>(
      functor_of<GelsOp, BView, AView, TauView, InfoView>(1., b, a, tau, info), false,
      [&](const std::vector<int>& codes) {
        EXPECT_EQ(codes, (std::vector<int>{0, zero + 1}));
        for_each_lane_of(a, [&](int p, int l) {
          const auto got = b.dense(p, l);
          for (int z = 0; z < batch; ++z) {
            const bool singular = zero >= 0 && p == 1 && l == count - 1 && z == batch - 1;
            EXPECT_EQ(info.dense(p).values[z * count + l], singular ? zero + 1 : 0);
            if (singular) continue;
            const auto matrix = matrix_of_batch(matrices[p * count + l], z, Batch);
            const auto right = matrix_of_batch(sides_before[p * count + l], z, Batch, Vector);
            const auto after = matrix_of_batch(got, z, Batch, Vector);
            Dense<W> x{{n, after.extents[1]}, {}};
            x.values.assign(after.values.begin(), after.values.begin() + n * after.extents[1]);
            // The residual is orthogonal to the columns of A, and its size is that of the rest.
            const auto residual = difference(product(matrix, x), right);
            expect_small<Scalar>(
                product(transposed<C>(matrix), residual), m,
                norm_one(matrix) * (norm_one(matrix) * norm_one(x) + norm_one(right)));
            for (int j = 0; j < after.extents[1]; ++j) {
              long double rest = 0, squares = 0;
              for (int i = 0; i < m; ++i) {
                squares += std::norm(residual(i, j));
                if (i >= n) rest += std::norm(after(i, j));
              }
              EXPECT_LE(std::abs(std::sqrt(rest) - std::sqrt(squares)),
                        30 * m * 2 * unit_roundoff<Scalar>() *
                            (norm_one(matrix) * norm_one(x) + norm_one(right)));
            }
          }
          return 0;
        });
      },
      b, a, tau, info);
}

TYPED_TEST(QRAllLevels, Gels) {
  Random random;
  for (const auto& [m, n] : {std::pair{0, 0}, {3, 0}, {1, 1}, {4, 4}, {9, 3}, {12, 7}}) {
    check_gels<TypeParam, double, Stride>(random, m, n);
  }
  check_gels<TypeParam, double, Stride>(random, 6, 4, 0);
  check_gels<TypeParam, double, Stride>(random, 6, 4, 3);
}

TYPED_TEST(QRAllLevels, GelsOtherTypes) {
  Random random;
  check_gels<TypeParam, Complex, Kokkos::LayoutRight>(random, 7, 4);
  check_gels<TypeParam, Kokkos::complex<float>, Kokkos::LayoutLeft>(random, 6, 3);
  check_gels<TypeParam, Pack4, Kokkos::LayoutRight>(random, 7, 4, 2);
  check_gels<TypeParam, float, Kokkos::LayoutLeft, true, true>(random, 8, 3, 1);
}

TYPED_TEST(QR, StaticExtents) {
  Random random;
  using Row = Kokkos::LayoutRight;
  check_geqrf<TypeParam, double, StaticExtents<Row, 3, 1, 1>, true>(random, 1, 1);
  check_geqrf<TypeParam, double, StaticExtents<Row, 3, 4, 4>, true>(random, 4, 4);
  check_geqrf<TypeParam, float, StaticExtents<Row, 3, 17, 9>, true>(random, 17, 9);
  check_geqrf<TypeParam, Complex, StaticExtents<Row, 3, 5, 7>, true>(random, 5, 7);
  check_geqrf<TypeParam, Complex, StaticExtents<Kokkos::LayoutLeft, 2, 6, 6>>(random, 6, 6);
  check_geqrf<TypeParam, double, StaticExtents<Row, 2, 30, 30>>(random, 30, 30);
  check_gels<TypeParam, double, StaticExtents<Row, 3, 7, 4>, true, true>(random, 7, 4);
  check_gels<TypeParam, Complex, StaticExtents<Row, 3, 5, 5>, true, true>(random, 5, 5, 2);
}

template <class Level>
class QRWarps : public testing::Test {};
TYPED_TEST_SUITE(QRWarps, WarpLevels, LevelNames);

TYPED_TEST(QRWarps, StaticExtents) {
  Random random;
  using Row = Kokkos::LayoutRight;
  check_geqrf<TypeParam, double, StaticExtents<Row, 3, 17, 9>, true>(random, 17, 9);
  check_gels<TypeParam, double, StaticExtents<Row, 3, 7, 4>, true, true>(random, 7, 4);
}

TYPED_TEST(QR, StaticExtremes) {
  Random random;
  using Static = StaticExtents<Kokkos::LayoutRight, 2, 6, 4>;
  for (const long double factor : {1e200L, 1e-200L, 1e-308L, 0.L}) {
    SCOPED_TRACE(static_cast<double>(factor));
    const auto scale = [=](auto& a) {
      for (auto& x : a.values) x *= factor;
    };
    check_geqrf<TypeParam, double, Static, false>(random, 6, 4, scale);
  }
  const auto graded = [](auto& a) {
    for (std::size_t e = 4; e < a.values.size(); ++e) a.values[e] *= 1e-200L;
  };
  check_geqrf<TypeParam, double, Static, false>(random, 6, 4, graded);
  const auto zero_column = [](auto& a) {
    for (int i = 0; i < 6; ++i) a(i, 1) = 0;
  };
  check_geqrf<TypeParam, double, Static, false>(random, 6, 4, zero_column);
}

// What static extents select is other code than that of the Views above.
TEST(QROneThread, StaticExtents) {
  const Kokkos::View<double**, Kokkos::HostSpace> a("a", 5, 3), b("b", 5, 2);
  const Kokkos::View<double*, Kokkos::HostSpace> tau("tau", 3);
  const Tile<double, 5, 3> fixed_a;
  const Tile<double, 5, 2> fixed_b;
  const Tile<double, 3> fixed_tau;
  Random random;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 3; ++j) a(i, j) = fixed_a(i, j) = random.number<double>();
    for (int j = 0; j < 2; ++j) b(i, j) = fixed_b(i, j) = random.number<double>();
  }
  EXPECT_EQ(SerialGels<>::invoke(a, tau, b), 0);
  EXPECT_EQ(SerialGels<>::invoke(fixed_a, fixed_tau, fixed_b), 0);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(fixed_a(i, j), a(i, j), 1e-14);
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(fixed_b(i, j), b(i, j), 1e-13);
  }
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(fixed_tau(k), tau(k), 1e-14);
}

TEST(QROneThread, Extents) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  const Kokkos::View<double**, Kokkos::HostSpace> tall("tall", 4, 3), wide("wide", 3, 4);
  const Kokkos::View<double*, Kokkos::HostSpace> three("three", 3), four("four", 4);
  EXPECT_EQ(SerialGeqrf<>::invoke(tall, four), -1);
  EXPECT_EQ((SerialOrmqr<Left, N>::invoke(tall, three, three)), -1);
  EXPECT_EQ((SerialOrmqr<Left, N>::invoke(tall, four, four)), -1);
  EXPECT_EQ((SerialOrmqr<Right, N>::invoke(tall, three, tall)), -1);
  EXPECT_EQ(SerialGels<>::invoke(wide, three, three), -1);
  EXPECT_EQ(SerialGels<>::invoke(tall, three, three), -1);
  // KokkosBatched's names, with a workspace.
  EXPECT_EQ(SerialQR<>::invoke(tall, three, four), 0);
  EXPECT_EQ((SerialApplyQ<Left, N>::invoke(tall, three, four, four)), 0);
}

}  // namespace
}  // namespace KokkosContract::Test
