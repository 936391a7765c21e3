// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums whose terms are neighbours in memory and used once, as in a row-major matrix times a vector:
// registers of a host hold terms of a sum.
#include <gtest/gtest.h>

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Gemv.hpp>
#include <KokkosContract/HostContract.hpp>
#include <limits>

namespace KokkosContract::Test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
template <class Data, class Layout = Kokkos::LayoutRight>
using HostView = Kokkos::View<Data, Layout, Kokkos::HostSpace>;

/// Small integers, whose sums are exact. They are also behind the elements of padded Views.
template <class View>
void fill(const View& view, int seed) {
  for (std::size_t i = 0; i < view.span(); ++i) {
    view.data()[i] =
        static_cast<typename View::value_type>((5 * static_cast<int>(i) + seed) % 7 - 3);
  }
}
/// What no call may read.
template <class View>
void poison(const View& view) {
  Kokkos::deep_copy(view, std::numeric_limits<typename View::value_type>::quiet_NaN());
}

/// With beta 0 and an output of NaN, and with alpha and beta. call(alpha, beta) sets y(i), whose
/// sum is sum(i).
template <class View, class Call, class Sum>
void check(const View& y, const Call& call, const Sum& sum) {
  using T = typename View::value_type;
  poison(y);
  call(T(1), T(0));
  for (int i = 0; i < y.extent_int(0); ++i) ASSERT_EQ(y(i), sum(i)) << i;
  Kokkos::deep_copy(y, T(2));
  call(T(2), T(-1));
  for (int i = 0; i < y.extent_int(0); ++i) ASSERT_EQ(y(i), 2 * sum(i) - 2) << i;
  Kokkos::deep_copy(y, T(2));
  call(T(0), T(3));
  for (int i = 0; i < y.extent_int(0); ++i) ASSERT_EQ(y(i), T(6)) << i;
}

template <class T>
void check_matrix_times_vector() {
  for (const int rows : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33}) {
    for (const int terms : {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 40}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << terms);
      // Columns behind the matrix are not read.
      const HostView<T**> wide("A", rows, terms + 3);
      poison(wide);
      const auto a = Kokkos::subview(wide, Kokkos::ALL, Kokkos::pair(0, terms));
      const HostView<T*> x("x", terms);
      const HostView<T*> y("y", rows);
      fill(x, 2);
      for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < terms; ++k) a(i, k) = static_cast<T>((3 * i + k) % 5 - 2);
      }
      const auto sum = [&](int i) {
        T of_row(0);
        for (int k = 0; k < terms; ++k) of_row += a(i, k) * x(k);
        return of_row;
      };
      check(
          y, [&](T alpha, T beta) { ASSERT_EQ(SerialGemv<>::invoke(alpha, a, x, beta, y), 0); },
          sum);
      check(y, [&](T alpha, T beta) { contract<"ik,k->i">(Host(), alpha, a, x, beta, y); }, sum);
    }
  }
}
TEST(AlongSum, MatrixTimesVector) {
  check_matrix_times_vector<double>();
  check_matrix_times_vector<float>();
}

template <class T, int Rows, int Terms>
void check_static() {
  SCOPED_TRACE(testing::Message() << Rows << " x " << Terms);
  const HostView<T[Rows][Terms]> a("A");
  const HostView<T[Terms]> x("x");
  const HostView<T[Rows]> y("y");
  fill(a, 1);
  fill(x, 2);
  check(
      y, [&](T alpha, T beta) { ASSERT_EQ(SerialGemv<>::invoke(alpha, a, x, beta, y), 0); },
      [&](int i) {
        T of_row(0);
        for (int k = 0; k < Terms; ++k) of_row += a(i, k) * x(k);
        return of_row;
      });
}
TEST(AlongSum, StaticExtents) {
  check_static<double, 6, 6>();
  check_static<double, 12, 6>();
  check_static<double, 9, 11>();
  check_static<double, 2, 13>();
  check_static<float, 5, 20>();
  check_static<float, 12, 4>();
}

/// Batches of sums over two indices, which are one line of memory, or lines with steps in between.
TEST(AlongSum, SeveralIndices) {
  constexpr int cells = 3, fields = 11;
  for (const int points : {1, 2, 5, 9}) {
    for (const int behind : {0, 1}) {
      SCOPED_TRACE(testing::Message() << points << " points, " << behind << " behind");
      const HostView<double** [3]> wide_x("x", cells, points + behind);
      const HostView<double*** [3]> wide_a("A", cells, fields, points + behind);
      const HostView<double**> y("y", cells, fields);
      fill(wide_x, 1);
      fill(wide_a, 2);
      const auto range = Kokkos::pair(0, points);
      using Kokkos::ALL;
      const auto x = fix<dynamic, dynamic, 3>(Kokkos::subview(wide_x, ALL, range, ALL));
      const auto a =
          fix<dynamic, dynamic, dynamic, 3>(Kokkos::subview(wide_a, ALL, ALL, range, ALL));
      poison(y);
      contract<"cpd,clpd->cl">(Host(), 1.0, x, a, 0.0, y);
      for (int c = 0; c < cells; ++c) {
        for (int l = 0; l < fields; ++l) {
          double sum = 0;
          for (int p = 0; p < points; ++p) {
            for (int d = 0; d < 3; ++d) sum += wide_x(c, p, d) * wide_a(c, l, p, d);
          }
          EXPECT_EQ(y(c, l), sum) << c << ' ' << l;
        }
      }
    }
  }
}

/// Lanes of the output along a batch, each of which has operands of its own, and one input.
TEST(AlongSum, BatchesAndOneInput) {
  for (const int problems : {1, 3, 8, 21}) {
    for (const int terms : {3, 8, 19}) {
      SCOPED_TRACE(testing::Message() << problems << " x " << terms);
      const HostView<double**> a("A", problems, terms);
      const HostView<double**> b("B", problems, terms);
      const HostView<double*> y("y", problems);
      fill(a, 1);
      fill(b, 2);
      check(
          y, [&](double alpha, double beta) { contract<"cp,cp->c">(Host(), alpha, a, b, beta, y); },
          [&](int c) {
            double sum = 0;
            for (int p = 0; p < terms; ++p) sum += a(c, p) * b(c, p);
            return sum;
          });
      check(
          y, [&](double alpha, double beta) { contract<"cp->c">(Host(), alpha, a, beta, y); },
          [&](int c) {
            double sum = 0;
            for (int p = 0; p < terms; ++p) sum += a(c, p);
            return sum;
          });
    }
  }
}

template <class T>
constexpr Impl::Machine host_machine = Impl::machine_of<T, T, T, T>(Impl::Callers{});

template <std::ptrdiff_t Rows, std::ptrdiff_t Terms, std::ptrdiff_t RowStride,
          std::ptrdiff_t TermStride>
constexpr auto nest_of_gemv() {
  constexpr StaticShape<2> a{{Rows, Terms}, {RowStride, TermStride}};
  constexpr StaticShape<1> x{{Terms}, {1}}, y{{Rows}, {1}};
  constexpr Impl::ProductLabels labels{Impl::matrix_labels<Trans::NoTranspose>(false, 'i', 'k'),
                                       Impl::vector_labels(false, 'k'),
                                       Impl::vector_labels(false, 'i')};
  return Impl::Lowering<labels, a, x, y, true>::nest;
}

template <class T, std::ptrdiff_t Rows, std::ptrdiff_t Terms, std::ptrdiff_t RowStride,
          std::ptrdiff_t TermStride>
constexpr Impl::Plan plan_of_gemv() {
  return Impl::make_plan(nest_of_gemv<Rows, Terms, RowStride, TermStride>(), host_machine<T>);
}

TEST(AlongSum, Plans) {
  constexpr bool along_sum = Impl::native_lanes<double> >= 4;
  constexpr std::ptrdiff_t any = dynamic;
  EXPECT_EQ((plan_of_gemv<double, any, any, any, 1>()).along_sum, along_sum);
  EXPECT_EQ((plan_of_gemv<double, 12, 12, 12, 1>()).along_sum, along_sum);
  EXPECT_EQ((plan_of_gemv<double, 6, 6, 6, 1>()).along_sum, along_sum);
  EXPECT_FALSE((plan_of_gemv<double, 5, 5, 5, 1>()).along_sum);
  EXPECT_FALSE((plan_of_gemv<double, any, any, 1, any>()).along_sum);
  EXPECT_FALSE((plan_of_gemv<double, any, 3, 3, 1>()).along_sum);
  EXPECT_FALSE((plan_of_gemv<Kokkos::complex<double>, any, any, any, 1>()).along_sum);
}

/// The smallest matrices with run-time extents have a plain loop, which is inlined. Larger ones
/// have a register of eight lanes along each sum.
template <class T>
void check_small_plans() {
  constexpr Impl::SmallPlans small =
      Impl::small_plans(nest_of_gemv<dynamic, dynamic, dynamic, 1>(), host_machine<T>);
  constexpr bool has_registers = Impl::native_lanes<T> >= 8;
  EXPECT_EQ(small.count, has_registers ? 2 : 1);
  EXPECT_TRUE(small.first_is_inlined);
  EXPECT_FALSE(small.copies);
  EXPECT_EQ(small.plan[0].plan.lanes, 1);
  for (int n = 1; n <= 8; ++n) {
    EXPECT_EQ(small.plan[0].covers(1, n, n), n <= (has_registers ? 5 : 6)) << n;
    EXPECT_EQ(small.plan[1].covers(1, n, n), has_registers) << n;
  }
}
TEST(AlongSum, SmallPlans) {
  if constexpr (Impl::native_lanes<double> >= 2) {
    check_small_plans<double>();
    check_small_plans<float>();
  }
}

}  // namespace
}  // namespace KokkosContract::Test
