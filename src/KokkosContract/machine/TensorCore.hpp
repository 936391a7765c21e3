// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_TENSORCORE_HPP
#define KOKKOSCONTRACT_MACHINE_TENSORCORE_HPP

// What a warp of a GPU multiplies at once. Lane l has element (l / 4, l % 4) of X, (l % 4, l / 4)
// of Y, and (l / 4, 2 * (l % 4)) of the sums with its right neighbour. Nothing where there are no
// tensor cores for doubles.

#include <KokkosContract/machine/Device.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr bool has_tensor_cores = false;
#else
inline constexpr bool has_tensor_cores = true;
#endif

/// The same by an emulated device.
inline void emulated_multiply_add(double (&sum)[2], double x, double y) {
  if (emulated_device == nullptr) return;
  const auto share = [](double mine, double (&all)[warp_size]) {
    const std::uint64_t* bits =
        emulated_device->share(EmulatedDevice::Collective::tensor, ~0U, bits_of(mine));
    std::memcpy(all, bits, sizeof(all));
  };
  double xs[warp_size];
  double ys[warp_size];
  share(x, xs);
  share(y, ys);
  const int lane = lane_of_warp();
  for (int s = 0; s < 2; ++s) {
    for (int k = 0; k < 4; ++k) {
      sum[s] += xs[lane / 4 * 4 + k] * ys[(lane % 4 * 2 + s) * 4 + k];
    }
  }
}

/// 8 x 8 sums of 8 x 4 by 4 x 8.
KOKKOS_FORCEINLINE_FUNCTION void tensor_multiply_add([[maybe_unused]] double (&sum)[2],
                                                     [[maybe_unused]] double x,
                                                     [[maybe_unused]] double y) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(sum[0]), "+d"(sum[1])
      : "d"(x), "d"(y));
#else
  KOKKOS_IF_ON_HOST((emulated_multiply_add(sum, x, y);))
#endif
}

/// 16 x 8 sums of 16 x 4 by 4 x 8: sums 2 and 3, and x_below, are eight rows further down.
KOKKOS_FORCEINLINE_FUNCTION void tensor_multiply_add([[maybe_unused]] double (&sum)[4],
                                                     [[maybe_unused]] double x,
                                                     [[maybe_unused]] double x_below,
                                                     [[maybe_unused]] double y) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(x), "d"(x_below), "d"(y));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%4}, {%6}, {%0, %1};\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%2, %3}, {%5}, {%6}, {%2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(x), "d"(x_below), "d"(y));
#else
  KOKKOS_IF_ON_HOST((double above[2] = {sum[0], sum[1]}; double below[2] = {sum[2], sum[3]};
                     emulated_multiply_add(above, x, y); emulated_multiply_add(below, x_below, y);
                     sum[0] = above[0]; sum[1] = above[1]; sum[2] = below[0]; sum[3] = below[1];))
#endif
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
