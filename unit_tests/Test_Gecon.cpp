// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Gecon.hpp>
#include <KokkosContract/Getrf.hpp>
#include <KokkosContract/Norm.hpp>
#include <KokkosContract/Pack.hpp>
#include <complex>
#include <limits>
#include <vector>

#include "Random.hpp"
#include "RoutineForms.hpp"

namespace KokkosContract::Test {
namespace {

namespace Routines = KokkosContract::Impl;
using Right = Kokkos::LayoutRight;
using Routines::is_pack;
using Routines::scalar_t;
using Wide = std::complex<long double>;

constexpr int problems = 3;

template <class T, class Real>
using result_t = std::conditional_t<is_pack<T>, Pack<Real, Routines::PackTraits<T>::lanes>, Real>;

/// Data: of the matrices, `T*[n][n]` or `T***`.
template <class Level, class Data, class Kind, bool Batch>
struct Gecon {
  using Space = typename Level::space;
  template <class D>
  using View = Kokkos::View<D, Right, Space>;
  using T = typename View<Data>::non_const_value_type;
  using Result = result_t<T, Routines::real_t<T>>;
  View<Data> a;
  View<T**> w;
  View<Result*> norm, rcond;

  template <class L>
  KOKKOS_FUNCTION int operator()(const L& level, int) const {
    using Op = RoutineOp<Routines::GeconRoutine<Kind>>;
    if constexpr (Batch) {
      return Op::call(level, a, norm, w, rcond);
    } else {
      int code = 0;
      for (int z = 0; z < problems; ++z) {
        const auto all = Kokkos::ALL;
        code |= Op::call(level, Kokkos::subview(a, z, all, all), Kokkos::subview(norm, z),
                         Kokkos::subview(w, z, all), Kokkos::subview(rcond, z));
      }
      return code;
    }
  }
};

template <class X>
Wide wide(const X& x) {
  if constexpr (Routines::is_complex<X>) {
    return {x.real(), x.imag()};
  } else {
    return {x, 0};
  }
}

long double norm_of(const std::vector<Wide>& a, int n, bool by_rows) {
  long double largest = 0;
  for (int j = 0; j < n; ++j) {
    long double sum = 0;
    for (int i = 0; i < n; ++i) sum += std::abs(a[by_rows ? j * n + i : i * n + j]);
    largest = std::max(largest, sum);
  }
  return largest;
}

/// 1 / (|A| |A^-1|), by Gauss and Jordan with interchanges; 0 for singular matrices.
long double exact_rcond(std::vector<Wide> a, int n, bool by_rows) {
  if (n == 0) return 1;
  const long double norm = norm_of(a, n, by_rows);
  std::vector<Wide> x(n * n);
  for (int i = 0; i < n; ++i) x[i * n + i] = 1;
  for (int p = 0; p < n; ++p) {
    int row = p;
    for (int i = p; i < n; ++i) {
      if (std::abs(a[i * n + p]) > std::abs(a[row * n + p])) row = i;
    }
    if (a[row * n + p] == Wide(0)) return 0;
    for (int j = 0; j < n; ++j) {
      std::swap(a[p * n + j], a[row * n + j]);
      std::swap(x[p * n + j], x[row * n + j]);
    }
    const Wide pivot = a[p * n + p];
    for (int j = 0; j < n; ++j) a[p * n + j] /= pivot, x[p * n + j] /= pivot;
    for (int i = 0; i < n; ++i) {
      const Wide factor = a[i * n + p];
      if (i == p) continue;
      for (int j = 0; j < n; ++j) {
        a[i * n + j] -= factor * a[p * n + j];
        x[i * n + j] -= factor * x[p * n + j];
      }
    }
  }
  return 1 / (norm * norm_of(x, n, by_rows));
}

enum class Which { random, graded, singular };

template <class Level, class Data, class Kind, bool Batch>
void check_gecon(Random& random, int n, Which which) {
  using Call = Gecon<Level, Data, Kind, Batch>;
  using T = typename Call::T;
  using S = scalar_t<T>;
  using R = Routines::real_t<T>;
  constexpr int lanes = is_pack<T> ? Routines::PackTraits<T>::lanes : 1;
  constexpr bool by_rows = std::is_same_v<Kind, Norm::Infinity>;
  SCOPED_TRACE(std::to_string(n) + ", " + random.state());
  const auto a = [&] {
    if constexpr (Call::template View<Data>::rank_dynamic == 1) {
      return typename Call::template View<Data>("a", problems);
    } else {
      return typename Call::template View<Data>("a", problems, n, n);
    }
  }();
  const Call call{a, decltype(Call::w)("w", problems, n + 1),
                  decltype(Call::norm)("norm", problems), decltype(Call::rcond)("rcond", problems)};
  const auto host_a = Kokkos::create_mirror(a);
  const auto norm = Kokkos::create_mirror(call.norm);
  using HostIpiv = std::conditional_t<is_pack<T>, int[64][lanes], int[64]>;
  const Kokkos::View<HostIpiv, Right, Kokkos::HostSpace> ipiv("ipiv");
  long double expected[problems][lanes];
  for (int z = 0; z < problems; ++z) {
    std::vector<Wide> matrix[lanes];
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int l = 0; l < lanes; ++l) {
          S x = random.template number<S>();
          if (which == Which::graded && i == n - 1) x = x * R(1e-3);
          // One problem, or one lane of it.
          if (which == Which::singular && z == 1 && l == lanes - 1 && j == n / 2) x = S(0);
          Routines::number_in_lane(host_a(z, i, j), l) = x;
          matrix[l].push_back(wide(x));
        }
      }
    }
    for (int l = 0; l < lanes; ++l) expected[z][l] = exact_rcond(matrix[l], n, by_rows);
    const auto all = Kokkos::ALL;
    const auto a_z = Kokkos::subview(host_a, z, all, all);
    EXPECT_EQ(SerialNorm<Kind>::invoke(a_z, Kokkos::subview(norm, z)), 0);
    const auto rows = Kokkos::pair<int, int>(0, n);
    if constexpr (is_pack<T>) {
      (void)SerialGetrf<>::invoke(a_z, Kokkos::subview(ipiv, rows, all));
    } else {
      (void)SerialGetrf<>::invoke(a_z, Kokkos::subview(ipiv, rows));
    }
  }
  const auto restore = [&] {
    Kokkos::deep_copy(call.a, host_a);
    Kokkos::deep_copy(call.norm, norm);
  };
  const auto verify = [&](int code) {
    EXPECT_EQ(code, 0);
    const auto rcond = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), call.rcond);
    for (int z = 0; z < problems; ++z) {
      for (int l = 0; l < lanes; ++l) {
        const long double got = Routines::number_in_lane(rcond(z), l), exact = expected[z][l];
        // From above; of so few rows it is rarely far.
        const long double rounding =
            100 * static_cast<long double>(std::numeric_limits<R>::epsilon());
        EXPECT_GE(got, exact * (1 - rounding / (exact > 0 ? exact : 1))) << z << ", lane " << l;
        EXPECT_LE(got, 3 * exact) << z << ", lane " << l;
      }
    }
  };
  for_each_configuration<Level>(call, restore, verify);
}

template <class Level>
class GeconAllLevels : public testing::Test {};
TYPED_TEST_SUITE(GeconAllLevels, Levels, LevelNames);

TYPED_TEST(GeconAllLevels, RandomMatrices) {
  Random random;
  for (const int n : {0, 1, 2, 3, 6, 13}) {
    check_gecon<TypeParam, double***, Norm::One, false>(random, n, Which::random);
    check_gecon<TypeParam, double***, Norm::Infinity, true>(random, n, Which::graded);
  }
}

TYPED_TEST(GeconAllLevels, OtherTypes) {
  Random random;
  using Complex = Kokkos::complex<double>;
  check_gecon<TypeParam, float***, Norm::One, false>(random, 4, Which::random);
  check_gecon<TypeParam, Complex***, Norm::Infinity, false>(random, 5, Which::graded);
  check_gecon<TypeParam, Pack<double, 4>***, Norm::One, true>(random, 5, Which::graded);
  check_gecon<TypeParam, Pack<Complex, 2>***, Norm::Infinity, false>(random, 3, Which::random);
  check_gecon<TypeParam, double* [6][6], Norm::One, false>(random, 6, Which::graded);
}

TYPED_TEST(GeconAllLevels, SingularMatrices) {
  Random random;
  check_gecon<TypeParam, double***, Norm::One, true>(random, 5, Which::singular);
  check_gecon<TypeParam, Pack<double, 4>***, Norm::One, false>(random, 5, Which::singular);
}

// A matrix that is nearly singular, which the code of its factorisation does not say.
TEST(GeconOneThread, NearlySingular) {
  Tile<double, 3, 3> a;
  Tile<int, 3> ipiv;
  Tile<double, 3> w;
  double norm = 0, rcond = 0;
  const Kokkos::View<double, Kokkos::HostSpace> norm_view(&norm), rcond_view(&rcond);
  for (int i = 0; i < 9; ++i) a(i / 3, i % 3) = 0.1 * (i + 1);
  EXPECT_EQ(SerialNorm<Norm::One>::invoke(a, norm_view), 0);
  EXPECT_EQ(SerialGetrf<>::invoke(a, ipiv), 0);
  EXPECT_EQ(SerialGecon<>::invoke(a, norm_view, w, rcond_view), 0);
  EXPECT_LT(rcond, 1e-15);
  if (Impl::checked_build) return;  // such a call ends a checked build
  const Kokkos::View<double*, Kokkos::HostSpace> small("small", 2);
  EXPECT_EQ(SerialGecon<>::invoke(a, norm_view, small, rcond_view), -1);
}

}  // namespace
}  // namespace KokkosContract::Test
