// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functors between the operands of a contraction, the order of many operands, and the outputs that
// a chain has.
#include <gtest/gtest.h>

#include "NaryOp.hpp"
#include "PackLanes.hpp"

namespace KokkosContract::Test {
namespace {

using Right = Kokkos::LayoutRight;
template <class T>
using SerialView = Kokkos::View<T, Right, Serial::space::memory_space, Unmanaged>;

// --- A functor that multiplies by a tensor: a contraction with one operand more ---

template <class D>
struct Times {
  D d;
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& value, int x, int y) const {
    return value * d(x, y);
  }
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& value, int x, int y, int z) const {
    return value * d(x, y, z);
  }
};

/// The mass action of two dimensions, where the operand of the points becomes a functor.
template <Spec S = "xa,yb,ab,xi,yj->ij">
struct Mass2 {
  template <class Caller, class A, class B, class V, class D, class X, class Y, class U>
  KOKKOS_FUNCTION static int call(const Caller& caller, double alpha, const A& a, const B& b,
                                  const V& v, const D& d, const X& x, const Y& y, double beta,
                                  const U& u) {
    return NaryOp<S>::call(caller, alpha, a, b, v, pointwise<"xy">(Times<D>{d}), x, y, beta, u);
  }
};

template <class Level>
void check_mass2_static() {
  using Memory = typename Level::space::memory_space;
  using A = Kokkos::View<const double[5][3], Right, Memory, Unmanaged>;
  using B = Kokkos::View<const double[7][4], Right, Memory, Unmanaged>;
  using V = Kokkos::View<const double[3][4], Right, Memory, Unmanaged>;
  using D = Kokkos::View<const double[5][7], Right, Memory, Unmanaged>;
  using X = Kokkos::View<const double[5][2], Right, Memory, Unmanaged>;
  using Y = Kokkos::View<const double[7][6], Right, Memory, Unmanaged>;
  using U = Kokkos::View<double[2][6], Right, Memory, Unmanaged>;
  Random random;
  check_operation<Level, Mass2<>, U, A, B, V, D, X, Y>(
      random, "xa,yb,ab,xy,xi,yj->ij", {{'x', 5}, {'y', 7}, {'a', 3}, {'b', 4}, {'i', 2}, {'j', 6}},
      3, scratch_for<Level>(1024));
}

template <class Level>
class Chain : public testing::Test {};
TYPED_TEST_SUITE(Chain, Levels, LevelNames);

TYPED_TEST(Chain, Functor) { check_mass2_static<TypeParam>(); }

#ifndef KOKKOSCONTRACT_TEST_TSAN
TEST(ChainSerial, FunctorWithRunTimeExtents) {
  using In = view_t<const double, 2, Kokkos::LayoutStride, Serial::space>;
  using Out = view_t<double, 2, Kokkos::LayoutStride, Serial::space>;
  Random random;
  check_operation<Serial, Mass2<>, Out, In, In, In, In, In, In>(
      random, "xa,yb,ab,xy,xi,yj->ij",
      {{'x', 5}, {'y', 4}, {'a', 3}, {'b', 4}, {'i', 2}, {'j', 1}});
}

template <Spec S>
struct WithoutScratch {
  template <class... Args>
  KOKKOS_FUNCTION static int call(const SerialCaller&, const Args&... args) {
    return SerialContract<S>::invoke(args...);
  }
};

// The longest string, by sum factorisation: in any other order it would need more than the memory
// of the test's machine.
TEST(ChainSerial, MassActionOfEightOperands) {
  Random random;
  check_operation<Serial, WithoutScratch<"xa,yb,zc,abc,xyz,xi,yj,zk->ijk">,
                  SerialView<double[2][2][2]>, SerialView<const double[3][2]>,
                  SerialView<const double[3][2]>, SerialView<const double[3][2]>,
                  SerialView<const double[2][2][2]>, SerialView<const double[3][3][3]>,
                  SerialView<const double[3][2]>, SerialView<const double[3][2]>,
                  SerialView<const double[3][2]>>(
      random, "xa,yb,zc,abc,xyz,xi,yj,zk->ijk",
      {{'x', 3}, {'y', 3}, {'z', 3}, {'a', 2}, {'b', 2}, {'c', 2}, {'i', 2}, {'j', 2}, {'k', 2}},
      2);
}

// --- What a functor is asked for ---

/// Counts its calls, and is neither linear nor the same everywhere.
struct Bend {
  SerialView<int[3][4]> calls;
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& value, int i, int k) const {
    Kokkos::atomic_inc(&calls(i, k));
    return value * value + T(10 * i + k);
  }
};
struct Negative {
  KOKKOS_FUNCTION double operator()(double value, int l, int i) const {
    return -value + (l - 2 * i);
  }
};
struct Magnitude {
  KOKKOS_FUNCTION double operator()(double value, int, int) const { return Kokkos::abs(value); }
};
struct PlusIndex {
  KOKKOS_FUNCTION double operator()(double value, int i, int m) const {
    return value + (100 * i + m);
  }
};

/// Two functors and an epilogue; then a functor behind one operand, and behind all.
struct SeveralFunctors {
  SerialView<double[3][5]> a;
  SerialView<double[5][4]> b;
  SerialView<double[4][2]> c;
  SerialView<double[2][6]> d;
  SerialView<double[3][6]> out;
  SerialView<double[3]> row_sums, all;
  SerialView<int[3][4]> calls;
  KOKKOS_FUNCTION void operator()(int) const {
    require_success(SerialContract<"ij,jk,kl,lm->im">::invoke(
        2., a, b, pointwise<"ik">(Bend{calls}), c, pointwise<"li">(Negative{}), d, 0., out,
        PlusIndex{}));
    require_success(
        SerialContract<"i+j->i">::invoke(1., a, pointwise<"ij">(Magnitude{}), 0., row_sums));
    require_success(
        SerialContract<"ij,j+k->i">::invoke(1., a, b, pointwise<"ik">(Magnitude{}), 0., all));
  }
};

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
}
template <class View>
View filled(double scale) {
  View view("view");
  auto host = Kokkos::create_mirror_view(view);
  for (int i = 0; i < view.extent_int(0); ++i) {
    for (int j = 0; j < view.extent_int(1); ++j) host(i, j) = (i * 3 + j * 5) % 7 * scale - 1;
  }
  Kokkos::deep_copy(view, host);
  return view;
}
template <class T>
using Owned = Kokkos::View<T, Right, Serial::space>;

TEST(ChainSerial, SeveralFunctors) {
  const auto a = filled<Owned<double[3][5]>>(0.5);
  const auto b = filled<Owned<double[5][4]>>(0.25);
  const auto c = filled<Owned<double[4][2]>>(0.5);
  const auto d = filled<Owned<double[2][6]>>(0.25);
  const Owned<double[3][6]> out("out");
  const Owned<double[3]> row_sums("row_sums"), all("all");
  const Owned<int[3][4]> calls("calls");
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Serial::space>(0, 1),
                       SeveralFunctors{a, b, c, d, out, row_sums, all, calls});
  const auto A = on_host(a);
  const auto B = on_host(b);
  const auto C = on_host(c);
  const auto D = on_host(d);
  const auto result = on_host(out);
  const auto sums = on_host(row_sums);
  const auto sums_of_product = on_host(all);
  const auto count = on_host(calls);
  for (int i = 0; i < 3; ++i) {
    double ab[4]{}, abc[2]{}, row_sum = 0, sum_of_product = 0;
    for (int j = 0; j < 5; ++j) row_sum += std::abs(A(i, j));
    for (int k = 0; k < 4; ++k) {
      for (int j = 0; j < 5; ++j) ab[k] += A(i, j) * B(j, k);
      sum_of_product += std::abs(ab[k]);
      EXPECT_EQ(count(i, k), 1);
      for (int l = 0; l < 2; ++l) abc[l] += (ab[k] * ab[k] + 10 * i + k) * C(k, l);
    }
    for (int m = 0; m < 6; ++m) {
      double value = 0;
      for (int l = 0; l < 2; ++l) value += (-abc[l] + (l - 2 * i)) * D(l, m);
      EXPECT_DOUBLE_EQ(result(i, m), 2 * value + (100 * i + m)) << i << " " << m;
    }
    EXPECT_DOUBLE_EQ(sums(i), row_sum);
    EXPECT_DOUBLE_EQ(sums_of_product(i), sum_of_product);
  }
}

// --- The outputs of a chain ---

/// All problems add to one tensor; with another beta nothing happens.
struct AddAll {
  using Atomic = Kokkos::View<double[3][6], Right, Serial::space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::Atomic>>;
  SerialView<double[3][5]> a;
  SerialView<double[5][2]> b;
  SerialView<double[2][6]> c;
  Atomic out;
  double beta;
  KOKKOS_FUNCTION void operator()(int, int& code) const {
    code += SerialContract<"ij,jk,kl->il">::invoke(0.5, a, b, c, beta, out);
  }
};

TEST(ChainSerial, AtomicOutput) {
  const auto a = filled<Owned<double[3][5]>>(0.5);
  const auto b = filled<Owned<double[5][2]>>(0.25);
  const auto c = filled<Owned<double[2][6]>>(0.5);
  const auto out = filled<Owned<double[3][6]>>(1);
  const auto before = on_host(filled<Owned<double[3][6]>>(1));
  constexpr int problems = 40;
  for (const double beta : {1., 2.}) {
    if (Impl::checked_build && beta != 1) continue;  // such a call ends a checked build
    int code = 0;
    Kokkos::parallel_reduce("test", Kokkos::RangePolicy<Serial::space>(0, problems),
                            AddAll{a, b, c, out, beta}, code);
    EXPECT_EQ(code < 0, beta != 1);
  }
  const auto A = on_host(a);
  const auto B = on_host(b);
  const auto C = on_host(c);
  const auto result = on_host(out);
  for (int i = 0; i < 3; ++i) {
    for (int l = 0; l < 6; ++l) {
      double value = 0;
      for (int j = 0; j < 5; ++j) {
        for (int k = 0; k < 2; ++k) value += A(i, j) * B(j, k) * C(k, l);
      }
      // Exact: multiples of 2^-6.
      EXPECT_EQ(result(i, l), before(i, l) + problems * 0.5 * value);
    }
  }
}

// --- Packs, where a functor gets all lanes at once; here with the same letters on both sides ---

TEST(ChainSerial, Packs) {
  using P = Pack<double, 4>;
  Random random;
  check_operation<Serial, Mass2<"xa,yb,ab,xa,yb->ab">, SerialView<P[3][4]>,
                  SerialView<const double[5][3]>, SerialView<const double[6][4]>,
                  SerialView<const P[3][4]>, SerialView<const P[5][6]>,
                  SerialView<const double[5][3]>, SerialView<const double[6][4]>>(
      random, "xa,yb,ab,xy,xi,yj->ij", {{'x', 5}, {'y', 6}, {'a', 3}, {'b', 4}, {'i', 3}, {'j', 4}},
      2);
}
#endif

// --- What the compiler decides ---

consteval Impl::LetterExtents extents_of_letters(const Impl::Parsed& p, std::ptrdiff_t points,
                                                 std::ptrdiff_t unknowns) {
  Impl::LetterExtents extents{};
  for (int i = 0; i < p.inputs; ++i) {
    for (int d = 0; d < p.input[i].rank; ++d) {
      const char c = p.input[i].letter[d];
      extents.extent[c - 'a'] = c >= 'x' ? points : unknowns;
    }
  }
  return extents;
}

/// Multiplications of a chain.
template <Spec S>
consteval double work(const Impl::Marks& marks) {
  const Impl::Parsed p = Impl::parse(S);
  const Impl::LetterExtents extents = extents_of_letters(p, 10, 9);
  const Impl::Chain chain = Impl::make_chain(p, marks, extents);
  double products = 0;
  for (int s = 0; s < chain.steps; ++s) {
    Impl::LetterSet letters = Impl::letters_of(chain.slot[chain.step[s].a]);
    if (chain.step[s].b >= 0) letters |= Impl::letters_of(chain.slot[chain.step[s].b]);
    products += Impl::volume(letters, extents);
  }
  return products;
}

TEST(ChainOrder, IsSumFactorisation) {
  constexpr double interpolation = 10. * 9 * 9 * 9 + 10. * 10 * 9 * 9 + 10. * 10 * 10 * 9;
  static_assert(work<"xa,yb,zc,abc->xyz">({}) == interpolation);
  static_assert(work<"abc,zc,xa,yb->xyz">({}) == interpolation);
  static_assert(work<"xa,yb,zc,abc,xyz,xi,yj,zk->ijk">({}) == 2 * interpolation + 1000);
  static_assert(work<"xi,xyz,xa,zk,abc,yb,yj,zc->ijk">({}) == 2 * interpolation + 1000);
  constexpr Impl::Marks marks =
      Impl::marks_of<int, int, int, int, KokkosContract::Pointwise<"xyz", int>>(0);
  static_assert(marks.count == 1 && marks.before[0] == 4);
  static_assert(work<"xa,yb,zc,abc,xi,yj,zk->ijk">(marks) == 2 * interpolation);
}

TEST(ChainOrder, IntermediatesTakeTurnsInTwoBuffers) {
  constexpr Impl::Parsed p = Impl::parse(Spec("xa,yb,zc,abc,xyz,xi,yj,zk->ijk"));
  constexpr Impl::Chain chain = Impl::make_chain(p, {}, extents_of_letters(p, 10, 9));
  static_assert(chain.steps == 7 && chain.buffers == 2);
  for (int s = 0; s + 1 < chain.steps; ++s) EXPECT_EQ(chain.step[s].buffer, s % 2);
}

}  // namespace
}  // namespace KokkosContract::Test
