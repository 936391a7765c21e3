// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each place that compares extents compares each dimension of each operand: of letters that stand
// twice in one operand, in three operands, in the output, in one input alone.
#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Explain.hpp>
#include <KokkosContract/HostContract.hpp>
#include <KokkosContract/TeamTile.hpp>
#include <sstream>
#include <stdexcept>

#include "Tiles.hpp"

namespace KokkosContract::Test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// The right extents; different letters have different ones.
int extent_of(char letter) { return 2 + (letter - 'a') % 13; }
template <Spec S>
constexpr Impl::Parsed parsed = Impl::Parse<S>::value;
template <Spec S, int I>
constexpr Impl::Labels labels = I < parsed<S>.inputs ? parsed<S>.input[I] : parsed<S>.output;

/// Operand I of a string, whose dimension `changed` is larger than it should be.
template <Spec S, int I>
auto operand_with(double* data, int changed) {
  constexpr Impl::Labels of = labels<S, I>;
  Kokkos::LayoutStride layout;
  std::size_t stride = 1;
  for (int d = of.rank - 1; d >= 0; --d) {
    layout.dimension[d] = extent_of(of.letter[d]) + (d == changed ? 1 : 0);
    layout.stride[d] = stride;
    stride *= layout.dimension[d];
  }
  using Data = typename DataOfRank<double, of.rank>::type;
  return Kokkos::View<Data, Kokkos::LayoutStride, Kokkos::HostSpace>(data, layout);
}

/// `refuses(inputs..., output)` is true where one dimension of one operand is changed that has a
/// letter in common with others, and writes nothing then.
template <Spec S, class F>
void check_each_dimension(const F& refuses) {
  // A checked build ends at such a call in a kernel.
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  constexpr Impl::Parsed p = parsed<S>;
  std::vector<double> memory(1 << 14, 1.), output(1 << 14);
  const auto check = [&]<int... I>(int operand, int dimension, std::integer_sequence<int, I...>) {
    std::fill(output.begin(), output.end(), 7.);
    const bool is_refused = refuses(operand_with<S, I>(
        I == p.inputs ? output.data() : memory.data(), I == operand ? dimension : -1)...);
    EXPECT_EQ(is_refused, operand >= 0) << "operand " << operand << ", dimension " << dimension;
    bool is_untouched = true;
    for (const double x : output) is_untouched = is_untouched && x == 7.;
    EXPECT_EQ(is_untouched, operand >= 0);
  };
  constexpr std::make_integer_sequence<int, p.inputs + 1> all;
  check(-1, -1, all);
  for (int operand = 0; operand <= p.inputs; ++operand) {
    const Impl::Labels& of = operand < p.inputs ? p.input[operand] : p.output;
    for (int d = 0; d < of.rank; ++d) {
      if (p.count(of.letter[d]) > 1) check(operand, d, all);
    }
  }
}

/// f(inputs...) with the output behind them.
template <class F, class... Operands>
auto with_output(const F& f, const Operands&... operands) {
  const auto all = std::tie(operands...);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return f(std::get<sizeof...(Operands) - 1>(all), std::get<I>(all)...);
  }(std::make_index_sequence<sizeof...(Operands) - 1>{});
}

template <Spec S>
void check_serial() {
  SCOPED_TRACE("Serial");
  check_each_dimension<S>([](const auto&... operands) {
    return with_output(
        [](const auto& c, const auto&... inputs) {
          static char memory[1 << 16];
          int code = 0;
          for (const double alpha : {0., 1.}) {
            if constexpr (sizeof...(inputs) > 2) {
              code = SerialContract<S>::invoke(KokkosContract::Scratch{memory, sizeof(memory)},
                                               alpha, inputs..., 0., c);
            } else {
              code = SerialContract<S>::invoke(alpha, inputs..., 0., c);
            }
            EXPECT_TRUE(code == 0 || code == Impl::extents_disagree);
            if (code != 0) return true;
          }
          return false;
        },
        operands...);
  });
}
TEST(Extents, SerialContract) {
  check_serial<"kk->">();
  check_serial<"iij->ji">();
  check_serial<"ik,kkj->ij">();
  check_serial<"kki,j->ij">();
  check_serial<"iki,kj->ij">();
  check_serial<"zi,zj,zk->ijk">();
  check_serial<"ij,jjk,kl->il">();
  check_serial<"ij,k,kkl->ijl">();
}

template <Spec S>
void check_team() {
  SCOPED_TRACE("Team");
  check_each_dimension<S>([](const auto&... operands) {
    return with_output(
        [](const auto& c, const auto&... inputs) {
          int code = 0;
          const int threads = std::min(2, Host().concurrency());
          Kokkos::TeamPolicy<Host> policy(1, threads);
          policy.set_scratch_size(1, Kokkos::PerTeam(1 << 16));
          Kokkos::parallel_reduce(
              policy,
              [&](const HostMember& member, int& codes) {
                if constexpr (sizeof...(inputs) > 2) {
                  codes |=
                      TeamContract<S>::invoke(member, member.team_scratch(1), 1., inputs..., 0., c);
                } else {
                  codes |= TeamContract<S>::invoke(member, 1., inputs..., 0., c);
                }
              },
              Kokkos::BOr<int>(code));
          return code != 0;
        },
        operands...);
  });
}
TEST(Extents, TeamContract) {
  check_team<"ik,kkj->ij">();
  check_team<"ij,jjk,kl->il">();
}

/// What a host calls throws, and names the letter.
template <class F>
bool throws(const F& f) {
  try {
    f();
    return false;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("index '"), std::string::npos) << error.what();
    return true;
  }
}
TEST(Extents, Host) {
  check_each_dimension<"ik,kkj->ij">([](const auto& a, const auto& b, const auto& c) {
    return throws([&] {
      contract<"ik,kkj->ij">(Host(), 1., a, b, 0., c);
      Host().fence();
    });
  });
  check_each_dimension<"kki->i">([](const auto& a, const auto& c) {
    return throws([&] {
      contract<"kki->i">(Host(), 1., a, 0., c);
      Host().fence();
    });
  });
}

template <Spec S>
void check_explain() {
  SCOPED_TRACE("explain");
  check_each_dimension<S>([](const auto&... operands) {
    std::ostringstream os;
    const bool is_refused = throws([&] { explain<S>(os, operands...); });
    // Nobody writes the output.
    if (!is_refused) {
      with_output([](const auto& c, const auto&...) { return c.data()[0] = 0; }, operands...);
    }
    return is_refused;
  });
}
TEST(Extents, Explain) {
  check_explain<"kki,j->ij">();
  check_explain<"ij,jjk,kl->il">();
}

template <Spec S>
void check_tile() {
  SCOPED_TRACE("tile");
  using Tile = SerialTile<double, "ij", Shape<4, 4>, Host>;
  check_each_dimension<S>([](const auto& a, const auto& b, const auto& c) {
    const typename Tile::Index whole{extent_of('i'), extent_of('j')};
    alignas(64) static char memory[256];
    Tile t(KokkosContract::Scratch{memory, sizeof(memory)}, {0, 0}, whole);
    int code = t.accumulate<S>(1., a, b);
    if (code == 0) code = t.load(1., c);
    if (code == 0) code = t.store(1., 1., c);
    EXPECT_TRUE(code == 0 || code == Impl::extents_disagree);
    return code != 0;
  });
}
TEST(Extents, Tiles) {
  check_tile<"ik,kkj->ij">();
  check_tile<"kki,j->ij">();
  check_tile<"iki,kj->ij">();
}

TEST(Extents, ExplainTile) {
  constexpr Spec string = "ik,kkj->ij";
  using Tile = SerialTile<double, "ij", Shape<4, 4>, Host>;
  double data = 0;
  for (const int changed : {-1, 0, 1}) {
    const auto a = operand_with<string, 0>(&data, -1);
    const auto b = operand_with<string, 1>(&data, changed);
    std::ostringstream os;
    EXPECT_EQ(throws([&] { explain<Tile, string>(os, a, b); }), changed >= 0);
  }
}

}  // namespace
}  // namespace KokkosContract::Test
