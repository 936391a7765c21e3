// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_ELIMINATOR_HPP
#define KOKKOSCONTRACT_DENSE_ELIMINATOR_HPP

// LU without pivoting in memory, right-looking:
//
//   factor    one worker: blocks of rows in registers; on a host, of panels of a matrix that may be
//             large (HalvedLU.hpp)
//   by_rows   several workers: in step p the owner of a row below p eliminates in it with row p,
//             which is final. It touches no other row, so one barrier a step is enough
//   factor_blocks
//             several workers, and more rows and columns than a warp holds: BlockLU.hpp

#include <KokkosContract/dense/BlockLU.hpp>
#include <KokkosContract/dense/Choose.hpp>
#include <KokkosContract/dense/Gemm.hpp>
#include <KokkosContract/dense/HalvedLU.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/operand/Info.hpp>
#include <KokkosContract/operand/Matrix.hpp>
#include <KokkosContract/product/Contract.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Acc>
struct UnpivotedPanels;

template <class A, class Acc>
struct Eliminator {
  const A& a;
  const Acc& tiny;

  using T = typename A::value_type;

  KOKKOS_FORCEINLINE_FUNCTION void adjust_pivot(int z, int p) const {
    if (!is_zero(tiny)) a(z, p, p) = convert<T>(push_from_zero(convert<Acc>(a(z, p, p)), tiny));
  }

  /// Computes row i -= factor * row p, in columns `from` to `end` - 1, W at a time.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION void update_row(int z, int i, int p, int from, int end,
                                              const Acc& factor) const {
    int j = from;
    if constexpr (W > 1) {
      for (; j + W <= end; j += W) {
        const auto row = load<W, true, true>(&a(z, i, j), 1, W);
        const auto pivot_row = load<W, true, true>(&a(z, p, j), 1, W);
        store<W, true, true>(&a(z, i, j), 1, row - splat<W>(factor) * pivot_row, W);
      }
    }
    KOKKOSCONTRACT_NO_UNROLL
    for (; j < end; ++j) {
      a(z, i, j) = convert<T>(convert<Acc>(a(z, i, j)) - factor * convert<Acc>(a(z, p, j)));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION int steps() const {
    return a.rows() < a.cols() ? a.rows() : a.cols();
  }

  /// Eliminates in row i with row p, which is final, in columns up to `end`.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION void eliminate_row(int z, int i, int p, int end) const {
    const Acc factor = divide_unless_zero(convert<Acc>(a(z, i, p)), convert<Acc>(a(z, p, p)));
    a(z, i, p) = convert<T>(factor);
    update_row<W>(z, i, p, p + 1, end, factor);
  }

  // --- several workers ---

  /// Eliminates with rows `from` to `to` - 1 of `problems` problems, in columns up to `end`.
  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void by_rows(const L& level, int first, int problems, int from,
                                           int to, int end) const {
    if (!is_zero(tiny) && from < to) {
      for_each(level, problems, [&](std::ptrdiff_t z) KOKKOSCONTRACT_INLINE_LAMBDA {
        adjust_pivot(first + static_cast<int>(z), from);
      });
      level.barrier();
    }
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = from; p < to && p + 1 < a.rows(); ++p) {
      const int below = a.rows() - p - 1;
      for_each_pair(level, problems, below, [&](int problem, int row) KOKKOSCONTRACT_INLINE_LAMBDA {
        const int z = first + problem;
        const int i = row + p + 1;
        eliminate_row<W>(z, i, p, end);
        if (i == p + 1 && i < to) adjust_pivot(z, i);
      });
      level.barrier();
    }
  }

  /// Rows of a block: as many as registers have room for. If A may be small, short code has
  /// priority.
  static constexpr int rows_of_block =
      A::static_rows == dynamic || A::static_cols == dynamic || sizeof(Acc) > 8 ? 4 : 8;

  /// Factors by several workers. Returns whether no pivot can be zero; if it returns false, one may
  /// be.
  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool together(const L& level) const {
    if constexpr (dense_choice<DenseRoutine::lu, L, A>.way == DenseWay::blocks) {
      if (steps() > most_rows) {
        bool nonsingular = true;
        KOKKOSCONTRACT_NO_UNROLL
        for (int z = 0; z < a.batch(); ++z) {
          const auto without_reciprocals =
              [&](int from, int to, int end)
                  KOKKOSCONTRACT_INLINE_LAMBDA { by_rows<W>(level, z, 1, from, to, end); };
          const bool invertible =
              factor_blocks<rows_of_block>(level, a, z, tiny, without_reciprocals);
          nonsingular = nonsingular && invertible;
        }
        return nonsingular;
      }
    }
    by_rows<W>(level, 0, a.batch(), 0, steps(), a.cols());
    return false;
  }

  // --- one worker ---

  static constexpr int block = 4;

  /// Computes rows i to i + R - 1 -= multiplier * rows p to p + block - 1, in the columns of one
  /// register.
  template <int R, int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void update_columns(int z, int i, int p, int j, int count,
                                                  const Acc (&multiplier)[R][block]) const {
    register_t<Acc, W> row[R];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) row[r] = load_columns<Acc, W, Full>(a, z, i + r, j, count);
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < block; ++q) {
      const register_t<Acc, W> pivot_row = load_columns<Acc, W, Full>(a, z, p + q, j, count);
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < R; ++r) row[r] = row[r] - splat<W>(multiplier[r][q]) * pivot_row;
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) store_columns<Acc, W, Full>(a, z, i + r, j, count, row[r]);
  }

  /// Computes rows i to i + R - 1 -= multiplier * rows p to p + block - 1, in the columns after the
  /// block.
  template <int R, int W>
  KOKKOS_FORCEINLINE_FUNCTION void update_rows(int z, int i, int p,
                                               const Acc (&multiplier)[R][block]) const {
    int j = p + block;
    for (; j + W <= a.cols(); j += W) update_columns<R, W, true>(z, i, p, j, W, multiplier);
    const int left = a.cols() - j;
    if (left > W / 2) {
      update_columns<R, W, false>(z, i, p, j, left, multiplier);
    } else {
      for (int k = 0; k < left; ++k) update_columns<R, 1, true>(z, i, p, j + k, 1, multiplier);
    }
  }

  /// Eliminates in rows i to i + R - 1 with rows p to p + block - 1, which are final.
  template <int R, int W>
  KOKKOS_FORCEINLINE_FUNCTION void eliminate_rows(int z, int i, int p,
                                                  const Acc (&reciprocal)[block]) const {
    Acc multiplier[R][block];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int q = 0; q < block; ++q) {
        Acc sum = convert<Acc>(a(z, i + r, p + q));
        KOKKOSCONTRACT_UNROLL
        for (int s = 0; s < q; ++s) {
          sum = sum - multiplier[r][s] * convert<Acc>(a(z, p + s, p + q));
        }
        multiplier[r][q] = sum * reciprocal[q];
        a(z, i + r, p + q) = convert<T>(multiplier[r][q]);
      }
    }
    update_rows<R, W>(z, i, p, multiplier);
  }

  /// Factors rows p to p + B - 1: the square in registers, and then the columns after it, one
  /// register at a time. Returns false, and does nothing, if a pivot has no reciprocal.
  template <int B, int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_block(int z, int p, Acc (&reciprocal)[block]) const {
    Acc square[B][B];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < B; ++c) square[r][c] = convert<Acc>(a(z, p + r, p + c));
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int q = 0; q < r; ++q) {
        square[r][q] = square[r][q] * reciprocal[q];
        KOKKOSCONTRACT_UNROLL
        for (int c = q + 1; c < B; ++c) square[r][c] = square[r][c] - square[r][q] * square[q][c];
      }
      if (!is_zero(tiny)) square[r][r] = push_from_zero(square[r][r], tiny);
      if (!has_reciprocal(square[r][r])) return false;
      reciprocal[r] = Acc(real_t<Acc>(1)) / square[r][r];
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < B; ++c) a(z, p + r, p + c) = convert<T>(square[r][c]);
    }
    // A square matrix has no columns after its last rows. If this is known, the compiler must not
    // see code for such columns: it would warn of undefined behaviour.
    constexpr bool is_square = A::static_rows > 0 && A::static_rows == A::static_cols;
    if constexpr (B == block || !is_square) solve_columns<B, W>(z, p, square);
    return true;
  }

  /// Solves for rows p to p + B - 1 in the columns after the square, by the multipliers in it.
  template <int B, int W>
  KOKKOS_FORCEINLINE_FUNCTION void solve_columns(int z, int p, const Acc (&square)[B][B]) const {
    int j = p + B;
    for (; j + W <= a.cols(); j += W) solve_block<B, W, true>(z, p, j, W, square);
    // Few columns are solved one by one: a partial store cannot be forwarded to the load that
    // follows soon.
    const int left = a.cols() - j;
    if (left > W / 2) {
      solve_block<B, W, false>(z, p, j, left, square);
    } else {
      for (int k = 0; k < left; ++k) solve_block<B, 1, true>(z, p, j + k, 1, square);
    }
  }

  /// Solves for rows p to p + B - 1 in the columns of one register, by the multipliers in `square`.
  template <int B, int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void solve_block(int z, int p, int j, int count,
                                               const Acc (&square)[B][B]) const {
    register_t<Acc, W> row[B];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) row[r] = load_columns<Acc, W, Full>(a, z, p + r, j, count);
    KOKKOSCONTRACT_UNROLL
    for (int r = 1; r < B; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int q = 0; q < r; ++q) row[r] = row[r] - splat<W>(square[r][q]) * row[q];
      store_columns<Acc, W, Full>(a, z, p + r, j, count, row[r]);
    }
  }

  /// Factors the last rows of a matrix, fewer than a block.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_rest(int z, int p, int rows,
                                               Acc (&reciprocal)[block]) const {
    if (rows == 3) return factor_block<3, W>(z, p, reciprocal);
    if (rows == 2) return factor_block<2, W>(z, p, reciprocal);
    return factor_block<1, W>(z, p, reciprocal);
  }

  /// Factors problem z, a block of rows at a time. Returns whether no pivot can be zero, because
  /// each has a reciprocal.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_in_blocks(int z) const {
    bool nonsingular = true;
    for (int p = 0; p < steps(); p += block) {
      const int last = p + block < steps() ? p + block : steps();
      Acc reciprocal[block]{};
      const bool invertible = last - p == block ? factor_block<block, W>(z, p, reciprocal)
                                                : factor_rest<W>(z, p, last - p, reciprocal);
      nonsingular = nonsingular && invertible;
      for (int i = p; !invertible && i < last; ++i) {
        for (int q = p; q < i; ++q) eliminate_row<W>(z, i, q, a.cols());
        adjust_pivot(z, i);
      }
      int i = last;
      if (invertible && last - p == block) {
        for (; i + 2 <= a.rows(); i += 2) eliminate_rows<2, W>(z, i, p, reciprocal);
        for (; i < a.rows(); ++i) eliminate_rows<1, W>(z, i, p, reciprocal);
      }
      for (; i < a.rows(); ++i) {
        for (int q = p; q < last; ++q) eliminate_row<W>(z, i, q, a.cols());
      }
    }
    return nonsingular;
  }

  /// Factors problem z. Returns whether no pivot can be zero, because each has a reciprocal.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor(int z) const {
    if constexpr (is_halved<DenseRoutine::lu, A, Acc>) {
      const UnpivotedPanels<Acc> panels{tiny};
      if (is_large_for_halves(a, panels)) return factor_halved(a, z, panels);
    }
    return factor_in_blocks<W>(z);
  }

  /// Factors without reciprocals. Returns the 1-based index of the first zero pivot, or 0.
  KOKKOS_FORCEINLINE_FUNCTION int factor_by_quotients(int z) const {
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = 0; i < a.rows(); ++i) {
      KOKKOSCONTRACT_NO_UNROLL
      for (int q = 0; q < i && q < a.cols(); ++q) eliminate_row<1>(z, i, q, a.cols());
      if (i < steps()) adjust_pivot(z, i);
    }
    return first_zero_pivot(z, 0);
  }

  /// Factors all problems. Returns whether no pivot can be zero; if it returns false, one may be.
  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool eliminate(const L& level) const {
    bool nonsingular = false;
    if (level.size() == 1) {
      nonsingular = true;
      for (int z = 0; z < a.batch(); ++z) nonsingular = factor<W>(z) && nonsingular;
    } else if constexpr (!is_single_worker<L>()) {
      nonsingular = together<W>(level);
    }
    return nonsingular;
  }

  /// The 1-based index of the first zero pivot of problem z in this lane, or 0.
  KOKKOS_FORCEINLINE_FUNCTION int first_zero_pivot(int z, [[maybe_unused]] int lane) const {
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = 0; p < steps(); ++p) {
      if constexpr (is_pack<Acc>) {
        if (a(z, p, p)[lane] == scalar_t<T>(0)) return p + 1;
      } else {
        if (convert<Acc>(a(z, p, p)) == Acc(0)) return p + 1;
      }
    }
    return 0;
  }
};

/// The panels of LU for factor_by_halves. Registers run along rows, so that rows are copied unless
/// neighbours in a row are neighbours in memory.
template <class Acc>
struct UnpivotedPanels {
  static constexpr HalvedSizes sizes = unpivoted_halves;
  const Acc& tiny;

  template <class A>
  static constexpr bool suits(const A& a) {
    if constexpr (A::unit_cols) return a.cols() > sizes.cols_of_panel;
    return CopiedPanel<Acc>::has_room(sizes.cols_of_panel, a.rows());
  }

  template <class A>
  KOKKOSCONTRACT_SHARED_FUNCTION bool factor_panel(const A& a, int first, int last) const {
    const A panel = part_matrix(a, 0, first, a.rows(), first, last);
    if constexpr (A::unit_cols) {
      return factor_rows(panel);
    } else {
      bool nonsingular = false;
      with_copied_rows(panel, [&](const auto& rows) KOKKOSCONTRACT_INLINE_LAMBDA {
        nonsingular = factor_rows(rows);
      });
      return nonsingular;
    }
  }

  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void interchange(const A&, int, int, int, int) const {}

 private:
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_rows(const A& a) const {
    return Eliminator<A, Acc>{a, tiny}.template factor_in_blocks<native_lanes<Acc>>(0);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
