// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_WARPVECTORS_HPP
#define KOKKOSCONTRACT_PRODUCT_WARPVECTORS_HPP

// Products by the MMA instructions whose lanes have several neighbouring terms (16-bit floats, and
// floats as TF32), by whole warps. A warp has a block of tiles in its registers, and reads its
// inputs from their own memory, which may be scratch memory. Terms may have any order if both
// inputs have the same, and so may columns. Therefore a lane reads neighbours as one vector where
// memory has neighbours: terms of a row of X, and terms of a column of Y or columns of a row of Y.
// Each lane has neighbouring columns of C.

#include <KokkosContract/block/Fragments.hpp>
#include <KokkosContract/nest/Offsets.hpp>
#include <KokkosContract/product/Algorithm.hpp>
#include <KokkosContract/product/Output.hpp>
#include <KokkosContract/product/WarpLoop.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// How a warp runs such a product.
struct VectorWarpPlan {
  bool possible = false;
  int rows = 0, cols = 0, sums = 0;  ///< of the product; 0: known at run time
  int height = 1, width = 1;         ///< tiles of a block
  int steps = 1;                     ///< steps of the atom whose terms are read together: a round
  int chunk = 1;                     ///< rounds whose fragments are in flight at a time
  bool is_unrolled = false;
  bool is_static = false;  ///< whether the number of columns is known
};

template <class Atom, int N>
consteval VectorWarpPlan vector_warp_plan(const Nest<N>& nest) {
  VectorWarpPlan plan{};
  plan.rows = static_size(nest, Class::row);
  plan.cols = static_size(nest, Class::col);
  plan.sums = static_size(nest, Class::sum);
  const auto is_enough = [](int size) { return size == 0 || size >= least_extent_of_vector_warps; };
  plan.possible = nest.has_x && nest.of(Class::row) > 0 && nest.of(Class::col) > 0 &&
                  nest.of(Class::sum) > 0 && is_enough(plan.rows) && is_enough(plan.cols) &&
                  is_enough(plan.sums);
  // The largest block of which at most one tile is out of bounds. Vectors have 1, 2 or 4 columns.
  const auto tiles_of_block = [](int size, int tile, int most) {
    const int tiles = (size + tile - 1) / tile;
    int block = most;
    while (size > 0 && block > 1 && (tiles + block - 1) / block * block > tiles + 1) block /= 2;
    return block;
  };
  plan.height = tiles_of_block(plan.rows, Atom::m, 2);
  plan.width = tiles_of_block(plan.cols, Atom::n, 4);
  const int steps = (plan.sums + Atom::k - 1) / Atom::k;
  const std::ptrdiff_t terms = nest.extent[nest.end(Class::sum) - 1];
  const bool has_pairs = terms == dynamic || terms % (2 * Atom::terms) == 0;
  plan.steps = has_pairs && (plan.sums == 0 || steps % 2 == 0 || steps > 4) ? 2 : 1;
  const int rounds = (steps + plan.steps - 1) / plan.steps;
  plan.chunk = plan.steps == 1 && rounds > 1 ? 2 : 1;
  plan.is_unrolled = plan.sums > 0 && rounds == 1;
  plan.is_static = plan.cols > 0;
  return plan;
}

template <class Machine, class Atom, Nest S, class C, class Output>
class VectorWarpExecutor : NestOffsets<S> {
  using T = typename Atom::X;
  using Acc = typename Atom::Acc;
  using Of = typename NestOffsets<S>::Of;
  static constexpr VectorWarpPlan plan = vector_warp_plan<Atom>(S);
  static constexpr int height = plan.height;
  static constexpr int width = plan.width;
  static constexpr int steps = plan.steps;
  static constexpr int each = Atom::terms * steps;  ///< neighbouring terms of a lane in a round
  static constexpr int terms_of_round = Atom::k * steps;
  static constexpr int halves = 2;            ///< a lane has two rows of a tile
  static constexpr int together = 2 * width;  ///< neighbouring columns of C that a lane has
  static constexpr int last_sum = S.end(Class::sum) - 1;
  static constexpr int last_col = S.end(Class::col) - 1;
  using Loop =
      WarpLoop<Machine, Atom, WarpShape{1, height, width, plan.chunk, steps, plan.is_unrolled}>;
  using Sums = typename Loop::Sums;

  /// What lanes access as vectors, if it is aligned.
  static constexpr bool x_by_terms = S.x[last_sum] == 1;
  static constexpr bool y_by_terms = S.y[last_sum] == 1;
  static constexpr bool y_by_cols = !y_by_terms && width > 1 && S.y[last_col] == 1;
  static constexpr int elements_of_store = [] {
    int count = together;
    const std::ptrdiff_t cols = S.extent[last_col];
    while (count > 1 &&
           (count * static_cast<int>(sizeof(C)) > 16 || (cols != dynamic && cols % count != 0))) {
      count /= 2;
    }
    return count;
  }();
  static constexpr bool c_by_cols = HasResult<Output, Acc, C> && S.c[last_col] == 1;

  const Output& output_;

  template <Class K>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t size_of() const {
    return this->loops.template product_of_extents<S.begin(K), S.end(K)>();
  }
  KOKKOS_FORCEINLINE_FUNCTION int rows() const { return static_cast<int>(size_of<Class::row>()); }
  KOKKOS_FORCEINLINE_FUNCTION int cols() const { return static_cast<int>(size_of<Class::col>()); }
  KOKKOS_FORCEINLINE_FUNCTION int sums() const { return static_cast<int>(size_of<Class::sum>()); }
  KOKKOS_FORCEINLINE_FUNCTION int row_blocks() const {
    return (rows() + height * Atom::m - 1) / (height * Atom::m);
  }
  KOKKOS_FORCEINLINE_FUNCTION int col_blocks() const {
    return (cols() + width * Atom::n - 1) / (width * Atom::n);
  }

  /// Whether vectors of N elements along mode Unit are aligned, and whole.
  template <Of O, int Unit, int N, class E>
  KOKKOS_FORCEINLINE_FUNCTION bool has_vectors(const E* data) const {
    bool all = reinterpret_cast<std::uintptr_t>(data) % (N * sizeof(E)) == 0 &&
               this->loops.template extent<Unit>() % N == 0;
    unrolled<S.end(Class::sum)>([&]<int m>(Number<m>) KOKKOSCONTRACT_INLINE_LAMBDA {
      if constexpr (m != Unit) all = all && this->template stride<O, m>() % N == 0;
    });
    return all;
  }

  /// A block, as the elements of a main loop. Vectors: what has neighbours is read as vectors.
  template <bool Vectors>
  class Block {
    const VectorWarpExecutor& nest_;
    int lane_;
    int row_;  // first row and column of the block
    int col_;
    const T* x_[height][halves];
    const T* y_[width];
    bool has_x_[height][halves];
    bool has_y_[width];

   public:
    /// The first term of the lane in a round, and the offsets of its terms.
    struct Terms {
      int first;
      std::ptrdiff_t x[each];
      std::ptrdiff_t y[each];
    };

    KOKKOS_FORCEINLINE_FUNCTION Block(const VectorWarpExecutor& executor, int row, int col,
                                      const T* x, const T* y)
        : nest_(executor), lane_(Machine::lane_of_warp()), row_(row), col_(col) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = 0; i < height; ++i) {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int h = 0; h < halves; ++h) {
          has_x_[i][h] = row_of(i, h) < nest_.rows();
          x_[i][h] = x + nest_.template offset_in<Of::x, Class::row>(row_of(i, h));
        }
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int j = 0; j < width; ++j) {
        const int column = col_ + lane_ / 4 * width + j;
        has_y_[j] = column < nest_.cols();
        y_[j] = y + nest_.template offset_in<Of::y, Class::col>(column);
      }
    }

    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int rounds() const {
      return (nest_.sums() + terms_of_round - 1) / terms_of_round;
    }
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Terms terms(int round) const {
      Terms found{};
      found.first = round * terms_of_round + lane_ % 4 * each;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int t = 0; t < each; ++t) {
        found.x[t] = nest_.template offset_in<Of::x, Class::sum>(found.first + t);
        found.y[t] = nest_.template offset_in<Of::y, Class::sum>(found.first + t);
      }
      return found;
    }

    KOKKOS_FORCEINLINE_FUNCTION void load_x(T (&to)[steps][Atom::x_each], const Terms& at, int,
                                            int i) const {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int h = 0; h < halves; ++h) {
        T of_row[each];
        read_terms<x_by_terms>(of_row, x_[i][h], at.x, at.first, has_x_[i][h]);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int t = 0; t < each; ++t) {
          to[t / Atom::terms][h * Atom::terms + t % Atom::terms] = of_row[t];
        }
      }
    }
    /// Reads all columns of tiles.
    KOKKOS_FORCEINLINE_FUNCTION void load_ys(T (&to)[width][steps][Atom::y_each], const Terms& at,
                                             int) const {
      if constexpr (Vectors && y_by_cols) {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int t = 0; t < each; ++t) {
          T of_term[width]{};
          if (has_y_[0] && at.first + t < nest_.sums()) {
            read_neighbours<width, 0, 1>(of_term, y_[0] + at.y[t]);
          }
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int j = 0; j < width; ++j) to[j][t / Atom::terms][t % Atom::terms] = of_term[j];
        }
      } else {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int j = 0; j < width; ++j) {
          T of_column[each];
          read_terms<y_by_terms>(of_column, y_[j], at.y, at.first, has_y_[j]);
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int t = 0; t < each; ++t) to[j][t / Atom::terms][t % Atom::terms] = of_column[t];
        }
      }
    }

    KOKKOS_FORCEINLINE_FUNCTION void store(const Sums& sums, int problem, C* c) const {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = 0; i < height; ++i) {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int h = 0; h < halves; ++h) {
          if (has_x_[i][h]) {
            store_row(sums[0][i], h, problem, row_of(i, h),
                      c + nest_.template offset_in<Of::c, Class::row>(row_of(i, h)));
          }
        }
      }
    }

   private:
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int row_of(int i, int h) const {
      return row_ + i * Atom::m + lane_ / 4 + h * (Atom::m / halves);
    }

    /// Reads the terms of a row of X, or of a column of Y.
    template <bool ByTerms>
    KOKKOS_FORCEINLINE_FUNCTION void read_terms(T (&to)[each], const T* from,
                                                const std::ptrdiff_t (&offset)[each], int first,
                                                bool is_there) const {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int t = 0; t < each; ++t) to[t] = T(0);
      if constexpr (Vectors && ByTerms) {
        if (is_there && first < nest_.sums()) read_neighbours<each, 0, 1>(to, from + offset[0]);
      } else {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int t = 0; t < each; ++t) {
          if (is_there && first + t < nest_.sums()) to[t] = from[offset[t]];
        }
      }
    }

    /// Sets the indices of a class for element number `flat`, if the output needs them.
    template <Class K>
    KOKKOS_FORCEINLINE_FUNCTION void set_indices(int (&index)[Loops<S>::size], int flat) const {
      if constexpr (Output::needs_indices) nest_.template set_indices<K>(index, flat);
    }

    /// Stores the lane's columns of a row.
    KOKKOS_FORCEINLINE_FUNCTION void store_row(const Acc (&sums)[width][Atom::sum_each], int half,
                                               int problem, int row, C* c) const {
      const int first = col_ + lane_ % 4 * together;
      // Column number e of the lane.
      const auto sum = [&](int e) KOKKOSCONTRACT_INLINE_LAMBDA {
        return sums[e % width][half * 2 + e / width];
      };
      int index[Loops<S>::size]{};
      set_indices<Class::batch>(index, problem);
      set_indices<Class::row>(index, row);
      const auto& output = nest_.output_;
      constexpr int stored = Vectors && c_by_cols ? elements_of_store : 1;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int e = 0; e < together; e += stored) {
        if (first + e >= nest_.cols()) continue;
        C* const to = c + nest_.template offset_in<Of::c, Class::col>(first + e);
        if constexpr (Vectors && c_by_cols) {
          auto* const neighbours = reinterpret_cast<NeighboursOf<C, stored>*>(to);
          NeighboursOf<C, stored> value{};
          if (output.reads) value = *neighbours;
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int n = 0; n < stored; ++n) {
            set_indices<Class::col>(index, first + e + n);
            value.element[n] = output.result(sum(e + n), value.element[n], index);
          }
          *neighbours = value;
        } else {
          set_indices<Class::col>(index, first + e);
          output.template put<1, true, true, 0, -1>(to, 1, to_register(sum(e)), 1, index);
        }
      }
    }
  };

 public:
  KOKKOS_FORCEINLINE_FUNCTION VectorWarpExecutor(const Loops<S>& nest, const Output& output)
      : NestOffsets<S>{nest}, output_(output) {}

  /// Whether an int can count the rows, columns, terms and blocks.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool counts() const {
    return size_of<Class::row>() <= most_extent && size_of<Class::col>() <= most_extent &&
           size_of<Class::sum>() <= most_extent &&
           this->counts_parts(static_cast<std::ptrdiff_t>(row_blocks()) * col_blocks());
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has_more_elements_than(int count) const {
    return static_cast<std::ptrdiff_t>(rows()) * cols() > count;
  }

  KOKKOS_FORCEINLINE_FUNCTION void run(const Warps& warps, const T* x, const T* y, C* c) const {
    bool all = true;
    if constexpr (x_by_terms) all = all && has_vectors<Of::x, last_sum, each>(x);
    if constexpr (y_by_terms) all = all && has_vectors<Of::y, last_sum, each>(y);
    if constexpr (y_by_cols) all = all && has_vectors<Of::y, last_col, width>(y);
    if constexpr (c_by_cols) all = all && has_vectors<Of::c, last_col, elements_of_store>(c);
    if (all) {
      run_blocks<true>(warps, x, y, c);
    } else {
      run_blocks<false>(warps, x, y, c);
    }
  }

 private:
  template <bool Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void run_blocks(const Warps& warps, const T* x, const T* y,
                                              C* c) const {
    const int count = this->batch() * row_blocks() * col_blocks();
    KOKKOSCONTRACT_NO_UNROLL
    for (int block = warps.index; block < count; block += warps.count) {
      int u = block;
      const int col = take_digit(u, col_blocks()) * width * Atom::n;
      const int row = take_digit(u, row_blocks()) * height * Atom::m;
      const Block<Vectors> elements(*this, row, col,
                                    x + this->template offset_in<Of::x, Class::batch>(u),
                                    y + this->template offset_in<Of::y, Class::batch>(u));
      Sums sums{};
      Loop::add(sums, elements, elements.rounds());
      elements.store(sums, u, c + this->template offset_in<Of::c, Class::batch>(u));
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
