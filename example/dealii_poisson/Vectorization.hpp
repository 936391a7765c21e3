// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before all other headers of deal.II. Packages of distributions are compiled for every
// machine of an architecture, with one lane a VectorizedArray. The example is compiled for this
// machine and has the lanes of its registers, which deal.II would have if it were compiled here.
// What the library does not hold for so many lanes is instantiated in HostMatrixFree.cpp.
#pragma once

#include <deal.II/base/config.h>

namespace example {
/// Bits of a VectorizedArray that deal.II was compiled with
inline constexpr int bits_of_library = DEAL_II_VECTORIZATION_WIDTH_IN_BITS;
}  // namespace example

#if DEAL_II_VECTORIZATION_WIDTH_IN_BITS == 0
#define EXAMPLE_WIDENED
#undef DEAL_II_VECTORIZATION_WIDTH_IN_BITS
#if defined(__AVX512F__)
#define DEAL_II_VECTORIZATION_WIDTH_IN_BITS 512
#elif defined(__AVX__)
#define DEAL_II_VECTORIZATION_WIDTH_IN_BITS 256
#elif defined(__SSE2__) || defined(__ARM_NEON)
#define DEAL_II_VECTORIZATION_WIDTH_IN_BITS 128
#else
#undef EXAMPLE_WIDENED
#define DEAL_II_VECTORIZATION_WIDTH_IN_BITS 0
#endif
#endif
