// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_CHOOSE_HPP
#define KOKKOSCONTRACT_DENSE_CHOOSE_HPP

// How a dense routine is done: the one table, first match wins. It knows everything and does
// nothing. Routines read it at compile time, and team_policy for the extents of its operands.
//
//   who              when                                                        way
//   a GPU's workers  a batch in scratch memory, up to 12 static rows; a          thread
//                    factorisation without pivots or a solve
//   a GPU's workers  up to 32 static rows (and columns, where these matter)      lanes, and which
//   several workers  LU, maybe of more rows and columns than lanes hold          blocks
//   anyone           else: rows or columns, by how many workers, problems and    memory
//                    columns there are at run time
//
// In a pack each of a GPU's lanes is a problem, so that packs have no lanes of their own.

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
  gesv,      ///< the same, with right-hand sides
  triangle,  ///< in place: Potrf, Trtri
  qr,        ///< reflectors of columns; a right-hand side is one more of them
  solve,     ///< with a triangle
  factors,   ///< with both triangles of LU
  adjoint,   ///< with a triangle and its adjoint
  multiply   ///< by a triangle
};

enum class DenseWay { thread, lanes, blocks, memory };

/// What the choice depends on.
struct DenseCase {
  DenseRoutine routine{};
  std::ptrdiff_t rows = dynamic;  ///< of the matrix, where they are static
  std::ptrdiff_t cols = dynamic;
  bool one_column = false;   ///< one right-hand side
  bool lanes_of_gpu = true;  ///< the workers are a GPU's
  bool packs = false;
  bool batch = true;
  bool unit_rows = false;    ///< neighbours in a column are so in memory
  bool interleaved = false;  ///< and so are neighbouring problems
  bool in_scratch = false;
};

struct DenseChoice {
  DenseWay way = DenseWay::memory;
  LaneGrid grid{1, 1};  ///< of the lanes
};

/// For the factors of LU and one right-hand side: whole rows of large matrices, so that nothing is
/// to be added over lanes, or only for the adjoint of a triangle, unless their elements would be in
/// one bank.
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
      // Of many right-hand sides each lane has some.
      if (of.one_column) return factors_grid(n, of);
      break;
    default:
      break;
  }
  return lane_grid(n, of.unit_rows, of.interleaved);
}

// --- The table ----------------------------------------------------------------------------------

KOKKOS_FUNCTION constexpr DenseChoice choose(const DenseCase& of) {
  using R = DenseRoutine;
  const auto is_small = [](std::ptrdiff_t extent) { return extent > 0 && extent <= most_rows; };
  const auto may_be_large = [](std::ptrdiff_t extent) {
    return extent == dynamic || extent > most_rows;
  };
  if (of.lanes_of_gpu && !of.packs) {
    // Lanes would touch elements that are far apart.
    const bool by_threads =
        of.batch && of.in_scratch && of.rows > 0 && of.rows <= most_rows_of_thread;
    const bool solves_one = of.routine == R::factors || of.routine == R::adjoint;
    if (by_threads &&
        (of.routine == R::lu || of.routine == R::solve || (solves_one && of.one_column))) {
      return {DenseWay::thread, {1, 1}};
    }
    if (is_small(of.rows) && (of.routine != R::qr || is_small(of.cols))) {
      return {DenseWay::lanes, grid_of(of)};
    }
  }
  if (of.routine == R::lu && !of.packs && may_be_large(of.rows) && may_be_large(of.cols)) {
    return {DenseWay::blocks, {1, 1}};
  }
  return {};
}

/// For matrices A, which are Matrix types, and right-hand sides B, at level L.
template <DenseRoutine R, class L, class A, class B = A, bool OneColumn = B::is_vector>
inline constexpr DenseChoice dense_choice =
    choose({R, A::static_rows, A::static_cols, OneColumn, has_warps<L>,
            is_pack<typename A::value_type> || is_pack<typename B::value_type>, A::is_batch,
            A::unit_rows, B::is_interleaved, A::of_scratch});

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
