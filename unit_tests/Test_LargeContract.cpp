// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large products of matrices on emulated GPUs.
#include <array>
#include <vector>

#include "LargeContract.hpp"
#include "Random.hpp"

namespace KokkosContract::Test {
namespace {

TYPED_TEST(LargeContract, Layouts) {
  constexpr int w = TypeParam::value;
  const Extents even{{'i', 136}, {'k', 48}, {'j', 72}};
  check_large<"ik,kj->ij", w, double, Right, Right, Right>(even);
  check_large<"ik,kj->ij", w, double, Left, Left, Left>(even);
  check_large<"ik,jk->ij", w, double, Right, Right, Right>(even);
  check_large<"ki,kj->ij", w, double, Left, Right, Right>(even);
  const Extents odd{{'i', 67}, {'k', 65}, {'j', 131}};
  check_large<"ik,kj->ij", w, double, Right, Right, Right>(odd);
  check_large<"ki,jk->ij", w, double, Left, Right, Left>(odd);
  check_large<"ki,kj->ij", w, double, Right, Left, Left>(odd);
}

// Few columns; a sum that teams share.
TYPED_TEST(LargeContract, Shapes) {
  constexpr int w = TypeParam::value;
  const Extents few{{'i', 300}, {'k', 42}, {'j', 24}};
  EXPECT_EQ((check_large<"ik,kj->ij", w, double, Left, Left, Left>(few).splits), 1);
  EXPECT_EQ((check_large<"ik,kj->ij", w, double, Left, Left, Right>(few).splits), 1);
  EXPECT_GT((check_large<"ik,kj->ij", w, double, Right, Right, Right>(
                 {{'i', 40}, {'k', 1600}, {'j', 36}}, 132)
                 .splits),
            1);
}

// Around multiples, where the multiplier's rounding would show.
TEST(Divisor, Digits) {
  constexpr unsigned last = (1U << 31) - 1;
  Random random(3);
  std::vector<int> divisors{46341, 65535, 65536, 65537, 1 << 30, (1 << 30) + 1, last};
  for (int d = 1; d < 300; ++d) divisors.push_back(d);
  for (int n = 0; n < 300; ++n) divisors.push_back(1 + static_cast<int>(random.bits() % last));
  for (const int d : divisors) {
    const Impl::Divisor by(d);
    const unsigned most = last / d;
    for (const unsigned whole : {0U, 1U, 2U, most / 3, most - most / 7, most}) {
      for (const unsigned n : {whole * d - 1, whole * d, whole * d + 1}) {
        if (n > last) continue;
        unsigned rest = n;
        EXPECT_EQ(by.take_last(rest), n % d) << n << " / " << d;
        EXPECT_EQ(rest, n / d) << n << " / " << d;
      }
    }
  }
  unsigned rest = 5;
  EXPECT_EQ(Impl::Divisor().take_last(rest), 5U);
  EXPECT_EQ(rest, 0U);
}

// Both kinds of modes say the same of an index.
TEST(Modes, Offsets) {
  Impl::FlatModes<2, 4> slowest_first;
  Impl::GridModes<2, 4> fastest_first;
  const std::array<std::array<int, 3>, 3> modes{{{5, 100, -7}, {3, 11, 2000}, {4, 1, 50}}};
  for (std::size_t m = 0; m < 3; ++m) {
    slowest_first.add(modes[m][0], modes[m][1], modes[m][2]);
    fastest_first.add(modes[2 - m][0], modes[2 - m][1], modes[2 - m][2]);
  }
  for (int index = 0; index < 60; ++index) {
    std::ptrdiff_t at[2];
    fastest_first.offsets(index, at);
    for (int operand = 0; operand < 2; ++operand) {
      const auto o = static_cast<std::size_t>(operand + 1);
      EXPECT_EQ(at[operand],
                index / 12 * modes[0][o] + index / 4 % 3 * modes[1][o] + index % 4 * modes[2][o]);
      EXPECT_EQ(slowest_first.offset(index, operand), at[operand]);
    }
  }
  std::ptrdiff_t none[2];
  Impl::GridModes<2, 4>().offsets(0, none);
  EXPECT_EQ(none[0], 0);
  EXPECT_EQ((Impl::FlatModes<2, 4>().offset(0, 1)), 0);
}

}  // namespace
}  // namespace KokkosContract::Test
