// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of teams: matrices, types, what is done with elements, misuse.
#include <KokkosContract/Epilogue.hpp>
#include <algorithm>
#include <cstdint>
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
  for (const TeamRun& run : team_runs<Tile>()) {
    Kokkos::deep_copy(c, 0.);
    run_team<Tile>(bytes, run, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {16, 32}, {20, 40});
      EXPECT_EQ(t.load(2., a), 0);
      t.for_each(AddDifferenceOfIndices{});
      EXPECT_EQ(t.store(1., 1., atomic), 0);
      // Such a call ends a checked build.
      if (!Impl::checked_build) {
        EXPECT_EQ(t.store(1., 2., atomic), Impl::atomic_needs_beta_one);
      }
    });
    for (int i = 0; i < 20; ++i) {
      for (int j = 0; j < 40; ++j) {
        const double expected = i >= 16 && j >= 32 ? 2 * a(i, j) + i - j : 0;
        EXPECT_EQ(c(i, j), expected);
      }
    }
  }
}

using Matrix = Kokkos::View<double**, R, Kokkos::HostSpace>;

/// Inputs of const elements, in Views and in mdspans, give what others do.
TYPED_TEST(Tiles, ConstInputs) {
  using Tile = TeamTile<double, "ij", Shape<16, 32>, TypeParam>;
  using ConstMatrix = Kokkos::View<const double**, R, Kokkos::HostSpace>;
  const Matrix a("a", 16, 9), b("b", 9, 32), start("start", 16, 32);
  for (int j = 0; j < 32; ++j) {
    for (int k = 0; k < 9; ++k) b(k, j) = k + j % 5;
    for (int i = 0; i < 16; ++i) start(i, j) = i - j, a(i, j % 9) = i - 2. * (j % 9);
  }
  const auto multiply = [](const auto& a_, const auto& b_, const auto& start_) {
    const Matrix c("c", 16, 32);
    const auto bytes = Tile::template scratch_bytes<"ik,kj->ij">(a_, b_);
    run_team<Tile>(bytes, team_runs<Tile>()[0], [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {0, 0}, {16, 32});
      EXPECT_EQ(t.load(2., start_), 0);
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

/// Inputs in scratch memory, which asynchronous copies of a GPU cannot read: with terms that are
/// neighbours or rows that are, alone and beside an input in global memory, in one product and in
/// several ones.
TYPED_TEST(Tiles, ScratchInputs) {
  using Tile = TeamTile<double, "ij", Shape<16, 32>, TypeParam>;
  constexpr int rows = 16, terms = 11, cols = 32;
  const Matrix a("a", rows, terms), b("b", terms, cols), c("c", rows, cols);
  for (int k = 0; k < terms; ++k) {
    for (int i = 0; i < rows; ++i) a(i, k) = i - 2 * k;
    for (int j = 0; j < cols; ++j) b(k, j) = k + j % 5;
  }
  const std::size_t own = sizeof(double) * (rows * terms + terms * cols);
  const auto bytes =
      own + 64 +
      Tile::template scratch_bytes<"ik,kj->ij", "jk,ki->ij", "ik,kj->ij">(a, b, b, a, a, b);
  for (const TeamRun& run : team_runs<Tile>()) {
    Kokkos::deep_copy(c, 0.);
    run_team<Tile>(bytes, run, [&](const auto& member, const auto& scratch) {
      using View = Kokkos::View<double**, R, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
      using Columns = Kokkos::View<double**, L, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
      auto* const memory = reinterpret_cast<double*>(Impl::keep_scratch(scratch, own));
      const View x(memory, rows, terms);
      const View y(memory + rows * terms, terms, cols);
      const Columns x_turned(memory, terms, rows), y_turned(memory + rows * terms, cols, terms);
      if (member.team_rank() == 0) {
        for (std::size_t n = 0; n < a.size(); ++n) x.data()[n] = a.data()[n];
        for (std::size_t n = 0; n < b.size(); ++n) y.data()[n] = b.data()[n];
      }
      member.team_barrier();
      Tile t(member, scratch, {0, 0}, {rows, cols});
      EXPECT_EQ((t.template accumulate<"ik,kj->ij">(1., x, y)), 0);
      EXPECT_EQ((t.template accumulate<"ik,kj->ij">(2., a, y)), 0);
      EXPECT_EQ((t.template accumulate<"ik,kj->ij", "jk,ki->ij", "ik,kj->ij">(
                    4., x, b, 8., y_turned, x_turned, 16., a, b)),
                0);
      EXPECT_EQ(t.store(1., 0., c), 0);
    });
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) {
        double sum = 0;
        for (int k = 0; k < terms; ++k) sum += 31 * a(i, k) * b(k, j);
        EXPECT_EQ(c(i, j), sum) << i << ' ' << j;
      }
    }
  }
}

TYPED_TEST(Tiles, Misuse) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  using Tile = TeamTile<double, "ij", Shape<16, 32>, TypeParam>;
  const Matrix a("a", 20, 5), b("b", 5, 40), other("other", 6, 40);
  const auto bytes = Tile::template scratch_bytes<"ik,kj->ij">(a, b);
  for (const TeamRun& run : team_runs<Tile>()) {
    run_team<Tile>(bytes, run, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {0, 0}, {20, 40});
      EXPECT_EQ((t.template accumulate<"ik,kj->ij">(1., a, other)), Impl::extents_disagree);
    });
    run_team<Tile>(bytes, run, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {0, 0}, {21, 40});
      EXPECT_EQ((t.template accumulate<"ik,kj->ij">(1., a, b)), Impl::extents_disagree);
    });
    // A host has a little more scratch memory than it is asked for, and teams of any size.
    if constexpr (is_gpu_member<TypeParam>) {
      run_team<Tile>(256, run, [&](const auto& member, const auto& scratch) {
        Tile t(member, scratch, {0, 0}, {20, 40});
        EXPECT_EQ((t.template accumulate<"ik,kj->ij">(1., a, b)), Impl::scratch_too_small);
      });
      using Larger = TeamTile<double, "ij", Shape<128, 128>, TypeParam>;
      run_team<Tile>(bytes, run, [&](const auto& member, const auto& scratch) {
        Larger t(member, scratch, {0, 0}, {20, 40});
        EXPECT_EQ((t.template accumulate<"ik,kj->ij">(1., a, b)), Impl::tile_needs_workers);
        EXPECT_EQ(t.load(1., other), Impl::tile_needs_workers);
        EXPECT_EQ(t.store(1., 0., other), Impl::tile_needs_workers);
      });
    }
  }
}

/// A tile that begins in the middle of a tensor of 20 x 40, after `call`: 1 where it is.
template <class Tile, class Call>
void check_untouched(const Call& call) {
  const Matrix ones("ones", 20, 40), c("c", 20, 40);
  Kokkos::deep_copy(ones, 1.);
  const auto bytes = Tile::scratch_bytes(ones, ones);
  for (const TeamRun& run : team_runs<Tile>()) {
    Kokkos::deep_copy(c, 0.);
    run_team<Tile>(bytes, run, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {8, 8}, {20, 40});
      EXPECT_EQ(t.load(1., ones), 0);
      call(t);
      EXPECT_EQ(t.store(1., 0., c), 0);
    });
    for (int i = 0; i < 20; ++i) {
      for (int j = 0; j < 40; ++j) {
        ASSERT_EQ(c(i, j), i >= 8 && i < 24 && j >= 8 ? 1 : 0) << i << ' ' << j;
      }
    }
  }
}

/// Each dimension of each operand is compared before anything is added, read or written: of letters
/// that stand twice in an input, that are summed over in one input only, of all products of a call.
template <class Tile>
void check_extents() {
  const Matrix a("a", 20, 64), b("b", 64, 40), ones("ones", 20, 40);
  const Kokkos::View<double***, R, Kokkos::HostSpace> k_b("k_b", 64, 9, 40), b_k("b_k", 9, 64, 40),
      k_a("k_a", 3, 5, 20), i_k_i("i_k_i", 20, 64, 19);
  const Kokkos::View<double*, R, Kokkos::HostSpace> v("v", 40);
  const Matrix wide("wide", 20, 41), high("high", 21, 40);
  Kokkos::deep_copy(a, 1.);
  Kokkos::deep_copy(b, 1.);
  check_untouched<Tile>([&](Tile& t) {
    constexpr int wrong = Impl::extents_disagree;
    EXPECT_EQ((t.template accumulate<"ik,kkj->ij">(1., a, k_b)), wrong);
    EXPECT_EQ((t.template accumulate<"ik,kkj->ij">(1., a, b_k)), wrong);
    EXPECT_EQ((t.template accumulate<"kkj,ik->ij">(1., k_b, a)), wrong);
    EXPECT_EQ((t.template accumulate<"kki,j->ij">(1., k_a, v)), wrong);
    EXPECT_EQ((t.template accumulate<"j,kki->ij">(1., v, k_a)), wrong);
    EXPECT_EQ((t.template accumulate<"iki,kj->ij">(1., i_k_i, b)), wrong);
    // Behind a product that is right.
    EXPECT_EQ((t.template accumulate<"ik,kj->ij", "ik,kkj->ij">(1., a, b, 1., a, k_b)), wrong);
    EXPECT_EQ((t.template accumulate<"ik,kj->ij", "kki,j->ij", "ik,kj->ij">(1., a, b, 1., k_a, v,
                                                                            1., a, b)),
              wrong);
    EXPECT_EQ((t.template accumulate<"ik,kj->ij", "ik,kj->ij">(1., a, b, 1., a, ones)), wrong);
    // The other operand of load and store.
    for (const Matrix& c : {wide, high}) {
      EXPECT_EQ(t.load(2., c), wrong);
      EXPECT_EQ(t.load(0., c), wrong);
      EXPECT_EQ(t.store(1., 0., c), wrong);
    }
  });
  for (const Matrix& c : {wide, high}) {
    for (std::size_t n = 0; n < c.span(); ++n) ASSERT_EQ(c.data()[n], 0);
  }
}
TYPED_TEST(Tiles, Extents) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  check_extents<TeamTile<double, "ij", Shape<16, 32>, TypeParam>>();
  check_extents<SerialTile<double, "ij", Shape<16, 32>, TypeParam>>();
}

/// Adds 100 i + j.
struct AddIndices {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x, int i, int j) const {
    return x + T(100 * i + j);
  }
};
/// Stores elsewhere.
struct PutTransposed {
  Matrix to;
  KOKKOS_FUNCTION void operator()(double x, int i, int j) const { to(j, i) = x; }
};
struct Relu {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x > T(0) ? x : T(0);
  }
};

/// Epilogues of store get indices of the whole tensor, and only elements in bounds.
template <template <class> class TileOf>
void check_epilogue() {
  using Tile = TileOf<double>;
  using Line = Kokkos::View<double*, R, Kokkos::HostSpace>;
  const int rows = 20, cols = 40, first = 8, end = 24;
  const Matrix a("a", rows, cols), c("c", rows, cols), d("d", rows, cols), r("r", rows, cols),
      second("second", cols, rows), third("third", cols, rows);
  const Line b("b", cols), s("s", rows), most("most", rows);
  const Kokkos::View<std::int8_t**, R, Kokkos::HostSpace> bytes_of("bytes_of", rows, cols);
  for (int i = 0; i < rows; ++i) {
    s(i) = i % 3 - 1;
    for (int j = 0; j < cols; ++j) {
      a(i, j) = (7 * i + 3 * j) % 11 - 5, r(i, j) = (5 * i + j) % 7 - 3, b(j) = j % 5 - 2;
    }
  }
  for (const TeamRun& run : team_runs<Tile>()) {
    for (const Matrix& x : {c, d, second, third}) Kokkos::deep_copy(x, 3.);
    Kokkos::deep_copy(most, -1000.);
    Kokkos::deep_copy(bytes_of, std::int8_t{3});
    run_team<Tile>(Tile::scratch_bytes(a, a), run, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {first, first}, {rows, cols});
      EXPECT_EQ(t.load(2., a), 0);
      EXPECT_EQ(t.store(1., -1., c,
                        bias<"j">(b) | scale<"i">(s) | residual(r) | row_max<"i">(most) |
                            also_in<"ji">(second) | activation(Relu{})),
                0);
      EXPECT_EQ(t.store(-1., 0., d, AddIndices{}), 0);
      EXPECT_EQ(t.store(1., 1., d, PutTransposed{third}), 0);
      EXPECT_EQ(t.store(30., 0., bytes_of, saturate<std::int8_t>()), 0);
    });
    for (int i = 0; i < rows; ++i) {
      double largest = -1000;
      for (int j = 0; j < cols; ++j) {
        const bool is_there = i >= first && i < end && j >= first && j < end + 16;
        const double value = (2 * a(i, j) - 3 + b(j)) * s(i) + r(i, j);
        EXPECT_EQ(c(i, j), is_there ? std::max(value, 0.) : 3) << i << ' ' << j;
        EXPECT_EQ(second(j, i), is_there ? value : 3) << i << ' ' << j;
        const double sum = -2 * a(i, j) + 100 * i + j;
        EXPECT_EQ(d(i, j), is_there ? sum : 3) << i << ' ' << j;
        EXPECT_EQ(third(j, i), is_there ? 2 * a(i, j) + sum : 3) << i << ' ' << j;
        EXPECT_EQ(bytes_of(i, j), is_there ? std::clamp(60 * a(i, j), -128., 127.) : 3)
            << i << ' ' << j;
        if (is_there) largest = std::max(largest, value);
      }
      EXPECT_EQ(most(i), largest) << i;
    }
  }
}
template <class Member>
struct EpilogueTiles {
  template <class T>
  using Team = TeamTile<T, "ij", Shape<16, 32>, Member>;
  template <class T>
  using Serial = SerialTile<T, "ij", Shape<16, 32>, Member>;
};
TYPED_TEST(Tiles, Epilogue) {
  check_epilogue<EpilogueTiles<TypeParam>::template Team>();
  check_epilogue<EpilogueTiles<TypeParam>::template Serial>();
}

/// Letters that stand twice in an input are its diagonals.
TYPED_TEST(Tiles, Diagonals) {
  using Tile = TeamTile<double, "ij", Shape<16, 32>, TypeParam>;
  const Extents e{{'i', 20}, {'j', 34}, {'k', 11}, {'l', 5}};
  check_tile<Tile>(e, AddedProduct<double, "ik,kkj->ij", R, R>(2, e),
                   AddedProduct<double, "lli,j->ij", R, L>(-1, e),
                   AddedProduct<double, "iki,kj->ij", L, R>(3, e));
}

/// A factor of 0 is an exact zero: what it multiplies is not read. Sums are as wide as the wider of
/// the tile's and the operand's elements.
template <template <class> class TileOf>
void check_factors() {
  using Tile = TileOf<double>;
  using Single = TileOf<float>;
  const Matrix nan("nan", 20, 40), ones("ones", 20, 40), c("c", 20, 40), d("d", 20, 40),
      wide("wide", 20, 40), a("a", 20, 9), b("b", 9, 40);
  const Kokkos::View<float**, R, Kokkos::HostSpace> single("single", 20, 40);
  const Kokkos::View<double**, R, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Atomic>> atomic =
      d;
  const double third = 1. / 3;
  Kokkos::deep_copy(ones, 1.);
  Kokkos::deep_copy(single, 1.F);
  Kokkos::deep_copy(nan, std::numeric_limits<double>::quiet_NaN());
  Kokkos::deep_copy(a, std::numeric_limits<double>::quiet_NaN());
  Kokkos::deep_copy(b, std::numeric_limits<double>::infinity());
  const auto bytes = Tile::scratch_bytes(a, b, a, b);
  const auto all_are = [third](const Matrix& x, double value) {
    bool all = true;
    for (int i = 0; i < 20; ++i) {
      for (int j = 0; j < 40; ++j) all = all && x(i, j) == (i < 16 && j < 32 ? value : third);
    }
    return all;
  };
  for (const TeamRun& run : team_runs<Tile>()) {
    for (const Matrix& x : {c, d, wide}) Kokkos::deep_copy(x, third);
    run_team<Tile>(bytes, run, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {0, 0}, {20, 40});
      EXPECT_EQ(t.load(0., nan), 0);
      EXPECT_EQ((t.template accumulate<"ik,kj->ij">(0., a, b)), 0);
      EXPECT_EQ((t.template accumulate<"ik,kj->ij", "ik,kj->ij">(0., a, b, 0., a, b)), 0);
      EXPECT_EQ(t.store(1., 0., c), 0);
      EXPECT_EQ(t.load(1., nan), 0);
      EXPECT_EQ(t.store(0., 2., d), 0);
      EXPECT_EQ(t.store(0., 1., atomic), 0);
    });
    EXPECT_TRUE(all_are(c, 0));
    EXPECT_TRUE(all_are(d, 2 * third));
    run_team<Single>(bytes, run, [&](const auto& member, const auto& scratch) {
      Single t(member, scratch, {0, 0}, {20, 40});
      EXPECT_EQ(t.load(third, single), 0);
      EXPECT_EQ(t.store(third, 3., wide), 0);
    });
    EXPECT_TRUE(all_are(wide, 3 * third + third * static_cast<float>(third)));
    run_team<Tile>(bytes, run, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {0, 0}, {20, 40});
      EXPECT_EQ(t.load(1., nan), 0);
      EXPECT_EQ(t.store(0., 0., c), 0);
    });
    EXPECT_TRUE(all_are(c, 0));
  }
}
template <class Member>
struct FactorTiles {
  template <class T>
  using Team = TeamTile<T, "ij", Shape<16, 32>, Member>;
  template <class T>
  using Serial = SerialTile<T, "ij", Shape<16, 32>, Member>;
};
TYPED_TEST(Tiles, Factors) {
  check_factors<FactorTiles<TypeParam>::template Team>();
  check_factors<FactorTiles<TypeParam>::template Serial>();
}

/// A real factor keeps an infinite element of a complex tile.
TYPED_TEST(Tiles, RealFactors) {
  using Z = Kokkos::complex<double>;
  using Tile = TeamTile<Z, "i", Shape<64>, TypeParam>;
  const double infinity = std::numeric_limits<double>::infinity();
  const Kokkos::View<Z*, Kokkos::HostSpace> c("c", 4);
  const auto bytes = Tile::template scratch_bytes<"i,->i">(c, Kokkos::View<Z, Kokkos::HostSpace>());
  for (const TeamRun& run : team_runs<Tile>()) {
    Kokkos::deep_copy(c, Z(infinity, 1));
    run_team<Tile>(bytes, run, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {0}, {4});
      EXPECT_EQ(t.load(2., c), 0);
      EXPECT_EQ(t.store(0.5, 1., c), 0);
    });
    for (int i = 0; i < 4; ++i) EXPECT_EQ(c(i), Z(infinity, 2));
  }
}

}  // namespace
}  // namespace KokkosContract::Test
