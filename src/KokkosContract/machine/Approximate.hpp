// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_APPROXIMATE_HPP
#define KOKKOSCONTRACT_MACHINE_APPROXIMATE_HPP

// Reciprocals on a GPU in a few instructions, right to the last bit or two, by steps of Newton's
// method. Extreme numbers, whose reciprocals or their intermediate results are not normal, have
// none: `exists` becomes false. Called in device code only.

#include <KokkosContract/core/Config.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// 1 / d
KOKKOS_FORCEINLINE_FUNCTION double approximate_reciprocal([[maybe_unused]] double d,
                                                          [[maybe_unused]] bool& exists) {
  double r = 0;
  // By the exponent: 2 to 2044 of 0 to 2047.
  KOKKOS_IF_ON_DEVICE((const auto high = static_cast<unsigned>(__double2hiint(d)) & 0x7fffffffU;
                       exists = exists & (high - 0x00200000U < 0x7fb00000U);
                       asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
                       r = __fma_rn(r, __fma_rn(-d, r, 1.0), r);
                       r = __fma_rn(r, __fma_rn(-d, r, 1.0), r);))
  return r;
}

/// 1 / sqrt(d) of a positive number.
KOKKOS_FORCEINLINE_FUNCTION double approximate_inverse_root([[maybe_unused]] double d,
                                                            [[maybe_unused]] bool& exists) {
  double r = 0;
  KOKKOS_IF_ON_DEVICE(
      (exists = exists & (static_cast<unsigned>(__double2hiint(d)) - 0x00100000U < 0x7fe00000U);
       asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
       const double error = __fma_rn(-d * r, r, 1.0);
       r = __fma_rn(r * error, __fma_rn(0.375, error, 0.5), r);))
  return r;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
