// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of teams: matrices, types, what is done with elements, misuse.
#include <limits>

#include "Tiles.hpp"

namespace KokkosContract::Test {
namespace {

using L = Kokkos::LayoutLeft;
using R = Kokkos::LayoutRight;

template <class M>
class Tiles : public testing::Test {};
TYPED_TEST_SUITE(Tiles, TileMembers);

/// Slices by terms and by positions, of sums and extents that are whole, ragged and empty.
TYPED_TEST(Tiles, Matrices) {
  using Tile = TeamTile<double, "ij", Shape<32, 64>, TypeParam>;
  for (const Extents& e :
       {Extents{{'i', 32}, {'j', 64}, {'k', 40}}, Extents{{'i', 50}, {'j', 70}, {'k', 19}},
        Extents{{'i', 31}, {'j', 63}, {'k', 1}}, Extents{{'i', 40}, {'j', 66}, {'k', 0}}}) {
    check_tile<Tile>(e, AddedProduct<double, "ik,kj->ij", L, R>(2, e));
    check_tile<Tile>(e, AddedProduct<double, "ik,kj->ij", R, L>(-1, e));
    check_tile<Tile>(e, AddedProduct<double, "ki,kj->ij", L, L>(1, e));
    check_tile<Tile>(e, AddedProduct<double, "kj,ik->ij", R, R>(3, e));
  }
}

TYPED_TEST(Tiles, Types) {
  const Extents e{{'i', 20}, {'j', 34}, {'k', 11}};
  check_tile<TeamTile<float, "ij", Shape<16, 32>, TypeParam>>(
      e, AddedProduct<float, "ik,kj->ij", R, R>(2, e));
  using Z = Kokkos::complex<double>;
  check_tile<TeamTile<Z, "ij", Shape<16, 16>, TypeParam>>(
      e, AddedProduct<Z, "ik*,kj->ij", R, L>(Z(1, 2), e),
      AddedProduct<Z, "ki,kj*->ij", R, R>(Z(2, -1), e));
}

struct AddDifferenceOfIndices {
  KOKKOS_FUNCTION void operator()(double& x, int i, int j) const { x += i - j; }
};

/// load and for_each; C with an atomic View.
TYPED_TEST(Tiles, Elements) {
  using Tile = TeamTile<double, "ij", Shape<16, 32>, TypeParam>;
  Kokkos::View<double**, R, Kokkos::HostSpace> a("a", 20, 40), c("c", 20, 40);
  const Kokkos::View<double**, R, Kokkos::HostSpace> unread("unread", 20, 40);
  Kokkos::deep_copy(unread, std::numeric_limits<double>::quiet_NaN());
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 40; ++j) a(i, j) = i + 100 * j;
  }
  Kokkos::View<double**, R, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Atomic>> atomic = c;
  const auto bytes = Tile::template scratch_bytes<"ik,kj->ij">(a, a);
  run_team<Tile>(bytes, LaneOrder::forward, [&](const auto& member, const auto& scratch) {
    Tile t(member, scratch, {16, 32}, {20, 40});
    t.load(0., unread);
    EXPECT_EQ(t.store(1., 1., atomic), 0);
    t.load(2., a);
    t.for_each(AddDifferenceOfIndices{});
    EXPECT_EQ(t.store(1., 1., atomic), 0);
    EXPECT_EQ(t.store(1., 2., atomic), Impl::atomic_needs_beta_one);
  });
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 40; ++j) {
      const double expected = i >= 16 && j >= 32 ? 2 * a(i, j) + i - j : 0;
      EXPECT_EQ(c(i, j), expected);
    }
  }
}

/// Inputs of const elements, in Views and in mdspans, give what others do.
TYPED_TEST(Tiles, ConstInputs) {
  using Tile = TeamTile<double, "ij", Shape<16, 32>, TypeParam>;
  using Matrix = Kokkos::View<double**, R, Kokkos::HostSpace>;
  using ConstMatrix = Kokkos::View<const double**, R, Kokkos::HostSpace>;
  const Matrix a("a", 16, 9), b("b", 9, 32), start("start", 16, 32);
  for (int j = 0; j < 32; ++j) {
    for (int k = 0; k < 9; ++k) b(k, j) = k + j % 5;
    for (int i = 0; i < 16; ++i) start(i, j) = i - j, a(i, j % 9) = i - 2. * (j % 9);
  }
  const auto multiply = [](const auto& a_, const auto& b_, const auto& start_) {
    const Matrix c("c", 16, 32);
    const auto bytes = Tile::template scratch_bytes<"ik,kj->ij">(a_, b_);
    run_team<Tile>(bytes, LaneOrder::forward, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {0, 0}, {16, 32});
      t.load(2., start_);
      EXPECT_EQ((t.template accumulate<"ik,kj->ij">(1., a_, b_)), 0);
      EXPECT_EQ(t.store(1., 0., c), 0);
    });
    return c;
  };
  const Matrix c = multiply(ConstMatrix(a), ConstMatrix(b).to_mdspan(), ConstMatrix(start));
  const Matrix expected = multiply(a, b.to_mdspan(), start);
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 32; ++j) EXPECT_EQ(c(i, j), expected(i, j));
  }
}

TYPED_TEST(Tiles, Misuse) {
  using Tile = TeamTile<double, "ij", Shape<16, 32>, TypeParam>;
  Kokkos::View<double**, R, Kokkos::HostSpace> a("a", 20, 5), b("b", 5, 40), other("other", 6, 40);
  const auto bytes = Tile::template scratch_bytes<"ik,kj->ij">(a, b);
  run_team<Tile>(bytes, LaneOrder::forward, [&](const auto& member, const auto& scratch) {
    Tile t(member, scratch, {0, 0}, {20, 40});
    EXPECT_EQ((t.template accumulate<"ik,kj->ij">(1., a, other)), Impl::extents_disagree);
  });
  run_team<Tile>(bytes, LaneOrder::forward, [&](const auto& member, const auto& scratch) {
    Tile t(member, scratch, {0, 0}, {21, 40});
    EXPECT_EQ((t.template accumulate<"ik,kj->ij">(1., a, b)), Impl::extents_disagree);
  });
  // A host has a little more scratch memory than it is asked for, and teams of any size.
  if constexpr (!std::is_same_v<TypeParam, HostMember>) {
    run_team<Tile>(256, LaneOrder::forward, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {0, 0}, {20, 40});
      EXPECT_EQ((t.template accumulate<"ik,kj->ij">(1., a, b)), Impl::scratch_too_small);
    });
    using Larger = TeamTile<double, "ij", Shape<128, 128>, TypeParam>;
    run_team<Tile>(bytes, LaneOrder::forward, [&](const auto& member, const auto& scratch) {
      Larger t(member, scratch, {0, 0}, {20, 40});
      EXPECT_EQ((t.template accumulate<"ik,kj->ij">(1., a, b)), Impl::tile_needs_workers);
    });
  }
}

}  // namespace
}  // namespace KokkosContract::Test
