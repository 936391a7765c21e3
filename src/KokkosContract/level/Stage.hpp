// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LEVEL_STAGE_HPP
#define KOKKOSCONTRACT_LEVEL_STAGE_HPP

// A GPU's workers copy an operand into shared memory in its order in global memory. The copies are
// asynchronous, of 16 bytes each, so each word is moved once and all copies are in flight together.
// Strides are unchanged.

#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <cstdint>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A worker's part of the shared memory.
struct Stage {
  char* memory = nullptr;
  int bytes = 0;
};

template <class L>
inline constexpr bool has_stage = false;

/// Whether the size of T divides 16 bytes or is a multiple of 16 bytes, so that elements can start
/// at such multiples.
template <class T>
inline constexpr bool can_be_staged =
    alignof(T) <= 16 && (16 % sizeof(T) == 0 || sizeof(T) % 16 == 0);

// Vector and Team levels have separate memory. There is no barrier of the team between a thread's
// last Vector call and the team's next call.
struct BlockStage;
struct ThreadStage;

template <TeamMember Member>
inline constexpr bool has_stage<TeamLevel<Member>> = is_gpu<typename Member::execution_space>;
template <TeamMember Member>
inline constexpr bool has_stage<TeamVectorLevel<Member>> = true;
template <class Space>
inline constexpr bool has_stage<VectorLevel<Space>> = true;

template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION Stage stage_of(const TeamVectorLevel<Member>&) {
  using M = machine_of_t<typename Member::execution_space>;
  return {M::template block_memory<BlockStage, stage_bytes>(), stage_bytes};
}
template <TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION Stage stage_of(const TeamLevel<Member>&) {
  using M = machine_of_t<typename Member::execution_space>;
  // With vector lanes, each lane is a team with its own problem.
  if (M::lanes_of_thread() > 1) return {};
  return {M::template block_memory<BlockStage, stage_bytes>(), stage_bytes};
}
template <class Space>
KOKKOS_FORCEINLINE_FUNCTION Stage stage_of(const VectorLevel<Space>&) {
  using M = machine_of_t<Space>;
  const int bytes = stage_bytes_of_threads / M::threads_of_block() / 16 * 16;
  return {M::template block_memory<ThreadStage, stage_bytes_of_threads>() +
              M::thread_of_block() * bytes,
          bytes};
}

/// A copy has the same offset from a multiple of this number of bytes as the original. With the
/// size of a line, each line is read once; otherwise some are read twice (ncu, 2026-11-26). A
/// thread has no room for that.
template <class L>
inline constexpr int stage_alignment = is_of_thread<L> ? 16 : 128;

/// Bytes of a stage for a copy of `count` elements, wherever they start.
template <class T, Level L>
KOKKOS_FORCEINLINE_FUNCTION int staged_bytes(const L&, int count) {
  constexpr int alignment = stage_alignment<L>;
  return (count * static_cast<int>(sizeof(T)) + 2 * alignment - 1) / alignment * alignment;
}

/// Starts this worker's part of a copy of `count` elements. Returns the address of the copy.
template <class T, Level L>
KOKKOS_FORCEINLINE_FUNCTION const T* start_copy(const L& level, char* to, const T* from,
                                                int count) {
  const int bytes = count * static_cast<int>(sizeof(T));
  const int offset = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % stage_alignment<L>);
  const int before = (16 - offset % 16) % 16;
  const int head = before < bytes ? before : bytes;
  const int body = (bytes - head) / 16;
  auto* copy = reinterpret_cast<T*>(to + offset);
  const char* source = reinterpret_cast<const char*>(from) + head;
  char* target = to + offset + head;
  const int rank = level.rank();
  const int size = level.size();
  KOKKOSCONTRACT_UNROLL_BY_4
  for (int i = rank; i < body; i += size) {
    level_machine_t<L>::start_copy_of_16(target + 16 * i, source + 16 * i);
  }
  const int first = head / static_cast<int>(sizeof(T));
  const int last = first + body * 16 / static_cast<int>(sizeof(T));
  for (int i = rank; i < first; i += size) copy[i] = from[i];
  for (int i = last + rank; i < count; i += size) copy[i] = from[i];
  return copy;
}

/// Completes the copies of all workers.
template <Level L>
KOKKOS_FORCEINLINE_FUNCTION void finish_copies(const L& level) {
  level_machine_t<L>::finish_own_copies();
  level.barrier();
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
