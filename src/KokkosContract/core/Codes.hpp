// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_CODES_HPP
#define KOKKOSCONTRACT_CORE_CODES_HPP

#include <KokkosContract/core/Config.hpp>
#include <cstddef>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Return codes of a routine that is misused in a way that only the run time shows. Nothing is
/// written.
inline constexpr int extents_disagree = -1;
inline constexpr int atomic_needs_beta_one = -2;
inline constexpr int scratch_too_small = -3;
inline constexpr int lanes_do_not_divide = -4;
inline constexpr int factor_is_no_integer = -5;
inline constexpr int tile_needs_workers = -6;
inline constexpr int extent_too_large = -7;

/// The largest extent that routines count. It leaves an int room for a step past the last index.
/// Tests make it small, so that extents above it take little time.
#if defined(KOKKOSCONTRACT_TEST_MOST_EXTENT)
inline constexpr std::ptrdiff_t most_extent = KOKKOSCONTRACT_TEST_MOST_EXTENT;
#else
inline constexpr std::ptrdiff_t most_extent = 0x7fffffff - 1023;
#endif

/// The return code of a routine on a SmallLevel whose plan does not cover the extents: this number,
/// less the number of the plan that does.
inline constexpr int not_covered = -100;

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
