// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_BLOCKLU_HPP
#define KOKKOSCONTRACT_DENSE_BLOCKLU_HPP

// LU without pivoting, by several workers, of matrices too large for the registers of a warp. It is
// right-looking, in panels of columns, and each panel in blocks of B. Each worker factors the
// square of a block in its own registers, so that no worker waits for it. It then applies the
// factors to rows below the square and to columns of the panel after it. Then all workers subtract
// the product of these from the rest of the panel. After a panel, its rows of U are solved for, and
// the product of the whole panel is subtracted. So the rest of the matrix is read and written once
// per panel.

#include <KokkosContract/dense/Gemm.hpp>
#include <KokkosContract/operand/Matrix.hpp>
#include <KokkosContract/product/Contract.hpp>
#include <KokkosContract/product/WarpLoop.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A square of `count` rows at row and column p of problem z, extended by the identity; later its
/// factors.
template <class A, class Acc, int B>
struct SquareFactors {
  const A& a;
  int z, p, count;
  Acc x[B][B];
  Acc reciprocal[B];

  using T = typename A::value_type;

  KOKKOS_FORCEINLINE_FUNCTION SquareFactors(const A& matrix, int problem, int first, int rows)
      : a(matrix), z(problem), p(first), count(rows) {
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < B; ++c) {
        x[r][c] = r < count && c < count ? convert<Acc>(a(z, p + r, p + c))
                                         : Acc(real_t<Acc>(r == c ? 1 : 0));
      }
    }
  }

  /// Factors the square. Returns false if the reciprocal of a pivot is not usable.
  KOKKOS_FORCEINLINE_FUNCTION bool factor(const Acc& tiny) {
    bool exact = true;
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < B; ++q) {
      if (!is_zero(tiny)) x[q][q] = push_from_zero(x[q][q], tiny);
      reciprocal[q] = short_reciprocal(x[q][q], exact);
      KOKKOSCONTRACT_UNROLL
      for (int r = q + 1; r < B; ++r) {
        x[r][q] = x[r][q] * reciprocal[q];
        KOKKOSCONTRACT_UNROLL
        for (int c = q + 1; c < B; ++c) x[r][c] = x[r][c] - x[r][q] * x[q][c];
      }
    }
    return exact;
  }

  /// Computes the multipliers of row i, below the square.
  KOKKOS_FORCEINLINE_FUNCTION void take_row(int i) const {
    Acc row[B];
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < B; ++c) row[c] = c < count ? convert<Acc>(a(z, i, p + c)) : Acc(0);
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < B; ++q) {
      row[q] = row[q] * reciprocal[q];
      KOKKOSCONTRACT_UNROLL
      for (int c = q + 1; c < B; ++c) row[c] = row[c] - row[q] * x[q][c];
      if (q < count) a(z, i, p + q) = convert<T>(row[q]);
    }
  }

  /// Computes the rows of U in column j, after the square.
  KOKKOS_FORCEINLINE_FUNCTION void take_column(int j) const {
    Acc column[B];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) column[r] = r < count ? convert<Acc>(a(z, p + r, j)) : Acc(0);
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < B; ++q) {
      KOKKOSCONTRACT_UNROLL
      for (int r = q + 1; r < B; ++r) column[r] = column[r] - x[r][q] * column[q];
      if (q > 0 && q < count) a(z, p + q, j) = convert<T>(column[q]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store() const {
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < B; ++c) {
        if (r < count && c < count) a(z, p + r, p + c) = convert<T>(x[r][c]);
      }
    }
  }
};

/// A part of a matrix, as an operand with the static strides of the matrix. Indices that run
/// backwards in the matrix run forwards in the operand.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto part_of(const A& a, int z, int i, int i_end, int j, int j_end) {
  const int extents[] = {i_end - i, j_end - j};
  const std::ptrdiff_t strides[] = {a.a.template stride<A::row_dimension>(),
                                    a.a.template stride<A::col_dimension>()};
  using Element = std::remove_reference_t<decltype(a(z, i, j))>;
  return strided_t<Element, StaticShape<2>{{dynamic, dynamic}, {A::row_stride, A::col_stride}}>(
      &a(z, A::reverses_rows ? i_end - 1 : i, A::reverses_cols ? j_end - 1 : j), extents, strides);
}

/// The operands of a product: rows and columns first to last - 1, which have their factors, and the
/// rest. The rest is rows from `row` on, in columns col to end - 1.
struct Rest {
  int first, last;
  int row;
  int col, end;
};

/// A factor of one of the library's own products. Registers of complex numbers take no constants.
template <class Acc, int Value>
KOKKOS_FORCEINLINE_FUNCTION auto own_factor() {
  if constexpr (is_complex<Acc>) {
    return real_t<Acc>(Value);
  } else {
    return Constant<Value>{};
  }
}

/// The elements of an update of LU: C_ij -= sum_k X_ik Y_kj, all in one matrix.
template <class A>
struct UpdateOfLU {
  const A& a;
  KOKKOS_FORCEINLINE_FUNCTION auto y(int z, int k, int j) const { return a(z, k, j); }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool has(int, int) { return true; }
};

/// A block of the rest for the main loop of a warp: the columns with multipliers, negated, and the
/// rows that they are multiplied by. It begins at row i0 and column j0. The update has the elements
/// of Y, and says which elements of C there are: if not all, those on and below the diagonal.
template <class Atom, class Update>
struct BlockOfRest {
  using T = typename Atom::Acc;
  const Update& update;
  const Rest& rest;
  int z, i0, j0;
  AtomLane<Atom> lane;

  /// The first term of a round.
  KOKKOS_FORCEINLINE_FUNCTION int terms(int round) const { return rest.first + round * Atom::k; }

  KOKKOS_FORCEINLINE_FUNCTION void load_x(T (&x)[1][Atom::x_each], int p, int, int i) const {
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < Atom::x_each; ++r) {
      const int row = i0 + lane.x_row(r) + i * Atom::m;
      x[0][r] = has_terms(p) && has_row(row) ? -update.a(z, row, p + lane.x_term(r)) : T(0);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_y(T (&y)[1][Atom::y_each], int p, int, int j) const {
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < Atom::y_each; ++r) {
      const int col = j0 + j * Atom::n + lane.y_col(r);
      y[0][r] = has_terms(p) && has_col(col) ? update.y(z, p + lane.y_term(r), col) : T(0);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION bool has_terms(int p) const { return p < rest.last; }
  KOKKOS_FORCEINLINE_FUNCTION bool has_row(int i) const { return i < update.a.rows(); }
  KOKKOS_FORCEINLINE_FUNCTION bool has_col(int j) const { return j < rest.end; }
  KOKKOS_FORCEINLINE_FUNCTION bool has(int i, int j) const {
    return has_row(i) && has_col(j) && update.has(i, j);
  }

  /// Calls f(sum, i, j) for the sums of this lane, at row i and column j of A.
  template <class Sums, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_sums(Sums& sums, const F& f) const {
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < static_cast<int>(std::extent_v<Sums, 1>); ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < static_cast<int>(std::extent_v<Sums, 2>); ++j) {
        KOKKOSCONTRACT_UNROLL
        for (int r = 0; r < Atom::sum_each; ++r) {
          f(sums[0][i][j][r], i0 + lane.sum_row(r) + i * Atom::m,
            j0 + j * Atom::n + lane.sum_col(r));
        }
      }
    }
  }
};

/// Subtracts by the MMA instructions of a warp, in blocks of 2 x 4 tiles. A lane loads all elements
/// that it needs of a block before it stores any of the block.
template <class Machine, class Atom, int B, class Update>
KOKKOS_FORCEINLINE_FUNCTION void subtract_by_atoms(const Warps& warps, const Update& update, int z,
                                                   const Rest& rest) {
  using T = typename Atom::Acc;
  static_assert(B % Atom::k == 0);
  constexpr WarpShape shape{.height = 2, .width = 4, .chunk = B / Atom::k};
  constexpr int rows = shape.height * Atom::m;
  constexpr int cols = shape.width * Atom::n;
  using Loop = WarpLoop<Machine, Atom, shape>;
  const auto& a = update.a;
  const AtomLane<Atom> lane{Machine::lane_of_warp()};
  const int row_blocks = (a.rows() - rest.row + rows - 1) / rows;
  const int col_blocks = (rest.end - rest.col + cols - 1) / cols;
  KOKKOSCONTRACT_NO_UNROLL
  for (int u = warps.index; u < row_blocks * col_blocks; u += warps.count) {
    int row_block = u;
    const int j0 = rest.col + take_digit(row_block, col_blocks) * cols;
    const int i0 = rest.row + row_block * rows;
    if (!update.has(i0 + rows - 1, j0)) continue;
    const BlockOfRest<Atom, Update> block{update, rest, z, i0, j0, lane};
    typename Loop::Sums sums;
    block.for_sums(sums, [&](T& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      x = block.has(i, j) ? a(z, i, j) : T(0);
    });
    Loop::add(sums, block, (rest.last - rest.first) / Atom::k);
    block.for_sums(sums, [&](const T& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (block.has(i, j)) a(z, i, j) = x;
    });
  }
}

/// Subtracts like subtract_by_atoms, in tiles of 4 x 4 elements of a worker.
template <class Acc, Level L, class Update>
KOKKOS_FORCEINLINE_FUNCTION void subtract_by_tiles(const L& level, const Update& update, int z,
                                                   const Rest& rest) {
  constexpr int size = sizeof(Acc) > 8 ? 2 : 4;
  const auto& a = update.a;
  using T = typename std::remove_cvref_t<decltype(a)>::value_type;
  const int row_tiles = (a.rows() - rest.row + size - 1) / size;
  const int col_tiles = (rest.end - rest.col + size - 1) / size;
  for_each_pair(level, row_tiles, col_tiles, [&](int row, int col) KOKKOSCONTRACT_INLINE_LAMBDA {
    const int i0 = rest.row + row * size;
    const int j0 = rest.col + col * size;
    if (!update.has(i0 + size - 1, j0)) return;
    Acc sum[size][size];
    const auto for_sums = [&](const auto& f) KOKKOSCONTRACT_INLINE_LAMBDA {
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < size; ++i) {
        KOKKOSCONTRACT_UNROLL
        for (int j = 0; j < size; ++j) {
          const bool is_there =
              i0 + i < a.rows() && j0 + j < rest.end && update.has(i0 + i, j0 + j);
          if (is_there) f(sum[i][j], a(z, i0 + i, j0 + j));
        }
      }
    };
    for_sums([&](Acc& x, const T& c) KOKKOSCONTRACT_INLINE_LAMBDA { x = convert<Acc>(c); });
    KOKKOSCONTRACT_NO_UNROLL
    for (int k = rest.first; k < rest.last; ++k) {
      Acc x[size];
      Acc y[size];
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < size; ++i) {
        x[i] = convert<Acc>(a(z, i0 + i < a.rows() ? i0 + i : i0, k));
        y[i] = convert<Acc>(update.y(z, k, j0 + i < rest.end ? j0 + i : j0));
      }
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < size; ++i) {
        KOKKOSCONTRACT_UNROLL
        for (int j = 0; j < size; ++j) sum[i][j] = sum[i][j] - x[i] * y[j];
      }
    }
    for_sums([&](const Acc& x, T& c) KOKKOSCONTRACT_INLINE_LAMBDA { c = convert<T>(x); });
  });
}

/// Subtracts by atoms, or by tiles if the types have no atoms. It is a barrier of the group.
template <int B, class Group, class Update>
KOKKOS_FORCEINLINE_FUNCTION void subtract_in_group(const Group& group, const Update& update, int z,
                                                   const Rest& rest) {
  using T = typename std::remove_cvref_t<decltype(update.a)>::value_type;
  using Atom = atom_of_single_terms<level_atom_t<Group, T, T, T>>;
  if constexpr (is_atom<Atom>) {
    subtract_by_atoms<typename Group::Machine, Atom, B>(Warps{group.part, group.parts}, update, z,
                                                        rest);
  } else {
    subtract_by_tiles<accumulator_t<T>>(group, update, z, rest);
  }
  group.barrier();
}

/// Adds the product of X and Y, multiplied by a factor, to C. It is a barrier.
template <int Factor, Level L, class X, class Y, class C>
KOKKOS_FORCEINLINE_FUNCTION void add_product_of(const L& level, const X& x, const Y& y,
                                                const C& c) {
  using Acc = accumulator_t<std::remove_const_t<typename C::value_type>>;
  constexpr ProductLabels labels{matrix_labels<Trans::NoTranspose>(false, 'i', 'k'),
                                 matrix_labels<Trans::NoTranspose>(false, 'k', 'j'),
                                 matrix_labels<Trans::NoTranspose>(false, 'i', 'j')};
  contract_labels<labels>(level, x, y,
                          Update{own_factor<Acc, Factor>(), own_factor<Acc, 1>(), c, NoEpilogue{}});
}

/// Subtracts the product of columns and rows first to last - 1 from the rest. It is a barrier.
template <int B, Level L, class A>
KOKKOS_FORCEINLINE_FUNCTION void subtract_product(const L& level, const A& a, int z,
                                                  const Rest& rest) {
  using T = typename A::value_type;
  using Atom = atom_of_single_terms<level_atom_t<L, T, T, T>>;
  if constexpr (has_warps<L> && is_atom<Atom>) {
    const Warps warps = warps_of(level);
    if (warps.count > 0) {
      subtract_by_atoms<level_machine_t<L>, Atom, B>(warps, UpdateOfLU<A>{a}, z, rest);
      level.barrier();
      return;
    }
  }
  add_product_of<-1>(InPlaceLevel<L>{level},
                     part_of(a, z, rest.row, a.rows(), rest.first, rest.last),
                     part_of(a, z, rest.first, rest.last, rest.col, rest.end),
                     part_of(a, z, rest.row, a.rows(), rest.col, rest.end));
}

/// Computes rows first to last - 1 of U in column j, by the multipliers before it in these rows.
/// The rows are whole blocks of B.
template <int B, class A, class Acc = accumulator_t<typename A::value_type>>
KOKKOS_FORCEINLINE_FUNCTION void solve_for_column(const A& a, int z, int first, int last, int j) {
  KOKKOSCONTRACT_NO_UNROLL
  for (int p = first; p < last; p += B) {
    Acc column[B];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) column[r] = convert<Acc>(a(z, p + r, j));
    KOKKOSCONTRACT_NO_UNROLL
    for (int q = first; q < p; ++q) {
      const Acc x = convert<Acc>(a(z, q, j));
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < B; ++r) column[r] = column[r] - convert<Acc>(a(z, p + r, q)) * x;
    }
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < B; ++q) {
      KOKKOSCONTRACT_UNROLL
      for (int r = q + 1; r < B; ++r) {
        column[r] = column[r] - convert<Acc>(a(z, p + r, p + q)) * column[q];
      }
      a(z, p + q, j) = convert<typename A::value_type>(column[q]);
    }
  }
}

/// Factors problem z of A. without_reciprocals(first, last, end) eliminates with these rows in
/// columns up to `end` if the reciprocals are not usable, and makes the result visible to all
/// workers. Returns whether no pivot can be zero.
template <int B, Level L, class A, class Acc, class F>
KOKKOS_FORCEINLINE_FUNCTION bool factor_blocks(const L& level, const A& a, int z, const Acc& tiny,
                                               const F& without_reciprocals) {
  constexpr int blocks_of_panel = 4;
  const int steps = a.rows() < a.cols() ? a.rows() : a.cols();
  bool nonsingular = true;
  KOKKOSCONTRACT_NO_UNROLL
  for (int first = 0; first < steps; first += blocks_of_panel * B) {
    const int full = first + blocks_of_panel * B;
    const int last = full < steps ? full : steps;
    // The last panel is followed by no columns whose update could be postponed.
    const int end = full < a.cols() && full < a.rows() ? full : a.cols();
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = first; p < last; p += B) {
      const int count = last - p < B ? last - p : B;
      const int next = p + count;
      const int below = a.rows() - next;
      const int behind = end - next;
      SquareFactors<A, Acc, B> square(a, z, p, count);
      const bool exact = !for_any_team(level, !square.factor(tiny));
      if (exact) {
        for_each(level, below + behind, [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
          const int at = static_cast<int>(t);
          if (at < below) {
            square.take_row(next + at);
          } else {
            square.take_column(next + at - below);
          }
        });
      }
      level.barrier();  // all workers have read the square
      if (!exact) {
        nonsingular = false;
        without_reciprocals(p, next, end);
        continue;
      }
      // The last worker stores the square, because the first ones have more rows and columns.
      if (level.rank() == level.size() - 1) square.store();
      if (below > 0 && behind > 0) {
        subtract_product<B>(level, a, z, Rest{p, next, next, next, end});
      } else {
        level.barrier();
      }
    }
    if (end < a.cols()) {  // so the panel is full
      for_each(level, a.cols() - end, [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
        solve_for_column<B>(a, z, first, last, end + static_cast<int>(t));
      });
      level.barrier();
      subtract_product<B>(level, a, z, Rest{first, last, last, end, a.cols()});
    }
  }
  return nonsingular;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
