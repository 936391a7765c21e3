// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked builds end at a misuse, with a message that names the call, and at nothing else.

#define KOKKOSCONTRACT_CHECKED 1  // in every preset

#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "Levels.hpp"

namespace KokkosContract::Test {
namespace {

using Kokkos::ALL;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Batch = Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Host = Kokkos::DefaultHostExecutionSpace;
using HostMember = Kokkos::TeamPolicy<Host>::member_type;
using N = Trans::NoTranspose;

/// Memory that no host thread reaches, as a GPU's.
struct Elsewhere {
  using memory_space = Elsewhere;
  using execution_space = Host;
  using device_type = Kokkos::Device<execution_space, memory_space>;
  using size_type = std::size_t;
  static constexpr const char* name() { return "Elsewhere"; }
};
using Far =
    Kokkos::View<double**, Kokkos::LayoutRight, Elsewhere, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

class Checked : public testing::Test {
 protected:
  void SetUp() override {
    // The child starts anew, with threads of its own.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (Host().concurrency() < 2) GTEST_SKIP() << "one thread";
  }
  const Matrix whole{"whole", 8, 8};
};

auto part(const Matrix& a, int i, int j) {
  return Kokkos::subview(a, std::pair(i, i + 4), std::pair(j, j + 4));
}

template <class Functor>
void launch_team(int threads, const Functor& functor) {
  Kokkos::parallel_for("test", Kokkos::TeamPolicy<Host>(1, threads), functor);
  Kokkos::fence();
}

TEST_F(Checked, Extents) {
  const Matrix a("a", 3, 4), c("c", 3, 3);
  EXPECT_DEATH((void)(SerialContract<"ik,kj->ij">::invoke(1., a, a, 0., c)),
               "KokkosContract: SerialContract<\"ik,kj->ij\">: two operands disagree about an ext");
  EXPECT_DEATH((void)(SerialGemm<N, N>::invoke(1., a, a, 0., c)), "SerialGemm: two operands disag");
  EXPECT_DEATH((void)(SerialReshape<"ij->ji">::invoke(a, c)), "SerialReshape<\"ij->ji\">: two op");
  EXPECT_DEATH(launch_team(2,
                           [=](const HostMember& member) {
                             (void)TeamContract<"ik,kj->ij">::invoke(member, 1., a, a, 0., c);
                           }),
               "TeamContract<\"ik,kj->ij\">: two operands disagree");
}

/// The message has the letter and its extents, or the extents of all operands of a dense routine.
TEST_F(Checked, ExtentsAreNamed) {
  const Matrix a("a", 3, 14), b("b", 205, 3), c("c", 3, 3), d("d", 3, 3), memory("memory", 8, 8);
  EXPECT_DEATH((void)(SerialContract<"ik,kj->ij">::invoke(1., a, b, 0., c)),
               "two operands disagree about an extent: k is 14 and 205");
  EXPECT_DEATH((void)(SerialContract<"ij,jk,kl->il">::invoke(memory, 1., c, a, a, 0., d)),
               "two operands .* extent: k is 14 and 3");
  EXPECT_DEATH(
      (void)(SerialContract<"im,xm,xj->ij">::invoke(memory, 1., c, c, keep<"ix">(a), c, 0., d)),
      "two operands .* extent: x is 3 and 14");
  EXPECT_DEATH((void)(SerialReshape<"ij->ji">::invoke(a, c)), "extent: j is 14 and 3");
  EXPECT_DEATH((void)(SerialGemm<N, N>::invoke(1., a, b, 0., c)),
               "SerialGemm: two operands disagree about an extent: operand 1 is 3 x 14, operand 2 "
               "is 205 x 3, operand 3 is 3 x 3");
  EXPECT_DEATH(launch_team(2,
                           [=](const HostMember& member) {
                             (void)TeamContract<"ik,kj->ij">::invoke(member, 1., a, b, 0., c);
                           }),
               "TeamContract<\"ik,kj->ij\">: two operands .* extent: k is 14 and 205");
}

TEST_F(Checked, ScratchAndAtomics) {
  const Matrix a("a", 4, 4), c("c", 4, 4);
  double memory[4];
  EXPECT_DEATH((void)(SerialContract<"ij,jk,kl->il">::invoke(Scratch{memory, sizeof(memory)}, 1., a,
                                                             a, a, 0., c)),
               "SerialContract<\"ij,jk,kl->il\">: there is less scratch memory than");
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Atomic>>
      atomic = c;
  EXPECT_DEATH((void)(SerialContract<"ij->ij">::invoke(1., a, 0., atomic)),
               "SerialContract<\"ij->ij\">: an atomic output needs beta == 1");
}

TEST_F(Checked, Overlap) {
  const auto a = part(whole, 0, 0), neighbour = part(whole, 0, 4), crossing = part(whole, 3, 3);
  Kokkos::deep_copy(a, 1);
  EXPECT_DEATH((void)(SerialContract<"ik,kj->ij">::invoke(1., a, neighbour, 0., crossing)),
               "SerialContract<\"ik,kj->ij\">: an operand that is written overlaps another one");
  EXPECT_DEATH((void)(SerialGemm<N, N>::invoke(1., neighbour, a, 0., a)), "SerialGemm: an operand");
  EXPECT_DEATH((void)(SerialTrsm<Side::Left, Uplo::Lower, N, Diag::Unit>::invoke(1., a, crossing)),
               "SerialTrsm: an operand that is written overlaps");
  // Blocks beside each other, an input twice, and an operand alone.
  EXPECT_EQ((SerialContract<"ik,kj->ij">::invoke(1., a, a, 0., neighbour)), 0);
  EXPECT_EQ((SerialGemm<N, N>::invoke(1., a, neighbour, 0., part(whole, 4, 0))), 0);
  EXPECT_EQ(SerialScale::invoke(2., a), 0);
}

/// Several elements of an output at one address.
TEST_F(Checked, OutputOverlapsItself) {
  const Matrix a("a", 4, 4);
  const auto strided = [&](int stride_i, int stride_j) {
    return Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace>(
        whole.data(), Kokkos::LayoutStride(4, stride_i, 4, stride_j));
  };
  const auto product = [&](const auto& c, double beta) {
    return SerialContract<"ik,kj->ij">::invoke(1., a, a, beta, c);
  };
  const char* const message = "SerialContract.* two elements of an operand that is written are at";
  for (const double beta : {0., 1.}) {
    EXPECT_DEATH((void)product(strided(4, 0), beta), message);
    EXPECT_DEATH((void)product(strided(0, 1), beta), message);
    EXPECT_DEATH((void)product(strided(2, 1), beta), message);
    EXPECT_DEATH((void)product(strided(3, 2), beta), message);
  }
  EXPECT_DEATH((void)(SerialSet::invoke(1., strided(0, 1))), "SerialSet: two elements");
  const Scratch scratch{whole.data(), 256};
  EXPECT_DEATH((void)(SerialContract<"im,xm,xj->ij">::invoke(
                   scratch, 1., a, a, keep<"ix">(strided(0, 1)), a, 0., part(whole, 4, 4))),
               "two elements");
  // An input may, so may the sum of an atomic output, and strides that never meet are no overlap.
  EXPECT_EQ((SerialContract<"ik,kj->ij">::invoke(1., strided(0, 1), a, 0., part(whole, 4, 4))), 0);
  EXPECT_EQ(product(strided(8, 2), 0.), 0);
  EXPECT_EQ(product(strided(5, 4), 0.), 0);
  const Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Atomic>>
      sums = strided(0, 1);
  EXPECT_EQ(product(sums, 1.), 0);
}

TEST_F(Checked, ContractOfTheHost) {
  const auto a = part(whole, 0, 0);
  EXPECT_THROW(contract<"ik,kj->ij">(Host(), 1., a, a, 0., part(whole, 3, 3)),
               std::invalid_argument);
  const Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace> row(
      &whole(7, 0), Kokkos::LayoutStride(4, 0, 4, 1));
  EXPECT_THROW(contract<"ij->ji">(Host(), 1., a, 0., row), std::invalid_argument);
  contract<"ik,kj->ij">(Host(), 1., a, a, 0., part(whole, 4, 4));
}

TEST_F(Checked, RepeatsIsExact) {
  std::mt19937 random(2);
  const auto any = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  int both[2] = {};
  for (int k = 0; k < 5000; ++k) {
    using Any = std::integer_sequence<std::ptrdiff_t, dynamic, dynamic, dynamic>;
    static double memory[256];
    const int extent[] = {any(1, 3), any(1, 4), any(1, 3)};
    const std::ptrdiff_t stride[] = {any(-12, 12), any(-4, 4), any(0, 20)};
    const Strided<double, Any, Any> a(memory + 128, extent, stride);
    std::set<const double*> seen;
    for (int i = 0; i < extent[0]; ++i)
      for (int j = 0; j < extent[1]; ++j)
        for (int l = 0; l < extent[2]; ++l) seen.insert(&a(i, j, l));
    const bool repeats = static_cast<int>(seen.size()) < extent[0] * extent[1] * extent[2];
    ++both[repeats];
    ASSERT_EQ(Impl::repeats_elements(a), repeats) << k;
  }
  EXPECT_GT(both[0], 500);
  EXPECT_GT(both[1], 500);
}

/// An operand made from a temporary View.
TEST_F(Checked, TemporaryViewEndsWithItsMemory) {
  const auto make = [](const char* label) { return Matrix(label, 8, 8); };
  const char* const message = "the temporary View that an operand is made of";
  EXPECT_DEATH((void)(fix<8, 8>(make("a"))), message);
  EXPECT_DEATH((void)(fix_packed<8, 8>(make("a"))), message);
  EXPECT_DEATH((void)(slice(make("a"), 1)), message);
  EXPECT_DEATH((void)(to_mdspan(make("a"))), message);
  EXPECT_DEATH((void)(flatten<"ii">(make("a"))), message);
  // Somebody has the memory: a View beside it, or the kernel that it was captured by.
  const Matrix alone("alone", 8, 8);
  (void)fix<4, 4>(part(alone, 0, 0));
  (void)fix<8, 8>(Matrix(alone));
  (void)fix<8, 8>(alone);
  (void)fix<8, 8>(Far(alone.data(), 8, 8));
  launch_team(2, [=](const HostMember&) {
    (void)fix<4, 4>(part(alone, 0, 0));
    (void)fix<8, 8>(Matrix(alone));
  });
}

struct Same {
  KOKKOS_FUNCTION double operator()(double value, int, int) const { return value; }
};
struct Nowhere {
  KOKKOS_FUNCTION void operator()(double, int, int) const {}
};

TEST_F(Checked, MayReplaceAnInputBeforeAFunctor) {
  const Kokkos::View<double[4][4], Kokkos::LayoutRight, Kokkos::HostSpace> u("u"), b("b");
  EXPECT_EQ((SerialContract<"im,xm,xj->ij">::invoke(1., u, b, pointwise<"ix">(Same{}), b, 0., u)),
            0);
  EXPECT_DEATH(
      (void)(SerialContract<"im,xm,xj->ij">::invoke(1., u, b, pointwise<"ix">(Same{}), b, 0., b)),
      "overlaps another");
  // An epilogue that stores elsewhere: C only says how large the result is.
  EXPECT_EQ((SerialContract<"ik,kj->ij">::invoke(1., u, b, 0., u, Nowhere{})), 0);
}

/// A functor of a user's, whose members may have any name.
struct Reading {
  Matrix operand;
  KOKKOS_FUNCTION double operator()(double value, int i, int x) const {
    return value * operand(i, x);
  }
};

TEST_F(Checked, KeptTensorOverlaps) {
  const auto a = part(whole, 0, 0), b = part(whole, 0, 4), c = part(whole, 4, 0),
             crossing = part(whole, 3, 3);
  Kokkos::deep_copy(whole, 1);
  using Contract = SerialContract<"im,xm,xj->ij">;
  double memory[64];
  const Scratch scratch{memory, sizeof(memory)};
  // The chain's inputs lie before and behind what it keeps.
  const auto call = [&](const auto& kept) {
    return Contract::invoke(scratch, 1., a, a, keep<"ix">(kept), b, 0., c);
  };
  for (const auto& kept : {a, b, c, crossing}) EXPECT_DEATH((void)call(kept), "overlaps another");
  EXPECT_EQ(call(part(whole, 4, 4)), 0);
  // What a functor reads may be anything.
  EXPECT_EQ(Contract::invoke(scratch, 1., a, a, pointwise<"ix">(Reading{whole}), b, 0., c), 0);
}

/// The functions of tiles and of their slices.
TEST_F(Checked, Tiles) {
  const Matrix a("a", 4, 3), b("b", 3, 4), c("c", 4, 4);
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Atomic>>
      atomic = c;
  alignas(64) static char memory[1024];
  const Scratch scratch{memory, sizeof(memory)};
  using Tile = SerialTile<double, "ij", Shape<4, 4>, Host>;
  Tile t(scratch, {0, 0}, {4, 4});
  EXPECT_DEATH(
      (void)(t.accumulate<"ik,kj->ij">(1., a, c)),
      "KokkosContract: SerialTile<\"ij\">::accumulate: two operands disagree about an ext");
  EXPECT_DEATH((void)t.load(1., a), "KokkosContract: SerialTile<\"ij\">::load: two operands");
  EXPECT_DEATH((void)t.store(1., 0., a), "KokkosContract: SerialTile<\"ij\">::store: two operands");
  EXPECT_DEATH((void)t.store(1., 2., atomic), "SerialTile<\"ij\">::store: an atomic output needs");
  Tile without(Scratch{memory, 8}, {0, 0}, {4, 4});
  EXPECT_DEATH((void)(without.accumulate<"ik,kj->ij">(1., a, b)),
               "SerialTile<\"ij\">::accumulate: there is less scratch memory than");
  using Slices = TileSlices<Tile, "ik,kj->ij", Matrix, Computed>;
  EXPECT_DEATH((Slices(t, Scratch{memory, 8}, {3})),
               "TileSlices<\"ik,kj->ij\">: there is less scratch memory than");
  static char memory_of_slices[Slices::scratch_bytes()];
  Slices slices(t, Scratch{memory_of_slices, sizeof(memory_of_slices)}, {3});
  EXPECT_DEATH((void)slices.loader<0>(c), "TileSlices<\"ik,kj->ij\">: two operands disagree");
  EXPECT_EQ(t.load(1., c), 0);
  EXPECT_EQ((t.accumulate<"ik,kj->ij">(1., a, b)), 0);
  EXPECT_EQ(t.store(1., 1., atomic), 0);
}

template <class Tile>
void accumulate_wrongly(const Matrix& a) {
  launch_team(2, [=](const HostMember& member) {
    alignas(64) static char memory[1024];
    Tile t(member, Scratch{memory, sizeof(memory)}, {0, 0}, {4, 4});
    (void)t.template accumulate<"ik,kj->ij">(1., a, a);
  });
}
TEST_F(Checked, TilesOfTeams) {
  const Matrix a("a", 4, 3);
  EXPECT_DEATH((accumulate_wrongly<TeamTile<double, "ij", Shape<4, 4>, HostMember>>(a)),
               "KokkosContract: TeamTile<\"ij\">::accumulate: two operands disagree");
  EXPECT_DEATH((accumulate_wrongly<TeamVectorTile<double, "ij", Shape<4, 4>, HostMember>>(a)),
               "KokkosContract: TeamVectorTile<\"ij\">::accumulate: two operands disagree");
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && !defined(__SANITIZE_ADDRESS__)
TEST_F(Checked, TileOfAnotherTeam) {
  using Tile = TeamTile<double, "ij", Shape<64, 64>, EmulatedMember<32>>;
  const Matrix c("c", 64, 64);
  EmulatedBlock block(32, 1, 256, LaneOrder::forward);
  EXPECT_DEATH(block.run([&] {
    const EmulatedMember<32> member(block, 0, 1);
    Tile t(member, member.team_scratch(0), {0, 0}, {64, 64});
    (void)t.store(1., 0., c);
  }),
               "TeamTile<\"ij\">::store: the team has not as many workers as the tile is for");
}
#endif

using AnyTwo = std::integer_sequence<std::ptrdiff_t, dynamic, dynamic>;
using AnyMatrix = Strided<double, AnyTwo, AnyTwo>;
using NarrowMatrix = Strided<float, AnyTwo, AnyTwo>;

TEST_F(Checked, OverlapIsExact) {
  std::mt19937 random(1);
  const auto any = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  static char memory[4096];
  const auto make = [&]<class T>(std::type_identity<T>) {
    using E = typename T::value_type;
    const int extent[] = {any(0, 4), any(1, 4)};
    const std::ptrdiff_t stride[] = {any(-9, 9), any(-3, 3)};
    return T(reinterpret_cast<E*>(memory + 2048) + any(-8, 8), extent, stride);
  };
  const auto overlaps = [](const auto& a, const auto& b) {
    bool found = false;
    const auto each = [](const auto& x, const auto& f) {
      for (int i = 0; i < x.extent(0); ++i)
        for (int j = 0; j < x.extent(1); ++j) f(reinterpret_cast<char*>(&x(i, j)));
    };
    each(a, [&](char* p) {
      each(b, [&](char* q) {
        found = found || (p < q + sizeof(*b.data()) && q < p + sizeof(*a.data()));
      });
    });
    return found;
  };
  int both[2] = {};
  for (int k = 0; k < 20000; ++k) {
    const auto a = make(std::type_identity<AnyMatrix>{});
    const auto b = make(std::type_identity<NarrowMatrix>{});
    ++both[overlaps(a, b)];
    ASSERT_EQ(Impl::overlap(a, b), overlaps(a, b));
    ASSERT_EQ(Impl::overlap(b, a), overlaps(a, b));
  }
  EXPECT_GT(both[0], 1000);
  EXPECT_GT(both[1], 1000);
}

TEST_F(Checked, CollectiveInsideTeamThreadRange) {
  const Batch a("a", 4, 6, 6), c("c", 4, 6, 6);
  EXPECT_DEATH(launch_team(2,
                           [=](const HostMember& member) {
                             Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 4), [&](int p) {
                               const auto a_p = Kokkos::subview(a, p, ALL, ALL);
                               (void)TeamContract<"ik,kj->ij">::invoke(
                                   member, 1., a_p, a_p, 0., Kokkos::subview(c, p, ALL, ALL));
                             });
                           }),
               "TeamContract<\"ik,kj->ij\">: the threads of the team call with different operands");
}

/// Threads of the team that never come, and that come late.
TEST_F(Checked, CallOfAPartOfTheTeam) {
  const Batch a("a", 4, 6, 6), c("c", 4, 6, 6);
  const auto product = [=](const HostMember& member, int p) {
    const auto a_p = Kokkos::subview(a, p, ALL, ALL);
    return TeamContract<"ik,kj->ij">::invoke(member, 1., a_p, a_p, 0.,
                                             Kokkos::subview(c, p, ALL, ALL));
  };
  const auto with_limit = [](int milliseconds, const auto& call) {
    Impl::arrivals.limit = std::chrono::milliseconds(milliseconds);
    call();
  };
  const char* const message = "TeamContract<\"ik,kj->ij\">: some threads of the team do not come";
  EXPECT_DEATH(with_limit(500,
                          [&] {
                            launch_team(2, [=](const HostMember& member) {
                              Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1),
                                                   [&](int p) { (void)product(member, p); });
                            });
                          }),
               message);
  EXPECT_DEATH(with_limit(500,
                          [&] {
                            launch_team(2, [=](const HostMember& member) {
                              Kokkos::single(Kokkos::PerTeam(member),
                                             [&] { (void)product(member, 0); });
                            });
                          }),
               message);
  // Thread 1 comes late, and teams of two kernels at once.
  const auto late = [=](const HostMember& member) {
    for (int p = 0; p < 4; ++p) {
      if (member.team_rank() == p % 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      require_success(product(member, p));
    }
  };
  launch_team(2, late);
}

/// Waits until both threads have come so far, for five seconds at most.
struct Meet {
  int* arrived;
  double operator()(double value, int i, int j) const {
    if (i == 0 && j == 0) {
      const auto begin = std::chrono::steady_clock::now();
      Kokkos::atomic_inc(arrived);
      while (Kokkos::atomic_load(arrived) < 2 &&
             std::chrono::steady_clock::now() - begin < std::chrono::seconds(5)) {
      }
    }
    return value;
  }
};

TEST_F(Checked, VectorByAllThreadsOfATeam) {
  const Batch a("a", 4, 6, 6), c("c", 4, 6, 6);
  static int arrived = 0;
  EXPECT_DEATH(launch_team(2,
                           [=](const HostMember& member) {
                             const auto a_0 = Kokkos::subview(a, 0, ALL, ALL);
                             (void)VectorContract<"ik,kj->ij">::invoke(
                                 member, 1., a_0, a_0, 0., Kokkos::subview(c, 0, ALL, ALL),
                                 Meet{&arrived});
                           }),
               "VectorContract<\"ik,kj->ij\">: another caller is writing the same operand");
  // With an operand for each thread, at the same time and then in turn.
  arrived = 0;
  int code = 1;
  const auto product = [=](const HostMember& member, int p, int q) {
    const auto a_p = Kokkos::subview(a, p, ALL, ALL);
    return VectorContract<"ik,kj->ij">::invoke(member, 1., a_p, a_p, 0.,
                                               Kokkos::subview(c, q, ALL, ALL), Meet{&arrived});
  };
  Kokkos::parallel_reduce(
      "test", Kokkos::TeamPolicy<Host>(1, 2),
      [=](const HostMember& member, int& codes) {
        codes |= product(member, 0, member.team_rank());
        member.team_barrier();
        codes |= product(member, 1, 1 - member.team_rank());
        codes |= TeamContract<"ij->ji">::invoke(member, 1., Kokkos::subview(a, 0, ALL, ALL), 0.,
                                                Kokkos::subview(c, 0, ALL, ALL));
      },
      Kokkos::BOr<int>(code));
  EXPECT_EQ(code, 0);
  EXPECT_GE(arrived, 2);
}

static_assert(Impl::reaches<Host, Matrix>);
static_assert(Impl::reaches<Host, Shared<Matrix>>);
static_assert(Impl::reaches<Host, Kokkos::View<double**, Host::scratch_memory_space>>);
static_assert(Impl::reaches<Host, double>);
static_assert(!Impl::reaches<Host, Far>);
static_assert(!Impl::reaches<Host, Shared<Far>>);
static_assert(Impl::reaches<Host, decltype(keep<"ij">(std::declval<Matrix>()))>);
static_assert(!Impl::reaches<Host, decltype(keep<"ij">(std::declval<Far>()))>);

TEST_F(Checked, Memory) {
  const Far far(whole.data(), 4, 4);
  EXPECT_DEATH((void)(SerialContract<"ij->ji">::invoke(1., far, 0., part(whole, 4, 4))),
               "SerialContract<\"ij->ji\">: an operand is in memory that the caller cannot reach");
}

}  // namespace
}  // namespace KokkosContract::Test
