// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_MISUSE_HPP
#define KOKKOSCONTRACT_CORE_MISUSE_HPP

// What becomes of a call that is misused in a way that only the run shows: a release build returns
// a negative code, a checked one ends with a message, and a strict one notes the first for the host
// (Fault.hpp). A class Call stands for the call: its `name()` is a Text.

#include <KokkosContract/core/Codes.hpp>
#include <utility>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

enum class Misuse {
  extents,
  atomic,
  scratch,
  lanes,
  factor,
  workers,
  overlap,
  memory,
  arguments,
  writers
};

/// Characters that are put together at compile time.
struct Text {
  char characters[384]{};
  int size = 0;

  constexpr Text& operator<<(char c) {
    characters[size++] = c;
    return *this;
  }
  constexpr Text& operator<<(const char* text) {
    for (; *text != '\0'; ++text) *this << *text;
    return *this;
  }
};

consteval const char* describe(Misuse misuse) {
  switch (misuse) {
    case Misuse::extents:
      return "two operands disagree about an extent";
    case Misuse::atomic:
      return "an atomic output needs beta == 1";
    case Misuse::scratch:
      return "there is less scratch memory than scratch_bytes() says";
    case Misuse::lanes:
      return "the pack length is not a multiple of the vector length";
    case Misuse::factor:
      return "sums are integers, and alpha or beta is no value of their type";
    case Misuse::workers:
      return "the team has not as many workers as the tile is for: workers()";
    case Misuse::overlap:
      return "an operand that is written overlaps another one";
    case Misuse::memory:
      return "an operand is in memory that the caller cannot reach";
    case Misuse::arguments:
      return "the threads of the team call with different operands; a call of all threads of a "
             "team does not belong into TeamThreadRange";
    default:
      return "another caller is writing the same operand at this time; where all threads of a team "
             "do, the call belongs into TeamThreadRange, or is one of the team";
  }
}

template <class Call, Misuse M>
consteval Text message_of() {
  const Text name = Call::name();
  return Text{} << "KokkosContract: " << name.characters << ": " << describe(M);
}

/// Ends the program. (The message is static, so that a GPU has it in its memory.)
template <class Call, Misuse M>
KOKKOSCONTRACT_COLD_CODE KOKKOS_FUNCTION void end_program() {
  static constexpr Text message = message_of<Call, M>();
  Kokkos::abort(message.characters);
}

/// In checked builds.
template <class Call, Misuse M>
KOKKOS_FORCEINLINE_FUNCTION void require([[maybe_unused]] bool holds) {
  if constexpr (checked_build) {
    if (!holds) end_program<Call, M>();
  }
}

/// The first misuse that a strict build saw.
struct FaultRecord {
  int taken = 0;  // by a fault: 1
  int code = 0;
  int problem = -1;
  char routine[128]{};
};

// Device code has a record of its own in each translation unit, which needs no relocatable device
// code; the host finds them in a list.
struct DeviceFault {
  void (*read)(FaultRecord&);
  void (*write)(const FaultRecord&);
  const DeviceFault* next;
};
inline FaultRecord host_fault;
inline FaultRecord copy_of_device_fault;
inline const DeviceFault* device_faults = nullptr;

inline const FaultRecord& read_fault() {
  for (const DeviceFault* f = device_faults; f != nullptr && host_fault.code == 0; f = f->next) {
    f->read(copy_of_device_fault);
    if (copy_of_device_fault.code != 0) return copy_of_device_fault;
  }
  return host_fault;
}

inline void write_fault(const FaultRecord& record) {
  host_fault = record;
  for (const DeviceFault* f = device_faults; f != nullptr; f = f->next) f->write(record);
}

#if defined(KOKKOSCONTRACT_STRICT)
#if KOKKOSCONTRACT_GPU_COMPILER
namespace {
__device__ FaultRecord device_fault;

const DeviceFault listed_device_fault{
#if defined(KOKKOS_ENABLE_CUDA)
    [](FaultRecord& to) {
      KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMemcpyFromSymbol(&to, device_fault, sizeof(to)));
    },
    [](const FaultRecord& from) {
      KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMemcpyToSymbol(device_fault, &from, sizeof(from)));
    },
#else
    [](FaultRecord& to) {
      KOKKOS_IMPL_HIP_SAFE_CALL(hipMemcpyFromSymbol(&to, HIP_SYMBOL(device_fault), sizeof(to)));
    },
    [](const FaultRecord& from) {
      KOKKOS_IMPL_HIP_SAFE_CALL(hipMemcpyToSymbol(HIP_SYMBOL(device_fault), &from, sizeof(from)));
    },
#endif
    std::exchange(device_faults, &listed_device_fault)};
}  // namespace
#endif

template <class Call>
KOKKOSCONTRACT_COLD_CODE KOKKOS_FUNCTION void note(FaultRecord& record, int code, int problem) {
  static constexpr Text name = Call::name();
  static_assert(name.size < static_cast<int>(sizeof(record.routine)));
  if (Kokkos::atomic_compare_exchange(&record.taken, 0, 1) != 0) return;
  record.code = code;
  record.problem = problem;
  for (int i = 0; i <= name.size; ++i) record.routine[i] = name.characters[i];
}
#endif

/// In the place of a team's member, where there is no team.
struct NoMember {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int league_rank() { return -1; }
};

/// The code of a call, after it is reported if it is that of a misuse.
template <class Call, class Member>
KOKKOS_FORCEINLINE_FUNCTION int report(int code, [[maybe_unused]] const Member& member) {
  if constexpr (checked_build) {
    if (code == extents_disagree) end_program<Call, Misuse::extents>();
    if (code == atomic_needs_beta_one) end_program<Call, Misuse::atomic>();
    if (code == scratch_too_small) end_program<Call, Misuse::scratch>();
    if (code == lanes_do_not_divide) end_program<Call, Misuse::lanes>();
    if (code == factor_is_no_integer) end_program<Call, Misuse::factor>();
    if (code == tile_needs_workers) end_program<Call, Misuse::workers>();
  }
#if defined(KOKKOSCONTRACT_STRICT)
  if (code < 0) {
    KOKKOS_IF_ON_HOST((note<Call>(host_fault, code, member.league_rank());))
    KOKKOS_IF_ON_DEVICE((note<Call>(device_fault, code, member.league_rank());))
  }
#endif
  return code;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
