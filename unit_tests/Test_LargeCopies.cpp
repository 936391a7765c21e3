// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of large contractions that are copied before, and the copies, on emulated GPUs.
#include "LargeContract.hpp"

namespace KokkosContract::Test {
namespace {

// Neighbours along two indices of the sum: both inputs are copied before, or the smaller one, or
// neither; in pieces, where there is not memory enough.
TEST(LargeCopies, Pieces) {
  constexpr int w = 32;
  const Extents extents{{'a', 16}, {'b', 8}, {'c', 3}, {'d', 6}, {'e', 8}, {'f', 16}};
  const auto copies = [&](const Impl::CopyCosts& costs) {
    return check_large<"eafd,fbec->abcd", w, double, Left, Left, Left>(extents, 1, costs).copies;
  };
  constexpr double much = 1e6;
  EXPECT_EQ(copies({1e6, 0, much}), 2);
  EXPECT_EQ(copies({100, 0, much}), 1);
  EXPECT_EQ(copies({1, 0, much}), 0);
  EXPECT_EQ(copies({1e6, 1e6, much}), 0);
  // A, of 98 kB, in two pieces; in six, for each of which B, of 25 kB, is copied in two.
  EXPECT_EQ(copies({1e6, 0, 1e5}), 2 + 1);
  EXPECT_EQ(copies({1e6, 0, 4e4}), 6 + 6 * 2);
  // Not even one index of A's last dimension fits; nor of B's.
  EXPECT_EQ(copies({1e6, 0, 2e4}), 2);
  EXPECT_EQ(copies({1e6, 0, 5e3}), 0);

  // Complex conjugates; problems; strides that are known at run time only.
  const Impl::CopyCosts cheap{1e6, 0, much};
  const Extents problems{{'k', 24}, {'i', 34}, {'l', 10}, {'z', 2}, {'j', 20}};
  using Complex = Kokkos::complex<double>;
  EXPECT_EQ(
      (check_large<"kilz*,lkjz->ijz", w, Complex, Left, Left, Left>(problems, 1, cheap).copies), 2);
  EXPECT_EQ((check_large<"zilk,zjkl->zij", w, float, Right, Right, Right>(
                 {{'z', 2}, {'i', 40}, {'l', 8}, {'k', 16}, {'j', 70}}, 1, cheap)
                 .copies),
            2);
}

/// C = 2 A - 3 C, or 2 A, by squares.
template <Spec S, int WarpSize, class T, class LayoutC, class LayoutA>
void check_squares(const Extents& extents) {
  constexpr Impl::Parsed parsed = Impl::Parse<S>::value;
  for (const T beta : {T(0), T(-3)}) {
    LetteredArray<T, parsed.input[0], LayoutA> a(extents);
    LetteredArray<T, parsed.output, LayoutC> c(extents), expected(extents);
    ASSERT_EQ(SerialContract<S>::invoke(T(2), a.view, beta, expected.view), 0);
    const auto dims = [](const auto& array) {
      return Impl::dims_at_run_time(Impl::as_operand(array.view));
    };
    Impl::Transposition<T> squares;
    ASSERT_TRUE(squares.cut(Impl::modes_of_copy(parsed.input[0], dims(a), parsed.output, dims(c))));
    squares.a = a.view.data();
    squares.c = c.view.data();
    squares.alpha = T(2);
    squares.beta = beta;
    squares.conjugates = parsed.input[0].conjugate;
    int splits = 0;
    int copies = 0;
    EmulatedLaunch<WarpSize, Impl::BlockTypes<T>>{LaneOrder::forward, splits, copies}.transpose(
        squares);
    int wrong = 0;
    for (std::size_t i = 0; i < c.view.span(); ++i) {
      wrong += c.view.data()[i] != expected.view.data()[i];
    }
    EXPECT_EQ(wrong, 0) << "of " << c.view.span();
  }
}

TYPED_TEST(LargeContract, Squares) {
  constexpr int w = TypeParam::value;
  check_squares<"ab->ba", w, double, Left, Left>({{'a', 64}, {'b', 32}});
  check_squares<"ab->ab", w, float, Left, Right>({{'a', 33}, {'b', 67}});
  check_squares<"abcd->dcba", w, double, Left, Left>({{'a', 9}, {'b', 5}, {'c', 4}, {'d', 40}});
  check_squares<"abcd*->cadb", w, Kokkos::complex<double>, Left, Left>(
      {{'a', 10}, {'b', 3}, {'c', 36}, {'d', 2}});
}

// Nothing is cut into squares whose neighbours are neighbours already, or few.
TEST(Transposition, WhereItPays) {
  struct Index {
    int extent, in_a, in_c;
  };
  const auto is_cut = [](std::initializer_list<Index> indices) {
    Impl::ModeList modes;
    for (const Index& i : indices) modes.add(i.extent, i.in_a, i.in_c);
    return Impl::Transposition<double>().cut(modes);
  };
  EXPECT_TRUE(is_cut({{8, 1, 20}, {20, 8, 1}}));
  EXPECT_FALSE(is_cut({{7, 1, 20}, {20, 7, 1}}));
  EXPECT_FALSE(is_cut({{20, 1, 7}, {7, 20, 1}}));
  EXPECT_FALSE(is_cut({{20, 1, 1}, {20, 40, 50}}));
  EXPECT_FALSE(is_cut({{20, 1, 1}, {20, 20, 20}}));
  EXPECT_FALSE(is_cut({{1, 1, 1}}));
  EXPECT_FALSE(is_cut({{8, 1, 20}, {20, 8, 1}, {0, 160, 160}, {3, 5, 7}}));
  EXPECT_FALSE(is_cut({{1 << 20, 1, 1 << 20}, {1 << 20, 1 << 20, 1}, {1 << 20, 5, 5}}));
}

}  // namespace
}  // namespace KokkosContract::Test
