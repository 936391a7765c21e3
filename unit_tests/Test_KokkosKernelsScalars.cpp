// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Kokkos Kernels has for scalars only, and a kernel with teams.

#include "SideBySide.hpp"

namespace KokkosContract::Test {
namespace {

/// What Kokkos Kernels 4.5 has for scalars only.
template <class T>
struct KokkosKernelsScalars : KokkosKernels<T> {};
using Scalars = testing::Types<double, float, Complex>;
TYPED_TEST_SUITE(KokkosKernelsScalars, Scalars);

/// What it has for real scalars only.
template <class T>
struct KokkosKernelsReals : KokkosKernels<T> {};
using RealScalars = testing::Types<double, float>;
TYPED_TEST_SUITE(KokkosKernelsReals, RealScalars);

// Kokkos Kernels reads the diagonal also where the tag says that it is one: it is, then.
TYPED_TEST(KokkosKernelsScalars, Trmm) {
  using T = TypeParam;
  using S = typename TestFixture::Scalar;
  using Fixture = TestFixture;
  using Sides = typename Fixture::template tags<Letters<'l', 'r'>, Letters<'r'>>;
  using Transpositions = typename Fixture::template tags<Letters<'N', 'T'>, Letters<'C'>>;
  Random random;
  for (const int n : sizes) {
    const auto a = random_view<MatrixLeft<T>>(random, n, n);
    const auto b = random_view<Matrix<T>>(random, n, n);
    for_each_letter(Sides{}, [&](auto side) {
      for_each_letter(typename TestFixture::Triangles{}, [&](auto uplo) {
        for_each_letter(Transpositions{}, [&](auto trans) {
          for_each_letter(typename TestFixture::Diagonals{}, [&](auto diag) {
            if (diag == '1') set_unit_diagonal(a);
            compare(b, n, [&](auto calls, const auto& out) {
              return calls.template trmm<decltype(side)::value, decltype(uplo)::value,
                                         decltype(trans)::value, decltype(diag)::value>(S(2), a,
                                                                                        out);
            });
          });
        });
      });
    });
  }
}

TYPED_TEST(KokkosKernelsScalars, Trtri) {
  Random random;
  for (const int n : sizes) {
    const auto a = dominant_view<Matrix<TypeParam>>(random, n);
    for_each_letter(typename TestFixture::Triangles{}, [&](auto uplo) {
      for_each_letter(typename TestFixture::Diagonals{}, [&](auto diag) {
        if (diag == '1') set_unit_diagonal(a);
        compare(a, n, [&](auto calls, const auto& out) {
          return calls.template trtri<decltype(uplo)::value, decltype(diag)::value>(out);
        });
      });
    });
  }
}

TYPED_TEST(KokkosKernelsScalars, SolveLU) {
  using T = TypeParam;
  Random random;
  for (const int n : sizes) {
    const auto a = dominant_view<Matrix<T>>(random, n);
    const auto b = random_view<Matrix<T>>(random, n, 3);
    here::Calls::lu(a);
    for_each_letter(typename TestFixture::Transpositions{}, [&](auto trans) {
      compare(b, n, [&](auto calls, const auto& out) {
        return calls.template solve_lu<decltype(trans)::value>(a, out);
      });
    });
  }
}

TYPED_TEST(KokkosKernelsScalars, InverseLU) {
  Random random;
  for (const int n : sizes) {
    const auto a = dominant_view<Matrix<TypeParam>>(random, n);
    const Vector<TypeParam> work("work", n * n);
    here::Calls::lu(a);
    compare(a, n, [&](auto calls, const auto& out) { return calls.inverse_lu(out, work); });
  }
}

// Of square matrices. Kokkos Kernels' tau is the reciprocal of
// LAPACK's, and its last reflector changes a sign, so that magnitudes are compared.
TYPED_TEST(KokkosKernelsReals, QR) {
  using T = TypeParam;
  Random random;
  for (const int n : sizes) {
    const Vector<T> work("work", n), tau[] = {Vector<T>("tau", n), Vector<T>("tau", n)};
    const auto a = random_view<Matrix<T>>(random, n, n);
    const auto b = random_view<Matrix<T>>(random, n, n);
    const Matrix<T> qr[] = {copy_of(a), copy_of(a)};
    EXPECT_EQ(there::Calls::qr(qr[0], tau[0], work), 0);
    EXPECT_EQ(mixed::Calls::qr(qr[1], tau[1], work), 0);
    expect_near<true>(qr[1], qr[0], n);
    for (int i = 0; i + 1 < n; ++i) EXPECT_NEAR(tau[0](i) * tau[1](i), 1, 1e-5) << i;
    const auto apply = [&](auto side, auto trans) {
      const Matrix<T> product[] = {copy_of(b), copy_of(b)};
      const auto q = [&](auto calls, int which) {
        return calls.template apply_q<decltype(side)::value, decltype(trans)::value>(
            qr[which], tau[which], product[which], work);
      };
      EXPECT_EQ(q(there::Calls{}, 0), 0);
      EXPECT_EQ(q(mixed::Calls{}, 1), 0);
      expect_near<true>(product[1], product[0], n);
    };
    apply(Letter<'l'>{}, Letter<'T'>{});
    apply(Letter<'r'>{}, Letter<'N'>{});
    for (int j = 0; j < n; ++j) b(n - 1, j) = 0;
    apply(Letter<'l'>{}, Letter<'N'>{});
  }
}

// (Of complex numbers Kokkos Kernels takes the modulus, and BLAS does not.)
TYPED_TEST(KokkosKernelsReals, Iamax) {
  Random random;
  for (const int n : sizes) {
    const auto x = random_view<Vector<TypeParam>>(random, n);
    EXPECT_EQ(mixed::Calls::iamax(x), there::Calls::iamax(x)) << n;
    x(n / 2) = x(n - 1) = -7;
    EXPECT_EQ(mixed::Calls::iamax(x), there::Calls::iamax(x)) << n;
  }
}

TEST(KokkosKernelsTeams, Kernel) {
  using Tensor = Kokkos::View<double***, Space>;
  constexpr int problems = 3, n = 6;
  Random random;
  const auto tensor = [&](int rows, int cols) {
    const Tensor view("tensor", problems, rows, cols);
    for_each_scalar(view, [&](double& x, std::size_t) { x = random.number<double>(); });
    return view;
  };
  const Tensor in[] = {tensor(n, n), tensor(n, n), tensor(n, n),    tensor(n, 4),
                       tensor(1, n), tensor(1, n), tensor(1, n * n)};
  const auto run = [&](auto kernel) {
    Tensor* const out[] = {&kernel.A, &kernel.B, &kernel.C,   &kernel.X,
                           &kernel.x, &kernel.y, &kernel.work};
    for (int t = 0; t < 7; ++t) *out[t] = copy_of(in[t]);
    kernel.info = Kokkos::View<int*, Space>("info", problems);
    Kokkos::parallel_for(Kokkos::TeamPolicy<>(problems, 1), kernel);
    Kokkos::fence();
    return kernel;
  };
  const auto expected = run(there::Kernel<Tensor>{});
  const auto check = [&](const auto& got) {
    for (int p = 0; p < problems; ++p) EXPECT_EQ(got.info(p), 0);
    // A solution is no nearer than its condition allows.
    expect_near(got.A, expected.A, 100 * n, "A");
    expect_near(got.B, expected.B, 100 * n, "B");
    expect_near(got.C, expected.C, 100 * n, "C");
    expect_near(got.X, expected.X, 100 * n, "X");
    expect_near(got.x, expected.x, 100 * n, "x");
    expect_near(got.y, expected.y, 100 * n, "y");
  };
  check(run(mixed::Kernel<Tensor>{}));
  check(run(here::Kernel<Tensor>{}));
}

}  // namespace
}  // namespace KokkosContract::Test
