// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Set, Scale, SetIdentity, Copy, Axpy, Dot, Ger and Syr.
#include <gtest/gtest.h>

#include <KokkosContract/Axpy.hpp>
#include <KokkosContract/Copy.hpp>
#include <KokkosContract/Dot.hpp>
#include <KokkosContract/Ger.hpp>
#include <KokkosContract/Set.hpp>
#include <KokkosContract/Syr.hpp>
#include <limits>

#include "Matrices.hpp"
#include "Outputs.hpp"
#include "PackLanes.hpp"

namespace KokkosContract::Test {
namespace {

using N = Trans::NoTranspose;
using T = Trans::Transpose;
using C = Trans::ConjTranspose;
using Stride = Kokkos::LayoutStride;
using Complex = Kokkos::complex<double>;
using ComplexFloat = Kokkos::complex<float>;
using Pack4 = Pack<double, 4>;
using ComplexPack = Pack<Complex, 2>;

template <class Level>
class Blas1AllLevels : public testing::Test {};
TYPED_TEST_SUITE(Blas1AllLevels, Levels, LevelNames);
template <class Level>
class Blas1 : public testing::Test {};
TYPED_TEST_SUITE(Blas1, FewLevels, LevelNames);

// --- The public forms ---------------------------------------------------------------------------

struct ScaleForms {
  using Serial = SerialScale;
  template <class Member>
  using Vector = VectorScale<Member>;
  template <class Member>
  using Team = TeamScale<Member>;
  template <class Member>
  using TeamVector = TeamVectorScale<Member>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::ScaleRoutine::run(level, args...);
  }
};

struct AxpyForms {
  using Serial = SerialAxpy;
  template <class Member>
  using Vector = VectorAxpy<Member>;
  template <class Member>
  using Team = TeamAxpy<Member>;
  template <class Member>
  using TeamVector = TeamVectorAxpy<Member>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::AxpyRoutine::run(level, args...);
  }
};

template <class TransY>
struct GerForms {
  using Serial = SerialGer<TransY>;
  template <class Member>
  using Vector = VectorGer<Member, TransY>;
  template <class Member>
  using Team = TeamGer<Member, TransY>;
  template <class Member>
  using TeamVector = TeamVectorGer<Member, TransY>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::GerRoutine<TransY>::run(level, args...);
  }
};

template <class Triangle, class TransX>
struct SyrForms {
  using Serial = SerialSyr<Triangle, TransX>;
  template <class Member>
  using Vector = VectorSyr<Member, Triangle, TransX>;
  template <class Member>
  using Team = TeamSyr<Member, Triangle, TransX>;
  template <class Member>
  using TeamVector = TeamVectorSyr<Member, Triangle, TransX>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::SyrRoutine<Triangle, TransX>::run(level, args...);
  }
};

struct SetForms {
  using Serial = SerialSet;
  template <class Member>
  using Vector = VectorSet<Member>;
  template <class Member>
  using Team = TeamSet<Member>;
  template <class Member>
  using TeamVector = TeamVectorSet<Member>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::SetRoutine::run(level, args...);
  }
};

struct SetIdentityForms {
  using Serial = SerialSetIdentity;
  template <class Member>
  using Vector = VectorSetIdentity<Member>;
  template <class Member>
  using Team = TeamSetIdentity<Member>;
  template <class Member>
  using TeamVector = TeamVectorSetIdentity<Member>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::SetIdentityRoutine::run(level, args...);
  }
};

template <class TransA>
struct CopyForms {
  using Serial = SerialCopy<TransA>;
  template <class Member>
  using Vector = VectorCopy<Member, TransA>;
  template <class Member>
  using Team = TeamCopy<Member, TransA>;
  template <class Member>
  using TeamVector = TeamVectorCopy<Member, TransA>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::CopyRoutine<TransA, -1>::run(level, args...);
  }
};

template <class TransX>
struct DotForms {
  using Serial = SerialDot<TransX>;
  template <class Member>
  using Vector = VectorDot<Member, TransX>;
  template <class Member>
  using Team = TeamDot<Member, TransX>;
  template <class Member>
  using TeamVector = TeamVectorDot<Member, TransX>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::DotRoutine<TransX>::run(level, args...);
  }
};

// --- Updates: Axpy and Ger behind Scale ---------------------------------------------------------

/// output = alpha * (product of the inputs) + beta * output
template <class Forms>
struct ScaledUpdate {
  // One barrier hides the other if the same worker has the same elements in both.
  static constexpr bool barriers_cover_each_other = true;
  template <class Level, class Alpha, class... Rest>
  KOKKOS_FUNCTION static int call(const Level& level, const Alpha& alpha, const Rest&... rest) {
    return scale_and_update(level, alpha, rest...);
  }

 private:
  template <class Level, class Alpha, class X, class Beta, class Y>
  KOKKOS_FUNCTION static int scale_and_update(const Level& level, const Alpha& alpha, const X& x,
                                              const Beta& beta, const Y& y) {
    const int code = PublicForms<ScaleForms>::call(level, beta, y);
    return code != 0 ? code : PublicForms<Forms>::call(level, alpha, x, y);
  }
  template <class Level, class Alpha, class X, class Y, class Beta, class A>
  KOKKOS_FUNCTION static int scale_and_update(const Level& level, const Alpha& alpha, const X& x,
                                              const Y& y, const Beta& beta, const A& a) {
    const int code = PublicForms<ScaleForms>::call(level, beta, a);
    return code != 0 ? code : PublicForms<Forms>::call(level, alpha, x, y, a);
  }
};

template <class Level, class Scalar, int Rank, class Layout = Stride>
void check_axpy(Random& random) {
  using Space = typename Level::space;
  for (const int n : {0, 1, 2, 7, 33}) {
    check_operation<Level, ScaledUpdate<AxpyForms>, view_t<Scalar, Rank, Layout, Space>,
                    view_t<const Scalar, Rank, Layout, Space>>(
        random, Rank == 1 ? "i->i" : "bi->bi", {{'b', 4}, {'i', n}}, 2);
  }
}

template <class Level, class Scalar, class TransY, class Layout = Stride>
void check_ger(Random& random) {
  using Space = typename Level::space;
  using X = view_t<const Scalar, 1, Layout, Space>;
  const std::string star = std::is_same_v<TransY, C> ? "*" : "";
  for (const auto& [m, n] : {std::pair{0, 3}, {3, 0}, {1, 1}, {5, 7}, {9, 4}}) {
    check_operation<Level, ScaledUpdate<GerForms<TransY>>, view_t<Scalar, 2, Layout, Space>, X, X>(
        random, "i,j" + star + "->ij", {{'i', m}, {'j', n}}, 2);
  }
}

TYPED_TEST(Blas1AllLevels, Updates) {
  Random random;
  check_axpy<TypeParam, double, 1>(random);
  check_ger<TypeParam, double, T>(random);
}

TYPED_TEST(Blas1AllLevels, UpdatesOfOtherTypes) {
  Random random;
  using Space = typename TypeParam::space;
  check_axpy<TypeParam, float, 1>(random);
  check_axpy<TypeParam, Complex, 1>(random);
  check_axpy<TypeParam, ComplexFloat, 1>(random);
  check_axpy<TypeParam, Pack4, 2, Kokkos::LayoutLeft>(random);
  check_ger<TypeParam, Complex, C>(random);
  check_ger<TypeParam, ComplexFloat, C>(random);
  check_ger<TypeParam, Pack4, T, Kokkos::LayoutRight>(random);
  check_operation<TypeParam, WithShared<ScaledUpdate<GerForms<T>>, true, false>,
                  view_t<float, 3, Stride, Space>, view_t<const float, 1, Stride, Space>,
                  view_t<const float, 2, Stride, Space>>(random, "i,bj->bij",
                                                         {{'b', 4}, {'i', 3}, {'j', 5}}, 2);
}

// --- Elements -----------------------------------------------------------------------------------

/// beta plays no part.
struct SetOp {
  template <class Level, class Alpha, class Beta, class A>
  KOKKOS_FUNCTION static int call(const Level& level, const Alpha& alpha, const Beta&, const A& a) {
    return PublicForms<SetForms>::call(level, alpha, a);
  }
};
struct SetIdentityOp {
  template <class Level, class Alpha, class Beta, class A>
  KOKKOS_FUNCTION static int call(const Level& level, const Alpha&, const Beta&, const A& a) {
    return PublicForms<SetIdentityForms>::call(level, a);
  }
};

/// value(e) is what element number e becomes.
template <class Level, class Op, class View, class Value>
void check_elements(Random& random, const std::vector<int>& extents, double alpha,
                    const Value& value) {
  using Scalar = typename View::value_type;
  StridedTensor<Scalar, typename Level::space> a(random, extents,
                                                 arrangement_of<typename View::array_layout>(), 2);
  spoil(a);
  check_everywhere<Level>(
      functor_of<Op, View>(alpha, a), true,
      [&](const std::vector<int>& codes) {
        EXPECT_EQ(codes, std::vector<int>(2, 0));
        for_each_lane_of(a, [&](int p, int l) {
          const auto values = a.dense(p, l).values;
          for (std::size_t e = 0; e < values.size(); ++e) EXPECT_EQ(values[e], value(e)) << e;
          return 0;
        });
      },
      a);
}

template <class Level, class Scalar, class Layout>
void check_set(Random& random) {
  using Space = typename Level::space;
  using W = wide_t<typename lanes<Scalar>::scalar>;
  const auto constant = [](std::size_t) { return W(2.5L); };
  check_elements<Level, SetOp, view_t<Scalar, 0, Layout, Space>>(random, {}, 2.5, constant);
  check_elements<Level, SetOp, view_t<Scalar, 1, Layout, Space>>(random, {0}, 2.5, constant);
  check_elements<Level, SetOp, view_t<Scalar, 1, Layout, Space>>(random, {41}, 2.5, constant);
  check_elements<Level, SetOp, view_t<Scalar, 3, Layout, Space>>(random, {4, 5, 3}, 2.5, constant);
  const auto identity = [](int m, int n) {
    return [=](std::size_t e) {
      const int element = static_cast<int>(e) % (m * n);
      return W(element / n == element % n ? 1 : 0);
    };
  };
  const auto check_identity = [&](int m, int n) {
    check_elements<Level, SetIdentityOp, view_t<Scalar, 2, Layout, Space>>(random, {m, n}, 0.,
                                                                           identity(m, n));
  };
  check_identity(0, 0);
  check_identity(1, 1);
  check_identity(8, 8);
  check_identity(7, 9);
  check_identity(9, 6);
  check_elements<Level, SetIdentityOp, view_t<Scalar, 3, Layout, Space>>(random, {5, 4, 4}, 0.,
                                                                         identity(4, 4));
}

TYPED_TEST(Blas1AllLevels, Set) {
  Random random;
  check_set<TypeParam, double, Stride>(random);
}

TYPED_TEST(Blas1AllLevels, SetOtherTypes) {
  Random random;
  check_set<TypeParam, float, Kokkos::LayoutRight>(random);
  check_set<TypeParam, Complex, Kokkos::LayoutLeft>(random);
  check_set<TypeParam, ComplexFloat, Kokkos::LayoutRight>(random);
  check_set<TypeParam, Pack4, Kokkos::LayoutRight>(random);
}

// --- Copy and Dot: contractions without factors --------------------------------------------------

template <class TransA>
struct CopyOp {
  template <class Level, class Scalar, class A, class B>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const A& a, const Scalar&,
                                  const B& b) {
    return PublicForms<CopyForms<TransA>>::call(level, a, b);
  }
};
template <class TransX, bool Share = false>
struct DotOp {
  template <class Level, class Scalar, class X, class Y, class Result>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const X& x, const Y& y,
                                  const Scalar&, const Result& result) {
    if constexpr (Share) {
      return PublicForms<DotForms<TransX>>::call(level, shared(x), y, result);
    } else {
      return PublicForms<DotForms<TransX>>::call(level, x, y, result);
    }
  }
};

/// output = the contraction `text` of the inputs, once.
template <class Level, class Op, class Output, class... Inputs>
void check_contraction(Random& random, const std::string& text, const Extents& extents) {
  using Space = typename Level::space;
  using Element = typename Output::value_type;
  using Scalar = typename lanes<Element>::scalar;
  using W = wide_t<Scalar>;
  SCOPED_TRACE(text + text_of_extents(extents) + ", " + random.state());
  const Letters letters(text);
  auto inputs = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<tensor_for_t<Inputs, Space>...>{
        tensor_for<Inputs, Space>(random, letters.inputs[I], extents, 2)...};
  }(std::index_sequence_for<Inputs...>{});
  auto output = tensor_for<Output, Space>(random, letters.output, extents, 2);
  spoil(output);
  check_configurations(
      make_start<Level, Op, Output, Inputs...>(std::type_identity<double>{}, output, inputs), 1.,
      0., [&](int p, int code) {
        EXPECT_EQ(code, 0);
        for (int l = 0; l < lanes<Element>::count; ++l) {
          const auto dense = std::apply(
              [&](const auto&... input) {
                return std::vector<Dense<W>>{input.template dense<W>(p, l)...};
              },
              inputs);
          const auto sums = sum_products(text, dense);
          const auto got = output.template dense<W>(p, l);
          EXPECT_TRUE(
              within_bounds(got, expect<Scalar, Scalar>(sums, sizeof...(Inputs), W(1), W(0), got)));
          if (sizeof...(Inputs) == 1) {
            EXPECT_EQ(got.values, sums.value);
          }
        }
      });
}

template <class Level, class Scalar, class Op, int Rank, class Layout = Stride>
void check_copy(Random& random, const std::string& text) {
  using Space = typename Level::space;
  check_contraction<Level, Op, view_t<Scalar, Rank, Layout, Space>,
                    view_t<const Scalar, Rank, Layout, Space>>(random, text,
                                                               {{'b', 3}, {'i', 5}, {'j', 8}});
}

/// Rank: that of the operands; of the first one it is 1 if it is shared.
template <class Level, class Scalar, class TransX, int Rank, bool Share = false>
void check_dot(Random& random, const std::string& text) {
  using Space = typename Level::space;
  for (const int n : {0, 1, 6, 35}) {
    check_contraction<Level, DotOp<TransX, Share>, view_t<Scalar, Rank - 1, Stride, Space>,
                      view_t<const Scalar, Share ? 1 : Rank, Stride, Space>,
                      view_t<const Scalar, Rank, Stride, Space>>(random, text,
                                                                 {{'b', 6}, {'i', n}});
  }
}

/// y = alpha_b x_b, with alpha in a View.
struct AxpyWithView {
  static constexpr bool barriers_cover_each_other = true;
  template <class Level, class Scalar, class Alphas, class X, class Y>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const Alphas& alphas,
                                  const X& x, const Scalar&, const Y& y) {
    const int code = PublicForms<SetForms>::call(level, 0, y);
    return code != 0 ? code : PublicForms<AxpyForms>::call(level, alphas, x, y);
  }
};

TYPED_TEST(Blas1AllLevels, CopyAndDot) {
  Random random;
  check_copy<TypeParam, double, CopyOp<T>, 2>(random, "ij->ji");
  check_dot<TypeParam, double, N, 1>(random, "i,i->");
  check_dot<TypeParam, double, N, 2>(random, "bi,bi->b");
}

TYPED_TEST(Blas1AllLevels, CopyAndDotOfOtherTypes) {
  Random random;
  using Space = typename TypeParam::space;
  check_copy<TypeParam, Complex, CopyOp<C>, 2>(random, "ij*->ji");
  check_copy<TypeParam, Complex, CopyOp<C>, 1>(random, "i*->i");
  check_copy<TypeParam, float, CopyOp<N>, 2>(random, "ij->ij");
  check_copy<TypeParam, ComplexFloat, CopyOp<C>, 2>(random, "ij*->ji");
  check_copy<TypeParam, double, CopyOp<T>, 3>(random, "bij->bji");
  check_copy<TypeParam, Pack4, CopyOp<N>, 2, Kokkos::LayoutRight>(random, "ij->ij");
  check_dot<TypeParam, Complex, N, 1>(random, "i*,i->");
  check_dot<TypeParam, ComplexFloat, N, 1>(random, "i*,i->");
  check_dot<TypeParam, Complex, N, 2>(random, "bi*,bi->b");
  check_dot<TypeParam, Complex, T, 2>(random, "ib,ib->b");
  check_dot<TypeParam, Complex, C, 2>(random, "ib*,ib->b");
  check_dot<TypeParam, float, N, 2, true>(random, "i,bi->b");
  check_dot<TypeParam, float, T, 2, true>(random, "i,ib->b");
  check_dot<TypeParam, ComplexPack, C, 1>(random, "i*,i->");
  check_contraction<TypeParam, AxpyWithView, view_t<double, 2, Stride, Space>,
                    view_t<const double, 1, Stride, Space>, view_t<const double, 2, Stride, Space>>(
      random, "b,bi->bi", {{'b', 4}, {'i', 7}});
}

TEST(Blas1OneThread, CopyToEach) {
  const Kokkos::View<double*, Kokkos::HostSpace> x("x", 3);
  const Kokkos::View<double**, Kokkos::HostSpace> y("y", 2, 3);
  for (int i = 0; i < 3; ++i) x(i) = i + 1;
  EXPECT_EQ(SerialCopy<>::invoke(shared(x), y), 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(y(0, i), i + 1);
    EXPECT_EQ(y(1, i), i + 1);
  }
}

// --- Syr ----------------------------------------------------------------------------------------

template <class Triangle, class TransX, bool Share = false>
struct SyrOp {
  template <class Level, class Alpha, class X, class A>
  KOKKOS_FUNCTION static int call(const Level& level, const Alpha& alpha, const X& x, const Alpha&,
                                  const A& a) {
    if constexpr (Share) {
      return PublicForms<SyrForms<Triangle, TransX>>::call(level, alpha, shared(x), a);
    } else {
      return PublicForms<SyrForms<Triangle, TransX>>::call(level, alpha, x, a);
    }
  }
};

/// With a real alpha a Hermitian update leaves the diagonal real; with a complex one it does not.
template <class Level, class Scalar, class Triangle, class TransX, class Layout = Stride,
          bool Batch = false, bool Share = false,
          class Alpha = real_of_t<typename lanes<Scalar>::scalar>>
void check_syr(Random& random, int n) {
  using Space = typename Level::space;
  using Element = typename lanes<Scalar>::scalar;
  using W = wide_t<Element>;
  using AView = view_t<Scalar, Batch ? 3 : 2, Layout, Space>;
  using XView = view_t<const Scalar, Batch && !Share ? 2 : 1, Layout, Space>;
  SCOPED_TRACE(std::to_string(n) + ", " + random.state());
  const int batch = Batch ? 3 : 1;
  std::vector<int> a_extents{n, n}, x_extents{n};
  if (Batch) a_extents.insert(a_extents.begin(), batch);
  if (Batch && !Share) x_extents.insert(x_extents.begin(), batch);
  std::tuple<tensor_for_t<XView, Space>> inputs{
      tensor_for_t<XView, Space>(random, x_extents, arrangement_of<Layout>(), 2)};
  auto& x = std::get<0>(inputs);
  StridedTensor<Scalar, Space> a(random, a_extents, arrangement_of<Layout>(), 2);
  const auto before = for_each_lane_of(a, [&](int p, int l) { return a.dense(p, l); });
  const auto start = make_start<Level, SyrOp<Triangle, TransX, Share>, AView, XView>(
      std::type_identity<Alpha>{}, a, inputs);
  std::vector<Alpha> alphas{Alpha(-1.5), Alpha(0)};
  if constexpr (is_complex<Alpha>::value) alphas.push_back(Alpha(0.5, -2));
  for (const Alpha& alpha : alphas) {
    const W by = widen<W>(alpha);
    const bool is_real = std::imag(by) == 0;
    check_configurations(start, alpha, Alpha(0), [&](int p, int code) {
      EXPECT_EQ(code, 0);
      for (int l = 0; l < lanes<Scalar>::count; ++l) {
        const auto old = before[p * lanes<Scalar>::count + l], got = a.dense(p, l),
                   v = x.dense(p, l);
        Expected<W> expected{got.extents, {}, {}};
        for (std::size_t e = 0; e < old.values.size(); ++e) {
          const std::size_t z = e / (n * n), i = e / n % n, j = e % n;
          const bool inside = std::is_same_v<Triangle, Uplo::Lower> ? j <= i : j >= i;
          W value = old.values[e];
          long double bound = 0;
          if (inside && by != W(0)) {
            const std::size_t first = Batch && !Share ? z * n : 0;
            const W other = v.values[first + j];
            const W product =
                by * v.values[first + i] * (std::is_same_v<TransX, C> ? conjugate(other) : other);
            value += product;
            bound = gamma(8, unit_roundoff<Element>()) * (magnitude(value) + magnitude(product));
            if (std::is_same_v<TransX, C> && is_real && i == j) value = W(std::real(value));
          }
          expected.value.push_back(value);
          expected.bound.push_back(bound);
        }
        EXPECT_TRUE(within_bounds(got, expected));
        if (by == W(0) || !is_real || !std::is_same_v<TransX, C>) continue;
        for (int i = 0; i < n; ++i) EXPECT_EQ(std::imag(got.values[i * n + i]), 0);
      }
    });
  }
}

TYPED_TEST(Blas1AllLevels, Syr) {
  Random random;
  for (const int n : {0, 1, 2, 7, 12}) {
    check_syr<TypeParam, double, Uplo::Lower, T>(random, n);
    check_syr<TypeParam, double, Uplo::Upper, T, Kokkos::LayoutRight>(random, n);
  }
}

TYPED_TEST(Blas1AllLevels, SyrOtherTypes) {
  Random random;
  for (const int n : {1, 6}) {
    check_syr<TypeParam, Complex, Uplo::Lower, C>(random, n);
    check_syr<TypeParam, Complex, Uplo::Upper, C, Kokkos::LayoutLeft>(random, n);
    check_syr<TypeParam, Complex, Uplo::Upper, T, Kokkos::LayoutRight>(random, n);
    check_syr<TypeParam, Pack4, Uplo::Lower, T, Kokkos::LayoutLeft>(random, n);
    check_syr<TypeParam, ComplexFloat, Uplo::Lower, C>(random, n);
    check_syr<TypeParam, ComplexPack, Uplo::Lower, C>(random, n);
    check_syr<TypeParam, double, Uplo::Lower, T, Stride, true>(random, n);
    check_syr<TypeParam, float, Uplo::Upper, T, Stride, true, true>(random, n);
    check_syr<TypeParam, Complex, Uplo::Lower, C, Stride, false, false, Complex>(random, n);
    check_syr<TypeParam, ComplexPack, Uplo::Upper, C, Kokkos::LayoutLeft, false, false, Complex>(
        random, n);
  }
}

TEST(Blas1OneThread, SyrWhereAlphaIsZeroInALane) {
  using P = Pack<Complex, 2>;
  const Kokkos::View<P*, Kokkos::HostSpace> x("x", 3);
  const Kokkos::View<P**, Kokkos::HostSpace> a("a", 3, 3);
  P alpha;
  alpha[0] = 0;
  alpha[1] = 2;
  for (int i = 0; i < 3; ++i) {
    x(i)[0] = std::numeric_limits<double>::quiet_NaN();
    x(i)[1] = Complex(1. + i, 1);
    for (int j = 0; j < 3; ++j) a(i, j)[0] = a(i, j)[1] = Complex(3. + i, 4. + j);
  }
  EXPECT_EQ((SerialSyr<Uplo::Lower, Trans::ConjTranspose>::invoke(alpha, x, a)), 0);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Complex before(3. + i, 4. + j);
      const auto product = 2. * Complex(1. + i, 1) * Kokkos::conj(x(j)[1]);
      EXPECT_EQ(a(i, j)[0], before);
      const auto after = before + product;
      EXPECT_EQ(a(i, j)[1], j > i ? before : (j < i ? after : Complex(after.real())));
    }
  }
}

// --- Misuse that only the run shows -------------------------------------------------------------

TEST(Blas1OneThread, Extents) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  const Kokkos::View<double**, Kokkos::HostSpace> a("a", 3, 4), b("b", 4, 4);
  const Kokkos::View<double*, Kokkos::HostSpace> x("x", 3), y("y", 4);
  const Kokkos::View<double, Kokkos::HostSpace> r("r");
  EXPECT_EQ(SerialAxpy::invoke(1., x, y), -1);
  EXPECT_EQ(SerialAxpy::invoke(y, a, a), -1);
  EXPECT_EQ(SerialDot<>::invoke(x, y, r), -1);
  EXPECT_EQ(SerialCopy<>::invoke(a, b), -1);
  EXPECT_EQ(SerialCopy<Trans::Transpose>::invoke(a, a), -1);
  EXPECT_EQ((SerialGer<Trans::Transpose>::invoke(1., y, x, a)), -1);
  EXPECT_EQ((SerialSyr<Uplo::Lower, Trans::Transpose>::invoke(1., x, b)), -1);
  EXPECT_EQ((SerialSyr<Uplo::Lower, Trans::Transpose>::invoke(1., x, a)), -1);
  EXPECT_EQ(SerialCopy<>::invoke(x, x), 0);
}

}  // namespace
}  // namespace KokkosContract::Test
