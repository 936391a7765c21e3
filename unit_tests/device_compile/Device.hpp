// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DEVICE_COMPILE_DEVICE_HPP
#define KOKKOSCONTRACT_DEVICE_COMPILE_DEVICE_HPP

// Common parts of the sources of the compile check for GPUs: Views in device memory, kernels of a
// team.

#include <KokkosContract.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
using Device = Kokkos::Cuda;
#elif defined(KOKKOS_ENABLE_HIP)
using Device = Kokkos::HIP;
#else
#error "this is no build of Kokkos for a GPU"
#endif
using Policy = Kokkos::TeamPolicy<Device>;
using Member = Policy::member_type;

template <class Data>
using Right = Kokkos::View<Data, Kokkos::LayoutRight, Device>;
template <class Data>
using Left = Kokkos::View<Data, Kokkos::LayoutLeft, Device>;
template <class Data>
using StridedView = Kokkos::View<Data, Kokkos::LayoutStride, Device>;

using Complex = Kokkos::complex<double>;
using Half = Kokkos::Experimental::half_t;
using BHalf = Kokkos::Experimental::bhalf_t;

/// Runs body(member) in blocks of 4 x 8 threads. The kernel adds the codes up, so that none is
/// dropped.
template <class Body>
void team_kernel(const Right<int*>& codes, const Body& body) {
  Kokkos::parallel_for(
      Policy(codes.extent_int(0), 4, 8),
      KOKKOS_LAMBDA(const Member& member) { codes(member.league_rank()) += body(member); });
}

/// Runs body(i), with one thread each.
template <class Body>
void thread_kernel(const Right<int*>& codes, const Body& body) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Device>(0, codes.extent_int(0)),
      KOKKOS_LAMBDA(int i) { codes(i) += body(i); });
}

#endif
