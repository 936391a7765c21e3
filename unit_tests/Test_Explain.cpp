// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Explain.hpp>
#include <KokkosContract/TeamTile.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

namespace KokkosContract::Test {
namespace {

using Memory = Kokkos::HostSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Memory, Unmanaged>;

// explain does not look at the data.
Matrix matrix(int rows, int cols) { return Matrix(static_cast<double*>(nullptr), rows, cols); }

template <Spec S, class... Operands>
std::string text(const Operands&... operands) {
  std::ostringstream os;
  explain<S>(os, operands...);
  return os.str();
}

TEST(Explain, Product) {
  const std::string said = text<"ik,kj->ij">(matrix(6, 4), matrix(4, 10), matrix(6, 10));
  for (const char* part :
       {"ik,kj->ij", "i=6", "j=10", "k=4", "rows", "columns", "sums", "tile", "bound"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " is not in\n" << said;
  }
  // 2 * 6 * 4 * 10 flops; 8 * (24 + 40 + 60) bytes.
  EXPECT_NE(said.find("flops: 480"), std::string::npos) << said;
  EXPECT_NE(said.find("bytes: 992"), std::string::npos) << said;
}

TEST(Explain, OneInput) {
  const std::string said = text<"ij->ji">(matrix(6, 4), matrix(4, 6));
  EXPECT_NE(said.find("bytes: 384"), std::string::npos) << said;
}

TEST(Explain, SlicesOfOutput) {
  const Kokkos::View<double***, Kokkos::LayoutRight, Memory, Unmanaged> C(nullptr, 99, 64, 64);
  const std::string said = text<"cp,lp->clp">(matrix(99, 64), matrix(64, 64), C);
  EXPECT_NE(said.find("in slices"), std::string::npos) << said;
}

// contract leaves these whole: a batch is C's outer dimension, or there are packed blocks.
TEST(Explain, WholeOutput) {
  const Kokkos::View<double***, Kokkos::LayoutRight, Memory, Unmanaged> A(nullptr, 1, 99, 64);
  const Kokkos::View<double***, Kokkos::LayoutRight, Memory, Unmanaged> B(nullptr, 1, 64, 64);
  const Kokkos::View<double****, Kokkos::LayoutRight, Memory, Unmanaged> C(nullptr, 1, 99, 64, 64);
  const std::string batch = text<"bcp,blp->bclp">(A, B, C);
  EXPECT_EQ(batch.find("in slices"), std::string::npos) << batch;
  const Kokkos::View<double***, Kokkos::LayoutRight, Memory, Unmanaged> X(nullptr, 3, 400, 12);
  const Kokkos::View<double***, Kokkos::LayoutRight, Memory, Unmanaged> Y(nullptr, 300, 2, 12);
  const Kokkos::View<double****, Kokkos::LayoutRight, Memory, Unmanaged> Z(nullptr, 300, 400, 3, 2);
  const std::string blocks = text<"jik,lmk->lijm">(X, Y, Z);
  EXPECT_NE(blocks.find("blocked"), std::string::npos) << blocks;
  EXPECT_EQ(blocks.find("in slices"), std::string::npos) << blocks;
}

TEST(Explain, SeveralInputs) {
  const std::string said =
      text<"ij,jk,kl->il">(matrix(2, 3), matrix(3, 4), matrix(4, 5), matrix(2, 5));
  for (const char* part : {"step 1", "step 2", "scratch"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " is not in\n" << said;
  }
  // From left to right: 2 * 3 * 4 + 2 * 4 * 5 products.
  EXPECT_NE(said.find("flops: 128"), std::string::npos) << said;
}

/// Some GPU, as far as types tell.
struct Gpu {
  static constexpr bool is_emulated_gpu = true;
  static constexpr int warp_size = 32;
};
template <Spec S, class... Operands>
std::string text_on_gpu(const Operands&... operands) {
  std::ostringstream os;
  explain<S>(os, Gpu{}, operands...);
  return os.str();
}

TEST(Explain, WaysOfAHost) {
  EXPECT_NE((text<"ik,kj->ij">(matrix(6, 4), matrix(4, 10), matrix(6, 10))).find("way: blocked"),
            std::string::npos);
  const double* const one = nullptr;
  const Kokkos::View<const double[4], Memory, Unmanaged> x(one);
  const Kokkos::View<double[4], Memory, Unmanaged> y(static_cast<double*>(nullptr));
  EXPECT_NE((text<"i,i->i">(x, x, y)).find("way: tiles"), std::string::npos);
  std::ostringstream os;
  explain<"i,i->i">(os, Kokkos::DefaultHostExecutionSpace(), x, x, y);
  EXPECT_EQ(os.str(), (text<"i,i->i">(x, x, y)));
}

TEST(Explain, WaysOfAGpu) {
  using Batch = Kokkos::View<double* [8][8], Kokkos::LayoutRight, Memory, Unmanaged>;
  using Interleaved = Kokkos::View<double* [8][8], Kokkos::LayoutLeft, Memory, Unmanaged>;
  const Batch a(static_cast<double*>(nullptr), 100);
  const Interleaved b(static_cast<double*>(nullptr), 100);
  const std::string batch = text_on_gpu<"bik,bkj->bij">(a, a, a);
  for (const char* part : {"way at Serial: tiles", "way at Vector: warps",
                           "way at Team and TeamVector: warps", "else shared"}) {
    EXPECT_NE(batch.find(part), std::string::npos) << part << " is not in\n" << batch;
  }
  const std::string interleaved = text_on_gpu<"bik,bkj->bij">(b, b, b);
  EXPECT_NE(interleaved.find("TeamVector: lanes"), std::string::npos) << interleaved;
  // One whose extents only the run time knows.
  const std::string dynamic = text_on_gpu<"ik,kj->ij">(matrix(6, 4), matrix(4, 10), matrix(6, 10));
  EXPECT_NE(dynamic.find("of more than 81 elements"), std::string::npos) << dynamic;
}

// Teams run padded Views by code of few registers.
TEST(Explain, PaddedViewsOfAGpu) {
  using Columns = Kokkos::View<double* [20], Kokkos::LayoutRight, Memory>;
  const Columns packed("packed", 20),
      padded(Kokkos::view_alloc("padded", Kokkos::AllowPadding), 20);
  ASSERT_EQ(packed.stride(0), 20);
  ASSERT_GT(padded.stride(0), 20);
  const std::string team = "way at Team and TeamVector: ";
  const std::string of_packed = text_on_gpu<"ik,kj->ij">(packed, packed, packed);
  EXPECT_NE(of_packed.find(team + "warps"), std::string::npos) << of_packed;
  const std::string of_padded = text_on_gpu<"ik,kj->ij">(padded, packed, packed);
  EXPECT_NE(of_padded.find(team + "shared (all workers share the tiles of C); modelled\n"),
            std::string::npos)
      << of_padded;
}

// The algorithms of `contract`, from the host.
TEST(Explain, ContractOnAGpu) {
  const std::string host = "contract from the host: ";
  using Batch = Kokkos::View<double***, Kokkos::LayoutRight, Memory, Unmanaged>;
  const Batch batch(static_cast<double*>(nullptr), 100, 8, 8);
  const std::string teams = text_on_gpu<"bik,bkj->bij">(batch, batch, batch);
  EXPECT_NE(teams.find(host + "teams"), std::string::npos) << teams;
  const Matrix large = matrix(256, 256);
  const std::string tiles = text_on_gpu<"ik,kj->ij">(large, large, large);
  EXPECT_NE(tiles.find(host + "tiles"), std::string::npos) << tiles;
  const std::string squares = text_on_gpu<"ij->ji">(large, large);
  EXPECT_NE(squares.find(host + "squares"), std::string::npos) << squares;
  for (const std::string& threads :
       {text_on_gpu<"ik,kj->ij">(matrix(6, 4), matrix(4, 10), matrix(6, 10)),
        text_on_gpu<"ij->ij">(large, large)}) {
    EXPECT_NE(threads.find(host + "threads"), std::string::npos) << threads;
  }
  EXPECT_EQ((text<"ij->ji">(large, large)).find(host), std::string::npos);
}

TEST(Explain, LinesOfAGpu) {
  const Kokkos::View<double[5][4], Kokkos::LayoutRight, Memory, Unmanaged> m(
      static_cast<double*>(nullptr));
  const Kokkos::View<double* [4][4][4], Kokkos::LayoutRight, Memory, Unmanaged> t(
      static_cast<double*>(nullptr), 7);
  const Kokkos::View<double* [5][4][4], Kokkos::LayoutRight, Memory, Unmanaged> u(
      static_cast<double*>(nullptr), 7);
  const Kokkos::View<double* [5][5][4], Kokkos::LayoutRight, Memory, Unmanaged> v(
      static_cast<double*>(nullptr), 7);
  const std::string one = text_on_gpu<"xa,eabc->exbc">(m, t, u);
  EXPECT_NE(one.find("TeamVector: lines"), std::string::npos) << one;
  const std::string two = text_on_gpu<"eabc,xa,yb->exyc">(t, m, m, v);
  EXPECT_NE(two.find("instead: lines"), std::string::npos) << two;
}

TEST(Explain, NamesTheLetterThatDisagrees) {
  try {
    text<"ik,kj->ij">(matrix(6, 4), matrix(7, 10), matrix(6, 10));
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    for (const char* part : {"k", "4", "7"}) {
      EXPECT_NE(what.find(part), std::string::npos) << what;
    }
  }
}

// --- Tiles --------------------------------------------------------------------------------------

using Host = Kokkos::DefaultHostExecutionSpace;
using HostMember = Kokkos::TeamPolicy<Host>::member_type;

template <class... Parts>
void expect_parts(const std::string& said, const Parts&... parts) {
  std::size_t at = 0;
  for (const std::string& part : {std::string(parts)...}) {
    const std::size_t found = said.find(part, at);
    EXPECT_NE(found, std::string::npos) << part << " is not where it should be in\n" << said;
    if (found != std::string::npos) at = found;
  }
}

TEST(Explain, TileOfAHost) {
  using Tile = TeamTile<double, "ij", Shape<64, 32>, HostMember>;
  std::ostringstream os;
  explain<Tile, "ik,kj->ij", "jm,mi->ij", "ik,kj->ij">(os, matrix(150, 41), matrix(41, 70),
                                                       matrix(70, 23), matrix(23, 150),
                                                       matrix(150, 3), matrix(3, 70));
  expect_parts(os.str(), "tile ij of 64 x 32 elements of 8 bytes", "product 1: ik,kj->ij",
               "i=64 j=32 k=41", "packed: 64 rows i, 32 columns j, 41 terms k\n",
               "product 2: jm,mi->ij", "23 terms m; with the product before it", "product 3",
               "3 terms k; with the product before it", "16448 bytes of level 0, 16384 of them",
               // 2 * 64 * 32 * (41 + 23 + 3) flops; 8 * 64 * 32 + 8 * (64 + 32) * 67 bytes
               "flops: 274432, bytes: 67840", "bound");
}

TEST(Explain, TileOfAThread) {
  using Tile = SerialTile<double, "ij", Shape<4, 4>, Host>;
  std::ostringstream os;
  explain<Tile, "ik,kj->ij">(os, matrix(6, 5), matrix(5, 7));
  expect_parts(os.str(), "4 x 4", "rows: i", "way: ", "192 bytes of level 0");
  std::ostringstream on_gpu;
  explain<Tile, "ik,kj->ij">(on_gpu, Gpu{}, matrix(6, 5), matrix(5, 7));
  expect_parts(on_gpu.str(), "way at Serial: tiles", "level 0");
  EXPECT_EQ(on_gpu.str().find("way at Team"), std::string::npos) << on_gpu.str();
}

TEST(Explain, TileOfAGpu) {
  using Tile = TeamTile<double, "ij", Shape<64, 64>, HostMember>;
  std::ostringstream os;
  explain<Tile, "ik,kj->ij", "jm,mi->ij">(os, Gpu{}, matrix(150, 41), matrix(41, 70),
                                          matrix(70, 23), matrix(23, 150));
  expect_parts(os.str(), "registers by 64 workers, 2 warp(s) of 32, in blocks of 16 x 8",
               "rows i 16, columns j 8; blocks of a warp i 4 x j 4, warps j 2", "product 1",
               "product 2", "rows are of the second input", "slices in flight: 4, of 8 terms",
               "bytes of level 0", "flops: 524288");
}

/// Products whose layouts differ, in another order than they were given in.
TEST(Explain, LayoutsOfAGpu) {
  using Tensor = Kokkos::View<double***, Kokkos::LayoutRight, Memory, Unmanaged>;
  using Tile = TeamTile<double, "cba", Shape<16, 16, 16>, HostMember>;
  const Tensor t(static_cast<double*>(nullptr), 16, 16, 16);
  std::ostringstream os;
  explain<Tile, "mcb,ma->cba", "mca,mb->cba", "mba,mc->cba">(os, Gpu{}, t, matrix(16, 16), t,
                                                             matrix(16, 16), t, matrix(16, 16));
  expect_parts(os.str(), "change place", "product 1 (string 3): mba,mc->cba", "change place",
               "product 2", "product 3");
}

TEST(Explain, TileNamesTheLetterThatDisagrees) {
  using Tile = TeamTile<double, "ij", Shape<64, 32>, HostMember>;
  std::ostringstream os;
  const auto with = [&](const Matrix& a, const Matrix& b, const Matrix& d, const Matrix& e) {
    explain<Tile, "ik,kj->ij", "jk,ki->ij">(os, a, b, d, e);
  };
  // Each string has a sum of its own, and the tile's letters are those of all.
  EXPECT_NO_THROW(with(matrix(4, 5), matrix(5, 6), matrix(6, 7), matrix(7, 4)));
  EXPECT_THROW(with(matrix(4, 5), matrix(4, 6), matrix(6, 7), matrix(7, 4)), std::invalid_argument);
  EXPECT_THROW(with(matrix(4, 5), matrix(5, 6), matrix(6, 7), matrix(7, 5)), std::invalid_argument);
}

}  // namespace
}  // namespace KokkosContract::Test
