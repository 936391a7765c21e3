// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_WARPROWS_HPP
#define KOKKOSCONTRACT_DENSE_WARPROWS_HPP

// The rows of matrices among the lanes of a warp, and among the warps of a team.

#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/product/WarpLoop.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Calls f.operator()<RowsOfLane>() for a number of rows that the lanes of a warp hold. The matrix
/// has StaticRows rows, or at least as many. If their number is known at run time only, there are
/// two instances, because each takes long to compile.
template <std::ptrdiff_t StaticRows, int WarpSize, int RowsOfLane = StaticRows == dynamic ? 2 : 1,
          class F>
KOKKOS_FORCEINLINE_FUNCTION auto with_rows_of_lane(int rows, const F& f) {
  constexpr bool is_last =
      RowsOfLane == most_rows_of_lane || (StaticRows > 0 && StaticRows <= RowsOfLane * WarpSize);
  if constexpr (is_last) {
    return f.template operator()<RowsOfLane>();
  } else {
    if (rows <= RowsOfLane * WarpSize) return f.template operator()<RowsOfLane>();
    constexpr int next = (StaticRows == dynamic ? 4 : 2) * RowsOfLane;
    return with_rows_of_lane<StaticRows, WarpSize, next>(rows, f);
  }
}

/// The warps of a team that work on one problem together, as a level. If there are as many problems
/// as warps, it is one warp, which takes one problem after the other. Otherwise each group has one
/// problem, all groups come to the same barriers, and a warp that is left over has no work.
template <Level L>
struct WarpGroup {
  using Machine = level_machine_t<L>;
  const L& level;
  int part, parts;      ///< the number of this warp in the group, and of all
  int problem, groups;  ///< the first problem, and the distance to the next one

  KOKKOS_FORCEINLINE_FUNCTION WarpGroup(const L& workers, const Warps& warps, int problems)
      : level(workers), parts(warps.count > problems && problems > 0 ? warps.count / problems : 1) {
    groups = warps.count / parts;
    problem = warps.index / parts;
    part = problem < groups && (parts == 1 || problem < problems) ? warps.index % parts : no_part;
    if (part == no_part) problem = 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION int size() const { return parts * Machine::warp_size; }
  /// Past all work if the warp is left over.
  KOKKOS_FORCEINLINE_FUNCTION int rank() const {
    return part * Machine::warp_size + Machine::lane_of_warp();
  }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {
    if (parts == 1) {
      Machine::warp_barrier(whole_warp<Machine>);
    } else {
      level.barrier();
    }
  }

 private:
  static constexpr int no_part = 1 << 24;
};
template <class L>
struct SpaceOfLevel<WarpGroup<L>> : SpaceOfLevel<L> {};

/// Calls f(group, z) for each problem, in the warps of its group. Returns false, and does nothing,
/// if the workers are not whole warps. The same holds for many problems of few rows, because all
/// workers work on all of these at a time.
template <Level L, class F>
KOKKOS_FORCEINLINE_FUNCTION bool for_each_problem_of_warps(const L& level, int problems, int rows,
                                                           const F& f) {
  const Warps warps = warps_of(level);
  if (warps.count == 0 || (rows < least_rows_of_warp && problems > warps.count)) return false;
  const WarpGroup<L> group(level, warps, problems);
  KOKKOSCONTRACT_NO_UNROLL
  for (int z = group.problem; z < problems; z += group.groups) f(group, z);
  level.barrier();
  return true;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
