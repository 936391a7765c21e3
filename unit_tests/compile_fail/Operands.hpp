// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the faults.
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

/// Memory that no host thread reaches, as on a GPU.
struct Elsewhere {
  using memory_space = Elsewhere;
  using execution_space = Kokkos::DefaultHostExecutionSpace;
  using device_type = Kokkos::Device<execution_space, memory_space>;
  using size_type = std::size_t;
};
using FarMatrix = Kokkos::View<double**, Elsewhere, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
