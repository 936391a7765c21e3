// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_FACTORSOLVER_HPP
#define KOKKOSCONTRACT_DENSE_FACTORSOLVER_HPP

// Solves with both triangles of a factored matrix on a GPU, up to 32 static rows. The factors and
// the right-hand sides are in the registers of a few lanes of a warp. A batch of small factors in
// scratch memory with one right-hand side takes one lane per problem.

#include <KokkosContract/dense/Triangular.hpp>
#include <KokkosContract/lanes/InLanes.hpp>
#include <KokkosContract/lanes/LaneRows.hpp>
#include <KokkosContract/lanes/Solve.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A triangle of a factored matrix: the part Triangle of A, as a factor in op(A) x = b.
template <class Triangle, class TransA, class Diagonal>
struct TriangularFactor {
  static constexpr bool is_lower = std::is_same_v<Triangle, Uplo::Lower> != is_transposed<TransA>;
  static constexpr bool is_lower_of_matrix = std::is_same_v<Triangle, Uplo::Lower>;
  static constexpr bool is_unit = std::is_same_v<Diagonal, Diag::Unit>;
  static constexpr bool conjugates = is_conjugated<TransA>;
  /// The types of A and of right-hand sides for which the factor is a lower triangle.
  template <class OpA, bool Batch>
  using Factor = Matrix<OpA, Batch, is_transposed<TransA>, !is_lower, !is_lower>;
  template <class OpB, bool Batch>
  using RightHandSide = Matrix<OpB, Batch, false, !is_lower, false>;
};

/// Stands for the row interchanges of factors that have none.
struct NoInterchanges {
  static constexpr bool come_first = false;
  static constexpr bool come_last = false;
};

/// Solves with First, which is a lower triangle, and Second, which is an upper one. Rows:
/// interchanges of the right-hand sides before or after the solves.
template <class First, class Second, class OpA, bool ABatch, class OpB, bool Batch, class Rows>
struct FactorSolver {
  static_assert(First::is_lower && !Second::is_lower);
  /// Whether Second is the adjoint of First.
  static constexpr bool is_adjoint = First::is_lower_of_matrix == Second::is_lower_of_matrix;
  using Lower = typename First::template Factor<OpA, ABatch>;
  using Upper = typename Second::template Factor<OpA, ABatch>;
  using B = typename First::template RightHandSide<OpB, Batch>;
  using ReversedB = typename Second::template RightHandSide<OpB, Batch>;
  using T = typename B::value_type;
  using Acc = accumulator_t<typename Lower::value_type, T>;
  static constexpr int n = static_cast<int>(Lower::static_rows);
  /// The algorithm and the lanes for this number of columns.
  template <class L, bool OneColumn = B::is_vector>
  static constexpr DenseChoice choice = dense_choice < is_adjoint ? DenseRoutine::adjoint
                                                                  : DenseRoutine::factors,
                               L, Lower, B, OneColumn > ;

  Lower lower;
  Upper upper;
  B b;
  ReversedB reversed_b;
  const Rows& rows;

  KOKKOS_FUNCTION FactorSolver(const OpA& a, const OpB& rhs, const Rows& interchanges)
      : lower{a}, upper{a}, b{rhs}, reversed_b{rhs}, rows(interchanges) {}

  /// An element of the matrix that holds both triangles and the diagonal that is not all ones.
  KOKKOS_FORCEINLINE_FUNCTION Acc element(int z, int i, int j) const {
    const bool is_below = First::is_unit ? i > j : i >= j;
    const auto& x = is_below ? lower(z, i, j) : upper(z, n - 1 - i, n - 1 - j);
    const Acc value = convert<Acc>(x);
    if constexpr (First::conjugates == Second::conjugates) {
      return conjugate_if<First::conjugates>(value);
    } else {
      return is_below == First::conjugates ? conjugate_if<true>(value) : value;
    }
  }

  /// Solves for column j of problem z if the reciprocal of a pivot is not usable.
  KOKKOS_FORCEINLINE_FUNCTION void by_quotients(int z, int j) const {
    const Acc one(real_t<Acc>(1));
    if constexpr (Rows::come_first) rows.apply(b, z, j);
    LowerSolver<First::is_unit, First::conjugates, Lower, B, Acc>{lower, b, one}
        .column_by_quotients(z, j);
    LowerSolver<Second::is_unit, Second::conjugates, Upper, ReversedB, Acc>{upper, reversed_b, one}
        .column_by_quotients(z, j);
    if constexpr (Rows::come_last) rows.apply(b, z, j);
  }

  /// The rows from which the interchanges take rows first, first + Step, ...
  template <int Step, int Count>
  struct Sources {
    int from[Count];
    KOKKOS_FORCEINLINE_FUNCTION Sources(const Rows& rows, bool active, int z, int first) {
      if constexpr (Rows::come_first || Rows::come_last) {
        int with[n];
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int p = 0; p < n; ++p) with[p] = active ? rows.get(z, p) : p;
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int r = 0; r < Count; ++r) {
          int row = r * Step + first;
          // Interchanges after the row do not move it.
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int p = n - 1; p >= 0; --p) {
            if (p < (r + 1) * Step) row = row == p ? with[p] : (row == with[p] ? p : row);
          }
          from[r] = row;
        }
      }
    }
    /// The row of b that holds element r of the right-hand side, or of the solution.
    KOKKOS_FORCEINLINE_FUNCTION int right_hand_side(int r, int i) const {
      return Rows::come_first ? from[r] : i;
    }
    KOKKOS_FORCEINLINE_FUNCTION int solution(int r, int i) const {
      return Rows::come_last ? from[r] : i;
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION void in_thread(int z) const {
    const Sources<1, n> sources(rows, true, z, 0);
    Acc x[n];
    Acc reciprocal[n];
    bool exact = true;
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int i = 0; i < n; ++i) x[i] = convert<Acc>(b(z, sources.right_hand_side(i, i), 0));
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int i = 0; i < n; ++i) reciprocal[i] = short_reciprocal(element(z, i, i), exact);
    if (!exact) return by_quotients(z, 0);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int i = 0; i < n; ++i) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int p = 0; p < i; ++p) x[i] = x[i] - element(z, i, p) * x[p];
      if constexpr (!First::is_unit) x[i] = x[i] * reciprocal[i];
    }
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int i = n - 1; i >= 0; --i) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int p = n - 1; p > i; --p) x[i] = x[i] - element(z, i, p) * x[p];
      if constexpr (!Second::is_unit) x[i] = x[i] * reciprocal[i];
      b(z, sources.solution(i, i), 0) = convert<T>(x[i]);
    }
  }

  template <class M>
  KOKKOS_FORCEINLINE_FUNCTION void load(M& m, bool active, int z) const {
    if constexpr (M::grid.cols == 1) {
      const auto transform = [](const Acc& x) KOKKOSCONTRACT_INLINE_LAMBDA {
        return conjugate_if<First::conjugates>(x);
      };
      load_rows<n, is_adjoint>(m, lower, active ? z : -1, transform);
    } else {
      const auto load_one = [&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        if (active) x = element(z, i, j);
      };
      if constexpr (is_adjoint) {
        m.for_lower(load_one);
      } else {
        m.for_tile(load_one);
      }
    }
  }

  template <LaneGrid Grid>
  KOKKOS_FORCEINLINE_FUNCTION void vector_in_lanes(const auto& group, int z) const {
    using Of = typename std::remove_cvref_t<decltype(group)>::Machine;
    using M = LaneMatrix<Of, Acc, n, Lower::unit_rows, Grid>;
    using D1 = std::conditional_t<First::is_unit, Diag::Unit, Diag::NonUnit>;
    using D2 = std::conditional_t<Second::is_unit, Diag::Unit, Diag::NonUnit>;
    const bool active = z >= 0;
    M m{group, {}};
    load(m, active, z);
    const Sources<M::grid.rows, M::tile_rows> sources(rows, active, z, m.row());
    Acc x[M::tile_rows]{};
    m.for_rows([&](int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (active) x[r] = convert<Acc>(b(z, sources.right_hand_side(r, i), 0));
    });
    (void)compute_in_lanes<Exact::in_each_lane>(
        m, z,
        [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA {
          invert_diagonal(m, exact);
          solve_tiles<Uplo::Lower, D1>(m, x);
          if constexpr (is_adjoint) {
            solve_tiles_adjoint(m, x);
          } else {
            if (m.col() != 0) {
              for (Acc& value : x) value = Acc(0);
            }
            solve_tiles<Uplo::Upper, D2>(m, x);
          }
          return 0;
        },
        [&](bool stores) KOKKOSCONTRACT_INLINE_LAMBDA {
          m.for_rows([&](int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
            if (stores) b(z, sources.solution(r, i), 0) = convert<T>(x[r]);
          });
        },
        [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
          by_quotients(z, 0);
          return 0;
        });
  }

  /// Computes the solutions for right-hand sides start(z, i, j). If a reciprocal is not usable,
  /// in_memory(group, z, columns) does all of this. Returns false, and does nothing, if there are
  /// no lanes for it.
  template <Level L, class Start, class InMemory>
  KOKKOS_FORCEINLINE_FUNCTION bool columns_in_lanes(const L& level, const Start& start,
                                                    const InMemory& in_memory) const {
    constexpr LaneGrid grid = choice<L, false>.grid;
    using M = LaneMatrix<level_machine_t<L>, Acc, n, Lower::unit_rows, grid>;
    const bool done = for_each_block_of_columns<M, B::is_interleaved>(
        level, b.batch(), b.cols(),
        [&](const auto& group, int z, LaneColumns<M>& columns) KOKKOSCONTRACT_INLINE_LAMBDA {
          const bool active = columns.end > 0;
          M m{group, {}};
          load(m, active, z);
          const Sources<1, n> sources(rows, active, z, 0);
          columns.for_elements([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
            x = start(z, sources.right_hand_side(i, i), j);
          });
          compute_columns_in_lanes(
              m, columns,
              [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA {
                invert_diagonal(m, exact);
                columns.template solve<true, First::is_unit>(m);
                if constexpr (is_adjoint) {
                  columns.solve_adjoint(m);
                } else {
                  columns.template solve<false, Second::is_unit>(m);
                }
              },
              [&](const Acc& x, int i, int j)
                  KOKKOSCONTRACT_INLINE_LAMBDA { b(z, sources.solution(i, i), j) = convert<T>(x); },
              [&]() KOKKOSCONTRACT_INLINE_LAMBDA { in_memory(group, z, columns); });
        });
    if (done) level.barrier();
    return done;
  }

  /// Solves all systems. Returns false, and does nothing, if there are no lanes for it.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool solve(const L& level) const {
    bool done = true;
    if constexpr (choice<L>.way == DenseWay::thread) {
      for_each(level, b.batch(), [&](std::ptrdiff_t z) KOKKOSCONTRACT_INLINE_LAMBDA {
        in_thread(static_cast<int>(z));
      });
    } else if constexpr (B::is_vector) {
      constexpr LaneGrid grid = choice<L>.grid;
      done = for_each_problem<grid.size(), B::is_interleaved>(
          level, b.batch(), [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
            vector_in_lanes<grid>(group, z);
          });
    } else {
      return columns_in_lanes(
          level,
          [&](int z, int i, int j)
              KOKKOSCONTRACT_INLINE_LAMBDA { return convert<Acc>(b(z, i, j)); },
          [&](const auto&, int z, const auto& columns) KOKKOSCONTRACT_INLINE_LAMBDA {
            columns.for_columns([&](int j) KOKKOSCONTRACT_INLINE_LAMBDA { by_quotients(z, j); });
          });
    }
    if (done) level.barrier();
    return done;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
