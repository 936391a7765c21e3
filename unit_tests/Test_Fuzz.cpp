// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fuzzer finds faults that are put in; and what scripts/fuzz found, as it printed it.
#include <gtest/gtest-spi.h>

#include "fuzz/Draw.hpp"

namespace KokkosContract::Test::Fuzz {
namespace {

// --- The fuzzer itself --------------------------------------------------------------------------

enum class Fault { none, value, outside, input, reads, code };

template <Fault fault>
struct Product {
  static Description description() {
    return {.operation = "contract",
            .text = "ik,kj->ij",
            .operands = {{Type::f64, 1, "ik", Form::strided},
                         {Type::f64, 1, "kj", Form::any},
                         {Type::f64, 1, "ij", Form::right, Role::output}}};
  }
  static int run(const HostLevel&, const Call& call, int p) {
    const auto a = call.view<double**, Kokkos::LayoutStride>(0, p);
    const auto b =
        call.strided<const double, Numbers<dynamic, dynamic>, Numbers<dynamic, dynamic>>(1, p);
    const auto c = call.view<double**>(2, p);
    const auto alpha = call.alpha.as<double>(), beta = call.beta.as<double>();
    const int code = SerialContract<"ik,kj->ij">::invoke(alpha, a, b, beta, c);
    const bool any = code == 0 && c.size() > 0 && a.size() > 0;
    if (any && fault == Fault::value) c(0, 0) += 1e-12 + 1e-14 * c(0, 0);
    if (any && fault == Fault::outside) c.data()[c.size()] = 1;
    if (any && fault == Fault::input) a(0, 0) += 1;
    if (any && fault == Fault::reads) c(0, 0) += 0 * a(0, 0);
    return fault == Fault::code && code == -1 ? 0 : code;
  }
};

/// How many of 300 random draws fail.
template <Fault fault>
int failures() {
  const Entry product = entry<Product<fault>, HostLevel>("Product");
  Random random(17);
  Statistics statistics;
  int failures = 0;
  for (int d = 0; d < 300; ++d) {
    testing::TestPartResultArray results;
    {
      testing::ScopedFakeTestPartResultReporter reporter(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
      check(product, random_draw(product, random), statistics);
    }
    failures += results.size() > 0;
  }
  EXPECT_EQ(statistics.calls, 300);
  EXPECT_LE(statistics.worst, 1);
  return failures;
}

TEST(Fuzz, FindsFaults) {
  if (!KokkosContract::Test::Detail::on_host()) GTEST_SKIP() << "the faults are put in on the host";
  EXPECT_EQ(failures<Fault::none>(), 0);
  EXPECT_GT(failures<Fault::value>(), 200);
  EXPECT_GT(failures<Fault::outside>(), 200);
  EXPECT_GT(failures<Fault::input>(), 200);
  EXPECT_GT(failures<Fault::reads>(), 20);  // where alpha is 0
  // Where extents disagree, at which a checked build ends.
  if (!KokkosContract::Impl::checked_build) {
    EXPECT_GT(failures<Fault::code>(), 2);
  }
}

TEST(Fuzz, Minimises) {
  const Entry product = entry<Product<Fault::none>, HostLevel>("Product");
  Random random(3);
  Draw draw = random_draw(product, random);
  draw.extents = {{'i', 30}, {'j', 19}, {'k', 8}};
  draw.beta = {0.25};
  const auto fails = [](const Draw& d) { return d.extents.at('j') > 4 && d.alpha[0] != 0.0; };
  draw.alpha = {0.5};
  const Draw small = minimised(product, draw, fails);
  EXPECT_TRUE(fails(small));
  EXPECT_EQ(small.extents, (Extents{{'i', 1}, {'j', 5}, {'k', 1}}));
  EXPECT_EQ(small.alpha[0], 1.0);
  EXPECT_EQ(small.beta[0], 0.0);
  EXPECT_EQ(small.strides[2], (std::vector<std::ptrdiff_t>{5, 1}));
}

// --- Findings -----------------------------------------------------------------------------------

// An epilogue of one input with a kept tensor and scratch memory did not compile.
struct KeepAndEpilogue {
  static Description description() {
    return {.operation = "contract",
            .text = "a+c->a",
            .operands = {{Type::f32, 1, "ac", Form::strided, Role::input, {8, 4}},
                         {Type::f32, 1, "a", Form::strided, Role::output, {8}},
                         {Type::f32, 1, "a", Form::any, Role::kept, {8}, {1}}},
            .marks = {{1, "a", 2}},
            .output = Output::epilogue,
            .coefficients = Type::f32,
            .needs_scratch = true};
  }
  static std::size_t scratch_bytes(const Call& call) {
    return TeamContract<"a+c->a">::scratch_bytes(
        call.view<const float[8][4], Kokkos::LayoutStride>(0, 0),
        keep<"a">(call.strided<float, Numbers<8>, Numbers<1>>(2, 0)),
        fix<8>(call.view<float*, Kokkos::LayoutStride>(1, 0)));
  }
  KOKKOS_FUNCTION static int run(const TeamLevel& level, const Call& call, int p) {
    return TeamContract<"a+c->a">::invoke(
        level.member, call.scratch(p), call.alpha.as<float>(),
        call.view<const float[8][4], Kokkos::LayoutStride>(0, p),
        keep<"a">(call.strided<float, Numbers<8>, Numbers<1>>(2, p)), call.beta.as<float>(),
        fix<8>(call.view<float*, Kokkos::LayoutStride>(1, p)), Twist{});
  }
};
TEST(Fuzz, KeepAndEpilogue) {
  const Draw draw{.data = 5,
                  .problems = 2,
                  .extents = {{'a', 8}, {'c', 4}},
                  .strides = {{5, 1}, {2}, {1}},
                  .alpha = {0.5},
                  .beta = {-2}};
  check<KeepAndEpilogue, TeamLevel>(draw);
}

// A batch of outer products computed only the first: it was taken for a small matrix product.
struct OuterProducts {
  static Description description() {
    return {.operation = "contract",
            .text = "da,ab->abd",
            .operands = {{Type::f64, 1, "da", Form::left, Role::input},
                         {Type::f64, 1, "ab", Form::right, Role::input},
                         {Type::f64, 1, "abd", Form::right, Role::output}},
            .coefficients = Type::f64};
  }
  KOKKOS_FUNCTION static int run(const SerialLevel&, const Call& call, int p) {
    return SerialContract<"da,ab->abd">::invoke(
        call.alpha.as<double>(), call.view<const double**, Kokkos::LayoutLeft>(0, p),
        call.view<const double**, Kokkos::LayoutRight>(1, p), call.beta.as<double>(),
        call.view<double***, Kokkos::LayoutRight>(2, p));
  }
};
TEST(Fuzz, OuterProducts) {
  for (const int n : {2, 5, 7, 11}) {  // more than a register, and less than two, somewhere
    const Draw draw{.data = 5,
                    .problems = 1,
                    .extents = {{'a', 3}, {'b', n}, {'d', 4}},
                    .strides = {{1, 4}, {n, 1}, {4 * n, 4, 1}},
                    .alpha = {1},
                    .beta = {0}};
    check<OuterProducts, SerialLevel>(draw);
  }
}

}  // namespace
}  // namespace KokkosContract::Test::Fuzz
