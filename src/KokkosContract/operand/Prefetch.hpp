// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_PREFETCH_HPP
#define KOKKOSCONTRACT_OPERAND_PREFETCH_HPP

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/machine/Machine.hpp>
#include <cstdint>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Calls line(address) once for every cache line that has one of `bytes` bytes from p on. Several
/// workers can deal the lines out: this is worker `rank` of `workers`.
template <class Line>
KOKKOS_FORCEINLINE_FUNCTION void for_each_line_of(const void* p, std::ptrdiff_t bytes,
                                                  const Line& line, int rank = 0, int workers = 1) {
  constexpr std::uintptr_t cache_line_bytes = LocalMachine::cache_line;
  const auto begin = reinterpret_cast<std::uintptr_t>(p);
  const std::uintptr_t end = begin + static_cast<std::uintptr_t>(bytes);
  for (std::uintptr_t at =
           (begin / cache_line_bytes + static_cast<unsigned>(rank)) * cache_line_bytes;
       at < end; at += static_cast<unsigned>(workers) * cache_line_bytes) {
    line(reinterpret_cast<const void*>(at));
  }
}

/// Calls run(address, bytes) for runs of memory with all elements of an operand along its
/// dimensions Begin to End - 1. Elements in between are included if they are few.
template <int Begin, int End, class A, class Run>
KOKKOS_FORCEINLINE_FUNCTION void for_each_run(const A& a, const typename A::value_type* p,
                                              const Run& run) {
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
    run(p, span * size);
  } else if constexpr (Begin < End) {
    // The dimension along which neighbours stay together: rows or columns.
    constexpr int last = End - 1;
    if (a.template stride<Begin>() < a.template stride<last>()) {
      for (int i = 0; i < a.template extent<last>(); ++i) {
        for_each_run<Begin, last>(a, p + i * a.template stride<last>(), run);
      }
    } else {
      for (int i = 0; i < a.template extent<Begin>(); ++i) {
        for_each_run<Begin + 1, End>(a, p + i * a.template stride<Begin>(), run);
      }
    }
  }
}

/// Calls line(address) for every cache line of those runs. A line that two of them share is passed
/// twice.
template <class A, class Line>
KOKKOS_FORCEINLINE_FUNCTION void for_each_line(const A& a, const Line& line) {
  for_each_run<0, A::rank>(a, a.data(),
                           [&](const void* p, std::ptrdiff_t bytes)
                               KOKKOSCONTRACT_INLINE_LAMBDA { for_each_line_of(p, bytes, line); });
}

/// The workers of a level of a GPU prefetch an operand in global memory into L2. They take the runs
/// in turn where one instruction prefetches a run, and else each of them a part of the lines.
template <class L, class A>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_by(const L& level, const A& a) {
  using M = level_machine_t<L>;
  if (!M::is_in_global_memory(a.data())) return;
  const int rank = level.rank(), workers = level.size();
  [[maybe_unused]] int turn = 0;
  for_each_run<0, A::rank>(
      a, a.data(), [&](const void* p, std::ptrdiff_t bytes) KOKKOSCONTRACT_INLINE_LAMBDA {
        if constexpr (M::prefetches_runs) {
          constexpr std::uintptr_t unit = 16;
          const auto at = reinterpret_cast<std::uintptr_t>(p), begin = at / unit * unit;
          const std::uintptr_t size =
              (at + static_cast<std::uintptr_t>(bytes) - begin + unit - 1) / unit * unit;
          if (turn == rank) {
            M::prefetch_run(reinterpret_cast<const void*>(begin), static_cast<unsigned>(size));
          }
          turn = turn + 1 == workers ? 0 : turn + 1;
        } else {
          for_each_line_of(
              p, bytes,
              [](const void* line) KOKKOSCONTRACT_INLINE_LAMBDA { M::template prefetch<2>(line); },
              rank, workers);
        }
      });
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
