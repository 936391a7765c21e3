// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Reshape.hpp>
#include <cmath>
#include <limits>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

template <Spec S>
struct ReshapeForms {
  using Serial = SerialReshape<S>;
  template <class>
  using Vector = VectorReshape<S>;
  template <class>
  using Team = TeamReshape<S>;
  template <class>
  using TeamVector = TeamVectorReshape<S>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::ReshapeRoutine<S>::run(level, args...);
  }
};

template <Spec S>
struct ReshapeOp {
  template <class Level, class Scalar, class A, class B>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const A& a, const Scalar&,
                                  const B& b) {
    return PublicForms<ReshapeForms<S>>::call(level, a, b);
  }
};

// Equal, also as NaN, infinity or signed zero.
bool identical(long double a, long double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}
bool identical(const std::complex<long double>& a, const std::complex<long double>& b) {
  return identical(a.real(), b.real()) && identical(a.imag(), b.imag());
}
bool identical(std::int64_t a, std::int64_t b) { return a == b; }

template <class Level, Spec S, class Output, class Input>
void check_reshape(Random& random, const Extents& extents) {
  using Space = typename Level::space;
  using Scalar = typename Input::non_const_value_type;
  using W = wide_t<Scalar>;
  const std::string text(text_of<S>());
  SCOPED_TRACE(text + text_of_extents(extents) + ", " + random.state());
  const Letters letters(text);
  std::tuple<tensor_for_t<Input, Space>> inputs{
      tensor_for<Input, Space>(random, letters.inputs[0], extents, 3)};
  auto& input = std::get<0>(inputs);
  auto output = tensor_for<Output, Space>(random, letters.output, extents, 3);
  if constexpr (std::is_floating_point_v<Scalar>) {
    input.set([&](Scalar& x, int) {
      const int kind = random.integer(0, 9);
      if (kind == 0) x = std::numeric_limits<Scalar>::quiet_NaN();
      if (kind == 1) x = -std::numeric_limits<Scalar>::infinity();
      if (kind == 2) x = Scalar(-0.);
    });
  }
  spoil(output);
  check_configurations(
      make_start<Level, ReshapeOp<S>, Output, Input>(std::type_identity<int>{}, output, inputs), 1,
      0, [&](int p, int code) {
        EXPECT_EQ(code, 0);
        const Dense<W> from = input.template dense<W>(p);
        const Dense<W> to = output.template dense<W>(p);
        // Each element's position in the input, by a tensor of positions.
        Dense<std::int64_t> positions{from.extents, {}};
        for (std::size_t e = 0; e < from.values.size(); ++e) {
          positions.values.push_back(static_cast<std::int64_t>(e));
        }
        const auto where = sum_products<std::int64_t>(text, {positions}).value;
        ASSERT_EQ(where.size(), to.values.size());
        for (std::size_t e = 0; e < where.size(); ++e) {
          EXPECT_TRUE(identical(from.values[where[e]], to.values[e]))
              << "problem " << p << ", at " << index_text(e, to.extents);
        }
      });
}

template <class Level, Spec S, class To, class From, class LayoutTo, class LayoutFrom>
void check_layouts(Random& random, int larger = 0) {
  using Space = typename Level::space;
  Extents extents = random_extents(random, text_of<S>());
  for (auto& [letter, extent] : extents) extent += larger * random.integer(1, 33);
  check_reshape<Level, S, view_t<To, rank_of<S>(1), LayoutTo, Space>,
                view_t<const From, rank_of<S>(0), LayoutFrom, Space>>(random, extents);
}

template <class Level>
class ReshapeAllLevels : public testing::Test {};
TYPED_TEST_SUITE(ReshapeAllLevels, Levels, LevelNames);
template <class Level>
class Reshape : public testing::Test {};
TYPED_TEST_SUITE(Reshape, FewLevels, LevelNames);

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;
using Stride = Kokkos::LayoutStride;

TYPED_TEST(ReshapeAllLevels, Strings) {
  Random random;
  using All =
      Strings<"->", "i->i", "ij->ij", "ij->ji", "ijk->kij", "ijkl->ljki", "abcdefgh->hgfedcba">;
  All::for_each(
      [&]<Spec S> { check_layouts<TypeParam, S, double, double, Stride, Stride>(random); });
}

TYPED_TEST(Reshape, Layouts) {
  Random random;
  for (int larger : {0, 1}) {
    check_layouts<TypeParam, "ij->ji", double, double, Right, Right>(random, larger);
    check_layouts<TypeParam, "ij->ij", double, double, Left, Right>(random, larger);
    check_layouts<TypeParam, "ij->ji", double, double, Left, Left>(random, larger);
    check_layouts<TypeParam, "ij->ji", double, double, Left, Right>(random, larger);
    check_layouts<TypeParam, "ijk->kij", double, double, Right, Left>(random, larger);
    check_layouts<TypeParam, "ijk->kji", double, double, Right, Stride>(random, larger);
  }
}

TYPED_TEST(ReshapeAllLevels, Types) {
  Random random;
  check_layouts<TypeParam, "ij->ji", float, float, Right, Right>(random, 1);
  check_layouts<TypeParam, "ij->ji", double, float, Right, Right>(random, 1);
  check_layouts<TypeParam, "ij->ji", int, int, Right, Stride>(random);
  check_layouts<TypeParam, "ij->ji", Kokkos::complex<double>, Kokkos::complex<double>, Right,
                Right>(random, 1);
}

TYPED_TEST(Reshape, StaticAndEmpty) {
  Random random;
  using Memory = typename TypeParam::space::memory_space;
  check_reshape<TypeParam, "ij->ji", Kokkos::View<double[7][5], Right, Memory, Unmanaged>,
                Kokkos::View<const double[5][7], Right, Memory, Unmanaged>>(random,
                                                                            {{'i', 5}, {'j', 7}});
  using Dynamic = view_t<double, 2, Stride, typename TypeParam::space>;
  check_reshape<TypeParam, "ij->ji", Dynamic, Dynamic>(random, {{'i', 0}, {'j', 7}});
  check_reshape<TypeParam, "ij->ji", Dynamic, Dynamic>(random, {{'i', 1}, {'j', 1}});
}

// --- flatten
// --------------------------------------------------------------------------------------

TEST(Flatten, ExtentsAndStrides) {
  using Host = Kokkos::HostSpace;
  double data[120];
  const Kokkos::View<double***, Right, Host, Unmanaged> right(data, 2, 3, 4);
  const auto ij = flatten<"(ij)k">(right);
  EXPECT_EQ(decltype(ij)::rank, 2);
  EXPECT_EQ(ij.data(), data);
  EXPECT_EQ(ij.extent(0), 6);
  EXPECT_EQ(ij.extent(1), 4);
  EXPECT_EQ(ij.stride(0), 4);
  EXPECT_EQ(ij.stride(1), 1);
  const auto all = flatten<"(ijk)">(right);
  EXPECT_EQ(all.extent(0), 24);
  EXPECT_EQ(all.stride(0), 1);
  const auto same = flatten<"ijk">(right);
  EXPECT_EQ(same.extent(1), 3);
  EXPECT_EQ(same.stride(1), 4);

  const Kokkos::View<double****, Left, Host, Unmanaged> left(data, 2, 3, 4, 5);
  const auto pairs = flatten<"(ij)(kl)">(left);
  EXPECT_EQ(decltype(pairs)::rank, 2);
  EXPECT_EQ(pairs.extent(0), 6);
  EXPECT_EQ(pairs.extent(1), 20);
  EXPECT_EQ(pairs.stride(0), 1);
  EXPECT_EQ(pairs.stride(1), 6);
}

// A contraction with two letters merged into one.
struct FlattenedOp {
  template <class Level, class Scalar, class A, class B, class C>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar& alpha, const A& a, const B& b,
                                  const Scalar& beta, const C& c) {
    return ContractOp<"ak,kl->al">::call(level, alpha, flatten<"(ij)k">(a), b, beta,
                                         flatten<"(ij)l">(c));
  }
};

TYPED_TEST(Reshape, ContractionOfFlattened) {
  Random random;
  using Space = typename TypeParam::space;
  using Tensor = view_t<double, 3, Right, Space>;
  using Matrix = view_t<const double, 2, Stride, Space>;
  check_operation<TypeParam, FlattenedOp, Tensor, Tensor, Matrix>(
      random, "ijk,kl->ijl", {{'i', 3}, {'j', 4}, {'k', 5}, {'l', 7}});
}

}  // namespace
}  // namespace KokkosContract::Test
