// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of large contractions on emulated GPUs, from what the host finds out to C. Elements
// are small integers, so that results are exact, whatever the order.
#include <KokkosContract/HostContract.hpp>

#include "Tiles.hpp"

namespace KokkosContract::Test {
namespace {

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
int check(const Extents& extents, double processors = 1) {
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

template <class N>
struct LargeContract : testing::Test {};
using Waves = testing::Types<std::integral_constant<int, 32>, std::integral_constant<int, 64>>;
TYPED_TEST_SUITE(LargeContract, Waves);

TYPED_TEST(LargeContract, Layouts) {
  constexpr int w = TypeParam::value;
  const Extents even{{'i', 136}, {'k', 48}, {'j', 72}};
  check<"ik,kj->ij", w, double, Right, Right, Right>(even);
  check<"ik,kj->ij", w, double, Left, Left, Left>(even);
  check<"ik,jk->ij", w, double, Right, Right, Right>(even);
  check<"ki,kj->ij", w, double, Left, Right, Right>(even);
  const Extents odd{{'i', 67}, {'k', 65}, {'j', 131}};
  check<"ik,kj->ij", w, double, Right, Right, Right>(odd);
  check<"ki,jk->ij", w, double, Left, Right, Left>(odd);
  check<"ki,kj->ij", w, double, Right, Left, Left>(odd);
}

// Few columns; a sum that teams share.
TYPED_TEST(LargeContract, Shapes) {
  constexpr int w = TypeParam::value;
  const Extents few{{'i', 300}, {'k', 42}, {'j', 24}};
  EXPECT_EQ((check<"ik,kj->ij", w, double, Left, Left, Left>(few)), 1);
  EXPECT_EQ((check<"ik,kj->ij", w, double, Left, Left, Right>(few)), 1);
  EXPECT_GT((check<"ik,kj->ij", w, double, Right, Right, Right>({{'i', 40}, {'k', 1600}, {'j', 36}},
                                                                132)),
            1);
}

// Runs along several indices, whole and ragged; neighbours along different indices of the sum, and
// in inputs along others than in C.
TYPED_TEST(LargeContract, ManyIndices) {
  constexpr int w = TypeParam::value;
  check<"ikl,ljk->ij", w, double, Left, Left, Left>({{'i', 66}, {'k', 24}, {'l', 6}, {'j', 34}});
  check<"kil,lkj->ij", w, double, Left, Left, Left>({{'i', 66}, {'k', 12}, {'l', 8}, {'j', 50}});
  check<"kil,lkj->ij", w, double, Left, Left, Left>({{'i', 70}, {'k', 7}, {'l', 9}, {'j', 65}});
  check<"eafd,fbec->abcd", w, double, Left, Left, Left>(
      {{'a', 16}, {'b', 9}, {'c', 7}, {'d', 12}, {'e', 8}, {'f', 10}});
  check<"dega,gfbc->abcdef", w, double, Left, Left, Left>(
      {{'a', 8}, {'b', 6}, {'c', 5}, {'d', 4}, {'e', 3}, {'f', 2}, {'g', 48}});
  check<"ziyk,zjyk->zyij", w, double, Right, Right, Right>(
      {{'z', 2}, {'y', 2}, {'i', 65}, {'k', 70}, {'j', 40}});
  check<"zik,zkj->zij", w, double, Left, Left, Left>({{'z', 2}, {'i', 40}, {'k', 50}, {'j', 70}});
}

TYPED_TEST(LargeContract, Types) {
  constexpr int w = TypeParam::value;
  const Extents extents{{'i', 70}, {'k', 66}, {'j', 67}};
  check<"ik,kj->ij", w, float, Right, Right, Right>(extents);
  check<"ik,kj->ij", w, float, Left, Left, Left>(extents);
  check<"ki*,kj->ij", w, Kokkos::complex<double>, Right, Left, Left>(extents);
  check<"ik,jk->ij", w, Kokkos::complex<float>, Right, Left, Right>(extents);
}

}  // namespace
}  // namespace KokkosContract::Test
