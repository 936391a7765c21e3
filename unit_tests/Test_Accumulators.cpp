// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type of a sum is the widest of its operands, the result among them: sums of narrow numbers
// that only the type of the result holds, by all routines that add up.
#include <gtest/gtest.h>

#include <KokkosContract/Axpy.hpp>
#include <KokkosContract/Dot.hpp>
#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/Gemv.hpp>
#include <KokkosContract/Ger.hpp>
#include <KokkosContract/Norm.hpp>
#include <KokkosContract/Pack.hpp>
#include <KokkosContract/Scratch.hpp>
#include <KokkosContract/Syr.hpp>

#include "NaryOp.hpp"
#include "RoutineForms.hpp"

namespace KokkosContract::Test {
namespace {

namespace Routines = KokkosContract::Impl;
using Right = Kokkos::LayoutRight;
using N = Trans::NoTranspose;

/// A narrow type, the wide one of its sums, and the wide one of its norms.
template <class Narrow, class Wide, class Real = Wide>
struct Types {
  using narrow = Narrow;
  using wide = Wide;
  using real = Real;
};
using Floats = Types<float, double>;
using ComplexFloats = Types<Kokkos::complex<float>, Kokkos::complex<double>, double>;
using Packs = Types<Pack<float, 4>, Pack<double, 4>>;
using ComplexPacks =
    Types<Pack<Kokkos::complex<float>, 2>, Pack<Kokkos::complex<double>, 2>, Pack<double, 2>>;

/// The rows of a and the columns of b are x. Results are s, v, w, and of norms r.
template <class Level, class T>
struct Sums {
  using Space = typename Level::space;
  template <class E, int Rank>
  using View = Kokkos::View<typename view_t<E, Rank, Right, Space>::data_type, Right, Space>;
  View<typename T::narrow, 1> x, ones, huge;
  View<typename T::narrow, 2> a, b;
  View<typename T::wide, 1> v;
  View<typename T::wide, 2> w;
  View<typename T::wide, 0> s;
  View<typename T::real, 0> r;
  int number;

  template <class Routine, class L, class... Args>
  KOKKOS_FUNCTION static int call(const L& level, const Args&... args) {
    return RoutineOp<Routine>::call(level, args...);
  }
  template <class L>
  KOKKOS_FUNCTION int operator()(const L& level, int) const {
    namespace I = Routines;
    switch (number) {
      case 0:
        return call<I::NormRoutine<Norm::Frobenius, 1>>(level, x, r);
      case 1:
        return call<I::NormRoutine<I::SumOfParts, 1>>(level, x, r);
      case 2:
        return call<I::NormRoutine<Norm::One, 2>>(level, b, r);
      case 3:
        return call<I::NormRoutine<Norm::Infinity, 2>>(level, a, r);
      case 4:
        return call<I::NormRoutine<Norm::Frobenius, 2>>(level, a, r);
      case 5:
        return call<I::NormRoutine<Norm::Frobenius, 1>>(level, huge, r);
      case 6:
        return call<I::NormRoutine<Norm::Max, 2>>(level, a, r);
      case 7:
        return call<I::DotRoutine<N>>(level, x, ones, s);
      case 8:
        return ContractOp<"i,i->">::call(level, 1, x, ones, 0, s);
      case 9:
        return ContractOp<"ii->">::call(level, 1, a, 0, s);
      case 10:
        return ContractOp<"ij->i">::call(level, 1, a, 0, v);
      case 11:
        return ContractOp<"ij,j->i">::call(level, 1, a, ones, 0, v);
      case 12:
        return call<I::GemvRoutine<N>>(level, 1, a, ones, 0, v);
      case 13:
        return call<I::GemmRoutine<N, N>>(level, 1, a, b, 0, w);
      case 14:
        return call<I::AxpyRoutine>(level, 1, x, v);
      case 15:
        return call<I::GerRoutine<Trans::Transpose>>(level, 1, x, x, w);
      case 16:
        return call<I::SyrRoutine<Uplo::Lower, Trans::Transpose>>(level, 1, x, w);
      default:
        return NaryOp<"ij,j,k->ik">::call(level, 1, a, ones, x, 0, w);
    }
  }
};

template <class T>
class Accumulators : public testing::Test {};
TYPED_TEST_SUITE(Accumulators, Levels, LevelNames);

/// The first lane of a pack, as the others are the same.
template <class T>
auto number_of(const T& x) {
  if constexpr (Routines::is_pack<T>) {
    for (int l = 1; l < T::length; ++l) EXPECT_EQ(x[l], x[0]);
    return x[0];
  } else {
    return x;
  }
}

template <class Level, class T>
void check_sums() {
  using S = Sums<Level, T>;
  using Narrow = typename T::narrow;
  using Wide = typename T::wide;
  constexpr int n = 6;
  S sums{decltype(S::x)("x", n),       decltype(S::ones)("ones", n),
         decltype(S::huge)("huge", n), decltype(S::a)("a", n, n),
         decltype(S::b)("b", n, n),    decltype(S::v)("v", n),
         decltype(S::w)("w", n, n),    decltype(S::s)("s"),
         decltype(S::r)("r"),          0};
  const float large = 0x1p24F;
  const auto fill = [](const auto& view, const auto& f) {
    const auto host = Kokkos::create_mirror_view(view);
    if constexpr (std::decay_t<decltype(view)>::rank() == 1) {
      for (int i = 0; i < n; ++i) host(i) = f(0, i);
    } else {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) host(i, j) = f(i, j);
      }
    }
    Kokkos::deep_copy(view, host);
  };
  const auto narrow = [](float x) { return Narrow(Routines::scalar_t<Narrow>(x)); };
  const auto wide = [](double x) { return Wide(Routines::scalar_t<Wide>(x)); };
  const auto element = [&](int i) { return narrow(i == 0 ? large : 1.F); };
  fill(sums.x, [&](int, int i) { return element(i); });
  fill(sums.ones, [&](int, int) { return narrow(1); });
  fill(sums.huge, [&](int, int) { return narrow(3e38F); });
  fill(sums.a, [&](int, int j) { return element(j); });
  fill(sums.b, [&](int i, int) { return element(i); });
  const double total = large + (n - 1.0), square = static_cast<double>(large) * large;
  const double two_norm = std::sqrt(square + n - 1);
  for (int number = 0; number <= 17; ++number) {
    SCOPED_TRACE("routine " + std::to_string(number));
    sums.number = number;
    const auto restore = [&] {
      // What is added to is not a float.
      Kokkos::deep_copy(sums.v, wide(number == 14 ? 0x1p-26 : 0));
      Kokkos::deep_copy(sums.w, wide(number == 15 || number == 16 ? 0x1p-26 : 0));
    };
    const auto verify = [&](int code) {
      EXPECT_EQ(code, 0);
      const auto host = [](const auto& view) {
        return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
      };
      const auto r = number_of(host(sums.r)());
      const auto s = number_of(host(sums.s)());
      const auto v = host(sums.v);
      const auto w = host(sums.w);
      using E = decltype(s);
      switch (number) {
        case 0:
          EXPECT_DOUBLE_EQ(r, two_norm);
          break;
        case 1:
        case 2:
        case 3:
          EXPECT_EQ(r, total);
          break;
        case 4:
          EXPECT_DOUBLE_EQ(r, std::sqrt(n * (square + n - 1)));
          break;
        case 5:
          EXPECT_DOUBLE_EQ(r, static_cast<double>(3e38F) * std::sqrt(n));
          break;
        case 6:
          EXPECT_EQ(r, large);
          break;
        case 7:
        case 8:
          EXPECT_EQ(s, E(total));
          break;
        case 9:
          EXPECT_EQ(s, E(total));
          break;
        case 10:
        case 11:
        case 12:
          EXPECT_EQ(number_of(v(n - 1)), E(total));
          break;
        case 13:
          EXPECT_EQ(number_of(w(1, 1)), E(square + n - 1));
          break;
        case 14:
          EXPECT_EQ(number_of(v(1)), E(1 + 0x1p-26));
          break;
        case 15:
        case 16:
          EXPECT_EQ(number_of(w(2, 1)), E(1 + 0x1p-26));
          break;
        default:
          EXPECT_EQ(number_of(w(1, 1)), E(total));
      }
    };
    for_each_configuration<Level>(sums, restore, verify, scratch_for<Level>(enough));
  }
}

TYPED_TEST(Accumulators, AreAsWideAsTheResult) {
  check_sums<TypeParam, Floats>();
  check_sums<TypeParam, ComplexFloats>();
  check_sums<TypeParam, Packs>();
  check_sums<TypeParam, ComplexPacks>();
}

// A narrow result keeps the sum of wide numbers; of 16-bit floats it is one of floats.
TEST(AccumulatorsOneThread, AreAsWideAsTheElements) {
  using Half = Kokkos::Experimental::half_t;
  const Kokkos::View<double*, Kokkos::HostSpace> x("x", 3);
  const Kokkos::View<Half*, Kokkos::HostSpace> h("h", 3);
  const Kokkos::View<float, Kokkos::HostSpace> r("r");
  x(1) = 1, x(2) = 1;
  x(0) = 0x1p24;
  EXPECT_EQ(SerialAsum::invoke(x, r), 0);
  EXPECT_EQ(r(), static_cast<float>(0x1p24 + 2));
  h(0) = Half(2048.F), h(1) = Half(1.F), h(2) = Half(1.F);
  EXPECT_EQ(SerialAsum::invoke(h, r), 0);
  EXPECT_EQ(r(), 2050.F);
}

}  // namespace
}  // namespace KokkosContract::Test
