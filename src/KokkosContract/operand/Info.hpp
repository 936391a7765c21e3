// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_INFO_HPP
#define KOKKOSCONTRACT_OPERAND_INFO_HPP

// The report of a factorisation: an int View with an entry for each problem (for packs: each lane),
// and the first entry that is not zero.

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

/// Stores 0 for all problems, which are distributed over the workers.
template <class Op, class T, Level L, class Info>
KOKKOS_FORCEINLINE_FUNCTION void put_no_infos([[maybe_unused]] const L& level,
                                              [[maybe_unused]] int problems,
                                              [[maybe_unused]] const Info& info) {
  if constexpr (!std::is_same_v<Info, NoInfo>) {
    for_each(level, problems, [&](std::ptrdiff_t z) KOKKOSCONTRACT_INLINE_LAMBDA {
      put_info<Op, T>(info, static_cast<int>(z), 0, 0);
    });
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

/// The first info of a worker that is not zero, and its problem (and lane).
struct FirstInfo {
  int key = 0;
  int info = 0;

  /// Offers an info. Keys increase from call to call.
  KOKKOS_FORCEINLINE_FUNCTION void offer(int at, int found) {
    key = info != 0 ? key : at;
    info = info != 0 ? info : found;
  }
};

/// The first info of all workers. All workers get it; it is 0 if there is none.
template <Level L>
KOKKOS_FORCEINLINE_FUNCTION int first_info(const L& level, const FirstInfo& mine) {
  if (!level.any(mine.info != 0)) return 0;
  return first_nonzero(level, mine.key, mine.info);
}

/// Stores find(z, lane) for each problem and lane, which are distributed over the workers. Returns
/// the first info that is not zero. All workers call it, after the factors are visible to them.
template <class Op, class T, Level L, class Info, class Find>
KOKKOS_FORCEINLINE_FUNCTION int report(const L& level, int problems, const Info& info,
                                       const Find& find) {
  constexpr unsigned lanes = is_pack<T> ? PackTraits<T>::lanes : 1;
  FirstInfo mine;
  int turn = level.rank();  // counting takes fewer registers of a GPU than a step
  const unsigned count = static_cast<unsigned>(problems) * lanes;
  KOKKOSCONTRACT_NO_UNROLL
  for (unsigned t = 0; t < count; ++t) {
    if (turn-- != 0) continue;
    turn = level.size() - 1;
    const auto z = static_cast<int>(t / lanes);
    const auto lane = static_cast<int>(t % lanes);
    const int found = find(z, lane);
    put_info<Op, T>(info, z, lane, found);
    mine.offer(static_cast<int>(t), found);
  }
  return first_info(level, mine);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
