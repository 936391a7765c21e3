// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A float of 16 bits on any host, where half_t and bhalf_t may have 32: the upper half of a float,
// as bhalf_t. For it an emulated GPU has the matrix instructions of a real one.
#pragma once

#include <KokkosContract/core/Scalar.hpp>
#include <bit>
#include <cstdint>
#include <ostream>

#include "Rounding.hpp"

namespace KokkosContract::Test {

class ShortFloat {
 public:
  ShortFloat() = default;
  /// The nearest one; of two that are as near, the one whose last bit is 0.
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit ShortFloat(T x) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    bits_ = static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit operator T() const {
    return static_cast<T>(std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16));
  }
  friend float operator*(ShortFloat x, ShortFloat y) { return float(x) * float(y); }
  friend float operator*(float x, ShortFloat y) { return x * float(y); }
  friend bool operator==(ShortFloat x, ShortFloat y) { return float(x) == float(y); }
  friend std::ostream& operator<<(std::ostream& os, ShortFloat x) { return os << float(x); }

 private:
  std::uint16_t bits_ = 0;
};

template <>
constexpr long double unit_roundoff<ShortFloat>() {
  return 0x1p-8L;
}
template <>
constexpr long double smallest<ShortFloat>() {
  return std::numeric_limits<float>::denorm_min() * 0x1p16L;
}

}  // namespace KokkosContract::Test

namespace KokkosContract::inline KOKKOSCONTRACT_ISA::Impl {
template <>
inline constexpr bool is_short_float<Test::ShortFloat> = true;
}  // namespace KokkosContract::inline KOKKOSCONTRACT_ISA::Impl
