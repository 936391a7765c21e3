// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_TAKESCRATCH_HPP
#define KOKKOSCONTRACT_OPERAND_TAKESCRATCH_HPP

// Bytes of the scratch memory that a user passes, of any kind.

#include <KokkosContract/Scratch.hpp>
#include <cstdint>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

inline constexpr std::size_t scratch_alignment = 64;

template <class S>
concept ScratchSpace = requires(const S& s) { s.get_shmem_aligned(std::size_t{}, std::size_t{}); };

template <class S>
concept AnyScratch = ScratchSpace<S> || std::is_same_v<S, Scratch> || Kokkos::is_view_v<S>;

/// The first aligned address of `bytes` bytes, or null if there are too few. A View with gaps has
/// no such address, because the gaps may be another operand's memory. The user's scratch object is
/// copied, so the memory is free again afterwards.
template <AnyScratch S>
KOKKOS_FORCEINLINE_FUNCTION char* take_scratch(const S& scratch, std::size_t bytes) {
  if constexpr (ScratchSpace<S>) {
    const S copy = scratch;
    return static_cast<char*>(
        copy.get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes), scratch_alignment));
  } else {
    // The code uses pointers throughout, so that a GPU's compiler sees the kind of memory.
    char* data = nullptr;
    std::size_t available = 0;
    if constexpr (std::is_same_v<S, Scratch>) {
      data = static_cast<char*>(scratch.data);
      available = scratch.bytes;
    } else {
      static_assert(!std::is_const_v<typename S::value_type>,
                    "KokkosContract: a View that is scratch memory has const elements");
      if constexpr (!std::is_const_v<typename S::value_type>) {
        data = reinterpret_cast<char*>(scratch.data());
        if (scratch.span_is_contiguous()) {
          available = scratch.span() * sizeof(typename S::value_type);
        }
      }
    }
    const std::size_t skip =
        (scratch_alignment - reinterpret_cast<std::uintptr_t>(data) % scratch_alignment) %
        scratch_alignment;
    return available < skip + bytes ? nullptr : data + skip;
  }
}

/// Like take_scratch, but for the rest of the kernel: later requests get memory after it.
template <AnyScratch S>
KOKKOS_FORCEINLINE_FUNCTION char* keep_scratch(const S& scratch, std::size_t bytes) {
  if constexpr (ScratchSpace<S>) {
    return static_cast<char*>(
        scratch.get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes), scratch_alignment));
  } else {
    return take_scratch(scratch, bytes);
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
