// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_TILES_HPP
#define KOKKOSCONTRACT_PRODUCT_TILES_HPP

// Runs a nest by its plan on a level. Every tile of C is computed by one worker, so no barrier is
// needed in between; the caller ends with one.

#include <KokkosContract/core/Digits.hpp>
#include <KokkosContract/core/Product.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/product/Output.hpp>
#include <KokkosContract/product/Plan.hpp>
#include <algorithm>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

// The rows of a tile: which it has, and how far they are from the first.

/// All of them, Step apart.
template <int Step>
struct RowsApart {
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool has(int) { return true; }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t offset(int i, std::ptrdiff_t stride) {
    return i * Step * stride;
  }
};
/// `left` of them; for the others the first one is computed again and not stored.
struct RowsLeft {
  int left, step;
  KOKKOS_FORCEINLINE_FUNCTION bool has(int i) const { return i < left; }
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset(int i, std::ptrdiff_t stride) const {
    // A GPU chooses between numbers of 32 bits in half the time; a host saves a multiplication.
    if constexpr (is_device_code()) {
      return (i < left ? i * step : 0) * stride;
    } else {
      return i < left ? i * step * stride : 0;
    }
  }
};

// The registers of a row of a tile: which it has, where they start, how many lanes are in use
// (`lanes` may be more than a register has, which are then all in use).

/// All of them, Step apart; the last one starts Shift columns early, where it overlaps the one
/// before.
template <int Nr, int Step, int Shift = 0>
struct ColsApart {
  static constexpr int shift = Shift;
  int count;
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool has(int) { return true; }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int offset(int j) {
    return j * Step - (j == Nr - 1 ? Shift : 0);
  }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_whole(int) { return false; }
  KOKKOS_FORCEINLINE_FUNCTION int lanes(int) const { return count; }
};
/// `left` columns, W of them in a register, at least Whole registers; for what is missing the first
/// register is computed again.
template <int W, int Whole>
struct ColsLeft {
  static constexpr int shift = 0;
  int left;
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_whole(int j) { return j < Whole; }
  KOKKOS_FORCEINLINE_FUNCTION bool has(int j) const { return is_whole(j) || j * W < left; }
  KOKKOS_FORCEINLINE_FUNCTION int offset(int j) const { return has(j) ? j * W : 0; }
  KOKKOS_FORCEINLINE_FUNCTION int lanes(int j) const { return left - offset(j); }
};

/// Two registers, all of them; the second one starts anywhere.
struct ColsAt {
  static constexpr int shift = 0;
  int second;
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool has(int) { return true; }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_whole(int) { return true; }
  KOKKOS_FORCEINLINE_FUNCTION int offset(int j) const { return j == 0 ? 0 : second; }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int lanes(int) { return 0; }
};

template <Nest S, Plan P, class Acc, class X, class Y, class C, class Output>
struct Executor {
  static constexpr int row = S.of(Class::row) > 0 ? S.end(Class::row) - 1 : -1;
  static constexpr int col = S.of(Class::col) > 0 ? S.end(Class::col) - 1 : -1;
  // The mode that the lanes of a register run along.
  static constexpr int lane = P.lanes == 1 ? -1 : (P.batch_lanes ? S.end(Class::batch) - 1 : col);
  static consteval bool unit(const std::ptrdiff_t* stride) {
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

  // --- One tile: Mr x Nr registers of W lanes. Full: all lanes are known to be in use. ---

  static constexpr int last_sum = S.of(Class::sum) > 0 ? S.end(Class::sum) - 1 : -1;
  // The terms of a sum are neighbours in Y, and columns are not: several terms are read at a time.
  static constexpr bool reads_along_sum = lane >= 0 && lane == col && last_sum >= 0 && !unit_y &&
                                          S.y[last_sum >= 0 ? last_sum : 0] == 1;
  template <int W>
  static constexpr int terms_at_a_time = reads_along_sum && W > 1 ? transposed_block<Y, W> : 1;

  template <class Factors, int D, int W, bool Full, int Mr, int Nr, class Rows, class Cols>
  KOKKOS_FORCEINLINE_FUNCTION void accumulate(typename Factors::Sum (&sum)[Mr][Nr], const X* x,
                                              const Y* y, const Rows& rows,
                                              const Cols& cols) const {
    if constexpr (D < S.end(Class::sum)) {
      constexpr int terms = D == last_sum ? terms_at_a_time<W> : 1;
      const int extent = loops.template extent<D>();
      int k = 0;
      if constexpr (terms > 1) {
        for (; k + terms <= extent; k += terms) {
          add_terms<Factors, terms, W, Full>(sum, x, y, rows, cols);
          x += terms * loops.template x<D>();
          y += terms;
        }
      }
      const auto add_term = [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
        accumulate<Factors, D + 1, W, Full>(sum, x, y, rows, cols);
        x += loops.template x<D>();
        y += loops.template y<D>();
      };
      if constexpr (P.rolled) {
        KOKKOSCONTRACT_NO_UNROLL
        for (; k < extent; ++k) add_term();
      } else {
        for (; k < extent; ++k) add_term();
      }
    } else {
      add_terms<Factors, 1, W, Full>(sum, x, y, rows, cols);
    }
  }

  /// Adds the next terms of the last sum.
  template <class Factors, int Terms, int W, bool Full, int Mr, int Nr, class Rows, class Cols>
  KOKKOS_FORCEINLINE_FUNCTION void add_terms(typename Factors::Sum (&sum)[Mr][Nr], const X* x,
                                             const Y* y, const Rows& rows, const Cols& cols) const {
    typename Factors::Column b[Terms][Nr];
    // Along the columns the lanes follow each other; along a batch they are the same column.
    const auto read_column = [&](int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int column = cols.offset(j) + (P.apart_in_y && j == Nr - 1 ? Cols::shift : 0);
      const Y* yij = y + rows.offset(i, y_stride<row>()) + column * y_stride<col>();
      if constexpr (W == 1) {
        b[0][j] = Factors::template column<S.conjugate_y>(convert<Acc>(*yij));
      } else if constexpr (Terms == 1) {
        const auto read = [&]<bool Whole>() KOKKOSCONTRACT_INLINE_LAMBDA {
          return load<W, unit_y, Whole>(yij, y_stride<lane>(), cols.lanes(j));
        };
        b[0][j] = Factors::template column<S.conjugate_y>(
            cols.is_whole(j) ? read.template operator()<true>() : read.template operator()<Full>());
      } else {
        register_t<Y, W> term[Terms];
        if (cols.is_whole(j)) {
          load_transposed<W, true>(yij, y_stride<lane>(), W, term);
        } else {
          load_transposed<W, Full>(yij, y_stride<lane>(), cols.lanes(j), term);
        }
        KOKKOSCONTRACT_UNROLL
        for (int t = 0; t < Terms; ++t) {
          b[t][j] = Factors::template column<S.conjugate_y>(term[t]);
        }
      }
    };
    if constexpr (!S.has_x) {
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        KOKKOSCONTRACT_UNROLL
        for (int j = 0; j < Nr; ++j) {
          read_column(i, j);
          KOKKOSCONTRACT_UNROLL
          for (int t = 0; t < Terms; ++t) {
            // Without a sum, -0 stays -0.
            sum[i][j] = Factors::template add<S.of(Class::sum) == 0>(sum[i][j], b[t][j]);
          }
        }
      }
    } else {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < Nr; ++j) read_column(0, j);
      KOKKOSCONTRACT_UNROLL
      for (int t = 0; t < Terms; ++t) {
        KOKKOSCONTRACT_UNROLL
        for (int i = 0; i < Mr; ++i) {
          const X* xi = x + rows.offset(i, x_stride<row>()) + t * x_stride<last_sum>();
          typename Factors::Multiplier a;
          if constexpr (W == 1) {
            a = Factors::multiplier(Factors::template column<S.conjugate_x>(convert<Acc>(*xi)));
          } else if constexpr (P.batch_lanes) {
            a = Factors::multiplier(Factors::template column<S.conjugate_x>(
                load<W, unit_x, Full>(xi, x_stride<lane>(), cols.lanes(0))));
          } else {
            a = Factors::template multiplier_of<S.conjugate_x>(*xi);
          }
          KOKKOSCONTRACT_UNROLL
          for (int j = 0; j < Nr; ++j) sum[i][j] = Factors::add_product(sum[i][j], a, b[t][j]);
        }
      }
    }
  }

  /// value(i, j, sum) for every element.
  template <class Factors, int Mr, int Nr, int W, bool Full, class Rows, class Cols, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void sums(const X* x, const Y* y, const Rows& rows, const Cols& cols,
                                        const Value& value) const {
    typename Factors::Sum sum[Mr][Nr];
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < Nr; ++j) sum[i][j] = Factors::zero();
    }
    if (multiplies) accumulate<Factors, S.begin(Class::sum), W, Full>(sum, x, y, rows, cols);
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < Nr; ++j) {
        value(i, j, S.has_x ? Factors::finish(sum[i][j]) : Factors::added(sum[i][j]));
      }
    }
  }

  /// Register by register of a pack, from Part on.
  template <int Part, int W, bool Full, int Mr, int Nr, class Rows, class Cols>
  KOKKOS_FORCEINLINE_FUNCTION void sums_in_parts(Acc (&value)[Mr][Nr], const X* x, const Y* y,
                                                 const Rows& rows, const Cols& cols) const {
    using Factors = Product<Acc, W, Part>;
    sums<Factors, Mr, Nr, W, Full>(x, y, rows, cols,
                                   [&](int i, int j, const auto& sum) KOKKOSCONTRACT_INLINE_LAMBDA {
                                     Factors::write(value[i][j], sum);
                                   });
    if constexpr (Part + 1 < Factors::parts) {
      sums_in_parts<Part + 1, W, Full>(value, x, y, rows, cols);
    }
  }

  template <int Mr, int Nr, int W, bool Full, class Rows, class Cols>
  KOKKOS_FORCEINLINE_FUNCTION void tile(const X* x, const Y* y, C* c, const Rows& rows,
                                        const Cols& cols) {
    constexpr int parts = Product<Acc, W>::parts;
    if constexpr (parts == 0) {
      register_t<Acc, W> value[Mr][Nr];
      sums<Product<Acc, W>, Mr, Nr, W, Full>(
          x, y, rows, cols,
          [&](int i, int j, const auto& sum) KOKKOSCONTRACT_INLINE_LAMBDA { value[i][j] = sum; });
      put<Mr, Nr, W, Full>(c, rows, cols,
                           [&](int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA { return value[i][j]; });
    } else {
      Acc value[Mr][Nr];
      sums_in_parts<0, W, Full>(value, x, y, rows, cols);
      put<Mr, Nr, W, Full>(c, rows, cols, [&](int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        return to_register(value[i][j]);
      });
    }
  }

  template <int Mr, int Nr, int W, bool Full, class Rows, class Cols, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, const Rows& rows, const Cols& cols,
                                       const Value& value_of) {
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < Nr && rows.has(i) && cols.has(j); ++j) {
        const auto value = value_of(i, j);
        const int first_col = cols.offset(j);
        C* cij = c + rows.offset(i, c_stride<row>()) + first_col * c_stride<col>();
        if constexpr (Output::needs_indices) {
          if constexpr (row >= 0) index[row] += static_cast<int>(rows.offset(i, 1));
          if constexpr (col >= 0) index[col] += first_col;
        }
        if (Cols::shift > 0 && j == Nr - 1) {
          output.template put<W, unit_c, Full, Cols::shift, lane>(cij, c_stride<lane>(), value,
                                                                  cols.lanes(j), index);
        } else if (cols.is_whole(j)) {
          output.template put<W, unit_c, true, 0, lane>(cij, c_stride<lane>(), value, W, index);
        } else {
          output.template put<W, unit_c, Full, 0, lane>(cij, c_stride<lane>(), value, cols.lanes(j),
                                                        index);
        }
        if constexpr (Output::needs_indices) {
          if constexpr (row >= 0) index[row] -= static_cast<int>(rows.offset(i, 1));
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
    constexpr unsigned height = P.rows[Kind];
    if constexpr (height == 0) {
      return 0;
    } else if constexpr (P.rows_vary) {
      return (rows + height - 1) / height;
    } else {
      return (Kind == 0 ? rows : rows % static_cast<unsigned>(P.rows[0])) / height;
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
    } else if constexpr (Kind == 1 || P.cols[1] == 0 || P.cols_vary) {
      return main;
    } else {
      constexpr unsigned step1 = P.cols[1] * col_lanes;
      return main + (cols - main) / step1 * step1;
    }
  }

  template <int Kind>
  KOKKOS_FORCEINLINE_FUNCTION int col_tiles() const {
    const unsigned left = extent_or_1<col>() - col_begin<Kind>();
    constexpr unsigned lanes = col_lanes;
    if constexpr (!has_cols<Kind>) {
      return 0;
    } else if constexpr (P.cols_vary && Kind > 0) {
      const bool one_register = left <= lanes;
      return left > 0 && one_register == (Kind == 2 || P.cols[0] == 1) ? 1 : 0;
    } else if constexpr (Kind == 2) {
      return left > 0 ? 1 : 0;
    } else {
      constexpr unsigned columns = width<Kind> * lanes;
      return shift<Kind> > 0 ? 1 : left / columns;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION auto rows_from(int i0) const {
    if constexpr (P.rows_vary) {
      return RowsLeft{extent_or_1<row>() - i0, 1};
    } else {
      return RowsApart<1>{};
    }
  }

  /// A tile of row kind R and column kind J from row i0 and column j0 on.
  template <int R, int J>
  KOKKOSCONTRACT_INLINE_FUNCTION void tile_from(const X* x, const Y* y, C* c, int i0, int j0) {
    constexpr int height = P.rows[R];
    constexpr int w = width<J>;
    const auto rows = rows_from(i0);
    const int left = extent_or_1<col>() - j0;
    if constexpr (P.batch_lanes) {
      const int count = extent_or_1<lane>() - index[lane];
      if (count >= P.lanes) {
        tile<height, w, P.lanes, true>(x, y, c, rows, ColsApart<w, 1>{P.lanes});
      } else {
        tile<height, w, P.lanes, false>(x, y, c, rows, ColsApart<w, 1>{count});
      }
    } else if constexpr (P.cols_vary && J > 0) {
      tile<height, w, P.lanes, false>(x, y, c, rows, ColsLeft<P.lanes, J == 1 ? 1 : 0>{left});
    } else if constexpr (J == 2) {
      constexpr int lanes = P.tail_lanes;
      constexpr bool full = S.extent[col] % P.lanes == lanes;
      tile<height, 1, lanes, full>(x, y, c, rows, ColsApart<1, lanes>{left});
    } else {
      tile<height, w, P.lanes, true>(x, y, c, rows, ColsApart<w, P.lanes, shift<J>>{P.lanes});
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
    tile_from<R, J>(x, y, c, i0, j0);
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

  KOKKOSCONTRACT_INLINE_FUNCTION void locate(std::ptrdiff_t t, const X*& x, const Y*& y, C*& c) {
    for_digits<0, first_sum - 1>(
        t, [&]<int I>() KOKKOSCONTRACT_INLINE_LAMBDA { return trips<I>(); },
        [&]<int I>(std::ptrdiff_t digit) KOKKOSCONTRACT_INLINE_LAMBDA {
          if constexpr (I != row && I != col) {
            const std::ptrdiff_t at = digit * step<I>;
            if constexpr (Output::needs_indices || I == lane) index[I] = static_cast<int>(at);
            x += at * x_stride<I>();
            y += at * y_stride<I>();
            c += at * c_stride<I>();
          }
        });
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
      block = begin;
      j = static_cast<int>(take_digit(block, cols));
      i = static_cast<int>(take_digit(block, rows));
    }
    for (std::ptrdiff_t t = begin; t < end; ++block) {
      const X* xt = x;
      const Y* yt = y;
      C* ct = c;
      locate(block, xt, yt, ct);
      for (; i < rows && t < end; ++i) {
        for (; j < cols && t < end; ++j, ++t) pick(xt, yt, ct, i, j);
        j = 0;
      }
      i = 0;
    }
  }

  /// Two tiles of one or two registers a row; what belongs to both is computed and stored twice,
  /// which takes less than to ask what there is.
  KOKKOSCONTRACT_INLINE_FUNCTION void overlapping_tiles(const X* x, const Y* y, C* c) {
    constexpr int height = P.rows[0];
    const int cols = extent_or_1<col>();
    for (const int i : {0, extent_or_1<row>() - height}) {
      const X* xi = x + i * x_stride<row>();
      C* ci = c + i * c_stride<row>();
      if constexpr (P.cols[0] == 1) {
        tile<height, 1, P.lanes, false>(xi, y, ci, RowsApart<1>{}, ColsLeft<P.lanes, 0>{cols});
      } else {
        tile<height, 2, P.lanes, true>(xi, y, ci, RowsApart<1>{}, ColsAt{cols - P.lanes});
      }
    }
  }

  // Where several tiles of rows would transpose the same part of a small Y in registers, it is
  // transposed once, on the stack.
  static consteval bool transposes() {
    if constexpr (reads_along_sum && S.end(Class::sum) == 3 && row >= 0) {
      constexpr std::ptrdiff_t rows = S.extent[row];
      constexpr std::ptrdiff_t cols = S.extent[col];
      constexpr std::ptrdiff_t terms = S.extent[last_sum];
      if constexpr (rows == dynamic || cols == dynamic || terms == dynamic) {
        return false;
      } else {
        return terms_at_a_time<P.lanes> > 1 && rows > P.rows[0] &&
               cols <= most_transposed_elements && terms <= most_transposed_elements &&
               (cols + P.lanes) * terms <= most_transposed_elements;
      }
    } else {
      return false;
    }
  }

  KOKKOSCONTRACT_INLINE_FUNCTION void run_transposed(const X* x, const Y* y, C* c) {
    constexpr int lanes = P.lanes;
    constexpr int block = terms_at_a_time<lanes>;
    constexpr int terms = S.extent[last_sum];
    constexpr int cols = S.extent[col];
    constexpr int padded = (cols + lanes - 1) / lanes * lanes;
    constexpr Nest transposed = [] {
      Nest nest = S;
      nest.y[col] = 1;
      nest.y[last_sum] = padded;
      return nest;
    }();
    // A register that overlaps the one before would wait for two that were just stored.
    constexpr Plan apart = [] {
      Plan plan = P;
      plan.apart_in_y = true;
      return plan;
    }();
    alignas(register_t<Y, lanes>) Y packed[terms * padded];
    const auto columns = [&]<bool Full>(int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      const Y* from = y + j * y_stride<col>();
      Y* to = packed + (j + lanes - 1) / lanes * lanes;
      int k = 0;
      for (; k + block <= terms; k += block) {
        register_t<Y, lanes> term[block];
        load_transposed<lanes, Full>(from + k, y_stride<col>(), cols - j, term);
        KOKKOSCONTRACT_UNROLL
        for (int t = 0; t < block; ++t) {
          store<lanes, true, true>(to + (k + t) * padded, 1, term[t], lanes);
        }
      }
      for (; k < terms; ++k) {
        store<lanes, true, true>(to + k * padded, 1,
                                 load<lanes, false, Full>(from + k, y_stride<col>(), cols - j),
                                 lanes);
      }
    };
    if (multiplies) {
      int j = 0;
      for (; j + lanes <= cols; j += lanes) columns.template operator()<true>(j);
      if constexpr (P.overlap > 0) {
        columns.template operator()<true>(cols - lanes);
      } else if constexpr (cols % lanes != 0) {
        columns.template operator()<false>(j);
      }
    }
    Loops<transposed> inner;
    for (int i = 0; i < Loops<S>::size; ++i) {
      inner.extents[i] = loops.extents[i];
      inner.xs[i] = loops.xs[i];
      inner.cs[i] = loops.cs[i];
    }
    Executor<transposed, apart, Acc, X, Y, C, Output>{inner, output, multiplies}.template serial<0>(
        x, packed, c);
  }

  template <Level L>
  KOKKOSCONTRACT_INLINE_FUNCTION void run(const L& level, const X* x, const Y* y, C* c) {
    if constexpr (P.overlaps) {
      overlapping_tiles(x, y, c);
    } else if constexpr (is_single_worker<L>() && transposes()) {
      run_transposed(x, y, c);
    } else if constexpr (is_single_worker<L>()) {
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
