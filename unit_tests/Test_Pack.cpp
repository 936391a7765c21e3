// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs: their arithmetic, as elements of every operation, and access to their lanes.
#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <array>

#include "ContractOp.hpp"
#include "PackLanes.hpp"

namespace KokkosContract::Test {
namespace {

using Pack4 = Pack<double, 4>;
using Stride = Kokkos::LayoutStride;
using N = Trans::NoTranspose;

// --- Comparisons and functions

TEST(PackMath, ComparisonsGiveMasks) {
  Pack4 a, b;
  for (int l = 0; l < 4; ++l) a[l] = l, b[l] = 3 - l;
  const Pack<bool, 4> less = a < b, at_least = 2 >= a, both = less && at_least;
  const Pack<bool, 4> some = (a > 2.5) || !(a <= b);
  const bool any = is_any_true(a < 0.0), all = is_all_true(a < 4.0);
  for (int l = 0; l < 4; ++l) {
    EXPECT_EQ(less[l], a[l] < b[l]);
    EXPECT_EQ(at_least[l], a[l] <= 2);
    EXPECT_EQ(both[l], l < 2);
    EXPECT_EQ(some[l], l >= 2);
  }
  EXPECT_FALSE(any);
  EXPECT_TRUE(all);
  EXPECT_FALSE(a == b);  // of two packs: whether all lanes are equal
}

TEST(PackMath, ConditionalAssign) {
  Pack4 a, b, c(-1.0);
  for (int l = 0; l < 4; ++l) a[l] = l, b[l] = 10 + l;
  const auto mask = a >= 2.0;
  const Pack4 chosen = conditional_assign(mask, a, b), or_zero = conditional_assign(mask, a, 0.0),
              zero_or = conditional_assign(mask, 0.0, b);
  conditional_assign(c, mask, 7, b);
  for (int l = 0; l < 4; ++l) {
    EXPECT_EQ(chosen[l], l >= 2 ? l : 10 + l);
    EXPECT_EQ(or_zero[l], l >= 2 ? l : 0);
    EXPECT_EQ(zero_or[l], l >= 2 ? 0 : 10 + l);
    EXPECT_EQ(c[l], l >= 2 ? 7 : 10 + l);
  }
}

TEST(PackMath, FunctionsOfLanes) {
  using Complex = Kokkos::complex<double>;
  Pack4 a;
  Pack<Complex, 2> z;
  for (int l = 0; l < 4; ++l) a[l] = 0.25 * (l - 1);
  for (int l = 0; l < 2; ++l) z[l] = Complex(3 * l, 4);
  const Pack4 root = sqrt(abs(a)), power = pow(2.0, a), angle = atan2(a, 1.0);
  const Pack4 clamped = max(min(a, 0.3), Pack4(0.0)), wave = sin(a) * sin(a) + cos(a) * cos(a);
  for (int l = 0; l < 4; ++l) {
    EXPECT_EQ(root[l], std::sqrt(std::abs(a[l])));
    EXPECT_EQ(power[l], std::pow(2.0, a[l]));
    EXPECT_EQ(angle[l], std::atan2(a[l], 1.0));
    EXPECT_EQ(clamped[l], std::max(std::min(a[l], 0.3), 0.0));
    EXPECT_NEAR(wave[l], 1, 1e-15);
    EXPECT_NEAR(log(exp(a))[l], a[l], 1e-15);
  }
  const Pack<double, 2> size = abs(z);
  EXPECT_EQ(size[1], 5);
  EXPECT_EQ((Complex(0, 1) * z)[1], Complex(-4, 3));
  EXPECT_EQ(min(a), -0.25);
  EXPECT_EQ(max(a), 0.5);
  EXPECT_EQ(sum(a), 0.5);
  EXPECT_EQ(prod(a + 1), 0.75 * 1.25 * 1.5);
  EXPECT_EQ(reduce(a, [](double x, double y) { return x - y; }, 1.0), 0.5);
}

// --- Arithmetic
// -----------------------------------------------------------------------------------

template <class T>
class PackArithmetic : public testing::Test {};
using ArithmeticPacks =
    testing::Types<Pack<double, 4>, Pack<double, 8>, Pack<float, 8>, Pack<float, 3>,
                   Pack<double, 1>, Pack<Kokkos::complex<double>, 2>, Pack<int, 4>>;
TYPED_TEST_SUITE(PackArithmetic, ArithmeticPacks);

TYPED_TEST(PackArithmetic, LaneByLane) {
  using T = typename TypeParam::value_type;
  Random random;
  TypeParam a, b;
  for (int l = 0; l < TypeParam::length; ++l) {
    a[l] = random.template number<T>();
    b[l] = random.template number<T>();
    if (b[l] == T(0)) b[l] = T(1);
  }
  const TypeParam sum = a + b, difference = a - b, product = a * b, quotient = a / b, minus = -a;
  TypeParam changed = a;
  changed += b;
  EXPECT_TRUE(changed == sum);
  changed -= b;
  changed = a;
  changed *= b;
  EXPECT_TRUE(changed == product);
  changed = a;
  changed /= b;
  EXPECT_TRUE(changed == quotient);
  for (int l = 0; l < TypeParam::length; ++l) {
    EXPECT_EQ(sum[l], a[l] + b[l]);
    EXPECT_EQ(difference[l], a[l] - b[l]);
    EXPECT_EQ(product[l], a[l] * b[l]);
    EXPECT_EQ(quotient[l], a[l] / b[l]);
    EXPECT_EQ(minus[l], -a[l]);
  }
  const TypeParam all(T(3));
  for (int l = 0; l < TypeParam::length; ++l) EXPECT_EQ(all[l], T(3));
  EXPECT_FALSE(all == TypeParam(T(2)));
}

// --- Operations ---------------------------------------------------------------------------------

template <class Level>
class PackOperations : public testing::Test {};
TYPED_TEST_SUITE(PackOperations, FewLevels, LevelNames);

template <class Level, Spec S, class P>
void check_packs(Random& random) {
  check_contract_views<Level, S, P>(random, random_extents(random, text_of<S>()), 2);
}

TYPED_TEST(PackOperations, Contractions) {
  Random random;
  check_packs<TypeParam, "ik,kj->ij", Pack4>(random);
  check_packs<TypeParam, "bij,bj->bi", Pack4>(random);
  check_packs<TypeParam, "ijk->kij", Pack4>(random);
  check_packs<TypeParam, "ii->", Pack<double, 8>>(random);
  check_packs<TypeParam, "ik,kj->ij", Pack<float, 8>>(random);
  check_packs<TypeParam, "ik*,kj->ij", Pack<Kokkos::complex<double>, 2>>(random);
}

// A scalar operand counts for all lanes.
TYPED_TEST(PackOperations, ScalarsAndPacks) {
  Random random;
  using Space = typename TypeParam::space;
  using Packs = view_t<Pack4, 2, Stride, Space>;
  using Scalars = view_t<const double, 2, Stride, Space>;
  const Extents extents{{'i', 5}, {'k', 4}, {'j', 6}};
  check_contract<TypeParam, "ik,kj->ij", Packs, Scalars, Packs>(random, extents);
  check_contract<TypeParam, "ik,kj->ij", Packs, Packs, Scalars>(random, extents);
}

struct GemmForms {
  using T = Trans::Transpose;
  using Serial = SerialGemm<T, N>;
  template <class Member>
  using Vector = VectorGemm<Member, T, N>;
  template <class Member>
  using Team = TeamGemm<Member, T, N>;
  template <class Member>
  using TeamVector = TeamVectorGemm<Member, T, N>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::GemmRoutine<T, N>::run(level, args...);
  }
};

TYPED_TEST(PackOperations, Gemm) {
  Random random;
  using View = view_t<Pack4, 2, Kokkos::LayoutRight, typename TypeParam::space>;
  for (const int n : {1, 3, 8}) {
    check_operation<TypeParam, PublicForms<GemmForms>, View, View, View>(
        random, "ki,kj->ij", {{'i', n}, {'k', n}, {'j', n}});
  }
}

// matrix = L U and x = U^-1 L^-1 x in each lane, with an info of each lane.
template <class MatrixView, class VectorView, class InfoView>
struct SolvePacks {
  Problems<MatrixView> matrix;
  Problems<VectorView> x;
  Problems<InfoView> info;
  using Lower = SerialTrsv<Uplo::Lower, N, Diag::Unit>;
  using Upper = SerialTrsv<Uplo::Upper, N, Diag::NonUnit>;
  KOKKOS_FUNCTION int operator()(const SerialCaller&, int p) const {
    const int code = SerialLU<>::invoke(matrix(p), info(p));
    const int solves = Lower::invoke(1., matrix(p), x(p)) + Upper::invoke(1., matrix(p), x(p));
    return solves != 0 ? -100 : code;
  }
};

// A length that is no power of two promises no more alignment than an element has.
TEST(PackOfAnyLength, LiesWhereverAnElementMay) {
  using P = Pack<double, 12>;
  static_assert(alignof(P) == alignof(double));
  alignas(64) char memory[4 * sizeof(P)];
  P* const p = reinterpret_cast<P*>(memory + alignof(double));
  for (int i = 0; i < 2; ++i) {
    for (int l = 0; l < P::length; ++l) p[i][l] = i + l + 1;
  }
  p[2] = p[0] * p[1] + p[0] / p[1];
  for (int l = 0; l < P::length; ++l) {
    EXPECT_DOUBLE_EQ(p[2][l], (l + 1.0) * (l + 2) + (l + 1.0) / (l + 2));
  }
}

#ifndef KOKKOSCONTRACT_TEST_TSAN
// Higham, theorem 9.4: (L U + E) x = b with |E| <= gamma_3n |L| |U|.
TEST(PackSolve, LUAndTrsv) {
  using MatrixView = view_t<Pack4, 2>;
  using VectorView = view_t<Pack4, 1>;
  using InfoView = view_t<int, 1>;
  Random random;
  const int n = 7, problems = 2;
  using Space = Kokkos::DefaultExecutionSpace;
  StridedTensor<Pack4, Space> matrix(random, {n, n}, Arrangement::strided, problems);
  StridedTensor<Pack4, Space> x(random, {n}, Arrangement::strided, problems);
  StridedTensor<int, Space> info(random, {4}, Arrangement::strided, problems);
  for (int p = 0; p < problems; ++p) {
    for (int l = 0; l < 4; ++l) {
      auto values = matrix.dense(p, l);
      for (int i = 0; i < n; ++i) values(i, i) += 3;
      matrix.assign(values.values, p, l);
    }
  }
  std::vector<Dense<long double>> right;
  for (int p = 0; p < problems; ++p) {
    for (int l = 0; l < 4; ++l) right.push_back(x.dense(p, l));
  }
  const SolvePacks<MatrixView, VectorView, InfoView> functor{
      matrix.views<MatrixView>(), x.views<VectorView>(), info.views<InfoView>()};
  EXPECT_EQ(Serial::launch({1, 1}, problems, functor, {}), (std::vector<int>{0, 0}));
  matrix.download();
  x.download();
  info.download();
  for (int p = 0; p < problems; ++p) {
    EXPECT_EQ(info.dense(p).values, (std::vector<std::int64_t>{0, 0, 0, 0}));
    for (int l = 0; l < 4; ++l) {
      auto lower = matrix.dense(p, l), upper = lower;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          if (j >= i) lower(i, j) = i == j;
          if (j < i) upper(i, j) = 0;
        }
      }
      const auto sums = sum_products<long double>("ij,jk,k->i", {lower, upper, x.dense(p, l)});
      Expected<long double> expected{{n}, right[p * 4 + l].values, {}};
      for (const long double absolute : sums.absolute) {
        expected.bound.push_back(gamma(3 * n + 6, unit_roundoff<double>()) * absolute);
      }
      EXPECT_TRUE(within_bounds(Dense<long double>{{n}, sums.value}, expected)) << "lane " << l;
    }
  }
  EXPECT_TRUE(matrix.guards_unchanged());
  EXPECT_TRUE(x.guards_unchanged());
  EXPECT_TRUE(info.guards_unchanged());
}

TEST(PackSolve, ZeroPivotOfALane) {
  using MatrixView = view_t<Pack4, 2>;
  using VectorView = view_t<Pack4, 1>;
  using InfoView = view_t<int, 1>;
  Random random;
  using Space = Kokkos::DefaultExecutionSpace;
  StridedTensor<Pack4, Space> matrix(random, {3, 3}, Arrangement::right);
  StridedTensor<Pack4, Space> x(random, {3}, Arrangement::right);
  StridedTensor<int, Space> info(random, {4}, Arrangement::right);
  matrix.assign(std::vector<long double>{4, 1, 1, 0, 0, 0, 1, 1, 4}, 0, 2);
  const SolvePacks<MatrixView, VectorView, InfoView> functor{
      matrix.views<MatrixView>(), x.views<VectorView>(), info.views<InfoView>()};
  EXPECT_EQ(Serial::launch({1, 1}, 1, functor, {}), (std::vector<int>{2}));
  info.download();
  EXPECT_EQ(info.dense(0).values, (std::vector<std::int64_t>{0, 0, 2, 0}));
}
#endif

// --- As the lanes one by one, whose routines have tests of their own
// ------------------------------------------------------------------------------

using PackMatrix = Kokkos::View<Pack4**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using LaneMatrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

LaneMatrix lane_matrix(const PackMatrix& packs, int lane) {
  LaneMatrix result("lane", packs.extent(0), packs.extent(1));
  for (int i = 0; i < packs.extent_int(0); ++i) {
    for (int j = 0; j < packs.extent_int(1); ++j) result(i, j) = packs(i, j)[lane];
  }
  return result;
}

PackMatrix random_packs(Random& random, int rows, int cols, double diagonal = 0) {
  PackMatrix result("packs", rows, cols);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      for (int l = 0; l < 4; ++l) {
        result(i, j)[l] = 0.1 * random.integer(-10, 10) + (i == j ? diagonal : 0);
      }
    }
  }
  return result;
}

/// run(operands..., output) of packs gives what it gives of each lane.
template <class Run, class... Inputs>
void expect_as_lanes(const Run& run, const PackMatrix& output, const Inputs&... inputs) {
  std::vector<LaneMatrix> expected;
  for (int l = 0; l < 4; ++l) {
    expected.push_back(lane_matrix(output, l));
    EXPECT_EQ(run(lane_matrix(inputs, l)..., expected.back()), 0);
  }
  EXPECT_EQ(run(inputs..., output), 0);
  for (int l = 0; l < 4; ++l) {
    const LaneMatrix given = lane_matrix(output, l);
    for (int i = 0; i < given.extent_int(0); ++i) {
      for (int j = 0; j < given.extent_int(1); ++j) {
        const double value = expected[l](i, j);
        EXPECT_NEAR(given(i, j), value, 1e-12 * (1 + std::abs(value))) << i << j << l;
      }
    }
  }
}

TEST(PackLanes, Trsm) {
  Random random;
  const auto check_all = [&]<class Where, class Triangle, class Diagonal>() {
    const auto check = [&](int rows, int cols, double alpha, bool extreme, const auto& fixed) {
      const int n = std::is_same_v<Where, Side::Left> ? rows : cols;
      const PackMatrix a = random_packs(random, n, n, 3 + n);
      // Has no reciprocal that serves.
      if (extreme) a(n - 1, n - 1)[1] = 1e-200;
      expect_as_lanes(
          [&](const auto& matrix, const auto& b) {
            return SerialTrsm<Where, Triangle, N, Diagonal>::invoke(alpha, matrix, fixed(b));
          },
          random_packs(random, rows, cols), a);
    };
    const auto dynamic_extents = [](const auto& b) { return b; };
    for (const int rows : {1, 2, 4, 7, 9}) {
      for (const int cols : {1, 3, 5, 8}) {
        check(rows, cols, 1.0, false, dynamic_extents);
        check(rows, cols, 2.5, rows == cols + 2, dynamic_extents);
      }
    }
    check(3, 3, 1.0, true, [](const auto& b) { return fix<3, 3>(b); });
    check(7, 5, 1.0, false, [](const auto& b) { return fix<7, 5>(b); });
    check(6, 1, -1.0, false, [](const auto& b) { return fix<6, 1>(b); });
    check(0, 2, 1.0, false, [](const auto& b) { return fix<0, 2>(b); });
  };
  check_all.template operator()<Side::Left, Uplo::Lower, Diag::Unit>();
  check_all.template operator()<Side::Left, Uplo::Upper, Diag::NonUnit>();
  check_all.template operator()<Side::Right, Uplo::Lower, Diag::NonUnit>();
  check_all.template operator()<Side::Right, Uplo::Upper, Diag::NonUnit>();
}

TEST(PackLanes, GemmUpdate) {
  Random random;
  for (const int n : {1, 3, 4, 7, 9}) {
    const PackMatrix a = random_packs(random, n, n), b = random_packs(random, n, n);
    for (const double alpha : {-1.0, 1.0}) {
      expect_as_lanes([&](const auto& x, const auto& y,
                          const auto& c) { return SerialGemm<N, N>::invoke(alpha, x, y, 1.0, c); },
                      random_packs(random, n, n), a, b);
    }
  }
}

// --- Access to lanes
// ------------------------------------------------------------------------------

struct SetLanes {
  Kokkos::View<Pack4***> packs;
  int problems;
  KOKKOS_FUNCTION void operator()(int p) const {
    const auto access = packed_access<0>(packs, problems);
    for (int i = 0; i < access.extent(1); ++i) {
      for (int j = 0; j < access.extent(2); ++j) access(p, i, j) = 100 * p + 10 * i + j;
    }
  }
};

TEST(PackedAccess, FillAndPad) {
  const int problems = 10, n = 3;
  const Kokkos::View<Pack4***> packs("packs", 3, n, n);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<>(0, problems), SetLanes{packs, problems});
  pad_identity(Kokkos::DefaultExecutionSpace(), packs, problems);
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, packs);
  for (int p = 0; p < 12; ++p) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        EXPECT_EQ(host(p / 4, i, j)[p % 4], p < problems ? 100 * p + 10 * i + j : i == j);
      }
    }
  }
  EXPECT_EQ(packed_access<0>(packs, problems).extent(0), problems);
}

TEST(PackedAccess, PadVectorsAndTooManyProblems) {
  const Kokkos::View<Pack4**> packs("packs", 2, 3);
  Kokkos::deep_copy(packs, Pack4(5.));
  pad_identity(Kokkos::DefaultExecutionSpace(), packs, 5);
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, packs);
  for (int p = 0; p < 8; ++p) EXPECT_EQ(host(p / 4, 1)[p % 4], p < 5 ? 5 : 0);
  EXPECT_THROW(pad_identity(Kokkos::DefaultExecutionSpace(), packs, 9), std::invalid_argument);
}

/// Lane 5 to the last one of each element of a View, beside those before.
template <class V, class Pad>
void check_padding(const V& packs, const Pad& pad, double (*expected)(int element)) {
  Kokkos::deep_copy(packs, Pack4(5.));
  pad(Kokkos::DefaultExecutionSpace(), packs, 5);
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, packs);
  const int elements = static_cast<int>(host.size() / 2);
  for (int e = 0; e < elements; ++e) {
    for (int p = 0; p < 8; ++p) {
      // The layout is LayoutRight: the entries follow each other.
      EXPECT_EQ(host.data()[p / 4 * elements + e][p % 4], p < 5 ? 5 : expected(e)) << e << ' ' << p;
    }
  }
}

TEST(PackedAccess, PadAnyRank) {
  using R = Kokkos::LayoutRight;
  const Kokkos::View<Pack4*, R> numbers("numbers", 2);
  const Kokkos::View<Pack4***, R> columns("columns", 2, 3, 2);
  const Kokkos::View<Pack4****, R> matrices("matrices", 2, 5, 3, 2);
  const Kokkos::View<Pack4*****, R> more("more", 2, 2, 2, 3, 3);
  const auto identity = [](const auto&... arguments) { pad_identity(arguments...); };
  const auto zero = [](const auto&... arguments) { pad_zero(arguments...); };
  const auto is_zero = [](int) { return 0.; };
  check_padding(numbers, identity, is_zero);
  check_padding(matrices, identity, [](int e) { return e % 6 / 2 == e % 2 ? 1. : 0.; });
  check_padding(more, identity, [](int e) { return e % 9 / 3 == e % 3 ? 1. : 0.; });
  check_padding(numbers, zero, is_zero);
  check_padding(columns, zero, is_zero);
  check_padding(matrices, zero, is_zero);
  EXPECT_THROW(pad_zero(Kokkos::DefaultExecutionSpace(), columns, 9), std::invalid_argument);
}

// --- for_each_lane
// --------------------------------------------------------------------------------

/// The product of each problem, packs on a host and a scalar per lane on a GPU.
struct LanesFunctor {
  Kokkos::View<Pack4***> a, b, c;
  Kokkos::View<int*> codes;
  KOKKOS_FUNCTION void operator()(const Kokkos::TeamPolicy<>::member_type& member) const {
    const int p = member.league_rank();
    const auto pa = Kokkos::subview(a, p, Kokkos::ALL, Kokkos::ALL);
    const auto pb = Kokkos::subview(b, p, Kokkos::ALL, Kokkos::ALL);
    const auto pc = Kokkos::subview(c, p, Kokkos::ALL, Kokkos::ALL);
    codes(p) = for_each_lane(
        member,
        [&](const auto& x, const auto& y, const auto& z) {
          return SerialContract<"ik,kj->ij">::invoke(1., x, y, 0., z);
        },
        pa, pb, pc);
  }
};

#ifndef KOKKOSCONTRACT_TEST_TSAN
TEST(ForEachLane, Product) {
  const int entries = 3, n = 4;
  const Kokkos::View<Pack4***> a("a", entries, n, n), b("b", entries, n, n), c("c", entries, n, n);
  const Kokkos::View<int*> codes("codes", entries);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<>(0, 12), SetLanes{a, 12});
  Kokkos::parallel_for("test", Kokkos::RangePolicy<>(0, 12), SetLanes{b, 12});
  const int lanes_of_team = Detail::on_host() ? 1 : 4;
  Kokkos::parallel_for("test", Kokkos::TeamPolicy<>(entries, 1, lanes_of_team),
                       LanesFunctor{a, b, c, codes});
  Kokkos::fence();
  const auto ha = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, a);
  const auto hc = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
  const auto hcodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, codes);
  for (int p = 0; p < 4 * entries; ++p) {
    EXPECT_EQ(hcodes(p / 4), 0);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0;  // of integers: exact
        for (int k = 0; k < n; ++k) sum += ha(p / 4, i, k)[p % 4] * ha(p / 4, k, j)[p % 4];
        EXPECT_EQ(hc(p / 4, i, j)[p % 4], sum);
      }
    }
  }
}
#endif

// Of two lanes, the second was not scaled by alpha: a mask that GCC 16 made with AVX-512 at -O3.
TEST(Pack, ScaledRightHandSide) {
  using P = Pack<double, 2>;
  constexpr int n = 4;
  const double alpha = 0.25;
  const Kokkos::View<P[n][n], Kokkos::LayoutRight, Kokkos::HostSpace> a("a");
  const Kokkos::View<P**, Kokkos::LayoutLeft, Kokkos::HostSpace> b("b", n, 1);
  for (int l = 0; l < 2; ++l) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) a(i, j)[l] = (i * 3 + j + l) % 3;
      b(i, 0)[l] = 4 * (i + 1 + n * l);
    }
  }
  double expected[n][2];
  for (int l = 0; l < 2; ++l) {
    for (int i = n - 1; i >= 0; --i) {
      expected[i][l] = alpha * b(i, 0)[l];
      for (int k = i + 1; k < n; ++k) expected[i][l] -= a(k, i)[l] * expected[k][l];
    }
  }
  using Extents = Kokkos::dextents<int, 2>;
  const Kokkos::mdspan<const P, Extents, Kokkos::layout_stride> a_strided(
      a.data(), {Extents(n, n), std::array<int, 2>{n, 1}});
  using Solve = SerialTrsm<Side::Left, Uplo::Lower, Trans::Transpose, Diag::Unit>;
  EXPECT_EQ(Solve::invoke(alpha, a_strided, b), 0);
  for (int l = 0; l < 2; ++l) {
    for (int i = 0; i < n; ++i) EXPECT_EQ(b(i, 0)[l], expected[i][l]) << i << ", lane " << l;
  }
}

TEST(Pack, DefaultLength) {
  EXPECT_GE((default_pack_length<double>), 1);
  EXPECT_EQ((default_pack_length<float, Kokkos::DefaultHostExecutionSpace>),
            (2 * default_pack_length<double, Kokkos::DefaultHostExecutionSpace>));
}

}  // namespace
}  // namespace KokkosContract::Test
