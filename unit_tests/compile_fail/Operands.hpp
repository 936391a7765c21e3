// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the faults are made of.
#pragma once

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>

using namespace KokkosContract;

using Scalar = Kokkos::View<double>;
using Vector = Kokkos::View<double*>;
using Matrix = Kokkos::View<double**>;
using ConstMatrix = Kokkos::View<const double**>;
using Tensor = Kokkos::View<double***>;
using ComplexMatrix = Kokkos::View<Kokkos::complex<double>**>;
using Member = Kokkos::TeamPolicy<>::member_type;
using N = Trans::NoTranspose;
