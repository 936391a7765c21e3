// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// team_policy for tiles: what the tile itself asks for, on a host and, as far as types tell, on
// GPUs.
#include <KokkosContract.hpp>
#include <stdexcept>

#include "Tiles.hpp"

namespace KokkosContract::Test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
template <int N, class Member>
using Square = TeamTile<double, "ij", Shape<N, N>, Member>;

TEST(TilePolicy, OfATeam) {
  const Matrix a("a", 100, 100);
  using Small = Square<32, HostMember>;
  const auto [policy, problems_per_team] =
      team_policy(Host(), 7, uses<Small, "ik,kj->ij", "ki,jk->ij">(a, a, a, a));
  EXPECT_EQ(problems_per_team, 1);
  EXPECT_EQ(policy.league_size(), 7);
  EXPECT_EQ(policy.team_size(), Small::workers());
  EXPECT_EQ(policy.impl_vector_length(), 1);
  EXPECT_EQ(policy.scratch_size(0), Small::scratch_bytes(a, a));
  EXPECT_EQ(policy.scratch_size(1), 0);

  using Large = Square<128, HostMember>;
  const auto large = team_policy(Host(), 7, uses<Large>(a, a), user_scratch{1000});
  EXPECT_EQ(large.policy.scratch_size(0), 1000);
  EXPECT_EQ(large.policy.scratch_size(1), Large::scratch_bytes(a, a));
}

/// Tiles of different types are in memory at the same time; of one type it is one tile. Calls have
/// what they need besides.
TEST(TilePolicy, SeveralUses) {
  const Matrix a("a", 30, 30);
  using One = Square<16, HostMember>;
  using Other = Square<24, HostMember>;
  using Chain = TeamContract<"ij,jk,kl->il">;
  const auto one = team_policy(Host(), 5, uses<One, "ik,kj->ij">(a, a), uses<One>(a, a));
  EXPECT_EQ(one.policy.scratch_size(0), One::scratch_bytes(a, a));
  const auto all = team_policy(Host(), 5, uses<One>(a, a), uses<Chain>(a, a, a, a),
                               uses<Other>(a, a), user_scratch{8});
  EXPECT_EQ(all.problems_per_team, 1);
  EXPECT_GE(all.policy.scratch_size(0), One::scratch_bytes(a, a) + Other::scratch_bytes(a, a) +
                                            Chain::scratch_bytes<Host>(a, a, a, a) + 8);
}

TEST(TilePolicy, OfAThread) {
  const Matrix a("a", 30, 30);
  using Tile = SerialTile<double, "ij", Shape<8, 8>, Host>;
  const auto plan = team_policy(Host(), 1000, uses<Tile, "ik,kj->ij">(a, a));
  EXPECT_EQ(plan.problems_per_team, 1);
  EXPECT_EQ(plan.policy.scratch_size(0, 1), Tile::scratch_bytes(a, a));
  EXPECT_EQ(plan.policy.scratch_size(0, 3), 3 * Tile::scratch_bytes(a, a));
}

/// Slices have memory of their own, beside the tile and what it accumulates.
TEST(TilePolicy, Slices) {
  const Matrix a("a", 30, 30);
  using Tile = Square<16, HostMember>;
  using Slices = TileSlices<Tile, "ik,kj->ij", Matrix, Computed, 2>;
  const auto plan = team_policy(Host(), 5, uses<Tile>(), uses<Slices>(), uses<Slices>());
  EXPECT_EQ(plan.policy.team_size(), 1);
  EXPECT_EQ(Slices::scratch_level(), 0);
  EXPECT_EQ(plan.policy.scratch_size(0), Tile::scratch_bytes(a, a) + Slices::scratch_bytes());

  using OnGpu = Square<64, EmulatedMember<32>>;
  using SlicesOnGpu = TileSlices<OnGpu, "ik,kj->ij", Matrix, Computed>;
  const Impl::Demand tile = uses<OnGpu>().template demand<EmulatedSpace<32>>(1);
  EXPECT_EQ(tile.scratch, 0);
  EXPECT_EQ(tile.kept, 0);
  const Impl::Demand slices = uses<SlicesOnGpu>().template demand<EmulatedSpace<32>>(1);
  EXPECT_EQ(slices.scratch, 0);
  EXPECT_EQ(slices.kept, SlicesOnGpu::scratch_bytes());
  EXPECT_EQ(slices.tile_workers, OnGpu::workers());
}

TEST(TilePolicy, TooLarge) {
  const Matrix a("a", 30, 30);
  using Huge = Square<4096, HostMember>;
  EXPECT_THROW(team_policy(Host(), 1, uses<Huge>(a, a)), std::invalid_argument);
}

// --- GPUs: there is no policy of an emulated one ------------------------------------------------

template <class Tile, int WarpSize>
Impl::Demand demand_on_gpu() {
  const Matrix a("a", 300, 300);
  return uses<Tile, "ik,kj->ij">(a, a).template demand<EmulatedSpace<WarpSize>>(1);
}

template <int WarpSize>
void check_gpu() {
  using Member = EmulatedMember<WarpSize>;
  const Matrix a("a", 300, 300);
  using Tile = Square<64, Member>;
  const Impl::Demand team = demand_on_gpu<Tile, WarpSize>();
  EXPECT_EQ(team.tile_workers, Tile::workers());
  EXPECT_EQ(team.scratch, (Tile::template scratch_bytes<"ik,kj->ij">(a, a)));
  EXPECT_EQ(team.kept, 0);
  const Impl::TeamShape shape = Impl::shape_with_tile(Tile::workers(), false, WarpSize);
  EXPECT_EQ(shape.threads, Tile::workers());
  EXPECT_EQ(shape.lanes, 1);
  EXPECT_TRUE(shape.is_fixed);

  using OfLanes = TeamVectorTile<double, "ij", Shape<64, 64>, Member>;
  const Impl::Demand lanes = demand_on_gpu<OfLanes, WarpSize>();
  EXPECT_EQ(lanes.workers, Impl::Workers::team_vector);
  const Impl::TeamShape of_lanes = Impl::shape_with_tile(lanes.tile_workers, true, WarpSize);
  EXPECT_EQ(of_lanes.threads * of_lanes.lanes, OfLanes::workers());
  EXPECT_EQ(of_lanes.lanes, WarpSize);

  using Serial = SerialTile<double, "ij", Shape<8, 8>, Member>;
  const Impl::Demand thread = demand_on_gpu<Serial, WarpSize>();
  EXPECT_EQ(thread.tile_workers, 0);
  EXPECT_EQ(thread.scratch, 0);
  EXPECT_EQ(thread.kept, Serial::scratch_bytes(a, a));
  EXPECT_EQ(thread.kept_level, 0);

  // The slices of two tiles are there one behind the other, and a tile in memory all the time.
  const Impl::Demand all[] = {team, lanes, thread, thread};
  const Impl::TeamBytes bytes = Impl::team_bytes(all, 4, shape, {});
  EXPECT_EQ(bytes.team[0], team.scratch > lanes.scratch ? team.scratch : lanes.scratch);
  EXPECT_EQ(bytes.thread[0], thread.kept);
  EXPECT_EQ(bytes.team[1] + bytes.thread[1], 0);

  const Impl::Demand different[] = {team, demand_on_gpu<Square<128, Member>, WarpSize>()};
  EXPECT_THROW(Impl::tile_workers(different, 2), std::invalid_argument);
}
TEST(TilePolicy, Gpu) {
  check_gpu<32>();
  check_gpu<64>();
}

}  // namespace
}  // namespace KokkosContract::Test
