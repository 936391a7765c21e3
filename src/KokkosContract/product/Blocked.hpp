// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_BLOCKED_HPP
#define KOKKOSCONTRACT_PRODUCT_BLOCKED_HPP

// Contractions too large for the caches, on the host. They are matrix products over packed blocks
// (K. Goto, R. van de Geijn, Anatomy of high-performance matrix multiplication, ACM Trans. Math.
// Softw. 34, 2008). The packing reads a tensor through lists of offsets, so that no operand is
// permuted in memory (D. Matthews, High-performance tensor contraction without transposition, SIAM
// J. Sci. Comput. 40, 2018). Everything is known at run time only: one function for each type
// serves all contractions of a program.

#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/nest/Lower.hpp>
#include <KokkosContract/nest/ModeList.hpp>
#include <KokkosContract/product/Algorithm.hpp>
#include <KokkosContract/product/Output.hpp>
#include <KokkosContract/product/PanelPacker.hpp>
#include <memory>
#include <utility>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// One of the products whose sums are added up in C. All of them have the same elements of C in the
/// same order. They are computed as one product, whose terms are those of all products, one after
/// another.
template <class T>
struct BlockedProduct {
  ModeList rows;  // strides in x and c
  ModeList cols;  // strides in y and c
  ModeList sums;  // strides in x and y
  const T* x;
  const T* y;
};
/// The use of the sums: factors and the output C.
template <class T>
struct BlockedOutput {
  T* c;
  T alpha, beta;
};

/// Block sizes: a panel of B for the L1 cache, a block of A for L2, a block of B for L3.
template <class T>
struct BlockSizes {
  static constexpr int lanes = native_lanes<T>;
  static constexpr int tile_rows = KOKKOSCONTRACT_VECTOR_REGISTERS >= 32 ? 8 : 6;
  static constexpr int tile_cols = 2 * lanes;
  static constexpr int sums = packed_blocks.sums;
  static constexpr int rows = packed_blocks.row_tiles * tile_rows;
  static constexpr int cols = packed_blocks.col_tiles * tile_cols;
  static constexpr int most_cols = packed_blocks.most_col_tiles * tile_cols;
};

/// The packed blocks and lists of offsets of a thread.
template <class T>
struct BlockedWorkspace {
  using Size = BlockSizes<T>;
  alignas(64) T a[Size::rows * Size::sums];
  alignas(64) T b[Size::sums * Size::cols];
  std::ptrdiff_t x_row[Size::rows], c_row[Size::rows];
  std::ptrdiff_t y_col[Size::most_cols], c_col[Size::most_cols];
  std::ptrdiff_t x_sum[Size::sums], y_sum[Size::sums];

  static BlockedWorkspace& mine() {
    static thread_local const auto workspace = std::make_unique_for_overwrite<BlockedWorkspace>();
    return *workspace;
  }
};

/// One tile of C in memory: c = alpha * sum + beta * c for the rows and columns in bounds. Whole:
/// all rows are in bounds, and the columns of a register are neighbours.
template <bool Whole, class T>
struct BlockedTile {
  using Size = BlockSizes<T>;
  static constexpr int W = Size::lanes;
  static constexpr int R = Size::tile_rows;
  static constexpr int C = Size::tile_cols / W;
  using Sums = Vec<T, W>[R][C];

  T* c;
  const std::ptrdiff_t* c_row;
  int rows;
  const std::ptrdiff_t* c_col;
  int cols;
  const int* run;   // for each column, the number of neighbouring columns from it on
  bool contiguous;  // the columns of each register are neighbours

  KOKKOS_FORCEINLINE_FUNCTION void prefetch() const {
#if defined(__GNUC__)
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < R; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < C; ++j) {
        if (Whole || (i < rows && j * W < cols)) __builtin_prefetch(c + c_row[i] + c_col[j * W], 1);
      }
    }
#endif
  }

  /// Adds the products of packed panels, of `terms` terms, to the sums.
  KOKKOS_FORCEINLINE_FUNCTION static void add_products(Sums& sum, int terms, const T* a,
                                                       const T* b) {
    for (int k = 0; k < terms; ++k, a += R, b += C * W) {
      Vec<T, W> column[C];
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < C; ++j) column[j] = load<W, true, true>(b + j * W, 1, W);
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < R; ++i) {
        const auto factor = Vec<T, W>::splat(a[i]);
        KOKKOSCONTRACT_UNROLL
        for (int j = 0; j < C; ++j) sum[i][j] = multiply_add(sum[i][j], factor, column[j]);
      }
    }
  }

  /// Stores value_at(sum, address) for each register of neighbouring columns.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void store_registers(const Sums& sum, const F& value_at) const {
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < R; ++i) {
      if (!Whole && i >= rows) continue;
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < C; ++j) {
        T* const at = c + c_row[i] + c_col[j * W];
        store<W, true, true>(at, 1, value_at(sum[i][j], at), W);
      }
    }
  }

  /// Stores runs of neighbouring columns, which may begin and end anywhere in a register.
  KOKKOS_FORCEINLINE_FUNCTION void store_runs(const Sums& sum, T alpha, T beta) const {
    const auto scale = Vec<T, W>::splat(alpha);
    T value[R][C * W];
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < R; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < C; ++j) {
        store<W, true, true>(&value[i][j * W], 1, scale * sum[i][j], W);
      }
    }
    const auto factor = Vec<T, W>::splat(beta);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; j += run[j]) {
        T* const at = c + c_row[i] + c_col[j];
        auto part = load<W, true, false>(&value[i][j], 1, run[j]);
        if (beta != T(0)) {
          part = multiply_add(part, factor, load<W, true, false>(at, 1, run[j]));
        }
        store<W, true, false>(at, 1, part, run[j]);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store_sums(const Sums& sum, T alpha, T beta) const {
    if (!Whole && !contiguous) return store_runs(sum, alpha, beta);
    const auto scale = Vec<T, W>::splat(alpha);
    // Most often sums are added to C, by one instruction.
    if (beta == T(1)) {
      store_registers(sum, [&](const auto& x, const T* at) KOKKOSCONTRACT_INLINE_LAMBDA {
        return multiply_add(load<W, true, true>(at, 1, W), scale, x);
      });
    } else if (beta == T(0)) {
      store_registers(
          sum, [&](const auto& x, const T*) KOKKOSCONTRACT_INLINE_LAMBDA { return scale * x; });
    } else {
      const auto factor = Vec<T, W>::splat(beta);
      store_registers(sum, [&](const auto& x, const T* at) KOKKOSCONTRACT_INLINE_LAMBDA {
        return multiply_add(scale * x, factor, load<W, true, true>(at, 1, W));
      });
    }
  }

  /// Computes the tile from packed panels of `terms` terms.
  KOKKOS_FORCEINLINE_FUNCTION void compute(int terms, const T* a, const T* b, T alpha,
                                           T beta) const {
    prefetch();
    Sums sum;
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < R; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < C; ++j) sum[i][j] = Vec<T, W>::splat(T(0));
    }
    add_products(sum, terms, a, b);
    store_sums(sum, alpha, beta);
  }
};

/// Computes the tiles of one panel of columns, with all panels of rows.
template <class T>
KOKKOSCONTRACT_SHARED_CODE void blocked_tiles(int sums, const T* a, const T* b, T alpha, T beta,
                                              T* c, const std::ptrdiff_t* c_row, int rows,
                                              const std::ptrdiff_t* c_col, int cols) {
  using Size = BlockSizes<T>;
  constexpr int R = Size::tile_rows;
  constexpr int W = Size::lanes;
  int run[Size::tile_cols];
  for (int j = cols - 1; j >= 0; --j) {
    const bool next = j + 1 < cols && c_col[j + 1] == c_col[j] + 1;
    run[j] = !next ? 1 : (run[j + 1] < W ? run[j + 1] + 1 : W);
  }
  bool contiguous = cols == Size::tile_cols;
  for (int j = 0; j < cols; j += W) contiguous = contiguous && run[j] == W;
  for (int i = 0; i < rows; i += R) {
    const T* const panel = a + static_cast<std::ptrdiff_t>(i) * sums;
    if (contiguous && rows - i >= R) {
      BlockedTile<true, T>{c, c_row + i, R, c_col, cols, run, true}.compute(sums, panel, b, alpha,
                                                                            beta);
    } else {
      const int left = rows - i < R ? rows - i : R;
      BlockedTile<false, T>{c, c_row + i, left, c_col, cols, run, contiguous}.compute(
          sums, panel, b, alpha, beta);
    }
  }
}

/// The part [begin, end) of n that worker `rank` of `size` has, in multiples of `unit`.
inline void share_of(std::ptrdiff_t n, int unit, int rank, int size, std::ptrdiff_t& begin,
                     std::ptrdiff_t& end) {
  const std::ptrdiff_t units = (n + unit - 1) / unit;
  begin = units * rank / size * unit;
  end = units * (rank + 1) / size * unit;
  end = end < n ? end : n;
}

/// The terms of all products, in order.
template <class T>
struct BlockedTerms {
  const BlockedProduct<T>* product;
  std::ptrdiff_t first;  // first term of that product

  /// Calls f(product, first term, number of terms, number of terms before) for the next `count`
  /// terms.
  template <class F>
  void for_each_part(int count, const F& f) {
    for (int before = 0; before < count;) {
      const std::ptrdiff_t left = product->sums.size() - first;
      const int part = left < count - before ? static_cast<int>(left) : count - before;
      f(*product, first, part, before);
      before += part;
      first += part;
      if (part == left) {
        ++product;
        first = 0;
      }
    }
  }
};

/// Computes this worker's part of C, to which `count` products are added.
template <class T>
KOKKOSCONTRACT_COLD_CODE void blocked_product(const BlockedProduct<T>* products, int count,
                                              const BlockedOutput<T>& output, int rank, int size) {
  using Size = BlockSizes<T>;
  BlockedWorkspace<T>& w = BlockedWorkspace<T>::mine();
  const std::ptrdiff_t m = products->rows.size();
  const std::ptrdiff_t n = products->cols.size();
  std::ptrdiff_t sums = 0;
  for (int p = 0; p < count; ++p) sums += products[p].sums.size();

  // The grid of workers over C whose workers pack the least.
  int down = 1;
  for (int d = 1; d <= size; ++d) {
    if (size % d == 0 && m / d + n / (size / d) < m / down + n / (size / down)) down = d;
  }
  std::ptrdiff_t row_begin, row_end, col_begin, col_end;
  share_of(m, Size::tile_rows, rank / (size / down), down, row_begin, row_end);
  share_of(n, Size::tile_cols, rank % (size / down), size / down, col_begin, col_end);
  const auto least = [](std::ptrdiff_t a, std::ptrdiff_t b) {
    return static_cast<int>(a < b ? a : b);
  };

  const int fewer = least(Size::sums, sums);
  const int most_cols =
      least(Size::most_cols, Size::cols * Size::sums / fewer / Size::tile_cols * Size::tile_cols);

  for (std::ptrdiff_t j0 = col_begin; j0 < col_end; j0 += most_cols) {
    const int cols = least(most_cols, col_end - j0);
    BlockedTerms<T> next{products, 0};
    for (std::ptrdiff_t k0 = 0; k0 < sums; k0 += Size::sums) {
      const int depth = least(Size::sums, sums - k0);
      const T beta = k0 == 0 ? output.beta : T(1);
      const BlockedTerms<T> begin = next;
      next.for_each_part(
          depth, [&](const BlockedProduct<T>& p, std::ptrdiff_t first, int part, int before) {
            p.cols.offsets(j0, cols, w.y_col, w.c_col);
            p.sums.offsets(first, part, w.x_sum, w.y_sum);
            PanelPacker<Size::tile_cols, T>{
                p.y, w.y_col, cols, w.y_sum, part, w.b + before * Size::tile_cols, depth}
                .pack_all();
          });
      for (std::ptrdiff_t i0 = row_begin; i0 < row_end; i0 += Size::rows) {
        const int rows = least(Size::rows, row_end - i0);
        BlockedTerms<T>(begin).for_each_part(
            depth, [&](const BlockedProduct<T>& p, std::ptrdiff_t first, int part, int before) {
              p.rows.offsets(i0, rows, w.x_row, w.c_row);
              p.sums.offsets(first, part, w.x_sum, w.y_sum);
              PanelPacker<Size::tile_rows, T>{
                  p.x, w.x_row, rows, w.x_sum, part, w.a + before * Size::tile_rows, depth}
                  .pack_all();
            });
        for (int j = 0; j < cols; j += Size::tile_cols) {
          blocked_tiles(depth, w.a, w.b + static_cast<std::ptrdiff_t>(j) * depth, output.alpha,
                        beta, output.c, w.c_row, rows, w.c_col + j,
                        least(Size::tile_cols, cols - j));
        }
      }
    }
  }
}

/// Element types that the blocked product takes.
template <class Acc, class... T>
consteval bool is_host_blocked() {
  return (std::is_same_v<Acc, double> || std::is_same_v<Acc, float>) &&
         (std::is_same_v<Acc, T> && ...);
}

/// Whether a nest may be large enough for packed blocks.
template <int N>
consteval bool may_be_blocked(const Nest<N>& nest) {
  if (!nest.has_x || nest.of(Class::row) == 0 || nest.of(Class::col) == 0 ||
      nest.of(Class::sum) == 0) {
    return false;
  }
  double products = 1;
  for (int i = 0; i < N; ++i) {
    if (nest.extent[i] == dynamic) return true;
    products *= static_cast<double>(nest.extent[i]);
  }
  return products >= least_blocked_products;
}

/// Whether packed blocks pay off for a contraction.
template <class T, Nest S>
KOKKOS_FORCEINLINE_FUNCTION bool blocking_pays(const Loops<S>& loops) {
  constexpr int first_col = S.begin(Class::col);
  constexpr int first_sum = S.begin(Class::sum);
  const std::ptrdiff_t rows = loops.template product_of_extents<S.begin(Class::row), first_col>();
  const std::ptrdiff_t cols = loops.template product_of_extents<first_col, first_sum>();
  const std::ptrdiff_t sums = loops.template product_of_extents<first_sum, S.end(Class::sum)>();
  using Size = BlockSizes<T>;
  if (rows < 2 * Size::tile_rows || cols < Size::tile_cols || sums < 8) return false;
  const double products = static_cast<double>(rows * cols) * static_cast<double>(sums);
  if (products < least_blocked_products) return false;
  const bool matrices = loops.template y<first_sum - 1>() == 1 &&
                        rows == loops.template extent<first_col - 1>() &&
                        cols == loops.template extent<first_sum - 1>();
  constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(T));
  return !matrices ||
         products >= least_blocked_matrix_products(bytes * loops.template y<first_sum>());
}

/// Computes this worker's part of C.
template <class T>
KOKKOSCONTRACT_COLD_CODE void contract_blocked(const LoopArrays& loops, int rank, int size, T alpha,
                                               T beta, const T* x, const T* y, T* c) {
  BlockedProduct<T> product{{}, {}, {}, x, y};
  const int row = loops.count[static_cast<int>(Class::batch)];
  const int col = row + loops.count[static_cast<int>(Class::row)];
  const int sum = col + loops.count[static_cast<int>(Class::col)];
  const int end = sum + loops.count[static_cast<int>(Class::sum)];
  for (int i = row; i < col; ++i) product.rows.add(loops.extent[i], loops.x[i], loops.c[i]);
  for (int i = col; i < sum; ++i) product.cols.add(loops.extent[i], loops.y[i], loops.c[i]);
  for (int i = sum; i < end; ++i) product.sums.add(loops.extent[i], loops.x[i], loops.y[i]);
  product.cols.unit_second_last();
  product.cols.share_blocks(product.cols.first, BlockSizes<T>::tile_cols);
  product.sums.share_blocks(product.sums.first, 1);
  product.sums.share_blocks(product.sums.second, 1);

  std::ptrdiff_t problems = 1;
  for (int i = 0; i < row; ++i) problems *= loops.extent[i];
  for (std::ptrdiff_t p = 0; p < problems; ++p) {
    product.x = x;
    product.y = y;
    BlockedOutput<T> output{c, alpha, beta};
    std::ptrdiff_t left = p;
    for (int i = row - 1; i >= 0; --i) {
      const std::ptrdiff_t index = take_digit(left, loops.extent[i]);
      product.x += index * loops.x[i];
      product.y += index * loops.y[i];
      output.c += index * loops.c[i];
    }
    blocked_product(&product, 1, output, rank, size);
  }
}

struct BlockedAlgorithm : AlgorithmDefaults<Way::blocked, Way::tiles> {
  static constexpr const char* text = "blocked (from some size on: packed blocks for the caches)";

  template <class Atom, int N>
  static consteval bool fits(const Nest<N>& nest, const ProductFacts& facts) {
    return !facts.gpu && facts.blocks && !facts.atomic && !facts.indices && may_be_blocked(nest);
  }

  template <ProductChoice, class Call>
  static KOKKOS_FORCEINLINE_FUNCTION int run(const Call& call) {
    using Acc = typename Call::Acc;
    constexpr Nest nest = Call::nest;
    if (!call.multiplies || !blocking_pays<Acc, nest>(call.loops)) return not_taken;
    const auto factors = factors_of(call.output);
    contract_blocked(CopiedLoops<nest>(call.loops).arrays(), call.level.rank(), call.level.size(),
                     factors.alpha, factors.beta, call.x, call.y, call.c);
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
