// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_NEST_FLATMODES_HPP
#define KOKKOSCONTRACT_NEST_FLATMODES_HPP

#include <KokkosContract/core/Config.hpp>
#include <cstdint>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Indices that one flat index stands for, the last one fastest, and their strides in up to
/// `Operands` operands, all known at run time only.
template <int Operands, int Most>
struct FlatModes {
  int count = 0;
  unsigned extent[Most]{};
  // n / extent is n * multiplier / 2^(32 + shift) for n < 2^31 (T. Granlund, P. Montgomery,
  // Division by invariant integers using multiplication, PLDI 1994).
  unsigned multiplier[Most]{};
  int shift[Most]{};
  std::ptrdiff_t stride[Operands][Most]{};

  /// n > 1, or, of the first one, n >= 0
  template <class... Strides>
  KOKKOS_FUNCTION void add(int n, Strides... strides) {
    static_assert(sizeof...(Strides) == Operands);
    const auto divisor = static_cast<unsigned>(n);
    extent[count] = divisor;
    // Nothing is divided by the first one.
    if (count > 0) {
      int log = 0;
      while ((divisor - 1) >> log > 1) ++log;
      const std::uint64_t power = std::uint64_t{1} << (32 + log);
      shift[count] = log;
      multiplier[count] = static_cast<unsigned>((power + divisor - 1) / divisor);
    }
    const std::ptrdiff_t all[] = {strides...};
    for (int o = 0; o < Operands; ++o) stride[o][count] = all[o];
    ++count;
  }

  /// In the first operands.
  template <int Wanted>
  KOKKOS_FUNCTION void offsets(int index, std::ptrdiff_t (&at)[Wanted]) const {
    for (std::ptrdiff_t& offset : at) offset = 0;
    auto rest = static_cast<unsigned>(index);
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = count - 1; i >= 0; --i) {
      const int digit = take_last(rest, i);
      KOKKOSCONTRACT_UNROLL
      for (int o = 0; o < Wanted; ++o) at[o] += digit * stride[o][i];
    }
  }
  /// The same of one operand.
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset(int index, int operand) const {
    std::ptrdiff_t at = 0;
    auto rest = static_cast<unsigned>(index);
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = count - 1; i >= 0; --i) at += take_last(rest, i) * stride[operand][i];
    return at;
  }

 private:
  /// Takes the digit of mode i, which is the last one, off.
  KOKKOS_FORCEINLINE_FUNCTION int take_last(unsigned& rest, int i) const {
    if (i == 0) return static_cast<int>(rest);
    const unsigned whole =
        static_cast<unsigned>(std::uint64_t{rest} * multiplier[i] >> 32) >> shift[i];
    const unsigned digit = rest - whole * extent[i];
    rest = whole;
    return static_cast<int>(digit);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
