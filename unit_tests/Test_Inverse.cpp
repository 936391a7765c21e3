// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SolveLU, InverseLU, Trtri and Trmm.
#include <gtest/gtest.h>

#include <KokkosContract/Copy.hpp>
#include <KokkosContract/InverseLU.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/Set.hpp>
#include <KokkosContract/SolveLU.hpp>
#include <KokkosContract/Trmm.hpp>
#include <KokkosContract/Trtri.hpp>

#include "Outputs.hpp"
#include "PackLanes.hpp"
#include "Residual.hpp"
#include "Triangular.hpp"

namespace KokkosContract::Test {
namespace {

using N = Trans::NoTranspose;
using T = Trans::Transpose;
using C = Trans::ConjTranspose;
using Left = Side::Left;
using Right = Side::Right;
using Stride = Kokkos::LayoutStride;
using Complex = Kokkos::complex<double>;
using ComplexFloat = Kokkos::complex<float>;
using Pack4 = Pack<double, 4>;
using ComplexPack = Pack<Complex, 2>;

template <class Level>
class InverseAllLevels : public testing::Test {};
TYPED_TEST_SUITE(InverseAllLevels, Levels, LevelNames);
template <class Level>
class Inverse : public testing::Test {};
TYPED_TEST_SUITE(Inverse, LaneLevels, LevelNames);

// --- The public forms ---------------------------------------------------------------------------

template <class TransA>
struct SolveLUForms {
  using Serial = SerialSolveLU<TransA>;
  template <class Member>
  using Vector = VectorSolveLU<Member, TransA>;
  template <class Member>
  using Team = TeamSolveLU<Member, TransA>;
  template <class Member>
  using TeamVector = TeamVectorSolveLU<Member, TransA>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::SolveLURoutine<TransA>::run(level, args...);
  }
};

struct InverseLUForms {
  using Serial = SerialInverseLU<Algo::InverseLU::Unblocked>;
  template <class Member>
  using Vector = VectorInverseLU<Member>;
  template <class Member>
  using Team = TeamInverseLU<Member>;
  template <class Member>
  using TeamVector = TeamVectorInverseLU<Member>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::InverseLURoutine::run(level, args...);
  }
};

template <class Triangle, class Diagonal>
struct TrtriForms {
  using Serial = SerialTrtri<Triangle, Diagonal>;
  template <class Member>
  using Vector = VectorTrtri<Member, Triangle, Diagonal>;
  template <class Member>
  using Team = TeamTrtri<Member, Triangle, Diagonal>;
  template <class Member>
  using TeamVector = TeamVectorTrtri<Member, Triangle, Diagonal>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::TrtriRoutine<Triangle, Diagonal>::run(level, args...);
  }
};

template <class SideTag, class Triangle, class TransTag, class Diagonal>
struct TrmmForms {
  using Serial = SerialTrmm<SideTag, Triangle, TransTag, Diagonal>;
  template <class Member>
  using Vector = VectorTrmm<Member, SideTag, Triangle, TransTag, Diagonal>;
  template <class Member>
  using Team = TeamTrmm<Member, SideTag, Triangle, TransTag, Diagonal>;
  template <class Member>
  using TeamVector = TeamVectorTrmm<Member, SideTag, Triangle, TransTag, Diagonal>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::TrmmRoutine<SideTag, Triangle, TransTag, Diagonal>::run(level,
                                                                                         args...);
  }
};

/// Problem z of a tensor, which has a batch dimension or not.
template <class W>
Dense<W> one_of(const Dense<W>& tensor, int z, int rank) {
  return matrix_of_batch(tensor, z, static_cast<int>(tensor.extents.size()) > rank);
}

// --- SolveLU and InverseLU ----------------------------------------------------------------------

template <class TransA>
struct SolveLUOp {
  template <class Level, class Scalar, class A, class B>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const A& a, const Scalar&,
                                  const B& b) {
    return PublicForms<SolveLUForms<TransA>>::call(level, a, b);
  }
};
template <class TransA>
struct SolveLUSharedOp {
  template <class Level, class Scalar, class A, class B>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const A& a, const Scalar&,
                                  const B& b) {
    return PublicForms<SolveLUForms<TransA>>::call(level, shared(a), b);
  }
};

template <class View>
struct FactorEach {
  Problems<View> a;
  KOKKOS_FUNCTION void operator()(int p) const { require_success(SerialLU<>::invoke(a(p))); }
};

/// A becomes its factors, in each problem, batch entry and lane; returns what it was.
template <class View, class Tensor>
auto factor(Tensor& a) {
  const auto before = for_each_lane_of(a, [&](int p, int l) { return a.dense(p, l); });
  Kokkos::parallel_for("LU", Kokkos::RangePolicy<typename View::execution_space>(0, a.problems()),
                       FactorEach<View>{a.template views<View>()});
  Kokkos::fence();
  a.download();
  a.upload();
  return before;
}

/// Columns: right-hand sides, 0 for a vector.
template <class Level, class T_, class TransA, class Layout, bool Batch, bool Vector,
          bool Share = false>
void check_solve_lu(Random& random, int n, int columns) {
  using Space = typename Level::space;
  using Scalar = typename lanes<T_>::scalar;
  constexpr int batch = 3;
  using AView = view_t<T_, Batch && !Share ? 3 : 2, Layout, Space>;
  using BView = view_t<T_, 2 + Batch - Vector, Layout, Space>;
  using Op = std::conditional_t<Share, SolveLUSharedOp<TransA>, SolveLUOp<TransA>>;
  SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(columns) + ", " + random.state());
  std::vector<int> a_extents{n, n}, b_extents{n};
  if (!Vector) b_extents.push_back(columns);
  if (Batch) b_extents.insert(b_extents.begin(), batch);
  if (Batch && !Share) a_extents.insert(a_extents.begin(), batch);
  StridedTensor<T_, Space> a(random, a_extents, arrangement_of<Layout>(), 2);
  make_dominant(a, random);
  const auto matrices = factor<AView>(a);
  StridedTensor<T_, Space> b(random, b_extents, arrangement_of<Layout>(), 2);
  const auto right = for_each_lane_of(b, [&](int p, int l) { return b.dense(p, l); });
  check_everywhere<Level>(
      functor_of<Op, BView, AView>(1., b, a), false,
      [&](const std::vector<int>& codes) {
        EXPECT_EQ(codes, std::vector<int>(2, 0));
        EXPECT_TRUE(a.unchanged());
        constexpr int count = lanes<T_>::count;
        for_each_lane_of(b, [&](int p, int l) {
          const auto got = b.dense(p, l);
          for (int z = 0; z < (Batch ? batch : 1); ++z) {
            const auto op = transposed<TransA>(one_of(matrices[p * count + l], z, 2));
            const auto x = matrix_of_batch(got, z, Batch, Vector);
            const auto rhs = matrix_of_batch(right[p * count + l], z, Batch, Vector);
            expect_small<Scalar>(difference(product(op, x), rhs), n, norm_one(op) * norm_one(x));
          }
          return 0;
        });
      },
      b, a);
}

TYPED_TEST(InverseAllLevels, SolveLU) {
  Random random;
  for (const int n : {0, 1, 2, 5, 8, 17}) {
    check_solve_lu<TypeParam, double, N, Stride, false, true>(random, n, 0);
    check_solve_lu<TypeParam, double, T, Kokkos::LayoutRight, false, false>(random, n, 6);
  }
}

TYPED_TEST(InverseAllLevels, SolveLUOtherTypes) {
  Random random;
  for (const int n : {1, 6}) {
    check_solve_lu<TypeParam, Complex, C, Stride, false, false>(random, n, 3);
    check_solve_lu<TypeParam, ComplexFloat, N, Kokkos::LayoutRight, false, false>(random, n, 2);
    check_solve_lu<TypeParam, Pack4, N, Kokkos::LayoutRight, false, false>(random, n, 5);
    check_solve_lu<TypeParam, float, N, Stride, true, true>(random, n, 0);
    check_solve_lu<TypeParam, double, T, Stride, true, false, true>(random, n, 4);
  }
}

struct InverseLUOp {
  template <class Level, class Scalar, class W, class A>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const W& w, const Scalar&,
                                  const A& a) {
    return PublicForms<InverseLUForms>::call(level, a, w);
  }
};

template <class Level, class T_, class Layout, bool Batch = false>
void check_inverse_lu(Random& random, int n) {
  using Space = typename Level::space;
  using Scalar = typename lanes<T_>::scalar;
  using W = wide_t<Scalar>;
  constexpr int batch = 3;
  using AView = view_t<T_, 2 + Batch, Layout, Space>;
  using WView = view_t<T_, 1 + Batch, Stride, Space>;
  SCOPED_TRACE(std::to_string(n) + ", " + random.state());
  std::vector<int> a_extents{n, n}, w_extents{n * n + 3};
  if (Batch) a_extents.insert(a_extents.begin(), batch);
  if (Batch) w_extents.insert(w_extents.begin(), batch);
  StridedTensor<T_, Space> a(random, a_extents, arrangement_of<Layout>(), 2);
  StridedTensor<T_, Space> w(random, w_extents, Arrangement::strided, 2);
  spoil(w);
  make_dominant(a, random);
  const auto matrices = factor<AView>(a);
  check_everywhere<Level>(
      functor_of<InverseLUOp, AView, WView>(1., a, w), false,
      [&](const std::vector<int>& codes) {
        EXPECT_EQ(codes, std::vector<int>(2, 0));
        for_each_lane_of(a, [&](int p, int l) {
          const auto got = a.dense(p, l);
          for (int z = 0; z < (Batch ? batch : 1); ++z) {
            const auto matrix = one_of(matrices[p * lanes<T_>::count + l], z, 2);
            const auto inverse = one_of(got, z, 2);
            expect_small<Scalar>(difference(product(matrix, inverse), identity<W>(n)), n,
                                 norm_one(matrix) * norm_one(inverse));
          }
          return 0;
        });
      },
      a, w);
}

TYPED_TEST(InverseAllLevels, InverseLU) {
  Random random;
  for (const int n : {0, 1, 2, 5, 8, 17}) check_inverse_lu<TypeParam, double, Stride>(random, n);
}

TYPED_TEST(InverseAllLevels, InverseLUOtherTypes) {
  Random random;
  for (const int n : {1, 6}) {
    check_inverse_lu<TypeParam, Complex, Kokkos::LayoutLeft>(random, n);
    check_inverse_lu<TypeParam, ComplexFloat, Kokkos::LayoutRight>(random, n);
    check_inverse_lu<TypeParam, Pack4, Kokkos::LayoutRight>(random, n);
    check_inverse_lu<TypeParam, float, Kokkos::LayoutRight, true>(random, n);
  }
}

// --- Trtri --------------------------------------------------------------------------------------

template <class Triangle, class Diagonal>
struct TrtriOp {
  template <class Level, class Scalar, class Info, class A>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const Info& info,
                                  const Scalar&, const A& a) {
    return PublicForms<TrtriForms<Triangle, Diagonal>>::call(level, a, info);
  }
};
template <class Triangle, class Diagonal>
struct TrtriWithoutInfo {
  template <class Level, class Scalar, class A>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar&, const Scalar&, const A& a) {
    return PublicForms<TrtriForms<Triangle, Diagonal>>::call(level, a);
  }
};

/// zero: the diagonal element that is zero in the last problem, batch entry and lane; -1: none.
template <class Level, class T_, class Triangle, class Diagonal, class Layout, bool Batch = false>
void check_trtri(Random& random, int n, int zero = -1) {
  using Space = typename Level::space;
  using Scalar = typename lanes<T_>::scalar;
  using W = wide_t<Scalar>;
  constexpr int batch = Batch ? 4 : 1, count = lanes<T_>::count, problems = 2;
  using AView = view_t<T_, 2 + Batch, Layout, Space>;
  using InfoView = view_t<int, Batch + (count > 1), Stride, Space>;
  SCOPED_TRACE(std::to_string(n) + ", zero " + std::to_string(zero) + ", " + random.state());
  std::vector<int> a_extents{n, n}, info_extents;
  if (Batch) a_extents.insert(a_extents.begin(), batch);
  if (Batch) info_extents.push_back(batch);
  if (count > 1) info_extents.push_back(count);
  StridedTensor<T_, Space> a(random, a_extents, arrangement_of<Layout>(), problems);
  StridedTensor<int, Space> info(random, info_extents, Arrangement::strided, problems);
  make_dominant(a, random);
  spoil_unread<Triangle, Diagonal>(a);
  if (zero >= 0) {
    auto values = a.dense(problems - 1, count - 1).values;
    for (const int i : {zero, n - 1}) values[((batch - 1) * n + i) * n + i] = W(0);
    a.assign(values, problems - 1, count - 1);
  }
  const auto before = for_each_lane_of(a, [&](int p, int l) { return a.dense(p, l); });
  const auto verify = [&](const std::vector<int>& codes, bool with_info) {
    EXPECT_EQ(codes, (std::vector<int>{0, zero + 1}));
    for_each_lane_of(a, [&](int p, int l) {
      const auto got = a.dense(p, l);
      for (int z = 0; z < batch; ++z) {
        const bool singular = zero >= 0 && p == 1 && l == count - 1 && z == batch - 1;
        if (with_info) {
          EXPECT_EQ(info.dense(p).values[z * count + l], singular ? zero + 1 : 0);
        }
        const auto matrix = one_of(before[p * count + l], z, 2), inverse = one_of(got, z, 2);
        for (std::size_t e = 0; e < matrix.values.size(); ++e) {
          if (std::isnan(std::real(matrix.values[e]))) {  // what is not the triangle's
            EXPECT_TRUE(std::isnan(std::real(inverse.values[e]))) << e;
          }
        }
        if (singular) {  // as it was
          for (std::size_t e = 0; e < matrix.values.size(); ++e) {
            if (!std::isnan(std::real(matrix.values[e]))) {
              EXPECT_EQ(inverse.values[e], matrix.values[e]) << e;
            }
          }
          continue;
        }
        const auto t = triangle<Triangle, Diagonal>(matrix);
        const auto x = triangle<Triangle, Diagonal>(inverse);
        expect_small<Scalar>(difference(product(t, x), identity<W>(n)), n,
                             norm_one(t) * norm_one(x));
      }
      return 0;
    });
  };
  check_everywhere<Level>(
      functor_of<TrtriOp<Triangle, Diagonal>, AView, InfoView>(1., a, info), false,
      [&](const std::vector<int>& codes) { verify(codes, true); }, a, info);
  check_everywhere<Level>(
      functor_of<TrtriWithoutInfo<Triangle, Diagonal>, AView>(1., a),
      std::is_same_v<Diagonal, Diag::Unit> && n > 2,
      [&](const std::vector<int>& codes) { verify(codes, false); }, a);
}

TYPED_TEST(InverseAllLevels, Trtri) {
  Random random;
  for (const int n : {0, 1, 2, 3, 6, 9, 18}) {
    check_trtri<TypeParam, double, Uplo::Lower, Diag::NonUnit, Stride>(random, n);
    check_trtri<TypeParam, double, Uplo::Upper, Diag::Unit, Kokkos::LayoutRight>(random, n);
  }
  check_trtri<TypeParam, double, Uplo::Lower, Diag::NonUnit, Stride>(random, 5, 0);
  check_trtri<TypeParam, double, Uplo::Lower, Diag::NonUnit, Stride>(random, 5, 3);
}

// One worker of a host inverts these by halves.
TYPED_TEST(InverseAllLevels, TrtriLarge) {
  Random random;
  for (const int n : {24, 33, 67}) {
    check_trtri<TypeParam, double, Uplo::Lower, Diag::NonUnit, Stride>(random, n);
    check_trtri<TypeParam, double, Uplo::Upper, Diag::Unit, Kokkos::LayoutRight>(random, n);
  }
  check_trtri<TypeParam, double, Uplo::Lower, Diag::NonUnit, Stride>(random, 40, 33);
  check_trtri<TypeParam, float, Uplo::Upper, Diag::NonUnit, Stride, true>(random, 41, 3);
}

TYPED_TEST(InverseAllLevels, TrtriOtherTypes) {
  Random random;
  for (const int n : {1, 7}) {
    check_trtri<TypeParam, double, Uplo::Lower, Diag::Unit, Stride>(random, n);
    check_trtri<TypeParam, Complex, Uplo::Upper, Diag::NonUnit, Kokkos::LayoutLeft>(random, n, 0);
    check_trtri<TypeParam, ComplexFloat, Uplo::Lower, Diag::NonUnit, Stride>(random, n, 0);
    check_trtri<TypeParam, Pack4, Uplo::Lower, Diag::NonUnit, Kokkos::LayoutRight>(random, n, 0);
    check_trtri<TypeParam, ComplexPack, Uplo::Upper, Diag::NonUnit, Stride>(random, n);
    check_trtri<TypeParam, float, Uplo::Upper, Diag::NonUnit, Stride, true>(random, n, 0);
    check_trtri<TypeParam, Pack4, Uplo::Upper, Diag::NonUnit, Stride, true>(random, n, n - 1);
  }
}

// --- Trmm ---------------------------------------------------------------------------------------

template <class SideTag, class Triangle, class TransTag, class Diagonal, bool Share>
struct TrmmOp {
  template <class Level, class Scalar, class A, class B>
  KOKKOS_FUNCTION static int call(const Level& level, const Scalar& alpha, const A& a,
                                  const Scalar&, const B& b) {
    using Op = PublicForms<TrmmForms<SideTag, Triangle, TransTag, Diagonal>>;
    if constexpr (Share) {
      return Op::call(level, alpha, shared(a), b);
    } else {
      return Op::call(level, alpha, a, b);
    }
  }
};

/// One matrix and one right-hand side, several of both, or several sides for one matrix.
enum class Batching { one, batch, shared };

template <class Level, class T_, class Tags, class Layout, Batching P = Batching::one>
void check_trmm(Random& random, int rows, int cols) {
  using SideTag = typename Tags::Side;
  using Triangle = typename Tags::Triangle;
  using TransTag = typename Tags::Trans;
  using Diagonal = typename Tags::Diagonal;
  constexpr bool Batch = P != Batching::one, Share = P == Batching::shared;
  using Space = typename Level::space;
  using Scalar = typename lanes<T_>::scalar;
  using Real = real_of_t<Scalar>;
  using W = wide_t<Scalar>;
  constexpr bool left = std::is_same_v<SideTag, Left>;
  constexpr int batch = Batch ? 3 : 1, count = lanes<T_>::count;
  using AView = view_t<const T_, Batch && !Share ? 3 : 2, Layout, Space>;
  using BView = view_t<T_, 2 + Batch, Layout, Space>;
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols) + ", " + random.state());
  const int n = left ? rows : cols;
  std::vector<int> a_extents{n, n}, b_extents{rows, cols};
  if (Batch) b_extents.insert(b_extents.begin(), batch);
  if (Batch && !Share) a_extents.insert(a_extents.begin(), batch);
  std::tuple<tensor_for_t<AView, Space>> inputs{
      tensor_for_t<AView, Space>(random, a_extents, arrangement_of<Layout>(), 2)};
  auto& a = std::get<0>(inputs);
  spoil_unread<Triangle, Diagonal>(a);
  StridedTensor<T_, Space> b(random, b_extents, arrangement_of<Layout>(), 2);
  const auto before = for_each_lane_of(b, [&](int p, int l) { return b.dense(p, l); });
  const auto start =
      make_start<Level, TrmmOp<SideTag, Triangle, TransTag, Diagonal, Share>, BView, AView>(
          std::type_identity<Real>{}, b, inputs);
  for (const Real alpha : {Real(-1.5), Real(0)}) {
    check_configurations(start, alpha, Real(0), [&](int p, int code) {
      EXPECT_EQ(code, 0);
      for (int l = 0; l < count; ++l) {
        const auto got = b.dense(p, l), matrices = a.dense(p, l);
        for (int z = 0; z < batch; ++z) {
          const auto op =
              transposed<TransTag>(triangle<Triangle, Diagonal>(one_of(matrices, z, 2)));
          const auto old = one_of(before[p * count + l], z, 2);
          auto expected = left ? product(op, old) : product(old, op);
          for (W& x : expected.values) x *= static_cast<long double>(alpha);
          expect_small<Scalar>(difference(one_of(got, z, 2), expected), n,
                               norm_one(op) * norm_one(old) * std::abs(alpha) + smallest<Real>());
        }
      }
    });
  }
}

template <class SideTag, class TriangleTag, class TransTag, class DiagonalTag>
struct TrmmTags {
  using Side = SideTag;
  using Triangle = TriangleTag;
  using Trans = TransTag;
  using Diagonal = DiagonalTag;
};

template <class Level, class T_, class Tags, class Layout>
void check_trmm_sizes(Random& random) {
  for (const auto& [rows, cols] : {std::pair{0, 3}, {3, 0}, {1, 1}, {5, 11}, {8, 2}, {18, 19}}) {
    check_trmm<Level, T_, Tags, Layout>(random, rows, cols);
  }
}

TYPED_TEST(InverseAllLevels, Trmm) {
  Random random;
  check_trmm_sizes<TypeParam, double, TrmmTags<Left, Uplo::Lower, N, Diag::NonUnit>, Stride>(
      random);
  check_trmm_sizes<TypeParam, double, TrmmTags<Right, Uplo::Upper, N, Diag::Unit>, Stride>(random);
}

// One worker of a host multiplies these by halves.
TYPED_TEST(InverseAllLevels, TrmmLarge) {
  Random random;
  using OfLower = TrmmTags<Left, Uplo::Lower, N, Diag::NonUnit>;
  using OfUpper = TrmmTags<Right, Uplo::Upper, N, Diag::Unit>;
  for (const auto& [rows, cols] : {std::pair{40, 9}, {67, 71}, {33, 4}}) {
    check_trmm<TypeParam, double, OfLower, Stride>(random, rows, cols);
    check_trmm<TypeParam, double, OfUpper, Stride>(random, cols, rows);
  }
  using Row = Kokkos::LayoutRight;
  check_trmm<TypeParam, double, TrmmTags<Left, Uplo::Upper, N, Diag::NonUnit>, Row>(random, 55, 37);
  check_trmm<TypeParam, float, TrmmTags<Left, Uplo::Lower, N, Diag::Unit>, Row, Batching::batch>(
      random, 41, 43);
}

TYPED_TEST(InverseAllLevels, TrmmOtherTypes) {
  Random random;
  using Row = Kokkos::LayoutRight;
  check_trmm_sizes<TypeParam, double, TrmmTags<Left, Uplo::Upper, N, Diag::NonUnit>, Row>(random);
  check_trmm_sizes<TypeParam, double, TrmmTags<Right, Uplo::Lower, T, Diag::NonUnit>,
                   Kokkos::LayoutLeft>(random);
  check_trmm_sizes<TypeParam, Complex, TrmmTags<Left, Uplo::Lower, C, Diag::NonUnit>, Stride>(
      random);
  check_trmm_sizes<TypeParam, Complex, TrmmTags<Right, Uplo::Upper, C, Diag::Unit>, Row>(random);
  check_trmm<TypeParam, ComplexFloat, TrmmTags<Left, Uplo::Upper, T, Diag::NonUnit>, Row>(random, 5,
                                                                                          4);
  check_trmm_sizes<TypeParam, Pack4, TrmmTags<Left, Uplo::Upper, T, Diag::Unit>, Row>(random);
  check_trmm<TypeParam, float, TrmmTags<Left, Uplo::Lower, N, Diag::Unit>, Row, Batching::batch>(
      random, 6, 7);
  check_trmm<TypeParam, double, TrmmTags<Right, Uplo::Lower, N, Diag::NonUnit>, Row,
             Batching::shared>(random, 6, 5);
}

// What static extents select is other code than that of the Views above.
TYPED_TEST(Inverse, StaticExtents) {
  Random random;
  const auto check = [&]<int Size, class Number, int Rank>() {
    using Row = StaticExtents<Kokkos::LayoutRight, Rank, Size, Size>;
    constexpr bool batch = Rank == 3;
    check_solve_lu<TypeParam, Number, N, Row, batch, true>(random, Size, 0);
    check_solve_lu<TypeParam, Number, C, Row, batch, false>(random, Size, Size);
    check_inverse_lu<TypeParam, Number, Row, batch>(random, Size);
    check_trtri<TypeParam, Number, Uplo::Lower, Diag::NonUnit, Row, batch>(random, Size);
    check_trtri<TypeParam, Number, Uplo::Upper, Diag::Unit, Row, batch>(random, Size);
    check_trtri<TypeParam, Number, Uplo::Upper, Diag::NonUnit, Row, batch>(random, Size, 0);
    constexpr Batching problems = batch ? Batching::batch : Batching::one;
    using OfLower = TrmmTags<Left, Uplo::Lower, N, Diag::NonUnit>;
    check_trmm<TypeParam, Number, OfLower, Row, problems>(random, Size, Size);
    using OfAdjoint = TrmmTags<Right, Uplo::Lower, C, Diag::Unit>;
    check_trmm<TypeParam, Number, OfAdjoint, Row, problems>(random, Size, Size);
  };
  check.template operator()<3, double, 3>();
  check.template operator()<7, Complex, 3>();
  check.template operator()<18, double, 3>();
  check.template operator()<13, float, 2>();
}
TYPED_TEST(Inverse, LargeStaticExtents) {
  Random random;
  using Row = StaticExtents<Kokkos::LayoutRight, 2, 40, 40>;
  check_trtri<TypeParam, double, Uplo::Upper, Diag::NonUnit, Row>(random, 40);
  using OfAdjoint = TrmmTags<Right, Uplo::Lower, C, Diag::Unit>;
  check_trmm<TypeParam, double, OfAdjoint, Row>(random, 40, 40);
}

TEST(InverseOneThread, StaticExtents) {
  const Tile<double, 4, 4> a, inverse, triangle, product;
  const Tile<double, 16> w;
  Random random;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) a(i, j) = random.number<double>() + (i == j ? 4 : 0);
  }
  require_success(SerialCopy<>::invoke(a, inverse));
  require_success(SerialCopy<>::invoke(a, triangle));
  EXPECT_EQ(SerialLU<>::invoke(inverse), 0);
  EXPECT_EQ(SerialInverseLU<>::invoke(inverse, w), 0);
  EXPECT_EQ((SerialTrtri<Uplo::Upper, Diag::NonUnit>::invoke(triangle)), 0);
  require_success(SerialSetIdentity::invoke(product));  // and then U U^-1
  EXPECT_EQ((SerialTrmm<Left, Uplo::Upper, N, Diag::NonUnit>::invoke(1., triangle, product)), 0);
  EXPECT_EQ((SerialTrmm<Left, Uplo::Upper, N, Diag::NonUnit>::invoke(1., a, product)), 0);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      double sum = 0;
      for (int k = 0; k < 4; ++k) sum += a(i, k) * inverse(k, j);
      EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-14);
      EXPECT_NEAR(product(i, j), i == j ? 1 : 0, 1e-14);
    }
  }
}

TEST(InverseOneThread, Extents) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  const Kokkos::View<double**, Kokkos::HostSpace> a("a", 3, 4), b("b", 4, 4);
  const Kokkos::View<double*, Kokkos::HostSpace> x("x", 3), w("w", 15);
  const Kokkos::View<int*, Kokkos::HostSpace> info("info", 2);
  const Kokkos::View<double***, Kokkos::HostSpace> batch("batch", 3, 4, 4);
  EXPECT_EQ((SerialSolveLU<N>::invoke(b, x)), -1);
  EXPECT_EQ((SerialSolveLU<N>::invoke(a, x)), -1);
  EXPECT_EQ(SerialInverseLU<>::invoke(b, w), -1);
  EXPECT_EQ((SerialTrtri<Uplo::Lower, Diag::Unit>::invoke(a)), -1);
  EXPECT_EQ((SerialTrtri<Uplo::Lower, Diag::Unit>::invoke(batch, info)), -1);
  EXPECT_EQ((SerialTrmm<Left, Uplo::Lower, N, Diag::Unit>::invoke(1., b, a)), -1);
}

}  // namespace
}  // namespace KokkosContract::Test
