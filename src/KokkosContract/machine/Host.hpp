// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_HOST_HPP
#define KOKKOSCONTRACT_MACHINE_HOST_HPP

#include <KokkosContract/core/Config.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A core of a host, for code that does not know whether it runs on a host or a device.
struct HostMachine {
  using Space = void;
  static constexpr int cache_line = 64;

  /// Prefetches the line at p into the cache of this level or the next.
  template <int CacheLevel>
  KOKKOS_FORCEINLINE_FUNCTION static void prefetch([[maybe_unused]] const void* p) {
#if defined(__GNUC__)
    __builtin_prefetch(p, 0, 4 - CacheLevel);
#endif
  }
  /// Whether all threads see the same memory at this address.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_in_global_memory(const void*) { return true; }
  /// Reads and writes a variable of device code.
  template <class T>
  static void read_variable(T& to, const T& variable) {
    to = variable;
  }
  template <class T>
  static void write_variable(T& variable, const T& from) {
    variable = from;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
