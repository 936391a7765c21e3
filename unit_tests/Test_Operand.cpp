// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that are no Views: fix, fix_packed, mdspan, Tile, and a model of Operand by a user.
#include <gtest/gtest.h>

#include <KokkosContract/Gemm.hpp>
#include <vector>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class Operand : public testing::Test {};
TYPED_TEST_SUITE(Operand, FewLevels, LevelNames);

using Right = Kokkos::LayoutRight;
using Stride = Kokkos::LayoutStride;

/// A user's own tensor type.
template <class T>
struct MyMatrix {
  static constexpr int rank = 2;
  T* pointer;
  int rows, row_distance;
  KOKKOS_FUNCTION T* data() const { return pointer; }
  KOKKOS_FUNCTION int extent(int i) const { return i == 0 ? rows : 5; }
  KOKKOS_FUNCTION int stride(int i) const { return i == 0 ? row_distance : 1; }
  KOKKOS_FUNCTION static constexpr std::ptrdiff_t static_extent(int i) {
    return i == 0 ? dynamic : 5;
  }
  KOKKOS_FUNCTION static constexpr std::ptrdiff_t static_stride(int i) {
    return i == 0 ? dynamic : 1;
  }
};
static_assert(KokkosContract::Operand<MyMatrix<double>>);
static_assert(KokkosContract::Operand<Tile<double, 2, 3>>);
static_assert(!KokkosContract::Operand<double>);

// Each takes the product C = alpha A B + beta C of a 4 x 5 and a 5 x 6 matrix and passes the
// operands on in other forms.
using Product = ContractOp<"ik,kj->ij">;

struct Fixed {
  template <class Level, class Scalar, class A, class B, class C>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar& alpha, const A& a, const B& b,
                                  const Scalar& beta, const C& c) {
    return Product::call(level, alpha, fix<4, 5>(a), fix<5, dynamic>(b), beta, fix<4, 6>(c));
  }
};
struct FixedPacked {
  template <class Level, class Scalar, class A, class B, class C>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar& alpha, const A& a, const B& b,
                                  const Scalar& beta, const C& c) {
    return Product::call(level, alpha, fix_packed<4, 5>(a), fix_packed<dynamic, 6>(b), beta,
                         fix_packed<4, 6>(c));
  }
};
struct Mdspans {
  template <class Level, class Scalar, class A, class B, class C>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar& alpha, const A& a, const B& b,
                                  const Scalar& beta, const C& c) {
    using Kokkos::dynamic_extent;
    const Kokkos::mdspan<const double, Kokkos::extents<int, 4, dynamic_extent>> ma(
        a.data(), static_cast<int>(a.extent(1)));
    const Kokkos::mdspan<const double, Kokkos::dextents<int, 2>> mb(
        b.data(), static_cast<int>(b.extent(0)), static_cast<int>(b.extent(1)));
    const Kokkos::mdspan<double, Kokkos::extents<int, 4, 6>> mc(c.data());
    return Product::call(level, alpha, ma, mb, beta, mc);
  }
};
struct UserOperand {
  template <class Level, class Scalar, class A, class B, class C>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar& alpha, const A& a, const B& b,
                                  const Scalar& beta, const C& c) {
    const MyMatrix<const double> ma{a.data(), 4, static_cast<int>(a.stride(0))};
    return Product::call(level, alpha, ma, b, beta, c);
  }
};

template <class Level, class Op, class Layout>
void check_product(Random& random) {
  using Space = typename Level::space;
  using Input = view_t<const double, 2, Layout, Space>;
  check_operation<Level, Op, view_t<double, 2, Layout, Space>, Input, Input>(
      random, "ik,kj->ij", {{'i', 4}, {'k', 5}, {'j', 6}});
}

TYPED_TEST(Operand, Fix) {
  Random random;
  check_product<TypeParam, Fixed, Stride>(random);
  check_product<TypeParam, Fixed, Kokkos::LayoutLeft>(random);
  check_product<TypeParam, FixedPacked, Right>(random);
}
TYPED_TEST(Operand, Mdspan) {
  Random random;
  check_product<TypeParam, Mdspans, Right>(random);
}
TYPED_TEST(Operand, UserModel) {
  Random random;
  check_product<TypeParam, UserOperand, Right>(random);
}

// Private tiles, as intermediates of one thread.
struct ThroughTiles {
  template <class Level, class Scalar, class A, class B, class C>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar& alpha, const A& a, const B& b,
                                  const Scalar& beta, const C& c) {
    Tile<double, 4, 5> ta;
    Tile<double, 5, 6> tb;
    Tile<double, 4, 6> tc;
    using Copy = ContractOp<"ij->ij">;
    if (const int code = Copy::call(level, 1., a, 0., ta); code != 0) return code;
    if (const int code = Copy::call(level, 1., b, 0., tb); code != 0) return code;
    if (const int code = Copy::call(level, 1., c, 0., tc); code != 0) return code;
    const int code = Product::call(level, alpha, ta, tb, beta, tc);
    return code + Copy::call(level, 1., tc, 0., c);
  }
};

#ifndef KOKKOSCONTRACT_TEST_TSAN
TEST(Tile, SerialProduct) {
  Random random;
  check_product<Serial, ThroughTiles, Stride>(random);
}
#endif

TEST(Tile, Element) {
  Tile<double, 2, 3> tile;
  tile(1, 2) = 7;
  EXPECT_EQ(tile.data()[5], 7);
  EXPECT_EQ(tile.extent(0), 2);
  EXPECT_EQ(tile.stride(0), 3);
}

// --- Views in scratch memory
// ------------------------------------------------------------------------

template <class Member>
KOKKOS_FUNCTION auto scratch_of(const VectorCaller<Member>& caller) {
  return caller.member.thread_scratch(0);
}
template <class Member>
KOKKOS_FUNCTION auto scratch_of(const TeamCaller<Member>& caller) {
  return caller.member.team_scratch(0);
}
template <class Member>
KOKKOS_FUNCTION auto scratch_of(const TeamVectorCaller<Member>& caller) {
  return caller.member.team_scratch(0);
}

/// The product of copies in scratch memory; no barrier but those of the library.
struct ThroughScratch {
  template <class Level, class Scalar, class A, class B, class C>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar& alpha, const A& a, const B& b,
                                  const Scalar& beta, const C& c) {
    using Space = Kokkos::DefaultExecutionSpace::scratch_memory_space;
    using Matrix = Kokkos::View<double**, Right, Space, Unmanaged>;
    const auto memory = scratch_of(level);
    const Matrix sa(memory, a.extent(0), a.extent(1));
    const Matrix sb(memory, b.extent(0), b.extent(1));
    const Kokkos::View<double[4][6], Space, Unmanaged> sc(memory);
    using Copy = ContractOp<"ij->ij">;
    int code = Copy::call(level, 1., a, 0., sa);
    code += Copy::call(level, 1., b, 0., sb);
    code += Product::call(level, alpha, sa, sb, 0., sc);
    return code + Copy::call(level, 1., sc, beta, c);
  }
};

#ifndef KOKKOSCONTRACT_TEST_TSAN
template <class Level>
void check_scratch() {
  Random random;
  using View = view_t<double, 2, Stride, typename Level::space>;
  const std::size_t bytes = 2048;
  check_operation<Level, ThroughScratch, View, View, View>(
      random, "ik,kj->ij", {{'i', 4}, {'k', 5}, {'j', 6}}, 5, {bytes, bytes});
}
TEST(ScratchViews, Vector) { check_scratch<Vector>(); }
TEST(ScratchViews, Team) { check_scratch<Team>(); }
TEST(ScratchViews, TeamVector) { check_scratch<TeamVector>(); }
#endif

// --- Views with static extents and padded rows, which no type tells
// ------------------------------------------------------------------------

template <int M, int N>
using Matrix = Kokkos::View<double[M][N], Right, Kokkos::DefaultExecutionSpace, Unmanaged>;

/// The View whose rows begin `distance` elements apart.
template <class View>
KOKKOS_FUNCTION View with_rows_apart(double* data, int distance) {
  using Mapping = typename View::mapping_type;
  return View(data, Mapping(typename Mapping::extents_type{}, distance));
}

/// For each problem a product of its own, and a transposition, beside each other in memory.
struct OfPaddedViews {
  static constexpr int words = 4 * 5 + 5 * 9 + 4 * 8 + 6 * 6;  // of A, B, C and D
  double* data;
  bool padded;

  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int problem) const {
    double* const a = data + problem * words;
    const auto A = with_rows_apart<Matrix<4, 5>>(a, 5);
    const auto B = with_rows_apart<Matrix<5, 6>>(a + 20, padded ? 9 : 6);
    const auto C = with_rows_apart<Matrix<4, 6>>(a + 65, padded ? 8 : 6);
    const auto D = with_rows_apart<Matrix<6, 4>>(a + 97, padded ? 6 : 4);
    const int code = Product::call(level, 2.0, A, B, 0.0, C);
    return code != 0 ? code : ContractOp<"ij->ji">::call(level, 1.0, C, 0.0, D);
  }
};

#ifndef KOKKOSCONTRACT_TEST_TSAN
template <class Level>
void check_padded_views() {
  using Words = Kokkos::View<double*, Kokkos::DefaultExecutionSpace>;
  constexpr int problems = 3;
  constexpr int words = OfPaddedViews::words;
  for (const auto& configuration : Level::configurations()) {
    for (const bool padded : {false, true}) {
      SCOPED_TRACE(configuration.text() + (padded ? ", padded" : ", packed"));
      const Words data("data", problems * words);
      const auto host = Kokkos::create_mirror_view(data);
      for (int i = 0; i < problems * words; ++i) host(i) = i % 17 - 8;
      std::vector<double> expected(host.data(), host.data() + problems * words);
      const int b_row = padded ? 9 : 6;
      const int c_row = padded ? 8 : 6;
      const int d_row = padded ? 6 : 4;
      for (int p = 0; p < problems; ++p) {
        double* const a = expected.data() + p * words;
        for (int i = 0; i < 4; ++i) {
          for (int j = 0; j < 6; ++j) {
            double sum = 0;
            for (int k = 0; k < 5; ++k) sum += a[5 * i + k] * a[20 + b_row * k + j];
            a[65 + c_row * i + j] = 2 * sum;
            a[97 + d_row * j + i] = 2 * sum;
          }
        }
      }
      Kokkos::deep_copy(data, host);
      const auto codes =
          Level::launch(configuration, problems, OfPaddedViews{data.data(), padded}, {});
      for (const int code : codes) EXPECT_EQ(code, 0);
      if (codes.empty()) continue;  // no such team
      Kokkos::deep_copy(host, data);
      for (int i = 0; i < problems * words; ++i) EXPECT_EQ(host(i), expected[i]) << "word " << i;
    }
  }
}
TEST(PaddedViews, Serial) { check_padded_views<Serial>(); }
TEST(PaddedViews, Vector) { check_padded_views<Vector>(); }
TEST(PaddedViews, Team) { check_padded_views<Team>(); }
TEST(PaddedViews, TeamVector) { check_padded_views<TeamVector>(); }
#endif

}  // namespace
}  // namespace KokkosContract::Test
