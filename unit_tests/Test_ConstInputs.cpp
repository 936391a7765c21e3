// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every routine takes inputs of const elements, in each kind of operand, and gives the same bits as
// with elements that are not const.
#include <gtest/gtest.h>

#include <KokkosContract.hpp>
#include <KokkosContract/KokkosBatched.hpp>
#include <cstring>
#include <sstream>
#include <type_traits>
#include <vector>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

using N = Trans::NoTranspose;
using T = Trans::Transpose;
using H = Trans::ConjTranspose;
using Lower = Uplo::Lower;
using Upper = Uplo::Upper;
using Left = Side::Left;
using Right = Side::Right;
using Unit = Diag::Unit;
using NonUnit = Diag::NonUnit;

inline constexpr int n = 5;
inline constexpr int batch = 3;

template <class Data>
using HostView = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::DefaultHostExecutionSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// --- A call at each level -----------------------------------------------------------------------

template <class Routine, class... Args>
int call(const SerialCaller&, const Args&... args) {
  return Impl::SerialEntry<Routine>::invoke(args...);
}
template <class Routine, class Member, class... Args>
int call(const VectorCaller<Member>& caller, const Args&... args) {
  return Impl::VectorEntry<Routine>::invoke(caller.member, args...);
}
template <class Routine, class Member, class... Args>
int call(const TeamCaller<Member>& caller, const Args&... args) {
  return Impl::TeamEntry<Routine>::invoke(caller.member, args...);
}
template <class Routine, class Member, class... Args>
int call(const TeamVectorCaller<Member>& caller, const Args&... args) {
  return Impl::TeamVectorEntry<Routine>::invoke(caller.member, args...);
}
template <class Routine, class... Args>
int call(const ThreadLevel& level, const Args&... args) {
  return Routine::run(level, args...);
}

// --- Kinds of inputs ----------------------------------------------------------------------------

// Each makes an input of a View with these extents, whose elements are const or not.

struct OfView {
  static constexpr bool is_shared = false;
  template <int...>
  static auto of(const auto& view) {
    return view;
  }
};
struct OfMdspan {
  static constexpr bool is_shared = false;
  template <int...>
  static auto of(const auto& view) {
    return view.to_mdspan();
  }
};
struct OfFix {
  static constexpr bool is_shared = false;
  template <int... Extents>
  static auto of(const auto& view) {
    return fix<Extents...>(view);
  }
};
struct OfShared {
  static constexpr bool is_shared = true;
  template <int...>
  static auto of(const auto& view) {
    return shared(view);
  }
};
struct OfSharedFix {
  static constexpr bool is_shared = true;
  template <int... Extents>
  static auto of(const auto& view) {
    return shared(fix<Extents...>(view));
  }
};

// --- The calls ----------------------------------------------------------------------------------

struct TimesTwo {
  template <class E>
  E operator()(const E& x, int, int) const {
    return x + x;
  }
};

/// Calls all routines, each with results of its own.
template <class Kind, bool Const, class E>
struct AllRoutines {
  static constexpr int most_results = 64;
  static constexpr std::size_t result_size = batch * n * n;
  template <class X>
  using element_t = std::conditional_t<Const, const X, X>;

  E *a, *x, *results;
  int* ipiv;

  static auto matrix(E* data) {
    return Kind::template of<n, n>(HostView<element_t<E>**>(data, n, n));
  }
  static auto vector(E* data) { return Kind::template of<n>(HostView<element_t<E>*>(data, n)); }
  static auto pivots(int* data) {
    if constexpr (Impl::is_pack<E>) {
      constexpr int length = E::length;
      return Kind::template of<n, length>(HostView<element_t<int>* [length]>(data, n));
    } else {
      return Kind::template of<n>(HostView<element_t<int>*>(data, n));
    }
  }
  /// The results are a batch where inputs are shared.
  static auto square(E* data) {
    if constexpr (Kind::is_shared) {
      return HostView<E* [n][n]>(data, batch);
    } else {
      return HostView<E[n][n]>(data);
    }
  }
  static auto column(E* data) {
    if constexpr (Kind::is_shared) {
      return HostView<E* [n]>(data, batch);
    } else {
      return HostView<E[n]>(data);
    }
  }

  template <class Level>
  int operator()(const Level& level, int problem) const {
    E* const mine = results + problem * most_results * result_size;
    int count = 0;
    const auto next = [&] { return mine + count++ * result_size; };
    const auto A = matrix(a);
    const auto v = vector(x);
    const auto p = pivots(ipiv);
    const double alpha = 0.5, beta = 2;
    int code = 0;
    code |= call<Impl::GemmRoutine<N, T>>(level, alpha, A, A, beta, square(next()));
    code |= call<Impl::GemmRoutine<N, N>>(level, 1., A, A, 0., square(next()));
    code |= call<Impl::GemvRoutine<N>>(level, alpha, A, v, beta, column(next()));
    code |= call<Impl::GerRoutine<T>>(level, alpha, v, v, square(next()));
    code |= call<Impl::SyrRoutine<Lower, H>>(level, alpha, v, square(next()));
    code |= call<Impl::AxpyRoutine>(level, alpha, A, square(next()));
    code |= call<Impl::CopyRoutine<N, -1>>(level, A, square(next()));
    code |= call<Impl::CopyRoutine<H, -1>>(level, A, square(next()));
    code |= call<Impl::TrsvRoutine<Lower, N, NonUnit>>(level, alpha, A, column(next()));
    code |= call<Impl::TrsvRoutine<Upper, H, Unit>>(level, alpha, A, column(next()));
    code |= call<Impl::TrsmRoutine<Left, Lower, T, NonUnit>>(level, alpha, A, square(next()));
    code |= call<Impl::TrsmRoutine<Right, Upper, N, Unit>>(level, alpha, A, square(next()));
    code |= call<Impl::TrmmRoutine<Left, Lower, N, NonUnit>>(level, alpha, A, square(next()));
    code |= call<Impl::TrmmRoutine<Right, Upper, H, Unit>>(level, alpha, A, square(next()));
    code |= call<Impl::SolveLURoutine<N>>(level, A, column(next()));
    code |= call<Impl::SolveLURoutine<T>>(level, A, square(next()));
    code |= call<Impl::PotrsRoutine<Lower>>(level, A, column(next()));
    code |= call<Impl::PotrsRoutine<Upper>>(level, A, square(next()));
    code |= call<Impl::GetrsRoutine<N>>(level, A, p, column(next()));
    code |= call<Impl::GetrsRoutine<H>>(level, A, p, square(next()));
    code |= call<Impl::OrmqrRoutine<Left, N>>(level, A, v, square(next()));
    code |= call<Impl::OrmqrRoutine<Left, H>>(level, A, v, column(next()));
    code |= call<Impl::OrmqrRoutine<Right, N>>(level, A, v, square(next()));
    if constexpr (!Kind::is_shared) {
      const auto number = [&] { return HostView<E>(next()); };
      code |= call<Impl::DotRoutine<N>>(level, v, v, number());
      code |= call<Impl::NormRoutine<Norm::Frobenius, 1>>(level, v, number());
      code |= call<Impl::NormRoutine<Impl::SumOfParts, 1>>(level, v, number());
      code |= call<Impl::NormRoutine<Norm::One, 2>>(level, A, number());
      code |= call<Impl::NormRoutine<Norm::Infinity, 2>>(level, A, number());
      code |= call<Impl::NormRoutine<Norm::Max, 2>>(level, A, number());
      if constexpr (!Impl::is_pack<E>) {
        code |= call<Impl::IamaxRoutine>(level, v, HostView<int>(reinterpret_cast<int*>(next())));
      }
      code |= call<Impl::ReshapeRoutine<"ij->ji">>(level, A, square(next()));
      code |= ContractOp<"ij,kj->ik">::call(level, alpha, A, A, beta, square(next()));
      code |= ContractOp<"ij,j->i">::call(level, alpha, A, v, beta, column(next()));
      code |= ContractOp<"ii->i">::call(level, alpha, A, beta, column(next()));
      using Chain = ContractOp<"ij,kj,kl->il">;
      const auto C = square(next()), D = square(next());
      const KokkosContract::Scratch scratch{next(), 4 * result_size * sizeof(E)};
      code |= Chain::call(level, scratch, alpha, A, A, A, beta, C);
      code |= Chain::call(level, scratch, alpha, A, A, pointwise<"ik">(TimesTwo{}), A, beta, D);
    }
    return code;
  }
};

// --- The check ----------------------------------------------------------------------------------

/// What all routines make of the same inputs, in the last configuration of the level.
template <class Level, class Kind, bool Const, class E>
std::vector<char> results_of(std::vector<E>& a, std::vector<E>& x, std::vector<int>& ipiv) {
  using Calls = AllRoutines<Kind, Const, E>;
  constexpr int problems = 2;
  constexpr std::size_t size = problems * Calls::most_results * Calls::result_size;
  const Kokkos::View<E*, Kokkos::HostSpace> results("results", size);
  for (std::size_t i = 0; i < size; ++i) results(i) = E(static_cast<double>(i % 7) + 1);
  const Calls calls{a.data(), x.data(), results.data(), ipiv.data()};
  const auto codes = Level::launch(Level::configurations().back(), problems, calls, {});
  for (const int code : codes) EXPECT_EQ(code, 0);
  std::vector<char> bytes(size * sizeof(E));
  std::memcpy(bytes.data(), static_cast<const void*>(results.data()), bytes.size());
  return bytes;
}

/// Elements of Kind that are const give the results of elements of Expected that are not.
template <class Level, class Kind, class E, class Expected = Kind>
void check_kind() {
  std::vector<E> a, x;
  std::vector<int> ipiv;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a.push_back(E(i == j ? 9. + i : (3. * i - 2. * j) / 8));
    x.push_back(E(1. + i));
    for (int l = 0; l < static_cast<int>(sizeof(E) / sizeof(double)); ++l) {
      ipiv.push_back(i + (i < n - 1 ? (i + l) % 2 : 0));
    }
  }
  const auto expected = results_of<Level, Expected, false>(a, x, ipiv);
  EXPECT_EQ((results_of<Level, Kind, true>(a, x, ipiv)), expected);
}

template <class Level>
class ConstInputs : public testing::Test {};
TYPED_TEST_SUITE(ConstInputs, LaneLevels, LevelNames);

TYPED_TEST(ConstInputs, OfViews) { check_kind<TypeParam, OfView, double>(); }
TYPED_TEST(ConstInputs, OfFixedExtents) { check_kind<TypeParam, OfFix, double>(); }
TYPED_TEST(ConstInputs, Shared) { check_kind<TypeParam, OfShared, double>(); }
// Lanes see operands, whichever kind they come from.
#if !defined(KOKKOSCONTRACT_TEST_EMULATED)
TYPED_TEST(ConstInputs, OfMdspans) { check_kind<TypeParam, OfMdspan, double, OfView>(); }
TYPED_TEST(ConstInputs, SharedOfFixedExtents) { check_kind<TypeParam, OfSharedFix, double>(); }
TYPED_TEST(ConstInputs, Packs) { check_kind<TypeParam, OfView, Pack<double, 4>>(); }
TYPED_TEST(ConstInputs, PacksOfFixedExtents) { check_kind<TypeParam, OfFix, Pack<double, 4>>(); }
#endif

template <class Level>
class ConstInputsOfOtherLevels : public testing::Test {};
TYPED_TEST_SUITE(ConstInputsOfOtherLevels, OtherLevels, LevelNames);
TYPED_TEST(ConstInputsOfOtherLevels, OfViews) { check_kind<TypeParam, OfView, double>(); }

// Fixed extents at the levels with code of their own: on a host, Vector and TeamVector run the code
// of Serial and Team.
#if defined(KOKKOSCONTRACT_TEST_NOT_EMULATED)
using FixedLevels = testing::Types<Team>;
#else
using FixedLevels = OtherLevels;
#endif
template <class Level>
class ConstInputsOfFixedLevels : public testing::Test {};
TYPED_TEST_SUITE(ConstInputsOfFixedLevels, FixedLevels, LevelNames);
TYPED_TEST(ConstInputsOfFixedLevels, OfFixedExtents) { check_kind<TypeParam, OfFix, double>(); }

// --- What is called on the host, or has a form of its own ---------------------------------------

using Host = Kokkos::DefaultHostExecutionSpace;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Host>;
using Column = Kokkos::View<double*, Host>;

Matrix matrix(double start) {
  const Matrix a("a", n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a(i, j) = start + i - 2. * j + (i == j ? 8 * n : 0);
  }
  return a;
}
Column vector(double start) {
  const Column x("x", n);
  for (int i = 0; i < n; ++i) x(i) = start + i;
  return x;
}
template <class V>
auto as_const(const V& view) {
  return typename V::const_type(view);
}
template <class V>
std::vector<double> elements_of(const V& view) {
  return std::vector<double>(view.data(), view.data() + view.size());
}

/// f(inputs..., output) gives the same with inputs that are const.
template <class F, class Output, class... Inputs>
void expect_same(const F& f, const Output& output, const Inputs&... inputs) {
  const Output expected("expected", output.layout());
  Kokkos::deep_copy(expected, output);
  f(inputs..., expected);
  f(as_const(inputs)..., output);
  Kokkos::fence();
  EXPECT_EQ(elements_of(output), elements_of(expected));
}

TEST(ConstInputsOnHost, Contract) {
  expect_same([](const auto& a, const auto& b,
                 const auto& c) { contract<"ik,kj->ij">(Host(), 2., a, b, 1., c); },
              matrix(3), matrix(1), matrix(2));
}

TEST(ConstInputsOnHost, ExplainAndPolicy) {
  const Matrix a = matrix(1), c = matrix(2);
  std::ostringstream text, expected;
  explain<"ik,kj->ij">(text, as_const(a), as_const(a), c);
  explain<"ik,kj->ij">(expected, a, a, c);
  EXPECT_EQ(text.str(), expected.str());
  using Product = TeamContract<"ik,kj->ij">;
  EXPECT_EQ(team_policy(Host(), 7, uses<Product>(as_const(a), as_const(a), c)).problems_per_team,
            team_policy(Host(), 7, uses<Product>(a, a, c)).problems_per_team);
}

TEST(ConstInputsOnHost, FactorsOfAxpy) {
  expect_same([](const auto& alpha, const auto& x,
                 const auto& y) { EXPECT_EQ(SerialAxpy::invoke(alpha, x, y), 0); },
              matrix(3), vector(1), matrix(2));
}

TEST(ConstInputsOnHost, Packs) {
  using P = Pack<double, 4>;
  const Kokkos::View<P***, Kokkos::LayoutRight, Host> a("a", 2, n, n);
  const auto access = packed_access<0>(as_const(a), 7);
  packed_access<0>(a, 7)(6, 1, 2) = 5;
  EXPECT_EQ(access(6, 1, 2), 5);
  prefetch<1>(as_const(a));
  // A matrix of const scalars serves all lanes of the right-hand sides.
  const Kokkos::View<P*, Host> b("b", n), expected("b", n);
  Kokkos::deep_copy(b, P(3.));
  Kokkos::deep_copy(expected, P(3.));
  EXPECT_EQ(SerialSolveLU<N>::invoke(as_const(matrix(1)), b), 0);
  EXPECT_EQ(SerialSolveLU<N>::invoke(matrix(1), expected), 0);
  for (int i = 0; i < n; ++i) EXPECT_EQ(b(i)[2], expected(i)[2]);
}

/// The names that only programs for KokkosBatched use.
template <class Mode>
void check_mode(int threads) {
  using Policy = Kokkos::TeamPolicy<Host>;
  using Member = typename Policy::member_type;
  const auto in_team = [&](const auto& f) {
    Kokkos::parallel_for(Policy(1, threads).set_scratch_size(0, Kokkos::PerTeam(1024)), f);
    Kokkos::fence();
  };
  using A = Algo::Level3::Blocked;
  expect_same(
      [&](const auto& a, const auto& b, const auto& c) {
        in_team([=](const Member& member) {
          Gemm<Member, N, T, Mode, A>::invoke(member, 2., a, b, 1., c);
          Trsm<Member, Left, Lower, N, Unit, Mode, A>::invoke(member, 2., a, c);
          SolveLU<Member, N, Mode, A>::invoke(member, a, c);
          Copy<Member, T, Mode>::invoke(member, b, c);
        });
      },
      matrix(3), matrix(1), matrix(2));
  expect_same(
      [&](const auto& a, const auto& x, const auto& y) {
        in_team([=](const Member& member) {
          Gemv<Member, T, Mode, A>::invoke(member, 2., a, x, 1., y);
          Experimental::Gemv<Mode, A>::invoke(member, 'N', 2., a, x, 1., y);
          Trsv<Member, Lower, N, Unit, Mode, A>::invoke(member, 2., a, y);
          ApplyQ<Member, Left, T, Mode, A>::invoke(member, a, x, y, Column());
        });
      },
      vector(3), matrix(1), vector(2));
}
TEST(ConstInputsOfKokkosBatched, Serial) { check_mode<Mode::Serial>(1); }
TEST(ConstInputsOfKokkosBatched, Vector) { check_mode<Mode::Vector>(1); }
TEST(ConstInputsOfKokkosBatched, Team) { check_mode<Mode::Team>(2); }
TEST(ConstInputsOfKokkosBatched, TeamVector) { check_mode<Mode::TeamVector>(2); }

TEST(ConstInputsOfKokkosBatched, Gesv) {
  expect_same(
      [](const auto& b, const auto& x) {
        EXPECT_EQ(SerialGesv<Gesv::NoPivoting>::invoke(matrix(1), x, b), 0);
        EXPECT_EQ(SerialGesv<Gesv::StaticPivoting>::invoke(matrix(1), x, b,
                                                           Kokkos::View<double * [n + 4]>("w", n)),
                  0);
      },
      vector(3), vector(1));
  expect_same([](const auto& a, const auto& t, const auto& q) { SerialQR_FormQ::invoke(a, t, q); },
              matrix(3), matrix(1), vector(2));
}

}  // namespace
}  // namespace KokkosContract::Test
