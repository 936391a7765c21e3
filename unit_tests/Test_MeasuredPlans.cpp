// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that a table of measured plans knows run by that table: the one in the folder plans.
#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <KokkosContract/Explain.hpp>
#include <KokkosContract/product/Measured.hpp>
#include <sstream>
#include <string>

#include "ContractOp.hpp"
#include "EmulatedDevice.hpp"

namespace KokkosContract::Test {
namespace {

using Impl::ProductChoice;
using Impl::Workers;

template <class Data, class Device = Kokkos::HostSpace>
using View =
    Kokkos::View<Data, Kokkos::LayoutRight, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class GpuOrVoid, Workers W, class A, class B, class C>
consteval ProductChoice choice() {
  using Product = Impl::HostProduct<Impl::product_labels<"ik,kj->ij">, Impl::operand_t<A>,
                                    Impl::operand_t<B>, Impl::operand_t<C>>;
  return Product::template choice<GpuOrVoid, Impl::Stored::linear>(Impl::callers_at<GpuOrVoid>(W));
}
template <class T>
consteval ProductChoice choice_of_host() {
  return choice<void, Workers::serial, View<const T[7][5]>, View<const T[5][11]>, View<T[7][11]>>();
}

// Type, extents and workers select the row.
static_assert(choice_of_host<double>().measured);
static_assert(choice_of_host<double>().tile == TileShape{5, 1});
static_assert(choice_of_host<float>().tile == TileShape{2, 2});
static_assert(!choice_of_host<Kokkos::complex<double>>().measured);
static_assert(!choice<void, Workers::serial, View<const double[7][6]>, View<const double[6][11]>,
                      View<double[7][11]>>()
                   .measured);
static_assert(
    choice<void, Workers::serial, View<const double**>, View<const double**>, View<double**>>()
        .tile == TileShape{3, 1});

// A row with an algorithm of another machine changes nothing.
using Eight = View<double[8][8]>;
static_assert(!choice<void, Workers::serial, Eight, Eight, Eight>().measured);

// A GPU's teams and threads have rows of their own.
using Space = EmulatedSpace<32>;
static_assert(choice<Space, Workers::team, Eight, Eight, Eight>().tile == TileShape{4, 2});
static_assert(choice<Space, Workers::team, Eight, Eight, Eight>().way == Way::shared);
static_assert(choice<Space, Workers::vector, Eight, Eight, Eight>().tile == TileShape{2, 1});
static_assert(!choice<Space, Workers::serial, Eight, Eight, Eight>().measured);

// How the tables name a product.
TEST(MeasuredPlans, Text) {
  using A = Impl::operand_t<View<const double* [4][6]>>;
  using B = Impl::operand_t<View<const double[6][9]>>;
  using C = Impl::operand_t<View<double* [4][9]>>;
  using Low =
      Impl::Lowering<Impl::product_labels<"bik,kj->bij">, A::shape, B::shape, C::shape, false>;
  constexpr Impl::ProductText text = Impl::text_of_product(Low::nest);
  EXPECT_STREQ(text.text, "row ?, row 4, col 9 yc, sum 6 x");
}

/// Compares a product of two matrices with plain loops.
template <int M, int K, int N, class T, class F>
void expect_product(const F& multiply) {
  T a[M][K], b[K][N], c[M][N];
  for (int i = 0; i < M * K; ++i) a[i / K][i % K] = T(i % 7 - 3);
  for (int i = 0; i < K * N; ++i) b[i / N][i % N] = T(i % 5 - 2);
  for (auto& row : c) {
    for (T& x : row) x = T(1);
  }
  multiply(&a[0][0], &b[0][0], &c[0][0]);
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      T sum = 2;
      for (int k = 0; k < K; ++k) sum += a[i][k] * b[k][j];
      EXPECT_EQ(c[i][j], sum) << i << " " << j;
    }
  }
}

TEST(MeasuredPlans, Products) {
  expect_product<7, 5, 11, double>([](double* a, double* b, double* c) {
    EXPECT_EQ((SerialContract<"ik,kj->ij">::invoke(1.0, View<const double[7][5]>(a),
                                                   View<const double[5][11]>(b), 2.0,
                                                   View<double[7][11]>(c))),
              0);
  });
  expect_product<7, 5, 11, float>([](float* a, float* b, float* c) {
    EXPECT_EQ((SerialContract<"ik,kj->ij">::invoke(1.f, View<const float[7][5]>(a),
                                                   View<const float[5][11]>(b), 2.f,
                                                   View<float[7][11]>(c))),
              0);
  });
  expect_product<13, 6, 9, double>([](double* a, double* b, double* c) {
    EXPECT_EQ((SerialContract<"ik,kj->ij">::invoke(1.0, View<const double**>(a, 13, 6),
                                                   View<const double**>(b, 6, 9), 2.0,
                                                   View<double**>(c, 13, 9))),
              0);
  });
}

TEST(MeasuredPlans, OnAGpu) {
  using Member = EmulatedMember<32>;
  using Marked = View<double[8][8], Kokkos::Device<Space, Kokkos::HostSpace>>;
  for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
    expect_product<8, 8, 8, double>([&](double* a, double* b, double* c) {
      EmulatedBlock block(4, 32, 65536, order);
      int code = -1;
      EXPECT_EQ(block.run([&] {
        code = TeamVectorContract<"ik,kj->ij">::invoke(Member(block, 0, 1), 1.0, Marked(a),
                                                       Marked(b), 2.0, Marked(c));
      }),
                "");
      EXPECT_EQ(code, 0);
      EXPECT_EQ(block.algorithms(), std::vector<int>{static_cast<int>(Way::shared)});
    });
  }
}

// Any tile that a caller asks for gives the same result.
template <int... I>
void check_tiles(std::integer_sequence<int, I...>) {
  const auto check = []<int Rows, int Cols>() {
    expect_product<7, 5, 11, double>([](double* a, double* b, double* c) {
      using Op = SerialContract<"ik,kj->ij", Choice{.tile = {Rows, Cols}}>;
      EXPECT_EQ(Op::invoke(1.0, View<const double[7][5]>(a), View<const double[5][11]>(b), 2.0,
                           View<double[7][11]>(c)),
                0);
      EXPECT_EQ(Op::invoke(0.0, View<const double**>(a, 7, 5), View<const double**>(b, 5, 11), 1.0,
                           View<double**>(c, 7, 11)),
                0);
    });
    expect_product<13, 6, 9, double>([](double* a, double* b, double* c) {
      using Op = SerialContract<"ik,kj->ij", Choice{.tile = {Rows, Cols}}>;
      EXPECT_EQ(Op::invoke(1.0, View<const double**>(a, 13, 6), View<const double**>(b, 6, 9), 2.0,
                           View<double**>(c, 13, 9)),
                0);
    });
  };
  (check.template operator()<I / 4 + 1, I % 4 + 1>(), ...);
}
TEST(MeasuredPlans, TilesOfCallers) { check_tiles(std::make_integer_sequence<int, 24>{}); }

TEST(MeasuredPlans, Explained) {
  double x[128];
  const auto text = [&]<class A, class B, class C>() {
    std::ostringstream os;
    explain<"ik,kj->ij">(os, A(x), B(x), C(x));
    return os.str();
  };
  const std::string measured =
      text.operator()<View<const double[7][5]>, View<const double[5][11]>, View<double[7][11]>>();
  EXPECT_NE(measured.find("; measured"), std::string::npos) << measured;
  EXPECT_NE(measured.find("tile: 4 rows x 1 "), std::string::npos) << measured;
  const std::string modelled = text.operator()<Eight, Eight, Eight>();
  EXPECT_NE(modelled.find("; modelled"), std::string::npos) << modelled;
}

}  // namespace
}  // namespace KokkosContract::Test
