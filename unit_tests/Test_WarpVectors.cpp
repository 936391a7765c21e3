// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of 16-bit floats and of floats by the MMA instructions of whole warps, whose lanes read
// vectors where memory has neighbours (Way::warps).
#include <gtest/gtest.h>

#include "AlignedProducts.hpp"
#include "ShortFloat.hpp"

namespace KokkosContract::Test {
namespace {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
using Short = Kokkos::Experimental::half_t;
using AnyTeam = Team;
using AnyTeamVector = TeamVector;
using AnyVector = Vector;
#else
using Short = ShortFloat;
using AnyTeam = EmulatedTeam;
using AnyTeamVector = EmulatedTeamVector;
using AnyVector = EmulatedVector;
#endif
// Teams of whole warps, and others, which take another algorithm.
struct TeamOfWarps : AnyTeam {
  static std::vector<Configuration> configurations() { return {{32, 1}, {96, 1}, {4, 1}}; }
};
struct TeamVectorOfWarps : AnyTeamVector {
  static std::vector<Configuration> configurations() { return {{2, 32}, {4, 8}}; }
};
struct VectorOfWarp : AnyVector {
  static std::vector<Configuration> configurations() { return {{2, 32}, {4, 4}}; }
};

template <class Level>
class WarpVectors : public testing::Test {};
using WarpLevels = testing::Types<TeamOfWarps, TeamVectorOfWarps, VectorOfWarp>;
TYPED_TEST_SUITE(WarpVectors, WarpLevels, LevelNames);

template <class L, Spec S, class C, class A, class B>
void check(int rows, int cols, int sums) {
  check_aligned<L, S, Way::warps, C, A, B>(rows, cols, sums);
}

// Whole vectors of terms of X, and of columns of Y and C; also parts of tiles.
TYPED_TEST(WarpVectors, AsStored) {
  check<TypeParam, "bik,bkj->bij", float* [16][16], const Short* [16][16], const Short* [16][16]>(
      16, 16, 16);
  check<TypeParam, "bik,bkj->bij", Short* [40][48], const Short* [40][40], const Short* [40][48]>(
      40, 48, 40);
  check<TypeParam, "bik,bkj->bij", float* [32][40], const float* [32][24], const float* [24][40]>(
      32, 40, 24);
}
TYPED_TEST(WarpVectors, SecondTransposed) {
  check<TypeParam, "bik,bjk->bij", float* [24][32], const Short* [24][96], const Short* [32][96]>(
      24, 32, 96);
  check<TypeParam, "bik,bjk->bij", float* [16][8], const float* [16][72], const float* [8][72]>(
      16, 8, 72);
}
TYPED_TEST(WarpVectors, FirstTransposed) {
  check<TypeParam, "bki,bkj->bij", float* [24][64], const Short* [32][24], const Short* [32][64]>(
      24, 64, 32);
  check<TypeParam, "bki,bjk->bij", float* [8][24], const float* [16][8], const float* [24][16]>(
      8, 24, 16);
}
// Rows, columns and terms that fill vectors of 8 bytes, but not of 16.
TYPED_TEST(WarpVectors, ShortVectors) {
  check<TypeParam, "bik,bkj->bij", Short* [20][20], const Short* [20][20], const Short* [20][20]>(
      20, 20, 20);
  check<TypeParam, "bik,bkj->bij", float* [16][18], const float* [16][18], const float* [18][18]>(
      16, 18, 18);
}
// Rows, columns and terms that do not fill vectors.
TYPED_TEST(WarpVectors, OddExtents) {
  check<TypeParam, "bik,bkj->bij", float* [17][19], const Short* [17][21], const Short* [21][19]>(
      17, 19, 21);
  check<TypeParam, "bik,bkj->bij", float* [33][13], const float* [33][9], const float* [9][13]>(
      33, 13, 9);
}
// Extents and strides at run time, and elements that are not aligned.
TYPED_TEST(WarpVectors, ExtentsAtRunTime) {
  using L = TypeParam;
  Random random;
  const auto check_type = [&]<class T, class C, class Layout>(const Extents& extents) {
    check_operation<L, ContractOp<"ik,kj->ij", Way::warps>, of_kernel_t<L, C**, Layout>,
                    of_kernel_t<L, const T**, Layout>, of_kernel_t<L, const T**, Layout>>(
        random, "ik,kj->ij", extents, 2);
  };
  for (const Extents& extents :
       {Extents{{'i', 16}, {'k', 32}, {'j', 32}}, Extents{{'i', 35}, {'k', 41}, {'j', 18}}}) {
    check_type.template operator()<Short, float, Kokkos::LayoutRight>(extents);
    check_type.template operator()<Short, Short, Kokkos::LayoutStride>(extents);
    check_type.template operator()<float, float, Kokkos::LayoutRight>(extents);
    check_type.template operator()<float, float, Kokkos::LayoutLeft>(extents);
  }
}

// Several letters of rows, columns and terms, and an epilogue, which gets the index of each.
struct AddIndices {
  KOKKOS_FUNCTION float operator()(float value, int b, int i, int s, int j, int l) const {
    return value + static_cast<float>(((b * 4 + i) * 8 + s) * 4 + j) +
           0.25f * static_cast<float>(l);
  }
};
constexpr int problems = 2, is = 3, ss = 6, js = 4, ls = 5, ks = 2, qs = 12;
template <class Space>
struct Tensors {
  template <class Data>
  using View = Kokkos::View<Data, Kokkos::LayoutRight, Space>;
  View<Short* [is][ss][ks][qs]> a { "a", problems };
  View<Short[ks][qs][js][ls]> b{"b"};
  View<float* [is][ss][js][ls]> c{"c", problems};

  template <class Member>
  KOKKOS_FUNCTION void run(const Member& member) const {
    static_cast<void>(TeamContract<"biskq,kqjl->bisjl", Way::warps>::invoke(member, 2.f, a, b, 0.f,
                                                                            c, AddIndices{}));
  }
};

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
using TensorSpace = Kokkos::SharedSpace;
void run_team(const Tensors<TensorSpace>& of) {
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(1, 64),
      KOKKOS_LAMBDA(const Kokkos::TeamPolicy<>::member_type& member) { of.run(member); });
  Kokkos::fence();
}
#else
using TensorSpace = Kokkos::HostSpace;
void run_team(const Tensors<TensorSpace>& of) {
  EmulatedBlock block(64, 1, 1024, LaneOrder::backward, 32);
  EXPECT_EQ(block.run([&] { of.run(EmulatedMember<32>(block, 0, 1)); }), "");
}
#endif

TEST(WarpVectorsEpilogue, Indices) {
  const Tensors<TensorSpace> of;
  for (std::size_t n = 0; n < of.a.size(); ++n) of.a.data()[n] = Short(static_cast<int>(n % 7) - 3);
  for (std::size_t n = 0; n < of.b.size(); ++n) of.b.data()[n] = Short(static_cast<int>(n % 5) - 2);
  run_team(of);
  for (int z = 0; z < problems; ++z) {
    for (int i = 0; i < is; ++i) {
      for (int s = 0; s < ss; ++s) {
        for (int j = 0; j < js; ++j) {
          for (int l = 0; l < ls; ++l) {
            float sum = 0;
            for (int k = 0; k < ks; ++k) {
              for (int q = 0; q < qs; ++q) {
                sum +=
                    static_cast<float>(of.a(z, i, s, k, q)) * static_cast<float>(of.b(k, q, j, l));
              }
            }
            ASSERT_EQ(of.c(z, i, s, j, l), AddIndices{}(2 * sum, z, i, s, j, l));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace KokkosContract::Test
