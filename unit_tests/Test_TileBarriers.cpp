// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a host's team does with a tile, one operation behind the other, in each order: whichever
// worker runs ahead, the elements are those of one worker alone.
#include <KokkosContract/TileParts.hpp>
#include <cstring>

#include "Tiles.hpp"

namespace KokkosContract::Test {
namespace {

using R = Kokkos::LayoutRight;
using Tensor = Kokkos::View<double***, R, Kokkos::HostSpace>;
using Matrix = Kokkos::View<double**, R, Kokkos::HostSpace>;
using Tile = TeamTile<double, "aij", Shape<2, 16, 32>, ThreadMember>;
using Slices = TileSlices<Tile, "aik,kj->aij", Tensor, Matrix, 2>;

/// What is done with a tile; several products are packed together, few terms are not packed.
enum class Step { nothing, load, product, few_terms, products, slices, for_each, reduce, store };
constexpr int steps = 9;
const char* const names[] = {"nothing", "load",     "product", "few_terms", "products",
                             "slices",  "for_each", "reduce",  "store"};

struct AddIndices {
  KOKKOS_FUNCTION void operator()(double& x, int a, int i, int j) const { x += a + 2 * i - j; }
};
struct AddValueTimesIndex {
  KOKKOS_FUNCTION void operator()(double x, int, int i, int j, double& sum) const {
    sum += x * (i - j);
  }
};

/// Two operations on one tile, or on one tile each in the same memory; then the tile is stored.
struct Steps {
  Step first, second;
  bool two_tiles;
  Tensor c, a, few;
  Matrix b, few_b;
  Kokkos::View<double*, Kokkos::HostSpace> sums;
  std::vector<char>* memory;

  template <class Scratch>
  int perform(Step step, Tile& t, const Scratch& scratch, const ThreadMember& member,
              int turn) const {
    switch (step) {
      case Step::load:
        return t.load(2., c);
      case Step::product:
        return t.accumulate<"aik,kj->aij">(1., a, b);
      case Step::few_terms:
        return t.accumulate<"aik,kj->aij">(-1., few, few_b);
      case Step::products:
        return t.accumulate<"aik,kj->aij", "aik,kj->aij", "aik,kj->aij">(1., a, b, 1., few, few_b,
                                                                         2., a, b);
      case Step::slices:
        return add_slices(t, scratch);
      case Step::for_each:
        t.for_each(AddIndices{});
        return 0;
      case Step::reduce: {
        double sum = 0;
        t.reduce(AddValueTimesIndex{}, sum);
        if (member.team_rank() == 0) sums(turn) = sum;
        return 0;
      }
      case Step::store:
        return t.store(1., 2., c);
      default:
        return 0;
    }
  }
  template <class Scratch>
  int add_slices(Tile& t, const Scratch& scratch) const {
    Slices slices(t, scratch, {a.extent_int(2)});
    auto load = slices.loader<0>(a);
    return slices.run(
        [&](int step) {
          load.start(step);
          slices.fill<1>(step, [&](int k, int j) { return b(k, j); });
        },
        [&](int step) { slices.multiply(1., step); });
  }
  int operator()(const ThreadLevel& level) const {
    const ThreadMember member(level, *memory);
    const auto scratch = member.team_scratch(0);
    const Tile::Index origin{0, 4, 8}, whole{3, 20, 40};
    Tile t(member, scratch, origin, whole);
    int code = perform(first, t, scratch, member, 0);
    if (!two_tiles) return code + perform(second, t, scratch, member, 1) + t.store(1., 1., c);
    const auto again = member.team_scratch(0);
    Tile other(member, again, origin, whole);
    return code + perform(second, other, again, member, 1) + other.store(1., 1., c);
  }
};

class TileBarriers : public testing::Test {
 protected:
  TileBarriers() {
    const auto fill = [](const auto& view, std::size_t seed) {
      for (std::size_t n = 0; n < view.span(); ++n) {
        view.data()[n] = small_integer<double>(n * 5 + seed);
      }
    };
    fill(steps_.a, 1);
    fill(steps_.b, 2);
    fill(steps_.few, 3);
    fill(steps_.few_b, 4);
  }
  void restore() const {
    for (std::size_t n = 0; n < steps_.c.span(); ++n) {
      steps_.c.data()[n] = small_integer<double>(n * 3);
    }
    Kokkos::deep_copy(steps_.sums, 0.);
  }
  std::vector<char> bytes() const { return watched_bytes(watched_, 1); }
  void run(Synchroniser& synchroniser, int workers) const {
    restore();
    const ThreadRun run = run_threads(
        synchroniser, workers, 1, [&](const ThreadLevel& level, int) { return steps_(level); },
        watched_);
    for (const auto& codes : run.codes) EXPECT_EQ(codes[0], 0);
  }

  static constexpr int terms = 40;
  std::vector<char> memory_ = std::vector<char>(1 << 17);
  Steps steps_{Step::nothing,
               Step::nothing,
               false,
               Tensor("c", 3, 20, 40),
               Tensor("a", 3, 20, terms),
               Tensor("few", 3, 20, 3),
               Matrix("b", terms, 40),
               Matrix("few_b", 3, 40),
               Kokkos::View<double*, Kokkos::HostSpace>("sums", 2),
               &memory_};
  std::vector<Watched> watched_{
      {reinterpret_cast<const char*>(steps_.c.data()), sizeof(double) * steps_.c.span(), 0},
      {reinterpret_cast<const char*>(steps_.sums.data()), sizeof(double) * 2, 0}};
};

TEST_F(TileBarriers, AnyTwoOperations) {
  for (int pair = 0; pair < 2 * steps * steps; ++pair) {
    steps_.first = static_cast<Step>(pair / 2 / steps);
    steps_.second = static_cast<Step>(pair / 2 % steps);
    steps_.two_tiles = pair % 2 != 0;
    SCOPED_TRACE(std::string(names[pair / 2 / steps]) + ", " + names[pair / 2 % steps] +
                 (steps_.two_tiles ? " of another tile" : ""));
    Schedule alone(1, 0, 1);
    run(alone, 1);
    const std::vector<char> expected = bytes();
    // One worker at a time, as far as it gets; and all at once.
    for (const int workers : {2, 3}) {
      for (int order = 0; order < 2 * workers; ++order) {
        Schedule schedule(workers, order / 2, order % 2 == 0 ? 1 : -1);
        run(schedule, workers);
        EXPECT_FALSE(schedule.stuck());
        EXPECT_EQ(bytes(), expected) << workers << " workers, order " << order;
      }
      DelayedBarrier barrier(workers, pair);
      run(barrier, workers);
      EXPECT_EQ(bytes(), expected) << workers << " workers";
    }
  }
}

}  // namespace
}  // namespace KokkosContract::Test
