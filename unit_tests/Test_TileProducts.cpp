// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of teams: several products in one call, with relayouts between them.
#include <sys/mman.h>

#include <cstddef>

#include "ShortFloat.hpp"
#include "Tiles.hpp"

namespace KokkosContract::Test {
namespace {

using L = Kokkos::LayoutLeft;
using R = Kokkos::LayoutRight;

// What is on its way at a time fits into memory, and is as much as possible.
constexpr Impl::TileExtents exchanged{{"cba", 3}, {4, 8, 16}};
consteval bool has_parts(int size, int letter, int indices, int count) {
  const Impl::ExchangeParts parts = Impl::exchange_parts(exchanged, size);
  return parts.letter == letter && parts.indices == indices && parts.count == count;
}
static_assert(Impl::exchange_stride(exchanged, 1) == 16);
static_assert(Impl::exchange_stride(exchanged, 0) == 128);
static_assert(has_parts(512, 0, 4, 1));
static_assert(has_parts(511, 0, 2, 2));
static_assert(has_parts(200, 0, 1, 4));
static_assert(has_parts(127, 1, 4, 8));
static_assert(has_parts(24, 1, 1, 32));
static_assert(has_parts(15, 2, 8, 64));
// Gaps, where extents are not powers of two.
constexpr Impl::TileExtents with_gaps{{"cba", 3}, {3, 8, 16}};
static_assert(Impl::exchange_stride(with_gaps, 1) == 24);
static_assert(Impl::exchange_stride(with_gaps, 0) == 192);

// Lanes are in different banks, whichever letters the rows and columns of blocks have. A warp needs
// two requests for elements of 8 bytes, and four for pairs of them.
constexpr Impl::TileExtents turned{{"cba", 3}, {8, 8, 8}};
constexpr Impl::TileLayout rows_ba{3, {1, 8, 2}, {8, 1, 1}, {1, 1, 4}, {1, 1, 1}};
constexpr Impl::TileLayout rows_cb{3, {2, 8, 1}, {1, 1, 8}, {4, 1, 1}, {1, 1, 1}};
template <Impl::TileLayout Layout>
using Exchanged = Impl::ExchangeOfLayout<turned, Impl::Mma16x8x4, Layout>;
constexpr Impl::ExchangeParts at_once = Impl::exchange_parts(turned, 512);
constexpr Impl::ExchangeTurn turn =
    Impl::exchange_turn<turned, at_once, Impl::Mma16x8x4, rows_ba, rows_cb>();
static_assert(!Exchanged<rows_ba>::has_pairs(turn) && Exchanged<rows_cb>::has_pairs(turn));
// A turn of the lowest bit takes the elements of a pair apart, where other registers have the bit.
static_assert(Exchanged<rows_cb>::has_pairs({}) && !Exchanged<rows_cb>::has_pairs({6, 0, 1}));
static_assert(Exchanged<rows_ba>::requests({}) == 16 && Exchanged<rows_cb>::requests({}) == 4);
static_assert(Exchanged<rows_ba>::requests(turn) == 4 && Exchanged<rows_cb>::requests(turn) == 4);

template <class M>
class TileProducts : public testing::Test {};
TYPED_TEST_SUITE(TileProducts, TileMembers);

/// Several products in one call, some of whose layouts differ; several letters in the sum; letters
/// in both inputs and in one.
TYPED_TEST(TileProducts, ManyProducts) {
  using Tile = TeamTile<double, "kjcba", Shape<2, 2, 4, 8, 8>, TypeParam>;
  const Extents e{{'k', 3}, {'j', 2}, {'c', 7}, {'b', 10}, {'a', 8}, {'m', 5}, {'n', 6}};
  check_tile<Tile>(e, AddedProduct<double, "mbk,mcaj->kjcba", L, L>(1, e),
                   AddedProduct<double, "macj,mbk->kjcba", L, L>(-2, e),
                   AddedProduct<double, "mck,mabj->kjcba", L, L>(1, e),
                   AddedProduct<double, "mckj,mab->kjcba", L, L>(3, e));
  // A sum without terms between others: what is read ahead belongs to the one behind it.
  Extents with_none = e;
  with_none['z'] = 0;
  check_tile<Tile>(with_none, AddedProduct<double, "mbk,mcaj->kjcba", L, L>(2, with_none),
                   AddedProduct<double, "zbk,zcaj->kjcba", L, L>(7, with_none),
                   AddedProduct<double, "mbk,mcaj->kjcba", L, L>(-3, with_none),
                   AddedProduct<double, "zbk,zcaj->kjcba", L, L>(5, with_none));
  check_tile<Tile>(e, AddedProduct<double, "nbmk,mncaj->kjcba", R, L>(1, e),
                   AddedProduct<double, "bkj,cak->kjcba", R, R>(2, e));
}

/// Inputs of 16 bits into sums of float. Where alpha changes, the sums are scaled, here by powers
/// of two; so they are before a relayout.
TYPED_TEST(TileProducts, ShortFloats) {
  using Short = ShortFloat;
  using Matrix = TeamTile<float, "ij", Shape<64, 32>, TypeParam>;
  const Extents m{{'i', 70}, {'j', 33}, {'k', 37}};
  check_tile<Matrix>(m, AddedProduct<Short, "ik,kj->ij", R, R>(Short(1), m));
  check_tile<Matrix>(m, AddedProduct<Short, "ik,jk->ij", R, R>(Short(-4), m),
                     AddedProduct<Short, "ki,kj->ij", R, R>(Short(0.5), m));
  using Tile = TeamTile<float, "kjcba", Shape<2, 2, 4, 8, 8>, TypeParam>;
  const Extents e{{'k', 3}, {'j', 2}, {'c', 7}, {'b', 10}, {'a', 8}, {'m', 5}};
  check_tile<Tile>(e, AddedProduct<Short, "mbk,mcaj->kjcba", L, L>(Short(2), e),
                   AddedProduct<Short, "mck,mabj->kjcba", L, L>(Short(0), e),
                   AddedProduct<Short, "mckj,mab->kjcba", L, L>(Short(-0.25), e));
}

/// Products with the same rows and columns, which a host adds together: some of them, with few or
/// many terms, at different multiples, and others between them.
TYPED_TEST(TileProducts, SameRowsAndColumns) {
  using Tile = TeamTile<double, "kjcba", Shape<2, 2, 4, 8, 8>, TypeParam>;
  const Extents e{{'k', 2},  {'j', 2},   {'c', 4},   {'b', 8},
                  {'a', 13}, {'m', 150}, {'n', 109}, {'l', 3}};
  check_tile<Tile>(e, AddedProduct<double, "mcb,mkja->kjcba", L, L>(2, e),
                   AddedProduct<double, "nkja,ncb->kjcba", L, R>(2, e),
                   AddedProduct<double, "lcb,lkja->kjcba", R, L>(2, e));
  Extents few = e;
  few['m'] = 11;
  few['n'] = 19;
  using Add = AddedProduct<double, "cmb,mjka->kjcba", L, R>;
  check_tile<Tile>(few, Add(1, few), Add(1, few), Add(1, few), Add(1, few), Add(1, few),
                   Add(-1, few), AddedProduct<double, "lcb,lkja->kjcba", L, L>(-1, few),
                   AddedProduct<double, "nab,nkjc->kjcba", L, L>(-1, few),
                   AddedProduct<double, "lkj,cbla->kjcba", L, R>(3, few));
  using Singles = TeamTile<float, "cba", Shape<4, 8, 32>, TypeParam>;
  check_tile<Singles>(few, AddedProduct<float, "mcb,ma->cba", L, L>(2, few),
                      AddedProduct<float, "an,bnc->cba", R, L>(2, few));
}

/// All letters of the output in one input, or in both.
TYPED_TEST(TileProducts, Sides) {
  using Tile = TeamTile<double, "cba", Shape<2, 8, 16>, TypeParam>;
  const Extents e{{'c', 3}, {'b', 11}, {'a', 17}, {'n', 6}};
  check_tile<Tile>(e, AddedProduct<double, "bca,+n->cba", R, R>(2, e),
                   AddedProduct<double, "cban,n->cba", R, R>(-1, e),
                   AddedProduct<double, "+nb,acb->cba", R, L>(1, e));
  using Small = TeamTile<double, "ba", Shape<4, 8>, TypeParam>;
  check_tile<Small>(e, AddedProduct<double, "ba,ab->ba", R, R>(1, e),
                    AddedProduct<double, "ban,bn->ba", R, R>(2, e));
}

// The triples of CCSD(T): products of several layouts, with relayouts through memory and through
// registers; whole slices, and the rest of a sum.
TYPED_TEST(TileProducts, Triples) {
  using Tile = TeamTile<double, "kjicba", Shape<4, 2, 2, 8, 8, 8>, TypeParam>;
  const Extents e{{'k', 4}, {'j', 2}, {'i', 3}, {'c', 8}, {'b', 8}, {'a', 7}, {'e', 20}, {'m', 9}};
  check_tile<Tile>(e, AddedProduct<double, "eaij,ekcb->kjicba", L, L>(-1, e),
                   AddedProduct<double, "mjic,mabk->kjicba", L, L>(-1, e),
                   AddedProduct<double, "ebjk,eica->kjicba", L, L>(1, e),
                   AddedProduct<double, "mkia,mbcj->kjicba", L, L>(1, e),
                   AddedProduct<double, "ecik,ejba->kjicba", L, L>(1, e));
}

// Runs along the last index of each sum: of one product, and of several in one pipeline.
TYPED_TEST(TileProducts, SumsOfSeveralIndices) {
  using Tile = TeamTile<double, "ij", Shape<32, 16>, TypeParam>;
  const Extents e{{'i', 40}, {'j', 20}, {'k', 3}, {'l', 12}, {'m', 5}};
  check_tile<Tile>(e, AddedProduct<double, "ikl,jkl->ij", R, R>(1, e),
                   AddedProduct<double, "imkl,jmkl->ij", R, R>(-2, e),
                   AddedProduct<double, "il,jl->ij", R, R>(1, e));
  check_tile<Tile>(e, AddedProduct<double, "imkl,mklj->ij", R, R>(1, e));
  check_tile<Tile>(e, AddedProduct<double, "ikl,klj->ij", L, L>(1, e));
  // Neighbours along different indices.
  check_tile<Tile>(e, AddedProduct<double, "kil,lkj->ij", L, L>(1, e));
  using C = Kokkos::complex<double>;
  using ComplexTile = TeamTile<C, "ij", Shape<16, 16>, TypeParam>;
  check_tile<ComplexTile>(e, AddedProduct<C, "kil,lkj->ij", L, L>(C(1, 2), e));
  check_tile<ComplexTile>(e, AddedProduct<C, "kil,lkj->ij", L, L>(C(1, 2), e),
                          AddedProduct<C, "ikl,jkl->ij", R, R>(C(2, 0), e));
}

// Sums whose last vector is not whole, of inputs that are aligned all the same: a slice is copied
// by elements, behind others that are not, or is the only one.
TYPED_TEST(TileProducts, OddSums) {
  using Tile = TeamTile<double, "kba", Shape<2, 16, 32>, TypeParam>;
  const Extents e{{'k', 3}, {'b', 18}, {'a', 33}, {'z', 5}, {'y', 19}, {'x', 16}};
  check_tile<Tile>(e, AddedProduct<double, "ybk,ya->kba", L, L, true>(1, e),
                   AddedProduct<double, "zb,zka->kba", L, L, true>(-2, e),
                   AddedProduct<double, "xbk,xa->kba", L, L, true>(3, e),
                   AddedProduct<double, "ya,ybk->kba", L, L, true>(-1, e));
  using Floats = TeamTile<float, "kba", Shape<2, 16, 32>, TypeParam>;
  const Extents f{{'k', 3}, {'b', 18}, {'a', 33}, {'z', 6}, {'y', 35}};
  check_tile<Floats>(f, AddedProduct<float, "ybk,ya->kba", L, L, true>(1, f),
                     AddedProduct<float, "zbk,za->kba", L, L, true>(-2, f));
}

// Workers are no multiple of the pieces of a term.
TYPED_TEST(TileProducts, ExtentsThatAreNoPowers) {
  using Tile = TeamTile<double, "ij", Shape<48, 24>, TypeParam>;
  const Extents e{{'i', 96}, {'j', 70}, {'k', 21}};
  check_tile<Tile>(e, AddedProduct<double, "ik,kj->ij", R, R>(1, e));
  check_tile<Tile>(e, AddedProduct<double, "ik,kj->ij", L, R>(1, e));
  using Wide = TeamTile<float, "ij", Shape<32, 96>, TypeParam>;
  check_tile<Wide>(e, AddedProduct<float, "ik,kj->ij", L, R>(1, e));
}

// The elements do not fit into shared memory, so the relayout is done in parts.
TYPED_TEST(TileProducts, ElementsInParts) {
  using Tile = TeamTile<double, "ijklm", Shape<8, 8, 8, 8, 8>, TypeParam>;
  const Extents e{{'i', 8}, {'j', 7}, {'k', 8}, {'l', 6}, {'m', 8}, {'z', 3}};
  check_tile<Tile>(e, AddedProduct<double, "zijk,zlm->ijklm", L, L>(1, e),
                   AddedProduct<double, "zijm,zkl->ijklm", L, L>(-2, e));
  // Nor do those of one index of the first letter.
  using Few = TeamTile<double, "kjba", Shape<2, 32, 32, 16>, TypeParam>;
  const Extents few{{'k', 2}, {'j', 31}, {'b', 32}, {'a', 16}, {'z', 3}};
  check_tile<Few>(few, AddedProduct<double, "zkj,zba->kjba", L, L>(1, few),
                  AddedProduct<double, "zkb,zja->kjba", L, L>(-2, few));
}

TYPED_TEST(TileProducts, LanesOfThreads) {
  using Tile = TeamVectorTile<double, "bia", Shape<2, 16, 32>, TypeParam>;
  const Extents e{{'b', 3}, {'i', 20}, {'a', 33}, {'k', 12}};
  check_tile<Tile>(e, AddedProduct<double, "bik,kab->bia", R, L>(1, e));
}

/// An input of which the tile's part spans more elements than an int counts.
TYPED_TEST(TileProducts, FarInput) {
  using Tile = TeamTile<double, "ba", Shape<16, 32>, TypeParam>;
  constexpr int terms = 5, rows = 2, cols = 9;
  constexpr std::size_t stride = std::size_t{1} << 31;
  constexpr std::size_t bytes = (stride + terms) * sizeof(double);
  // Pages of this memory are only allocated when they are written.
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no 16 GB of addresses";
  using View = Kokkos::View<double**, L, Kokkos::HostSpace>;
  const View whole(static_cast<double*>(memory), stride, rows);
  const View x = Kokkos::subview(whole, Kokkos::pair<int, int>(0, terms), Kokkos::ALL);
  // Not x(z, b): Kokkos 5.2 multiplies 32 bits.
  const auto x_at = [&](int z, int b) -> double& { return x.data()[z + b * stride]; };
  const View y("y", terms, cols);
  for (int z = 0; z < terms; ++z) {
    for (int b = 0; b < rows; ++b) x_at(z, b) = small_integer<double>(7 * z + b);
    for (int a = 0; a < cols; ++a) y(z, a) = small_integer<double>(3 * z + a);
  }
  const std::size_t scratch = Tile::template scratch_bytes<"zb,za->ba", "za,zb->ba">(x, y, y, x);
  for (const TeamRun& run : team_runs<Tile>()) {
    const Kokkos::View<double**, R, Kokkos::HostSpace> c("c", rows, cols);
    run_team<Tile>(scratch, run, [&](const auto& member, const auto& memory_of_team) {
      Tile t(member, memory_of_team, {0, 0}, {rows, cols});
      const int code = t.template accumulate<"zb,za->ba", "za,zb->ba">(2., x, y, 1., y, x);
      EXPECT_EQ(code, 0);
      EXPECT_EQ(t.store(1., 0., c), 0);
    });
    for (int b = 0; b < rows; ++b) {
      for (int a = 0; a < cols; ++a) {
        double sum = 0;
        for (int z = 0; z < terms; ++z) sum += 3 * x_at(z, b) * y(z, a);
        EXPECT_EQ(c(b, a), sum);
      }
    }
  }
  munmap(memory, bytes);
}

}  // namespace
}  // namespace KokkosContract::Test
