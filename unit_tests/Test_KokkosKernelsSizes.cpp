// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands larger than the problem: Kokkos Kernels takes its sizes from one operand, and so do the
// names of KokkosContract::Batched.

#include <KokkosContract/KokkosBatched.hpp>

#include "SideBySide.hpp"

namespace KokkosContract::Test {
namespace {

namespace leading {
namespace kb = KokkosContract::Batched;
namespace blas = KokkosContract::Batched;
namespace tags = KokkosContract::Batched;
#include "Ported.hpp"
}  // namespace leading

template <class T>
struct LargerOperands : testing::Test {
  using Scalar = typename Lanes<T>::Scalar;
  Random random;

  Matrix<T> matrix(int m, int n) { return random_view<Matrix<T>>(random, m, n); }
  MatrixLeft<T> columns(int m, int n) { return random_view<MatrixLeft<T>>(random, m, n); }
  Vector<T> vector(int n) { return random_view<Vector<T>>(random, n); }

  /// run(calls, output) does the same in both libraries, also to what is no part of the result.
  template <class V, class Run>
  void compare_leading(const V& output, const Run& run) {
    const V expected = copy_of(output), got = copy_of(output);
    EXPECT_EQ(run(there::Calls{}, expected), 0);
    EXPECT_EQ(run(leading::Calls{}, got), 0);
    expect_near(got, expected, 9);
  }
};
using OneOfEach = testing::Types<double, Simd<double, 4>>;
TYPED_TEST_SUITE(LargerOperands, OneOfEach);

TYPED_TEST(LargerOperands, Gemm) {
  using S = typename TestFixture::Scalar;
  const auto a = this->columns(7, 5), b = this->columns(8, 9);
  this->compare_leading(this->matrix(4, 3), [&](auto calls, const auto& c) {
    return calls.template gemm<'N', 'N'>(S(2), a, b, S(-0.5), c);
  });
  this->compare_leading(this->matrix(4, 3), [&](auto calls, const auto& c) {
    return calls.template gemm<'T', 'T'>(S(2), a, b, S(-0.5), c);
  });
}

TYPED_TEST(LargerOperands, Gemv) {
  using S = typename TestFixture::Scalar;
  const auto a = this->matrix(4, 5);
  const auto x = this->vector(9);
  this->compare_leading(this->vector(7), [&](auto calls, const auto& y) {
    return calls.template gemv<'N'>(S(2), a, x, S(-0.5), y);
  });
  this->compare_leading(this->vector(7), [&](auto calls, const auto& y) {
    return calls.template gemv<'T'>(S(2), a, x, S(-0.5), y);
  });
}

TYPED_TEST(LargerOperands, Solves) {
  using S = typename TestFixture::Scalar;
  const auto a = dominant_view<MatrixLeft<TypeParam>>(this->random, 7);
  const auto tall = Kokkos::subview(a, Kokkos::ALL, std::pair(0, 5));
  const auto wide = Kokkos::subview(a, std::pair(0, 5), Kokkos::ALL);
  this->compare_leading(this->vector(8), [&](auto calls, const auto& b) {
    return calls.template trsv<'L', 'N', 'd'>(S(2), wide, b);
  });
  this->compare_leading(this->vector(8), [&](auto calls, const auto& b) {
    return calls.template trsv<'U', 'T', '1'>(S(2), tall, b);
  });
  this->compare_leading(this->matrix(5, 3), [&](auto calls, const auto& b) {
    return calls.template trsm<'l', 'L', 'T', 'd'>(S(2), a, b);
  });
  this->compare_leading(this->matrix(3, 5), [&](auto calls, const auto& b) {
    return calls.template trsm<'r', 'U', 'N', 'd'>(S(2), a, b);
  });
  if constexpr (std::is_same_v<TypeParam, double>) {  // there it has none of vectors
    this->compare_leading(this->matrix(5, 3), [&](auto calls, const auto& b) {
      return calls.template solve_lu<'N'>(a, b);
    });
  }
}

TYPED_TEST(LargerOperands, Vectors) {
  const auto x = this->vector(4);
  this->compare_leading(this->vector(6), [&](auto calls, const auto& y) {
    return calls.template copy<'N', 1>(x, y);
  });
}

TYPED_TEST(LargerOperands, ApplyQ) {
  if constexpr (std::is_same_v<TypeParam, double>) {
    const auto a = this->matrix(5, 5), larger = this->matrix(8, 5);
    const auto t = this->vector(9), tau = this->vector(9), work = this->vector(9);
    const auto factors = [&](auto calls) {
      const auto qr = copy_of(a);
      EXPECT_EQ(calls.qr(qr, t, work), 0);
      return qr;
    };
    expect_near<true>(factors(leading::Calls{}), factors(there::Calls{}), 9);
    // Each library applies reflectors of its own, of fewer columns than rows.
    const auto reflectors = Kokkos::subview(larger, Kokkos::ALL, std::pair(0, 3));
    const auto product = [&](auto calls) {
      const auto part = Kokkos::subview(reflectors, std::pair(0, 5), Kokkos::ALL);
      Kokkos::deep_copy(part, Kokkos::subview(a, Kokkos::ALL, std::pair(0, 3)));
      EXPECT_EQ(calls.qr(part, tau, work), 0);
      const Matrix<TypeParam> b("b", 5, 2);
      Kokkos::deep_copy(b, 3);
      EXPECT_EQ((calls.template apply_q<'l', 'T'>(reflectors, tau, b, work)), 0);
      return b;
    };
    expect_near<true>(product(leading::Calls{}), product(there::Calls{}), 9);
  }
}

/// At the names of this library such calls say -1, in what is no checked build.
TYPED_TEST(LargerOperands, AreNoneOfTheLibrarys) {
  if (Impl::checked_build) return;
  using S = typename TestFixture::Scalar;
  const auto a = this->columns(7, 5), b = this->columns(8, 9);
  const auto c = this->matrix(4, 3);
  EXPECT_EQ((here::Calls::gemm<'N', 'N'>(S(2), a, b, S(-0.5), c)), -1);
}

}  // namespace
}  // namespace KokkosContract::Test
