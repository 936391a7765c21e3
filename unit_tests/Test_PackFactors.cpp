// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A zero in a lane of a factor that is a pack: what it multiplies does not count in this lane, as
// if it were not read. All routines with factors, with NaN and infinite numbers in such lanes.
#include <gtest/gtest.h>

#include <KokkosContract/Axpy.hpp>
#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/Gemv.hpp>
#include <KokkosContract/Ger.hpp>
#include <KokkosContract/HostContract.hpp>
#include <KokkosContract/Pack.hpp>
#include <KokkosContract/Set.hpp>
#include <KokkosContract/Syr.hpp>
#include <KokkosContract/Trmm.hpp>
#include <KokkosContract/Trsm.hpp>
#include <KokkosContract/Trsv.hpp>
#include <limits>

#include "NaryOp.hpp"
#include "RoutineForms.hpp"

namespace KokkosContract::Test {
namespace {

namespace Routines = KokkosContract::Impl;
using Right = Kokkos::LayoutRight;
using N = Trans::NoTranspose;
using T = Trans::Transpose;
constexpr int n = 5;
constexpr int routines = 19;

struct Twice {
  template <class P>
  KOKKOS_FUNCTION P operator()(const P& value, int, int) const {
    return value + value;
  }
};

/// The result is c, or y of vectors.
template <class Level, class P>
struct Calls {
  using Space = typename Level::space;
  template <class Data>
  using View = Kokkos::View<Data, Right, Space>;
  View<P[n][n]> a, b, c;
  View<P[n]> x, y;
  P alpha, beta;
  int number;

  template <class Routine, class L, class... Args>
  KOKKOS_FUNCTION static int call(const L& level, const Args&... args) {
    return RoutineOp<Routine>::call(level, args...);
  }
  template <class L>
  KOKKOS_FUNCTION int operator()(const L& level, int) const {
    namespace I = Routines;
    using Kokkos::subview;
    // Extents that only the run tells.
    const auto all = Kokkos::pair<int, int>(0, n);
    const auto a_n = subview(a, all, all), c_n = subview(c, all, all);
    const auto y_n = subview(y, all);
    using Lower = Uplo::Lower;
    using Upper = Uplo::Upper;
    using Any = Diag::NonUnit;
    switch (number) {
      case 0:
        return call<I::TrsvRoutine<Lower, N, Any>>(level, alpha, a, y);
      case 1:
        return call<I::TrsvRoutine<Upper, T, Diag::Unit>>(level, alpha, a_n, y_n);
      case 2:
        return call<I::TrsmRoutine<Side::Left, Lower, N, Any>>(level, alpha, a, c);
      case 3:
        return call<I::TrsmRoutine<Side::Right, Upper, N, Any>>(level, alpha, a_n, c_n);
      case 4:
        return call<I::TrsmRoutine<Side::Left, Upper, T, Diag::Unit>>(level, alpha, a_n, c_n);
      case 5:
        return call<I::TrmmRoutine<Side::Left, Lower, N, Any>>(level, alpha, a, c);
      case 6:
        return call<I::TrmmRoutine<Side::Right, Lower, T, Diag::Unit>>(level, alpha, a_n, c_n);
      case 7:
        return call<I::ScaleRoutine>(level, alpha, c);
      case 8:
        return call<I::ScaleRoutine>(level, alpha, y_n);
      case 9:
        return call<I::AxpyRoutine>(level, alpha, x, y);
      case 10:
        return call<I::GerRoutine<T>>(level, alpha, x, x, c);
      case 11:
        return call<I::SyrRoutine<Lower, T>>(level, alpha, x, c);
      case 12:
        return call<I::SyrRoutine<Upper, Trans::ConjTranspose>>(level, alpha, x, c_n);
      case 13:
        return call<I::GemmRoutine<N, T>>(level, alpha, a, b, beta, c);
      case 14:
        return call<I::GemvRoutine<T>>(level, alpha, a_n, x, beta, y_n);
      case 15:
        return ContractOp<"ij->ji">::call(level, alpha, a, beta, c);
      case 16:
        return ContractOp<"ij,jk->ik">::call(level, alpha, a_n, b, beta, c_n, Twice{});
      case 17:
        return NaryOp<"ij,jk,k->i">::call(level, alpha, a, b, x, beta, y);
      default:
        return NaryOp<"ij,jk,kl->il">::call(level, alpha, a_n, b, a_n, beta, c_n);
    }
  }
};
/// What a zero in alpha hides besides the inputs: the output, where it is multiplied, too.
constexpr bool hides_output(int number) { return number <= 8; }
/// Whether a routine has no beta.
constexpr bool adds_to_output(int number) { return number >= 9 && number <= 12; }

template <class P>
P lanes_of(std::initializer_list<int> values) {
  P result;
  int l = 0;
  for (const int value : values) {
    if (l < P::length) result[l++] = Routines::scalar_t<P>(value);
  }
  return result;
}

/// Numbers whose sums and quotients are exact; where a lane of `factor` is zero, others if
/// `spoiled`.
template <class P, class View>
void fill(const View& view, const P& factor, bool spoiled) {
  using S = Routines::scalar_t<P>;
  using R = Routines::real_t<P>;
  const auto host = Kokkos::create_mirror_view(view);
  constexpr R infinity = std::numeric_limits<R>::infinity();
  constexpr R nan = std::numeric_limits<R>::quiet_NaN();
  for (std::size_t e = 0; e < host.size(); ++e) {
    for (int l = 0; l < P::length; ++l) {
      const bool diagonal = View::rank() == 2 && e % (n + 1) == 0;
      S x(static_cast<R>(diagonal ? 2 : static_cast<int>(e * 7 + l) % 5 - 2));
      if (spoiled && factor[l] == S(0)) x = S(e % 2 == 0 ? nan : infinity);
      host.data()[e][l] = x;
    }
  }
  Kokkos::deep_copy(view, host);
}

template <class Level>
class PackFactors : public testing::Test {};
TYPED_TEST_SUITE(PackFactors, Levels, LevelNames);

template <class Level, class P>
void check_factors() {
  using All = Calls<Level, P>;
  All calls{decltype(All::a)("a"),
            decltype(All::b)("b"),
            decltype(All::c)("c"),
            decltype(All::x)("x"),
            decltype(All::y)("y"),
            {},
            {},
            0};
  const P ones(Routines::scalar_t<P>(1));
  for (const auto& [alpha, beta] :
       {std::pair{lanes_of<P>({0, 2, 0, 1}), lanes_of<P>({1, 0, 0, 2})},
        std::pair{lanes_of<P>({2, 0, 1, 1}), lanes_of<P>({0, 0, 0, 0})},
        std::pair{lanes_of<P>({0, 0, 0, 0}), lanes_of<P>({2, 0, 1, 0})}}) {
    calls.alpha = alpha;
    calls.beta = beta;
    for (int number = 0; number < routines; ++number) {
      SCOPED_TRACE("routine " + std::to_string(number));
      calls.number = number;
      std::vector<P> expected;
      for (const bool spoiled : {false, true}) {
        const auto restore = [&] {
          fill(calls.a, calls.alpha, spoiled);
          fill(calls.b, calls.alpha, spoiled);
          fill(calls.x, calls.alpha, spoiled);
          const P of_output = hides_output(number)     ? calls.alpha
                              : adds_to_output(number) ? ones
                                                       : calls.beta;
          fill(calls.c, of_output, spoiled);
          fill(calls.y, of_output, spoiled);
        };
        // Elements that a routine does not write are compared, too.
        const auto verify = [&](int code) {
          EXPECT_EQ(code, 0);
          const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), calls.c);
          const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), calls.y);
          constexpr bool of_vector[] = {true,  true,  false, false, false, false, false,
                                        false, true,  true,  false, false, false, false,
                                        true,  false, false, true,  false};
          const P* const result = of_vector[number] ? y.data() : c.data();
          const int size = of_vector[number] ? n : n * n;
          if (!spoiled) {
            expected.assign(result, result + size);
          } else {
            for (int e = 0; e < size; ++e) {
              for (int l = 0; l < P::length; ++l) {
                EXPECT_EQ(result[e][l], expected[e][l]) << "element " << e << ", lane " << l;
              }
            }
          }
        };
        for_each_configuration<Level>(calls, restore, verify, scratch_for<Level>(enough));
      }
    }
  }
}

TYPED_TEST(PackFactors, ZeroInALane) {
  check_factors<TypeParam, Pack<double, 4>>();
  check_factors<TypeParam, Pack<float, 3>>();
  check_factors<TypeParam, Pack<Kokkos::complex<double>, 2>>();
}

TEST(PackFactorsHost, ZeroInALane) {
  using P = Pack<double, 4>;
  using Space = Kokkos::DefaultExecutionSpace;
  const Kokkos::View<P[n][n], Right, Space> a("a"), b("b"), c("c");
  const P alpha = lanes_of<P>({0, 2, 0, 1}), beta = lanes_of<P>({1, 0, 0, 2});
  std::vector<P> expected[2];
  for (const bool spoiled : {false, true}) {
    const auto check = [&](std::vector<P>& results) {
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
      for (std::size_t e = 0; e < host.size(); ++e) {
        if (!spoiled) results.push_back(host.data()[e]);
        EXPECT_EQ(host.data()[e], results[e]) << e;
      }
    };
    fill(a, alpha, spoiled);
    fill(b, alpha, spoiled);
    fill(c, beta, spoiled);
    contract<"ik,kj->ij">(Space(), alpha, a, b, beta, c);
    check(expected[0]);
    fill(c, beta, spoiled);
    contract<"ij->ji">(Space(), alpha, a, beta, c);
    check(expected[1]);
  }
}

}  // namespace
}  // namespace KokkosContract::Test
