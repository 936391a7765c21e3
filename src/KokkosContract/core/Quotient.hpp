// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_QUOTIENT_HPP
#define KOKKOSCONTRACT_CORE_QUOTIENT_HPP

#include <KokkosContract/core/Config.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// x / y of real numbers, or of registers of them.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T quotient(const T& x, const T& y) {
  return x / y;
}

/// x / y of complex numbers. The division of Kokkos::complex scales by |Re y| + |Im y|, which may
/// overflow where the quotient does not. Both are first scaled down by a power of two, as in M.
/// Baudin and R. L. Smith, A robust complex division in Scilab, arXiv:1210.4539 (2012).
template <class R>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<R> quotient(const Kokkos::complex<R>& x,
                                                        const Kokkos::complex<R>& y) {
  const R size = Kokkos::abs(y.real()) + Kokkos::abs(y.imag());
  const R scale = size <= Kokkos::Experimental::finite_max_v<R> ? R(1) : R(1) / 4;
  return Kokkos::complex<R>(scale * x.real(), scale * x.imag()) /
         Kokkos::complex<R>(scale * y.real(), scale * y.imag());
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
