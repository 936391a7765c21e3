// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_TENSORCORE_HPP
#define KOKKOSCONTRACT_MACHINE_TENSORCORE_HPP

// What a warp of a GPU multiplies at once. Lane l has element (l / 4, l % 4) of X, (l % 4, l / 4)
// of Y, and (l / 4, 2 * (l % 4)) of the sums with its right neighbour. Nothing where there are no
// tensor cores for doubles.

#include <KokkosContract/core/Config.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// 8 x 8 sums of 8 x 4 by 4 x 8.
KOKKOS_FORCEINLINE_FUNCTION void tensor_multiply_add([[maybe_unused]] double (&sum)[2],
                                                     [[maybe_unused]] double x,
                                                     [[maybe_unused]] double y) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(sum[0]), "+d"(sum[1])
      : "d"(x), "d"(y));
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
#endif
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
