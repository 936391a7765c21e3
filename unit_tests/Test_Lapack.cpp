// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factorisations and norms beside LAPACK's, on the same matrices: the same info and pivots, and
// residuals within the bound of LAPACK's own tests, 30 n eps |A|.

#include <KokkosContract/Gbtrf.hpp>
#include <KokkosContract/Gesv.hpp>
#include <KokkosContract/Getrf.hpp>
#include <KokkosContract/Getrs.hpp>
#include <KokkosContract/Norm.hpp>
#include <KokkosContract/Pbtrf.hpp>
#include <KokkosContract/Potrf.hpp>
#include <KokkosContract/Potrs.hpp>
#include <KokkosContract/Pttrf.hpp>
#include <KokkosContract/QR.hpp>
#include <KokkosContract/Trtri.hpp>
#include <string>
#include <type_traits>

#include "Lapack.hpp"
#include "Residual.hpp"
#include "Views.hpp"

namespace KokkosContract::Test {
namespace {

template <class T>
using HostMatrix = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
template <class T>
using HostVector = Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace>;
using Pivots = Lapack<double>::Pivots;
using N = Trans::NoTranspose;
using T = Trans::Transpose;
using C = Trans::ConjTranspose;

// --- Calls
// ------------------------------------------------------------------------------------------

struct AtSerial {
  template <class Forms, class... Operands>
  static int call(const Operands&... operands) {
    return Forms::Serial::invoke(operands...);
  }
};
/// By several threads, which take other ways than one.
struct AtTeam {
  template <class Forms, class... Operands>
  static int call(const Operands&... operands) {
    using Policy = Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>;
    using Member = typename Policy::member_type;
    const int threads = std::min(4, Kokkos::DefaultHostExecutionSpace().concurrency());
    int code = 0;
    Kokkos::parallel_reduce(
        Policy(1, threads),
        [&](const Member& member, int& sum) {
          const int mine = Forms::template Team<Member>::invoke(member, operands...);
          Kokkos::single(Kokkos::PerTeam(member), [&] { sum += mine; });
        },
        code);
    return code;
  }
};

#define KOKKOSCONTRACT_TEST_FORMS(name, ...)                    \
  struct name##Forms {                                          \
    using Serial = Serial##name<__VA_ARGS__>;                   \
    template <class Member>                                     \
    using Team = Team##name<Member __VA_OPT__(, ) __VA_ARGS__>; \
  };
KOKKOSCONTRACT_TEST_FORMS(Getrf)
KOKKOSCONTRACT_TEST_FORMS(Gesv)
KOKKOSCONTRACT_TEST_FORMS(Geqrf)
KOKKOSCONTRACT_TEST_FORMS(Gels)
template <class TransA>
KOKKOSCONTRACT_TEST_FORMS(Getrs, TransA)
template <class Triangle>
KOKKOSCONTRACT_TEST_FORMS(Potrf, Triangle)
template <class Triangle>
KOKKOSCONTRACT_TEST_FORMS(Potrs, Triangle)
template <class Where, class TransQ>
KOKKOSCONTRACT_TEST_FORMS(Ormqr, Where, TransQ)
template <class Triangle, class Diagonal>
KOKKOSCONTRACT_TEST_FORMS(Trtri, Triangle, Diagonal)
#undef KOKKOSCONTRACT_TEST_FORMS

// --- Matrices
// ---------------------------------------------------------------------------------------

template <class S, class L>
struct Case {
  using Scalar = S;
  using Level = L;
};

template <class Case>
struct LapackTest : testing::Test {
  using Scalar = typename Case::Scalar;
  using Real = real_of_t<Scalar>;
  using W = wide_t<Scalar>;
  Random random;

  template <class Forms, class... Operands>
  static int call(const Operands&... operands) {
    return Case::Level::template call<Forms>(operands...);
  }

  HostMatrix<Scalar> matrix(int m, int n) {
    const HostMatrix<Scalar> a("a", m, n);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) a(i, j) = random.template number<Scalar>();
    }
    return a;
  }
  static constexpr Real eps = std::numeric_limits<Real>::epsilon();
  /// A power of two whose products do not overflow.
  Real power_of_two() {
    constexpr int most = std::numeric_limits<Real>::max_exponent / 8;
    return std::ldexp(Real(1), random.integer(-most, most));
  }
};
using Complex = Kokkos::complex<double>;
using Cases = testing::Types<Case<float, AtSerial>, Case<double, AtSerial>, Case<double, AtTeam>,
                             Case<Kokkos::complex<float>, AtSerial>, Case<Complex, AtSerial>,
                             Case<Complex, AtTeam>>;
TYPED_TEST_SUITE(LapackTest, Cases);

template <class S>
Dense<wide_t<S>> dense(const HostMatrix<S>& a) {
  const int m = static_cast<int>(a.extent(0)), n = static_cast<int>(a.extent(1));
  Dense<wide_t<S>> result{{m, n}, std::vector<wide_t<S>>(static_cast<std::size_t>(m) * n)};
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) result(i, j) = widen<wide_t<S>>(a(i, j));
  }
  return result;
}

/// Elements differ by at most 30 n eps scale; NaN is where NaN is.
template <class V, class Real>
void expect_near(const V& got, const V& expected, int n, Real scale) {
  const Real bound = 30 * static_cast<Real>(n) * std::numeric_limits<Real>::epsilon() * scale;
  int wrong = 0;
  for (std::size_t e = 0; e < got.span(); ++e) {
    const Real error = Kokkos::abs(got.data()[e] - expected.data()[e]);
    const bool nan = std::isnan(Kokkos::abs(expected.data()[e]));
    if (nan ? !std::isnan(error) : !(error <= bound)) ++wrong;
    if (nan && !std::isnan(Kokkos::abs(got.data()[e]))) ++wrong;
  }
  EXPECT_EQ(wrong, 0) << "elements differ from LAPACK's by more than " << bound;
}

/// What LU meets. The pivots do not depend on rounding.
template <class Fixture, class F>
void for_each_general(Fixture& fixture, const F& f) {
  using S = typename Fixture::Scalar;
  const int sizes[][2] = {{0, 0}, {0, 3}, {1, 1}, {1, 4}, {6, 1}, {5, 3}, {3, 5}, {8, 8}, {17, 17}};
  for (const auto& [m, n] : sizes) {
    const int least = std::min(m, n);
    const auto run = [&, rows = m, cols = n](const char* name, auto change) {
      const auto a = fixture.matrix(rows, cols);
      if (least > 0) change(a);
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols) + ' ' + name);
      f(a);
    };
    const auto rows = m, cols = n;
    run("random", [](const auto&) {});
    run("zero", [](const auto& a) { Kokkos::deep_copy(a, S(0)); });
    run("zero column", [&](const auto& a) {
      for (int i = 0; i < rows; ++i) a(i, least / 2) = 0;
    });
    run("zero row", [&](const auto& a) {
      for (int j = 0; j < cols; ++j) a(rows / 2, j) = 0;
    });
    run("badly scaled rows", [&](const auto& a) {
      for (int i = 0; i < rows; ++i) {
        const auto scale = fixture.power_of_two();
        for (int j = 0; j < cols; ++j) a(i, j) *= scale;
      }
    });
    run("badly scaled columns", [&](const auto& a) {
      for (int j = 0; j < cols; ++j) {
        const auto scale = fixture.power_of_two();
        for (int i = 0; i < rows; ++i) a(i, j) *= scale;
      }
    });
    if (rows <= cols) {
      // Not to the last bit, of which it would depend whether the last pivot is zero; nor with more
      // rows than columns, where that pivot would be chosen among such differences.
      run("nearly singular", [&](const auto& a) {
        for (int i = 0; i < rows && least > 1; ++i) {
          a(i, cols - 1) = a(i, 0) + 1024 * fixture.eps * fixture.random.template number<S>();
        }
      });
      run("NaN", [&](const auto& a) { a(rows / 2, cols - 1) = S(std::nan("")); });
    }
  }
}

template <class S>
bool has_nan(const HostMatrix<S>& a) {
  bool nan = false;
  for (std::size_t e = 0; e < a.span(); ++e) nan = nan || std::isnan(Kokkos::abs(a.data()[e]));
  return nan;
}

/// |P A - L U| is small.
template <class S>
void expect_factors(const HostMatrix<S>& a, const HostMatrix<S>& lu, const Pivots& ipiv) {
  using W = wide_t<S>;
  const int m = static_cast<int>(a.extent(0)), n = static_cast<int>(a.extent(1));
  const int k = std::min(m, n);
  auto permuted = dense<S>(a);
  Dense<W> lower{{m, k}, std::vector<W>(static_cast<std::size_t>(m) * k)};
  Dense<W> upper{{k, n}, std::vector<W>(static_cast<std::size_t>(k) * n)};
  const auto factors = dense<S>(lu);
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < n; ++j) std::swap(permuted(i, j), permuted(ipiv(i), j));
    for (int j = i; j < n; ++j) upper(i, j) = factors(i, j);
    for (int r = i; r < m; ++r) lower(r, i) = r == i ? W(1) : factors(r, i);
  }
  expect_small<S>(difference(permuted, product(lower, upper)), std::max(m, n), norm_one(permuted));
}

TYPED_TEST(LapackTest, Getrf) {
  using S = typename TestFixture::Scalar;
  for_each_general(*this, [&](const HostMatrix<S>& a) {
    const int k = static_cast<int>(std::min(a.extent(0), a.extent(1)));
    const auto got = copy_of(a), expected = copy_of(a);
    const Pivots ipiv("ipiv", k), theirs("theirs", k);
    EXPECT_EQ(this->template call<GetrfForms>(got, ipiv), Lapack<S>::getrf(expected, theirs));
    for (int i = 0; i < k; ++i) EXPECT_EQ(ipiv(i), theirs(i) - 1) << i;
    if (testing::Test::HasFailure()) return;
    if (has_nan(a)) {
      expect_near(got, expected, k, typename TestFixture::Real(k));
    } else {
      expect_factors(a, got, ipiv);
    }
  });
}

TYPED_TEST(LapackTest, Getrs) {
  using S = typename TestFixture::Scalar;
  for (const int n : {0, 1, 6, 17}) {
    const auto a = this->matrix(n, n), b = this->matrix(n, 3), lu = copy_of(a);
    const Pivots ipiv("ipiv", n), one_based("one_based", n);
    EXPECT_EQ(Lapack<S>::getrf(lu, one_based), 0);
    for (int i = 0; i < n; ++i) ipiv(i) = one_based(i) - 1;
    const auto check = [&]<class TransA>(std::type_identity<TransA>, char trans) {
      SCOPED_TRACE(std::string(1, trans) + std::to_string(n));
      const auto x = copy_of(b), theirs = copy_of(b);
      EXPECT_EQ(this->template call<GetrsForms<TransA>>(lu, ipiv, x), 0);
      EXPECT_EQ(Lapack<S>::getrs(trans, lu, one_based, theirs), 0);
      const auto op = transposed<TransA>(dense<S>(a));
      expect_solution<S>(op, dense<S>(x), dense<S>(b));
      expect_solution<S>(op, dense<S>(theirs), dense<S>(b));
    };
    check(std::type_identity<N>{}, 'N');
    check(std::type_identity<T>{}, 'T');
    check(std::type_identity<C>{}, 'C');
  }
}

TYPED_TEST(LapackTest, Gesv) {
  using S = typename TestFixture::Scalar;
  for_each_general(*this, [&](const HostMatrix<S>& a) {
    const int n = static_cast<int>(a.extent(0));
    if (static_cast<int>(a.extent(1)) != n || has_nan(a)) return;
    const auto b = this->matrix(n, 2), x = copy_of(b), theirs = copy_of(b);
    const Pivots ipiv("ipiv", n), their_pivots("theirs", n);
    const int info = this->template call<GesvForms>(copy_of(a), ipiv, x);
    EXPECT_EQ(info, Lapack<S>::gesv(copy_of(a), their_pivots, theirs));
    for (int i = 0; i < n; ++i) EXPECT_EQ(ipiv(i), their_pivots(i) - 1) << i;
    if (info == 0) {
      expect_solution<S>(dense<S>(a), dense<S>(x), dense<S>(b));
    } else {
      expect_near(x, theirs, 0, typename TestFixture::Real(0));  // as they were
    }
  });
}

// --- Cholesky
// ---------------------------------------------------------------------------------------

/// Hermitian positive definite, or at `bad` not: f(A, name, order of the first minor that is not
/// positive, or 0).
template <class Fixture, class F>
void for_each_hermitian(Fixture& fixture, const F& f) {
  using S = typename Fixture::Scalar;
  using R = typename Fixture::Real;
  for (const int n : {0, 1, 5, 17}) {
    const auto positive = [&](R shift) {
      const auto b = fixture.matrix(n, n), a = fixture.matrix(n, n);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          S sum = i == j ? S(shift) : S(0);
          for (int k = 0; k < n; ++k)
            sum += b(i, k) * KokkosContract::Impl::conjugate_if<true>(b(j, k));
          a(i, j) = sum;
        }
        a(i, i) = Kokkos::real(a(i, i));
      }
      return a;
    };
    const auto run = [&](const char* name, const HostMatrix<S>& a, int info) {
      SCOPED_TRACE(std::to_string(n) + ' ' + name);
      f(a, info);
    };
    run("well conditioned", positive(R(1)), 0);
    run("nearly singular", positive(100 * R(n) * R(n) * fixture.eps), 0);
    const auto scaled = positive(R(1));
    for (int i = 0; i < n; ++i) {
      const R scale = std::sqrt(fixture.power_of_two());
      for (int j = 0; j < n; ++j) {
        scaled(i, j) *= scale;
        scaled(j, i) *= scale;
      }
    }
    run("badly scaled", scaled, 0);
    if (n == 0) continue;
    const HostMatrix<S> zero("zero", n, n);
    run("zero", zero, 1);
    const auto indefinite = positive(R(1));
    indefinite(n / 2, n / 2) = -1;
    run("indefinite", indefinite, n / 2 + 1);
    const auto nan = positive(R(1));
    nan(n / 2, n / 2) = std::nan("");
    run("NaN", nan, n / 2 + 1);
  }
}

template <class Triangle, class Fixture>
void check_cholesky(Fixture& fixture, char uplo) {
  using S = typename Fixture::Scalar;
  using W = wide_t<S>;
  constexpr bool lower = std::is_same_v<Triangle, Uplo::Lower>;
  for_each_hermitian(fixture, [&](const HostMatrix<S>& a, int info) {
    const int n = static_cast<int>(a.extent(0));
    const auto got = copy_of(a);
    EXPECT_EQ(fixture.template call<PotrfForms<Triangle>>(got), info);
    const int theirs = Lapack<S>::potrf(uplo, copy_of(a));
    // Some LAPACKs do not look for NaN.
    if (!has_nan(a) || theirs != 0) {
      EXPECT_EQ(theirs, info);
    }
    if (info != 0) return;
    auto factor = dense<S>(got);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (lower ? j > i : j < i) {
          EXPECT_EQ(got(i, j), a(i, j));  // the other triangle
          factor(i, j) = W(0);
        }
      }
    }
    const auto adjoint = transposed<C>(factor);
    const auto back = lower ? product(factor, adjoint) : product(adjoint, factor);
    expect_small<S>(difference(dense<S>(a), back), n, norm_one(dense<S>(a)));

    const auto b = fixture.matrix(n, 2), x = copy_of(b), their_x = copy_of(b);
    EXPECT_EQ(fixture.template call<PotrsForms<Triangle>>(got, x), 0);
    EXPECT_EQ(Lapack<S>::potrs(uplo, got, their_x), 0);
    expect_solution<S>(dense<S>(a), dense<S>(x), dense<S>(b));
    expect_solution<S>(dense<S>(a), dense<S>(their_x), dense<S>(b));
  });
}

TYPED_TEST(LapackTest, Potrf) {
  check_cholesky<Uplo::Lower>(*this, 'L');
  check_cholesky<Uplo::Upper>(*this, 'U');
}

// --- QR
// ---------------------------------------------------------------------------------------------

TYPED_TEST(LapackTest, Geqrf) {
  using S = typename TestFixture::Scalar;
  using R = typename TestFixture::Real;
  const int sizes[][2] = {{0, 0}, {1, 1}, {4, 1}, {1, 3}, {6, 4}, {4, 6}, {9, 9}, {20, 7}};
  for (const auto& [m, n] : sizes) {
    for (const bool scaled : {false, true}) {
      SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + (scaled ? " scaled" : ""));
      const int k = std::min(m, n);
      const auto a = this->matrix(m, n);
      for (int j = 0; j < n && scaled; ++j) {
        const R scale = this->power_of_two();
        for (int i = 0; i < m; ++i) a(i, j) *= scale;
      }
      const auto qr = copy_of(a), theirs = copy_of(a);
      const HostVector<S> tau("tau", k), their_tau("theirs", k);
      EXPECT_EQ(this->template call<GeqrfForms>(qr, tau), 0);
      EXPECT_EQ(Lapack<S>::geqrf(theirs, their_tau), 0);
      if (!scaled) {  // reflectors and tau in the same format
        expect_near(qr, theirs, std::max(m, n), R(10));
        expect_near(tau, their_tau, std::max(m, n), R(10));
      }
      // Q R = A, with our factors and LAPACK's product, and the other way round.
      const auto r = [&](const HostMatrix<S>& factors) {
        const auto upper = copy_of(factors);
        for (int j = 0; j < n; ++j) {
          for (int i = j + 1; i < m; ++i) upper(i, j) = 0;
        }
        return upper;
      };
      const auto by_lapack = r(qr), by_us = r(theirs);
      EXPECT_EQ(Lapack<S>::ormqr('L', 'N', qr, tau, by_lapack), 0);
      EXPECT_EQ((this->template call<OrmqrForms<Side::Left, N>>(theirs, their_tau, by_us)), 0);
      for (const auto& back : {by_lapack, by_us}) {
        expect_small<S>(difference(dense<S>(a), dense<S>(back)), std::max(m, n),
                        norm_one(dense<S>(a)));
      }
      if (m < n || scaled) continue;
      // The other products with Q, of LAPACK's reflectors.
      const auto q = [&]<class Where, class TransQ>(std::type_identity<Where>,
                                                    std::type_identity<TransQ>, char side,
                                                    char trans, const HostMatrix<S>& c) {
        const auto got = copy_of(c), expected = copy_of(c);
        EXPECT_EQ((this->template call<OrmqrForms<Where, TransQ>>(theirs, their_tau, got)), 0);
        EXPECT_EQ(Lapack<S>::ormqr(side, trans, theirs, their_tau, expected), 0);
        expect_near(got, expected, m, R(10));
      };
      constexpr char adjoint = is_complex<S>::value ? 'C' : 'T';
      const std::type_identity<Side::Left> left;
      const std::type_identity<Side::Right> right;
      q(left, std::type_identity<C>{}, 'L', adjoint, this->matrix(m, 3));
      q(right, std::type_identity<N>{}, 'R', 'N', this->matrix(3, m));
      q(right, std::type_identity<C>{}, 'R', adjoint, this->matrix(3, m));
    }
  }
}

TYPED_TEST(LapackTest, Gels) {
  using S = typename TestFixture::Scalar;
  const int sizes[][2] = {{1, 1}, {4, 1}, {6, 4}, {9, 9}, {20, 7}};
  for (const auto& [m, n] : sizes) {
    for (const bool singular : {false, true}) {
      if (singular && n == 1) continue;  // of a zero matrix LAPACK takes the solution 0
      SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + (singular ? " singular" : ""));
      const auto a = this->matrix(m, n), b = this->matrix(m, 2);
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) a(i, j) += S(i == j ? 3 : 0);  // full rank, by far
        if (singular) a(i, n / 2) = 0;
      }
      const auto x = copy_of(b), theirs = copy_of(b);
      const HostVector<S> tau("tau", n);
      const int info = this->template call<GelsForms>(copy_of(a), tau, x);
      EXPECT_EQ(info, Lapack<S>::gels(copy_of(a), theirs));
      EXPECT_EQ(info, singular ? n / 2 + 1 : 0);
      if (info != 0) continue;
      const auto first = std::pair(0, n + 0);
      const HostMatrix<S> got("got", n, 2), expected("expected", n, 2);
      Kokkos::deep_copy(got, Kokkos::subview(x, first, Kokkos::ALL));
      Kokkos::deep_copy(expected, Kokkos::subview(theirs, first, Kokkos::ALL));
      expect_near(got, expected, m, typename TestFixture::Real(10));
    }
  }
}

// --- Triangles and norms
// ----------------------------------------------------------------------------

template <class Triangle, class Diagonal, class Fixture>
void check_inverse(Fixture& fixture, char uplo, char diag) {
  using S = typename Fixture::Scalar;
  for (const int n : {0, 1, 6, 17}) {
    for (const bool singular : {false, true}) {
      SCOPED_TRACE(std::string(1, uplo) + diag + std::to_string(n) + (singular ? " singular" : ""));
      const auto a = fixture.matrix(n, n);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) a(i, j) = a(i, j) / S(n) + S(i == j ? 2 : 0);
      }
      if (singular && n > 0) a(n / 2, n / 2) = 0;
      const auto got = copy_of(a), expected = copy_of(a);
      const int info = fixture.template call<TrtriForms<Triangle, Diagonal>>(got);
      EXPECT_EQ(info, Lapack<S>::trtri(uplo, diag, expected));
      if (info == 0) expect_near(got, expected, n, typename Fixture::Real(2));
    }
  }
}

TYPED_TEST(LapackTest, Trtri) {
  check_inverse<Uplo::Lower, Diag::NonUnit>(*this, 'L', 'N');
  check_inverse<Uplo::Lower, Diag::Unit>(*this, 'L', 'U');
  check_inverse<Uplo::Upper, Diag::NonUnit>(*this, 'U', 'N');
  check_inverse<Uplo::Upper, Diag::Unit>(*this, 'U', 'U');
}

template <class R>
void expect_same_norm(R got, R expected, int n) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << got;
  } else {
    EXPECT_LE(std::abs(got - expected), 4 * n * std::numeric_limits<R>::epsilon() * expected)
        << got << " and LAPACK's " << expected;
  }
}

TYPED_TEST(LapackTest, Norms) {
  using S = typename TestFixture::Scalar;
  using R = typename TestFixture::Real;
  const Kokkos::View<R, Kokkos::HostSpace> result("result");
  const auto check = [&](const HostMatrix<S>& a) {
    const int terms = static_cast<int>(a.span());
    EXPECT_EQ(SerialNorm<Norm::Max>::invoke(a, result), 0);
    expect_same_norm(result(), Lapack<S>::lange('M', a), terms);
    EXPECT_EQ(SerialNorm<Norm::One>::invoke(a, result), 0);
    expect_same_norm(result(), Lapack<S>::lange('1', a), terms);
    EXPECT_EQ(SerialNorm<Norm::Infinity>::invoke(a, result), 0);
    expect_same_norm(result(), Lapack<S>::lange('I', a), terms);
    EXPECT_EQ(SerialNorm<Norm::Frobenius>::invoke(a, result), 0);
    expect_same_norm(result(), Lapack<S>::lange('F', a), terms);
    const HostVector<S> x("x", terms);
    for (int e = 0; e < terms; ++e) x(e) = a.data()[e];
    EXPECT_EQ(SerialNrm2::invoke(x, result), 0);
    expect_same_norm(result(), Lapack<S>::nrm2(x), terms);
  };
  const int sizes[][2] = {{0, 0}, {0, 2}, {1, 1}, {5, 3}, {3, 5}, {17, 17}};
  for (const auto& [m, n] : sizes) {
    for (const R scale : {R(1), std::numeric_limits<R>::min(), std::numeric_limits<R>::max() / 512,
                          R(0), R(std::nan(""))}) {
      SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " times " +
                   std::to_string(scale));
      const auto a = this->matrix(m, n);
      for (std::size_t e = 0; e < a.span(); ++e) {
        // One NaN among numbers is enough.
        if (!std::isnan(scale) || e == a.span() / 2) a.data()[e] *= scale;
      }
      check(a);
    }
  }
}

/// The elements of a band that stand for some of an m x n matrix, the others set to 0.
template <class S>
HostMatrix<S> band_of_matrix(const HostMatrix<S>& a, int diagonal, int m) {
  const auto result = copy_of(a);
  for (int j = 0; j < a.extent_int(1); ++j) {
    for (int r = 0; r < a.extent_int(0); ++r) {
      const int i = r - diagonal + j;
      if (i < 0 || i >= m) result(r, j) = S(0);
    }
  }
  return result;
}

// Band factors, pivots and infos are those of LAPACK, also for matrices that are not positive or
// have a column of zeros. One thread factors a matrix at all levels.
template <class S>
struct LapackBand : testing::Test {
  Random random;
};
using Scalars = testing::Types<float, double, Kokkos::complex<float>, Complex>;
TYPED_TEST_SUITE(LapackBand, Scalars);

TYPED_TEST(LapackBand, Factors) {
  using S = TypeParam;
  using Real = real_of_t<S>;
  const auto number = [&] { return this->random.template number<S>(); };
  for (const int n : {1, 2, 7, 20}) {
    for (const int k : {0, 1, 3}) {
      for (const bool fails : {false, true}) {
        SCOPED_TRACE("n " + std::to_string(n) + ", k " + std::to_string(k));
        const int at = this->random.integer(0, n - 1), ku = k / 2, m = n + k - 1;
        const HostMatrix<S> p("p", k + 1, n), g("g", 2 * k + ku + 1, n);
        const HostVector<S> e("e", n - 1);
        const Kokkos::View<Real*, Kokkos::HostSpace> d("d", n);
        for (int j = 0; j < n; ++j) {
          for (int r = 0; r <= k; ++r) p(r, j) = r == 0 ? S(2 * k + 2) : number();
          for (int r = k; r <= 2 * k + ku; ++r) g(r, j) = fails && j == at ? S(0) : number();
          d(j) = Real(3);
          if (j + 1 < n) e(j) = number();
        }
        if (fails) p(0, at) = S(-1), d(at) = Real(-1);
        const auto ours_p = copy_of(p), ours_g = copy_of(g);
        const auto ours_d = copy_of(d);
        const auto ours_e = copy_of(e);
        const int steps = std::min(m, n);
        const Pivots ipiv("ipiv", steps), ours_ipiv("ipiv", steps);

        EXPECT_EQ(SerialPbtrf<Uplo::Lower>::invoke(ours_p), Lapack<S>::pbtrf('L', p));
        EXPECT_EQ(SerialPttrf<>::invoke(ours_d, ours_e), Lapack<S>::pttrf(d, e));
        if (!fails) {
          expect_near(band_of_matrix(ours_p, 0, n), band_of_matrix(p, 0, n), n, Real(8));
          expect_near(ours_d, d, n, Real(3));
          expect_near(ours_e, e, n, Real(1));
        }
        EXPECT_EQ(SerialGbtrf<>::invoke(ours_g, ours_ipiv, k, ku, m),
                  Lapack<S>::gbtrf(m, k, ku, g, ipiv));
        for (int i = 0; i < steps; ++i) EXPECT_EQ(ours_ipiv(i) + 1, ipiv(i));
        expect_near(band_of_matrix(ours_g, k + ku, m), band_of_matrix(g, k + ku, m), n, Real(16));
      }
    }
  }
}

}  // namespace
}  // namespace KokkosContract::Test
