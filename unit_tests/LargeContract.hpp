// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of large contractions on emulated GPUs, from the host's plan to C. Elements are small
// integers, so that results are exact, whatever the order.
#pragma once

#include <KokkosContract/HostContract.hpp>

#include "Levels.hpp"
#include "Tiles.hpp"

namespace KokkosContract::Test {

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;

/// Runs a product as a launch does, team by team.
template <int WarpSize, class Types>
struct EmulatedLaunch {
  using T = typename Types::Input;

  LaneOrder order;
  int& most_splits;
  int& copies;
  Impl::CopyCosts costs{};

  template <int S, bool X, bool Y>
  void operator()(const Impl::FlatProduct<Types>& product, int splits, Impl::Number<S>,
                  std::bool_constant<X>, std::bool_constant<Y>) const {
    using Kernel = Impl::Large::KernelOf<Impl::TeamLevel<EmulatedMember<WarpSize>>, Types, S, X, Y>;
    Kernel kernel(product, splits);
    most_splits = std::max(most_splits, splits);
    std::vector<typename Types::Sum> partial(splits > 1 ? kernel.partial_elements() : 0);
    kernel.partial = partial.data();
    run(kernel, typename Kernel::Multiply{}, kernel.teams(), Kernel::scratch_bytes);
    if (splits > 1) {
      run(kernel, typename Kernel::Add{}, kernel.teams() / splits, Kernel::scratch_bytes_to_add);
    }
  }
  void transpose(const Impl::Transposition<T>& squares) const {
    using Kernel = Impl::TransposeKernel<Impl::TeamLevel<EmulatedMember<WarpSize>>, T>;
    ++copies;
    run_teams(Kernel{squares}, Kernel::worker_count, squares.squares, Kernel::scratch_bytes);
  }
  template <class F>
  bool with_memory(std::size_t elements, const F& f) const {
    std::vector<T> memory(elements);
    f(memory.data());
    return true;
  }

 private:
  template <class Kernel, class Tag>
  void run(const Kernel& kernel, Tag tag, int teams, int bytes) const {
    run_teams([&](const auto& member) { kernel(tag, member); }, Kernel::Tile::worker_count, teams,
              bytes);
  }
  template <class F>
  void run_teams(const F& f, int workers, int teams, int bytes) const {
    for (int team = 0; team < teams; ++team) {
      EmulatedBlock block(workers, 1, static_cast<std::size_t>(bytes), order, WarpSize);
      const std::string fault = block.run([&] {
        const EmulatedMember<WarpSize> member(block, team, teams);
        f(member);
      });
      EXPECT_EQ(fault, "");
    }
  }
};

/// How a product was run.
struct LargeRun {
  int splits = 0;  // teams that shared a sum
  int copies = 0;  // copies of inputs, or of parts of them
};

/// C = 2 A B - 3 C, or 2 A B, for inputs of T. Types may name other types of sums and of C, and the
/// accuracy.
template <Spec S, int WarpSize, class T, class LayoutC, class LayoutA, class LayoutB,
          class Types = Impl::BlockTypes<T>>
LargeRun check_large(const Extents& extents, double processors = 1,
                     const Impl::CopyCosts& costs = {}) {
  using Product = AddedProduct<T, S, LayoutA, LayoutB>;
  using Sum = typename Types::Sum;
  using Output = typename Types::Output;
  constexpr Impl::Parsed parsed = Product::parsed;
  using C = LetteredArray<Output, parsed.output, LayoutC>;
  using A = Impl::operand_t<typename decltype(Product::a)::View>;
  using B = Impl::operand_t<typename decltype(Product::b)::View>;
  constexpr auto kind_a = Impl::slice_kind<A>(parsed.input[0], parsed.output);
  constexpr auto kind_b = Impl::slice_kind<B>(parsed.input[1], parsed.output);
  constexpr bool may_copy = Impl::Large::may_copy<A, B>(parsed);
  const Product product(T(2), extents);
  const auto dims = [](const auto& array) {
    return Impl::dims_at_run_time(Impl::as_operand(array.view));
  };
  LargeRun run;
  for (const Sum beta : {Sum(0), Sum(-3)}) {
    C expected(extents);
    C c(extents);
    for (std::size_t i = 0; i < c.view.span(); ++i) expected.view.data()[i] *= Output(beta);
    product.add_to(expected, extents);
    const auto order = beta == Sum(0) ? LaneOrder::forward : LaneOrder::backward;
    const Impl::LargeCall<Types> call{
        parsed,          Sum(2), product.a.view.data(), dims(product.a), product.b.view.data(),
        dims(product.b), beta,   c.view.data(),         dims(c)};
    run.copies = 0;
    const EmulatedLaunch<WarpSize, Types> launch{order, run.splits, run.copies, costs};
    constexpr bool y_by_positions = WarpSize == 64;
    const auto plan = Impl::Large::plan_of(processors, call, kind_a, kind_b, y_by_positions);
    EXPECT_TRUE(plan.wanted);
    Impl::run_by_tiles<kind_a, kind_b, may_copy>(processors, call, plan, y_by_positions, launch);
    int wrong = 0;
    for (std::size_t i = 0; i < c.view.span(); ++i) {
      wrong += c.view.data()[i] != expected.view.data()[i];
    }
    EXPECT_EQ(wrong, 0) << "of " << c.view.span();
  }
  return run;
}

/// Lanes of a warp. Exchange between lanes is the same in all warps, so one suffices for the thread
/// sanitizer, under which this takes minutes.
#if defined(KOKKOSCONTRACT_TEST_TSAN)
using Warps = testing::Types<std::integral_constant<int, 32>>;
#else
using Warps = testing::Types<std::integral_constant<int, 32>, std::integral_constant<int, 64>>;
#endif
template <class N>
struct LargeContract : testing::Test {};
TYPED_TEST_SUITE(LargeContract, Warps);

}  // namespace KokkosContract::Test
