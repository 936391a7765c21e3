// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a strict build notes of misuse in a kernel.

#define KOKKOSCONTRACT_STRICT 1  // in every preset

#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <string>

#include "Levels.hpp"

namespace KokkosContract::Test {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Matrices = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
using N = Trans::NoTranspose;

/// A product in team number `wrong` whose extents disagree, and right ones in the others.
struct Products {
  Matrices square, wide;
  int wrong;

  KOKKOS_FUNCTION void operator()(const Detail::Member& member) const {
    using Kokkos::ALL;
    const int p = member.league_rank();
    const auto s = Kokkos::subview(square, p, ALL, ALL);
    const auto w = Kokkos::subview(wide, p, ALL, ALL);
    const auto c = Kokkos::subview(square, p + 8, ALL, ALL);
    if (p == wrong) {
      (void)TeamContract<"ik,kj->ij">::invoke(member, 1., s, w, 0., c);
      (void)TeamGemm<Detail::Member, N, N>::invoke(member, 1., s, w, 0., c);
    } else {
      (void)TeamContract<"ik,kj->ij">::invoke(member, 1., s, s, 0., c);
    }
  }
  KOKKOS_FUNCTION void operator()(int p) const {
    using Kokkos::ALL;
    (void)SerialCopy<>::invoke(Kokkos::subview(wide, p, ALL, ALL),
                               Kokkos::subview(square, p, ALL, ALL));
  }
};

class Strict : public testing::Test {
 protected:
  void SetUp() override {
    if (Impl::checked_build) GTEST_SKIP() << "a checked build ends at a misuse";
    clear_first_fault();
  }
  const Products products{Matrices("square", 16, 4, 4), Matrices("wide", 8, 4, 5), 5};
};

TEST_F(Strict, NotesTheFirstFaultInATeam) {
  Kokkos::parallel_for("test", Kokkos::TeamPolicy<Space>(8, 1), products);
  Kokkos::fence();
  const Fault fault = first_fault();
  EXPECT_EQ(fault.code, -1);
  EXPECT_EQ(fault.problem, 5);
  EXPECT_EQ(fault.routine, std::string("TeamContract<\"ik,kj->ij\">"));
}

TEST_F(Strict, NotesTheFirstFaultOfAThread) {
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Space>(0, 8), products);
  Kokkos::fence();
  const Fault fault = first_fault();
  EXPECT_EQ(fault.code, -1);
  EXPECT_EQ(fault.problem, -1);
  EXPECT_EQ(fault.routine, std::string("SerialCopy"));
  clear_first_fault();
  EXPECT_EQ(first_fault().code, 0);
}

/// Products that are added to tiles, of which team number 3 has one whose extents disagree.
struct Tiles {
  using Tile = TeamTile<double, "ij", Shape<16, 16>, Detail::Member>;
  Kokkos::View<double**, Space> square, wide;

  KOKKOS_FUNCTION void operator()(const Detail::Member& member) const {
    Tile t(member, member.team_scratch(Tile::scratch_level()), {0, 0}, {4, 4});
    if (member.league_rank() == 3) {
      (void)t.accumulate<"ik,kj->ij">(1., square, wide);
      (void)t.store(1., 0., wide);
    } else {
      (void)t.accumulate<"ik,kj->ij">(1., square, square);
    }
  }
};
TEST_F(Strict, NotesTheFirstFaultOfATile) {
  const Tiles tiles{Kokkos::View<double**, Space>("square", 4, 4),
                    Kokkos::View<double**, Space>("wide", 4, 5)};
  const auto plan =
      team_policy(Space(), 8, uses<Tiles::Tile, "ik,kj->ij">(tiles.square, tiles.square));
  Kokkos::parallel_for(plan.for_functor(tiles).policy, tiles);
  Kokkos::fence();
  const Fault fault = first_fault();
  EXPECT_EQ(fault.code, -1);
  EXPECT_EQ(fault.problem, 3);
  EXPECT_EQ(fault.routine, std::string("TeamTile<\"ij\">::accumulate"));
}

TEST_F(Strict, NotesNothingElse) {
  Products right = products;
  right.wrong = -1;
  Kokkos::parallel_for("test", Kokkos::TeamPolicy<Space>(8, 1), right);
  const Kokkos::View<double**, Kokkos::HostSpace> zero("zero", 3, 3);
  EXPECT_EQ(SerialLU<>::invoke(zero), 1);
  Kokkos::fence();
  EXPECT_EQ(first_fault().code, 0);
  EXPECT_EQ(first_fault().routine, std::string());
}

}  // namespace
}  // namespace KokkosContract::Test
