// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_FAULT_HPP
#define KOKKOSCONTRACT_FAULT_HPP

#include <KokkosContract/machine/Report.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// `require_success(TeamGemm<...>::invoke(...))` ends the program with a message if a call returns
/// another code than 0, on a host or in a kernel. It is for calls that fail only by a fault of the
/// program.
KOKKOS_INLINE_FUNCTION void require_success(int code) {
  if (code != 0) {
    Kokkos::abort(
        "KokkosContract: require_success: a call returned another code than 0; a build with "
        "KOKKOSCONTRACT_CHECKED names a call that is misused");
  }
}

/// A call that was misused and returned this negative code.
struct Fault {
  int code = 0;              ///< 0 if there was none
  int problem = -1;          ///< the league rank of the team that called; -1 at the Serial level
  const char* routine = "";  ///< the caller's spelling, `TeamContract<"ik,kj->ij">`
};

/// The first call that returned a negative code, in a kernel or on the host, since the program
/// started or clear_first_fault() was called. Only translation units with KOKKOSCONTRACT_STRICT
/// record faults; calls in others are not seen. Fence before calling this function, and run no
/// second kernel meanwhile. `routine` is valid until the next call of first_fault().
template <bool IsStrict = Impl::strict_build>
Fault first_fault() {
  static_assert(IsStrict,
                "KokkosContract: first_fault needs the macro KOKKOSCONTRACT_STRICT, without which "
                "nothing notes faults");
  const Impl::FaultRecord& record = Impl::read_fault();
  return {record.code, record.problem, record.routine};
}

/// Forgets the first fault, so that first_fault() reports the next one.
template <bool IsStrict = Impl::strict_build>
void clear_first_fault() {
  static_assert(IsStrict,
                "KokkosContract: clear_first_fault needs the macro KOKKOSCONTRACT_STRICT");
  Impl::write_fault({});
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
