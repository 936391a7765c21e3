// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Kokkos Kernels has for scalars and for SIMD vectors.

#include "SideBySide.hpp"

namespace KokkosContract::Test {
namespace {

using Elements =
    testing::Types<double, float, Complex, Simd<double, 4>, Simd<float, 8>, Simd<Complex, 2>>;
TYPED_TEST_SUITE(KokkosKernels, Elements);

TYPED_TEST(KokkosKernels, Gemm) {
  using T = TypeParam;
  using S = typename TestFixture::Scalar;
  Random random;
  for (const int n : sizes) {
    const auto a = random_view<MatrixLeft<T>>(random, n, n);
    const auto b = random_view<Matrix<T>>(random, n, n);
    const auto c = random_view<Matrix<T>>(random, n, n);
    for_each_letter(typename TestFixture::Transpositions{}, [&](auto trans_a) {
      for_each_letter(typename TestFixture::Transpositions{}, [&](auto trans_b) {
        compare(c, n, [&](auto calls, const auto& out) {
          return calls.template gemm<decltype(trans_a)::value, decltype(trans_b)::value>(
              S(2), a, b, S(-0.5), out);
        });
      });
    });
  }
}

TYPED_TEST(KokkosKernels, Gemv) {
  using T = TypeParam;
  using S = typename TestFixture::Scalar;
  using All = Letters<'N', 'T', 'C'>;
  Random random;
  for (const int n : sizes) {
    const auto a = random_view<MatrixLeft<T>>(random, n, n);
    const auto x = random_view<Vector<T>>(random, n);
    const auto y = random_view<Vector<T>>(random, n);
    for_each_letter(typename TestFixture::template tags<All, Letters<'N'>>{}, [&](auto trans) {
      compare(y, n, [&](auto calls, const auto& out) {
        return calls.template gemv<decltype(trans)::value>(S(2), a, x, S(-0.5), out);
      });
    });
  }
}

TYPED_TEST(KokkosKernels, LU) {
  Random random;
  for (const int n : sizes) {
    const auto a = dominant_view<Matrix<TypeParam>>(random, n);
    compare(a, n, [](auto calls, const auto& out) { return calls.lu(out); });
    compare(a, n, [](auto calls, const auto& out) { return calls.lu(out, 0.25f); });
  }
}

TYPED_TEST(KokkosKernels, Trsv) {
  using T = TypeParam;
  using S = typename TestFixture::Scalar;
  Random random;
  for (const int n : sizes) {
    const auto a = dominant_view<MatrixLeft<T>>(random, n);
    const auto b = random_view<Vector<T>>(random, n);
    for_each_letter(typename TestFixture::Triangles{}, [&](auto uplo) {
      for_each_letter(typename TestFixture::Transpositions{}, [&](auto trans) {
        for_each_letter(typename TestFixture::Diagonals{}, [&](auto diag) {
          compare(b, n, [&](auto calls, const auto& out) {
            return calls.template trsv<decltype(uplo)::value, decltype(trans)::value,
                                       decltype(diag)::value>(S(2), a, out);
          });
        });
      });
    });
  }
}

// On the right Kokkos Kernels 4.5 has no lower triangle, and takes one for a transposed upper one.
TYPED_TEST(KokkosKernels, Trsm) {
  using T = TypeParam;
  using S = typename TestFixture::Scalar;
  Random random;
  for (const int n : sizes) {
    const auto a = dominant_view<MatrixLeft<T>>(random, n);
    const auto b = random_view<Matrix<T>>(random, n, 5);
    const auto c = random_view<Matrix<T>>(random, 5, n);
    for_each_letter(typename TestFixture::Diagonals{}, [&](auto diag) {
      for_each_letter(typename TestFixture::Transpositions{}, [&](auto trans) {
        for_each_letter(typename TestFixture::Triangles{}, [&](auto uplo) {
          compare(b, n, [&](auto calls, const auto& out) {
            return calls.template trsm<'l', decltype(uplo)::value, decltype(trans)::value,
                                       decltype(diag)::value>(S(2), a, out);
          });
        });
      });
      compare(c, n, [&](auto calls, const auto& out) {
        return calls.template trsm<'r', 'U', 'N', decltype(diag)::value>(S(2), a, out);
      });
    });
  }
}

TYPED_TEST(KokkosKernels, CopySetScale) {
  using T = TypeParam;
  using S = typename TestFixture::Scalar;
  Random random;
  const auto a = random_view<MatrixLeft<T>>(random, 5, 5);
  const auto b = random_view<Matrix<T>>(random, 5, 5);
  const auto x = random_view<Vector<T>>(random, 5), y = random_view<Vector<T>>(random, 5);
  compare(b, 1, [&](auto calls, const auto& out) { return calls.template copy<'N', 2>(a, out); });
  compare(b, 1, [&](auto calls, const auto& out) { return calls.template copy<'T', 2>(a, out); });
  compare(y, 1, [&](auto calls, const auto& out) { return calls.template copy<'N', 1>(x, out); });
  compare(b, 1, [&](auto calls, const auto& out) { return calls.set(S(2), out); });
  compare(b, 1, [&](auto calls, const auto& out) { return calls.scale(S(2), out); });
  compare(b, 1, [&](auto calls, const auto& out) { return calls.set_identity(out); });
}

TYPED_TEST(KokkosKernels, AxpyDot) {
  using T = TypeParam;
  Random random;
  for (const int n : sizes) {
    const auto x = random_view<MatrixLeft<T>>(random, n, 6);
    const auto y = random_view<MatrixLeft<T>>(random, n, 6);
    const auto alpha = random_view<Vector<T>>(random, n);
    compare(y, 1, [&](auto calls, const auto& out) { return calls.axpy(alpha, x, out); });
    const Vector<T> rows("rows", n), columns("columns", 6);
    compare(rows, 6,
            [&](auto calls, const auto& out) { return calls.template dot<'N'>(x, y, out); });
    if constexpr (TestFixture::is_real) {
      compare(columns, n,
              [&](auto calls, const auto& out) { return calls.template dot<'T'>(x, y, out); });
    } else {
      // There, Transpose conjugates.
      Vector<T> got("got", 6);
      EXPECT_EQ(there::Calls::dot<'T'>(x, y, columns), 0);
      EXPECT_EQ(mixed::Calls::dot<'C'>(x, y, got), 0);
      expect_near(got, columns, n);
    }
  }
}

}  // namespace
}  // namespace KokkosContract::Test
