// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More than two inputs, with and without scratch memory.
#include <gtest/gtest.h>

#include "NaryOp.hpp"

namespace KokkosContract::Test {
namespace {

template <Spec S>
struct WithoutScratch {
  template <class... Args>
  KOKKOS_FUNCTION static int call(const SerialCaller&, const Args&... args) {
    return SerialContract<S>::invoke(args...);
  }
};

/// A View of these letters without memory: only its extents count.
template <class View>
View shaped(const std::string& letters, const Extents& extents) {
  typename View::array_layout layout;
  for (std::size_t d = 0; d < letters.size(); ++d) {
    layout.dimension[d] = extents.at(letters[d]);
    if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>) {
      layout.stride[d] = 1;
    }
  }
  return View(typename View::pointer_type(nullptr), layout);
}

template <class Level, Spec S, class T>
void check_nary(Random& random) {
  using Space = typename Level::space;
  constexpr int inputs = inputs_of<S>();
  const std::string text(text_of<S>());
  const Letters letters(text);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    using Output = view_t<T, rank_of<S>(inputs), Kokkos::LayoutStride, Space>;
    for (int repeat = 0; repeat < 2; ++repeat) {
      Extents extents;
      for (const char c : letters.all()) extents[c] = random.integer(1, 3);
      // Exactly as much as is asked for.
      using Kernels = typename KernelSpace<Level>::type;
      const std::size_t bytes = SerialContract<S>::template scratch_bytes<Kernels>(
          shaped<view_t<const T, rank_of<S>(I), Kokkos::LayoutStride, Space>>(letters.inputs[I],
                                                                              extents)...,
          shaped<Output>(letters.output, extents));
      ASSERT_LE(bytes, enough);
      check_operation<Level, NaryOp<S>, Output,
                      view_t<const T, rank_of<S>(I), Kokkos::LayoutStride, Space>...>(
          random, text, extents, 3, scratch_for<Level>(bytes));
    }
  }(std::make_index_sequence<inputs>{});
}

template <class Level, class T, class List>
void check_strings(List) {
  Random random;
  List::for_each([&]<Spec S> { check_nary<Level, S, T>(random); });
}

template <class Level>
class Nary : public testing::Test {};
TYPED_TEST_SUITE(Nary, Levels, LevelNames);

template <class Level>
class NaryFewLevels : public testing::Test {};
TYPED_TEST_SUITE(NaryFewLevels, FewLevels, LevelNames);

TYPED_TEST(Nary, Double) {
  check_strings<TypeParam, double>(Strings<"xa,yb,zc,abc->xyz", "ij,jk,kl->il">{});
}
TYPED_TEST(NaryFewLevels, Double) {
  check_strings<TypeParam, double>(
      Strings<"ij,jk,kl,lm->im", "ai,bi,ci->abc", "i,j,k->ijk", "a,ab,b->", "ij,ij,ij->ij">{});
}
TYPED_TEST(NaryFewLevels, Complex) {
  check_strings<TypeParam, Kokkos::complex<double>>(Strings<"a*,ab,b->", "ik,kl*,lj->ij">{});
}

// --- Static extents -----------------------------------------------------------------------------

template <class Level, class Op>
void check_static() {
  Random random;
  using Memory = typename Level::space::memory_space;
  using Right = Kokkos::LayoutRight;
  // With equal extents each worker might find what it needs among its own results, on some machine,
  // and a missing barrier would not show.
  using U = Kokkos::View<double[5][7][9], Right, Memory, Unmanaged>;
  using A = Kokkos::View<const double[5][3], Right, Memory, Unmanaged>;
  using B = Kokkos::View<const double[7][4], Right, Memory, Unmanaged>;
  using C = Kokkos::View<const double[9][5], Right, Memory, Unmanaged>;
  using V = Kokkos::View<const double[3][4][5], Right, Memory, Unmanaged>;
  check_operation<Level, Op, U, A, B, C, V>(
      random, "xa,yb,zc,abc->xyz", {{'x', 5}, {'y', 7}, {'z', 9}, {'a', 3}, {'b', 4}, {'c', 5}}, 3,
      scratch_for<Level>(4096));
}

TYPED_TEST(Nary, Static) { check_static<TypeParam, NaryOp<"xa,yb,zc,abc->xyz">>(); }

#ifndef KOKKOSCONTRACT_TEST_TSAN
TEST(NarySerial, StaticWithoutScratch) {
  check_static<Serial, WithoutScratch<"xa,yb,zc,abc->xyz">>();
}

// The cheapest order is not from the left: (AB)C is 8 * 8 * 1 * ..., A(BC) is far less.
TEST(NarySerial, StaticOrder) {
  Random random;
  using Memory = Serial::space::memory_space;
  using Right = Kokkos::LayoutRight;
  check_operation<Serial, WithoutScratch<"ij,jk,kl->il">,
                  Kokkos::View<double[9][1], Right, Memory, Unmanaged>,
                  Kokkos::View<const double[9][8], Right, Memory, Unmanaged>,
                  Kokkos::View<const double[8][7], Right, Memory, Unmanaged>,
                  Kokkos::View<const double[7][1], Right, Memory, Unmanaged>>(
      random, "ij,jk,kl->il", {{'i', 9}, {'j', 8}, {'k', 7}, {'l', 1}});
}
#endif

// --- Extents that disagree ----------------------------------------------------------------------

/// Operands of "ij,jk,kl->il" where one of these is not the extent in the operand before (4, 5, 6):
/// nothing is written, even if alpha is zero.
template <class Level>
void check_disagreement(int other_j, int other_k, int other_l) {
  using Space = typename Level::space;
  using View = view_t<const double, 2, Kokkos::LayoutStride, Space>;
  using Output = view_t<double, 2, Kokkos::LayoutStride, Space>;
  Random random;
  std::tuple<tensor_for_t<View, Space>, tensor_for_t<View, Space>, tensor_for_t<View, Space>>
      inputs{{random, {3, 4}, Arrangement::strided, 2},
             {random, {other_j, 5}, Arrangement::strided, 2},
             {random, {other_k, 6}, Arrangement::strided, 2}};
  tensor_for_t<Output, Space> output(random, {3, other_l}, Arrangement::strided, 2);
  auto start = make_start<Level, NaryOp<"ij,jk,kl->il">, Output, View, View, View>(
      std::type_identity<double>{}, output, inputs, scratch_for<Level>(enough));
  start.checks_barriers = false;  // not all calls reach one
  for (const double alpha : {0.5, 0.}) {
    check_configurations(start, alpha, 2., [&](int, int code) {
      EXPECT_EQ(code, -1) << "alpha " << alpha;
      EXPECT_TRUE(output.unchanged()) << "alpha " << alpha;
    });
  }
}

TYPED_TEST(NaryFewLevels, ExtentsThatDisagree) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  check_disagreement<TypeParam>(3, 5, 6);
  check_disagreement<TypeParam>(4, 4, 6);
  check_disagreement<TypeParam>(4, 5, 7);
}

// --- Too little scratch
// ---------------------------------------------------------------------------

#ifndef KOKKOSCONTRACT_CHECKED
TEST(NarySerial, TooLittleScratch) {
  using Host = Kokkos::HostSpace;
  double a[4] = {1, 2, 3, 4}, c[4] = {5, 6, 7, 8};
  const Kokkos::View<double**, Kokkos::LayoutRight, Host, Unmanaged> matrix(a, 2, 2), out(c, 2, 2);
  alignas(64) char memory[64];
  const int code = SerialContract<"ij,jk,kl->il">::invoke(KokkosContract::Scratch{memory + 1, 16},
                                                          1., matrix, matrix, matrix, 0., out);
  EXPECT_LT(code, 0);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(c[i], 5 + i);
}

/// A View as scratch memory lends its own elements only, not what lies between them.
TEST(NarySerial, ScratchWithGaps) {
  using Host = Kokkos::HostSpace;
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> a("a", 2, 2), c("c", 2, 2);
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> memory("memory", 16, 16);
  Kokkos::deep_copy(memory, 7);
  const auto call = [&](const auto& scratch) {
    return SerialContract<"ij,jk,kl->il">::invoke(scratch, 1., a, a, a, 0., c);
  };
  EXPECT_EQ(call(Kokkos::subview(memory, Kokkos::ALL, 3)), -3);
  EXPECT_EQ(call(Kokkos::subview(memory, Kokkos::ALL, std::pair(0, 8))), -3);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(memory.data()[i], 7);
  EXPECT_EQ(call(Kokkos::subview(memory, std::pair(8, 16), Kokkos::ALL)), 0);
  for (int i = 0; i < 128; ++i) EXPECT_EQ(memory.data()[i], 7);
}
#endif

}  // namespace
}  // namespace KokkosContract::Test
