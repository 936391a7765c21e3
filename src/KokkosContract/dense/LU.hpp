// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_LU_HPP
#define KOKKOSCONTRACT_DENSE_LU_HPP

// LU without pivoting, right-looking. Four ways:
//
//   factor    one worker: blocks of rows in registers
//   factor_tiles
//             on a GPU, up to 32 static rows: the matrix in the registers of a few lanes of a warp;
//             of a batch in scratch memory, only from 13 rows on
//   by_rows   several workers: in step p the owner of a row below p eliminates in it with row p,
//             which is final, and touches no other row, so that one barrier a step is enough
//   factor_blocks
//             several workers, and more rows and columns than a warp holds: BlockLU.hpp

#include <KokkosContract/dense/BlockLU.hpp>
#include <KokkosContract/dense/Choose.hpp>
#include <KokkosContract/dense/Gemm.hpp>
#include <KokkosContract/lanes/InLanes.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/operand/Info.hpp>
#include <KokkosContract/operand/Matrix.hpp>
#include <KokkosContract/product/Contract.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class A, class Acc>
struct Eliminator {
  const A& a;
  const Acc& tiny;

  using T = typename A::value_type;

  KOKKOS_FORCEINLINE_FUNCTION void adjust_pivot(int z, int p) const {
    if (!is_zero(tiny)) a(z, p, p) = convert<T>(push_from_zero(convert<Acc>(a(z, p, p)), tiny));
  }

  /// Row i -= factor * row p, in columns `from` to `end` - 1, W at a time.
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
      for_each(level, static_cast<std::ptrdiff_t>(problems) * below,
               [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
                 const int z = first + static_cast<int>(t / below);
                 const int i = static_cast<int>(t % below) + p + 1;
                 eliminate_row<W>(z, i, p, end);
                 if (i == p + 1 && i < to) adjust_pivot(z, i);
               });
      level.barrier();
    }
  }

  /// Rows of a block: as many as registers have room for, but where A may be small, its code comes
  /// first.
  static constexpr int rows_of_block =
      A::static_rows == dynamic || A::static_cols == dynamic || sizeof(Acc) > 8 ? 4 : 8;

  /// Returns whether no pivot can be zero; where it returns false, one may be.
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

  /// Rows i to i + R - 1 -= multiplier * rows p to p + block - 1, in the columns of one register.
  template <int R, int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void update_columns(int z, int i, int p, int j, int count,
                                                  const Acc (&multiplier)[R][block]) const {
    register_t<Acc, W> row[R];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) row[r] = get<W, Full>(z, i + r, j, count);
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < block; ++q) {
      const register_t<Acc, W> pivot_row = get<W, Full>(z, p + q, j, count);
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < R; ++r) row[r] = row[r] - splat<W>(multiplier[r][q]) * pivot_row;
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) put<W, Full>(z, i + r, j, count, row[r]);
  }

  template <int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> get(int z, int i, int j, int count) const {
    return load_columns<Acc, W, Full>(a, z, i, j, count);
  }

  template <int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void put(int z, int i, int j, int count,
                                       const register_t<Acc, W>& value) const {
    store_columns<Acc, W, Full>(a, z, i, j, count, value);
  }

  /// Rows i to i + R - 1 -= multiplier * rows p to p + block - 1, in the columns behind the block.
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

  /// Rows p to p + B - 1 among themselves: the square in registers, then the columns behind it, a
  /// register at a time. False, with nothing done, if a pivot has no reciprocal.
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
    // A square matrix has no columns behind its last rows. Where this is known, the compiler is not
    // to wonder where such columns would be: it would warn of undefined behaviour.
    constexpr bool is_square = A::static_rows > 0 && A::static_rows == A::static_cols;
    if constexpr (B == block || !is_square) solve_columns<B, W>(z, p, square);
    return true;
  }

  /// Rows p to p + B - 1 in the columns behind the square, by the multipliers in it.
  template <int B, int W>
  KOKKOS_FORCEINLINE_FUNCTION void solve_columns(int z, int p, const Acc (&square)[B][B]) const {
    int j = p + B;
    for (; j + W <= a.cols(); j += W) solve_block<B, W, true>(z, p, j, W, square);
    // Few columns one by one: a partial store cannot be forwarded to the load that follows soon.
    const int left = a.cols() - j;
    if (left > W / 2) {
      solve_block<B, W, false>(z, p, j, left, square);
    } else {
      for (int k = 0; k < left; ++k) solve_block<B, 1, true>(z, p, j + k, 1, square);
    }
  }

  /// Rows p to p + B - 1 in the columns of one register, by the multipliers in `square`.
  template <int B, int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void solve_block(int z, int p, int j, int count,
                                               const Acc (&square)[B][B]) const {
    register_t<Acc, W> row[B];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) row[r] = get<W, Full>(z, p + r, j, count);
    KOKKOSCONTRACT_UNROLL
    for (int r = 1; r < B; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int q = 0; q < r; ++q) row[r] = row[r] - splat<W>(square[r][q]) * row[q];
      put<W, Full>(z, p + r, j, count, row[r]);
    }
  }

  /// The last rows of a matrix, fewer than a block.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_rest(int z, int p, int rows,
                                               Acc (&reciprocal)[block]) const {
    if (rows == 3) return factor_block<3, W>(z, p, reciprocal);
    if (rows == 2) return factor_block<2, W>(z, p, reciprocal);
    return factor_block<1, W>(z, p, reciprocal);
  }

  /// Returns whether no pivot can be zero, because each has a reciprocal.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor(int z) const {
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

  /// Without reciprocals. Returns the 1-based index of the first zero pivot, or 0.
  KOKKOS_FORCEINLINE_FUNCTION int factor_by_quotients(int z) const {
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = 0; i < a.rows(); ++i) {
      KOKKOSCONTRACT_NO_UNROLL
      for (int q = 0; q < i && q < a.cols(); ++q) eliminate_row<1>(z, i, q, a.cols());
      if (i < steps()) adjust_pivot(z, i);
    }
    return first_zero_pivot(z, 0);
  }

  /// Returns whether no pivot can be zero; where it returns false, one may be.
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

/// Eliminates below row p, which is final.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION void eliminate_tiles(M& m, int p,
                                                 typename M::value_type (&pivot_row)[M::tile_cols],
                                                 const typename M::value_type& reciprocal) {
  using T = typename M::value_type;
  constexpr LaneGrid grid = M::grid;
  const int r0 = p / grid.rows;
  const int c0 = p / grid.cols;
  // Nothing is subtracted from what is done: rows and columns up to p.
  if (m.col() <= p % grid.cols) pivot_row[c0] = T(0);
  KOKKOSCONTRACT_UNROLL_IN_LANES
  for (int r = 0; r < M::tile_rows; ++r) {
    if (r < r0) continue;
    const bool below = r > r0 || m.row() > p % grid.rows;
    T multiplier = m.get_in_row(r, p) * reciprocal;
    if (!below) multiplier = T(0);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int c = 0; c < M::tile_cols; ++c) {
      if (c >= c0) m.tile[r][c] = m.tile[r][c] - multiplier * pivot_row[c];
    }
    if (below && m.col() == p % grid.cols) m.tile[r][c0] = multiplier;
  }
}

/// Factors a matrix in registers. Returns the 1-based index of the first zero pivot, or 0. False in
/// `exact` where a pivot's reciprocal does not serve; then the result does not, either.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION int factor_tiles(M& m, const typename M::value_type& tiny,
                                             bool& exact) {
  using T = typename M::value_type;
  constexpr LaneGrid grid = M::grid;
  int zero = 0;
  KOKKOSCONTRACT_UNROLL_IN_LANES
  for (int p = 0; p < M::n; ++p) {
    const int r0 = p / grid.rows;
    const int c0 = p / grid.cols;
    T pivot = m.get(p, p);
    if (!is_zero(tiny)) {
      pivot = push_from_zero(pivot, tiny);
      if (m.row() == p % grid.rows && m.col() == p % grid.cols) m.tile[r0][c0] = pivot;
    }
    const bool is_zero_pivot = pivot == T(0);
    zero = is_zero_pivot & (zero == 0) ? p + 1 : zero;
    bool exists = true;
    T reciprocal = short_reciprocal(pivot, exists);
    exact = exact & (exists | is_zero_pivot);  // without branches between the shuffles
    if (is_zero_pivot) reciprocal = T(1);
    T pivot_row[M::tile_cols];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int c = c0; c < M::tile_cols; ++c) pivot_row[c] = m.get_in_col(p, c);
    eliminate_tiles(m, p, pivot_row, reciprocal);
  }
  return zero;
}

/// Factors all problems in the registers of groups of lanes and stores their infos. False, with
/// nothing done, where there are no such groups or no room; `singular`: a pivot is zero.
template <class Op, Level L, class E, class Info>
KOKKOS_FORCEINLINE_FUNCTION bool factor_in_warps(const L& level, const E& eliminator,
                                                 const Info& info, bool& singular) {
  using A = std::remove_cvref_t<decltype(eliminator.a)>;
  using Acc = std::remove_cvref_t<decltype(eliminator.tiny)>;
  using T = typename A::value_type;
  const A& a = eliminator.a;
  const Acc& tiny = eliminator.tiny;
  if (a.rows() != a.cols()) return false;
  constexpr DenseChoice choice = dense_choice<DenseRoutine::lu, L, A>;
  if constexpr (choice.way != DenseWay::lanes) {
    return false;
  } else {
    using M = WarpMatrix<level_machine_t<L>, Acc, A::static_rows, A::unit_rows, choice.grid>;
    const auto factor_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
      M m{group, {}};
      const bool active = z >= 0;
      m.for_tile([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        x = active ? convert<Acc>(a(z, i, j)) : Acc(i == j ? 1 : 0);
      });
      return compute_in_lanes<Exact::in_all_lanes>(
          m, z,
          [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA { return factor_tiles(m, tiny, exact); },
          [&](bool stores) KOKKOSCONTRACT_INLINE_LAMBDA {
            if (!stores) return;
            m.for_tile([&](const Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
              // The first row stays what it was.
              if (i > 0 || !is_zero(tiny)) a(z, i, j) = convert<T>(x);
            });
          },
          [&]() KOKKOSCONTRACT_INLINE_LAMBDA { return eliminator.factor_by_quotients(z); });
    };
    FirstInfo first;
    const bool done = factor_each_problem<M::lanes, A::is_interleaved, Op, T>(
        level, a.batch(), info, first, factor_one);
    singular = first.info != 0;
    return done;
  }
}

/// Likewise, by threads where the matrices are small and in scratch memory.
template <class Op, Level L, class E, class Info>
KOKKOS_FORCEINLINE_FUNCTION bool factor_on_gpu(const L& level, const E& eliminator,
                                               const Info& info, bool& singular) {
  using A = std::remove_cvref_t<decltype(eliminator.a)>;
  if constexpr (dense_choice<DenseRoutine::lu, L, A>.way == DenseWay::thread) {
    for (int z = level.rank(); z < eliminator.a.batch(); z += level.size()) {
      const bool nonsingular = eliminator.template factor<1>(z);
      put_info<Op, typename A::value_type>(info, z, 0, 0);
      // Where a pivot is zero, the caller looks for all of them.
      singular = singular || !nonsingular;
    }
    return true;
  } else {
    return factor_in_warps<Op>(level, eliminator, info, singular);
  }
}

template <Level L, class A, class Info, class Tiny>
KOKKOS_FORCEINLINE_FUNCTION int lu_with_info(const L& level, const A& a, const Info& info,
                                             const Tiny& tiny) {
  using Op = operand_t<A>;
  using T = value_t<A>;
  using Acc = accumulator_t<T>;
  static_assert(Op::rank == 2 || Op::rank == 3,
                "KokkosContract: LU: A must have rank 2, or 3 with a leading batch dimension");
  static_assert(!std::is_const_v<typename Op::value_type>,
                "KokkosContract: LU: A is an operand of const elements");
  static_assert(!is_shared<A>, "KokkosContract: LU: A is factored in place and cannot be shared");
  static_assert(!std::is_integral_v<scalar_t<T>>, "KokkosContract: LU needs a floating-point type");
  const Matrix<Op, Op::rank == 3> matrix{as_operand(a)};

  if (!info_fits<Op, T>(info, matrix.batch())) return extents_disagree;

  const Acc shift = convert<Acc>(tiny);
  const Eliminator<decltype(matrix), Acc> eliminator{matrix, shift};
  constexpr int width = std::is_same_v<T, Acc> && decltype(matrix)::unit_cols ? host_lanes<T>() : 1;
  bool nonsingular = false;
  if constexpr (has_warps<L> && !is_pack<T>) {
    bool singular = false;
    if (factor_on_gpu<Op>(level, eliminator, info, singular)) {
      if (!level.any(singular)) return 0;
    } else {
      nonsingular = eliminator.template together<1>(level);
    }
  } else {
    nonsingular = eliminator.template eliminate<runs_on_gpu<L>() ? 1 : width>(level);
  }

  if constexpr (std::is_same_v<Info, NoInfo>) {
    if (nonsingular) return 0;
  }
  return report<Op, T>(level, matrix.batch(), info, [&](int z, int l) KOKKOSCONTRACT_INLINE_LAMBDA {
    return eliminator.first_zero_pivot(z, l);
  });
}

template <Level L, class A>
KOKKOS_FORCEINLINE_FUNCTION int lu(const L& level, const A& a) {
  return lu_with_info(level, a, NoInfo{}, real_t<value_t<A>>(0));
}

/// The second argument is tiny, or an info.
template <Level L, class A, class Second>
KOKKOS_FORCEINLINE_FUNCTION int lu(const L& level, const A& a, const Second& second) {
  if constexpr (is_operand<Second>) {
    return lu_with_info(level, a, second, real_t<value_t<A>>(0));
  } else {
    return lu_with_info(level, a, NoInfo{}, second);
  }
}

template <Level L, class A, class Info, class Tiny>
KOKKOS_FORCEINLINE_FUNCTION int lu(const L& level, const A& a, const Info& info, const Tiny& tiny) {
  return lu_with_info(level, a, info, tiny);
}

struct LURoutine {
  static constexpr Signature signature{"LU", 0};
  static constexpr bool takes_batch = true;
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return lu(level, arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
