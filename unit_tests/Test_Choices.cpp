// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// team_policy, `explain` and execution on a GPU name the same algorithm for a product.
#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <KokkosContract/Explain.hpp>
#include <KokkosContract/TeamPolicy.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "EmulatedDevice.hpp"
#include "ShortFloat.hpp"

namespace KokkosContract::Test {
namespace {

using Space = EmulatedSpace<32>;
using Member = EmulatedMember<32>;
using Impl::Workers;

// --- Callers ---

consteval bool are_same(const Impl::Callers& a, const Impl::Callers& b) {
  return a.gpu == b.gpu && a.single_worker == b.single_worker && a.warps == b.warps &&
         a.of_thread == b.of_thread && a.warp_size == b.warp_size && a.plain == b.plain;
}
template <class Level>
consteval bool are_callers_of(Workers workers) {
  return are_same(Impl::callers_at<Space>(workers), Impl::callers_of<Level>()) &&
         are_same(Impl::callers_at<Space>(workers, true),
                  Impl::callers_of<Impl::PlainLevel<Level>>());
}
static_assert(are_callers_of<Impl::VectorLevel<Space>>(Workers::vector));
static_assert(are_callers_of<Impl::TeamLevel<Member>>(Workers::team));
static_assert(are_callers_of<Impl::TeamVectorLevel<Member>>(Workers::team_vector));

// --- Products of each row of the list ---

template <class Data, class Layout = Kokkos::LayoutRight>
using View = Kokkos::View<Data, Layout, Kokkos::Device<Space, Kokkos::HostSpace>,
                          Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Memory of an operand: 64 KB of zeros for each, which no one looks at.
double* memory(int number) {
  static std::vector<double> all(3 * 8192 + 2);
  auto* const begin = all.data();
  return begin + reinterpret_cast<std::uintptr_t>(begin) % 16 / 8 + 8192 * number;
}
template <class A>
A view(int number, auto... extents) {
  return A(reinterpret_cast<typename A::pointer_type>(memory(number)), extents...);
}

template <Way... W>
std::vector<int> numbers() {
  return {static_cast<int>(W)...};
}
template <Way... W>
std::vector<std::string> names() {
  const auto first_word = [](const std::string& text) { return text.substr(0, text.find(' ')); };
  return {first_word(Impl::algorithm_t<W>::text)...};
}

/// The algorithms of a level in a text of `explain`.
std::vector<std::string> explained(const std::string& text, const std::string& level) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const auto at = line.find(level + ": "); at != std::string::npos) {
      const std::string rest = line.substr(at + level.size() + 2);
      found.push_back(rest.substr(0, rest.find(' ')));
    }
  }
  return found;
}

template <class Op, class... Operands>
std::vector<int> of_policy(const Operands&... operands) {
  constexpr std::make_integer_sequence<int, static_cast<int>(sizeof...(Operands))> all{};
  const auto choices = uses<Op>(operands...).template choices<Space, false>(2, all);
  std::vector<int> found;
  found.reserve(choices.count);
  for (int i = 0; i < choices.count; ++i) found.push_back(static_cast<int>(choices.of[i].way));
  return found;
}

/// f(member) in a block of 128 lanes.
template <class F>
std::vector<int> executed(const F& f) {
  EmulatedBlock block(4, 32, 65536, LaneOrder::forward);
  int code = -1;
  EXPECT_EQ(block.run([&] { code = f(Member(block, 0, 1)); }), "");
  EXPECT_EQ(code, 0);
  return block.algorithms();
}

template <Spec S, Way... W, class... Operands>
void expect_same(const Operands&... operands) {
  using Op = TeamVectorContract<S>;
  std::ostringstream os;
  explain<S>(os, Space{}, operands...);
  EXPECT_EQ(explained(os.str(), "way at Team and TeamVector"), names<W...>()) << os.str();
  EXPECT_EQ((of_policy<Op>(operands...)), (numbers<W...>()));
  EXPECT_EQ(executed([&](const Member& member) {
              if constexpr (sizeof...(operands) > 3) {
                return [&](const auto& a, const auto& b, const auto& c, const auto& to) {
                  return Op::invoke(member, member.team_scratch(0), 1.0, a, b, c, 0.0, to);
                }(operands...);
              } else {
                return [&](const auto& a, const auto& b, const auto& to) {
                  return Op::invoke(member, 1.0, a, b, 0.0, to);
                }(operands...);
              }
            }),
            (numbers<W...>()));
}

template <int N, Way W, class Layout = Kokkos::LayoutRight>
void expect_same_of_square() {
  using A = View<double* [N][N], Layout>;
  expect_same<"bik,bkj->bij", W>(view<A>(0, 2), view<A>(1, 2), view<A>(2, 2));
}

TEST(Choices, Shared) { expect_same_of_square<7, Way::shared>(); }
TEST(Choices, Warps) { expect_same_of_square<8, Way::warps>(); }
TEST(Choices, BlockTiles) { expect_same_of_square<48, Way::block_tiles>(); }
TEST(Choices, BlockTilesOfShortFloats) {
  using A = View<ShortFloat* [64][64]>;
  expect_same<"bik,bkj->bij", Way::block_tiles>(view<A>(0, 2), view<A>(1, 2),
                                                view<View<float* [64][64]>>(2, 2));
}
TEST(Choices, Lanes) { expect_same_of_square<6, Way::lanes, Kokkos::LayoutLeft>(); }
TEST(Choices, Thin) {
  using C = Impl::ScratchMatrices<double, 3, 64, true>::type;
  const int extents[] = {2, 3, 64};
  const std::ptrdiff_t strides[] = {C::shape.stride[0], C::shape.stride[1], 1};
  expect_same<"bik,bkj->bij", Way::thin>(view<View<double* [3][27]>>(0, 2),
                                         view<View<double* [27][64]>>(1, 2),
                                         C(memory(2), extents, strides));
}
TEST(Choices, Lines) {
  expect_same<"xa,eab->exb", Way::lines>(view<View<double[5][4]>>(0),
                                         view<View<double* [4][4]>>(1, 2),
                                         view<View<double* [5][4]>>(2, 2));
}
TEST(Choices, ExtentsAtRunTime) {
  using A = View<double**>;
  expect_same<"ik,kj->ij", Way::warps>(view<A>(0, 16, 9), view<A>(1, 9, 12), view<A>(2, 16, 12));
}

// Teams run padded Views by code of few registers.
TEST(Choices, PaddedViews) {
  using Padded = Kokkos::View<double* [20], Kokkos::LayoutRight, Kokkos::HostSpace>;
  const Padded memory(Kokkos::view_alloc("padded", Kokkos::AllowPadding), 8);
  ASSERT_GT(memory.stride(0), 20);
  const View<double* [20]> padded = memory;
  expect_same<"ki,kj->ij", Way::shared>(padded, padded, view<View<double* [20]>>(2, 20));
  expect_same<"ki,kj->ij", Way::warps>(view<View<double* [20]>>(0, 8),
                                       view<View<double* [20]>>(1, 8),
                                       view<View<double* [20]>>(2, 20));
}

TEST(Choices, Chain) {
  using A = View<double* [8][8]>;
  using B = View<double* [8][7]>;
  expect_same<"bik,bkj,bjl->bil", Way::warps, Way::shared>(view<A>(0, 2), view<A>(1, 2),
                                                           view<B>(1, 2), view<B>(2, 2));
}

// --- What team_policy makes of it ---

/// Bytes of scratch memory that Kokkos gives a block of an H200.
constexpr double gpu_room = 40928;

template <class Op, int N>
Impl::Demand demand_of_square() {
  using A = View<double* [N][N]>;
  return uses<Op>(view<A>(0, 1000), view<A>(1, 1000), view<A>(2, 1000))
      .template demand<Space>(1000);
}

// Copies of the inputs leave less scratch memory for problems.
template <class Op, int N>
void expect_room(double stage, bool collective) {
  Impl::Demand demand = demand_of_square<Op, N>();
  demand.scratch = 4000;
  const int problems =
      Impl::gpu_shape(demand, collective, !collective, false, gpu_room, 32).problems;
  EXPECT_GT(problems, 1);
  EXPECT_LE(problems * demand.scratch + stage, gpu_room) << problems << " problems";
  EXPECT_EQ(problems * demand.scratch + Impl::stage_bytes > gpu_room, stage == 0) << problems;
}
TEST(Choices, RoomBesideCopies) {
  expect_room<TeamContract<"bik,bkj->bij">, 7>(Impl::stage_bytes, true);
  expect_room<TeamContract<"bik,bkj->bij">, 8>(0, true);
  using None = Trans::NoTranspose;
  expect_room<TeamVectorGemm<Member, None, None>, 7>(Impl::stage_bytes, true);
  expect_room<VectorContract<"ik,kj->ij">, 8>(Impl::stage_bytes_of_threads, false);
}

// A product whose result is factored in the kernel's own memory runs without copies.
TEST(Choices, ResultInOwnMemory) {
  const Impl::Demand product = demand_of_square<TeamContract<"bik,bkj->bij">, 7>();
  const double matrix =
      uses<TeamLU<Member>>(view<View<double* [7][7]>>(0, 1000)).template demand<Space>(1000).matrix;
  EXPECT_EQ(matrix, product.result);
  const auto reads = [&](double of_factors, double own) {
    return Impl::beside_factors(product, of_factors, {0, 0, own}).reads;
  };
  EXPECT_FALSE(reads(matrix, matrix - 1).in_place);
  EXPECT_TRUE(reads(matrix, matrix).in_place);
  EXPECT_EQ(reads(matrix, matrix).block_stage, 0);
  // Another matrix is factored. Copies of the inputs still take their memory.
  EXPECT_FALSE(reads(matrix - 1, matrix).in_place);
  EXPECT_TRUE(reads(matrix + 1, 2 * matrix).in_place);
  EXPECT_EQ(reads(matrix + 1, 2 * matrix).block_stage, Impl::stage_bytes);
}

}  // namespace
}  // namespace KokkosContract::Test
