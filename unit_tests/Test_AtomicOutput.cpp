// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic outputs of every length up to some registers: each element gets its own sum, once.
#include <gtest/gtest.h>

#include <KokkosContract/HostContract.hpp>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

inline constexpr int longest = 40;  // more than two registers of any element type

using AtomicTraits = Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::Atomic>;
template <class View>
using atomic_t = Kokkos::View<typename View::data_type, typename View::array_layout,
                              typename View::memory_space, AtomicTraits>;

/// The call from the host, as if it were a level.
struct Host {
  static constexpr const char* name = "contract";
  using space = Kokkos::DefaultExecutionSpace;
  static std::vector<Configuration> configurations() { return {{1, 1}}; }
  template <class Functor>
  static std::vector<int> launch(const Configuration&, int problems, const Functor& functor,
                                 const std::vector<Watched>&, ScratchBytes = {}) {
    for (int p = 0; p < problems; ++p) functor(Host{}, p);
    space().fence();
    return std::vector<int>(problems, 0);
  }
};

template <Spec S>
struct Sum {
  template <class Level, class... Args>
  KOKKOS_FUNCTION static int call(const Level& level, const Args&... args) {
    return ContractOp<S>::call(level, args...);
  }
  template <class... Args>
  static int call(const Host&, const Args&... args) {
    contract<S>(Host::space(), args...);
    return 0;
  }
};

/// output += alpha * the contraction, where the output is `Output` with atomic access.
template <class Level, Spec S, class Output, class... Inputs>
void check_atomic(Random& random, const Extents& extents) {
  using Space = typename Level::space;
  using T = typename Output::value_type;
  using W = wide_t<T>;
  const std::string text(text_of<S>());
  SCOPED_TRACE(text + text_of_extents(extents) + ", " + random.state());
  const Letters letters(text);
  const int problems = 2;
  auto inputs = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<tensor_for_t<Inputs, Space>...>{
        tensor_for<Inputs, Space>(random, letters.inputs[I], extents, problems)...};
  }(std::index_sequence_for<Inputs...>{});
  auto output = tensor_for<Output, Space>(random, letters.output, extents, problems);
  auto start = make_start<Level, Sum<S>, atomic_t<Output>, Inputs...>(std::type_identity<T>{},
                                                                      output, inputs);
  const T alpha = random.template number<T>();
  std::vector<Expected<W>> expected;
  for (int p = 0; p < problems; ++p) {
    const auto dense = std::apply(
        [&](const auto&... input) { return std::vector<Dense<W>>{input.template dense<W>(p)...}; },
        inputs);
    expected.push_back(expect<T, T>(sum_products(text, dense), sizeof...(Inputs), widen<W>(alpha),
                                    W(1), output.template dense<W>(p)));
  }
  check_configurations(start, alpha, T(1), [&](int p, int code) {
    EXPECT_EQ(code, 0);
    EXPECT_TRUE(within_bounds(output.template dense<W>(p), expected[p]));
  });
}

template <class Level, Spec S, class T, class Layout>
void check_lengths() {
  using Space = typename Level::space;
  Random random;
  for (int length = 1; length <= longest && !testing::Test::HasFailure(); ++length) {
    const Extents extents{{'l', length}, {'q', 3}, {'f', 2}};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      check_atomic<Level, S, view_t<T, rank_of<S>(inputs_of<S>()), Layout, Space>,
                   view_t<const T, rank_of<S>(I), Layout, Space>...>(random, extents);
    }(std::make_index_sequence<inputs_of<S>()>{});
  }
}

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;
using Stride = Kokkos::LayoutStride;

template <class Level>
class AtomicOutput : public testing::Test {};
TYPED_TEST_SUITE(AtomicOutput, Levels, LevelNames);

TYPED_TEST(AtomicOutput, NoRows) {
  check_lengths<TypeParam, "lqf,qf->l", double, Right>();
  check_lengths<TypeParam, "l->l", double, Stride>();
  check_lengths<TypeParam, "ql,q->l", float, Right>();
}

template <class Level>
class AtomicOutputFewLevels : public testing::Test {};
TYPED_TEST_SUITE(AtomicOutputFewLevels, FewLevels, LevelNames);

TYPED_TEST(AtomicOutputFewLevels, OtherStrings) {
  check_lengths<TypeParam, "l,l->l", double, Right>();
  check_lengths<TypeParam, "lqf,qf->l", float, Left>();
  check_lengths<TypeParam, "ql,q*->l", Kokkos::complex<double>, Right>();
  check_lengths<TypeParam, "l->l", std::int32_t, Right>();
  check_lengths<TypeParam, "fq,ql->fl", double, Right>();
}

#ifndef KOKKOSCONTRACT_TEST_TSAN
TEST(AtomicOutputHost, NoRows) {
  check_lengths<Host, "lqf,qf->l", double, Right>();
  check_lengths<Host, "l->l", float, Stride>();
}

template <int... Length>
void check_static_lengths(std::integer_sequence<int, Length...>) {
  Random random;
  using Memory = Serial::space::memory_space;
  (check_atomic<Serial, "ql,q->l", Kokkos::View<double[Length + 1], Right, Memory, Unmanaged>,
                Kokkos::View<const double[3][Length + 1], Right, Memory, Unmanaged>,
                Kokkos::View<const double[3], Right, Memory, Unmanaged>>(
       random, {{'l', Length + 1}, {'q', 3}}),
   ...);
}
TEST(AtomicOutputSerial, StaticLengths) {
  check_static_lengths(std::make_integer_sequence<int, longest>{});
}
#endif

}  // namespace
}  // namespace KokkosContract::Test
