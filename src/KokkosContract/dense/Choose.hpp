// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_CHOOSE_HPP
#define KOKKOSCONTRACT_DENSE_CHOOSE_HPP

// The choice of the algorithm that runs a dense routine. Each algorithm is one type, and the first
// one of the list that fits is taken. Routines ask the list at compile time, and team_policy asks
// it for the extents of its operands. An algorithm provides:
//
//   way       its name; a routine has its code for each
//   fits(of)  whether it can take a case
//   grid(of)  the lanes that hold a matrix together

#include <KokkosContract/core/Scalar.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/operand/Matrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

enum class DenseRoutine {
  lu,        ///< also with one right-hand side
  getrf,     ///< LU with pivots
  gesv,      ///< LU with pivots, with right-hand sides
  triangle,  ///< in place: Potrf
  inverse,   ///< of a triangle, in place
  qr,        ///< reflectors of columns; a right-hand side is one more column
  solve,     ///< with a triangle
  factors,   ///< with both triangles of LU
  adjoint,   ///< with a triangle and its adjoint
  multiply   ///< by a triangle
};

enum class DenseWay { thread, lanes, blocks, halves, panels, memory };

/// The facts on which the choice depends.
struct DenseCase {
  DenseRoutine routine{};
  std::ptrdiff_t rows = dynamic;  ///< rows of the matrix, if they are static
  std::ptrdiff_t cols = dynamic;
  bool one_column = false;   ///< one right-hand side
  bool lanes_of_gpu = true;  ///< the workers are those of a GPU
  bool packs = false;
  bool batch = true;
  bool unit_rows = false;    ///< neighbours in a column are neighbours in memory
  bool interleaved = false;  ///< neighbouring problems are neighbours in memory
  bool in_scratch = false;
  bool one_of_host = false;  ///< one worker, of a host
};

struct DenseChoice {
  DenseWay way = DenseWay::memory;
  LaneGrid grid{1, 1};  ///< grid of the lanes
};

/// The grid for the factors of LU and one right-hand side. Lanes have whole rows of large matrices,
/// so that sums are added across lanes for the adjoint of a triangle only, or not at all. Whole
/// rows are not used if their elements would be in one bank.
KOKKOS_FUNCTION constexpr LaneGrid factors_grid(int n, const DenseCase& of) {
  const bool whole_rows = !of.in_scratch && !of.interleaved;
  if (of.routine == DenseRoutine::adjoint && whole_rows && n > 8 && n <= 16) {
    return triangle_grid(n);
  }
  if (of.routine == DenseRoutine::factors && whole_rows && n >= least_rows_of_factors) {
    return factors_grid(n);
  }
  return vector_grid(n, of.unit_rows, of.interleaved);
}

KOKKOS_FUNCTION constexpr LaneGrid grid_of(const DenseCase& of) {
  const int n = static_cast<int>(of.rows);
  switch (of.routine) {
    case DenseRoutine::triangle:
    case DenseRoutine::inverse:
      return triangle_grid(n);
    case DenseRoutine::qr:
      return column_grid(n, of.unit_rows);
    case DenseRoutine::getrf:
      return pivot_grid(n, of.unit_rows, false);
    case DenseRoutine::gesv:
      return pivot_grid(n, of.unit_rows, of.one_column);
    case DenseRoutine::solve:
    case DenseRoutine::factors:
    case DenseRoutine::adjoint:
      // With many right-hand sides, each lane has some of them.
      if (of.one_column) return factors_grid(n, of);
      break;
    default:
      break;
  }
  return lane_grid(n, of.unit_rows, of.interleaved);
}

// --- The algorithms -----------------------------------------------------------------------------

/// Whether lanes of a GPU may hold matrices. Each lane of a pack is a problem of a batch, so packs
/// have no lanes of their own.
KOKKOS_FUNCTION constexpr bool has_lanes(const DenseCase& of) {
  return of.lanes_of_gpu && !of.packs;
}

/// Whether an extent is, or may be, larger than a limit.
KOKKOS_FUNCTION constexpr bool is_more_than(int limit, std::ptrdiff_t extent) {
  return extent == dynamic || extent > limit;
}

/// One thread per problem of a batch in scratch memory. It is for factorisations without pivots,
/// and for solves, if lanes would touch elements that are far apart.
struct DenseByThread {
  static constexpr DenseWay way = DenseWay::thread;
  KOKKOS_FUNCTION static constexpr bool fits(const DenseCase& of) {
    using R = DenseRoutine;
    const bool solves_one = of.one_column && (of.routine == R::factors || of.routine == R::adjoint);
    return has_lanes(of) && of.batch && of.in_scratch && of.rows > 0 &&
           of.rows <= most_rows_of_thread &&
           (of.routine == R::lu || of.routine == R::solve || solves_one);
  }
  KOKKOS_FUNCTION static constexpr LaneGrid grid(const DenseCase&) { return {1, 1}; }
};

/// Lanes of a GPU hold a matrix of few static rows, and of few columns if these matter.
struct DenseByLanes {
  static constexpr DenseWay way = DenseWay::lanes;
  KOKKOS_FUNCTION static constexpr bool fits(const DenseCase& of) {
    return has_lanes(of) && is_small(of.rows) &&
           (of.routine != DenseRoutine::qr || is_small(of.cols));
  }
  KOKKOS_FUNCTION static constexpr LaneGrid grid(const DenseCase& of) { return grid_of(of); }

 private:
  KOKKOS_FUNCTION static constexpr bool is_small(std::ptrdiff_t extent) {
    return extent > 0 && extent <= most_rows;
  }
};

/// One worker of a host factors halves of the columns, or solves for halves of the rows, multiplies
/// or inverts them. The matrix may have more rows and columns than are processed at once.
struct DenseByHalves {
  static constexpr DenseWay way = DenseWay::halves;
  KOKKOS_FUNCTION static constexpr bool fits(const DenseCase& of) {
    using R = DenseRoutine;
    const bool factors = of.routine == R::lu || of.routine == R::getrf || of.routine == R::triangle;
    const bool solves = of.routine == R::solve && !of.one_column;
    const bool multiplies = of.routine == R::multiply || of.routine == R::inverse;
    const int limit = (multiplies ? least_static_rows_of_halves : least_static_steps_of_halves) - 1;
    return of.one_of_host && !of.packs && (factors || solves || multiplies) &&
           is_more_than(limit, of.rows) && is_more_than(limit, of.cols);
  }
  KOKKOS_FUNCTION static constexpr LaneGrid grid(const DenseCase&) { return {1, 1}; }
};

/// One worker of a host factors panels of columns, in QR, and applies the reflectors of each at
/// once.
struct DenseByPanels {
  static constexpr DenseWay way = DenseWay::panels;
  KOKKOS_FUNCTION static constexpr bool fits(const DenseCase& of) {
    constexpr int limit = qr_panels.least_steps_of_columns - 1;
    return of.one_of_host && !of.packs && of.routine == DenseRoutine::qr &&
           is_more_than(limit, of.rows) && is_more_than(limit, of.cols);
  }
  KOKKOS_FUNCTION static constexpr LaneGrid grid(const DenseCase&) { return {1, 1}; }
};

/// Several workers factor blocks of columns, in LU, and on a GPU in LU with pivots and Cholesky.
/// The matrix may have more rows and columns than lanes hold.
struct DenseByBlocks {
  static constexpr DenseWay way = DenseWay::blocks;
  KOKKOS_FUNCTION static constexpr bool fits(const DenseCase& of) {
    const bool by_warps = of.lanes_of_gpu && (of.routine == DenseRoutine::getrf ||
                                              of.routine == DenseRoutine::triangle);
    return (of.routine == DenseRoutine::lu || by_warps) && !of.packs &&
           is_more_than(most_rows, of.rows) && is_more_than(most_rows, of.cols);
  }
  KOKKOS_FUNCTION static constexpr LaneGrid grid(const DenseCase&) { return {1, 1}; }
};

/// All other cases, in memory: by rows or by columns. The numbers of workers, problems and columns
/// at run time determine which.
struct DenseInMemory {
  static constexpr DenseWay way = DenseWay::memory;
  KOKKOS_FUNCTION static constexpr bool fits(const DenseCase&) { return true; }
  KOKKOS_FUNCTION static constexpr LaneGrid grid(const DenseCase&) { return {1, 1}; }
};

template <class... Algorithms>
struct DenseAlgorithmList {
  /// The choice of the first algorithm that fits.
  KOKKOS_FUNCTION static constexpr DenseChoice choice(const DenseCase& of) {
    DenseChoice first{};
    static_cast<void>(
        ((Algorithms::fits(of) && is_set(first, {Algorithms::way, Algorithms::grid(of)})) || ...));
    return first;
  }

 private:
  KOKKOS_FUNCTION static constexpr bool is_set(DenseChoice& choice, const DenseChoice& value) {
    choice = value;
    return true;
  }
};
using DenseAlgorithms = DenseAlgorithmList<DenseByThread, DenseByLanes, DenseByHalves,
                                           DenseByPanels, DenseByBlocks, DenseInMemory>;

KOKKOS_FUNCTION constexpr DenseChoice choose(const DenseCase& of) {
  return DenseAlgorithms::choice(of);
}

/// The choice for matrices A, which are Matrix types, and right-hand sides B, at level L.
template <DenseRoutine R, class L, class A, class B = A, bool OneColumn = B::is_vector>
inline constexpr DenseChoice dense_choice = choose(
    {R, A::static_rows, A::static_cols, OneColumn, has_warps<L>,
     is_pack<typename A::value_type> || is_pack<typename B::value_type>, A::is_batch, A::unit_rows,
     B::is_interleaved, A::of_scratch, is_single_worker<L>() && !runs_on_gpu<L>()});

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
