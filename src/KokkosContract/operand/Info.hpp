// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_INFO_HPP
#define KOKKOSCONTRACT_OPERAND_INFO_HPP

// How a factorisation reports what it met: an int View with an entry for each problem (for packs:
// each lane), and the first of them that is not zero.

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/core/Scalar.hpp>
#include <KokkosContract/level/Level.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Stands for an absent info View.
struct NoInfo {};

/// Stores the info of lane l of problem z.
template <class Op, class T, class Info>
KOKKOS_FORCEINLINE_FUNCTION void put_info([[maybe_unused]] const Info& info, [[maybe_unused]] int z,
                                          [[maybe_unused]] int l, [[maybe_unused]] int found) {
  if constexpr (!std::is_same_v<Info, NoInfo>) {
    const auto out = as_operand(info);
    if constexpr (Op::rank == 3 && is_pack<T>) {
      out(z, l) = found;
    } else if constexpr (Op::rank == 3) {
      out(z) = found;
    } else if constexpr (is_pack<T>) {
      out(l) = found;
    } else {
      out() = found;
    }
  }
}

/// Whether an info View for operand Op of elements T has the right extents.
template <class Op, class T, class Info>
KOKKOS_FORCEINLINE_FUNCTION bool info_fits([[maybe_unused]] const Info& info,
                                           [[maybe_unused]] int problems) {
  bool fits = true;
  if constexpr (!std::is_same_v<Info, NoInfo>) {
    constexpr bool batch = Op::rank == 3;
    constexpr int rank = operand_t<Info>::rank;
    static_assert(rank == (batch ? 1 : 0) + (is_pack<T> ? 1 : 0),
                  "KokkosContract: info has one dimension for a batch and one for the lanes of a "
                  "pack, so it has rank 0 for one matrix");
    const auto out = as_operand(info);
    if constexpr (batch) fits = out.extent(0) == problems;
    if constexpr (is_pack<T>) fits = fits && out.extent(rank - 1) == PackTraits<T>::lanes;
  }
  return fits;
}

/// Stores find(z, lane) for each problem and lane, and returns the first that is not zero. All
/// workers call it, who see the factors.
template <class Op, class T, Level L, class Info, class Find>
KOKKOS_FORCEINLINE_FUNCTION int report(const L& level, int problems, const Info& info,
                                       const Find& find) {
  constexpr int lanes = is_pack<T> ? PackTraits<T>::lanes : 1;
  int first = 0;
  KOKKOSCONTRACT_NO_UNROLL
  for (int z = 0; z < problems; ++z) {
    for (int l = 0; l < lanes; ++l) {
      const int found = find(z, l);
      first = first != 0 ? first : found;
      if (level.rank() == (z * lanes + l) % level.size()) put_info<Op, T>(info, z, l, found);
    }
  }
  level.barrier();  // whoever returns may change A, which others are still looking at
  return first;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
