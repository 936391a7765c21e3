// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AddRadial, ApplyPivot, HadamardProduct, Lacgv, Laswp, Swap, Symv and Xpay. Numbers are small
// integers, so that results are exact.
#include <gtest/gtest.h>

#include <KokkosContract/AddRadial.hpp>
#include <KokkosContract/ApplyPivot.hpp>
#include <KokkosContract/HadamardProduct.hpp>
#include <KokkosContract/Lacgv.hpp>
#include <KokkosContract/Laswp.hpp>
#include <KokkosContract/Pack.hpp>
#include <KokkosContract/Swap.hpp>
#include <KokkosContract/Symv.hpp>
#include <KokkosContract/Xpay.hpp>
#include <complex>
#include <utility>

#include "Random.hpp"
#include "RoutineForms.hpp"

namespace KokkosContract::Test {
namespace {

namespace Routines = KokkosContract::Impl;
using Routines::is_pack;
using Routines::scalar_t;
using Number = std::complex<double>;
using Left = Side::Left;
using Right = Side::Right;

constexpr int problems = 3, rows = 5, cols = 4;
constexpr int alpha = 2, beta = 3, tiny = -7;

/// A strided View with gaps, or one of another layout.
template <class View>
View new_view(const char* name, int second, int third = 1) {
  constexpr int rank = View::rank;
  if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>) {
    if constexpr (rank == 2) {
      return View(std::string(name), Kokkos::LayoutStride(problems, 2, second, 2 * problems + 1));
    } else {
      return View(std::string(name), Kokkos::LayoutStride(problems, 3 * second * third + 1, second,
                                                          3, third, 3 * second));
    }
  } else if constexpr (rank == 2) {
    return View(name, problems, second);
  } else {
    return View(name, problems, second, third);
  }
}

/// All calls, each with operands of its own; Batch: one call for all problems.
template <class Level, class T, class Layout, bool Batch>
struct Calls {
  // Views with gaps are copied by a space that both sides reach.
  static constexpr bool has_gaps = std::is_same_v<Layout, Kokkos::LayoutStride>;
  using Space =
      std::conditional_t<has_gaps, Kokkos::SharedSpace, typename Level::space::memory_space>;
  using Vectors = Kokkos::View<T**, Layout, Space>;
  using Matrices = Kokkos::View<T***, Layout, Space>;
  static constexpr int lanes = is_pack<T> ? Routines::PackTraits<T>::lanes : 1;
  using PivotData = std::conditional_t<is_pack<T>, int** [lanes], int**>;
  using PivotsOfAll = Kokkos::View<PivotData, Kokkos::LayoutRight, Space>;

  Vectors x = new_view<Vectors>("x", rows), conjugated = copy(x), scaled = copy(x),
          scaled_by_problem = copy(x), product = copy(x), one = copy(x), other = copy(x),
          symmetric = copy(x), hermitian = copy(x);
  Matrices square = new_view<Matrices>("square", rows, rows),
           pushed = new_view<Matrices>("pushed", rows, cols), interchanged = copy(pushed),
           restored = copy(pushed), by_columns = copy(pushed), first = copy(pushed);
  Kokkos::View<T*, Space> alphas{"alphas", problems};
  PivotsOfAll ipiv{"ipiv", problems, rows - 1}, steps{"steps", problems, cols};

  template <class View>
  static View copy(const View& view) {
    return new_view<View>("copy", view.extent_int(1), view.rank == 3 ? view.extent_int(2) : 1);
  }
  template <class View>
  KOKKOS_FUNCTION static auto of(const View& view, int z) {
    if constexpr (Batch) {
      return view;
    } else if constexpr (View::rank == 2) {
      return Kokkos::subview(view, z, Kokkos::ALL);
    } else {
      return Kokkos::subview(view, z, Kokkos::ALL, Kokkos::ALL);
    }
  }

  template <class L>
  KOKKOS_FUNCTION int operator()(const L& level, int) const {
    using Forward = Direct::Forward;
    using Backward = Direct::Backward;
    using First = Routines::FromFirst;
    using Own = Routines::FromOwn;
    const auto factor = static_cast<Routines::real_t<scalar_t<T>>>(alpha);
    const auto keep = static_cast<Routines::real_t<scalar_t<T>>>(beta);
    const int pushed_by = tiny;  // a constant of the host has no address on a GPU
    int code = RoutineOp<Routines::XpayRoutine>::call(level, alphas, x, scaled_by_problem);
    for (int z = 0; z < (Batch ? 1 : problems); ++z) {
      const auto v = of(x, z);
      code |= RoutineOp<Routines::LacgvRoutine>::call(level, of(conjugated, z));
      code |= RoutineOp<Routines::XpayRoutine>::call(level, factor, v, of(scaled, z));
      code |= RoutineOp<Routines::HadamardProductRoutine>::call(level, v, of(product, z),
                                                                of(product, z));
      code |= RoutineOp<Routines::SwapRoutine>::call(level, of(one, z), of(other, z));
      code |= RoutineOp<Routines::SymvRoutine<Uplo::Lower, Trans::Transpose>>::call(
          level, factor, of(square, z), v, keep, of(symmetric, z));
      code |= RoutineOp<Routines::SymvRoutine<Uplo::Upper, Trans::ConjTranspose>>::call(
          level, factor, of(square, z), v, 0, of(hermitian, z));
      code |= RoutineOp<Routines::AddRadialRoutine>::call(level, pushed_by, of(pushed, z));
      using Laswp = Routines::PivotRoutine<Left, Forward, First>;
      code |= RoutineOp<Laswp>::call(level, of_pivots(ipiv, z), of(interchanged, z));
      code |= RoutineOp<Laswp>::call(level, of_pivots(ipiv, z), of(restored, z));
      code |= RoutineOp<Routines::PivotRoutine<Left, Backward, First>>::call(
          level, of_pivots(ipiv, z), of(restored, z));
      code |= RoutineOp<Routines::PivotRoutine<Right, Backward, Own>>::call(
          level, of_pivots(steps, z), of(by_columns, z));
    }
    for (int z = 0; z < problems; ++z) {
      code |= RoutineOp<Routines::PivotRoutine<Left, Forward, Own>>::call(
          level, 2, Kokkos::subview(first, z, Kokkos::ALL, Kokkos::ALL));
    }
    return code;
  }

  KOKKOS_FUNCTION static auto of_pivots(const PivotsOfAll& pivots, int z) {
    if constexpr (Batch) {
      return pivots;
    } else if constexpr (is_pack<T>) {
      return Kokkos::subview(pivots, z, Kokkos::ALL, Kokkos::ALL);
    } else {
      return Kokkos::subview(pivots, z, Kokkos::ALL);
    }
  }
};

template <class X>
auto& number_in_lane(X& x, [[maybe_unused]] int l) {
  if constexpr (is_pack<std::remove_const_t<X>>) {
    return x[l];
  } else {
    return x;
  }
}
template <class X>
Number number(X& x, int l) {
  const auto value = number_in_lane(x, l);
  if constexpr (Routines::is_complex<std::remove_cvref_t<decltype(value)>>) {
    return {value.real(), value.imag()};
  } else {
    return {static_cast<double>(value), 0};
  }
}

/// Fills and compares one View in all lanes. `expected` is called with (z, i, j, l).
template <class View, class F>
void for_all(const View& view, const F& f) {
  for (int z = 0; z < view.extent_int(0); ++z) {
    for (int i = 0; i < view.extent_int(1); ++i) {
      if constexpr (View::rank == 2) {
        f(view(z, i), z, i, 0);
      } else {
        for (int j = 0; j < view.extent_int(2); ++j) f(view(z, i, j), z, i, j);
      }
    }
  }
}
template <class T, class View>
auto filled(const View& view, Random& random) {
  const auto host = Kokkos::create_mirror(view);
  for_all(host, [&](T& x, int, int, int) {
    for (int l = 0; l < (is_pack<T> ? Routines::PackTraits<T>::lanes : 1); ++l) {
      using S = scalar_t<T>;
      auto& lane = number_in_lane(x, l);
      if constexpr (Routines::is_complex<S>) {
        lane = S(random.integer(-4, 4), random.integer(-4, 4));
      } else {
        lane = static_cast<S>(random.integer(-4, 4));
      }
    }
  });
  Kokkos::deep_copy(view, host);
  return host;
}
template <int Lanes, class View, class Expected>
void expect(const char* what, const View& view, const Expected& expected) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  for_all(host, [&](auto& x, int z, int i, int j) {
    for (int l = 0; l < Lanes; ++l) {
      EXPECT_EQ(number(x, l), expected(z, i, j, l))
          << what << " of " << z << ", " << i << ", " << j << ", lane " << l;
    }
  });
}

template <class Level, class T, class Layout, bool Batch>
void check_all() {
  using Call = Calls<Level, T, Layout, Batch>;
  constexpr int lanes = Call::lanes;
  Random random;
  const Call call;
  const auto x = filled<T>(call.x, random);
  const auto square = filled<T>(call.square, random);
  const auto vectors = filled<T>(call.conjugated, random);
  const auto matrices = filled<T>(call.pushed, random);
  const auto alphas = Kokkos::create_mirror(call.alphas);
  for (int z = 0; z < problems; ++z) alphas(z) = static_cast<double>(z);
  const auto fill_pivots = [&](const auto& pivots, bool own) {
    const auto host = Kokkos::create_mirror(pivots);
    const auto count = pivots.extent_int(1);
    for (int z = 0; z < problems; ++z) {
      for (int p = 0; p < count; ++p) {
        for (int l = 0; l < lanes; ++l) {
          const int pivot = own ? random.integer(0, count - 1 - p) : random.integer(0, rows - 1);
          if constexpr (is_pack<T>) {
            host(z, p, l) = pivot;
          } else {
            host(z, p) = pivot;
          }
        }
      }
    }
    Kokkos::deep_copy(pivots, host);
    return host;
  };
  const auto ipiv = fill_pivots(call.ipiv, false), steps = fill_pivots(call.steps, true);
  const auto pivot = [](const auto& pivots, int z, int p, int l) {
    if constexpr (is_pack<T>) {
      return pivots(z, p, l);
    } else {
      (void)l;
      return pivots(z, p);
    }
  };
  /// Where row i of the result was before: the interchanges undone from the last.
  const auto source = [&](const auto& pivots, bool own, bool backwards, int z, int i, int l) {
    const int count = pivots.extent_int(1);
    for (int k = 0; k < count; ++k) {
      const int p = backwards ? k : count - 1 - k;
      const int r = pivot(pivots, z, p, l) + (own ? p : 0);
      i = i == p ? r : (i == r ? p : i);
    }
    return i;
  };
  const auto restore = [&] {
    const auto set = [](const auto& from, const auto&... views) {
      (Kokkos::deep_copy(views, from), ...);
    };
    set(vectors, call.conjugated, call.scaled, call.scaled_by_problem, call.product, call.one,
        call.symmetric, call.hermitian);
    Kokkos::deep_copy(call.other, x);
    set(matrices, call.pushed, call.interchanged, call.restored, call.by_columns, call.first);
    Kokkos::deep_copy(call.alphas, alphas);
  };
  const auto before = [&](int z, int i, int, int l) { return number(vectors(z, i), l); };
  const auto x_at = [&](int z, int i, int, int l) { return number(x(z, i), l); };
  const auto matrix = [&](int z, int i, int j, int l) { return number(matrices(z, i, j), l); };
  const auto a_at = [&](int z, int i, int j, int l) { return number(square(z, i, j), l); };
  const auto verify = [&](int code) {
    EXPECT_EQ(code, 0);
    const auto with = [&](auto f) {
      return [=](int z, int i, int j, int l) {
        return f(x_at(z, i, j, l), before(z, i, j, l), double(z));
      };
    };
    expect<lanes>("Lacgv", call.conjugated,
                  with([](Number, Number y, double) { return std::conj(y); }));
    expect<lanes>("Xpay", call.scaled,
                  with([](Number a, Number y, double) { return a + double(alpha) * y; }));
    expect<lanes>("Xpay of vectors", call.scaled_by_problem,
                  with([](Number a, Number y, double z) { return a + z * y; }));
    expect<lanes>("HadamardProduct", call.product,
                  with([](Number a, Number y, double) { return a * y; }));
    expect<lanes>("Swap", call.one, x_at);
    expect<lanes>("Swap", call.other, before);
    expect<lanes>("Symv", call.symmetric, [&](int z, int i, int, int l) {
      Number sum = 0;
      for (int k = 0; k < rows; ++k) {
        sum += (k <= i ? a_at(z, i, k, l) : a_at(z, k, i, l)) * x_at(z, k, 0, l);
      }
      return double(alpha) * sum + double(beta) * before(z, i, 0, l);
    });
    expect<lanes>("Symv, Hermitian", call.hermitian, [&](int z, int i, int, int l) {
      Number sum = a_at(z, i, i, l).real() * x_at(z, i, 0, l);
      for (int k = 0; k < rows; ++k) {
        if (k > i) sum += a_at(z, i, k, l) * x_at(z, k, 0, l);
        if (k < i) sum += std::conj(a_at(z, k, i, l)) * x_at(z, k, 0, l);
      }
      return double(alpha) * sum;
    });
    expect<lanes>("AddRadial", call.pushed, [&](int z, int i, int j, int l) {
      const Number y = matrix(z, i, j, l);
      return i != j ? y : y + double(y.real() < 0 ? tiny : -tiny);
    });
    expect<lanes>("Laswp", call.interchanged, [&](int z, int i, int j, int l) {
      return matrix(z, source(ipiv, false, false, z, i, l), j, l);
    });
    expect<lanes>("Laswp and back", call.restored, matrix);
    expect<lanes>("ApplyPivot", call.by_columns, [&](int z, int i, int j, int l) {
      return matrix(z, i, source(steps, true, true, z, j, l), l);
    });
    expect<lanes>("ApplyPivot, one", call.first, [&](int z, int i, int j, int l) {
      return matrix(z, i == 0 ? 2 : (i == 2 ? 0 : i), j, l);
    });
  };
  for_each_configuration<Level>(call, restore, verify);
}

template <class Level>
class SmallRoutines : public testing::Test {};
TYPED_TEST_SUITE(SmallRoutines, Levels, LevelNames);

TYPED_TEST(SmallRoutines, Real) { check_all<TypeParam, double, Kokkos::LayoutStride, false>(); }
TYPED_TEST(SmallRoutines, PacksOfComplexBatch) {
  check_all<TypeParam, Pack<Kokkos::complex<double>, 2>, Kokkos::LayoutRight, true>();
}

TEST(SmallRoutinesOneThread, Complex) {
  check_all<Serial, Kokkos::complex<float>, Kokkos::LayoutLeft, true>();
}

// The default tags, and what is refused.
TEST(SmallRoutinesOneThread, Extents) {
  if (Impl::checked_build) return;  // such a call ends a checked build
  using Vector = Kokkos::View<double*, Kokkos::HostSpace>;
  using Matrix = Kokkos::View<double**, Kokkos::HostSpace>;
  const Kokkos::View<int*, Kokkos::HostSpace> ipiv("ipiv", 3);
  const Vector x("x", 3), y("y", 2), alphas("alphas", 2);
  const Matrix a("a", 2, 2), b("b", 3, 2);
  EXPECT_EQ(SerialXpay::invoke(2.0, x, y), -1);
  EXPECT_EQ(SerialXpay::invoke(alphas, b, b), -1);
  EXPECT_EQ(SerialHadamardProduct::invoke(y, x, y), -1);
  EXPECT_EQ(SerialSwap::invoke(x, y), -1);
  EXPECT_EQ(SerialLaswp<>::invoke(ipiv, a), -1);
  EXPECT_EQ(SerialApplyPivot<>::invoke(ipiv, a), -1);
  EXPECT_EQ(SerialApplyPivot<>::invoke(2, a), -1);
  EXPECT_EQ(SerialSymv<Uplo::Lower>::invoke(1.0, a, x, 0.0, y), -1);
  EXPECT_EQ(SerialSymv<Uplo::Lower>::invoke(1.0, b, y, 0.0, x), -1);
  EXPECT_EQ(SerialLaswp<>::invoke(ipiv, b), 0);
  EXPECT_EQ(SerialApplyPivot<>::invoke(ipiv, x), 0);
}

// A factor of zero leaves out what it multiplies, also where that is no number.
TEST(SmallRoutinesOneThread, ZeroFactors) {
  const double nan = Kokkos::Experimental::quiet_NaN_v<double>;
  Tile<double, 2, 2> a;
  Tile<double, 2> x, y;
  for (int i = 0; i < 2; ++i) x(i) = i + 1, y(i) = nan;
  EXPECT_EQ(SerialXpay::invoke(0.0, x, y), 0);
  EXPECT_EQ(y(1), 2);
  for (int i = 0; i < 4; ++i) a(i / 2, i % 2) = nan;
  EXPECT_EQ(SerialSymv<Uplo::Lower>::invoke(0.0, a, x, 2.0, y), 0);
  EXPECT_EQ(y(1), 4);
}

}  // namespace
}  // namespace KokkosContract::Test
