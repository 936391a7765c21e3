// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_MICROKERNEL_HPP
#define KOKKOSCONTRACT_PRODUCT_MICROKERNEL_HPP

// One tile of a nest. Its sums stay in registers, and are stored when they are complete.

#include <KokkosContract/core/Product.hpp>
#include <KokkosContract/product/Output.hpp>
#include <KokkosContract/product/Plan.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

// The rows of a tile: the rows that it has, and their distance from the first row.

/// All rows, Step apart.
template <int Step>
struct RowsApart {
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool has(int) { return true; }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t offset(int i, std::ptrdiff_t stride) {
    return i * Step * stride;
  }
};
/// `left` rows. For the others the first row is computed again and not stored.
struct RowsLeft {
  int left, step;
  KOKKOS_FORCEINLINE_FUNCTION bool has(int i) const { return i < left; }
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset(int i, std::ptrdiff_t stride) const {
    // A GPU chooses between values of 32 bits in half the time; a host saves a multiplication.
    if constexpr (is_device_code()) {
      return (i < left ? i * step : 0) * stride;
    } else {
      return i < left ? i * step * stride : 0;
    }
  }
};

// The registers of a row of a tile: the registers that it has, their first columns, and the lanes
// in use. `lanes` may exceed the lanes of a register, which are then all in use.

/// All registers, Step apart. The last one starts Shift columns early, where it overlaps the one
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
/// `left` columns, W of them in a register, and at least Whole registers. For missing registers the
/// first one is computed again.
template <int W, int Whole>
struct ColsLeft {
  static constexpr int shift = 0;
  int left;
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_whole(int j) { return j < Whole; }
  KOKKOS_FORCEINLINE_FUNCTION bool has(int j) const { return is_whole(j) || j * W < left; }
  KOKKOS_FORCEINLINE_FUNCTION int offset(int j) const { return has(j) ? j * W : 0; }
  KOKKOS_FORCEINLINE_FUNCTION int lanes(int j) const { return left - offset(j); }
};

/// Two registers, both complete. The second one starts at any column.
struct ColsAt {
  static constexpr int shift = 0;
  int second;
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool has(int) { return true; }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_whole(int) { return true; }
  KOKKOS_FORCEINLINE_FUNCTION int offset(int j) const { return j == 0 ? 0 : second; }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr int lanes(int) { return 0; }
};

/// The facts about a nest's strides, and one tile of the nest.
template <Nest S, Plan P, class Acc, class X, class Y, class C, class Output>
struct Microkernel {
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

  // One tile of Mr x Nr registers of W lanes. Full: all lanes are known to be in use.

  static constexpr int last_sum = S.of(Class::sum) > 0 ? S.end(Class::sum) - 1 : -1;
  // Whether several terms are read at a time: the terms of a sum are neighbours in Y, and columns
  // are not.
  static constexpr bool reads_along_sum = lane >= 0 && lane == col && last_sum >= 0 && !unit_y &&
                                          S.y[last_sum >= 0 ? last_sum : 0] == 1;
  template <int W>
  static constexpr int terms_at_a_time =
      W == 1 ? P.x_terms : (reads_along_sum ? transposed_block<Y, W> : 1);

  template <class Factors, int D, int W, bool Full, int Mr, int Nr, class Rows, class Cols>
  KOKKOS_FORCEINLINE_FUNCTION void accumulate(typename Factors::Sum (&sum)[Mr][Nr], const X* x,
                                              const Y* y, const Rows& rows,
                                              const Cols& cols) const {
    if constexpr (D < S.end(Class::sum)) {
      constexpr int terms = D == last_sum ? terms_at_a_time<W> : 1;
      const auto extent = loops.template extent<D>();
      std::remove_const_t<decltype(extent)> k = 0;
      if constexpr (terms > 1) {
        for (; k + terms <= extent; k += terms) {
          add_terms<Factors, terms, W, Full>(sum, x, y, rows, cols);
          x += terms * loops.template x<D>();
          y += terms * loops.template y<D>();
        }
      }
      const auto add_term = [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
        accumulate<Factors, D + 1, W, Full>(sum, x, y, rows, cols);
        // Short sums take longer if the compiler vectorises their terms.
        if constexpr (P.apart && S.extent[D] == dynamic) keep_apart(sum[0][0]);
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

  /// Reads register j of the next terms from a row of Y. Along the columns the lanes are
  /// consecutive columns; along a batch they are the same column.
  template <class Factors, int W, bool Full, int Terms, int Nr, class Cols>
  KOKKOS_FORCEINLINE_FUNCTION void read_column(typename Factors::Column (&b)[Terms][Nr],
                                               const Y* yi, int j, const Cols& cols) const {
    const int column = cols.offset(j) + (P.apart_in_y && j == Nr - 1 ? Cols::shift : 0);
    const Y* yij = yi + column * y_stride<col>();
    if constexpr (W == 1) {
      KOKKOSCONTRACT_UNROLL
      for (int t = 0; t < Terms; ++t) {
        b[t][j] =
            Factors::template column<S.conjugate_y>(convert<Acc>(yij[t * y_stride<last_sum>()]));
      }
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
  }

  /// Reads an element of X, for all lanes of a register.
  template <class Factors, int W, bool Full, class Cols>
  KOKKOS_FORCEINLINE_FUNCTION typename Factors::Multiplier read_multiplier(const X* xi,
                                                                           const Cols& cols) const {
    if constexpr (W == 1) {
      return Factors::multiplier(Factors::template column<S.conjugate_x>(convert<Acc>(*xi)));
    } else if constexpr (P.batch_lanes) {
      return Factors::multiplier(Factors::template column<S.conjugate_x>(
          load<W, unit_x, Full>(xi, x_stride<lane>(), cols.lanes(0))));
    } else {
      return Factors::template multiplier_of<S.conjugate_x>(*xi);
    }
  }

  /// Adds the next terms of the last sum, which are elements of Y.
  template <class Factors, int Terms, int W, bool Full, int Mr, int Nr, class Rows, class Cols>
  KOKKOS_FORCEINLINE_FUNCTION void add_elements(typename Factors::Sum (&sum)[Mr][Nr], const Y* y,
                                                const Rows& rows, const Cols& cols) const {
    typename Factors::Column b[Terms][Nr];
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < Nr; ++j) {
        read_column<Factors, W, Full>(b, y + rows.offset(i, y_stride<row>()), j, cols);
        KOKKOSCONTRACT_UNROLL
        for (int t = 0; t < Terms; ++t) {
          // Without a sum, -0 stays -0.
          sum[i][j] = Factors::template add<S.of(Class::sum) == 0>(sum[i][j], b[t][j]);
        }
      }
    }
  }

  /// Adds the next terms of the last sum.
  template <class Factors, int Terms, int W, bool Full, int Mr, int Nr, class Rows, class Cols>
  KOKKOS_FORCEINLINE_FUNCTION void add_terms(typename Factors::Sum (&sum)[Mr][Nr], const X* x,
                                             const Y* y, const Rows& rows, const Cols& cols) const {
    if constexpr (!S.has_x) {
      add_elements<Factors, Terms, W, Full>(sum, y, rows, cols);
    } else {
      typename Factors::Column b[Terms][Nr];
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < Nr; ++j) {
        read_column<Factors, W, Full>(b, y + rows.offset(0, y_stride<row>()), j, cols);
      }
      constexpr bool x_by_vectors = W == 1 && Terms > 1;
      using XTerms = NeighboursOf<std::remove_const_t<X>, x_by_vectors ? Terms : 1>;
      [[maybe_unused]] XTerms x_terms[x_by_vectors ? Mr : 1];
      if constexpr (x_by_vectors) {
        KOKKOSCONTRACT_UNROLL
        for (int i = 0; i < Mr; ++i) {
          x_terms[i] = *reinterpret_cast<const XTerms*>(x + rows.offset(i, x_stride<row>()));
        }
      }
      KOKKOSCONTRACT_UNROLL
      for (int t = 0; t < Terms; ++t) {
        KOKKOSCONTRACT_UNROLL
        for (int i = 0; i < Mr; ++i) {
          typename Factors::Multiplier a;
          if constexpr (x_by_vectors) {
            a = Factors::multiplier(
                Factors::template column<S.conjugate_x>(convert<Acc>(x_terms[i].element[t])));
          } else {
            const X* xi = x + rows.offset(i, x_stride<row>()) + t * x_stride<last_sum>();
            a = read_multiplier<Factors, W, Full>(xi, cols);
          }
          KOKKOSCONTRACT_UNROLL
          for (int j = 0; j < Nr; ++j) sum[i][j] = Factors::add_product(sum[i][j], a, b[t][j]);
        }
      }
    }
  }

  // In the functions below, the terms of a sum are neighbours in memory. The lanes of registers are
  // terms of one sum, and the sums of W such registers are one register of the output.

  /// The number of terms that are consecutive in X and Y over modes D and later of the sum; 0 if
  /// there is a gap between some of them.
  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t neighbours() const {
    const std::ptrdiff_t extent = loops.template extent<D>();
    if constexpr (D == last_sum) {
      return extent;
    } else {
      const std::ptrdiff_t inner = neighbours<D + 1>();
      const bool follow =
          loops.template y<D>() == inner && (!S.has_x || loops.template x<D>() == inner);
      return extent == 1 || follow ? extent * inner : 0;
    }
  }
  /// Counts such terms from the first mode on that has some.
  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t terms_of_line() const {
    const std::ptrdiff_t terms = neighbours<D>();
    if constexpr (D == last_sum) {
      return terms;
    } else {
      return terms > 0 ? terms : terms_of_line<D + 1>();
    }
  }

  /// Whether registers along the sum take less time than registers along the output.
  KOKKOS_FORCEINLINE_FUNCTION bool has_enough_terms() const {
    return are_enough_terms(terms_of_line<S.begin(Class::sum)>(), P.lanes);
  }

  /// Adds this number of terms to G sums. far_x and far_y are the offsets of the operands of each
  /// sum.
  template <int W, int G>
  KOKKOS_FORCEINLINE_FUNCTION void add_lines(Vec<Acc, W> (&sum)[G], const X* x, const Y* y,
                                             const std::ptrdiff_t (&far_x)[G],
                                             const std::ptrdiff_t (&far_y)[G], int used,
                                             std::ptrdiff_t terms) const {
    const auto add = [&]<bool Whole>(std::ptrdiff_t k, int count) KOKKOSCONTRACT_INLINE_LAMBDA {
      [[maybe_unused]] Vec<Acc, W> a;
      if constexpr (S.has_x) a = load<W, true, Whole>(x + k, 1, count);
      KOKKOSCONTRACT_UNROLL
      for (int g = 0; g < G; ++g) {
#if defined(__GNUC__)
        if (__builtin_constant_p(used) && g >= used) continue;
#endif
        const Vec<Acc, W> b = load<W, true, Whole>(y + far_y[g] + k, 1, count);
        if constexpr (!S.has_x) {
          sum[g] = sum[g] + b;
        } else {
          if constexpr (P.batch_lanes) a = load<W, true, Whole>(x + far_x[g] + k, 1, count);
          sum[g] = multiply_add(sum[g], a, b);
        }
      }
    };
    std::ptrdiff_t k = 0;
    if constexpr (P.is_one_tile) {
      return add.template operator()<false>(k, static_cast<int>(terms));
    }
    for (; k + W <= terms; k += W) add.template operator()<true>(k, W);
    if (k < terms) add.template operator()<false>(k, static_cast<int>(terms - k));
  }

  template <int D, int W, int G>
  KOKKOS_FORCEINLINE_FUNCTION void accumulate_lines(Vec<Acc, W> (&sum)[G], const X* x, const Y* y,
                                                    const std::ptrdiff_t (&far_x)[G],
                                                    const std::ptrdiff_t (&far_y)[G],
                                                    int used) const {
    const std::ptrdiff_t terms = neighbours<D>();
    if constexpr (D == last_sum) {
      add_lines(sum, x, y, far_x, far_y, used, terms);
    } else {
      if (terms > 0) return add_lines(sum, x, y, far_x, far_y, used, terms);
      const auto extent = loops.template extent<D>();
      for (std::remove_const_t<decltype(extent)> k = 0; k < extent; ++k) {
        accumulate_lines<D + 1>(sum, x, y, far_x, far_y, used);
        x += loops.template x<D>();
        y += loops.template y<D>();
      }
    }
  }

  /// The sums of the first Most lanes of the output. Those from `count` on are arbitrary.
  template <int W, int Most>
  KOKKOS_FORCEINLINE_FUNCTION Vec<Acc, W> sums_of_lines(const X* x, const Y* y, int count) const {
    constexpr int group = Most < 8 ? Most : 8;
    Vec<Acc, W> lane_sum[Most];
    KOKKOSCONTRACT_UNROLL
    for (int first = 0; first < Most; first += group) {
      Vec<Acc, W> sum[group];
      std::ptrdiff_t far_x[group];
      std::ptrdiff_t far_y[group];
      KOKKOSCONTRACT_UNROLL
      for (int g = 0; g < group; ++g) {
        sum[g] = Vec<Acc, W>::splat(Acc(0));
        const int l = first + g < count ? first + g : count - 1;
        far_x[g] = l * x_stride<lane>();
        far_y[g] = l * y_stride<lane>();
      }
      accumulate_lines<S.begin(Class::sum)>(sum, x, y, far_x, far_y, count - first);
      KOKKOSCONTRACT_UNROLL
      for (int g = 0; g < group; ++g) lane_sum[first + g] = sum[g];
    }
    return sums_of_lanes(lane_sum);
  }

  /// Calls value(i, j, sum) for every element.
  template <class Factors, int Mr, int Nr, int W, bool Full, class Rows, class Cols, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void sums(const X* x, const Y* y, const Rows& rows, const Cols& cols,
                                        const Value& value) const {
    typename Factors::Sum sum[Mr][Nr];
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < Nr; ++j) sum[i][j] = Factors::zero();
    }
    constexpr bool has_terms = P.along_sum && (P.is_one_tile || P.has_terms);
    if constexpr (P.along_sum && W > 1) {
      static_assert(Mr == 1 && Nr == 1);
      if (multiplies && (has_terms || has_enough_terms())) {
        const std::ptrdiff_t at = cols.offset(0) * y_stride<col>();
        const int count = Full ? W : cols.lanes(0);
        if constexpr (!Full && !P.is_one_tile && W >= 8) {
          if (count <= W / 2) return value(0, 0, sums_of_lines<W, W / 2>(x, y + at, count));
        }
        return value(0, 0, sums_of_lines<W, W>(x, y + at, count));
      }
    }
    if constexpr (!has_terms) {
      if (multiplies) accumulate<Factors, S.begin(Class::sum), W, Full>(sum, x, y, rows, cols);
    }
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < Nr; ++j) {
        if constexpr (P.apart) keep_apart(sum[i][j]);
        value(i, j, S.has_x ? Factors::finish(sum[i][j]) : Factors::added(sum[i][j]));
      }
    }
  }

  /// Computes the sums of a pack register by register, from Part on.
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
    if constexpr (P.begins_with_c && is_linear<Output> && std::is_same_v<C, Acc>) {
      if (output.is_known_to_add() && multiplies) {
        Acc value[Mr][Nr];
        const auto element = [&](int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
          return c + rows.offset(i, c_stride<row>()) + cols.offset(j) * c_stride<col>();
        };
        KOKKOSCONTRACT_UNROLL
        for (int i = 0; i < Mr; ++i) {
          KOKKOSCONTRACT_UNROLL
          for (int j = 0; j < Nr; ++j) value[i][j] = *element(i, j);
        }
        accumulate<Product<Acc, W>, S.begin(Class::sum), W, Full>(value, x, y, rows, cols);
        KOKKOSCONTRACT_UNROLL
        for (int i = 0; i < Mr; ++i) {
          KOKKOSCONTRACT_UNROLL
          for (int j = 0; j < Nr; ++j) *element(i, j) = value[i][j];
        }
        return;
      }
    }
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
      for (int j = 0; j < Nr; ++j) {
        if (!rows.has(i) || !cols.has(j)) break;
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
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
