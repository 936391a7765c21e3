// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_EXECUTE_HPP
#define KOKKOSCONTRACT_IMPL_EXECUTE_HPP

// Runs a nest by its plan on a level. Every tile of C is computed by one worker, so no barrier is
// needed in between; the caller ends with one.

#include <KokkosContract/Impl/Level.hpp>
#include <KokkosContract/Impl/Plan.hpp>
#include <KokkosContract/Impl/Product.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The type of a scaling factor: a real one stays real beside complex sums, which is cheaper and
/// keeps infinities from becoming NaN.
template <class Acc, class Given>
using factor_t =
    std::conditional_t<is_pack<Given>, Acc,
                       std::conditional_t<is_complex<scalar_t<Acc>> && !is_complex<Given>,
                                          real_t<Acc>, scalar_t<Acc>>>;

/// factor * pack, where a zero lane of the factor gives zero whatever the pack has there; one
/// factor for all lanes is known not to be zero.
template <class Factor, class P>
KOKKOS_FORCEINLINE_FUNCTION P times(const Factor& factor, const P& x) {
  if constexpr (is_pack<Factor>) {
    return scaled(factor, x);
  } else if constexpr (std::is_same_v<Factor, scalar_t<P>>) {
    return P(factor) * x;
  } else {
    P result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < P::length; ++l) result[l] = factor * x[l];
    return result;
  }
}

/// alpha * sum + beta * c; c is read only where `reads`. In a pack, a zero factor counts lane by
/// lane.
template <class Acc, class Alpha, class Beta, class C>
KOKKOS_FORCEINLINE_FUNCTION Acc linear_value(const Alpha& alpha, const Acc& sum, const Beta& beta,
                                             bool reads, const C& c) {
  if constexpr (is_pack<Acc>) {
    const Acc value = times(alpha, sum);
    return reads ? value + times(beta, convert<Acc>(c)) : value;
  } else {
    const Acc value = alpha * sum;
    return reads ? multiply_add(value, beta, convert<Acc>(c)) : value;
  }
}

/// The usual output: c = alpha * sum + beta * c, where beta == 0 never reads c.
template <class Acc, class Alpha, class Beta>
struct LinearOutput {
  static constexpr bool needs_indices = false;
  Alpha alpha;
  Beta beta;
  bool reads;  // beta != 0

  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int*) const {
    if constexpr (W == 1) {
      *c = convert<C>(linear_value(alpha, from_register<Acc>(sum), beta, reads, *c));
    } else {
      auto value = scale<W>(alpha, sum);
      if (reads) value = value + scale<W>(beta, load<W, Unit, Full, First>(c, stride, count));
      store<W, Unit, Full, First>(c, stride, value, count);
    }
  }
};

/// As LinearOutput, and `epilogue(value, i, j, ...)` is what is stored. Order[d] is the mode of
/// output dimension d.
template <class Acc, class Alpha, class Beta, class Epilogue, int... Order>
struct EpilogueOutput {
  static constexpr bool needs_indices = true;
  Alpha alpha;
  Beta beta;
  bool reads;
  const Epilogue& epilogue;

  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int* index) const {
    if constexpr (W == 1) {
      put_one<Lane>(c, from_register<Acc>(sum), index, 0);
    } else {
      KOKKOSCONTRACT_UNROLL
      for (int l = First; l < W; ++l) {
        if (Full || l < count) put_one<Lane>(c + l * stride, sum.lane(l), index, l);
      }
    }
  }

  template <int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put_one(C* c, const Acc& sum, const int* index, int l) const {
    const Acc value = linear_value(alpha, sum, beta, reads, *c);
    *c = convert<C>(epilogue(value, (index[Order] + (Order == Lane ? l : 0))...));
  }
};

/// c = sum, whatever the value (infinities, NaN and the sign of zero stay).
template <class Acc>
struct CopyOutput {
  static constexpr bool needs_indices = false;

  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int*) const {
    if constexpr (W == 1) {
      *c = convert<C>(from_register<Acc>(sum));
    } else {
      store<W, Unit, Full, First>(c, stride, sum, count);
    }
  }
};

/// An output View with MemoryTraits<Atomic>: each element is added once.
template <class Acc, class Alpha>
struct AtomicOutput {
  static constexpr bool needs_indices = false;
  Alpha alpha;

  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int*) const {
    if constexpr (W == 1) {
      Kokkos::atomic_add(c, convert<C>(alpha * from_register<Acc>(sum)));
    } else {
      for (int l = First; l < (Full ? W : count); ++l) {
        Kokkos::atomic_add(c + l * stride, convert<C>(alpha * sum.lane(l)));
      }
    }
  }
};

/// The rows of a tile: here, Step apart.
template <int Step>
struct RowsApart {
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool has(int) { return true; }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int offset(int i) { return i * Step; }
};

template <Nest S, Plan P, class Acc, class X, class Y, class C, class Output>
struct Executor {
  static constexpr int row = S.of(Class::row) > 0 ? S.end(Class::row) - 1 : -1;
  static constexpr int col = S.of(Class::col) > 0 ? S.end(Class::col) - 1 : -1;
  // The mode that the lanes of a register run along.
  static constexpr int lane = P.lanes == 1 ? -1 : (P.batch_lanes ? S.end(Class::batch) - 1 : col);
  static constexpr bool unit(const std::ptrdiff_t* stride) {
    return lane >= 0 && stride[lane] == 1;
  }
  static constexpr bool unit_x = unit(S.x);
  static constexpr bool unit_y = unit(S.y);
  static constexpr bool unit_c = unit(S.c);

  const Loops<S>& loops;
  const Output& output;
  bool multiplies;  // alpha != 0
  int index[Loops<S>::size]{};

  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION int extent_or_1() const {
    if constexpr (I >= 0) {
      return loops.template extent<I>();
    } else {
      return 1;
    }
  }
  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t x_stride() const {
    if constexpr (I >= 0) {
      return loops.template x<I>();
    } else {
      return 0;
    }
  }
  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t y_stride() const {
    if constexpr (I >= 0) {
      return loops.template y<I>();
    } else {
      return 0;
    }
  }
  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t c_stride() const {
    if constexpr (I >= 0) {
      return loops.template c<I>();
    } else {
      return 0;
    }
  }

  // --- One tile: Mr x Nr registers of W lanes, `count` of them in use. The last register of a row
  // starts Shift lanes early: these lanes are the one's before. ---

  /// The first column of register j of a tile.
  template <int Nr, int W, int Shift>
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int col_of(int j) {
    return P.batch_lanes ? j : j * W * P.col_spacing - (j == Nr - 1 ? Shift : 0);
  }

  template <int D, int Mr, int Nr, int W, bool Full, int Shift, class Rows>
  KOKKOS_FORCEINLINE_FUNCTION void accumulate(typename Product<Acc, W>::Sum (&sum)[Mr][Nr],
                                              const X* x, const Y* y, int count,
                                              const Rows& rows) const {
    if constexpr (D < S.end(Class::sum)) {
      const int extent = loops.template extent<D>();
      for (int k = 0; k < extent; ++k) {
        accumulate<D + 1, Mr, Nr, W, Full, Shift>(sum, x, y, count, rows);
        x += loops.template x<D>();
        y += loops.template y<D>();
      }
    } else {
      // Along the columns the lanes follow each other; along a batch they are the same column.
      using Factors = Product<Acc, W>;
      const auto column = [&](int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        const Y* yij =
            y + rows.offset(i) * y_stride<row>() + col_of<Nr, W, Shift>(j) * y_stride<col>();
        if constexpr (W == 1) {
          return Factors::template column<S.conjugate_y>(convert<Acc>(*yij));
        } else {
          return Factors::template column<S.conjugate_y>(
              load<W, unit_y, Full>(yij, y_stride<lane>(), count));
        }
      };
      if constexpr (!S.has_x) {
        KOKKOSCONTRACT_UNROLL
        for (int i = 0; i < Mr; ++i) {
          KOKKOSCONTRACT_UNROLL
          for (int j = 0; j < Nr; ++j) {
            // Without a sum, -0 stays -0.
            sum[i][j] = Factors::template add<S.of(Class::sum) == 0>(sum[i][j], column(i, j));
          }
        }
      } else {
        typename Factors::Column b[Nr];
        KOKKOSCONTRACT_UNROLL
        for (int j = 0; j < Nr; ++j) b[j] = column(0, j);
        KOKKOSCONTRACT_UNROLL
        for (int i = 0; i < Mr; ++i) {
          const X* xi = x + rows.offset(i) * x_stride<row>();
          typename Factors::Multiplier a;
          if constexpr (W == 1) {
            a = Factors::multiplier(Factors::template column<S.conjugate_x>(convert<Acc>(*xi)));
          } else if constexpr (P.batch_lanes) {
            a = Factors::multiplier(Factors::template column<S.conjugate_x>(
                load<W, unit_x, Full>(xi, x_stride<lane>(), count)));
          } else {
            a = Factors::template multiplier_of<S.conjugate_x>(*xi);
          }
          KOKKOSCONTRACT_UNROLL
          for (int j = 0; j < Nr; ++j) sum[i][j] = Factors::add_product(sum[i][j], a, b[j]);
        }
      }
    }
  }

  template <int Mr, int Nr, int W, bool Full, int Shift, class Rows = RowsApart<1>>
  KOKKOS_FORCEINLINE_FUNCTION void tile(const X* x, const Y* y, C* c, int count,
                                        const Rows& rows = {}) {
    using Factors = Product<Acc, W>;
    typename Factors::Sum sum[Mr][Nr];
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < Nr; ++j) sum[i][j] = Factors::zero();
    }
    if (multiplies) {
      accumulate<S.begin(Class::sum), Mr, Nr, W, Full, Shift>(sum, x, y, count, rows);
    }
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < Nr && rows.has(i); ++j) {
        const int first_col = col_of<Nr, W, Shift>(j);
        const auto value = S.has_x ? Factors::finish(sum[i][j]) : Factors::added(sum[i][j]);
        C* cij = c + rows.offset(i) * c_stride<row>() + first_col * c_stride<col>();
        if constexpr (Output::needs_indices) {
          if constexpr (row >= 0) index[row] += rows.offset(i);
          if constexpr (col >= 0) index[col] += first_col;
        }
        if (Shift > 0 && j == Nr - 1) {
          output.template put<W, unit_c, Full, Shift, lane>(cij, c_stride<lane>(), value, count,
                                                            index);
        } else {
          output.template put<W, unit_c, Full, 0, lane>(cij, c_stride<lane>(), value, count, index);
        }
        if constexpr (Output::needs_indices) {
          if constexpr (row >= 0) index[row] -= rows.offset(i);
          if constexpr (col >= 0) index[col] -= first_col;
        }
      }
    }
  }

  // --- The tiles of one block: by the kinds of their rows and of their columns. ---

  static constexpr int col_lanes = P.batch_lanes ? 1 : P.lanes;
  static constexpr int row_kinds = 2;
  static constexpr int col_kinds = 3;

  template <int Kind>
  static constexpr int width = Kind < 2 ? P.cols[Kind < 2 ? Kind : 0] : 1;
  template <int Kind>
  static constexpr bool has_cols = Kind < 2 ? P.cols[Kind < 2 ? Kind : 0] > 0 : P.tail;

  template <int Kind>
  KOKKOS_FORCEINLINE_FUNCTION int row_tiles() const {
    const unsigned rows = extent_or_1<row>();
    if constexpr (Kind == 0) {
      return rows / static_cast<unsigned>(P.rows[0]);
    } else if constexpr (P.rows[1] > 0) {
      return rows % static_cast<unsigned>(P.rows[0]) / static_cast<unsigned>(P.rows[1]);
    } else {
      return 0;
    }
  }

  /// By how many lanes the last register of a tile overlaps the one before.
  template <int Kind>
  static constexpr int shift = Kind == 1 ? P.overlap : 0;

  /// How many columns come before the tiles of a kind.
  template <int Kind>
  KOKKOS_FORCEINLINE_FUNCTION int col_begin() const {
    constexpr unsigned step0 = P.cols[0] * col_lanes > 0 ? P.cols[0] * col_lanes : 1;
    const unsigned cols = extent_or_1<col>();
    const unsigned main = P.cols[0] > 0 ? cols / step0 * step0 : 0;
    if constexpr (Kind == 0) {
      return 0;
    } else if constexpr (Kind == 1 || P.cols[1] == 0) {
      return main;
    } else {
      constexpr unsigned step1 = P.cols[1] * col_lanes;
      return main + (cols - main) / step1 * step1;
    }
  }

  template <int Kind>
  KOKKOS_FORCEINLINE_FUNCTION int col_tiles() const {
    const unsigned left = extent_or_1<col>() - col_begin<Kind>();
    if constexpr (Kind == 2) {
      constexpr unsigned lanes = P.lanes;
      return P.tail ? (left + lanes - 1) / lanes : 0;
    } else if constexpr (P.cols[Kind] > 0) {
      constexpr unsigned tile_cols = P.cols[Kind] * col_lanes;
      return shift<Kind> > 0 ? 1 : left / tile_cols;
    } else {
      return 0;
    }
  }

  /// Tile number `i` of row kind R and number `j` of column kind J, of the block at x, y, c.
  template <int R, int J>
  KOKKOSCONTRACT_INLINE_FUNCTION void tile_at(const X* x, const Y* y, C* c, int i, int j) {
    const int i0 = (R == 0 ? 0 : row_tiles<0>() * P.rows[0]) + i * P.rows[R];
    const int j0 = col_begin<J>() + j * width<J> * col_lanes;
    x += i0 * x_stride<row>();
    y += i0 * y_stride<row>() + j0 * y_stride<col>();
    c += i0 * c_stride<row>() + j0 * c_stride<col>();
    if constexpr (Output::needs_indices) {
      if constexpr (row >= 0) index[row] = i0;
      if constexpr (col >= 0) index[col] = j0;
    }
    if constexpr (P.batch_lanes) {
      const int count = extent_or_1<lane>() - index[lane];
      if (count >= P.lanes) {
        tile<P.rows[R], width<J>, P.lanes, true, shift<J>>(x, y, c, P.lanes);
      } else {
        tile<P.rows[R], width<J>, P.lanes, false, 0>(x, y, c, count);
      }
    } else if constexpr (J == 2) {
      constexpr bool full = S.extent[col] != dynamic && S.extent[col] % P.lanes == P.tail_lanes;
      const int left = extent_or_1<col>() - j0;
      tile<P.rows[R], 1, P.tail_lanes, full, 0>(x, y, c, left < P.tail_lanes ? left : P.tail_lanes);
    } else {
      tile<P.rows[R], width<J>, P.lanes, true, shift<J>>(x, y, c, P.lanes);
    }
  }

  template <int R, int J>
  KOKKOSCONTRACT_INLINE_FUNCTION void all_tiles(const X* x, const Y* y, C* c) {
    if constexpr (P.rows[R] > 0 && has_cols<J>) {
      const int rows = row_tiles<R>();
      const int cols = col_tiles<J>();
      if constexpr (P.cols_outer) {
        for (int j = 0; j < cols; ++j) {
          for (int i = 0; i < rows; ++i) tile_at<R, J>(x, y, c, i, j);
        }
      } else {
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < cols; ++j) tile_at<R, J>(x, y, c, i, j);
        }
      }
    }
  }

  template <int... Kind>
  KOKKOSCONTRACT_INLINE_FUNCTION void all_kinds(const X* x, const Y* y, C* c,
                                                std::integer_sequence<int, Kind...>) {
    (all_tiles<Kind / col_kinds, Kind % col_kinds>(x, y, c), ...);
  }

  template <int R, int J>
  KOKKOSCONTRACT_INLINE_FUNCTION void pick_col(const X* x, const Y* y, C* c, int i, int j) {
    if constexpr (J < col_kinds) {
      const int tiles = col_tiles<J>();
      if (j >= tiles) {
        pick_col<R, J + 1>(x, y, c, i, j - tiles);
      } else if constexpr (has_cols<J>) {
        tile_at<R, J>(x, y, c, i, j);
      }
    }
  }

  /// The tile of the block with row tile i and column tile j.
  KOKKOSCONTRACT_INLINE_FUNCTION void pick(const X* x, const Y* y, C* c, int i, int j) {
    const int main = row_tiles<0>();
    if (i < main) {
      pick_col<0, 0>(x, y, c, i, j);
    } else if constexpr (P.rows[1] > 0) {
      pick_col<1, 0>(x, y, c, i - main, j);
    }
  }

  // --- The loops around a block: all batch, row and column modes but the two that are cut. ---

  static constexpr int first_sum = S.begin(Class::sum);

  /// Trips of mode I around the blocks.
  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION int trips() const {
    if constexpr (I == row || I == col) {
      return 1;
    } else if constexpr (I == lane) {
      return (loops.template extent<I>() + P.lanes - 1) / P.lanes;
    } else {
      return loops.template extent<I>();
    }
  }
  template <int I>
  static constexpr int step = I == lane ? P.lanes : 1;

  template <int I>
  KOKKOSCONTRACT_INLINE_FUNCTION void serial(const X* x, const Y* y, C* c) {
    if constexpr (I == first_sum) {
      all_kinds(x, y, c, std::make_integer_sequence<int, row_kinds * col_kinds>{});
    } else if constexpr (I == row || I == col) {
      serial<I + 1>(x, y, c);
    } else {
      const int n = trips<I>();
      for (int t = 0; t < n; ++t) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(t) * step<I>;
        if constexpr (Output::needs_indices || I == lane) index[I] = static_cast<int>(at);
        serial<I + 1>(x + at * x_stride<I>(), y + at * y_stride<I>(), c + at * c_stride<I>());
      }
    }
  }

  template <int I>
  KOKKOSCONTRACT_INLINE_FUNCTION void locate(std::ptrdiff_t t, const X*& x, const Y*& y, C*& c) {
    if constexpr (I == row || I == col) {
      locate<I - 1>(t, x, y, c);
    } else if constexpr (I >= 0) {
      const int n = trips<I>();
      std::ptrdiff_t at = t;
      if constexpr (I > 0) at = t == 0 ? 0 : t % n;
      at *= step<I>;
      if constexpr (Output::needs_indices || I == lane) index[I] = static_cast<int>(at);
      x += at * x_stride<I>();
      y += at * y_stride<I>();
      c += at * c_stride<I>();
      if constexpr (I > 0) locate<I - 1>(t == 0 ? 0 : t / n, x, y, c);
    }
  }

  template <int... I>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t blocks(std::integer_sequence<int, I...>) const {
    return (std::ptrdiff_t{1} * ... * trips<I>());
  }

  /// A worker's tiles, numbered by block, row tile and column tile: a contiguous range of them.
  KOKKOSCONTRACT_INLINE_FUNCTION void range(std::ptrdiff_t begin, std::ptrdiff_t end, int rows,
                                            int cols, const X* x, const Y* y, C* c) {
    std::ptrdiff_t block = 0;
    int i = 0;
    int j = 0;
    if (begin > 0) {
      j = static_cast<int>(begin % cols);
      i = static_cast<int>(begin / cols % rows);
      block = begin / cols / rows;
    }
    for (std::ptrdiff_t t = begin; t < end; ++block) {
      const X* xt = x;
      const Y* yt = y;
      C* ct = c;
      locate<first_sum - 1>(block, xt, yt, ct);
      for (; i < rows && t < end; ++i) {
        for (; j < cols && t < end; ++j, ++t) pick(xt, yt, ct, i, j);
        j = 0;
      }
      i = 0;
    }
  }

  template <Level L>
  KOKKOSCONTRACT_INLINE_FUNCTION void run(const L& level, const X* x, const Y* y, C* c) {
    if constexpr (is_single_worker<L>()) {
      serial<0>(x, y, c);
    } else {
      const int rows = row_tiles<0>() + row_tiles<1>();
      const int cols = col_tiles<0>() + col_tiles<1>() + col_tiles<2>();
      const std::ptrdiff_t tiles =
          blocks(std::make_integer_sequence<int, first_sum>{}) * rows * cols;
      const int size = level.size();
      const int rank = level.rank();
      range(tiles * rank / size, tiles * (rank + 1) / size, rows, cols, x, y, c);
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
