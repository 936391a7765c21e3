// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions: their layouts, by the products of an emulated GPU, and that contractions use
// whatever a machine has. The machine of this test has an atom that no GPU has.
#include <gtest/gtest.h>

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/machine/Machine.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "EmulatedDevice.hpp"

namespace KokkosContract::Test {

/// 16 x 8 sums of floats by a warp of 64 lanes. A lane has two terms each of X and of Y, and two
/// rows.
struct ToyAtom {
  using X = float;
  using Y = float;
  using Acc = float;
  static constexpr int lanes = 64;
  static constexpr int m = 16, n = 8, k = 8;
  static constexpr int x_each = 2, y_each = 1, sum_each = 2;
  KOKKOS_FUNCTION static constexpr Impl::AtomPlace x_at(int lane, int r) {
    return {lane % 16, lane / 16 * 2 + r};
  }
  KOKKOS_FUNCTION static constexpr Impl::AtomPlace y_at(int lane, int) {
    return {lane / 8, lane % 8};
  }
  KOKKOS_FUNCTION static constexpr Impl::AtomPlace sum_at(int lane, int r) {
    return {lane / 8 + 8 * r, lane % 8};
  }
};
struct ToyInstructions {};
struct ToyMachine : Impl::EmulatedMachine<64> {
  using Instructions = ToyInstructions;
  static inline int products = 0;
  template <class... Registers>
  static void multiply_add(ToyAtom atom, Registers&... registers) {
    ++products;
    EmulatedMachine<64>::multiply_add(atom, registers...);
  }
};
struct ToySpace : EmulatedSpace<64> {
  using execution_space = ToySpace;
};

}  // namespace KokkosContract::Test

namespace KokkosContract::inline KOKKOSCONTRACT_ISA::Impl {
template <>
struct AtomsIn<Test::ToyInstructions, float, float, float> {
  using atom = Test::ToyAtom;
  using block_atom = NoAtom;
};
template <>
struct MachineOf<Test::ToySpace> {
  using type = Test::ToyMachine;
};
}  // namespace KokkosContract::inline KOKKOSCONTRACT_ISA::Impl

namespace KokkosContract::Test {
namespace {

static_assert(std::is_same_v<Impl::atom_for<ToyMachine, float, float, float>, ToyAtom>);
static_assert(!Impl::is_atom<Impl::atom_for<ToyMachine, double, double, double>>);

template <class T>
class Atoms : public testing::Test {};
using AllAtoms =
    testing::Types<Impl::Mma8x8x4, Impl::Mma16x8x4, Impl::Mma16x8x8, Impl::Mma16x8x16<std::int16_t>,
                   Impl::Mfma16x16x4, ToyAtom, Impl::SplitAtom<Impl::Mma16x8x8>,
                   Impl::ComplexAtom<Impl::Mma16x8x4>, Impl::ComplexAtom<Impl::Mfma16x16x4>>;
TYPED_TEST_SUITE(Atoms, AllAtoms);

template <class T>
T number(double x, [[maybe_unused]] double imaginary) {
  if constexpr (Impl::is_complex<T>) {
    return T(x, imaginary);
  } else {
    return static_cast<T>(x);
  }
}
template <class T>
T x_of(int i, int k) {
  return number<T>(i + 20 * k + 1, 5 - i + 7 * k);
}
template <class T>
T y_of(int k, int j) {
  return number<T>(3 * k - 2 * j + 1, 2 * k + j);
}

// Each element is in one register of one lane, and the sums are where the atom says.
TYPED_TEST(Atoms, Layout) {
  using Atom = TypeParam;
  using Machine = Impl::EmulatedMachine<Atom::lanes>;
  std::vector<int> found_x(Atom::m * Atom::k), found_y(Atom::k * Atom::n),
      found_sum(Atom::m * Atom::n);
  const std::string fault =
      EmulatedBlock(1, Atom::lanes, 64, LaneOrder::forward, Atom::lanes).run([&] {
        const int lane = Machine::lane_of_warp();
        typename Atom::X x[Atom::x_each];
        typename Atom::Y y[Atom::y_each];
        typename Atom::Acc sum[Atom::sum_each];
        for (int r = 0; r < Atom::x_each; ++r) {
          const Impl::AtomPlace at = Atom::x_at(lane, r);
          x[r] = x_of<typename Atom::X>(at.row, at.col);
          ++found_x[at.row * Atom::k + at.col];
        }
        for (int r = 0; r < Atom::y_each; ++r) {
          const Impl::AtomPlace at = Atom::y_at(lane, r);
          y[r] = y_of<typename Atom::Y>(at.row, at.col);
          ++found_y[at.row * Atom::n + at.col];
        }
        for (int r = 0; r < Atom::sum_each; ++r) sum[r] = r;
        KokkosContract::Impl::multiply_add<Machine>(Atom{}, sum, x, y);
        for (int r = 0; r < Atom::sum_each; ++r) {
          const Impl::AtomPlace at = Atom::sum_at(lane, r);
          ++found_sum[at.row * Atom::n + at.col];
          typename Atom::Acc expected = r;
          for (int k = 0; k < Atom::k; ++k) {
            expected += x_of<typename Atom::Acc>(at.row, k) * y_of<typename Atom::Acc>(k, at.col);
          }
          EXPECT_EQ(sum[r], expected);
        }
      });
  EXPECT_EQ(fault, "");
  EXPECT_EQ(found_x, std::vector<int>(found_x.size(), 1));
  EXPECT_EQ(found_y, std::vector<int>(found_y.size(), 1));
  EXPECT_EQ(found_sum, std::vector<int>(found_sum.size(), 1));
}

/// One sum of floats by a SplitAtom: that of row 0 and column 0.
float split_product(const float (&row)[8], const float (&column)[8]) {
  using Atom = Impl::SplitAtom<Impl::Mma16x8x8>;
  float found = 0;
  const std::string fault = EmulatedBlock(1, 32, 64, LaneOrder::forward, 32).run([&] {
    const int lane = Impl::EmulatedMachine<32>::lane_of_warp();
    float x[Atom::x_each], y[Atom::y_each], sum[Atom::sum_each]{};
    for (int r = 0; r < Atom::x_each; ++r) {
      const Impl::AtomPlace at = Atom::x_at(lane, r);
      x[r] = at.row == 0 ? row[at.col] : 0;
    }
    for (int r = 0; r < Atom::y_each; ++r) {
      const Impl::AtomPlace at = Atom::y_at(lane, r);
      y[r] = at.col == 0 ? column[at.row] : 0;
    }
    Impl::multiply_add<Impl::EmulatedMachine<32>>(Atom{}, sum, x, y);
    if (lane == 0) found = sum[0];
  });
  EXPECT_EQ(fault, "");
  return found;
}

// As right as sums of floats, though the instruction reads 11 bits of each.
TEST(SplitAtom, Accuracy) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> mantissa(-2, 2);
  std::uniform_int_distribution<int> exponent(-20, 20);
  double worst = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    float x[8], y[8];
    double expected = 0, size = 0;
    for (int k = 0; k < 8; ++k) {
      x[k] = std::ldexp(mantissa(random), repeat % 2 * exponent(random));
      y[k] = std::ldexp(mantissa(random), repeat % 2 * exponent(random));
      expected += static_cast<double>(x[k]) * y[k];
      size += std::abs(static_cast<double>(x[k]) * y[k]);
    }
    worst = std::max(worst, std::abs(split_product(x, y) - expected) / size);
  }
  // docs/accuracy.md allows 20 roundings of a float; more than none shows that the atom ran.
  EXPECT_LE(worst, 20 * 0x1p-24);
  EXPECT_GT(worst, 0x1p-26);
}
TEST(SplitAtom, NumbersThatAreNotFinite) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float most = std::numeric_limits<float>::max();
  EXPECT_FALSE(std::isfinite(split_product({infinity, 1, 1}, {2, 3, 4})));
  EXPECT_TRUE(std::isnan(split_product({infinity, 1}, {0, 3})));
  EXPECT_TRUE(std::isnan(split_product({infinity, -infinity}, {1, 1})));
  EXPECT_TRUE(std::isnan(split_product({std::nanf(""), 1}, {2, 3})));
  EXPECT_FALSE(std::isfinite(split_product({most}, {most})));
  EXPECT_NEAR(split_product({most / 2}, {0.5F}), most / 4, most * 0x1p-24);
}

/// A batch of products by the warps of a block, compared with loops.
template <class Space, class T, int M, int K, int N>
void expect_product(int threads, int lanes) {
  constexpr int problems = 3;
  const Kokkos::View<T* [M][K], Kokkos::LayoutRight, Kokkos::HostSpace> x("x", problems);
  const Kokkos::View<T* [K][N], Kokkos::LayoutRight, Kokkos::HostSpace> y("y", problems);
  const Kokkos::View<T* [M][N], Kokkos::LayoutRight, Kokkos::HostSpace> c("c", problems);
  for (int z = 0; z < problems; ++z) {
    for (int k = 0; k < K; ++k) {
      for (int i = 0; i < M; ++i) x(z, i, k) = static_cast<T>((i * 7 + k * 3 + z) % 11 - 5);
      for (int j = 0; j < N; ++j) y(z, k, j) = static_cast<T>((k * 5 + j * 2 + z) % 13 - 6);
    }
  }
  EmulatedBlock block(threads, lanes, 64, LaneOrder::backward, Space::warp_size);
  const std::string fault = block.run([&] {
    const EmulatedMember<Space::warp_size, Space> member(block, 0, 1);
    EXPECT_EQ((VectorContract<"bik,bkj->bij">::invoke(member, T(1), x, y, T(0), c)), 0);
  });
  EXPECT_EQ(fault, "");
  for (int z = 0; z < problems; ++z) {
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) {
        T expected = 0;
        for (int k = 0; k < K; ++k) expected += x(z, i, k) * y(z, k, j);
        EXPECT_EQ(c(z, i, j), expected) << z << i << j;
      }
    }
  }
}

TEST(Atoms, ContractionsUseWhatThereIs) {
  ToyMachine::products = 0;
  expect_product<ToySpace, float, 16, 8, 8>(1, 64);
  EXPECT_GT(ToyMachine::products, 0);
  expect_product<ToySpace, float, 19, 11, 21>(1, 64);
  expect_product<ToySpace, float, 7, 6, 4>(1, 64);  // two problems in a tile
  ToyMachine::products = 0;
  expect_product<ToySpace, float, 16, 8, 8>(1, 32);  // no whole warp
  expect_product<ToySpace, double, 16, 8, 8>(1, 64);
  EXPECT_EQ(ToyMachine::products, 0);
  expect_product<EmulatedSpace<32>, double, 19, 11, 21>(1, 32);
  expect_product<EmulatedSpace<32>, double, 8, 6, 8>(1, 32);
  expect_product<EmulatedSpace<64>, double, 19, 11, 21>(1, 64);
}

}  // namespace
}  // namespace KokkosContract::Test
