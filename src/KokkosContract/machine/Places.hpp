// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_PLACES_HPP
#define KOKKOSCONTRACT_MACHINE_PLACES_HPP

#include <KokkosContract/core/Config.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The largest x of all lanes of a warp of machine M, in all of them, by shuffles.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION int largest_by_shuffles(int x) {
  for (int bits = M::warp_size / 2; bits > 0; bits /= 2) {
    const int other = M::shuffle_xor(~typename M::LaneMask{0}, x, bits);
    x = other > x ? other : x;
  }
  return x;
}

/// Position of a lane, with WarpSize lanes in a warp, and the barriers of its block: the same code
/// for CUDA and HIP. Machine.hpp describes the functions.
template <int WarpSize>
struct KernelPlaces {
  static constexpr int warp_size = WarpSize;

  KOKKOS_FORCEINLINE_FUNCTION static int lanes_of_thread() {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockDim.x);))
    KOKKOS_IF_ON_HOST((return 1;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static int lane_of_thread() {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(threadIdx.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static int threads_of_block() {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockDim.y);))
    KOKKOS_IF_ON_HOST((return 1;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static int thread_of_block() {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(threadIdx.y);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static int first_lane_of_thread() {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(threadIdx.y * blockDim.x % warp_size);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static int lane_of_warp() {
    KOKKOS_IF_ON_DEVICE(
        (return static_cast<int>((threadIdx.x + blockDim.x * threadIdx.y) % warp_size);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static int first_lane_of_team() {
    KOKKOS_IF_ON_DEVICE(
        (return static_cast<int>(blockDim.x * blockDim.y * threadIdx.z % warp_size);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static int blocks_of_grid() {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(gridDim.x);))
    KOKKOS_IF_ON_HOST((return 1;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool block_is_one_team() {
    KOKKOS_IF_ON_DEVICE((return blockDim.z == 1;))
    KOKKOS_IF_ON_HOST((return true;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static void block_barrier() {
    KOKKOS_IF_ON_DEVICE((__syncthreads();))
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool any_of_block(bool x) {
    KOKKOS_IF_ON_DEVICE((return __syncthreads_or(x) != 0;))
    KOKKOS_IF_ON_HOST((return x;))
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
