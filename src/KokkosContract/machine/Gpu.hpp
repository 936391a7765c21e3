// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_GPU_HPP
#define KOKKOSCONTRACT_MACHINE_GPU_HPP

// What the GPUs of all vendors have in common.

#include <KokkosContract/core/Config.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

inline constexpr int most_lanes_of_warp = 64;
inline constexpr int bytes_of_register = 4;
/// Bytes that one instruction of a lane loads at most.
inline constexpr int bytes_of_load = 16;
/// Bytes of one bank of shared memory, and of all banks.
inline constexpr int bytes_of_bank = 4;
inline constexpr int bytes_of_banks = 128;
/// Bytes of a sector, the unit of transfers from memory.
inline constexpr int bytes_of_sector = 32;

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
