// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents whose products are more than an int counts. Here an int counts up to 40 only, so that all
// ways through the code come to it; Test_LargeExtents.cpp has the true limit.
#include <gtest/gtest.h>

#include "ContractOp.hpp"
#include "Tiles.hpp"

namespace KokkosContract::Test {
namespace {

static_assert(Impl::most_extent == 40);

template <class Level>
class MostExtent : public testing::Test {};
using AllLevels = testing::Types<Serial, Team, EmulatedVector, EmulatedTeamVector>;
TYPED_TEST_SUITE(MostExtent, AllLevels, LevelNames);

Extents extents_of_letters(std::string_view text, int extent) {
  Extents extents;
  for (const char c : Letters(text).all()) extents[c] = extent;
  return extents;
}

template <class Level, class T, class Layout, class List>
void check_strings(List) {
  Random random;
  List::for_each([&]<Spec S> {
    check_contract_views<Level, S, T, Layout>(random, extents_of_letters(text_of<S>(), 7), 1);
  });
}

using Few = Strings<"ij->", "ij,ij->", "kl,klj->j", "ij->ij", "ij,ij->ij", "bci,bci->bc",
                    "abk,kc->abc", "ij->ji", "ijk,jkl->il", "abi,abj->abij", "ij,kl->ikjl">;

// Neighbouring letters are one loop, unless it is too long.
TYPED_TEST(MostExtent, NestedLetters) {
  check_strings<TypeParam, double, Kokkos::LayoutRight>(Few{});
  check_strings<TypeParam, float, Kokkos::LayoutLeft>(Few{});
}

// Letters that are apart are counted as one number by workers of a GPU.
TYPED_TEST(MostExtent, StridedLetters) {
  check_strings<TypeParam, double, Kokkos::LayoutStride>(Few{});
}

/// C_e = sum over what C has not of A_e B_e, for operands with three static columns.
template <Spec S>
struct StaticColumns {
  const double* a;
  const double* b;
  double* c;
  int rows;

  template <class T>
  KOKKOS_FUNCTION auto operand(T* data) const {
    const int extent[] = {rows, 3};
    const std::ptrdiff_t stride[] = {3, 1};
    return Strided<T, std::integer_sequence<std::ptrdiff_t, dynamic, 3>,
                   std::integer_sequence<std::ptrdiff_t, 3, 1>>(data, extent, stride);
  }
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int) const {
    if constexpr (rank_of<S>(2) == 0) {
      return ContractOp<S>::call(level, 1.0, operand(a), operand(b), 0.0,
                                 Strided<double, std::integer_sequence<std::ptrdiff_t>,
                                         std::integer_sequence<std::ptrdiff_t>>(c));
    } else {
      return ContractOp<S>::call(level, 1.0, operand(a), operand(b), 0.0, operand(c));
    }
  }
};

TYPED_TEST(MostExtent, StaticColumns) {
  for (const int rows : {0, 1, 13, 14, 27, 30, 39}) {
    std::vector<double> a(3 * rows), b(3 * rows), c(3 * rows, 7), sum(1, 7);
    double expected = 0;
    for (int i = 0; i < 3 * rows; ++i) {
      a[i] = i + 1;
      b[i] = 2 * i - 5;
      expected += a[i] * b[i];
    }
    for (const Configuration& configuration : TypeParam::configurations()) {
      SCOPED_TRACE(configuration.text() + ", rows " + std::to_string(rows));
      for (const int code :
           TypeParam::launch(configuration, 1,
                             StaticColumns<"ij,ij->">{a.data(), b.data(), sum.data(), rows}, {})) {
        EXPECT_EQ(code, 0);
        EXPECT_EQ(sum[0], expected);
      }
      // A team of a GPU counts the elements of C together, and refuses what it cannot count.
      const bool refuses = requires { typename TypeParam::kernel_space; } && 3 * rows > 40;
      std::fill(c.begin(), c.end(), 7);
      for (const int code :
           TypeParam::launch(configuration, 1,
                             StaticColumns<"ij,ij->ij">{a.data(), b.data(), c.data(), rows}, {})) {
        EXPECT_EQ(code, refuses ? -7 : 0);
        for (int i = 0; i < 3 * rows; ++i) EXPECT_EQ(c[i], refuses ? 7 : a[i] * b[i]);
      }
    }
  }
}

struct CopyVector {
  double *a, *c;
  int extent;
  KOKKOS_FUNCTION auto vector(double* data) const {
    return Kokkos::View<double*, Kokkos::HostSpace, Unmanaged>(data, extent);
  }
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int) const {
    return ContractOp<"i->i">::call(level, 1.0, vector(a), 0.0, vector(c));
  }
};

// A letter by itself that is too long is refused, and nothing is written.
TYPED_TEST(MostExtent, OneLetter) {
  std::vector<double> a(41, 1), c(41, 7);
  for (const Configuration& configuration : TypeParam::configurations()) {
    for (const int code :
         TypeParam::launch(configuration, 1, CopyVector{a.data(), c.data(), 41}, {})) {
      EXPECT_EQ(code, -7);
      EXPECT_EQ(c, std::vector<double>(41, 7));
    }
  }
  for (const Configuration& configuration : TypeParam::configurations()) {
    for (const int code :
         TypeParam::launch(configuration, 1, CopyVector{a.data(), c.data(), 40}, {})) {
      EXPECT_EQ(code, 0);
      EXPECT_EQ(c[39], 1);
    }
  }
}

// The terms of a tile's sum are one index on a GPU.
template <class Member>
void check_terms_of_tile() {
  using Tile = TeamTile<double, "ij", Shape<16, 32>, Member>;
  const Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace> a("a", 4, 7, 7),
      b("b", 7, 7, 5), few("few", 4, 5, 7), other("other", 5, 7, 5);
  for (const auto& view : {a, b, few, other}) Kokkos::deep_copy(view, 1.);
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> c("c", 4, 5);
  const bool refuses = is_gpu_member<Member>;
  for (const TeamRun& run : team_runs<Tile>()) {
    run_team<Tile>(Tile::scratch_bytes(a, b), run, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {0, 0}, {4, 5});
      EXPECT_EQ((t.template accumulate<"ikl,klj->ij">(1., few, other)), 0);
      EXPECT_EQ((t.template accumulate<"ikl,klj->ij">(1., a, b)), refuses ? -7 : 0);
      EXPECT_EQ(t.store(1., 0., c), 0);
    });
    EXPECT_EQ(c(3, 4), refuses ? 35 : 84);
  }
}
TEST(MostExtent, TermsOfTile) {
  check_terms_of_tile<HostMember>();
  check_terms_of_tile<EmulatedMember<32>>();
}

}  // namespace
}  // namespace KokkosContract::Test
