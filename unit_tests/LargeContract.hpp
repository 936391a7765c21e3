// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of large contractions on emulated GPUs, from what the host finds out to C. Elements
// are small integers, so that results are exact, whatever the order.
#pragma once

#include <KokkosContract/HostContract.hpp>

#include "Levels.hpp"
#include "Tiles.hpp"

namespace KokkosContract::Test {

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;

/// Runs a product as a launch does, team by team.
template <int Wave, class T>
struct EmulatedLaunch {
  LaneOrder order;
  int& most_splits;

  template <int S, bool X, bool Y>
  void operator()(const Impl::FlatProduct<T>& product, int splits, Impl::Number<S>,
                  std::bool_constant<X>, std::bool_constant<Y>) const {
    using Kernel = Impl::Large::KernelOf<Impl::TeamLevel<EmulatedMember<Wave>>, T, S, X, Y>;
    Kernel kernel(product, splits);
    most_splits = std::max(most_splits, splits);
    std::vector<T> partial(splits > 1 ? kernel.partial_elements() : 0);
    kernel.partial = partial.data();
    run(kernel, typename Kernel::Multiply{}, kernel.teams(), Kernel::scratch_bytes);
    if (splits > 1) {
      run(kernel, typename Kernel::Add{}, kernel.teams() / splits, Kernel::scratch_bytes_to_add);
    }
  }
  template <class Kernel, class Tag>
  void run(const Kernel& kernel, Tag tag, int teams, int bytes) const {
    for (int team = 0; team < teams; ++team) {
      EmulatedBlock block(Kernel::Tile::worker_count, 1, static_cast<std::size_t>(bytes), order,
                          Wave);
      const std::string fault = block.run([&] {
        const EmulatedMember<Wave> member(block, team, teams);
        kernel(tag, member);
      });
      EXPECT_EQ(fault, "");
    }
  }
};

/// C = 2 A B - 3 C, or 2 A B. Returns how many teams shared a sum.
template <Spec S, int Wave, class T, class LayoutC, class LayoutA, class LayoutB>
int check_large(const Extents& extents, double processors = 1) {
  using Product = AddedProduct<T, S, LayoutA, LayoutB>;
  constexpr Impl::Parsed parsed = Product::parsed;
  using C = LetteredArray<T, parsed.output, LayoutC>;
  using A = decltype(Product::a);
  using B = decltype(Product::b);
  constexpr auto kind_a =
      Impl::slice_kind<Impl::operand_t<typename A::View>>(parsed.input[0], parsed.output);
  constexpr auto kind_b =
      Impl::slice_kind<Impl::operand_t<typename B::View>>(parsed.input[1], parsed.output);
  const Product product(T(2), extents);
  const auto dims = [](const auto& array) {
    return Impl::dims_at_run_time(Impl::as_operand(array.view));
  };
  int splits = 0;
  for (const T beta : {T(0), T(-3)}) {
    C expected(extents);
    C c(extents);
    for (std::size_t i = 0; i < c.view.span(); ++i) expected.view.data()[i] *= beta;
    product.add_to(expected, extents);
    const auto order = beta == T(0) ? LaneOrder::forward : LaneOrder::backward;
    const bool is_large = Impl::with_large_product<kind_a, kind_b, T>(
        processors, parsed, T(2), product.a.view.data(), dims(product.a), product.b.view.data(),
        dims(product.b), beta, c.view.data(), dims(c), Wave == 64,
        EmulatedLaunch<Wave, T>{order, splits});
    EXPECT_TRUE(is_large);
    int wrong = 0;
    for (std::size_t i = 0; i < c.view.span(); ++i) {
      wrong += c.view.data()[i] != expected.view.data()[i];
    }
    EXPECT_EQ(wrong, 0) << "of " << c.view.span();
  }
  return splits;
}

/// Lanes of a wave. What lanes share is the same in all waves, so that one will do for the thread
/// sanitizer, under which this takes minutes.
#if defined(KOKKOSCONTRACT_TEST_TSAN)
using Waves = testing::Types<std::integral_constant<int, 32>>;
#else
using Waves = testing::Types<std::integral_constant<int, 32>, std::integral_constant<int, 64>>;
#endif
template <class N>
struct LargeContract : testing::Test {};
TYPED_TEST_SUITE(LargeContract, Waves);

}  // namespace KokkosContract::Test
