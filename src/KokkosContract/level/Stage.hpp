// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LEVEL_STAGE_HPP
#define KOKKOSCONTRACT_LEVEL_STAGE_HPP

// A GPU's workers copy an operand into shared memory as it lies in global memory, 16 bytes at a
// time and asynchronously, so that each word is moved once and all copies are in flight together.
// Strides stay what they were.

#include <KokkosContract/level/Level.hpp>
#include <cstdint>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Shared memory of a block that the library takes for itself.
inline constexpr int stage_bytes = 18432 + 256;

/// A worker's part of it.
struct Stage {
  char* memory = nullptr;
  int bytes = 0;
};

template <class L>
inline constexpr bool has_stage = false;

/// Whether elements of T start at whole fractions or multiples of 16 bytes.
template <class T>
inline constexpr bool can_be_staged = 16 % sizeof(T) == 0 || sizeof(T) % 16 == 0;

#if defined(KOKKOS_ENABLE_CUDA)
// Vector and Team levels have memory of their own, because there is no barrier of the team between
// a thread's last Vector call and the team's next one.
struct BlockStage;
struct ThreadStage;

template <class Kind>
KOKKOS_FORCEINLINE_FUNCTION char* stage_memory() {
#if defined(__CUDA_ARCH__)
  __shared__ __align__(16) char memory[stage_bytes];
  return memory;
#else
  return nullptr;
#endif
}

template <TeamMember Member>
inline constexpr bool has_stage<TeamLevel<Member>> = is_gpu<typename Member::execution_space>;
template <TeamMember Member>
inline constexpr bool has_stage<CudaTeamVectorLevel<Member>> = true;
template <>
inline constexpr bool has_stage<CudaVectorLevel> = true;

template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION Stage stage_of(const CudaTeamVectorLevel<Member>&) {
  return {stage_memory<BlockStage>(), stage_bytes};
}
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION Stage stage_of(const TeamLevel<Member>&) {
  // With lanes, each of them is a team with a problem of its own.
  if (CudaVectorLevel::size() > 1) return {};
  return {stage_memory<BlockStage>(), stage_bytes};
}
KOKKOS_FORCEINLINE_FUNCTION Stage stage_of(const CudaVectorLevel&) {
#if defined(__CUDA_ARCH__)
  const int bytes = stage_bytes / static_cast<int>(blockDim.y) / 16 * 16;
  return {stage_memory<ThreadStage>() + static_cast<int>(threadIdx.y) * bytes, bytes};
#else
  return {};
#endif
}

/// What copying so many elements takes of a stage, wherever they start.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION int staged_bytes(int count) {
  return (count * static_cast<int>(sizeof(T)) + 31) / 16 * 16;
}

KOKKOS_FORCEINLINE_FUNCTION bool is_in_global_memory([[maybe_unused]] const void* p) {
#if defined(__CUDA_ARCH__)
  return __isGlobal(p) != 0;
#else
  return false;
#endif
}

/// Starts this worker's part of a copy of `count` elements; returns where the copy will be.
template <class T, Level L>
KOKKOS_FORCEINLINE_FUNCTION const T* start_copy([[maybe_unused]] const L& level,
                                                [[maybe_unused]] char* to, const T* from,
                                                [[maybe_unused]] int count) {
#if defined(__CUDA_ARCH__)
  const int bytes = count * static_cast<int>(sizeof(T));
  // The copy is as far from a multiple of 16 as the original.
  const int offset = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 16);
  const int before = offset == 0 ? 0 : 16 - offset;
  const int head = before < bytes ? before : bytes;
  const int body = (bytes - head) / 16;
  auto* copy = reinterpret_cast<T*>(to + offset);
  const char* source = reinterpret_cast<const char*>(from) + head;
  const auto target = static_cast<unsigned>(__cvta_generic_to_shared(to + offset + head));
  const int rank = level.rank();
  const int size = level.size();
#pragma unroll 4
  for (int i = rank; i < body; i += size) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target + 16 * i),
                 "l"(source + 16 * i));
  }
  const int first = head / static_cast<int>(sizeof(T));
  const int last = first + body * 16 / static_cast<int>(sizeof(T));
  for (int i = rank; i < first; i += size) copy[i] = from[i];
  for (int i = last + rank; i < count; i += size) copy[i] = from[i];
  return copy;
#else
  return from;
#endif
}

/// Ends the copies of all workers.
template <Level L>
KOKKOS_FORCEINLINE_FUNCTION void finish_copies(const L& level) {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  level.barrier();
}
#endif

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
