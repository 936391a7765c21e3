// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which way a product goes, and that one may be asked for.
#include <gtest/gtest.h>

#include "ContractOp.hpp"
#include "NaryOp.hpp"
#include "ShortFloat.hpp"

namespace KokkosContract::Test {
namespace {

using KokkosContract::Impl::Callers;
using KokkosContract::Impl::choose_product;
using KokkosContract::Impl::ProductChoice;

// --- The choices that measurements have led to. ---

template <class Data, class Layout = Kokkos::LayoutRight>
using Host = Kokkos::View<Data, Layout, Kokkos::HostSpace>;

template <Spec S, class A, class B, class C>
consteval ProductChoice choice(const Callers& callers, bool has_epilogue = false) {
  namespace I = KokkosContract::Impl;
  using OpA = I::operand_t<A>;
  using OpB = I::operand_t<B>;
  using OpC = I::operand_t<C>;
  using Low = I::Lowering<I::product_labels<S>, I::packed_shape(OpA::shape),
                          I::packed_shape(OpB::shape), I::packed_shape(OpC::shape), true>;
  using Acc = I::accumulator_t<I::value_t<A>, I::value_t<B>, I::value_t<C>>;
  using Atom = I::atom_for<I::EmulatedMachine<32>, Acc, I::value_t<A>, I::value_t<B>>;
  return choose_product<Atom>(
      Low::nest, I::facts_of<Atom, Acc, OpA, OpB, OpC>(callers, !has_epilogue, has_epilogue));
}
/// Of products of square matrices, many at once.
template <class T, int N, class Layout = Kokkos::LayoutRight>
consteval ProductChoice square(const Callers& callers) {
  using A = Host<T* [N][N], Layout>;
  return choice<"bik,bkj->bij", A, A, A>(callers);
}
consteval ProductChoice dynamic_square(const Callers& callers) {
  return choice<"ik,kj->ij", Host<double**>, Host<double**>, Host<double**>>(callers);
}

constexpr Callers one_of_host{};
constexpr Callers one_of_gpu{true, true, false, false};
constexpr Callers lanes_of_thread{true, false, true, true, 32};
constexpr Callers team{true, false, true, false, 32};
constexpr Callers threads_of_grid{true, false, false, false, 32};

static_assert(choice<"ik,kj->ij", Host<double[8][8]>, Host<double[8][8]>, Host<double[8][8]>>(
                  one_of_host) == ProductChoice{Way::tiles});
static_assert(dynamic_square(one_of_host) == ProductChoice{Way::blocked});
static_assert(square<float, 80>(one_of_host).way == Way::blocked);
static_assert(square<int, 80>(one_of_host).way == Way::tiles);

template <class T, class U = T>
consteval ProductChoice points() {
  return choice<"pij,lpj->lpi", Host<T* [3][3]>, Host<U** [3]>, Host<T** [3]>>(one_of_host);
}
constexpr Way best_at_points = KOKKOSCONTRACT_VECTOR_BYTES >= 32 ? Way::points : Way::blocked;
static_assert(points<double>() == ProductChoice{best_at_points});
static_assert(points<float>() == ProductChoice{Way::points});
static_assert(points<double, float>() == ProductChoice{Way::tiles});
static_assert(choice<"pij,lpj->lpi", Host<double* [5][3]>, Host<double** [3]>, Host<double** [5]>>(
                  one_of_host)
                  .way != Way::points);
static_assert(square<double, 8>(one_of_gpu) == ProductChoice{Way::tiles});
static_assert(square<double, 8>(threads_of_grid) == ProductChoice{Way::shared});

// 16-bit floats, from more than half of an MMA instruction's rows on.
static_assert(square<ShortFloat, 8>(team).way == Way::shared);
static_assert(square<ShortFloat, 12>(team) == ProductChoice{Way::warps});
static_assert(square<ShortFloat, 32>(team) == ProductChoice{Way::warps});
static_assert(square<ShortFloat, 48>(team).way == Way::block_tiles);
static_assert(square<ShortFloat, 12>(lanes_of_thread) == ProductChoice{Way::warps});

static_assert(square<double, 4>(team) == ProductChoice{Way::warps});
static_assert(square<double, 7>(team) == ProductChoice{Way::shared, true});
static_assert(square<double, 8>(team) == ProductChoice{Way::warps});
static_assert(square<double, 16>(team) == ProductChoice{Way::warps});
static_assert(square<double, 24>(team) == ProductChoice{Way::shared, true});
static_assert(square<double, 40>(team) == ProductChoice{Way::warps});
static_assert(square<double, 48>(team) == ProductChoice{Way::block_tiles});
static_assert(square<double, 56>(team) == ProductChoice{Way::block_tiles});
static_assert(square<double, 64>(team) == ProductChoice{Way::block_tiles});
static_assert(square<double, 64, Kokkos::LayoutLeft>(team).way == Way::warps);
static_assert(square<double, 80>(team) == ProductChoice{Way::block_tiles});
static_assert(square<double, 96>(team) == ProductChoice{Way::block_tiles});
static_assert(square<double, 128>(team) == ProductChoice{Way::block_tiles});
static_assert(square<double, 64>(lanes_of_thread).way == Way::warps);
static_assert(square<float, 48>(team) == ProductChoice{Way::shared, true});
static_assert(square<float, 64>(team) == ProductChoice{Way::block_tiles});
static_assert(square<float, 80>(team) == ProductChoice{Way::block_tiles});
static_assert(square<float, 8>(team) == ProductChoice{Way::shared, true});
static_assert(square<double, 7>(lanes_of_thread) == ProductChoice{Way::warps});
static_assert(square<double, 8>(lanes_of_thread) == ProductChoice{Way::warps, true});
static_assert(dynamic_square(team) == ProductChoice{Way::warps, true, 81});
static_assert(dynamic_square(lanes_of_thread) == ProductChoice{Way::warps, true});
static_assert(square<double, 8, Kokkos::LayoutLeft>(team) == ProductChoice{Way::lanes});
static_assert(choice<"ik,kj->ij", Host<double[8][8]>, Host<double[8][8]>, Host<double[8][8]>>(
                  team, true) == ProductChoice{Way::shared, true});

template <class Callers>
consteval ProductChoice lines(const Callers& callers) {
  return choice<"xa,eabc->exbc", Host<double[5][4]>, Host<double* [4][4][4]>,
                Host<double* [5][4][4]>>(callers);
}
static_assert(lines(team) == ProductChoice{Way::lines});
static_assert(lines(lanes_of_thread).way == Way::shared);

using Scratch3 = KokkosContract::Impl::ScratchMatrices<double, 3, 27, true>::type;
static_assert(choice<"bik,bkj->bij", Host<double* [3][27]>, Host<double* [27][64]>,
                     KokkosContract::Impl::ScratchMatrices<double, 3, 64, true>::type>(team) ==
              ProductChoice{Way::thin});
static_assert(choice<"bik,bkj->bij", Scratch3, Host<double* [27][27]>, Host<double* [3][27]>>(
                  team) == ProductChoice{Way::warps});

// What takes a product whose workers or extents at run time do not suit the algorithm.
template <Way W>
inline constexpr Way otherwise = KokkosContract::Impl::algorithm_t<W>::otherwise;
static_assert(otherwise<Way::tiles> == Way::tiles);
static_assert(otherwise<Way::blocked> == Way::tiles);
static_assert(otherwise<Way::points> == Way::tiles);
static_assert(otherwise<Way::shared> == Way::shared);
static_assert(otherwise<Way::warps> == Way::shared);
static_assert(otherwise<Way::block_tiles> == Way::shared);
static_assert(otherwise<Way::thin> == Way::shared);
static_assert(otherwise<Way::lanes> == Way::shared);
static_assert(otherwise<Way::lines> == Way::lines);

// --- Slices of an output. ---

/// Whether C has slices, and how many indices each has.
template <Spec S, class A, class B, class C>
std::ptrdiff_t indices_of_slice(const A& a, const B& b, const C& c) {
  namespace I = KokkosContract::Impl;
  return I::output_slices_of<S>(I::as_operand(a), I::as_operand(b), I::as_operand(c)).count;
}
template <class Data>
Host<Data> host(auto... extents) {
  return Host<Data>(Kokkos::view_alloc("", Kokkos::WithoutInitializing), extents...);
}

TEST(Choose, SlicesOfOutput) {
  using V2 = double**;
  using V3 = double***;
  const auto transformed = [](int cells, int n) {
    return indices_of_slice<"cpji,lpj->clpi">(host<double** [3][3]>(cells, n),
                                              host<double** [3]>(n, n),
                                              host<double*** [3]>(cells, n, n));
  };
  EXPECT_EQ(transformed(100, 27), 7);  // 20 KB each
  EXPECT_EQ(transformed(13, 27), 0);   // C stays in a cache
  EXPECT_EQ(transformed(5, 125), 1);   // no slice is smaller than what it reads of B
  EXPECT_EQ(
      (indices_of_slice<"cp,lp->clp">(host<V2>(99, 64), host<V2>(64, 64), host<V3>(99, 64, 64))),
      4);
  // The batch is the outermost index, sums are long, and each step of the batch has lines alone.
  EXPECT_EQ((indices_of_slice<"bik,bkj->bij">(host<V3>(200, 30, 5), host<V3>(200, 5, 40),
                                              host<V3>(200, 30, 40))),
            0);
  EXPECT_EQ((indices_of_slice<"cpk,lpk->clp">(host<V3>(99, 64, 17), host<V3>(64, 64, 17),
                                              host<V3>(99, 64, 64))),
            0);
  EXPECT_EQ((indices_of_slice<"ibk,bkj->ibj">(host<V3>(500, 40, 3), host<V3>(40, 3, 16),
                                              host<V3>(500, 40, 16))),
            0);
}

// --- Another way. ---

template <class Level>
class Choose : public testing::Test {};
TYPED_TEST_SUITE(Choose, LaneLevels, LevelNames);

template <class L, Way W, int N, class Layout = Kokkos::LayoutRight>
void check_square() {
  Random random;
  check_operation<L, ContractOp<"bik,bkj->bij", W>, of_kernel_t<L, double* [N][N], Layout>,
                  of_kernel_t<L, const double* [N][N], Layout>,
                  of_kernel_t<L, const double* [N][N], Layout>>(
      random, "bik,bkj->bij", {{'b', 5}, {'i', N}, {'k', N}, {'j', N}}, 2);
}
TYPED_TEST(Choose, Shared) { check_square<TypeParam, Way::shared, 8>(); }
TYPED_TEST(Choose, Warps) { check_square<TypeParam, Way::warps, 7>(); }
TYPED_TEST(Choose, Lanes) { check_square<TypeParam, Way::lanes, 6, Kokkos::LayoutLeft>(); }
TYPED_TEST(Choose, Thin) {
  using L = TypeParam;
  Random random;
  check_operation<L, ContractOp<"ik,kj->ij", Way::thin>, of_kernel_t<L, double[3][72]>,
                  of_kernel_t<L, const double[3][9]>, of_kernel_t<L, const double[9][72]>>(
      random, "ik,kj->ij", {{'i', 3}, {'k', 9}, {'j', 72}}, 2);
}
TYPED_TEST(Choose, Lines) {
  using L = TypeParam;
  Random random;
  check_operation<L, ContractOp<"xa,eab->exb", Way::lines>, of_kernel_t<L, double* [5][6]>,
                  of_kernel_t<L, const double[5][4]>, of_kernel_t<L, const double* [4][6]>>(
      random, "xa,eab->exb", {{'x', 5}, {'a', 4}, {'b', 6}, {'e', 3}}, 2);
}
// A host's way asked for where there are GPUs, too.
TYPED_TEST(Choose, Blocked) {
  using L = TypeParam;
  using A = of_kernel_t<L, double**>;
  using B = of_kernel_t<L, const double**>;
  Random random;
  check_operation<L, ContractOp<"ik,kj->ij", Way::blocked>, A, B, B>(
      random, "ik,kj->ij", {{'i', 12}, {'k', 9}, {'j', 20}}, 2);
}

}  // namespace
}  // namespace KokkosContract::Test
