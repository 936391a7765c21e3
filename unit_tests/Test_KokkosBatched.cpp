// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that programs written for KokkosBatched use: each is the routine that it stands for.

#include <gtest/gtest.h>

#include <KokkosContract/KokkosBatched.hpp>
#include <cmath>

namespace kb = KokkosContract;

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Policy = Kokkos::TeamPolicy<Host>;
using Member = Policy::member_type;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Host>;
using Vector = Kokkos::View<double*, Host>;
using N = kb::Trans::NoTranspose;
using T = kb::Trans::Transpose;
using Lower = kb::Uplo::Lower;
using Left = kb::Side::Left;
using Unit = kb::Diag::Unit;
using Algo3 = kb::Algo::Level3::Blocked;
using Algo2 = kb::Algo::Level2::Unblocked;
constexpr int n = 5;

static_assert(std::is_same_v<kb::Vector<kb::SIMD<double>, 4>, kb::Pack<double, 4>>);
static_assert(kb::Vector<kb::SIMD<double>, 4>::vector_length == 4);
static_assert(kb::is_vector<kb::Vector<kb::SIMD<float>, 2>>::value && !kb::is_vector<float>::value);
static_assert(kb::DefaultVectorLength<float, Kokkos::HostSpace>::value ==
              kb::default_pack_length<float, Host>);
static_assert(kb::DefaultInternalVectorLength<float, Kokkos::HostSpace>::value ==
              kb::default_pack_length<float, Host>);
static_assert(std::is_same_v<kb::Algo::Level3::Blocked, kb::Algo::Gemm::Blocked>);

// Tags that are left out.
using NonUnit = kb::Diag::NonUnit;
static_assert(std::is_same_v<kb::SerialGemm<>, kb::SerialGemm<N, N, kb::Algo::Gemm::Default>>);
static_assert(std::is_same_v<kb::TeamGemm<Member, T>, kb::TeamGemm<Member, T, N>>);
static_assert(std::is_same_v<kb::VectorGemv<Member>, kb::VectorGemv<Member, N>>);
static_assert(std::is_same_v<kb::SerialTrsv<Lower>, kb::SerialTrsv<Lower, N, NonUnit>>);
static_assert(std::is_same_v<kb::TeamTrsm<Member, Left, Lower>,
                             kb::TeamTrsm<Member, Left, Lower, N, NonUnit>>);
static_assert(std::is_same_v<kb::TeamVectorTrmm<Member, Left, Lower>,
                             kb::TeamVectorTrmm<Member, Left, Lower, N, NonUnit>>);
static_assert(std::is_same_v<kb::SerialTrtri<Lower>, kb::SerialTrtri<Lower, NonUnit>>);
static_assert(std::is_same_v<kb::SerialSolveLU<>, kb::SerialSolveLU<N>>);
static_assert(std::is_same_v<kb::TeamGetrs<Member>, kb::TeamGetrs<Member, N>>);
static_assert(std::is_same_v<kb::SerialOrmqr<Left>, kb::SerialOrmqr<Left, N>>);
static_assert(std::is_same_v<kb::SerialApplyQ<Left>, kb::SerialApplyQ<Left, N>>);
static_assert(std::is_same_v<kb::SerialGer<>, kb::SerialGer<T>>);
static_assert(std::is_same_v<kb::SerialSyr<Lower>, kb::SerialSyr<Lower, T>>);

Matrix matrix(double start) {
  const Matrix result("matrix", n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) result(i, j) = std::sin(start + 3 * i + 7 * j) + (i == j ? n : 0);
  return result;
}
Vector vector(double start) {
  const Vector result("vector", n);
  for (int i = 0; i < n; ++i) result(i) = std::sin(start + 3 * i);
  return result;
}
Matrix copy(const Matrix& a) {
  const Matrix result("copy", n, n);
  Kokkos::deep_copy(result, a);
  return result;
}
Vector copy(const Vector& a) {
  const Vector result("copy", n);
  Kokkos::deep_copy(result, a);
  return result;
}

void expect_same(const Matrix& a, const Matrix& b) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) EXPECT_NEAR(a(i, j), b(i, j), 1e-12);
}
void expect_same(const Vector& a, const Vector& b) {
  for (int i = 0; i < n; ++i) EXPECT_NEAR(a(i), b(i), 1e-12);
}

/// Calls f(member) in a kernel.
template <class F>
void in_team(int threads, const F& f) {
  Kokkos::parallel_for(Policy(1, threads).set_scratch_size(0, Kokkos::PerTeam(1024)), f);
  Kokkos::fence();
}

template <class Mode, int Threads>
struct At {
  using Tag = Mode;
  static constexpr int threads = Threads;
};

template <class Level>
class Modes : public testing::Test {};
using Levels = testing::Types<At<kb::Mode::Serial, 1>, At<kb::Mode::Vector, 1>,
                              At<kb::Mode::Team, 2>, At<kb::Mode::TeamVector, 2>>;
TYPED_TEST_SUITE(Modes, Levels);

TYPED_TEST(Modes, Products) {
  using Mode = typename TypeParam::Tag;
  const Matrix a = matrix(1), b = matrix(2), c = matrix(3), c_expected = copy(c);
  const Vector x = vector(1), y = vector(2), y_expected = copy(y), z = vector(3),
               z_expected = copy(z);
  const Matrix copied("copied", n, n), identity = matrix(4), ones("ones", n, n);
  in_team(TypeParam::threads, [=](const Member& member) {
    kb::Gemm<Member, T, N, Mode, Algo3>::invoke(member, 2., a, b, 3., c);
    kb::Gemv<Member, T, Mode, Algo2>::invoke(member, 2., a, x, 3., y);
    kb::Experimental::Gemv<Mode, Algo2>::invoke(member, 't', 2., a, x, 3., z);
    kb::Copy<Member, T, Mode>::invoke(member, a, copied);
    kb::SetIdentity<Member, Mode>::invoke(member, identity);
  });
  kb::require_success(kb::SerialGemm<T, N>::invoke(2., a, b, 3., c_expected));
  kb::require_success(kb::SerialGemv<T>::invoke(2., a, x, 3., y_expected));
  kb::require_success(kb::SerialGemv<T>::invoke(2., a, x, 3., z_expected));
  expect_same(c, c_expected);
  expect_same(y, y_expected);
  expect_same(z, z_expected);
  kb::require_success(kb::SerialSetIdentity::invoke(ones));
  expect_same(identity, ones);
  EXPECT_EQ(copied(1, 2), a(2, 1));
}

TYPED_TEST(Modes, Factors) {
  using Mode = typename TypeParam::Tag;
  const Matrix a = matrix(1), a_expected = copy(a), b = matrix(2), b_expected = copy(b);
  const Matrix d = matrix(3), d_expected = copy(d);
  const Vector x = vector(1), x_expected = copy(x), y = vector(2), y_expected = copy(y);
  in_team(TypeParam::threads, [=](const Member& member) {
    kb::LU<Member, Mode, Algo3>::invoke(member, a, 0.);
    kb::Trsv<Member, Lower, N, Unit, Mode, Algo2>::invoke(member, 2., a, x);
    kb::Trsm<Member, Left, Lower, N, Unit, Mode, Algo3>::invoke(member, 2., a, b);
    kb::SolveLU<Member, N, Mode, Algo3>::invoke(member, a, d);
  });
  kb::require_success(kb::SerialLU<>::invoke(a_expected));
  kb::require_success(kb::SerialTrsv<Lower, N, Unit>::invoke(2., a_expected, x_expected));
  kb::require_success(kb::SerialTrsm<Left, Lower, N, Unit>::invoke(2., a_expected, b_expected));
  kb::require_success(kb::SerialSolveLU<N>::invoke(a_expected, d_expected));
  expect_same(a, a_expected);
  expect_same(x, x_expected);
  expect_same(b, b_expected);
  expect_same(d, d_expected);

  const Matrix q = matrix(5), q_expected = copy(q);
  const Vector t("t", n), t_expected("t", n), w("w", n);
  in_team(TypeParam::threads, [=](const Member& member) {
    kb::QR<Member, Mode, kb::Algo::QR::Unblocked>::invoke(member, q, t, w);
    kb::ApplyQ<Member, Left, T, Mode, kb::Algo::ApplyQ::Unblocked>::invoke(member, q, t, y, w);
  });
  kb::require_success(kb::SerialGeqrf<>::invoke(q_expected, t_expected));
  kb::require_success(kb::SerialOrmqr<Left, T>::invoke(q_expected, t_expected, y_expected));
  expect_same(q, q_expected);
  expect_same(y, y_expected);
}

/// The residual of A x = b with what each of the two algorithms does to copies of A.
template <class Solve>
void check_gesv(const Matrix& a, const Solve& solve) {
  const Vector b = vector(1), b_before = copy(b), x("x", n), product = copy(b);
  solve(copy(a), x, b);
  kb::require_success(kb::SerialGemv<N>::invoke(1., a, x, 0., product));
  expect_same(product, b);
  expect_same(b, b_before);
}

/// Needs interchanges, and defeats those that are chosen beforehand.
Matrix exchanged() {
  const Matrix a = matrix(1);
  a(0, 0) = 2, a(0, 1) = 1, a(1, 0) = 1, a(1, 1) = 0;
  for (int j = 2; j < n; ++j) a(0, j) = a(1, j) = a(j, 0) = a(j, 1) = 0;
  a(2, 2) = 0;
  return a;
}

TEST(KokkosBatchedGesv, StaticPivoting) {
  using Tag = kb::Gesv::StaticPivoting;
  const Matrix work("work", n, n + 4);
  check_gesv(exchanged(), [&](const Matrix& a, const Vector& x, const Vector& b) {
    EXPECT_EQ(kb::SerialGesv<Tag>::invoke(a, x, b, work), 0);
  });
  check_gesv(exchanged(), [&](const Matrix& a, const Vector& x, const Vector& b) {
    in_team(2, [=](const Member& member) {
      EXPECT_EQ((kb::TeamGesv<Member, Tag>::invoke(member, a, x, b)), 0);
    });
  });
  check_gesv(exchanged(), [&](const Matrix& a, const Vector& x, const Vector& b) {
    in_team(2, [=](const Member& member) {
      EXPECT_EQ((kb::TeamVectorGesv<Member, Tag>::invoke(member, a, x, b)), 0);
    });
  });
}

TEST(KokkosBatchedGesv, NoPivoting) {
  using Tag = kb::Gesv::NoPivoting;
  check_gesv(matrix(1), [&](const Matrix& a, const Vector& x, const Vector& b) {
    EXPECT_EQ(kb::SerialGesv<Tag>::invoke(a, x, b, a), 0);
  });
  check_gesv(matrix(1), [&](const Matrix& a, const Vector& x, const Vector& b) {
    in_team(2, [=](const Member& member) {
      EXPECT_EQ((kb::TeamGesv<Member, Tag>::invoke(member, a, x, b)), 0);
    });
  });
}

TEST(KokkosBatchedGesv, ReturnsTheZeroPivot) {
  const Matrix a("a", n, n), work("work", n, n + 4);
  const Vector x("x", n), b = vector(1);
  a(0, 0) = 1;
  EXPECT_EQ(kb::SerialGesv<kb::Gesv::StaticPivoting>::invoke(a, x, b, work), 2);
}

TEST(KokkosBatchedQR, FormQ) {
  const Matrix a = matrix(1), before = copy(a), q("q", n, n), product("product", n, n);
  const Vector t("t", n), w("w", n);
  kb::require_success(kb::SerialQR<>::invoke(a, t, w));
  EXPECT_EQ(kb::SerialQR_FormQ_Internal::invoke(n, n, a.data(), n, 1, t.data(), 1, q.data(), n, 1,
                                                w.data()),
            0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) a(i, j) = 0;
  kb::require_success(kb::SerialGemm<N, N>::invoke(1., q, a, 0., product));
  expect_same(product, before);
}

// --- Operands larger than the problem -----------------------------------------------------------

namespace large {

constexpr int most = 9;  // of the operands that are cut

Matrix matrix(int rows, int cols, double start) {
  const Matrix result("matrix", rows, cols);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      result(i, j) = std::sin(start + 3 * i + 7 * j) + (i == j ? most : 0);
  return result;
}
Vector vector(int size, double start) {
  const Vector result("vector", size);
  for (int i = 0; i < size; ++i) result(i) = std::sin(start + 3 * i);
  return result;
}
auto part(const Matrix& a, int rows, int cols) {
  return Kokkos::subview(a, std::pair(0, rows), std::pair(0, cols));
}
auto part(const Vector& x, int size) { return Kokkos::subview(x, std::pair(0, size)); }

/// call(output) of larger operands does to the whole output what expected(output) does, which has
/// their leading parts.
template <class V, class Call, class Expected>
void compare(const V& output, const Call& call, const Expected& expected) {
  const V wanted("wanted", output.layout());
  Kokkos::deep_copy(wanted, output);
  expected(wanted);
  call(output);
  for (std::size_t i = 0; i < output.size(); ++i) {
    EXPECT_NEAR(output.data()[i], wanted.data()[i], 1e-12) << i;
  }
}

}  // namespace large

TYPED_TEST(Modes, LargerOperands) {
  using Mode = typename TypeParam::Tag;
  const auto run = [](const auto& f) { in_team(TypeParam::threads, f); };
  const Matrix a = large::matrix(7, 5, 1), b = large::matrix(8, 9, 2), s = large::matrix(9, 9, 3);
  const Vector x = large::vector(9, 1);
  large::compare(
      large::matrix(4, 3, 4),
      [&](const Matrix& c) {
        run([=](const Member& member) {
          kb::Gemm<Member, N, N, Mode, Algo3>::invoke(member, 2., a, b, 3., c);
        });
      },
      [&](const Matrix& c) {
        kb::require_success(
            kb::SerialGemm<N, N>::invoke(2., large::part(a, 4, 5), large::part(b, 5, 3), 3., c));
      });
  large::compare(
      large::vector(8, 4),
      [&](const Vector& y) {
        run([=](const Member& member) {
          kb::Gemv<Member, T, Mode, Algo2>::invoke(member, 2., a, x, 3., y);
          kb::Trsv<Member, Lower, N, Unit, Mode, Algo2>::invoke(member, 2., large::part(s, 5, 9),
                                                                y);
        });
      },
      [&](const Vector& y) {
        const auto y_5 = large::part(y, 5);
        kb::require_success(kb::SerialGemv<T>::invoke(2., a, large::part(x, 7), 3., y_5));
        kb::require_success(kb::SerialTrsv<Lower, N, Unit>::invoke(2., large::part(s, 5, 5), y_5));
      });
  large::compare(
      large::matrix(4, 3, 4),
      [&](const Matrix& c) {
        run([=](const Member& member) {
          kb::Trsm<Member, Left, Lower, N, Unit, Mode, Algo3>::invoke(member, 2., s, c);
          kb::SolveLU<Member, N, Mode, Algo3>::invoke(member, s, c);
        });
      },
      [&](const Matrix& c) {
        const auto s_4 = large::part(s, 4, 4);
        kb::require_success(kb::SerialTrsm<Left, Lower, N, Unit>::invoke(2., s_4, c));
        kb::require_success(kb::SerialSolveLU<N>::invoke(s_4, c));
      });
  large::compare(
      large::vector(12, 4),
      [&](const Vector& y) {
        run([=](const Member& member) { kb::Copy<Member, N, Mode>::invoke(member, x, y); });
      },
      [&](const Vector& y) {
        kb::require_success(kb::SerialCopy<N>::invoke(x, large::part(y, 9)));
      });
  // A problem of static extents, and one that a larger operand of static extents is cut to.
  const Kokkos::View<double[3][3], Host> small("small");
  const Kokkos::View<double[9][9], Host> fixed("fixed");
  Kokkos::deep_copy(fixed, s);
  run([=](const Member& member) {
    kb::Gemm<Member, N, N, Mode, Algo3>::invoke(member, 1., large::part(s, 8, 5), fixed, 0., small);
  });
  const Matrix expected("expected", 3, 3);
  kb::require_success(
      kb::SerialGemm<N, N>::invoke(1., large::part(s, 3, 5), large::part(s, 5, 3), 0., expected));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(small(i, j), expected(i, j), 1e-12);
}

/// Those without a Mode, at the level of one thread.
TEST(KokkosBatchedSizes, OfOneThread) {
  namespace kbb = kb::Batched;
  const Vector x = large::vector(9, 2), y = large::vector(9, 3);
  large::compare(
      large::matrix(6, 5, 4),
      [&](const Matrix& c) {
        EXPECT_EQ(kbb::SerialGer<T>::invoke(2., x, y, c), 0);
        EXPECT_EQ((kbb::SerialSyr<Lower, T>::invoke(2., x, c)), 0);
      },
      [&](const Matrix& c) {
        kb::require_success(kb::SerialGer<T>::invoke(2., large::part(x, 6), large::part(y, 5), c));
        kb::require_success(
            kb::SerialSyr<Lower, T>::invoke(2., large::part(x, 5), large::part(c, 5, 5)));
      });
  large::compare(
      large::matrix(4, 2, 4),
      [&](const Matrix& c) {
        const Matrix q = large::matrix(4, 3, 1), larger("larger", 6, 3);
        EXPECT_EQ(kbb::SerialQR<>::invoke(q, y, x), 0);
        Kokkos::deep_copy(large::part(larger, 4, 3), q);
        EXPECT_EQ((kbb::SerialApplyQ<Left, T>::invoke(larger, y, c, x)), 0);
      },
      [&](const Matrix& c) {
        const Matrix q = large::matrix(4, 3, 1);
        const Vector t("t", 3);
        kb::require_success(kb::SerialQR<>::invoke(q, t, x));
        kb::require_success(kb::SerialApplyQ<Left, T>::invoke(q, t, c, x));
      });
}

TEST(KokkosBatchedSizes, SmallerOperandsAreRefused) {
  if (kb::Impl::checked_build) return;  // which such a call ends
  const Matrix a = large::matrix(3, 5, 1), b = large::matrix(5, 4, 2), c = large::matrix(4, 4, 3);
  const Matrix before = large::matrix(4, 4, 3);
  EXPECT_EQ((kb::Batched::SerialGemm<N, N>::invoke(1., a, b, 0., c)), -1);
  EXPECT_EQ(kb::Batched::SerialCopy<N>::invoke(b, c), -1);
  EXPECT_EQ((kb::SerialGemm<N, N>::invoke(1., large::matrix(5, 5, 1), b, 0., c)), -1);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_EQ(c(i, j), before(i, j));
}

// The functions of KokkosBlas for one thread and for a team of two.
TEST(KokkosBlasNames, OfATeam) {
  const Matrix a = matrix(1);
  const Vector x = vector(1), y = vector(2), z = vector(3), r = vector(4), w = vector(5),
               v = copy(y), u = copy(y);
  const Kokkos::View<double*, Host> sums("sums", 3);
  in_team(2, [=](const Member& member) {
    namespace ke = kb::Experimental;
    int code = ke::axpby(member, 2., x, 3., y);
    code += ke::update(member, 2., x, 1., r, 4., z);
    code += ke::mult(member, 2., w, 3., x, r);
    code += ke::scal(member, r, -2., r);
    code += ke::abs(member, r, r);
    code += ke::team_gemv(member, 'N', 2., a, x, 0., u);
    code += ke::teamvector_gemv<Algo2>(member, 'T', 2., a, x, 0., v);
    code += ke::axpy(member, 1., x, v);
    const double dot = ke::dot(member, x, x), norm = ke::nrm2(member, x);
    if (member.team_rank() == 0) sums(0) = dot, sums(1) = norm, sums(2) = code;
  });
  const Vector y_was = vector(2), z_was = vector(3), r_was = vector(4), w_was = vector(5);
  double dot = 0;
  for (int i = 0; i < n; ++i) {
    double row = 0, column = 0;
    for (int j = 0; j < n; ++j) row += a(i, j) * x(j), column += a(j, i) * x(j);
    dot += x(i) * x(i);
    EXPECT_NEAR(y(i), 2 * x(i) + 3 * y_was(i), 1e-13);
    EXPECT_NEAR(z(i), 2 * x(i) + r_was(i) + 4 * z_was(i), 1e-13);
    EXPECT_NEAR(w(i), 2 * w_was(i) + 3 * x(i) * r_was(i), 1e-13);
    EXPECT_NEAR(r(i), 2 * std::abs(r_was(i)), 1e-13);
    EXPECT_NEAR(u(i), 2 * row, 1e-13);
    EXPECT_NEAR(v(i), 2 * column + x(i), 1e-13);
  }
  EXPECT_NEAR(sums(0), dot, 1e-13);
  EXPECT_NEAR(sums(1), std::sqrt(dot), 1e-13);
  EXPECT_EQ(sums(2), 0);
}

TEST(KokkosBlasNames, OfOneThread) {
  const Matrix a = matrix(1);
  const Vector x = vector(1), y = vector(2), y_was = copy(y), norms("norms", n), z("z", n);
  EXPECT_EQ(kb::serial_axpy(2., x, y), 0);
  EXPECT_EQ(kb::serial_nrm2(a, norms), 0);
  EXPECT_EQ(kb::Experimental::serial_gemv('N', 1., a, x, 0., z), 0);
  double squares = 0, column = 0, row = 0;
  for (int i = 0; i < n; ++i) {
    squares += x(i) * x(i);
    column += a(i, 1) * a(i, 1);
    row += a(1, i) * x(i);
    EXPECT_NEAR(y(i), 2 * x(i) + y_was(i), 1e-14);
  }
  EXPECT_NEAR(kb::serial_nrm2(x), std::sqrt(squares), 1e-14);
  EXPECT_NEAR(norms(1), std::sqrt(column), 1e-14);
  EXPECT_NEAR(z(1), row, 1e-13);
}

TEST(KokkosBatchedVectors, SimdViewAccess) {
  using Packed = Kokkos::View<kb::Vector<kb::SIMD<double>, 2>**, Host>;
  const Packed a("a", 2, 3);
  const kb::SimdViewAccess<Packed, kb::PackDim<1>> access(a);
  EXPECT_EQ(access.extent(0), 2u);
  EXPECT_EQ(access.extent(1), 6u);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 6; ++j) access(i, j) = 10 * i + j;
  EXPECT_EQ(a(1, 2)[1], 15);
}

}  // namespace
