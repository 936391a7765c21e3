// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_TILEDCHOLESKY_HPP
#define KOKKOSCONTRACT_DENSE_TILEDCHOLESKY_HPP

// Cholesky of doubles in the registers of one warp, as the accumulators of MMA instructions: tiles
// of 8 x 8 on and below the diagonal. Lane l has elements (l / 4, 2 (l % 4)) and (l / 4, 2 (l % 4)
// + 1) of each tile. An update C_ik -= X_i X_k^T needs no data of other lanes: register r of X_i
// and of X_k are the inputs of an instruction whose terms are the four columns 2 q + r. A sum may
// have its terms in any order.

#include <KokkosContract/dense/CholeskyFactor.hpp>
#include <KokkosContract/dense/WarpRows.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A matrix of N rows, as tiles. It is extended by the identity.
template <class Machine, int N>
struct TiledCholesky {
  using Atom = Mma8x8x4;
  static constexpr int size = 8;
  static constexpr int tiles = (N + size - 1) / size;

  double tile[tiles * (tiles + 1) / 2][2];
  /// The factor of the current square for the tiles below it: elements L_cq of this lane's two
  /// columns c > q, and the reciprocals of its two diagonal elements. A column that failed has
  /// NaN, which must not get into those before it.
  double square[size][2];
  double reciprocal[2];

  static KOKKOS_FORCEINLINE_FUNCTION constexpr int number(int i, int j) {
    return i * (i + 1) / 2 + j;
  }
  static KOKKOS_FORCEINLINE_FUNCTION int row() { return Machine::lane_of_warp() / 4; }
  static KOKKOS_FORCEINLINE_FUNCTION int quad() { return Machine::lane_of_warp() % 4; }
  static KOKKOS_FORCEINLINE_FUNCTION double from_lane(double x, int lane) {
    return Machine::shuffle(whole_warp<Machine>, x, lane);
  }
  /// The value of x in lane number `lane` of the four that have the same row.
  static KOKKOS_FORCEINLINE_FUNCTION double from_quad(double x, int lane) {
    return Machine::template shuffle<4>(whole_warp<Machine>, x, lane);
  }

  /// Calls f(x, i, j) for this lane's elements.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_elements(const F& f) {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int i = 0; i < tiles; ++i) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int j = 0; j <= i; ++j) {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int r = 0; r < 2; ++r) {
          f(tile[number(i, j)][r], i * size + row(), j * size + 2 * quad() + r);
        }
      }
    }
  }

  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void load(const A& a, int z) {
    for_elements([&](double& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      x = i == j ? 1 : 0;
      if (i < N && j <= i) x = a(z, i, j);
    });
  }

  /// Stores the factor, with the roots of its diagonal.
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void store(const A& a, int z) {
    for_elements([&](double& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (i == j) x = CholeskyFactor<A, double>::root_if_positive(x);
      if (i < N && j <= i) a(z, i, j) = x;
    });
  }

  /// Factors it. The diagonal gets no roots. Returns the 1-based index of its first element that is
  /// not positive, or 0. `exact` becomes false if the reciprocal of a root is not usable.
  KOKKOS_FORCEINLINE_FUNCTION int factor(bool& exact) {
    int failed = 0;
    for_each_step<tiles>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int j = decltype(step)::value;
      factor_square(tile[number(j, j)], j * size, failed, exact);
      solve_below<j>();
      update_behind<j>();
    });
    return failed;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void factor_square(double (&x)[2], int first, int& failed,
                                                 bool& exact) {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int q = 0; q < size; ++q) {
      const double d = from_lane(x[q % 2], q * 4 + q / 2);
      const double factor = inverse_root_of_diagonal(d, first + q, failed, exact);
      if (quad() == q / 2) reciprocal[q % 2] = factor;
      const double own = from_quad(x[q % 2], q / 2) * factor;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = 0; r < 2; ++r) {
        square[q][r] = from_lane(x[q % 2], (2 * quad() + r) * 4 + q / 2) * factor;
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = 0; r < 2; ++r) {
        if (2 * quad() + r > q) x[r] = x[r] - own * square[q][r];
        if (row() > q && 2 * quad() + r == q) x[r] = own;
      }
    }
  }

  /// Solves X L^T = A, by columns, in the tiles below square J.
  template <int J>
  KOKKOS_FORCEINLINE_FUNCTION void solve_below() {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int q = 0; q < size; ++q) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = J + 1; i < tiles; ++i) {
        double (&x)[2] = tile[number(i, J)];
        const double solution = from_quad(x[q % 2] * reciprocal[q % 2], q / 2);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int r = 0; r < 2; ++r) {
          if (2 * quad() + r > q) x[r] = x[r] - solution * square[q][r];
          if (2 * quad() + r == q) x[r] = solution;
        }
      }
    }
  }

  template <int J>
  KOKKOS_FORCEINLINE_FUNCTION void update_behind() {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int i = J + 1; i < tiles; ++i) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = 0; r < 2; ++r) {
        const double x[1] = {-tile[number(i, J)][r]};
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int k = J + 1; k <= i; ++k) {
          const double y[1] = {tile[number(k, J)][r]};
          Machine::multiply_add(Atom{}, tile[number(i, k)], x, y);
        }
      }
    }
  }
};

/// Factors all problems, each in one warp. Returns false, and does nothing, if there are no whole
/// warps, or the matrices are too large or no doubles. `failed` is set in the workers that found an
/// element of a diagonal that is not positive.
template <Level L, class A, class Acc>
KOKKOS_FORCEINLINE_FUNCTION bool factor_in_tiles(const L& level,
                                                 const CholeskyFactor<A, Acc>& cholesky,
                                                 bool& failed) {
  constexpr int n = static_cast<int>(A::static_rows);
  using T = typename A::value_type;
  if constexpr (n > most_rows && n <= most_rows_of_tiled_cholesky &&
                std::is_same_v<level_atom_t<L, T, T, T>, Mma8x8x4>) {
    return for_each_problem_of_warps(
        level, cholesky.a.batch(), n, [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
          if (group.part != 0) return;
          TiledCholesky<level_machine_t<L>, n> matrix;
          matrix.load(cholesky.a, z);
          bool exact = true;
          const int info = matrix.factor(exact);
          if (info != 0) failed = true;
          using M = level_machine_t<L>;
          M::warp_barrier(whole_warp<M>);  // one lane may overwrite what others have loaded
          if (exact) {
            matrix.store(cholesky.a, z);
          } else if (group.rank() == 0 && cholesky.factor_by_columns(z) != 0) {
            failed = true;
          }
        });
  } else {
    return false;
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
