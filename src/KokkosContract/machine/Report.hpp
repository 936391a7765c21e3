// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_REPORT_HPP
#define KOKKOSCONTRACT_MACHINE_REPORT_HPP

// Reports of the code that a call returns. A strict build stores the first code of a misuse for the
// host (Fault.hpp).

#include <KokkosContract/core/Misuse.hpp>
#include <KokkosContract/machine/Machine.hpp>
#include <utility>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The first misuse that a strict build recorded.
struct FaultRecord {
  int taken = 0;  // 1 if it holds a fault
  int code = 0;
  int problem = -1;
  char routine[128]{};
};

// The records of device code, one per translation unit.
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
namespace {
KOKKOSCONTRACT_DEVICE_VARIABLE FaultRecord device_fault;

const DeviceFault listed_device_fault{
    [](FaultRecord& to) { DeviceMachine::read_variable(to, device_fault); },
    [](const FaultRecord& from) { DeviceMachine::write_variable(device_fault, from); },
    std::exchange(device_faults, &listed_device_fault)};
}  // namespace

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

/// Stands for a team's member where there is no team.
struct NoMember {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int league_rank() { return -1; }
};

/// Returns the code of a call. A code of a misuse is reported first.
template <class Call, class Member>
KOKKOS_FORCEINLINE_FUNCTION int report(int code, [[maybe_unused]] const Member& member) {
  if constexpr (checked_build) {
    if (code == extents_disagree) end_program<Call, Misuse::extents>();
    if (code == atomic_needs_beta_one) end_program<Call, Misuse::atomic>();
    if (code == scratch_too_small) end_program<Call, Misuse::scratch>();
    if (code == lanes_do_not_divide) end_program<Call, Misuse::lanes>();
    if (code == factor_is_no_integer) end_program<Call, Misuse::factor>();
    if (code == tile_needs_workers) end_program<Call, Misuse::workers>();
    if (code == extent_too_large) end_program<Call, Misuse::size>();
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
