// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a tile's products, each alone: loaders, computed slices, pipelines, products.
#include <KokkosContract/TileParts.hpp>
#include <limits>

#include "Levels.hpp"
#include "Tiles.hpp"

namespace KokkosContract::Test {
namespace {

using L = Kokkos::LayoutLeft;
using R = Kokkos::LayoutRight;
using S = Kokkos::LayoutStride;
template <class Layout, class T = double>
using Matrix = Kokkos::View<T**, Layout, Kokkos::HostSpace>;

template <class M>
class Parts : public testing::Test {};
TYPED_TEST_SUITE(Parts, TileMembers);

template <class Slices, class Tile>
std::size_t bytes_with() {
  constexpr bool is_in_memory = Impl::tile_traits_t<Tile>::keeps_scratch;
  return Slices::scratch_bytes() +
         (is_in_memory ? sizeof(typename TraitsOf<Tile>::Element) * TraitsOf<Tile>::tile.size() + 64
                       : 0);
}

/// f(tile, slices) for a tile of 32 x 64 elements of a tensor of n x m.
template <class Slices, class Tile, class F>
void run_slices(int n, int m, const typename Tile::Index& origin, const typename Slices::Sums& sums,
                const F& f) {
  for (const TeamRun& run : team_runs<Tile>()) {
    run_team<Tile>(bytes_with<Slices, Tile>(), run, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, origin, {n, m});
      Slices slices(t, scratch, sums);
      f(t, slices, member);
    });
  }
}

template <class View>
void number(const View& view) {
  for (std::size_t i = 0; i < view.extent(0); ++i) {
    for (std::size_t j = 0; j < view.extent(1); ++j) {
      view(i, j) = typename View::non_const_value_type(static_cast<int>(1000 * i + j + 1));
    }
  }
}

/// What a loader copies of an input, for which `a` stands in the type of the slices: all of it, at
/// its place.
template <class Member, Spec String, int Input, class TypeOf, class A>
void check_loader(const A& a, const Kokkos::Array<int, 2>& origin) {
  using T = typename A::non_const_value_type;
  using Tile = TeamTile<T, "ij", Shape<32, 64>, Member>;
  using Slices = std::conditional_t<Input == 0, TileSlices<Tile, String, TypeOf, Computed>,
                                    TileSlices<Tile, String, Computed, TypeOf>>;
  constexpr Impl::Labels labels = Impl::Parse<String>::value.input[Input];
  constexpr int of_tile = labels.letter[0] == 'k' ? 1 : 0;
  const int terms = a.extent_int(1 - of_tile);
  const int there = a.extent_int(of_tile);
  const int letter = labels.letter[of_tile] == 'i' ? 0 : 1;
  typename Tile::Index whole{50, 70};
  whole[letter] = there;
  Matrix<R, int> seen("seen", a.extent(0), a.extent(1));
  run_slices<Slices, Tile>(
      whole[0], whole[1], origin, {terms}, [&](Tile&, Slices& slices, const auto&) {
        auto loader = slices.template loader<Input>(a);
        EXPECT_EQ(slices.info(), 0);
        EXPECT_EQ(slices.steps(), (terms + Slices::depth - 1) / Slices::depth);
        EXPECT_EQ(slices.run([&](int step) { loader.start(step); },
                             [&](int step) {
                               slices.template for_each<Input>(step, [&](T& value, int x, int y) {
                                 EXPECT_EQ(value, a(x, y));
                                 ++seen(x, y);
                               });
                             }),
                  0);
      });
  const auto runs = static_cast<int>(team_runs<Tile>().size());
  for (int x = 0; x < a.extent_int(0); ++x) {
    for (int y = 0; y < a.extent_int(1); ++y) {
      const int at = (of_tile == 0 ? x : y) - origin[letter];
      ASSERT_EQ(seen(x, y), at >= 0 && at < (letter == 0 ? 32 : 64) ? runs : 0);
    }
  }
}

/// Whole and ragged, aligned and not, by terms and by positions, of either input; the type of the
/// slices may know less, or other strides, than what is copied.
TYPED_TEST(Parts, Loader) {
  for (const int n : {64, 50, 33}) {
    for (const int k : {16, 19, 1}) {
      const Matrix<R> right("right", n, k);
      const Matrix<L> left("left", n, k);
      number(right);
      number(left);
      const Kokkos::Array<int, 2> origin{32, 0};
      check_loader<TypeParam, "ik,kj->ij", 0, Matrix<R>>(right, origin);
      check_loader<TypeParam, "ik,kj->ij", 0, Matrix<L>>(left, origin);
      check_loader<TypeParam, "ik,kj->ij", 0, Matrix<L>>(right, origin);
      check_loader<TypeParam, "ik,kj->ij", 0, Matrix<R>>(left, origin);
      check_loader<TypeParam, "kj,ik->ij", 1, Matrix<S>>(right, origin);
    }
  }
  const Matrix<R> b("b", 21, 70);
  number(b);
  check_loader<TypeParam, "ik,kj->ij", 1, Matrix<R>>(b, {0, 0});
  check_loader<TypeParam, "ik,kj->ij", 1, Matrix<S>>(b, {0, 64});
  // Of larger arrays: at odd addresses, with odd strides, with no stride that is 1.
  const Matrix<R> large("large", 100, 41);
  number(large);
  const auto odd = Kokkos::subview(large, Kokkos::make_pair(3, 63), Kokkos::make_pair(1, 20));
  check_loader<TypeParam, "ik,kj->ij", 0, Matrix<R>>(odd, {32, 0});
  const S sparse(50, 82, 20, 2);
  const Kokkos::View<double**, S, Kokkos::HostSpace> apart(large.data() + 1, sparse);
  check_loader<TypeParam, "ik,kj->ij", 0, Matrix<S>>(apart, {32, 0});
  check_loader<TypeParam, "ik,kj->ij", 0, Matrix<R>>(apart, {0, 0});
  const Matrix<R, float> floats("floats", 45, 13);
  number(floats);
  check_loader<TypeParam, "ik,kj->ij", 0, Matrix<R, float>>(floats, {0, 0});
  using Z = Kokkos::complex<double>;
  const Matrix<L, Z> complex("complex", 45, 13);
  number(complex);
  check_loader<TypeParam, "ik,kj->ij", 0, Matrix<L, Z>>(complex, {32, 0});
}

/// C = the product of both inputs by loaders, step by step in any order; beyond the last step
/// nothing happens.
template <class Member, int Stages>
void check_pipeline() {
  using Tile = TeamTile<double, "ij", Shape<32, 64>, Member>;
  const Extents e{{'i', 40}, {'j', 70}, {'k', 75}};
  const AddedProduct<double, "ik,kj->ij", R, R> product(-3, e);
  LetteredArray<double, Impl::Parse<"ik,kj->ij">::value.output, R> expected(e), c(e);
  Kokkos::deep_copy(expected.view, 0.);
  product.add_to(expected, e);
  using Slices = TileSlices<Tile, "ik,kj->ij", Matrix<R>, Matrix<R>, Stages>;
  for (const bool by_hand : {false, true}) {
    for (const auto& origin : {Kokkos::Array<int, 2>{0, 0}, Kokkos::Array<int, 2>{32, 0},
                               Kokkos::Array<int, 2>{0, 64}, Kokkos::Array<int, 2>{32, 64}}) {
      run_slices<Slices, Tile>(
          40, 70, origin, {75}, [&](Tile& t, Slices& slices, const auto& member) {
            auto a = slices.template loader<0>(product.a.view);
            auto b = slices.template loader<1>(product.b.view);
            if (!by_hand) {
              EXPECT_EQ(slices.run(
                            [&](int step) {
                              a.start(step);
                              b.start(step);
                            },
                            [&](int step) { slices.multiply(product.alpha, step); }),
                        0);
            } else {
              // From the last step to the first one, without overlap.
              for (int step = slices.steps(); step >= 0; --step) {
                a.start(step);
                b.start(step);
                slices.end_group();
                slices.finish();
                if (step < slices.steps()) slices.multiply(product.alpha, step);
                member.team_barrier();
              }
            }
            EXPECT_EQ(t.store(1., 0., c.view), 0);
          });
    }
    for_all("ij", e, [&](const Extents& index) { ASSERT_EQ(c.at(index), expected.at(index)); });
    Kokkos::deep_copy(c.view, 0.);
  }
}
TYPED_TEST(Parts, Pipeline) {
  check_pipeline<TypeParam, 2>();
  check_pipeline<TypeParam, 3>();
  check_pipeline<TypeParam, 4>();
}

/// Checks the product alone, of computed slices or of copies of one input.
template <class Tile, bool LoadsFirst, bool LoadsSecond, class P>
void check_product(const Extents& e, const P& product) {
  using Traits = TraitsOf<Tile>;
  using T = typename Traits::Element;
  using A = std::conditional_t<LoadsFirst, decltype(product.a.view), Computed>;
  using B = std::conditional_t<LoadsSecond, decltype(product.b.view), Computed>;
  using Slices = TileSlices<Tile, P::spec, A, B>;
  LetteredArray<T, Traits::letters, R> expected(e);
  constexpr Impl::SumLetters sums = Impl::sums_in_string(P::parsed);
  typename Slices::Sums terms{};
  for (int k = 0; k < sums.count; ++k) terms[k] = e.at(sums.letter[k]);
  typename Tile::Index whole{};
  Extents tiles;
  for (int l = 0; l < Traits::letters.rank; ++l) {
    const char c = Traits::letters.letter[l];
    whole[l] = e.at(c);
    tiles[c] = (whole[l] + Traits::tile.extent[l] - 1) / Traits::tile.extent[l];
  }
  for (const TeamRun& run : team_runs<Tile>()) {
    LetteredArray<T, Traits::letters, R> c(e);
    Kokkos::deep_copy(expected.view, c.view);
    product.add_to(expected, e);
    for_all(c.letters, tiles, [&](const Extents& tile) {
      typename Tile::Index origin{};
      for (int l = 0; l < Traits::letters.rank; ++l) {
        origin[l] = tile.at(Traits::letters.letter[l]) * Traits::tile.extent[l];
      }
      run_team<Tile>(bytes_with<Slices, Tile>(), run, [&](const auto& member, const auto& scratch) {
        Tile t(member, scratch, origin, whole);
        Slices slices(t, scratch, terms);
        const auto multiply = [&](int step) { slices.multiply(product.alpha, step); };
        const auto fill = [&]<int Input>(std::integral_constant<int, Input>, const auto& from,
                                         int step) {
          slices.template fill<Input>(step, [&](auto... index) { return from.view(index...); });
        };
        constexpr std::integral_constant<int, 0> first;
        constexpr std::integral_constant<int, 1> second;
        int code = -1;
        if constexpr (LoadsFirst) {
          auto a = slices.template loader<0>(product.a.view);
          code = slices.run(
              [&](int step) {
                a.start(step);
                fill(second, product.b, step);
              },
              multiply);
        } else if constexpr (LoadsSecond) {
          auto b = slices.template loader<1>(product.b.view);
          code = slices.run(
              [&](int step) {
                b.start(step);
                fill(first, product.a, step);
              },
              multiply);
        } else {
          code = slices.run(
              [&](int step) {
                fill(first, product.a, step);
                fill(second, product.b, step);
              },
              multiply);
        }
        EXPECT_EQ(code, 0);
        EXPECT_EQ(t.store(T(1), T(1), c.view), 0);
      });
    });
    for_all(c.letters, e,
            [&](const Extents& index) { ASSERT_EQ(c.at(index), expected.at(index)); });
  }
}

TYPED_TEST(Parts, Types) {
  const Extents e{{'i', 20}, {'j', 34}, {'k', 37}};
  check_product<TeamTile<double, "ij", Shape<16, 32>, TypeParam>, false, false>(
      e, AddedProduct<double, "ik,kj->ij", R, R>(2, e));
  check_product<TeamTile<float, "ij", Shape<16, 32>, TypeParam>, true, false>(
      e, AddedProduct<float, "ki,kj->ij", R, L>(-1, e));
  using Z = Kokkos::complex<double>;
  using Tile = TeamTile<Z, "ij", Shape<16, 16>, TypeParam>;
  check_product<Tile, true, false>(e, AddedProduct<Z, "ik*,kj->ij", R, L>(Z(1, 2), e));
  check_product<Tile, false, true>(e, AddedProduct<Z, "kj,ik*->ij", R, R>(Z(0, -1), e));
  using C = Kokkos::complex<float>;
  check_product<TeamTile<C, "ij", Shape<16, 16>, TypeParam>, false, false>(
      e, AddedProduct<C, "ik,kj*->ij", R, R>(C(2, 1), e));
}

/// Several letters of the sum, of the tile, and of both; of extents 1 and 0; none at all.
TYPED_TEST(Parts, Letters) {
  using Tile = TeamTile<double, "aij", Shape<2, 16, 32>, TypeParam>;
  for (const Extents& e : {Extents{{'a', 3}, {'i', 17}, {'j', 33}, {'k', 5}, {'l', 9}, {'m', 2}},
                           Extents{{'a', 2}, {'i', 16}, {'j', 32}, {'k', 3}, {'l', 1}, {'m', 2}},
                           Extents{{'a', 1}, {'i', 4}, {'j', 5}, {'k', 1}, {'l', 1}, {'m', 1}},
                           Extents{{'a', 1}, {'i', 4}, {'j', 5}, {'k', 0}, {'l', 3}, {'m', 2}}}) {
    check_product<Tile, true, false>(e, AddedProduct<double, "aikl,klj->aij", R, R>(2, e));
    check_product<Tile, true, false>(e, AddedProduct<double, "mlik,kajlm->aij", L, R>(1, e));
    check_product<Tile, false, true>(e, AddedProduct<double, "lja,ial->aij", R, R>(-1, e));
    check_product<Tile, false, false>(e, AddedProduct<double, "kil,jakl->aij", R, R>(3, e));
    check_product<Tile, false, true>(e, AddedProduct<double, "ai,j->aij", R, R>(1, e));
  }
}

struct Scale {
  double by;
  KOKKOS_FUNCTION void operator()(double& value, int, int k) const { value *= by + k; }
};

/// What a kernel does between the copy and the product, and a product of the tile itself besides.
TYPED_TEST(Parts, BetweenCopyAndProduct) {
  using Tile = TeamTile<double, "ij", Shape<32, 32>, TypeParam>;
  using Slices = TileSlices<Tile, "ik,kj->ij", Matrix<R>, Matrix<R>>;
  const Matrix<R> a("a", 30, 21), b("b", 21, 32), c("c", 30, 32), scaled("scaled", 30, 21);
  for (std::size_t i = 0; i < a.span(); ++i) a.data()[i] = small_integer<double>(i);
  for (std::size_t i = 0; i < b.span(); ++i) b.data()[i] = small_integer<double>(3 * i);
  const std::size_t bytes =
      bytes_with<Slices, Tile>() + Tile::template scratch_bytes<"ik,kj->ij">(a, b);
  for (const TeamRun& run : team_runs<Tile>()) {
    run_team<Tile>(bytes, run, [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {0, 0}, {30, 32});
      Slices slices(t, scratch, {21});
      auto load_a = slices.template loader<0>(a);
      auto load_b = slices.template loader<1>(b);
      EXPECT_EQ(slices.run(
                    [&](int step) {
                      load_a.start(step);
                      load_b.start(step);
                    },
                    [&](int step) {
                      slices.template for_each<0>(step, Scale{2});
                      member.team_barrier();
                      slices.multiply(1., step);
                    }),
                0);
      EXPECT_EQ((t.template accumulate<"ik,kj->ij">(10., a, b)), 0);
      EXPECT_EQ(t.store(1., 0., c), 0);
    });
    for (int i = 0; i < 30; ++i) {
      for (int j = 0; j < 32; ++j) {
        double sum = 0;
        for (int k = 0; k < 21; ++k) sum += a(i, k) * (12 + k) * b(k, j);
        ASSERT_EQ(c(i, j), sum);
      }
    }
  }
}

/// A factor of 0 is an exact zero, whatever the slices have. Each dimension of a loader's input is
/// compared.
TYPED_TEST(Parts, FactorsAndDiagonals) {
  using Tile = TeamTile<double, "ij", Shape<32, 64>, TypeParam>;
  using Slices =
      TileSlices<Tile, "iki,kj->ij", Kokkos::View<double***, R, Kokkos::HostSpace>, Matrix<R>>;
  const Kokkos::View<double***, R, Kokkos::HostSpace> a("a", 50, 19, 50),
      other("other", 50, 19, 49);
  const Matrix<R> b("b", 19, 70);
  Kokkos::deep_copy(a, std::numeric_limits<double>::quiet_NaN());
  Kokkos::deep_copy(b, std::numeric_limits<double>::infinity());
  run_slices<Slices, Tile>(50, 70, {0, 0}, {19}, [&](Tile& t, Slices& slices, const auto&) {
    {
      auto first = slices.template loader<0>(a);
      auto second = slices.template loader<1>(b);
      const auto start = [&](int step) {
        first.start(step);
        second.start(step);
      };
      EXPECT_EQ(slices.run(start, [&](int step) { slices.multiply(0., step); }), 0);
    }
    double sum = -1;
    t.reduce(AddValue{}, sum);
    EXPECT_EQ(sum, 0);
    if (Impl::checked_build) return;  // such a call ends a checked build
    [[maybe_unused]] const auto wrong = slices.template loader<0>(other);
    EXPECT_EQ(slices.info(), Impl::extents_disagree);
  });
}

TYPED_TEST(Parts, Misuse) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  using Tile = TeamTile<double, "ij", Shape<32, 64>, TypeParam>;
  using Slices = TileSlices<Tile, "ik,kj->ij", Matrix<R>, Matrix<R>>;
  const Matrix<R> a("a", 50, 19), b("b", 19, 70), other("other", 50, 20);
  const auto never = [](int) { FAIL(); };
  run_slices<Slices, Tile>(50, 70, {0, 0}, {19}, [&](Tile&, Slices& slices, const auto&) {
    auto first = slices.template loader<0>(other);
    auto second = slices.template loader<1>(b);
    EXPECT_EQ(slices.info(), Impl::extents_disagree);
    EXPECT_EQ(slices.steps(), 0);
    first.start(0);
    second.start(0);
    slices.multiply(1., 0);
    EXPECT_EQ(slices.run(never, never), Impl::extents_disagree);
  });
  // A tile that is outside.
  run_slices<Slices, Tile>(50, 70, {64, 0}, {19}, [&](Tile&, Slices& slices, const auto&) {
    auto first = slices.template loader<0>(a);
    first.start(0);
    slices.end_group();
    EXPECT_EQ(slices.run(never, never), 0);
  });
  // A host has a little more scratch memory than it is asked for, and teams of any size.
  if constexpr (is_gpu_member<TypeParam>) {
    run_team<Tile>(256, team_runs<Tile>()[0], [&](const auto& member, const auto& scratch) {
      Tile t(member, scratch, {0, 0}, {50, 70});
      Slices slices(t, scratch, {19});
      auto first = slices.template loader<0>(a);
      first.start(0);
      EXPECT_EQ(slices.info(), Impl::scratch_too_small);
      EXPECT_EQ(slices.run(never, never), Impl::scratch_too_small);
    });
    using Larger = TeamTile<double, "ij", Shape<128, 128>, TypeParam>;
    using Others = TileSlices<Larger, "ik,kj->ij", Matrix<R>, Matrix<R>>;
    run_team<Tile>(1 << 17, team_runs<Tile>()[0], [&](const auto& member, const auto& scratch) {
      Larger t(member, scratch, {0, 0}, {50, 70});
      Others slices(t, scratch, {19});
      EXPECT_EQ(slices.info(), Impl::tile_needs_workers);
    });
  }
}

TYPED_TEST(Parts, OfLanes) {
  const Extents e{{'i', 20}, {'j', 40}, {'k', 19}};
  if constexpr (is_gpu_member<TypeParam>) {
    check_product<TeamVectorTile<double, "ij", Shape<32, 32>, TypeParam>, true, false>(
        e, AddedProduct<double, "ik,kj->ij", R, R>(2, e));
  }
  using Space = typename TypeParam::execution_space;
  check_product<SerialTile<double, "ij", Shape<4, 8>, Space>, true, false>(
      e, AddedProduct<double, "ik,kj->ij", R, R>(2, e));
}

#if defined(KOKKOSCONTRACT_TEST_EMULATED)
/// Terms that are not there are zero, whatever has been in the memory.
template <class Member, class A, class B>
void check_over_nan(int terms) {
  using Tile = TeamTile<double, "ij", Shape<32, 64>, Member>;
  const Extents e{{'i', 21}, {'j', 43}, {'k', terms}};
  const AddedProduct<double, "ik,kj->ij", typename A::array_layout, typename B::array_layout>
      product(1, e);
  LetteredArray<double, Impl::Parse<"ik,kj->ij">::value.output, R> expected(e), c(e);
  Kokkos::deep_copy(expected.view, 0.);
  product.add_to(expected, e);
  const auto multiply = [&]<class Slices>(const Member& member, Slices*) {
    const auto nan = [](int, int) { return std::numeric_limits<double>::quiet_NaN(); };
    constexpr int whole = 3 * Slices::depth;
    Tile before(member, member.team_scratch(0), {0, 0}, {32, 64});
    Slices former(before, member.team_scratch(0), {whole});
    for (int step = 0; step < former.steps(); ++step) {
      former.template fill<0>(step, nan);
      former.template fill<1>(step, nan);
    }
    // In the same memory.
    Tile t(member, member.team_scratch(0), {0, 0}, {21, 43});
    Slices slices(t, member.team_scratch(0), {terms});
    auto a = slices.template loader<0>(product.a.view);
    auto b = slices.template loader<1>(product.b.view);
    EXPECT_EQ(slices.run(
                  [&](int step) {
                    a.start(step);
                    b.start(step);
                  },
                  [&](int step) { slices.multiply(1., step); }),
              0);
    EXPECT_EQ(t.store(1., 0., c.view), 0);
  };
  using Slices = TileSlices<Tile, "ik,kj->ij", A, B>;
  constexpr int warp_size = Member::execution_space::warp_size;
  for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
    EmulatedBlock block(Tile::workers(), 1, Slices::scratch_bytes(), order, warp_size);
    const std::string fault =
        block.run([&] { multiply(Member(block, 0, 1), static_cast<Slices*>(nullptr)); });
    EXPECT_EQ(fault, "");
    for_all("ij", e, [&](const Extents& index) { ASSERT_EQ(c.at(index), expected.at(index)); });
  }
}
TYPED_TEST(Parts, MissingTermsAreZero) {
  for (const int terms : {24, 18, 19, 1}) {
    check_over_nan<TypeParam, Matrix<R>, Matrix<R>>(terms);
    check_over_nan<TypeParam, Matrix<L>, Matrix<L>>(terms);
    check_over_nan<TypeParam, Matrix<L>, Matrix<R>>(terms);
  }
}

/// Whether the tile is right, if workers wait like that between copies and product: emulated copies
/// arrive as late as they may.
template <class Member, class Wait>
bool is_right(const Wait& wait) {
  using Tile = TeamTile<double, "ij", Shape<32, 64>, Member>;
  using Slices = TileSlices<Tile, "ik,kj->ij", Matrix<R>, Computed>;
  constexpr int warp_size = Member::execution_space::warp_size;
  const Matrix<R> a("a", 32, Slices::depth), c("c", 32, 64);
  Kokkos::deep_copy(a, 1.);
  EmulatedBlock block(Tile::workers(), 1, Slices::scratch_bytes(), LaneOrder::forward, warp_size);
  const std::string fault = block.run([&] {
    const Member member(block, 0, 1);
    const auto scratch = member.team_scratch(0);
    Tile t(member, scratch, {0, 0}, {32, 64});
    Slices slices(t, scratch, {Slices::depth});
    auto loader = slices.template loader<0>(a);
    loader.start(0);
    slices.template fill<1>(0, [](int, int) { return 1; });
    slices.end_group();
    wait(slices, member);
    slices.multiply(1., 0);
    slices.finish();
    EXPECT_EQ(t.store(1., 0., c), 0);
  });
  EXPECT_EQ(fault, "");
  bool all = true;
  for (std::size_t i = 0; i < c.span(); ++i) all = all && c.data()[i] == Slices::depth;
  return all;
}
TYPED_TEST(Parts, NobodyWaits) {
  const auto waits = [](const auto& slices, const auto&) { slices.finish(); };
  EXPECT_TRUE(is_right<TypeParam>(waits));
  // The thread sanitizer would report what is meant to be wrong here.
#ifndef KOKKOSCONTRACT_TEST_TSAN
  const auto does_not = [](const auto&, const auto&) {};
  EXPECT_FALSE(is_right<TypeParam>(does_not));
  const auto only_for_others = [](const auto&, const auto& member) { member.team_barrier(); };
  EXPECT_FALSE(is_right<TypeParam>(only_for_others));
#endif
}
#endif

}  // namespace
}  // namespace KokkosContract::Test
