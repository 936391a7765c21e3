// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of up to 6 rows on one thread, which have plans of their own: by elements
// where extents are static, a plain loop where they are not.
#include <gtest/gtest.h>

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/Gemv.hpp>
#include <complex>
#include <limits>
#include <vector>

namespace KokkosContract::Test {
namespace {

using N = Trans::NoTranspose;
using T = Trans::Transpose;
using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;

template <class Scalar>
Scalar small_integer(int i, int j) {
  return Scalar(static_cast<float>((5 * i + 3 * j) % 7 - 3));
}

/// Elements that no call may read or, outside of its operands, write.
template <class Scalar>
Scalar poison() {
  if constexpr (std::numeric_limits<Scalar>::has_quiet_NaN) {
    return std::numeric_limits<Scalar>::quiet_NaN();
  } else {
    return Scalar(101);
  }
}
template <class Scalar>
bool is_poison(const Scalar& x) {
  return x != x || x == Scalar(101);
}

/// A matrix of Rows x Cols among poison: element (i, j) is at 3 + i * row + j * col.
template <class Scalar, int Rows, int Cols>
struct Matrix {
  std::vector<Scalar> memory;
  int row, col;

  Matrix(int row_stride, int col_stride, int seed)
      : memory(3 + Rows * row_stride + Cols * col_stride + 16, poison<Scalar>()),
        row(row_stride),
        col(col_stride) {
    for (int i = 0; i < Rows; ++i) {
      for (int j = 0; j < Cols; ++j) at(i, j) = small_integer<Scalar>(i + seed, j);
    }
  }
  Scalar& at(int i, int j) { return memory[3 + i * row + j * col]; }

  auto strided() {
    return Kokkos::View<Scalar**, Kokkos::LayoutStride, Kokkos::HostSpace>(
        &at(0, 0), Kokkos::LayoutStride(Rows, row, Cols, col));
  }
  auto vector() {
    return Kokkos::View<Scalar*, Kokkos::LayoutStride, Kokkos::HostSpace>(
        &at(0, 0), Kokkos::LayoutStride(Rows, row));
  }
  /// As an argument: static extents, and strides that are static if Layout is packed.
  template <class Layout, bool Static>
  auto argument() {
    if constexpr (!Static) {
      return strided();
    } else if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
      return fix<Rows, Cols>(strided());
    } else {
      return Kokkos::View<Scalar[Rows][Cols], Layout, Kokkos::HostSpace>(&at(0, 0));
    }
  }
  void expect_poison_around() {
    std::vector<bool> inside(memory.size(), false);
    for (int i = 0; i < Rows; ++i) {
      for (int j = 0; j < Cols; ++j) inside[3 + i * row + j * col] = true;
    }
    for (std::size_t k = 0; k < memory.size(); ++k) {
      EXPECT_TRUE(inside[k] || is_poison(memory[k])) << k;
    }
  }
};

template <class Layout>
constexpr int row_stride(int rows, int cols) {
  return std::is_same_v<Layout, Right> ? cols : (std::is_same_v<Layout, Left> ? 1 : 2 * rows + 1);
}
template <class Layout>
constexpr int col_stride(int rows) {
  return std::is_same_v<Layout, Right> ? 1 : (std::is_same_v<Layout, Left> ? rows : 2);
}

template <class Tag, class Scalar, int Rows, int Cols>
Scalar element(Matrix<Scalar, Rows, Cols>& a, int i, int j) {
  return std::is_same_v<Tag, N> ? a.at(i, j) : a.at(j, i);
}

/// Square matrices, and one alpha and beta. With beta 0 the output is poison before.
template <class Scalar, int Size, class Layout, bool Static, class TransA>
void check(float alpha, float beta) {
  SCOPED_TRACE(testing::Message() << Size << " rows, static " << Static << ", beta " << beta);
  const int row = row_stride<Layout>(Size, Size);
  const int col = col_stride<Layout>(Size);
  Matrix<Scalar, Size, Size> a(row, col, 0), b(row, col, 1), c(row, col, 2);
  Matrix<Scalar, Size, 1> x(1, 1, 3), y(2, 1, 4);
  const auto expected = [&](Scalar sum, Scalar old) {
    return Scalar(Scalar(alpha) * sum + (beta == 0 ? Scalar(0) : Scalar(Scalar(beta) * old)));
  };
  std::vector<Scalar> product, image;
  for (int i = 0; i < Size; ++i) {
    Scalar of_vector(0);
    for (int k = 0; k < Size; ++k) of_vector += element<TransA>(a, i, k) * x.at(k, 0);
    image.push_back(expected(of_vector, y.at(i, 0)));
    for (int j = 0; j < Size; ++j) {
      Scalar sum(0);
      for (int k = 0; k < Size; ++k) sum += element<TransA>(a, i, k) * b.at(k, j);
      product.push_back(expected(sum, c.at(i, j)));
      if (beta == 0) c.at(i, j) = poison<Scalar>();
    }
    if (beta == 0) y.at(i, 0) = poison<Scalar>();
  }
  const auto in = [](auto& m) { return m.template argument<Layout, Static>(); };
  const auto vector = [](auto& m) {
    if constexpr (Static) {
      return fix<Size>(m.vector());
    } else {
      return m.vector();
    }
  };
  const Scalar al(alpha), be(beta);
  ASSERT_EQ((SerialGemm<TransA, N>::invoke(al, in(a), in(b), be, in(c))), 0);
  ASSERT_EQ((SerialGemv<TransA>::invoke(al, in(a), vector(x), be, vector(y))), 0);
  for (int i = 0; i < Size; ++i) {
    EXPECT_EQ(y.at(i, 0), image[i]) << i;
    for (int j = 0; j < Size; ++j) EXPECT_EQ(c.at(i, j), product[i * Size + j]) << i << ' ' << j;
  }
  c.expect_poison_around();
  y.expect_poison_around();
}

template <class Scalar, class Layout, bool Static, class TransA, int... Size>
void check_sizes(std::integer_sequence<int, Size...>) {
  (check<Scalar, Size, Layout, Static, TransA>(1, 0), ...);
  (check<Scalar, Size, Layout, Static, TransA>(1, 1), ...);
  (check<Scalar, Size, Layout, Static, TransA>(2, -1), ...);
}
using Sizes = std::integer_sequence<int, 2, 3, 4, 5, 6>;

TEST(SmallProducts, StaticRows) { check_sizes<double, Right, true, N>(Sizes{}); }
TEST(SmallProducts, StaticColumns) {
  check_sizes<double, Left, true, T>(std::integer_sequence<int, 2, 4, 5>{});
}
TEST(SmallProducts, StaticStrides) {
  check_sizes<double, Kokkos::LayoutStride, true, N>(std::integer_sequence<int, 5>{});
}
TEST(SmallProducts, RunTimeExtents) {
  check_sizes<double, Right, false, N>(std::integer_sequence<int, 1, 6, 7>{});
  check_sizes<double, Kokkos::LayoutStride, false, T>(std::integer_sequence<int, 5>{});
}
TEST(SmallProducts, Float) {
  check_sizes<float, Right, true, N>(std::integer_sequence<int, 3, 4, 5>{});
}
TEST(SmallProducts, OtherTypes) {
  using Three = std::integer_sequence<int, 3>;
  check_sizes<std::int8_t, Right, true, N>(Three{});
  check_sizes<std::int32_t, Right, true, T>(Three{});
  check_sizes<Kokkos::complex<double>, Right, true, N>(Three{});
  check_sizes<Kokkos::Experimental::half_t, Right, true, N>(Three{});
}

/// An empty sum still scales the output.
TEST(SmallProducts, EmptySum) {
  Kokkos::View<double**, Kokkos::HostSpace> a("a", 2, 0);
  Kokkos::View<double*, Kokkos::HostSpace> x("x", 0);
  Kokkos::View<double[2], Kokkos::HostSpace> y("y");
  Kokkos::deep_copy(y, 3);
  ASSERT_EQ((SerialContract<"ij,j->i">::invoke(1.0, fix<2, 0>(a), fix<0>(x), 2.0, y)), 0);
  ASSERT_EQ((SerialContract<"ij,j->i">::invoke(1.0, a, x, 2.0, y)), 0);
  EXPECT_EQ(y(0), 12);
  EXPECT_EQ(y(1), 12);
}

template <int Rows, int Terms, class A>
constexpr Impl::Plan plan_of_gemv(bool inlined) {
  using Shape = StaticShape<2>;
  constexpr Shape right{{Rows, Terms}, {Terms, 1}};
  constexpr StaticShape<1> x{{Terms}, {1}}, y{{Rows}, {1}};
  constexpr Impl::ProductLabels labels{Impl::matrix_labels<N>(false, 'i', 'k'),
                                       Impl::vector_labels(false, 'k'),
                                       Impl::vector_labels(false, 'i')};
  using Low = Impl::Lowering<labels, right, x, y, true>;
  constexpr Impl::Machine machine = Impl::machine_of<A, A, A, A>(Impl::Callers{});
  EXPECT_EQ(Impl::small_plans(Low::nest, machine).all_is_inlined, inlined);
  return Impl::make_plan(Low::nest, machine);
}

/// A small static matrix times a vector is inlined and computed by elements, a larger one is not.
TEST(SmallProducts, Plans) {
  EXPECT_EQ((plan_of_gemv<3, 3, double>(true)).lanes, 1);
  EXPECT_EQ((plan_of_gemv<5, 5, double>(true)).lanes, 1);
  static_cast<void>(plan_of_gemv<6, 6, double>(true));
  EXPECT_GT((plan_of_gemv<12, 12, double>(false)).lanes, 1);
  EXPECT_GT((plan_of_gemv<3, 3, Kokkos::complex<float>>(false)).lanes, 1);
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)  // whose code has no such registers
/// Parts of a register touch no other memory.
TEST(SmallProducts, Parts) {
  constexpr int lanes = Impl::native_lanes<float>;
  using Register = Impl::Vec<float, lanes>;
  for (int count = 0; count < lanes; ++count) {
    float from[lanes], to[lanes];
    for (int l = 0; l < lanes; ++l) {
      from[l] = static_cast<float>(l + 1);
      to[l] = -1;
    }
    const Register read = Impl::load_parts<lanes>(from, count);
    Impl::store_parts(to, read, count);
    for (int l = 0; l < lanes; ++l) {
      EXPECT_EQ(read.lane(l), l < count ? static_cast<float>(l + 1) : 0);
      EXPECT_EQ(to[l], l < count ? static_cast<float>(l + 1) : -1);
    }
  }
}
#endif

}  // namespace
}  // namespace KokkosContract::Test
