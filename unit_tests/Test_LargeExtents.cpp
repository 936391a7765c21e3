// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More elements than an int counts, along strides of 0 or as bytes; see Test_MostExtent.cpp, too.
#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <cstdint>
#include <sstream>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;

constexpr int side = 46342;  // its square is above 2^31
constexpr double square = static_cast<double>(side) * side;

template <class T, int Rank>
using StridedView = view_t<T, Rank, Kokkos::LayoutStride>;

/// One element, as a tensor with these extents.
template <class T, class... Extents>
StridedView<T, sizeof...(Extents)> spread(const Kokkos::View<T>& element, Extents... extents) {
  Kokkos::LayoutStride layout;
  const std::size_t all[] = {static_cast<std::size_t>(extents)...};
  for (std::size_t d = 0; d < sizeof...(Extents); ++d) {
    layout.dimension[d] = all[d];
    layout.stride[d] = 0;
  }
  return StridedView<T, sizeof...(Extents)>(element.data(), layout);
}

template <class T>
Kokkos::View<T> scalar(double value) {
  const Kokkos::View<T> result("scalar");
  Kokkos::deep_copy(result, T(value));
  return result;
}

template <class T>
double value_of(const Kokkos::View<T>& element) {
  T value;
  Kokkos::deep_copy(value, element);
  return static_cast<double>(value);
}

template <class F>
struct OneTeam {
  F call;
  Kokkos::View<int> code;
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int found = call(team);
    Kokkos::single(Kokkos::PerTeam(team), [&] { code() = found; });
  }
};

/// call(team) by one team; returns its code.
template <class F>
int by_one_team(const F& call) {
  const Kokkos::View<int> code("code");
  // One output has one worker.
  Kokkos::parallel_for(Kokkos::TeamPolicy<>(1, 1, 1), OneTeam<F>{call, code});
  return static_cast<int>(value_of(code));
}

// --- Sums ---------------------------------------------------------------------------------------

struct SumOfMatrix {
  StridedView<double, 2> a;
  Kokkos::View<double> sum;
  KOKKOS_FUNCTION int operator()(const Member& team) const {
    return TeamContract<"ij->">::invoke(team, 1.0, a, 0.0, sum);
  }
};

TEST(LargeExtents, SumByTeam) {
  const auto one = scalar<double>(1);
  const auto sum = scalar<double>(7);
  EXPECT_EQ(by_one_team(SumOfMatrix{spread(one, side, side), sum}), 0);
  EXPECT_EQ(value_of(sum), square);
}

TEST(LargeExtents, SumsFromTheHost) {
  const auto two = scalar<double>(2);
  const auto sum = scalar<double>(7);
  const auto a = spread(two, side, side);
  contract<"ij,ij->">(Space(), 1.0, a, a, 0.0, sum);
  EXPECT_EQ(value_of(sum), 4 * square);

  const Kokkos::View<double[2]> pair("pair");
  const auto b = spread(two, side, side, 2);
  contract<"kl,klj->j">(Space(), 1.0, a, b, 0.0, pair);
  const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pair);
  EXPECT_EQ(sums(0), 4 * square);
  EXPECT_EQ(sums(1), 4 * square);
}

// Letters that the compiler makes one loop of.
TEST(LargeExtents, StaticLetters) {
  using Strides = std::integer_sequence<std::ptrdiff_t, 0, 0>;
  using DynamicRows =
      Strided<double, std::integer_sequence<std::ptrdiff_t, dynamic, 1024>, Strides>;
  using StaticRows = Strided<double, std::integer_sequence<std::ptrdiff_t, 1 << 21, 1024>, Strides>;
  const auto one = scalar<double>(1);
  const auto sum = scalar<double>(7);
  const int extent[] = {1 << 21, 1024};
  const std::ptrdiff_t stride[] = {0, 0};
  contract<"ij->">(Space(), 1.0, DynamicRows(one.data(), extent, stride), 0.0, sum);
  EXPECT_EQ(value_of(sum), 0x1p31);
  contract<"ij->">(Space(), 1.0, StaticRows(one.data()), 0.0, sum);
  EXPECT_EQ(value_of(sum), 0x1p31);
}

// --- Bytes --------------------------------------------------------------------------------------

using Bytes = Kokkos::View<std::int8_t**>;

/// How many elements are not x.
template <class View>
std::int64_t others_than(const View& view, std::int8_t x) {
  const std::int8_t* const data = view.data();
  std::int64_t count = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          0, static_cast<std::int64_t>(view.size())),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t& sum) { sum += data[i] != x; }, count);
  return count;
}

TEST(LargeExtents, Bytes) {
  const Bytes c(Kokkos::view_alloc("c", Kokkos::WithoutInitializing), side, side);
  const auto three = scalar<std::int8_t>(3);
  const auto a = spread(three, side, side);
  contract<"ij->ij">(Space(), 1, a, 0, c);
  EXPECT_EQ(others_than(c, 3), 0);
  contract<"ij,ij->ij">(Space(), 1, a, a, 0, c);
  EXPECT_EQ(others_than(c, 9), 0);
}

// Rows and static columns are one loop of the compiler's, cut where it is too long.
TEST(LargeExtents, StaticColumns) {
  const int rows = 0x7fffffff / 4 + 5;
  const Kokkos::View<std::int8_t* [4]> c(Kokkos::view_alloc("c", Kokkos::WithoutInitializing),
                                         rows);
  const auto five = scalar<std::int8_t>(5);
  contract<"ij->ij">(Space(), 1, fix<dynamic, 4>(spread(five, rows, 4)), 0,
                     fix_packed<dynamic, 4>(c));
  EXPECT_EQ(others_than(c, 5), 0);
}

// --- A letter that is too long by itself --------------------------------------------------------

struct SumOfVector {
  StridedView<double, 1> a;
  Kokkos::View<double> sum;
  KOKKOS_FUNCTION int operator()(const Member& team) const {
    return TeamContract<"i->">::invoke(team, 1.0, a, 0.0, sum);
  }
};

TEST(LargeExtents, OneLetter) {
  const auto one = scalar<double>(1);
  const auto sum = scalar<double>(7);
  for (const std::size_t extent : {std::size_t{1} << 31, (std::size_t{1} << 32) + 4}) {
    const auto a = spread(one, extent);
    EXPECT_EQ(by_one_team(SumOfVector{a, sum}), -7);
    EXPECT_EQ(value_of(sum), 7);
    EXPECT_THROW(contract<"i->">(Space(), 1.0, a, 0.0, sum), std::invalid_argument);
    EXPECT_EQ(value_of(sum), 7);
  }
}

// Letters that flatten makes one of.
TEST(LargeExtents, Flatten) {
  const auto one = scalar<double>(1);
  const auto sum = scalar<double>(7);
  const auto a = spread(one, side, side, 3);
  EXPECT_EQ(flatten<"(ij)k">(a).extent(0), -1);
  EXPECT_THROW(contract<"ik->">(Space(), 1.0, flatten<"(ij)k">(a), 0.0, sum),
               std::invalid_argument);
  EXPECT_EQ(flatten<"i(jk)">(a).extent(1), 3 * side);
}

TEST(LargeExtents, TeamPolicy) {
  const auto one = scalar<double>(1);
  const auto a = spread(one, 2, 3, std::size_t{1} << 31);
  const auto b = spread(one, 2, std::size_t{1} << 31, 3);
  const auto c = spread(one, 2, 3, 3);
  EXPECT_THROW(team_policy<TeamContract<"eik,ekj->eij">>(Space(), 2, a, b, c),
               std::invalid_argument);
  std::ostringstream os;
  EXPECT_THROW((explain<"eik,ekj->eij">(os, a, b, c)), std::invalid_argument);
}

}  // namespace
}  // namespace KokkosContract::Test
