// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_NEST_FLATMODES_HPP
#define KOKKOSCONTRACT_NEST_FLATMODES_HPP

#include <KokkosContract/core/Config.hpp>
#include <cstdint>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The largest flat index of large modes.
inline constexpr int most_flat_index = 1 << 30;
/// The operands X, Y and C.
inline constexpr int operands_of_product = 3;

/// Computes n / divisor as n * multiplier / 2^shift, for n < 2^31 (T. Granlund, P. Montgomery,
/// Division by invariant integers using multiplication, PLDI 1994). Without a divisor the quotient
/// is 0.
struct Divisor {
  unsigned divisor = 0, multiplier = 0;
  int shift = 32;

  Divisor() = default;
  /// Requires n > 0.
  KOKKOS_FUNCTION explicit Divisor(int n) : divisor(static_cast<unsigned>(n)), shift(31) {
    while (shift < 63 && std::uint64_t{1} << (shift - 31) < divisor) ++shift;
    const std::uint64_t power = std::uint64_t{1} << shift;
    multiplier = static_cast<unsigned>((power + divisor - 1) / divisor);
  }
  /// Removes the last digit of a number, and returns it.
  KOKKOS_FORCEINLINE_FUNCTION unsigned take_last(unsigned& rest) const {
    const auto whole = static_cast<unsigned>(std::uint64_t{rest} * multiplier >> shift);
    const unsigned digit = rest - whole * divisor;
    rest = whole;
    return digit;
  }
};

/// The indices that one flat index combines, the last one fastest, and their strides in up to
/// `Operands` operands, all known at run time only.
template <int Operands, int Most>
struct FlatModes {
  int count = 0;
  Divisor by[Most];  ///< extents; nothing is divided by the first one
  std::ptrdiff_t stride[Operands][Most]{};

  /// Requires n > 0, or n >= 0 for the first mode.
  template <class... Strides>
  KOKKOS_FUNCTION void add(int n, Strides... strides) {
    static_assert(sizeof...(Strides) == Operands);
    if (count > 0) {
      by[count] = Divisor(n);
    } else {
      by[0].divisor = static_cast<unsigned>(n);
    }
    const std::ptrdiff_t all[] = {strides...};
    for (int o = 0; o < Operands; ++o) stride[o][count] = all[o];
    ++count;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset(int index, int operand) const {
    std::ptrdiff_t at = 0;
    auto rest = static_cast<unsigned>(index);
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = count - 1; i > 0; --i) at += by[i].take_last(rest) * stride[operand][i];
    if (count > 0) at += rest * stride[operand][0];
    return at;
  }
};

/// Modes with the first one fastest, for kernels that take them as an argument and need the offsets
/// in all operands at once. Each number of modes has its own code, in which only the index is
/// unknown, so that no operand waits for an address.
template <int Operands, int Most>
struct GridModes {
  int count = 0;
  Divisor by[Most];  ///< extents of all modes but the last one
  std::ptrdiff_t stride[Operands][Most]{};
  int extent_of_last = 0;

  /// Appends a mode. No mode before it may have extent 0.
  template <class... Strides>
  void add(int n, Strides... strides) {
    static_assert(sizeof...(Strides) == Operands);
    if (count > 0) by[count - 1] = Divisor(extent_of_last);
    extent_of_last = n;
    const std::ptrdiff_t all[] = {strides...};
    for (int o = 0; o < Operands; ++o) stride[o][count] = all[o];
    ++count;
  }
  KOKKOS_FORCEINLINE_FUNCTION void offsets(int index, std::ptrdiff_t (&at)[Operands]) const {
    for (std::ptrdiff_t& offset : at) offset = 0;
    auto rest = static_cast<unsigned>(index);
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < Most; ++i) {
      if (i >= count) break;
      const unsigned digit = by[i].take_last(rest);
      KOKKOSCONTRACT_UNROLL
      for (int o = 0; o < Operands; ++o) at[o] += digit * stride[o][i];
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
