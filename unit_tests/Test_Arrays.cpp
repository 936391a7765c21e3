// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of a static size as inputs, and DynRankViews, whose rank fix() or a routine names.

#include <gtest/gtest.h>

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Dot.hpp>
#include <KokkosContract/Gemv.hpp>
#include <KokkosContract/Trsv.hpp>
#include <Kokkos_DynRankView.hpp>
#include <array>

namespace KokkosContract::Test {
namespace {

using N = Trans::NoTranspose;
using Host = Kokkos::HostSpace;

TEST(SmallArray, IsStatic) {
  using Rows = Kokkos::Array<std::array<double, 3>, 2>;
  constexpr auto shape = Impl::operand_t<Rows>::shape;
  static_assert(shape.rank == 2 && shape.extent[0] == 2 && shape.extent[1] == 3);
  static_assert(shape.stride[0] == 3 && shape.stride[1] == 1);
  static_assert(std::is_const_v<Impl::operand_t<Rows>::value_type>);
  static_assert(Impl::operand_t<Kokkos::Array<Pack<double, 4>, 2>>::shape.stride[0] == 1);
}

template <template <class, std::size_t> class Array>
void check_inputs() {
  const Array<Array<double, 3>, 2> a{{{{1, 2, 3}}, {{4, 5, 6}}}};
  const Array<double, 3> x{{1, -1, 2}};
  const Tile<double, 2> y;
  EXPECT_EQ((SerialGemv<N>::invoke(1., a, x, 0., y)), 0);
  EXPECT_EQ(y(0), 5);
  EXPECT_EQ(y(1), 11);
  const Tile<double> sum;
  EXPECT_EQ((SerialContract<"ij,j,i->">::invoke(1., a, x, y, 0., sum)), 0);
  EXPECT_EQ(sum(), 5 * 5 + 11 * 11);
}

TEST(SmallArray, StandardArray) { check_inputs<std::array>(); }
template <class T, std::size_t Count>
using KokkosArray = Kokkos::Array<T, Count>;
TEST(SmallArray, KokkosArray) { check_inputs<KokkosArray>(); }

template <class Layout>
void check_dyn_rank_view() {
  const Kokkos::DynRankView<double, Layout, Host> a("a", 2, 3), whole("whole", 4, 3);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) a(i, j) = 1 + 3 * i + j;
  const auto x = Kokkos::subview(whole, 2, Kokkos::ALL),
             y = Kokkos::subview(whole, std::pair(1, 3), 0);
  x(0) = 1, x(1) = -1, x(2) = 2;
  const Tile<double, 2> product;
  EXPECT_EQ((SerialGemv<N>::invoke(1., fix<2, dynamic>(a), fix<dynamic>(x), 0., product)), 0);
  EXPECT_EQ(product(0), 5);
  EXPECT_EQ(product(1), 11);
  EXPECT_EQ((SerialContract<"i+j->i">::invoke(1., fix<dynamic, dynamic>(a), 0., fix<2>(y))), 0);
  EXPECT_EQ(whole(1, 0), 6);
  EXPECT_EQ(whole(2, 0), 15);
}

TEST(DynRankView, LayoutRight) { check_dyn_rank_view<Kokkos::LayoutRight>(); }
TEST(DynRankView, LayoutLeft) { check_dyn_rank_view<Kokkos::LayoutLeft>(); }

// Routines that say the ranks of their arguments take a DynRankView, and refuse another rank.
TEST(DynRankView, RanksOfRoutines) {
  const Kokkos::DynRankView<double, Host> batch("batch", 3, 2, 2), vectors("vectors", 3, 2);
  const Kokkos::View<double[2], Host> y("y");
  Kokkos::deep_copy(batch, 3);
  Kokkos::deep_copy(vectors, 6);
  const auto a = Kokkos::subview(batch, 1, Kokkos::ALL, Kokkos::ALL);
  const auto x = Kokkos::subview(vectors, 1, Kokkos::ALL);
  using Solve = SerialTrsv<Uplo::Lower>;
  EXPECT_EQ(Solve::invoke(1., a, x), 0);
  EXPECT_EQ(vectors(1, 0), 2);
  EXPECT_EQ(vectors(1, 1), 0);
  EXPECT_EQ(SerialGemv<N>::invoke(2., a, x, 0., y), 0);
  EXPECT_EQ(y(1), 12);
  if (Impl::checked_build) return;  // which the next call ends
  EXPECT_EQ(Solve::invoke(1., batch, x), -1);
  EXPECT_EQ(vectors(1, 0), 2);
}

}  // namespace
}  // namespace KokkosContract::Test
