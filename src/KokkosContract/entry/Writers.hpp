// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_ENTRY_WRITERS_HPP
#define KOKKOSCONTRACT_ENTRY_WRITERS_HPP

// A table of the operands that are being written at this time, in checked builds. It detects two
// callers that write one operand at once. An example is a call of one thread that all threads of a
// team make. It does not detect them if one is done before the other begins.

#include <KokkosContract/machine/Machine.hpp>
#include <cstdint>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

#if defined(KOKKOSCONTRACT_CHECKED)
/// Addresses, each at the index that a hash gives. An address is not entered if another one has its
/// index.
struct Writers {
  static constexpr unsigned size = 1024;
  std::uintptr_t address[size];

  KOKKOS_INLINE_FUNCTION std::uintptr_t* place(std::uintptr_t p) {
    return &address[(p ^ p >> 10 ^ p >> 20) / 8 % size];
  }
  /// Returns false if the address is in the table already.
  KOKKOS_INLINE_FUNCTION bool enter(std::uintptr_t p) {
    return Kokkos::atomic_compare_exchange(place(p), std::uintptr_t{0}, p) != p;
  }
  KOKKOS_INLINE_FUNCTION void leave(std::uintptr_t p) {
    Kokkos::atomic_compare_exchange(place(p), p, std::uintptr_t{0});
  }
};

inline Writers host_writers;
namespace {
KOKKOSCONTRACT_DEVICE_VARIABLE Writers device_writers;
}

KOKKOS_FORCEINLINE_FUNCTION Writers& writers() {
  KOKKOS_IF_ON_DEVICE((return device_writers;))
  KOKKOS_IF_ON_HOST((return host_writers;))
}

/// Whether the writers of this memory are in the table. On a GPU this is global memory only,
/// because each block has shared memory, and each thread local memory, at the same addresses.
KOKKOS_FORCEINLINE_FUNCTION bool is_written_by_all(const void* data) {
  return data != nullptr && LocalMachine::is_in_global_memory(data);
}

KOKKOS_INLINE_FUNCTION bool begin_writing(const void* data) {
  return !is_written_by_all(data) || writers().enter(reinterpret_cast<std::uintptr_t>(data));
}

KOKKOS_INLINE_FUNCTION void end_writing(const void* data) {
  if (is_written_by_all(data)) writers().leave(reinterpret_cast<std::uintptr_t>(data));
}
#endif

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
