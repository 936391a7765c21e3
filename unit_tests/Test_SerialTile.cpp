// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of one thread alone: on a host, and of the threads of emulated GPUs.
#include <limits>

#include "Tiles.hpp"

namespace KokkosContract::Test {
namespace {

using L = Kokkos::LayoutLeft;
using R = Kokkos::LayoutRight;
using Matrix = Kokkos::View<double**, R, Kokkos::HostSpace>;

template <class M>
class SerialTiles : public testing::Test {};
using Members = testing::Types<HostMember, EmulatedMember<32>, EmulatedMember<64>>;
TYPED_TEST_SUITE(SerialTiles, Members);

TYPED_TEST(SerialTiles, Matrices) {
  using Tile = SerialTile<double, "ij", Shape<8, 16>, TypeParam>;
  static_assert(Tile::workers() == 1 && Tile::scratch_level() == 0);
  for (const Extents& e :
       {Extents{{'i', 8}, {'j', 16}, {'k', 9}}, Extents{{'i', 19}, {'j', 33}, {'k', 40}},
        Extents{{'i', 7}, {'j', 1}, {'k', 1}}, Extents{{'i', 9}, {'j', 17}, {'k', 0}}}) {
    check_tile<Tile>(e, AddedProduct<double, "ik,kj->ij", L, R>(2, e));
    check_tile<Tile>(e, AddedProduct<double, "kj,ik->ij", R, R>(-1, e),
                     AddedProduct<double, "ki,jk->ij", L, L>(3, e));
  }
}

/// Strings with other rows and columns, and letters in both inputs and in one.
TYPED_TEST(SerialTiles, ManyProducts) {
  using Tile = SerialTile<double, "cba", Shape<2, 8, 32>, TypeParam>;
  const Extents e{{'c', 3}, {'b', 11}, {'a', 37}, {'m', 12}, {'n', 6}};
  check_tile<Tile>(e, AddedProduct<double, "mcb,ma->cba", L, L>(2, e),
                   AddedProduct<double, "na,ncb->cba", R, L>(2, e),
                   AddedProduct<double, "+nb,acb->cba", R, L>(-1, e),
                   AddedProduct<double, "bca,+n->cba", R, R>(1, e),
                   AddedProduct<double, "mca,mb->cba", L, R>(3, e));
}

TYPED_TEST(SerialTiles, Types) {
  const Extents e{{'i', 5}, {'j', 6}, {'k', 7}};
  using Z = Kokkos::complex<double>;
  check_tile<SerialTile<Z, "ij", Shape<4, 4>, TypeParam>>(
      e, AddedProduct<Z, "ik*,kj->ij", R, L>(Z(1, 2), e));
  check_tile<SerialTile<float, "ij", Shape<4, 4>, TypeParam>>(
      e, AddedProduct<float, "ik,kj->ij", R, L>(2, e));
}

struct AddDifferenceOfIndices {
  KOKKOS_FUNCTION void operator()(double& x, int i, int j) const { x += i - j; }
};

/// load and for_each at an edge; C with an atomic View.
TYPED_TEST(SerialTiles, Elements) {
  using Tile = SerialTile<double, "ij", Shape<4, 8>, TypeParam>;
  const Matrix a("a", 6, 11), c("c", 6, 11), unread("unread", 6, 11);
  Kokkos::deep_copy(unread, std::numeric_limits<double>::quiet_NaN());
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 11; ++j) a(i, j) = i + 100 * j;
  }
  const Kokkos::View<double**, R, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Atomic>> atomic =
      c;
  run_team<Tile>(Tile::scratch_bytes(a, a), team_runs<Tile>()[0],
                 [&](const auto&, const auto& scratch) {
                   Tile t(scratch, {4, 8}, {6, 11});
                   EXPECT_EQ(t.load(2., a), 0);
                   t.for_each(AddDifferenceOfIndices{});
                   EXPECT_EQ(t.store(1., 1., atomic), 0);
                   // Such a call ends a checked build.
                   if (!Impl::checked_build) {
                     EXPECT_EQ(t.store(1., 2., atomic), Impl::atomic_needs_beta_one);
                   }
                 });
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 11; ++j) {
      EXPECT_EQ(c(i, j), i >= 4 && j >= 8 ? 2 * a(i, j) + i - j : 0) << i << ' ' << j;
    }
  }
}

/// Memory of every kind, and too little of it.
TEST(SerialTile, Memory) {
  using Tile = SerialTile<double, "ij", Shape<4, 4>>;
  const Matrix a("a", 4, 3), b("b", 3, 4), c("c", 4, 4);
  Kokkos::deep_copy(a, 1);
  Kokkos::deep_copy(b, 2);
  const auto bytes = Tile::scratch_bytes<"ik,kj->ij">(a, b);
  EXPECT_EQ(bytes, Tile::scratch_bytes(a, b));
  const Kokkos::View<char*, Kokkos::HostSpace> buffer("buffer", bytes);
  const auto use = [&](const auto& scratch) {
    Kokkos::deep_copy(c, 0);
    Tile t(scratch, {0, 0}, {4, 4});
    const int code = t.accumulate<"ik,kj->ij">(1., a, b);
    const int stored = t.store(1., 0., c);
    EXPECT_EQ(code, stored);
    EXPECT_EQ(c(3, 3), code == 0 ? 6 : 0);
    return code;
  };
  EXPECT_EQ(use(buffer), 0);
  EXPECT_EQ(use(Scratch{buffer.data(), bytes}), 0);
  if (Impl::checked_build) return;  // such a call ends a checked build
  EXPECT_EQ(use(Scratch{buffer.data(), 100}), Impl::scratch_too_small);
  EXPECT_EQ(use(Kokkos::View<char*, Kokkos::HostSpace>("too small", 60)), Impl::scratch_too_small);
  // What lies between the elements of a View may be memory of something else.
  const Matrix columns("columns", 16, 16);
  EXPECT_EQ(use(Kokkos::subview(columns, Kokkos::ALL, Kokkos::pair(0, 8))),
            Impl::scratch_too_small);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(columns.data()[i], 0);
}

TEST(SerialTile, Extents) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  using Tile = SerialTile<double, "ij", Shape<4, 4>>;
  const Matrix a("a", 4, 3), b("b", 3, 4), other("other", 2, 4);
  alignas(64) char memory[256];
  const Scratch scratch{memory, sizeof(memory)};
  Tile t(scratch, {0, 0}, {4, 4});
  EXPECT_EQ((t.accumulate<"ik,kj->ij">(1., a, other)), Impl::extents_disagree);
  EXPECT_EQ((t.accumulate<"ik,kj->ij", "ik,kj->ij">(1., a, b, 1., a, other)),
            Impl::extents_disagree);
  Tile larger(scratch, {0, 0}, {5, 4});
  EXPECT_EQ((larger.accumulate<"ik,kj->ij">(1., a, b)), Impl::extents_disagree);
}

/// A host's level 0 is as large as is reckoned with.
TEST(SerialTile, Levels) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  EXPECT_EQ(Kokkos::TeamPolicy<Host>::scratch_size_max(0),
            static_cast<int>(Impl::level_0_bytes_of_host));
  static_assert(SerialTile<double, "ij", Shape<63, 64>, Host>::scratch_level() == 0);
  static_assert(SerialTile<double, "ij", Shape<64, 64>, Host>::scratch_level() == 1);
  static_assert(TeamTile<double, "ij", Shape<64, 64>, HostMember>::scratch_level() == 1);
  static_assert(SerialTile<double, "ij", Shape<64, 64>, EmulatedSpace<32>>::scratch_level() == 0);
  static_assert(TeamTile<double, "ij", Shape<64, 64>, EmulatedMember<32>>::scratch_level() == 0);
}

/// Threads of a team of a GPU with tiles of their own, one behind the other.
TEST(SerialTile, OfThreads) {
  using Tile = SerialTile<double, "ij", Shape<4, 4>, EmulatedSpace<32>>;
  const Matrix a("a", 32, 3), b("b", 3, 8), c("c", 32, 8);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 32; ++i) a(i, k) = i + k;
    for (int j = 0; j < 8; ++j) b(k, j) = j - k;
  }
  EmulatedBlock block(8, 1, Tile::scratch_bytes(a, b), LaneOrder::forward, 32);
  const std::string fault = block.run([&] {
    const EmulatedMember<32> member(block, 0, 1);
    for (int j = 0; j < 8; j += 4) {
      const auto scratch = member.thread_scratch(Tile::scratch_level());
      Tile t(member, scratch, {4 * member.team_rank(), j}, {32, 8});
      EXPECT_EQ((t.accumulate<"ik,kj->ij">(1., a, b)), 0);
      EXPECT_EQ(t.store(1., 0., c), 0);
    }
  });
  EXPECT_EQ(fault, "");
  for (int i = 0; i < 32; ++i) {
    for (int j = 0; j < 8; ++j) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += a(i, k) * b(k, j);
      EXPECT_EQ(c(i, j), sum) << i << ' ' << j;
    }
  }
}

/// What is enough for any strings.
TEST(TileScratch, WithoutStrings) {
  const Matrix a("a", 40, 40);
  using OfHost = TeamTile<double, "ij", Shape<32, 32>, HostMember>;
  EXPECT_EQ(OfHost::scratch_bytes(a, a), (OfHost::scratch_bytes<"ik,kj->ij">(a, a)));
  using OfGpu = TeamTile<double, "ij", Shape<32, 32>, EmulatedMember<32>>;
  EXPECT_GE(OfGpu::scratch_bytes(a, a), (OfGpu::scratch_bytes<"ik,kj->ij">(a, a)));
  EXPECT_GE(OfGpu::scratch_bytes(a, a, a, a),
            (OfGpu::scratch_bytes<"ik,kj->ij", "ki,jk->ij">(a, a, a, a)));
}

}  // namespace
}  // namespace KokkosContract::Test
