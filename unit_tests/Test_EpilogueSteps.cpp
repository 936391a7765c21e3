// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of an epilogue, alone and joined, at all levels. The numbers are small integers, so
// that all sums are exact.
#include <gtest/gtest.h>

#include <KokkosContract/Epilogue.hpp>
#include <KokkosContract/Scratch.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class EpilogueSteps : public testing::Test {};
TYPED_TEST_SUITE(EpilogueSteps, Levels, LevelNames);

inline constexpr int problems = 2, rows = 5, terms = 6, cols = 9;

struct Relu {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x > T(0) ? x : T(0);
  }
};

/// Number i of a sequence of integers of [-most, most].
int number(int i, int most) { return (i * 7919 + 13) % 104729 % (2 * most + 1) - most; }

/// The matrices of all problems in a space, and on the host.
template <class T, class Space>
struct Matrices {
  using View = Kokkos::View<T***, Kokkos::LayoutRight, typename Space::memory_space>;
  View device;
  decltype(Kokkos::create_mirror_view(View())) host;

  Matrices(int m, int n, int most)
      : device("matrices", problems, m, n), host(Kokkos::create_mirror_view(device)) {
    for (int i = 0; i < problems * m * n; ++i) {
      host(i / (m * n), i / n % m, i % n) = static_cast<T>(most == 0 ? 0 : number(i, most));
    }
    upload();
  }
  void upload() { Kokkos::deep_copy(device, host); }
  void download() { Kokkos::deep_copy(host, device); }
};

template <class T>
KOKKOS_FUNCTION auto matrix(const T& all, int p) {
  return Kokkos::subview(all, p, Kokkos::ALL, Kokkos::ALL);
}
template <class T>
KOKKOS_FUNCTION auto vector(const T& all, int p) {
  return Kokkos::subview(all, p, 0, Kokkos::ALL);
}

template <class Level, class F, class Check>
void check_levels(const F& functor, const Check& check) {
  for (const Configuration& configuration : Level::configurations()) {
    SCOPED_TRACE(configuration.text());
    const auto codes = Level::launch(configuration, problems, functor, {});
    if (codes.empty()) continue;
    for (const int code : codes) EXPECT_EQ(code, 0);
    check();
  }
}

/// All steps on doubles.
template <class View>
struct AllSteps {
  View x, w, y, b, s, r, second, largest, sum, squares;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int p) const {
    return ContractOp<"bi,ij->bj">::call(
        level, 2.0, matrix(x, p), matrix(w, p), -1.0, matrix(y, p),
        bias<"j">(vector(b, p)) | scale<"b">(vector(s, p)) | residual(matrix(r, p)) |
            row_max<"b">(vector(largest, p)) | row_sum<"j">(vector(sum, p)) |
            row_squares<"b">(vector(squares, p)) | also_in<"jb">(matrix(second, p)) |
            activation(Relu{}));
  }
};
TYPED_TEST(EpilogueSteps, Joined) {
  using M = Matrices<double, typename TypeParam::space>;
  M x(rows, terms, 5), w(terms, cols, 4), y(rows, cols, 3), b(1, cols, 9), s(1, rows, 3),
      r(rows, cols, 6), second(cols, rows, 0), largest(1, rows, 0), sum(1, cols, 0),
      squares(1, rows, 0);
  const std::vector<double> start(y.host.data(), y.host.data() + y.host.size());
  const auto restore = [&] {
    std::copy(start.begin(), start.end(), y.host.data());
    Kokkos::deep_copy(largest.host, -1e300);
    Kokkos::deep_copy(sum.host, 0);
    Kokkos::deep_copy(squares.host, 0);
    for (M* m : {&y, &largest, &sum, &squares}) m->upload();
  };
  restore();
  const AllSteps<typename M::View> functor{x.device,   w.device,      y.device,      b.device,
                                           s.device,   r.device,      second.device, largest.device,
                                           sum.device, squares.device};
  check_levels<TypeParam>(functor, [&] {
    for (M* m : {&y, &second, &largest, &sum, &squares}) m->download();
    for (int p = 0; p < problems; ++p) {
      std::vector<double> sums(cols, 0);
      for (int i = 0; i < rows; ++i) {
        double most = -1e300, square = 0;
        for (int j = 0; j < cols; ++j) {
          double value = -start[(p * rows + i) * cols + j] + b.host(p, 0, j);
          for (int k = 0; k < terms; ++k) value += 2 * x.host(p, i, k) * w.host(p, k, j);
          value = value * s.host(p, 0, i) + r.host(p, i, j);
          EXPECT_EQ(second.host(p, j, i), value);
          EXPECT_EQ(y.host(p, i, j), std::max(value, 0.));
          most = std::max(most, value);
          sums[j] += value;
          square += value * value;
        }
        EXPECT_EQ(largest.host(p, 0, i), most);
        EXPECT_EQ(squares.host(p, 0, i), square);
      }
      for (int j = 0; j < cols; ++j) EXPECT_EQ(sum.host(p, 0, j), sums[j]);
    }
    restore();
  });
}

/// One input, and an output of integers.
template <class X, class Y>
struct Saturated {
  X x;
  Y y;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int p) const {
    return ContractOp<"ij->ji">::call(level, 1.5f, matrix(x, p), 0.f, matrix(y, p),
                                      saturate<std::int8_t>());
  }
};
TYPED_TEST(EpilogueSteps, Saturation) {
  using Space = typename TypeParam::space;
  Matrices<float, Space> x(rows, cols, 120);
  Matrices<std::int8_t, Space> y(cols, rows, 0);
  x.host(0, 0, 0) = std::numeric_limits<float>::quiet_NaN();
  x.host(0, 0, 1) = std::numeric_limits<float>::infinity();
  x.host(1, 0, 1) = -1e30f;
  x.upload();
  const Saturated<decltype(x.device), decltype(y.device)> functor{x.device, y.device};
  check_levels<TypeParam>(functor, [&] {
    y.download();
    for (int p = 0; p < problems; ++p) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
          const float value = 1.5f * x.host(p, i, j);
          const int expected =
              std::isnan(value)
                  ? 0
                  : static_cast<int>(std::clamp(std::nearbyint(value), -128.f, 127.f));
          EXPECT_EQ(y.host(p, j, i), expected) << value;
        }
      }
    }
  });
}

template <class To, class From>
To saturated(From value) {
  return Impl::Saturation<To>{}(value);
}
TEST(EpilogueSteps, Limits) {
  EXPECT_EQ(saturated<std::int8_t>(127.4), 127);
  EXPECT_EQ(saturated<std::int8_t>(127.5), 127);
  EXPECT_EQ(saturated<std::int8_t>(-128.5), -128);
  EXPECT_EQ(saturated<std::int8_t>(2.5), 2);
  EXPECT_EQ(saturated<std::uint8_t>(-1.0), 0);
  EXPECT_EQ(saturated<std::uint8_t>(255.6f), 255);
  EXPECT_EQ(saturated<std::int8_t>(std::int32_t{300}), 127);
  EXPECT_EQ(saturated<std::int8_t>(std::int32_t{-300}), -128);
  EXPECT_EQ(saturated<std::uint8_t>(std::int32_t{-5}), 0);
  EXPECT_EQ(saturated<std::int32_t>(3e9f), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(saturated<std::int32_t>(2147483647.0), 2147483647);
  EXPECT_EQ(saturated<std::int32_t>(-3e9), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(saturated<float>(1e300), std::numeric_limits<float>::max());
  EXPECT_EQ(saturated<float>(-1e300), -std::numeric_limits<float>::max());
  EXPECT_TRUE(std::isnan(saturated<float>(std::nan(""))));
}

// The last pair of a chain has the epilogue.
TEST(EpilogueSteps, Chain) {
  const Matrices<double, Kokkos::DefaultHostExecutionSpace> a(rows, terms, 3), b(terms, cols, 3),
      c(cols, rows, 3), y(rows, rows, 0), v(1, rows, 5);
  using Op = SerialContract<"ik,kl,lj->ij">;
  const auto in = [](const auto& m) { return matrix(m.host, 0); };
  std::vector<double> memory(Op::scratch_bytes(in(a), in(b), in(c), in(y)) / sizeof(double) + 1);
  const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> scratch(memory.data(),
                                                                                  memory.size());
  ASSERT_EQ(Op::invoke(scratch, 1.0, in(a), in(b), in(c), 0.0, in(y),
                       bias<"j">(vector(v.host, 0)) | activation(Relu{})),
            0);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) {
      double value = v.host(0, 0, j);
      for (int k = 0; k < terms; ++k) {
        for (int l = 0; l < cols; ++l) value += a.host(0, i, k) * b.host(0, k, l) * c.host(0, l, j);
      }
      EXPECT_EQ(y.host(0, i, j), std::max(value, 0.));
    }
  }
}

// Complex numbers, some of them in registers.
TEST(EpilogueSteps, Complex) {
  using C = Kokkos::complex<double>;
  using V = Kokkos::View<C**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  const V a("a", rows, terms), b("b", terms, cols), y("y", rows, cols), r("r", rows, cols);
  const Kokkos::View<C*, Kokkos::HostSpace> s("s", rows), sums("sums", cols);
  const Kokkos::View<double*, Kokkos::HostSpace> squares("squares", rows);
  for (int i = 0; i < rows; ++i) {
    s(i) = C(i % 3 - 1, 1);
    for (int k = 0; k < terms; ++k) a(i, k) = C(number(i + 7 * k, 3), number(k, 2));
    for (int j = 0; j < cols; ++j) r(i, j) = C(number(i, 4), number(j, 5));
  }
  for (int k = 0; k < terms; ++k) {
    for (int j = 0; j < cols; ++j) b(k, j) = C(number(3 * k + j, 3), number(j, 2));
  }
  ASSERT_EQ((SerialContract<"ik,kj->ij">::invoke(
                1.0, a, b, 0.0, y,
                residual(r) | scale<"i">(s) | row_sum<"j">(sums) | row_squares<"i">(squares))),
            0);
  std::vector<C> sum(cols, 0);
  for (int i = 0; i < rows; ++i) {
    double square = 0;
    for (int j = 0; j < cols; ++j) {
      C value = r(i, j);
      for (int k = 0; k < terms; ++k) value += a(i, k) * b(k, j);
      value *= s(i);
      EXPECT_EQ(y(i, j), value) << i << ' ' << j;
      sum[j] += value;
      square += value.real() * value.real() + value.imag() * value.imag();
    }
    EXPECT_EQ(squares(i), square);
  }
  for (int j = 0; j < cols; ++j) EXPECT_EQ(sums(j), sum[j]);
}

// Complex numbers, and an output without dimensions.
TEST(EpilogueSteps, ComplexScalar) {
  using C = Kokkos::complex<double>;
  const C x[] = {{1, 2}, {3, -1}}, y[] = {{2, 0}, {0, 1}};
  C result(0), other(5);
  double square = 1;
  using V = Kokkos::View<const C*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const Kokkos::View<C, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> to(&result), added(&other);
  const Kokkos::View<double, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> squares(&square);
  ASSERT_EQ((SerialContract<"i,i->">::invoke(1.0, V(x, 2), V(y, 2), 0.0, to,
                                             residual(added) | row_squares<"">(squares))),
            0);
  EXPECT_EQ(result, x[0] * y[0] + x[1] * y[1] + other);
  EXPECT_EQ(square, 1 + result.real() * result.real() + result.imag() * result.imag());
}

}  // namespace
}  // namespace KokkosContract::Test
