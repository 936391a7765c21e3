// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients of complex numbers near both ends of the range, by all routines that divide.
#include <gtest/gtest.h>

#include <KokkosContract/Gesv.hpp>
#include <KokkosContract/Getrf.hpp>
#include <KokkosContract/Getrs.hpp>
#include <KokkosContract/InverseLU.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/Pack.hpp>
#include <KokkosContract/SolveLU.hpp>
#include <KokkosContract/Trsm.hpp>
#include <KokkosContract/Trsv.hpp>
#include <KokkosContract/Trtri.hpp>
#include <limits>

#include "RoutineForms.hpp"

namespace KokkosContract::Test {
namespace {

namespace Routines = KokkosContract::Impl;
using Right = Kokkos::LayoutRight;
using N = Trans::NoTranspose;
using Routines::is_pack;
using Routines::scalar_t;

/// Solves A x = b, or inverts A, by one routine. A kernel has one routine, because nvcc takes
/// minutes for one of all.
template <class Level, class T, int RoutineNumber, bool StaticExtents>
struct Solves {
  using Space = typename Level::space;
  template <class Data>
  using View = Kokkos::View<Data, Right, Space>;
  using Ipiv = std::conditional_t<is_pack<T>, View<int[2][2]>, View<int[2]>>;
  View<T[2][2]> a, c;
  View<T[2]> b;
  View<T[4]> work;
  Ipiv ipiv;

  template <class Routine, class L, class... Args>
  KOKKOS_FUNCTION static int call(const L& level, const Args&... args) {
    return RoutineOp<Routine>::call(level, args...);
  }
  template <class L, class A, class B>
  KOKKOS_FUNCTION int solve(const L& level, const A& m, const B& x, const A& right) const {
    namespace I = Routines;
    using Any = Diag::NonUnit;
    const scalar_t<T> one(1);
    [[maybe_unused]] int code = 0;
    if constexpr (RoutineNumber == 0) {
      return call<I::TrsvRoutine<Uplo::Lower, N, Any>>(level, one, m, x);
    } else if constexpr (RoutineNumber == 1) {
      return call<I::TrsmRoutine<Side::Left, Uplo::Lower, N, Any>>(level, one, m, right);
    } else if constexpr (RoutineNumber == 2) {
      code = call<I::LURoutine>(level, m);
      return code + call<I::SolveLURoutine<N>>(level, m, x);
    } else if constexpr (RoutineNumber == 3) {
      code = call<I::GetrfRoutine>(level, m, ipiv);
      return code + call<I::GetrsRoutine<N>>(level, m, ipiv, x);
    } else if constexpr (RoutineNumber == 4) {
      return call<I::GesvRoutine<true>>(level, m, ipiv, x);
    } else if constexpr (RoutineNumber == 5) {
      return call<I::GesvRoutine<false>>(level, m, x);
    } else if constexpr (RoutineNumber == 6) {
      return call<I::TrtriRoutine<Uplo::Lower, Any>>(level, m);
    } else {
      code = call<I::LURoutine>(level, m);
      return code + call<I::InverseLURoutine>(level, m, work);
    }
  }
  template <class L>
  KOKKOS_FUNCTION int operator()(const L& level, int) const {
    if constexpr (StaticExtents) {
      return solve(level, a, b, c);
    } else {
      const auto all = Kokkos::pair<int, int>(0, 2);
      return solve(level, Kokkos::subview(a, all, all), Kokkos::subview(b, all),
                   Kokkos::subview(c, all, all));
    }
  }
};

/// d of the first lane, and 1 in the others.
template <class T>
T element(const scalar_t<T>& d, int factor_of_eighth) {
  using S = scalar_t<T>;
  const auto times = [&](const S& x) {
    return S(x.real() / 8 * factor_of_eighth, x.imag() / 8 * factor_of_eighth);
  };
  if constexpr (is_pack<T>) {
    T result(times(S(1)));
    result[0] = times(d);
    return result;
  } else {
    return times(d);
  }
}

/// T is complex, or a pack of complex numbers. A is d times a matrix of small numbers.
template <int RoutineNumber, bool StaticExtents, class Level, class T>
void check_routine(const scalar_t<T>& d) {
  using S = scalar_t<T>;
  using R = typename S::value_type;
  using All = Solves<Level, T, RoutineNumber, StaticExtents>;
  All solves{decltype(All::a)("a"), decltype(All::c)("c"), decltype(All::b)("b"),
             decltype(All::work)("work"), decltype(All::ipiv)("ipiv")};
  const auto a = Kokkos::create_mirror_view(solves.a);
  const auto b = Kokkos::create_mirror_view(solves.b);
  const auto c = Kokkos::create_mirror_view(solves.c);
  SCOPED_TRACE("routine " + std::to_string(RoutineNumber) +
               (StaticExtents ? ", static extents" : ", run-time extents"));
  const bool triangular = RoutineNumber < 2 || RoutineNumber == 6;
  const auto restore = [&] {
    a(0, 0) = a(1, 1) = element<T>(d, 8);
    a(1, 0) = element<T>(d, 4);
    a(0, 1) = triangular ? element<T>(d, 8) : element<T>(d, 4);
    // The solution is (1/2, 1/2).
    b(0) = element<T>(d, triangular ? 4 : 6);
    b(1) = element<T>(d, 6);
    for (int i = 0; i < 2; ++i) c(i, 0) = c(i, 1) = b(i);
    Kokkos::deep_copy(solves.a, a);
    Kokkos::deep_copy(solves.b, b);
    Kokkos::deep_copy(solves.c, c);
  };
  const auto verify = [&](int code) {
    EXPECT_EQ(code, 0);
    Kokkos::deep_copy(a, solves.a);
    Kokkos::deep_copy(b, solves.b);
    Kokkos::deep_copy(c, solves.c);
    const auto expect = [&](const T& value, double over_d, double rest) {
      const auto one = [&](const S& x, const S& divisor) {
        // 1 / d by numbers that do not overflow.
        const double re = divisor.real(), im = divisor.imag();
        const double larger = std::max(std::abs(re), std::abs(im));
        const double square = re / larger * (re / larger) + im / larger * (im / larger);
        const double inverse_real = re / larger / square / larger;
        const double inverse_imag = -im / larger / square / larger;
        const double real = over_d == 0 ? rest : over_d * inverse_real;
        const double imag = over_d == 0 ? 0 : over_d * inverse_imag;
        const double bound =
            16 * std::numeric_limits<R>::epsilon() * (std::abs(real) + std::abs(imag)) +
            4 * static_cast<double>(std::numeric_limits<R>::denorm_min());
        EXPECT_NEAR(x.real(), real, bound);
        EXPECT_NEAR(x.imag(), imag, bound);
      };
      if constexpr (is_pack<T>) {
        one(value[0], d);
        one(value[1], S(1));
      } else {
        one(value, d);
      }
    };
    if (RoutineNumber == 1) {
      for (int e = 0; e < 4; ++e) expect(c.data()[e], 0, 0.5);
    } else if (RoutineNumber < 6) {
      for (int i = 0; i < 2; ++i) expect(b(i), 0, 0.5);
    } else if (triangular) {
      expect(a(0, 0), 1, 0);
      expect(a(1, 0), -0.5, 0);
      expect(a(1, 1), 1, 0);
    } else {
      expect(a(0, 0), 4. / 3, 0);
      expect(a(0, 1), -2. / 3, 0);
      expect(a(1, 0), -2. / 3, 0);
      expect(a(1, 1), 4. / 3, 0);
    }
  };
  for_each_configuration<Level>(solves, restore, verify);
}

/// The inverse exists where 1 / d does. One type is enough for run-time extents.
template <class Level, class T>
void check_quotients(const scalar_t<T>& d, bool inverse) {
  const auto check = [&]<int I>() {
    if (I > 5 && !inverse) return;
    check_routine<I, true, Level, T>(d);
    if constexpr (std::is_same_v<T, Kokkos::complex<double>>) {
      check_routine<I, false, Level, T>(d);
    }
  };
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (check.template operator()<I>(), ...);
  }(std::make_integer_sequence<int, 8>());
}

template <class Level>
class Quotients : public testing::Test {};
TYPED_TEST_SUITE(Quotients, LaneLevels, LevelNames);

TYPED_TEST(Quotients, NearTheEndsOfTheRange) {
  const auto check = [&]<class S, class T>() {
    using R = typename S::value_type;
    const R most = std::numeric_limits<R>::max(), least = std::numeric_limits<R>::denorm_min();
    check_quotients<TypeParam, T>(S(most / R(1.5), most / R(1.5)), true);
    check_quotients<TypeParam, T>(S(-most / 2, most), true);
    check_quotients<TypeParam, T>(S(R(0), -most), true);
    check_quotients<TypeParam, T>(S(8 * least, -8 * least), false);
    check_quotients<TypeParam, T>(S(8 * least, 64 * least), false);
  };
  using Complex = Kokkos::complex<double>;
  using ComplexFloat = Kokkos::complex<float>;
  check.template operator()<Complex, Complex>();
  check.template operator()<ComplexFloat, ComplexFloat>();
  check.template operator()<Complex, Pack<Complex, 2>>();
  check.template operator()<ComplexFloat, Pack<ComplexFloat, 2>>();
}

TEST(QuotientsOneThread, OfPacks) {
  using Complex = Kokkos::complex<double>;
  using P = Pack<Complex, 3>;
  P x, y;
  x[0] = y[0] = Complex(1.2e308, 1.2e308);
  x[1] = y[1] = Complex(5e-324, -5e-324);
  x[2] = Complex(1.7e308, 0), y[2] = Complex(0.8, 0.8);
  const P z = x / y;
  EXPECT_EQ(z[0], Complex(1));
  EXPECT_EQ(z[1], Complex(1));
  EXPECT_NEAR(z[2].real() / 1.0625e308, 1, 1e-15);
  EXPECT_NEAR(z[2].imag() / -1.0625e308, 1, 1e-15);
}

}  // namespace
}  // namespace KokkosContract::Test
