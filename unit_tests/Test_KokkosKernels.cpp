// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kokkos Kernels' routines and this library's on the same data, from the same source, and with
// either library's tags.

#include <gtest/gtest.h>

#include <KokkosBatched_ApplyQ_Decl.hpp>
#include <KokkosBatched_Axpy.hpp>
#include <KokkosBatched_Copy_Decl.hpp>
#include <KokkosBatched_Dot.hpp>
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Iamax.hpp>
#include <KokkosBatched_InverseLU_Decl.hpp>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_QR_Decl.hpp>
#include <KokkosBatched_SetIdentity_Decl.hpp>
#include <KokkosBatched_SolveLU_Decl.hpp>
#include <KokkosBatched_Trmm_Decl.hpp>
#include <KokkosBatched_Trmm_Serial_Impl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>
#include <KokkosBatched_Trsv_Decl.hpp>
#include <KokkosBatched_Trtri_Decl.hpp>
#include <KokkosBatched_Trtri_Serial_Impl.hpp>
#include <KokkosBlas1_scal.hpp>
#include <KokkosBlas1_set.hpp>
#include <KokkosBlas2_serial_gemv.hpp>
#include <KokkosBlas2_team_gemv.hpp>
#include <KokkosContract.hpp>
#include <KokkosContract/KokkosKernels.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "Random.hpp"
#include "Rounding.hpp"

namespace KokkosContract::Test {

namespace there {
namespace kb = KokkosBatched;
namespace blas = KokkosBlas;
namespace tags = KokkosBatched;
#include "Ported.hpp"
}  // namespace there
namespace here {
namespace kb = KokkosContract;
namespace blas = KokkosContract;
namespace tags = KokkosContract;
#include "Ported.hpp"
}  // namespace here
/// This library's routines with Kokkos Kernels' tags.
namespace mixed {
namespace kb = KokkosContract;
namespace blas = KokkosContract;
namespace tags = KokkosBatched;
#include "Ported.hpp"
}  // namespace mixed

namespace {

using Space = Kokkos::HostSpace;
using Complex = Kokkos::complex<double>;
template <class T, int L>
using Simd = KokkosBatched::Vector<KokkosBatched::SIMD<T>, L>;

template <class T>
struct Lanes {
  using Scalar = T;
  static constexpr int count = 1;
  static T& at(T& x, int) { return x; }
};
template <class T, int L>
struct Lanes<Simd<T, L>> {
  using Scalar = T;
  static constexpr int count = L;
  static T& at(Simd<T, L>& x, int l) { return x[l]; }
};
template <class T, int L>
struct Lanes<Pack<T, L>> : Lanes<Simd<T, L>> {
  static T& at(Pack<T, L>& x, int l) { return x[l]; }
};

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Space>;
template <class T>
using MatrixLeft = Kokkos::View<T**, Kokkos::LayoutLeft, Space>;
template <class T>
using Vector = Kokkos::View<T*, Space>;

/// Each scalar of a View; f(scalar, element's number).
template <class V, class F>
void for_each_scalar(const V& view, const F& f) {
  using L = Lanes<typename V::non_const_value_type>;
  for (std::size_t e = 0; e < view.span(); ++e) {
    for (int l = 0; l < L::count; ++l) f(L::at(view.data()[e], l), e);
  }
}

template <class V>
V random_view(Random& random, int rows, int cols = -1) {
  const V view = [&] {
    if constexpr (V::rank() == 1) {
      return V("random", rows);
    } else {
      return V("random", rows, cols);
    }
  }();
  using Scalar = typename Lanes<typename V::non_const_value_type>::Scalar;
  for_each_scalar(view, [&](Scalar& x, std::size_t) { x = random.number<Scalar>(); });
  return view;
}

/// A matrix that needs no pivoting, and has moderate solutions whichever triangle is used.
template <class V>
V dominant_view(Random& random, int n) {
  const V view = random_view<V>(random, n, n);
  using Scalar = typename Lanes<typename V::non_const_value_type>::Scalar;
  for_each_scalar(view, [&](Scalar& x, std::size_t e) {
    x = x / Scalar(n) + (e % (n + 1) == 0 ? Scalar(2) : Scalar(0));
  });
  return view;
}

template <class V>
void set_unit_diagonal(const V& view) {
  for (std::size_t i = 0; i < view.extent(0); ++i) view(i, i) = 1;
}

template <class V>
V copy_of(const V& view) {
  V copy("copy", view.layout());
  Kokkos::deep_copy(copy, view);
  return copy;
}

template <class T>
real_of_t<T> size_of(const T& x) {
  return Kokkos::abs(x);
}

/// Elements differ by at most 30 n eps times the largest one. Magnitudes: whatever their signs.
template <bool Magnitudes = false, class V>
void expect_near(const V& got, const V& expected, int n, const char* name = "") {
  using Scalar = typename Lanes<typename V::non_const_value_type>::Scalar;
  using Real = real_of_t<Scalar>;
  std::vector<Scalar> values;
  Real largest = 0;
  for_each_scalar(expected, [&](const Scalar& x, std::size_t) {
    values.push_back(x);
    largest = std::max(largest, size_of(x));
  });
  const Real bound = 30 * Real(n) * std::numeric_limits<Real>::epsilon() * largest;
  std::size_t next = 0, wrong = 0, first = 0;
  for_each_scalar(got, [&](const Scalar& x, std::size_t e) {
    const Scalar y = values[next++];
    const Real error = Magnitudes ? std::abs(size_of(x) - size_of(y)) : size_of(x - y);
    if (!(error <= bound) && wrong++ == 0) first = e;
  });
  EXPECT_EQ(wrong, 0u) << name << " of " << next << " differ by more than " << bound
                       << ", first element " << first;
}

/// run(calls, output) by Kokkos Kernels, and by this library with the tags of either, on copies of
/// `output`, which agree.
template <class V, class Run>
void compare(const V& output, int n, const Run& run) {
  const V expected = copy_of(output);
  EXPECT_EQ(run(there::Calls{}, expected), 0);
  const auto check = [&](auto calls, const char* whose) {
    SCOPED_TRACE(whose);
    const V got = copy_of(output);
    EXPECT_EQ(run(calls, got), 0);
    expect_near(got, expected, n);
  };
  check(mixed::Calls{}, "tags of Kokkos Kernels");
  check(here::Calls{}, "tags of KokkosContract");
}

template <char C>
using Letter = std::integral_constant<char, C>;
template <char... C>
struct Letters {};

/// f(letter) for each letter.
template <char... C, class F>
void for_each_letter(Letters<C...>, const F& f) {
  const auto call = [&](auto letter) {
    SCOPED_TRACE(std::string("tag ") + letter.value);
    f(letter);
  };
  (call(Letter<C>{}), ...);
}

constexpr int sizes[] = {1, 4, 7, 10};

template <class T>
struct KokkosKernels : testing::Test {
  using Scalar = typename Lanes<T>::Scalar;
  static constexpr bool is_real = !is_complex<Scalar>::value;
  /// All tags for double, and some for each other type.
  template <class All, class Some>
  using tags = std::conditional_t<std::is_same_v<T, double>, All, Some>;
  using Transpositions = tags<Letters<'N', 'T'>, Letters<'T'>>;
  using Triangles = tags<Letters<'L', 'U'>, Letters<'U'>>;
  using Diagonals = tags<Letters<'d', '1'>, Letters<'d'>>;
};
using Elements =
    testing::Types<double, float, Complex, Simd<double, 4>, Simd<float, 8>, Simd<Complex, 2>>;
TYPED_TEST_SUITE(KokkosKernels, Elements);

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

// --- Vectors as packs
// -----------------------------------------------------------------------------

/// The same memory as Pack, scaling factors included.
template <class T, int L>
void check_packs() {
  using V = Simd<T, L>;
  using P = Pack<T, L>;
  constexpr int n = 7;
  Random random;
  const auto a = dominant_view<Matrix<V>>(random, n);
  const auto b = random_view<Matrix<V>>(random, n, n);
  const auto c = random_view<Matrix<V>>(random, n, n);
  const auto packs = [](const Matrix<V>& v) {
    const Matrix<P> view("packs", v.extent(0), v.extent(1));
    for (std::size_t e = 0; e < v.span(); ++e) {
      for (int l = 0; l < L; ++l) view.data()[e][l] = v.data()[e][l];
    }
    return view;
  };
  V alpha;
  P factor;
  for (int l = 0; l < L; ++l) factor[l] = alpha[l] = T(l + 1);
  const auto run = [](const auto& x, const auto& A, const auto& B, const auto& C) {
    EXPECT_EQ(here::Calls::lu(A), 0);
    EXPECT_EQ((here::Calls::trsm<'l', 'L', 'N', '1'>(x, A, B)), 0);
    EXPECT_EQ((here::Calls::gemm<'N', 'N'>(x, A, B, x, C)), 0);
    EXPECT_EQ(here::Calls::scale(x, C), 0);
    EXPECT_EQ(SerialContract<"ij->ji">::invoke(x, C, 0, B), 0);
  };
  const auto pa = packs(a), pb = packs(b), pc = packs(c);
  run(factor, pa, pb, pc);
  run(alpha, a, b, c);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int l = 0; l < L; ++l) {
        ASSERT_EQ(c(i, j)[l], pc(i, j)[l]) << i << ' ' << j << ' ' << l;
        ASSERT_EQ(b(i, j)[l], pb(i, j)[l]) << i << ' ' << j << ' ' << l;
      }
    }
  }
}

TEST(KokkosKernelsVectors, ArePacks) {
  check_packs<double, 4>();
  check_packs<double, 3>();
  check_packs<float, 8>();
  check_packs<Complex, 2>();
  check_packs<Kokkos::complex<float>, 4>();
}

TEST(KokkosKernelsVectors, FillAndPad) {
  const Kokkos::View<Simd<double, 4>***, Space> view("view", 2, 3, 3);
  pad_identity(Kokkos::DefaultHostExecutionSpace{}, view, 5);
  Kokkos::fence();
  const auto access = packed_access<0>(view, 8);
  for (int p = 0; p < 8; ++p) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_EQ(access(p, i, j), p >= 5 && i == j ? 1 : 0);
    }
  }
}

// Locals that the compiler keeps in registers where it may: a call reads and writes them.
TEST(KokkosKernelsVectors, OfOneThread) {
  using V = Simd<Complex, 3>;
  V element[4];
  for (int l = 0; l < 3; ++l) element[0][l] = element[3][l] = Complex(l + 1);
  const Kokkos::View<V[2][2], Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged> a(element);
  EXPECT_EQ(SerialScale::invoke(2, a), 0);
  for (int l = 0; l < 3; ++l) EXPECT_EQ(element[3][l], Complex(2 * (l + 1)));
  element[3][0] = Complex(0);
  EXPECT_EQ(SerialLU<>::invoke(a), 2);
}

TEST(KokkosKernelsVectorsDeathTest, NotAligned) {
  using V = Simd<float, 8>;
  alignas(32) float memory[25] = {};
  const Kokkos::View<V*, Space, Kokkos::MemoryUnmanaged> aligned(reinterpret_cast<V*>(memory), 3);
  EXPECT_EQ(SerialSet::invoke(1, aligned), 0);
  const Kokkos::View<V*, Space, Kokkos::MemoryUnmanaged> x(reinterpret_cast<V*>(memory + 1), 3);
  EXPECT_DEATH(SerialSet::invoke(1, x), "not aligned as a Pack has to be");
}

// --- Tags
// -----------------------------------------------------------------------------------------

/// Gemm and Trsv take tags A and U, which Kokkos Kernels has for its levels 3 and 2.
template <class Gemm, class Trsv>
int call_with(const Matrix<double>& a, const Vector<double>& x) {
  namespace kb = KokkosBatched;
  using N = kb::Trans::NoTranspose;
  using C = kb::Trans::ConjTranspose;
  return SerialGemm<N, C, Gemm>::invoke(1., a, a, 0., a) +
         SerialTrsv<kb::Uplo::Upper, N, kb::Diag::NonUnit, Trsv>::invoke(1., a, x);
}

TEST(KokkosKernelsTags, Algorithms) {
  using KokkosBatched::Algo;
  const Matrix<double> a("a", 0, 0);
  const Vector<double> x("x", 0);
  EXPECT_EQ((call_with<Algo::Gemm::Unblocked, Algo::Trsv::Unblocked>(a, x)), 0);
  EXPECT_EQ((call_with<Algo::Gemm::Blocked, Algo::Trsv::Blocked>(a, x)), 0);
  EXPECT_EQ((call_with<Algo::Gemm::Default, Algo::Trsv::Default>(a, x)), 0);
  EXPECT_EQ((call_with<Algo::Gemm::MKL, Algo::Trsv::MKL>(a, x)), 0);
  EXPECT_EQ((call_with<Algo::Gemm::CompactMKL, Algo::Trsv::CompactMKL>(a, x)), 0);
}

// A plan of teams is made for calls with either tags.
TEST(KokkosKernelsTags, TeamPolicy) {
  namespace kb = KokkosBatched;
  const Kokkos::View<double***, Space> a("a", 4, 3, 3);
  using Theirs = SerialGemm<kb::Trans::NoTranspose, kb::Trans::Transpose>;
  using Ours = SerialGemm<Trans::NoTranspose, Trans::Transpose>;
  const Kokkos::DefaultHostExecutionSpace exec;
  EXPECT_EQ(team_policy<Theirs>(exec, 4, a, a, a).problems_per_team,
            team_policy<Ours>(exec, 4, a, a, a).problems_per_team);
}

}  // namespace
}  // namespace KokkosContract::Test
