// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LANES_LANEMATRIX_HPP
#define KOKKOSCONTRACT_LANES_LANEMATRIX_HPP

// Small matrices in the registers of a GPU's lanes. A group of a few lanes of a warp holds a
// problem together. The lanes form a grid, over which the matrix is distributed cyclically in both
// directions. So the number of shuffles in a step is the number of a lane's rows and columns.
// Neighbouring lanes have neighbouring elements in memory. They are lanes of one group, or of
// neighbouring groups if the problems themselves are interleaved. Lanes without a problem take part
// in the shuffles.

#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/machine/Machine.hpp>
#include <KokkosContract/machine/Reciprocal.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/operand/Info.hpp>
#include <KokkosContract/operand/Matrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The lanes of one problem.
template <class M>
struct LaneGroup {
  using Machine = M;
  using LaneMask = typename M::LaneMask;
  LaneMask mask;  ///< all lanes of this warp that are at the same point of the program
  int first;      ///< the first lane of the group in its warp
  int lane;       ///< this lane's number in the group; past the end if the lane is in no group
  int apart;      ///< distance from one lane of the group to the next

  /// The value of x in another lane of the group.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T from(const T& x, int lane_of_group) const {
    if constexpr (is_complex<T>) {
      return T(from(x.real(), lane_of_group), from(x.imag(), lane_of_group));
    } else {
      return M::shuffle(mask, x, first + lane_of_group * apart);
    }
  }

  /// The value of x in lane number `neighbour` of this lane's Size lanes, a part of the group or
  /// all of it. `of_group` is the number of the same lane in the group. If lane numbers are known,
  /// no arithmetic with them is needed.
  template <int Size, class T>
  KOKKOS_FORCEINLINE_FUNCTION T from_neighbour(const T& x, int neighbour, int of_group) const {
    if (apart != 1) return from(x, of_group);
    if constexpr (is_complex<T>) {
      return T(from_neighbour<Size>(x.real(), neighbour, of_group),
               from_neighbour<Size>(x.imag(), neighbour, of_group));
    } else {
      return M::template shuffle<Size>(mask, x, neighbour);
    }
  }

  /// The value of x in the lane whose number in the group differs in these bits.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T from_opposite(const T& x, int bits) const {
    if constexpr (is_complex<T>) {
      return T(from_opposite(x.real(), bits), from_opposite(x.imag(), bits));
    } else {
      return M::shuffle_xor(mask, x, bits * apart);
    }
  }

  /// The lanes of a group of Size for which x holds, as bits of the warp.
  template <int Size>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask ballot(bool x) const {
    LaneMask lanes = 0;
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int l = 0; l < Size; ++l) lanes |= lane_bit<M>(l * apart);
    return M::ballot(mask, x) & (lanes << first);
  }
  /// A barrier of the lanes. After it, any lane may overwrite elements that other lanes have read
  /// before: shuffles alone do not order reads and writes. All lanes of `mask` call it.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { M::warp_barrier(mask); }
  /// Whether x holds for all lanes of a group; also a barrier.
  template <int Size>
  KOKKOS_FORCEINLINE_FUNCTION bool all(bool x) const {
    const bool result = ballot<Size>(!x) == 0;
    barrier();
    return result;
  }
  /// Whether x holds for any lane of the warp.
  KOKKOS_FORCEINLINE_FUNCTION bool any_of_warp(bool x) const { return M::any_of(mask, x); }
  /// The first lane among these bits.
  KOKKOS_FORCEINLINE_FUNCTION int first_of(LaneMask bits) const {
    return (M::first_lane_of(bits) - first) / apart;
  }
};

/// All groups of a level, and the one that this lane belongs to. The distance between its lanes is
/// not included: for_each_problem passes it as a constant. Otherwise a compiler would emit both
/// variants of each shuffle.
template <class M>
struct LaneGroups {
  typename M::LaneMask mask;  ///< as in LaneGroup, and so are the next two
  int first;
  int lane;
  int index;          ///< index of the group in this warp; negative: the lane is in no group
  int first_of_warp;  ///< number of the warp's first group among all groups
  int count;
};

/// The result if there are no groups.
template <class M, int Size>
KOKKOS_FORCEINLINE_FUNCTION LaneGroups<M> no_lane_groups(typename M::LaneMask mask) {
  return {mask, 0, Size, -1, 0, 0};
}

/// Groups of Size lanes among `lanes` lanes that start at lane `first` of their warp. This lane is
/// lane `lane` of them. Interleaved: neighbouring lanes belong to different groups, and a warp has
/// no other lanes.
template <class M, int Size, bool Interleaved>
KOKKOS_FORCEINLINE_FUNCTION LaneGroups<M> groups_of_lanes(int first, int lanes, int lane) {
  const auto all = first_lanes<M>(lanes);
  if constexpr (Interleaved) {
    constexpr int count = M::warp_size / Size;
    if (lanes < M::warp_size) return no_lane_groups<M, Size>(all << first);
    return {all, lane % count, lane / count, lane % count, 0, count};
  }
  const int count = lanes / Size;
  const int index = lane / Size;
  if (index >= count) return {all << first, first, Size, -1, 0, count};
  return {all << first, first + index * Size, lane % Size, index, 0, count};
}

template <int Size, bool Interleaved, class Space>
KOKKOS_FORCEINLINE_FUNCTION auto lane_groups(const VectorLevel<Space>& level) {
  using M = machine_of_t<Space>;
  return groups_of_lanes<M, Size, Interleaved>(M::first_lane_of_thread(), level.size(),
                                               level.rank());
}

/// Groups of a block whose threads are numbered like the level's workers. The rank is opaque to the
/// compiler. Otherwise it would compute the groups before the loop over teams, and keep them in
/// registers all along it.
template <class M, int Size, bool Interleaved, Level L>
KOKKOS_FORCEINLINE_FUNCTION LaneGroups<M> block_groups(const L& level) {
  const int rank = M::hidden(level.rank());
  const int warp = rank / M::warp_size;
  const int left = level.size() - warp * M::warp_size;
  LaneGroups<M> groups = groups_of_lanes<M, Size, Interleaved>(
      0, left < M::warp_size ? left : M::warp_size, rank % M::warp_size);
  groups.first_of_warp = warp * (M::warp_size / Size);
  groups.count = level.size() / M::warp_size * (M::warp_size / Size) +
                 (Interleaved ? 0 : level.size() % M::warp_size / Size);
  return groups;
}
template <int Size, bool Interleaved, TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION auto lane_groups(const TeamVectorLevel<Member>& level) {
  return block_groups<level_machine_t<TeamVectorLevel<Member>>, Size, Interleaved>(level);
}
template <int Size, bool Interleaved, TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION auto lane_groups(const TeamLevel<Member>& level) {
  using M = level_machine_t<TeamLevel<Member>>;
  auto groups = block_groups<M, Size, Interleaved>(level);
  // With vector lanes, each lane is a team with its own problem. Only the count changes. Otherwise
  // the code of all problems would be compiled once for each variant.
  if (M::lanes_of_thread() > 1) groups.count = 0;
  return groups;
}

/// The number of a lane in its group of Size, opaque to the compiler. A problem's step derives
/// addresses and conditions from it. They are then not computed at the start of a kernel, where
/// they would take registers from its other calls.
template <class M, int Size>
KOKKOS_FORCEINLINE_FUNCTION int hidden_lane(int lane) {
  return static_cast<int>(static_cast<unsigned>(M::hidden(lane)) % (2 * Size));
}

/// Calls f(group, z) for each problem z, in all lanes of its group. z is negative if a lane only
/// takes part in the shuffles. Returns whether there was a group. Interleaved: neighbours in memory
/// belong to neighbouring problems.
template <int Size, bool Interleaved = false, Level L, class F>
KOKKOS_FORCEINLINE_FUNCTION bool for_each_problem(const L& level, int problems, const F& f) {
  using M = level_machine_t<L>;
  const LaneGroups<M> groups = lane_groups<Size, Interleaved>(level);
  if (groups.count == 0) return false;
  for (int first = groups.first_of_warp; first < problems; first += groups.count) {
    const int z = first + groups.index;
    const int lane = Interleaved ? groups.lane : hidden_lane<M, Size>(groups.lane);
    const LaneGroup<M> group{groups.mask, groups.first, lane,
                             Interleaved ? M::warp_size / Size : 1};
    f(group, groups.index >= 0 && z < problems ? z : -1);
  }
  return true;
}

/// Calls f(p), out of line on a host. There only tests call it, and compilers take very long for
/// one function of all steps.
template <int P, class F>
KOKKOSCONTRACT_SHARED_FUNCTION void call_step(const F& f) {
  f(std::integral_constant<int, P>{});
}

/// Calls f(p) for the steps p = 0, 1, ... of a matrix in registers, with p known at compile time.
/// Loops of this length are not unrolled otherwise.
template <int Steps, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_step(const F& f) {
  [&]<int... P>(std::integer_sequence<int, P...>) KOKKOSCONTRACT_INLINE_LAMBDA {
    (call_step<P>(f), ...);
  }(std::make_integer_sequence<int, Steps>{});
}

/// Calls factor(group, z), which returns an info, for each problem as in for_each_problem, and
/// stores the infos.
template <int Size, bool Interleaved, class Op, class T, Level L, class Info, class F>
KOKKOS_FORCEINLINE_FUNCTION bool factor_each_problem(const L& level, int problems, const Info& info,
                                                     FirstInfo& mine, const F& factor) {
  return for_each_problem<Size, Interleaved>(
      level, problems, [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
        const int found = factor(group, z);
        if (z >= 0 && group.lane == 0) {
          put_info<Op, T>(info, z, 0, found);
          mine.offer(z, found);
        }
      });
}

/// Selects one of two values. A conditional expression of two elements of a tile would select
/// between their addresses, and keep the tile in memory.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T choose(bool condition, const T x, const T y) {
  return condition ? x : y;
}

/// A matrix of N rows and Cols columns, distributed over a group. tile[r][c] has row r * grid.rows
/// + row() and column c * grid.cols + col(). UnitRows: neighbours in a column are neighbours in
/// memory.
template <class Of, class T, int N, bool UnitRows, LaneGrid Grid = lane_grid(N, UnitRows),
          int Cols = N>
struct LaneMatrix {
  using Machine = Of;
  using value_type = T;
  static constexpr int n = N;
  static constexpr int cols = Cols;
  static constexpr LaneGrid grid = Grid;
  static constexpr int lanes = grid.size();
  /// The number of elements that a lane has of a vector with an element for each row or column.
  static constexpr int per_lane = ((N > Cols ? N : Cols) + lanes - 1) / lanes;
  static constexpr int tile_rows = (N + grid.rows - 1) / grid.rows;
  static constexpr int tile_cols = (Cols + grid.cols - 1) / grid.cols;

  const LaneGroup<Machine>& group;
  T tile[tile_rows][tile_cols];

  KOKKOS_FORCEINLINE_FUNCTION int row() const {
    if constexpr (grid.rows == 1) return 0;  // in a lane without a group, too
    return UnitRows ? group.lane % grid.rows : group.lane / grid.cols;
  }
  KOKKOS_FORCEINLINE_FUNCTION int col() const {
    if constexpr (grid.cols == 1) return 0;
    return UnitRows ? group.lane / grid.rows : group.lane % grid.cols;
  }
  /// Whether row i of the distributed rows exists. There is no test if each lane has the same
  /// number of them.
  KOKKOS_FORCEINLINE_FUNCTION static bool has_row(int i) { return N % grid.rows == 0 || i < N; }
  KOKKOS_FORCEINLINE_FUNCTION static bool has_col(int j) {
    return Cols % grid.cols == 0 || j < Cols;
  }
  /// The first r for which a lane may have a row after row p. Earlier rows of lanes are not to be
  /// read.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int first_row_behind(int p) {
    return p + 1 < N ? (p + 1) / grid.rows : tile_rows;
  }
  KOKKOS_FORCEINLINE_FUNCTION static int lane_at(int grid_row, int grid_col) {
    return UnitRows ? grid_col * grid.rows + grid_row : grid_row * grid.cols + grid_col;
  }
  /// The element of row i and column j.
  KOKKOS_FORCEINLINE_FUNCTION T get(int i, int j) const {
    return from_lane(tile[i / grid.rows][j / grid.cols], i % grid.rows, j % grid.cols);
  }
  /// The value of x in the lane at this position of the grid, which is the same in all lanes.
  KOKKOS_FORCEINLINE_FUNCTION T from_lane(const T& x, int grid_row, int grid_col) const {
    const int lane = lane_at(grid_row, grid_col);
    return group.template from_neighbour<lanes>(x, lane, lane);
  }
  /// The value of x in the lane of this row of the grid, or of this column.
  KOKKOS_FORCEINLINE_FUNCTION T from_row(const T& x, int grid_col) const {
    const int lane = lane_at(row(), grid_col);
    if constexpr (UnitRows) return group.from(x, lane);
    return group.template from_neighbour<grid.cols>(x, grid_col, lane);
  }
  KOKKOS_FORCEINLINE_FUNCTION T from_col(const T& x, int grid_row) const {
    const int lane = lane_at(grid_row, col());
    if constexpr (!UnitRows) return group.from(x, lane);
    return group.template from_neighbour<grid.rows>(x, grid_row, lane);
  }
  /// The element in this lane's row number r and in column j.
  KOKKOS_FORCEINLINE_FUNCTION T get_in_row(int r, int j) const {
    if constexpr (grid.cols == 1) return tile[r][j];
    return from_row(tile[r][j / grid.cols], j % grid.cols);
  }
  /// The element in row i and in this lane's column number c.
  KOKKOS_FORCEINLINE_FUNCTION T get_in_col(int i, int c) const {
    if constexpr (grid.rows == 1) return tile[i][c];
    return from_col(tile[i / grid.rows][c], i % grid.rows);
  }
  /// The sum of x over the lanes that have the same rows, in all of them.
  KOKKOS_FORCEINLINE_FUNCTION T sum_over_cols(T x) const {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int apart = grid.cols / 2; apart > 0; apart /= 2) {
      x = x + group.from_opposite(x, UnitRows ? apart * grid.rows : apart);
    }
    return x;
  }
  /// The sum of x over the lanes that have the same columns, in all of them.
  KOKKOS_FORCEINLINE_FUNCTION T sum_over_rows(T x) const {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int apart = grid.rows / 2; apart > 0; apart /= 2) {
      x = x + group.from_opposite(x, UnitRows ? apart : apart * grid.cols);
    }
    return x;
  }
  /// Calls f(r, i) for the rows of the lanes in the first column of the grid.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_rows(const F& f) {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < tile_rows; ++r) {
      const int i = r * grid.rows + row();
      if (col() == 0 && has_row(i)) f(r, i);
    }
  }
  /// Calls f(element, i, j) for this lane's elements on and below the diagonal.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_lower(const F& f) {
    for_each_step<tile_rows>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int r = step.value;
      constexpr int last = r * grid.rows + grid.rows - 1;
      constexpr int end = last / grid.cols < tile_cols ? last / grid.cols + 1 : tile_cols;
      const int i = r * grid.rows + row();
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = 0; c < end; ++c) {
        const int j = c * grid.cols + col();
        if (has_row(i) && (c * grid.cols + grid.cols - 1 <= r * grid.rows || i >= j)) {
          f(tile[r][c], i, j);
        }
      }
    });
  }
  /// Calls f(element, r, i) for this lane's diagonal elements, in its row number r. The grid is
  /// square, or lanes have whole rows. With whole rows, i may be out of bounds in a lane's last
  /// row.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_diagonal(const F& f) {
    static_assert(n <= cols && (grid.cols == 1 || grid.rows == grid.cols));
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int first = 0; first < n; first += grid.rows) {
      const int r = first / grid.rows;
      const int i = first + row();
      if constexpr (grid.cols == 1) {
        T d = tile[r][first];
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int k = 1; k < grid.rows; ++k) {
          if (first + k < n) d = choose(k == row(), tile[r][first + k], d);
        }
        f(d, r, i);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int k = 0; k < grid.rows; ++k) {
          if (first + k < n) tile[r][first + k] = choose(k == row(), d, tile[r][first + k]);
        }
      } else if (row() == col() && has_row(i)) {
        f(tile[r][r], r, i);
      }
    }
  }
  /// Calls f(element, i, j) for a few elements of this lane, which include all its diagonal
  /// elements.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_some_with_diagonal(const F& f) {
    // A lane has at most one of each `step` consecutive diagonal elements.
    constexpr int step = grid.rows < grid.cols ? grid.rows : grid.cols;
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int first = 0; first < n; first += step) {
      const int r = first / grid.rows;
      const int c = first / grid.cols;
      f(tile[r][c], r * grid.rows + row(), c * grid.cols + col());
    }
  }
  /// Calls f(element, i, j) for this lane's elements.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_tile(const F& f) {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < tile_rows; ++r) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = 0; c < tile_cols; ++c) {
        const int i = r * grid.rows + row();
        const int j = c * grid.cols + col();
        if (has_row(i) && has_col(j)) f(tile[r][c], i, j);
      }
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
