// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Gbtrf.hpp>
#include <KokkosContract/Gbtrs.hpp>
#include <KokkosContract/Pbtrf.hpp>
#include <KokkosContract/Pbtrs.hpp>
#include <KokkosContract/Pttrf.hpp>
#include <KokkosContract/Pttrs.hpp>
#include <KokkosContract/Tbsv.hpp>

#include "Factored.hpp"
#include "RoutineForms.hpp"

namespace KokkosContract::Test {
namespace {

namespace Routines = KokkosContract::Impl;
using Lower = Uplo::Lower;
using Upper = Uplo::Upper;
using N = Trans::NoTranspose;
using T = Trans::Transpose;
using C = Trans::ConjTranspose;

/// Operands of one problem: a single matrix with several right-hand sides, a batch of matrices with
/// a vector each, or one matrix for a batch of vectors.
enum class Form { single, batch, shared };

/// Passes a factor as the form says.
template <Form Is, class View>
KOKKOS_FUNCTION auto factor_of(const View& view) {
  if constexpr (Is == Form::shared) {
    return shared(view);
  } else {
    return view;
  }
}

// --- The routines: how they are called, and where an element (i, j) is stored, if it is. `p` is
// the second operand of a factor: pivots, or the diagonal.

template <class Triangle>
struct Pb {
  using TransA = N;
  static constexpr bool is_hermitian = true, is_unit = false;
  static constexpr bool lower = std::is_same_v<Triangle, Lower>;
  template <Form Is, class L, class A, class P, class B, class Info>
  KOKKOS_FUNCTION static int call(const L& level, const A& a, const P&, const B& b,
                                  const Info& info, int, int) {
    const int code = RoutineOp<Routines::PbtrfRoutine<Triangle>>::call(level, a, info);
    return code + RoutineOp<Routines::PbtrsRoutine<Triangle>>::call(level, factor_of<Is>(a), b);
  }
  static bool is_in(int i, int j, int kl, int) { return std::abs(i - j) <= kl; }
  static bool is_stored(int i, int j) { return lower ? i >= j : i <= j; }
  static int row(int i, int j, int kl, int) { return lower ? i - j : kl + i - j; }
  static int rows(int kl, int) { return kl + 1; }
};

template <class Trans>
struct Gb {
  using TransA = Trans;
  static constexpr bool is_hermitian = false, is_unit = false;
  template <Form Is, class L, class A, class P, class B, class Info>
  KOKKOS_FUNCTION static int call(const L& level, const A& a, const P& p, const B& b,
                                  const Info& info, int kl, int ku) {
    const int code = RoutineOp<Routines::GbtrfRoutine>::call(level, a, p, kl, ku, info);
    return code + RoutineOp<Routines::GbtrsRoutine<Trans>>::call(level, factor_of<Is>(a),
                                                                 factor_of<Is>(p), b, kl, ku);
  }
  static bool is_in(int i, int j, int kl, int ku) { return i - j <= kl && j - i <= ku; }
  static bool is_stored(int, int) { return true; }
  static int row(int i, int j, int kl, int ku) { return kl + ku + i - j; }
  static int rows(int kl, int ku) { return 2 * kl + ku + 1; }
};

template <class Triangle>
struct Pt {
  using TransA = N;
  static constexpr bool is_hermitian = true, is_unit = false;
  static constexpr bool lower = std::is_same_v<Triangle, Lower>;
  template <Form Is, class L, class A, class P, class B, class Info>
  KOKKOS_FUNCTION static int call(const L& level, const A& e, const P& d, const B& b,
                                  const Info& info, int, int) {
    const int code = RoutineOp<Routines::PttrfRoutine>::call(level, d, e, info);
    return code + RoutineOp<Routines::PttrsRoutine<Triangle>>::call(level, factor_of<Is>(d),
                                                                    factor_of<Is>(e), b);
  }
};

template <class Triangle, class Trans, class Diagonal>
struct Tb {
  using TransA = Trans;
  static constexpr bool is_hermitian = false, is_unit = std::is_same_v<Diagonal, Diag::Unit>;
  static constexpr bool lower = std::is_same_v<Triangle, Lower>;
  template <Form Is, class L, class A, class P, class B, class Info>
  KOKKOS_FUNCTION static int call(const L& level, const A& a, const P&, const B& b, const Info&,
                                  int kl, int) {
    return RoutineOp<Routines::TbsvRoutine<Triangle, Trans, Diagonal>>::call(
        level, factor_of<Is>(a), b, kl);
  }
  static bool is_in(int i, int j, int kl, int) {
    return lower ? i >= j && i - j <= kl : i <= j && j - i <= kl;
  }
  static bool is_stored(int i, int j) { return !is_unit || i != j; }
  static int row(int i, int j, int kl, int) { return lower ? i - j : kl + i - j; }
  static int rows(int kl, int) { return kl + 2; }  // one that nobody needs
};
template <class Kind>
constexpr bool is_tridiagonal = false;
template <class Triangle>
constexpr bool is_tridiagonal<Pt<Triangle>> = true;
template <class Kind>
constexpr bool has_pivots = false;
template <class Trans>
constexpr bool has_pivots<Gb<Trans>> = true;

template <class Kind, Form Is, class AView, class PView, class BView, class InfoView>
struct Functor {
  Problems<AView> a;
  Problems<PView> p;
  Problems<BView> b;
  Problems<InfoView> info;
  int kl, ku;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int problem) const {
    return Kind::template call<Is>(level, a(problem), p(problem), b(problem), info(problem), kl,
                                   ku);
  }
};

struct Size {
  int n, kl, ku;
};

/// Matrices of E; where `fails`, some of them are not positive, or have a zero pivot.
template <class Level, class Kind, class E, Form Is, class Layout = Kokkos::LayoutStride>
void check_band(Random& random, const Size& size, bool fails = false) {
  using Space = typename Level::space;
  using Scalar = typename lanes<E>::scalar;
  using W = wide_t<Scalar>;
  constexpr int L = lanes<E>::count;
  constexpr bool batch = Is == Form::batch;
  constexpr int lane_rank = Routines::is_pack<E> ? 1 : 0;
  constexpr bool tridiagonal = is_tridiagonal<Kind>, pivoted = has_pivots<Kind>;
  constexpr int a_rank = (tridiagonal ? 1 : 2) + batch;
  using PE = std::conditional_t<pivoted, int, E>;
  constexpr int p_rank = 1 + batch + (pivoted ? lane_rank : 0);
  const auto [n, kl, ku] = size;
  SCOPED_TRACE(random.state() + " n " + std::to_string(n) + ", kl " + std::to_string(kl) + ", ku " +
               std::to_string(ku));
  constexpr int number = batch ? 3 : 1, problems = 2;
  const int cols = Is == Form::shared ? 37 : 21;

  std::vector<int> a_extents =
      tridiagonal ? std::vector<int>{n > 0 ? n - 1 : 0} : std::vector<int>{0, n};
  if constexpr (!tridiagonal) a_extents[0] = Kind::rows(kl, ku);
  std::vector<int> p_extents{n};
  if (batch) a_extents.insert(a_extents.begin(), number);
  if (batch) p_extents.insert(p_extents.begin(), number);
  if (pivoted && lane_rank > 0) p_extents.push_back(L);
  const std::vector<int> b_extents = batch                ? std::vector<int>{number, n}
                                     : Is == Form::shared ? std::vector<int>{cols, n}
                                                          : std::vector<int>{n, cols};
  constexpr Arrangement arrangement = arrangement_of<Layout>();
  StridedTensor<E, Space> a(random, a_extents, arrangement, problems);
  StridedTensor<PE, Space> p(random, p_extents, arrangement, problems);
  StridedTensor<E, Space> b(random, b_extents, arrangement, problems);
  StridedTensor<int, Space> info(random, entries_of<E>(batch ? number : -1, -1),
                                 Arrangement::strided, problems);
  const auto random_number = [&] {
    return widen<W>(narrow<Scalar>(widen<W>(random.template number<Scalar>())));
  };

  // The matrices that are meant, and where they fail, by problem, lane and number.
  const W nan(std::numeric_limits<double>::quiet_NaN());
  std::vector<Dense<W>> meant, right;
  std::vector<int> failures;
  for (int q = 0; q < problems; ++q) {
    for (int l = 0; l < L; ++l) {
      auto stored_a = a.template dense<W>(q, l).values;
      std::fill(stored_a.begin(), stored_a.end(), nan);
      std::vector<W> stored_p(static_cast<std::size_t>(number) * n, nan);
      for (int z = 0; z < number; ++z) {
        const int failure = fails && (q + l + z) % 2 == 0 ? random.integer(0, n - 1) : -1;
        failures.push_back(failure + 1);
        Dense<W> full{{n, n}, std::vector<W>(static_cast<std::size_t>(n) * n)};
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            bool in = std::abs(i - j) <= 1;
            if constexpr (!tridiagonal) in = Kind::is_in(i, j, kl, ku);
            if (!in || (Kind::is_hermitian && j > i)) continue;
            W x = random_number();
            if (i == j && Kind::is_hermitian) x = W(2 * kl + 2 + std::abs(std::real(x)));
            if (i == j && Kind::is_hermitian && i == failure) x = W(-1);
            if (pivoted && j == failure) x = W(0);
            if (i == j && !Kind::is_hermitian && !pivoted) x += W(3);
            if (i == j && Kind::is_unit) x = W(1);
            full(i, j) = x;
            if (Kind::is_hermitian) full(j, i) = conjugate(x);
          }
        }
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            const W x = full(i, j);
            if constexpr (tridiagonal) {
              if (i == j) stored_p[z * n + i] = x;
              if (Kind::lower ? i == j + 1 : j == i + 1) {
                stored_a[z * (n - 1) + (i < j ? i : j)] = x;
              }
            } else if (Kind::is_in(i, j, kl, ku) && Kind::is_stored(i, j)) {
              W element = x;
              if (is_complex<Scalar>::value && Kind::is_hermitian && i == j) {
                if constexpr (is_complex<Scalar>::value) element = W(std::real(x), 7);
              }
              stored_a[(z * a_extents[batch] + Kind::row(i, j, kl, ku)) * n + j] = element;
            }
          }
        }
        meant.push_back(full);
      }
      a.assign(stored_a, q, l);
      if constexpr (tridiagonal) p.assign(stored_p, q, l);
      right.push_back(b.template dense<W>(q, l));
    }
  }

  const Functor<Kind, Is, view_t<E, a_rank, Layout, Space>, view_t<PE, p_rank, Layout, Space>,
                view_t<E, 2, Layout, Space>,
                view_t<int, batch + lane_rank, Kokkos::LayoutStride, Space>>
      functor{a.template views<view_t<E, a_rank, Layout, Space>>(),
              p.template views<view_t<PE, p_rank, Layout, Space>>(),
              b.template views<view_t<E, 2, Layout, Space>>(),
              info.template views<view_t<int, batch + lane_rank, Kokkos::LayoutStride, Space>>(),
              kl,
              ku};
  constexpr bool factors = Kind::is_hermitian || pivoted;
  const auto check = [&](const std::vector<int>& codes) {
    for (int q = 0; q < problems; ++q) {
      const auto infos = info.dense(q).values;
      int first = 0;
      for (std::size_t e = infos.size(); factors && e-- > 0;)
        first = infos[e] != 0 ? static_cast<int>(infos[e]) : first;
      EXPECT_EQ(codes[q], first);
      for (int l = 0; l < L; ++l) {
        auto after = b.template dense<W>(q, l), before = right[q * L + l];
        for (int z = 0; z < number; ++z) {
          SCOPED_TRACE("problem " + std::to_string(q) + ", lane " + std::to_string(l) +
                       ", number " + std::to_string(z));
          const int at = (q * L + l) * number + z;
          EXPECT_EQ(factors ? infos[z * L + l] : 0, failures[at]);
          if (failures[at] != 0) continue;
          auto x = matrix_of_batch(after, z, batch, batch);
          auto rhs = matrix_of_batch(before, z, batch, batch);
          if (Is == Form::shared) x = transposed<T>(x), rhs = transposed<T>(rhs);
          expect_solution<Scalar>(transposed<typename Kind::TransA>(meant[at]), x, rhs);
        }
      }
    }
  };
  check_everywhere<Level>(functor, false, check, a, p, b, info);
}

template <class Level>
class BandAllLevels : public testing::Test {};
TYPED_TEST_SUITE(BandAllLevels, Levels, LevelNames);

// All windows, what lies between them, and bands wider than all or than the matrix.
const std::vector<Size> sizes{{0, 1, 1},  {1, 0, 0},  {1, 2, 1},  {4, 1, 0},  {9, 1, 1},
                              {5, 3, 2},  {6, 2, 0},  {13, 2, 2}, {11, 3, 1}, {14, 4, 2},
                              {17, 0, 3}, {18, 5, 5}, {23, 7, 1}, {31, 12, 3}};
const std::vector<Size> few_sizes{{3, 1, 1}, {9, 2, 1}, {16, 4, 3}, {25, 11, 0}};

TYPED_TEST(BandAllLevels, Double) {
  Random random;
  for (const Size& size : sizes) {
    for (const bool fails : {false, true}) {
      if (fails && size.n == 0) continue;
      check_band<TypeParam, Pb<Lower>, double, Form::single>(random, size, fails);
      check_band<TypeParam, Gb<N>, double, Form::batch>(random, size, fails);
      check_band<TypeParam, Pt<Lower>, double, Form::batch>(random, {size.n, 1, 1}, fails);
    }
  }
}

// What differs from that in the code of each worker alone.
#if defined(KOKKOSCONTRACT_TEST_TSAN)
using OneLevel = Threads;
#else
using OneLevel = Serial;
#endif

TEST(Band, Layouts) {
  Random random;
  using Left = Kokkos::LayoutLeft;
  using Right = Kokkos::LayoutRight;
  for (const Size& size : sizes) {
    check_band<OneLevel, Pb<Upper>, double, Form::single, Right>(random, size);
    check_band<OneLevel, Pb<Lower>, double, Form::shared, Left>(random, size);
    check_band<OneLevel, Gb<T>, double, Form::shared, Left>(random, size);
    check_band<OneLevel, Tb<Lower, T, Diag::NonUnit>, float, Form::single, Right>(random, size);
    check_band<OneLevel, Tb<Upper, N, Diag::Unit>, float, Form::single, Right>(random, size);
  }
}

TEST(Band, Complex) {
  Random random;
  using Complex = Kokkos::complex<double>;
  for (const Size size : few_sizes) {
    check_band<OneLevel, Pb<Upper>, Complex, Form::batch>(random, size);
    check_band<OneLevel, Gb<C>, Complex, Form::single>(random, size);
    check_band<OneLevel, Pt<Upper>, Complex, Form::shared>(random, {size.n, 1, 1});
    check_band<OneLevel, Tb<Lower, C, Diag::NonUnit>, Complex, Form::single>(random, size);
  }
}

TEST(Band, Packs) {
  Random random;
  using Pack4 = Pack<double, 4>;
  for (const Size size : few_sizes) {
    for (const bool fails : {false, true}) {
      check_band<OneLevel, Pb<Lower>, Pack4, Form::batch>(random, size, fails);
      check_band<OneLevel, Gb<N>, Pack4, Form::single>(random, size, fails);
      check_band<OneLevel, Pt<Lower>, Pack4, Form::single>(random, {size.n, 1, 1}, fails);
    }
    check_band<OneLevel, Gb<T>, Pack<Kokkos::complex<float>, 2>, Form::single>(random, size);
  }
}

// --- One matrix of scalars for right-hand sides of packs, and of rectangular matrices the factors.

TEST(BandOneThread, PacksByScalars) {
  Random random;
  constexpr int n = 12, kl = 2, ku = 1;
  using P = Pack<double, 4>;
  const Kokkos::View<double**, Kokkos::HostSpace> a("a", 2 * kl + ku + 1, n), s("s", kl + 1, n);
  const Kokkos::View<int*, Kokkos::HostSpace> ipiv("ipiv", n);
  const Kokkos::View<P**, Kokkos::HostSpace> x("x", n, 3);
  const Kokkos::View<double*, Kokkos::HostSpace> y("y", n);
  for (int j = 0; j < n; ++j) {
    for (int d = kl; d <= 2 * kl + ku; ++d) a(d, j) = random.number<double>();
    for (int d = 0; d <= kl; ++d) s(d, j) = d == 0 ? 6 : random.number<double>();
    y(j) = random.number<double>();
    for (int c = 0; c < 3; ++c) x(j, c) = P(y(j));
  }
  ASSERT_EQ(SerialGbtrf<>::invoke(a, ipiv, kl, ku), 0);
  ASSERT_EQ(SerialPbtrf<Lower>::invoke(s), 0);
  ASSERT_EQ((SerialGbtrs<>::invoke(a, ipiv, x, kl, ku)), 0);
  ASSERT_EQ((SerialGbtrs<>::invoke(a, ipiv, y, kl, ku)), 0);
  ASSERT_EQ(SerialPbtrs<Lower>::invoke(s, x), 0);
  ASSERT_EQ(SerialPbtrs<Lower>::invoke(s, y), 0);
  for (int j = 0; j < n; ++j) {
    for (int l = 0; l < 12; ++l) EXPECT_NEAR(x(j, l / 4)[l % 4], y(j), 1e-13);
  }
}

// The diagonal of a Hermitian matrix may be real, as LAPACK's zpttrf has it.
TEST(BandOneThread, RealDiagonal) {
  using Complex = Kokkos::complex<double>;
  const Kokkos::View<double[2], Kokkos::HostSpace> d("d");
  const Kokkos::View<Complex[1], Kokkos::HostSpace> e("e");
  const Kokkos::View<Complex[2], Kokkos::HostSpace> b("b");
  d(0) = 2, d(1) = 3, e(0) = Complex(0, 1);  // [[2, -i], [i, 3]]
  b(0) = Complex(2, -2), b(1) = Complex(6, 1);
  ASSERT_EQ(SerialPttrf<>::invoke(d, e), 0);
  ASSERT_EQ(SerialPttrs<Lower>::invoke(d, e, b), 0);
  EXPECT_NEAR(Kokkos::abs(b(0) - Complex(1)), 0, 1e-15);
  EXPECT_NEAR(Kokkos::abs(b(1) - Complex(2)), 0, 1e-15);
}

// What passes between the substitutions in a workspace: the same numbers as in place.
TEST(BandOneThread, Workspace) {
  Random random;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  for (const Size& size : sizes) {
    const auto [n, kl, ku] = size;
    SCOPED_TRACE("n " + std::to_string(n) + ", kl " + std::to_string(kl));
    const Matrix a("a", 2 * kl + ku + 1, n), s("s", kl + 1, n), x("x", n, 11), w("w", n, 11);
    const Columns left("left", n, 11);  // another layout than that of the right-hand sides
    const Kokkos::View<int*, Kokkos::HostSpace> ipiv("ipiv", n);
    const Kokkos::View<double*, Kokkos::HostSpace> d("d", n), e("e", n > 0 ? n - 1 : 0);
    for (int j = 0; j < n; ++j) {
      for (int i = kl; i <= 2 * kl + ku; ++i) a(i, j) = random.number<double>();
      for (int i = 0; i <= kl; ++i) s(i, j) = i == 0 ? 2 * kl + 2 : random.number<double>();
      d(j) = 3 + random.number<double>();
      if (j + 1 < n) e(j) = random.number<double>();
    }
    ASSERT_EQ(SerialGbtrf<>::invoke(a, ipiv, kl, ku), 0);
    ASSERT_EQ(SerialPbtrf<Lower>::invoke(s), 0);
    ASSERT_EQ(SerialPttrf<>::invoke(d, e), 0);
    const auto check = [&](const auto& in_place, const auto& with) {
      Matrix same("same", n, 11);
      for (std::size_t i = 0; i < x.span(); ++i) {
        same.data()[i] = x.data()[i] = random.number<double>();
        w.data()[i] = std::numeric_limits<double>::quiet_NaN();
      }
      ASSERT_EQ(in_place(same), 0);
      ASSERT_EQ(with(x), 0);
      for (std::size_t i = 0; i < x.span(); ++i) EXPECT_EQ(x.data()[i], same.data()[i]);
    };
    using Kokkos::ALL;
    check([&](auto b) { return SerialPbtrs<Lower>::invoke(s, b); },
          [&](auto b) { return SerialPbtrs<Lower>::invoke(s, b, w); });
    check([&](auto b) { return SerialGbtrs<>::invoke(a, ipiv, b, kl, ku); },
          [&](auto b) { return SerialGbtrs<>::invoke(a, ipiv, b, kl, ku, w); });
    check([&](auto b) { return SerialGbtrs<T>::invoke(a, ipiv, b, kl, ku); },
          [&](auto b) { return SerialGbtrs<T>::invoke(a, ipiv, b, kl, ku, w); });
    check([&](auto b) { return SerialPttrs<Lower>::invoke(d, e, b); },
          [&](auto b) { return SerialPttrs<Lower>::invoke(d, e, b, w); });
    check([&](auto b) { return SerialPbtrs<Lower>::invoke(s, Kokkos::subview(b, ALL, 3)); },
          [&](auto b) {
            return SerialPbtrs<Lower>::invoke(s, Kokkos::subview(b, ALL, 3),
                                              Kokkos::subview(left, ALL, 2));
          });
  }
}

// A workspace in scratch memory.
template <class Space>
struct WithScratch {
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  using Vector = Kokkos::View<double*, Space>;
  Matrix a, s, x;
  Kokkos::View<int*, Space> ipiv;
  Vector d, e;
  int kl, ku, routine;

  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int) const {
    using Workspace =
        Routines::InScratch<Strided<double, std::integer_sequence<std::ptrdiff_t, dynamic, dynamic>,
                                    std::integer_sequence<std::ptrdiff_t, dynamic, 1>>>;
    const int n = x.extent_int(0), cols = x.extent_int(1);
    auto scratch = level.member.team_scratch(0);
    const int extents[] = {n, cols};
    const std::ptrdiff_t strides[] = {cols, 1};
    const Workspace w(
        static_cast<double*>(scratch.get_shmem_aligned(sizeof(double) * n * cols, sizeof(double))),
        extents, strides);
    if (routine == 0) return RoutineOp<Routines::PbtrsRoutine<Lower>>::call(level, s, x, w);
    if (routine == 1) return RoutineOp<Routines::PttrsRoutine<Lower>>::call(level, d, e, x, w);
    if (routine == 2) {
      return RoutineOp<Routines::GbtrsRoutine<N>>::call(level, a, ipiv, x, kl, ku, w);
    }
    return RoutineOp<Routines::GbtrsRoutine<T>>::call(level, a, ipiv, x, kl, ku, w);
  }
};

template <class Level>
void check_with_scratch() {
  using Space = typename Level::space;
  using Functor = WithScratch<Space>;
  using Matrix = typename Functor::Matrix;
  Random random;
  constexpr int cols = 5;
  for (const Size& size : sizes) {
    const auto [n, kl, ku] = size;
    SCOPED_TRACE("n " + std::to_string(n) + ", kl " + std::to_string(kl));
    const Functor device{Matrix("a", 2 * kl + ku + 1, n),
                         Matrix("s", kl + 1, n),
                         Matrix("x", n, cols),
                         Kokkos::View<int*, Space>("ipiv", n),
                         typename Functor::Vector("d", n),
                         typename Functor::Vector("e", n > 0 ? n - 1 : 0),
                         kl,
                         ku,
                         0};
    const auto a = Kokkos::create_mirror(device.a), s = Kokkos::create_mirror(device.s),
               x = Kokkos::create_mirror(device.x), before = Kokkos::create_mirror(device.x);
    const auto ipiv = Kokkos::create_mirror(device.ipiv);
    const auto d = Kokkos::create_mirror(device.d), e = Kokkos::create_mirror(device.e);
    for (int j = 0; j < n; ++j) {
      for (int i = kl; i <= 2 * kl + ku; ++i) a(i, j) = random.number<double>();
      a(kl + ku, j) += 2;
      for (int i = 0; i <= kl; ++i) s(i, j) = i == 0 ? 2 * kl + 2 : random.number<double>();
      d(j) = 3 + random.number<double>();
      if (j + 1 < n) e(j) = random.number<double>();
      for (int c = 0; c < cols; ++c) before(j, c) = random.number<double>();
    }
    ASSERT_EQ(SerialGbtrf<>::invoke(a, ipiv, kl, ku), 0);
    ASSERT_EQ(SerialPbtrf<Lower>::invoke(s), 0);
    ASSERT_EQ(SerialPttrf<>::invoke(d, e), 0);
    Kokkos::deep_copy(device.a, a);
    Kokkos::deep_copy(device.s, s);
    Kokkos::deep_copy(device.ipiv, ipiv);
    Kokkos::deep_copy(device.d, d);
    Kokkos::deep_copy(device.e, e);
    for (int routine = 0; routine < 4; ++routine) {
      SCOPED_TRACE(routine);
      const auto expected = Kokkos::create_mirror(device.x);
      Kokkos::deep_copy(expected, before);
      if (routine == 0) (void)SerialPbtrs<Lower>::invoke(s, expected);
      if (routine == 1) (void)SerialPttrs<Lower>::invoke(d, e, expected);
      if (routine == 2) (void)SerialGbtrs<N>::invoke(a, ipiv, expected, kl, ku);
      if (routine == 3) (void)SerialGbtrs<T>::invoke(a, ipiv, expected, kl, ku);
      Functor functor = device;
      functor.routine = routine;
      for_each_configuration<Level>(
          functor, [&] { Kokkos::deep_copy(functor.x, before); },
          [&](int code) {
            EXPECT_EQ(code, 0);
            Kokkos::deep_copy(x, functor.x);
            for (int i = 0; i < n; ++i) {
              for (int c = 0; c < cols; ++c) {
                EXPECT_NEAR(x(i, c), expected(i, c), 1e-9 * (1 + std::abs(expected(i, c))));
              }
            }
          },
          {sizeof(double) * n * cols + 64, 0});
    }
  }
}
TEST(Band, WorkspaceInScratch) {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  check_with_scratch<EmulatedTeamVector>();
#endif
  check_with_scratch<TeamVector>();
}

TEST(BandExtents, Disagree) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  const Kokkos::View<double**, Kokkos::HostSpace> a("a", 4, 5), none("none", 0, 5), b("b", 4, 2);
  const Kokkos::View<double*, Kokkos::HostSpace> x("x", 4), d("d", 5), e("e", 4);
  const Kokkos::View<int*, Kokkos::HostSpace> p("p", 5), few("few", 4);
  const Kokkos::View<double***, Kokkos::HostSpace> batch("batch", 2, 4, 5);
  Kokkos::deep_copy(a, 7.0);
  Kokkos::deep_copy(x, 7.0);
  EXPECT_EQ(SerialPbtrf<Lower>::invoke(none), -1);
  EXPECT_EQ(SerialPbtrf<Lower>::invoke(batch, few), -1);
  EXPECT_EQ(SerialPbtrs<Lower>::invoke(a, x), -1);
  EXPECT_EQ(SerialPbtrs<Lower>::invoke(a, b), -1);
  EXPECT_EQ(SerialPbtrs<Lower>::invoke(none, d), -1);
  EXPECT_EQ(SerialPbtrs<Lower>::invoke(a, d, x), -1);
  EXPECT_EQ(SerialGbtrf<>::invoke(a, p, 1, 2), -1);
  EXPECT_EQ(SerialGbtrf<>::invoke(a, p, -1, 2), -1);
  EXPECT_EQ(SerialGbtrf<>::invoke(a, p, 1, 1 << 30), -1);
  EXPECT_EQ(SerialGbtrf<>::invoke(a, few, 1, 1), -1);
  EXPECT_EQ(SerialGbtrf<>::invoke(a, p, 1, 1, -2), -1);
  EXPECT_EQ(SerialGbtrs<>::invoke(a, p, x, 1, 1), -1);
  EXPECT_EQ(SerialGbtrs<>::invoke(a, few, d, 1, 1), -1);
  EXPECT_EQ(SerialGbtrs<>::invoke(a, p, d, 1, 2), -1);
  EXPECT_EQ(SerialPttrf<>::invoke(e, d), -1);
  EXPECT_EQ(SerialPttrs<Lower>::invoke(d, e, x), -1);
  EXPECT_EQ(SerialTbsv<Lower>::invoke(a, d, 4), -1);
  EXPECT_EQ(SerialTbsv<Lower>::invoke(a, d, -1), -1);
  EXPECT_EQ(SerialTbsv<Lower>::invoke(a, x, 1), -1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(a.data()[i], 7.0);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(x(i), 7.0);
}

}  // namespace
}  // namespace KokkosContract::Test
