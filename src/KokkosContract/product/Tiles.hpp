// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_TILES_HPP
#define KOKKOSCONTRACT_PRODUCT_TILES_HPP

// Runs a nest by its plan on a level. Every tile of C is computed by one worker, so no barrier is
// needed in between; the caller ends with one.

#include <KokkosContract/core/Digits.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/product/Algorithm.hpp>
#include <KokkosContract/product/Microkernel.hpp>
#include <algorithm>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <Nest S, Plan P, class Acc, class X, class Y, class C, class Output>
struct Executor : Microkernel<S, P, Acc, X, Y, C, Output> {
  using Base = Microkernel<S, P, Acc, X, Y, C, Output>;
  using Base::col;
  using Base::index;
  using Base::lane;
  using Base::last_sum;
  using Base::loops;
  using Base::multiplies;
  using Base::output;
  using Base::reads_along_sum;
  using Base::row;

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
    const unsigned rows = this->template extent_or_1<row>();
    constexpr unsigned height = P.rows[Kind];
    if constexpr (height == 0) {
      return 0;
    } else if constexpr (P.rows_vary) {
      return (rows + height - 1) / height;
    } else {
      return (Kind == 0 ? rows : rows % static_cast<unsigned>(P.rows[0])) / height;
    }
  }

  /// Number of lanes by which the last register of a tile overlaps the one before.
  template <int Kind>
  static constexpr int shift = Kind == 1 ? P.overlap : 0;

  /// Number of columns before the tiles of a kind.
  template <int Kind>
  KOKKOS_FORCEINLINE_FUNCTION int col_begin() const {
    constexpr unsigned step0 = P.cols[0] * col_lanes > 0 ? P.cols[0] * col_lanes : 1;
    const unsigned cols = this->template extent_or_1<col>();
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
    const unsigned left = this->template extent_or_1<col>() - col_begin<Kind>();
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
      return RowsLeft{this->template extent_or_1<row>() - i0, 1};
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
    const int left = this->template extent_or_1<col>() - j0;
    if constexpr (P.batch_lanes) {
      const int count = this->template extent_or_1<lane>() - index[lane];
      if (count >= P.lanes) {
        this->template tile<height, w, P.lanes, true>(x, y, c, rows, ColsApart<w, 1>{P.lanes});
      } else {
        this->template tile<height, w, P.lanes, false>(x, y, c, rows, ColsApart<w, 1>{count});
      }
    } else if constexpr (P.cols_vary && J > 0) {
      this->template tile<height, w, P.lanes, false>(x, y, c, rows,
                                                     ColsLeft<P.lanes, J == 1 ? 1 : 0>{left});
    } else if constexpr (J == 2) {
      constexpr int lanes = P.tail_lanes;
      constexpr bool full = S.extent[col] % P.lanes == lanes;
      this->template tile<height, 1, lanes, full>(x, y, c, rows, ColsApart<1, lanes>{left});
    } else {
      this->template tile<height, w, P.lanes, true>(x, y, c, rows,
                                                    ColsApart<w, P.lanes, shift<J>>{P.lanes});
    }
  }

  /// Tile number `i` of row kind R and number `j` of column kind J, of the block at x, y, c.
  template <int R, int J>
  KOKKOSCONTRACT_INLINE_FUNCTION void tile_at(const X* x, const Y* y, C* c, int i, int j) {
    const int i0 = (R == 0 ? 0 : row_tiles<0>() * P.rows[0]) + i * P.rows[R];
    const int j0 = col_begin<J>() + j * width<J> * col_lanes;
    x += i0 * this->template x_stride<row>();
    y += i0 * this->template y_stride<row>() + j0 * this->template y_stride<col>();
    c += i0 * this->template c_stride<row>() + j0 * this->template c_stride<col>();
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

  /// Runs the tile of the block with row tile i and column tile j.
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

  /// The first mode around the blocks from mode `i` on, or the first mode of the sum.
  static consteval int outer_mode_from(int i) {
    while (i < first_sum && (i == row || i == col)) ++i;
    return i;
  }

  template <int From>
  KOKKOSCONTRACT_INLINE_FUNCTION void serial(const X* x, const Y* y, C* c) {
    constexpr int I = outer_mode_from(From);
    if constexpr (I == first_sum) {
      all_kinds(x, y, c, std::make_integer_sequence<int, row_kinds * col_kinds>{});
    } else {
      const int n = trips<I>();
      for (int t = 0; t < n; ++t) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(t) * step<I>;
        if constexpr (Output::needs_indices || I == lane) index[I] = static_cast<int>(at);
        serial<I + 1>(x + at * this->template x_stride<I>(), y + at * this->template y_stride<I>(),
                      c + at * this->template c_stride<I>());
      }
    }
  }

  KOKKOSCONTRACT_INLINE_FUNCTION void locate(std::ptrdiff_t t, const X*& x, const Y*& y, C*& c) {
    for_digits<0, first_sum - 1>(
        t, [&]<int I>() KOKKOSCONTRACT_INLINE_LAMBDA { return trips<I>(); },
        [&]<int I>(std::ptrdiff_t digit) KOKKOSCONTRACT_INLINE_LAMBDA {
          if constexpr (I != Base::row && I != Base::col) {
            const std::ptrdiff_t at = digit * step<I>;
            if constexpr (Output::needs_indices || I == Base::lane) {
              this->index[I] = static_cast<int>(at);
            }
            x += at * this->template x_stride<I>();
            y += at * this->template y_stride<I>();
            c += at * this->template c_stride<I>();
          }
        });
  }

  template <int... I>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t blocks(std::integer_sequence<int, I...>) const {
    return (std::ptrdiff_t{1} * ... * trips<I>());
  }

  /// Runs a worker's tiles: a contiguous range of tiles, numbered by block, row tile and column
  /// tile.
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

  /// Runs two tiles of one or two registers a row. Elements that belong to both are computed and
  /// stored twice, which takes less time than to test for them.
  KOKKOSCONTRACT_INLINE_FUNCTION void overlapping_tiles(const X* x, const Y* y, C* c) {
    constexpr int height = P.rows[0];
    const int cols = this->template extent_or_1<col>();
    for (const int i : {0, this->template extent_or_1<row>() - height}) {
      const X* xi = x + i * this->template x_stride<row>();
      C* ci = c + i * this->template c_stride<row>();
      if constexpr (P.cols[0] == 1) {
        this->template tile<height, 1, P.lanes, false>(xi, y, ci, RowsApart<1>{},
                                                       ColsLeft<P.lanes, 0>{cols});
      } else {
        this->template tile<height, 2, P.lanes, true>(xi, y, ci, RowsApart<1>{},
                                                      ColsAt{cols - P.lanes});
      }
    }
  }

  /// Runs the only tile. Some of its rows and columns may be out of bounds.
  KOKKOS_FORCEINLINE_FUNCTION void only_tile(const X* x, const Y* y, C* c) {
    this->template tile<P.rows[0], 1, P.lanes, false>(
        x, y, c, rows_from(0), ColsLeft<P.lanes, 0>{this->template extent_or_1<col>()});
  }

  // Whether a small Y is transposed once, on the stack. Several tiles of rows would otherwise
  // transpose the same part of it in registers.
  static consteval bool transposes() {
    if constexpr (reads_along_sum && S.end(Class::sum) == 3 && row >= 0) {
      constexpr std::ptrdiff_t rows = S.extent[row];
      constexpr std::ptrdiff_t cols = S.extent[col];
      constexpr std::ptrdiff_t terms = S.extent[last_sum];
      if constexpr (rows == dynamic || cols == dynamic || terms == dynamic) {
        return false;
      } else {
        return Base::template terms_at_a_time<P.lanes> > 1 && rows > P.rows[0] &&
               cols <= most_transposed_elements && terms <= most_transposed_elements &&
               (cols + P.lanes) * terms <= most_transposed_elements;
      }
    } else {
      return false;
    }
  }

  KOKKOSCONTRACT_INLINE_FUNCTION void run_transposed(const X* x, const Y* y, C* c) {
    constexpr int lanes = P.lanes;
    constexpr int block = Base::template terms_at_a_time<lanes>;
    constexpr int terms = S.extent[last_sum];
    constexpr int cols = S.extent[col];
    constexpr int padded = (cols + lanes - 1) / lanes * lanes;
    constexpr Nest transposed = [] {
      Nest nest = S;
      nest.y[col] = 1;
      nest.y[last_sum] = padded;
      return nest;
    }();
    // A register that overlaps the one before would wait for two registers that were just stored.
    constexpr Plan apart = [] {
      Plan plan = P;
      plan.apart_in_y = true;
      return plan;
    }();
    alignas(register_t<Y, lanes>) Y packed[terms * padded];
    const auto columns = [&]<bool Full>(int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      const Y* from = y + j * this->template y_stride<Base::col>();
      Y* to = packed + (j + lanes - 1) / lanes * lanes;
      int k = 0;
      for (; k + block <= terms; k += block) {
        register_t<Y, lanes> term[block];
        load_transposed<lanes, Full>(from + k, this->template y_stride<Base::col>(), cols - j,
                                     term);
        KOKKOSCONTRACT_UNROLL
        for (int t = 0; t < block; ++t) {
          store<lanes, true, true>(to + (k + t) * padded, 1, term[t], lanes);
        }
      }
      for (; k < terms; ++k) {
        store<lanes, true, true>(
            to + k * padded, 1,
            load<lanes, false, Full>(from + k, this->template y_stride<Base::col>(), cols - j),
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
    Executor<transposed, apart, Acc, X, Y, C, Output>{{inner, output, multiplies}}
        .template serial<0>(x, packed, c);
  }

  template <Level L>
  KOKKOSCONTRACT_INLINE_FUNCTION void run(const L& level, const X* x, const Y* y, C* c) {
    if constexpr (P.is_one_tile) {
      only_tile(x, y, c);
    } else if constexpr (P.overlaps) {
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

struct TileAlgorithm : AlgorithmDefaults<Way::tiles> {
  static constexpr const char* text = "tiles (a worker has tiles of C in registers)";

  template <class Atom, int N>
  static consteval bool fits(const Nest<N>&, const ProductFacts& facts) {
    return !facts.are_team();
  }

  template <Plan P, class Call>
  static KOKKOS_FORCEINLINE_FUNCTION auto executor(const Call& call) {
    return Executor<Call::nest, P, typename Call::Acc, typename Call::X, typename Call::Y,
                    typename Call::C, typename Call::Output>{
        {call.loops, call.output, call.multiplies}};
  }

  /// Computes sums of few terms of a batch by one worker, where alpha is not 0. The function is not
  /// inlined, because the code around it has other tiles. Its copy of the loops may be in
  /// registers.
  template <class Call>
  static KOKKOSCONTRACT_SHARED_FUNCTION void run_along_output(const Call& call) {
    Loops<Call::nest> loops = call.loops;
    const Call own{call.level, loops, call.output, true, call.x, call.y, call.c};
    executor<make_plan(Call::nest, Call::machine, false)>(own).run(own.level, own.x, own.y, own.c);
  }

  template <ProductChoice Chosen, class Call>
  static KOKKOSCONTRACT_INLINE_FUNCTION int run(const Call& call) {
    // A call takes longer than a test in the tiles of one output vector.
    constexpr bool splits =
        is_single_worker<typename Call::L>() && Call::nest.begin(Class::sum) > 1;
    constexpr Plan plan = [] {
      Plan any = make_plan(Call::nest, Call::machine, true, Chosen.tile);
      any.has_terms = any.along_sum && (splits || has_known_terms(Call::nest));
      return any;
    }();
    auto tiles = executor<plan>(call);
    if constexpr (plan.has_terms && !has_known_terms(Call::nest)) {
      if (call.multiplies && !tiles.has_enough_terms()) {
        run_along_output(call);
        return 0;
      }
    }
    tiles.run(call.level, call.x, call.y, call.c);
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
