// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_PREFETCH_HPP
#define KOKKOSCONTRACT_OPERAND_PREFETCH_HPP

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/machine/Machine.hpp>
#include <cstdint>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Calls line(address) once for every cache line that has one of `bytes` bytes from p on.
template <class Line>
KOKKOS_FORCEINLINE_FUNCTION void for_each_line_of(const void* p, std::ptrdiff_t bytes,
                                                  const Line& line) {
  constexpr std::uintptr_t cache_line_bytes = LocalMachine::cache_line;
  const auto begin = reinterpret_cast<std::uintptr_t>(p);
  const std::uintptr_t end = begin + static_cast<std::uintptr_t>(bytes);
  for (std::uintptr_t at = begin / cache_line_bytes * cache_line_bytes; at < end;
       at += cache_line_bytes) {
    line(reinterpret_cast<const void*>(at));
  }
}

/// Calls line(address) for every cache line of an operand's elements along its dimensions Begin to
/// End - 1. Lines in between are included if they are few. A line that two rows share is passed
/// twice.
template <int Begin, int End, class A, class Line>
KOKKOS_FORCEINLINE_FUNCTION void for_each_line(const A& a, const typename A::value_type* p,
                                               const Line& line) {
  std::ptrdiff_t count = 1;
  std::ptrdiff_t span = 1;
  const auto add = [&]<int I>() {
    const std::ptrdiff_t extent = a.template extent<I>();
    count *= extent;
    span += (extent - 1) * a.template stride<I>();
  };
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (add.template operator()<Begin + I>(), ...);
  }(std::make_integer_sequence<int, End - Begin>{});
  if (count == 0) return;
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(*p));
  if (span <= 2 * count) {
    for_each_line_of(p, span * size, line);
  } else if constexpr (Begin < End) {
    // The dimension along which neighbours stay together: rows or columns.
    constexpr int last = End - 1;
    if (a.template stride<Begin>() < a.template stride<last>()) {
      for (int i = 0; i < a.template extent<last>(); ++i) {
        for_each_line<Begin, last>(a, p + i * a.template stride<last>(), line);
      }
    } else {
      for (int i = 0; i < a.template extent<Begin>(); ++i) {
        for_each_line<Begin + 1, End>(a, p + i * a.template stride<Begin>(), line);
      }
    }
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
