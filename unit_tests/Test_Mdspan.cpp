// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mdspans as operands: of Views and by themselves, Kokkos' and, where the compiler has them, the
// standard library's.

#include <gtest/gtest.h>

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/HostContract.hpp>
#include <KokkosContract/LU.hpp>
#include <type_traits>

namespace KokkosContract::Test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Kokkos::dynamic_extent;
using N = Trans::NoTranspose;

template <class V>
void fill(const V& view, double start) {
  for (std::size_t i = 0; i < view.extent(0); ++i)
    for (std::size_t j = 0; j < view.extent(1); ++j) view(i, j) = start + 3. * i - 2. * j;
}

template <class A, class B, class C>
void expect_product(const A& a, const B& b, const C& c) {
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < b.extent(1); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < a.extent(1); ++k) sum += a(i, k) * b(k, j);
      EXPECT_EQ(c(i, j), sum);
    }
}

/// A product of the Views' mdspans, at each way in.
template <class A, class B, class C>
void check_to_mdspan(const A& a, const B& b, const C& c) {
  fill(a, 1);
  fill(b, -2);
  Kokkos::deep_copy(c, 7);
  EXPECT_EQ(
      (SerialContract<"ik,kj->ij">::invoke(1., a.to_mdspan(), b.to_mdspan(), 0., c.to_mdspan())),
      0);
  expect_product(a, b, c);
  Kokkos::deep_copy(c, 7);
  EXPECT_EQ((SerialGemm<N, N>::invoke(1., a.to_mdspan(), b.to_mdspan(), 0., c.to_mdspan())), 0);
  expect_product(a, b, c);
  Kokkos::deep_copy(c, 7);
  contract<"ik,kj->ij">(Host(), 1., a.to_mdspan(), b.to_mdspan(), 0., c.to_mdspan());
  Kokkos::fence();
  expect_product(a, b, c);
}

template <class Layout>
void check_layout() {
  using Dynamic = Kokkos::View<double**, Layout, Host>;
  check_to_mdspan(Dynamic("a", 3, 4), Dynamic("b", 4, 5), Dynamic("c", 3, 5));
  check_to_mdspan(Kokkos::View<double[3][4], Layout, Host>("a"),
                  Kokkos::View<double* [5], Layout, Host>("b", 4),
                  Kokkos::View<double[3][5], Layout, Host>("c"));
  const Kokkos::View<double***, Layout, Host> whole("whole", 6, 7, 8);
  const auto part = [&](int p, int rows, int cols) {
    return Kokkos::subview(whole, std::pair(1, 1 + rows), p, std::pair(2, 2 + cols));
  };
  check_to_mdspan(part(0, 3, 4), part(1, 4, 5), part(2, 3, 5));
}

TEST(ViewMdspan, LayoutRight) { check_layout<Kokkos::LayoutRight>(); }
TEST(ViewMdspan, LayoutLeft) { check_layout<Kokkos::LayoutLeft>(); }

TEST(ViewMdspan, LayoutStride) {
  static double memory[3][64];
  const auto view = [](double* data, int rows, int cols) {
    return Kokkos::View<double**, Kokkos::LayoutStride, Host>(
        data, Kokkos::LayoutStride(rows, 2 * cols + 1, cols, 2));
  };
  check_to_mdspan(view(memory[0], 3, 4), view(memory[1], 4, 5), view(memory[2], 3, 5));
}

TEST(ViewMdspan, ConstAtomicAndRankZero) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> a("a", 3, 4), c("c", 3, 3);
  fill(a, 1);
  const Kokkos::View<const double**, Kokkos::LayoutRight, Host> constant = a;
  using Atomic =
      Kokkos::View<double**, Kokkos::LayoutRight, Host, Kokkos::MemoryTraits<Kokkos::Atomic>>;
  const Atomic atomic = c;
  static_assert(Impl::operand_t<decltype(atomic.to_mdspan())>::atomic);
  EXPECT_EQ((SerialContract<"ik,jk->ij">::invoke(1., constant.to_mdspan(), constant.to_mdspan(), 1.,
                                                 atomic.to_mdspan())),
            0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double sum = 0;
      for (int k = 0; k < 4; ++k) sum += a(i, k) * a(j, k);
      EXPECT_EQ(c(i, j), sum);
    }
  const Kokkos::View<double, Host> sum("sum");
  EXPECT_EQ((SerialContract<"+i+j->">::invoke(1., a.to_mdspan(), 0., sum.to_mdspan())), 0);
  double expected = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) expected += a(i, j);
  EXPECT_EQ(sum(), expected);
}

/// As std::default_accessor, with a promise that nothing else points there.
template <class T>
struct RestrictAccessor {
  using element_type = T;
  using reference = T&;
  using data_handle_type = T* __restrict;
  using offset_policy = RestrictAccessor;
  constexpr reference access(data_handle_type p, std::size_t i) const noexcept { return p[i]; }
  constexpr T* offset(data_handle_type p, std::size_t i) const noexcept { return p + i; }
};

/// Every second element.
template <class T>
struct SecondAccessor : RestrictAccessor<T> {
  using offset_policy = SecondAccessor;
  constexpr T& access(T* p, std::size_t i) const noexcept { return p[2 * i]; }
};

static_assert(Impl::PlainAccessor<Kokkos::default_accessor<double>>);
static_assert(Impl::PlainAccessor<Kokkos::default_accessor<const Kokkos::complex<float>>>);
static_assert(Impl::PlainAccessor<Kokkos::default_accessor<Pack<double, 4>>>);
static_assert(Impl::PlainAccessor<RestrictAccessor<double>>);
static_assert(!Impl::PlainAccessor<SecondAccessor<double>>);

TEST(Mdspan, RestrictAccessor) {
  double a[12], c[16];
  for (int i = 0; i < 12; ++i) a[i] = i * i;
  using Matrix = Kokkos::mdspan<double, Kokkos::dextents<int, 2>, Kokkos::layout_right,
                                RestrictAccessor<double>>;
  EXPECT_EQ((SerialContract<"ik,jk->ij">::invoke(1., Matrix(a, 4, 3), Matrix(a, 4, 3), 0.,
                                                 Matrix(c, 4, 4))),
            0);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(c[4 * i + j],
                a[3 * i] * a[3 * j] + a[3 * i + 1] * a[3 * j + 1] + a[3 * i + 2] * a[3 * j + 2]);
}

TEST(Mdspan, OfOperands) {
  const Kokkos::View<double***, Kokkos::LayoutLeft, Host> batch("batch", 2, 3, 4);
  const auto matrix = to_mdspan(fix<3, dynamic>(slice(batch, 1)));
  using Matrix = decltype(matrix);
  static_assert(std::remove_const_t<Matrix>::static_extent(0) == 3);
  EXPECT_EQ(matrix.extent(1), 4);
  EXPECT_EQ(matrix.stride(0), 2);
  EXPECT_EQ(matrix.stride(1), 6);
  EXPECT_EQ(matrix.data_handle(), &batch(1, 0, 0));
  const Tile<float, 3> tile;
  EXPECT_EQ(to_mdspan(tile).data_handle(), tile.data());
  EXPECT_EQ(to_mdspan(Tile<double>()).rank(), 0u);
}

TEST(Mdspan, InfoOfLU) {
  double a[4] = {1, 2, 2, 4};
  int info = 0;
  const Kokkos::mdspan<double, Kokkos::extents<int, 2, 2>> matrix(a);
  EXPECT_EQ(SerialLU<>::invoke(matrix, Kokkos::mdspan<int, Kokkos::extents<int>>(&info)), 2);
  EXPECT_EQ(info, 2);
}

#if defined(__cpp_lib_mdspan)
template <class Layout>
void check_standard() {
  double a[12], b[12], c[16];
  for (int i = 0; i < 12; ++i) a[i] = 1 + i, b[i] = 2 - i * i;
  const std::mdspan<const double, std::extents<int, 4, std::dynamic_extent>, Layout> ma(a, 3);
  const std::mdspan<const double, std::dextents<std::size_t, 2>, Layout> mb(b, 3, 4);
  const std::mdspan<double, std::extents<int, 4, 4>, Layout> mc(c);
  static_assert(Impl::is_static(Impl::operand_t<decltype(mc)>::shape));
  EXPECT_EQ((SerialContract<"ik,kj->ij">::invoke(1., ma, mb, 0., mc)), 0);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += ma[i, k] * mb[k, j];
      EXPECT_EQ((mc[i, j]), sum);
    }
}

TEST(StandardMdspan, LayoutRight) { check_standard<std::layout_right>(); }
TEST(StandardMdspan, LayoutLeft) { check_standard<std::layout_left>(); }

TEST(StandardMdspan, LayoutStrideAndRankZero) {
  double a[12];
  for (int i = 0; i < 12; ++i) a[i] = i + 1;
  using Extents = std::dextents<int, 2>;
  const std::mdspan<double, Extents, std::layout_stride> strided(
      a, std::layout_stride::mapping(Extents(2, 3), std::array<int, 2>{6, 2}));
  double sum = 0;
  const std::mdspan<double, std::extents<int>> result(&sum);
  EXPECT_EQ((SerialContract<"+i+j->">::invoke(1., strided, 0., result)), 0);
  EXPECT_EQ(sum, 1. + 3 + 5 + 7 + 9 + 11);
}
#endif

}  // namespace
}  // namespace KokkosContract::Test
