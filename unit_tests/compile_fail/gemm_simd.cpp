// expect: a simd type is not supported as an element: use KokkosContract::Pack
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_SIMD.hpp>

#include "Operands.hpp"

using Simds = Kokkos::View<Kokkos::Experimental::simd<double>**>;

int fault(Simds a) { return SerialGemm<N, N>::invoke(1., a, a, 0., a); }
