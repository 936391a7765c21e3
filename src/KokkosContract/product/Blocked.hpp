// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_BLOCKED_HPP
#define KOKKOSCONTRACT_PRODUCT_BLOCKED_HPP

// Contractions too large for the caches, on the host: a matrix product over packed blocks
// (K. Goto, R. van de Geijn, Anatomy of high-performance matrix multiplication, ACM Trans. Math.
// Softw. 34, 2008), where the packing reads a tensor through lists of offsets, so that no operand
// is permuted in memory (D. Matthews, High-performance tensor contraction without transposition,
// SIAM J. Sci. Comput. 40, 2018). Everything is known at run time only: one function for each type
// serves all contractions of a program.

#include <KokkosContract/core/Vec.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/nest/Lower.hpp>
#include <KokkosContract/nest/ModeList.hpp>
#include <memory>
#include <utility>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class T>
struct BlockedProduct {
  ModeList rows;  // of x and c
  ModeList cols;  // of y and c
  ModeList sums;  // of x and y
  const T* x;
  const T* y;
  T* c;
  T alpha, beta;
};

/// Block sizes: a panel of B for the L1 cache, a block of A for L2, a block of B for L3.
template <class T>
struct BlockSizes {
  static constexpr int lanes = native_lanes<T>;
  static constexpr int tile_rows = 6;
  static constexpr int tile_cols = 2 * lanes;
  static constexpr int sums = packed_blocks.sums;
  static constexpr int rows = packed_blocks.row_tiles * tile_rows;
  static constexpr int cols = packed_blocks.col_tiles * tile_cols;
  static constexpr int most_cols = packed_blocks.most_col_tiles * tile_cols;
};

/// A thread's packed blocks and lists of offsets.
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

/// Packs panels of P indices: element (i, k) of panel i / P is at k * P + i % P of it; the last
/// index again and again where there are no more.
template <int P, class T>
struct PanelPacker {
  const T* from;
  const std::ptrdiff_t* index;
  int n;
  const std::ptrdiff_t* sum;
  int sums;
  T* to;

  // What is read where neighbours in memory are no neighbours in a panel: pieces of 16 bytes, which
  // are transposed in registers.
  static constexpr int lanes = P % native_lanes<T> == 0 ? native_lanes<T> : 2;
  static constexpr int block = transposed_block<T, lanes>;
  /// Panels at a time whose elements are neighbours: a cache line.
  static constexpr int most_neighbours = 64 / static_cast<int>(sizeof(T));

  int panels() const { return (n + P - 1) / P; }
  T* panel(int q) const { return to + static_cast<std::ptrdiff_t>(q) * sums * P; }

  /// How far the panel is whose elements are the next ones in memory to those of the first panel; 0
  /// if none is.
  int distance_of_neighbours() const {
    for (int d = 1; d * P + P <= n; ++d) {
      if (index[d * P] == index[0] + 1) return d;
    }
    return 0;
  }

  /// The number of panels q, q + d, q + 2 d, ... whose elements are neighbours, for all of d
  /// panels q from `first` on; a multiple of `block`, or 1.
  int neighbours(int first, int d) const {
    int run = 1;
    for (; run < most_neighbours; ++run) {
      const int begin = (first + run * d) * P;
      if (begin + d * P > n) break;
      bool next = true;
      for (int i = 0; i < d * P; ++i)
        next = next && index[begin + i] == index[begin + i - d * P] + 1;
      if (!next) break;
    }
    return run >= block ? run / block * block : 1;
  }

  bool is_contiguous(int k) const {
    bool contiguous = true;
    for (int t = 1; t < block; ++t) contiguous = contiguous && sum[k + t] == sum[k] + t;
    return contiguous;
  }

  /// at[p][offset + t] becomes to(t)[p].
  template <class To>
  KOKKOS_FORCEINLINE_FUNCTION static void transpose(const T* const (&at)[P], std::ptrdiff_t offset,
                                                    const To& to) {
    KOKKOSCONTRACT_UNROLL
    for (int p = 0; p < P; p += lanes) {
      Vec<T, lanes> out[block];
      load_transposed<lanes>([&](int l) { return at[p + l] + offset; }, out);
      KOKKOSCONTRACT_UNROLL
      for (int t = 0; t < block; ++t) store<lanes, true, true>(to(t) + p, 1, out[t], lanes);
    }
  }

  /// Terms k0 to k1 - 1 of the panels q, q + d, ..., of `run` that are neighbours.
  void pack_neighbours(int q, int d, int run, int k0, int k1) const {
    for (int r = 0; r < run; r += block) {
      const T* at[P];
      for (int p = 0; p < P; ++p) at[p] = from + index[q * P + p] + r;
      T* target[block];
      for (int t = 0; t < block; ++t) target[t] = panel(q + (r + t) * d);
      for (int k = k0; k < k1; ++k) {
        transpose(at, sum[k], [&](int t) { return target[t] + k * P; });
      }
    }
  }

  /// Terms k0 to k1 - 1 of panel q.
  void pack(int q, int k0, int k1) const {
    const T* at[P];
    bool contiguous = true;
    for (int p = 0; p < P; ++p) {
      at[p] = from + index[q * P + p < n ? q * P + p : n - 1];
      contiguous = contiguous && at[p] == at[0] + p;
    }
    T* const target = panel(q);
    for (int k = k0; k < k1; ++k) {
      if (contiguous) {
        __builtin_memcpy(target + k * P, at[0] + sum[k], P * sizeof(T));
        continue;
      }
      if constexpr (block > 1) {
        if (k + block <= k1 && is_contiguous(k)) {
          transpose(at, sum[k], [&](int t) { return target + (k + t) * P; });
          k += block - 1;
          continue;
        }
      }
      KOKKOSCONTRACT_UNROLL
      for (int p = 0; p < P; ++p) target[k * P + p] = at[p][sum[k]];
    }
  }

  /// A few sums at a time, so that the cache lines of all indices stay until they are used up.
  KOKKOSCONTRACT_SHARED_CODE void pack_all() const {
    const int few = sums > 1 && sum[1] - sum[0] == 1 ? 64 : 8;
    const int d = block > 1 && few == 8 ? distance_of_neighbours() : 0;
    for (int k0 = 0; k0 < sums; k0 += few) {
      const int k1 = k0 + few < sums ? k0 + few : sums;
      for (int q = 0; q < panels();) {
        const int run = d > 0 ? neighbours(q, d) : 1;
        if (run == 1) {
          pack(q++, k0, k1);
          continue;
        }
        if constexpr (block > 1) {
          for (int i = 0; i < d; ++i) pack_neighbours(q + i, d, run, k0, k1);
        }
        q += d * run;
      }
    }
  }
};

/// One tile: sums over packed panels, then c = alpha * sum + beta * c for the rows and columns that
/// are there. Contiguous: the columns of each register are neighbours.
template <class T>
KOKKOSCONTRACT_SHARED_CODE void blocked_tile(int sums, const T* a, const T* b, T alpha, T beta,
                                             T* c, const std::ptrdiff_t* c_row, int rows,
                                             const std::ptrdiff_t* c_col, int cols,
                                             bool contiguous) {
  using Size = BlockSizes<T>;
  constexpr int W = Size::lanes;
  constexpr int R = Size::tile_rows;
  constexpr int C = Size::tile_cols / W;
#if defined(__GNUC__)
  for (int i = 0; i < rows; ++i) __builtin_prefetch(c + c_row[i] + c_col[0], 1);
#endif
  Vec<T, W> sum[R][C];
  for (auto& row : sum) {
    for (auto& s : row) s = Vec<T, W>::splat(T(0));
  }
  for (int k = 0; k < sums; ++k, a += R, b += C * W) {
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
  const auto scale = Vec<T, W>::splat(alpha);
  KOKKOSCONTRACT_UNROLL
  for (int i = 0; i < R; ++i) {
    KOKKOSCONTRACT_UNROLL
    for (int j = 0; j < C; ++j) sum[i][j] = scale * sum[i][j];
  }
  if (contiguous && cols == C * W) {
    const auto factor = Vec<T, W>::splat(beta);
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < R; ++i) {
      if (i >= rows) break;
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < C; ++j) {
        T* const at = c + c_row[i] + c_col[j * W];
        auto value = sum[i][j];
        if (beta != T(0)) value = value + factor * load<W, true, true>(at, 1, W);
        store<W, true, true>(at, 1, value, W);
      }
    }
  } else {
    T value[R][C * W];
    __builtin_memcpy(value, sum, sizeof(value));
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) {
        T& element = c[c_row[i] + c_col[j]];
        element = beta != T(0) ? value[i][j] + beta * element : value[i][j];
      }
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

/// This worker's part of C.
template <class T>
KOKKOSCONTRACT_COLD_CODE void blocked_product(const BlockedProduct<T>& p, int rank, int size) {
  using Size = BlockSizes<T>;
  BlockedWorkspace<T>& w = BlockedWorkspace<T>::mine();
  const std::ptrdiff_t m = p.rows.size();
  const std::ptrdiff_t n = p.cols.size();
  const std::ptrdiff_t sums = p.sums.size();

  // A grid of workers over C, such that what they pack is least.
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
    p.cols.offsets(j0, cols, w.y_col, w.c_col);
    for (std::ptrdiff_t k0 = 0; k0 < sums; k0 += Size::sums) {
      const int depth = least(Size::sums, sums - k0);
      const T beta = k0 == 0 ? p.beta : T(1);
      p.sums.offsets(k0, depth, w.x_sum, w.y_sum);
      PanelPacker<Size::tile_cols, T>{p.y, w.y_col, cols, w.y_sum, depth, w.b}.pack_all();
      for (std::ptrdiff_t i0 = row_begin; i0 < row_end; i0 += Size::rows) {
        const int rows = least(Size::rows, row_end - i0);
        p.rows.offsets(i0, rows, w.x_row, w.c_row);
        PanelPacker<Size::tile_rows, T>{p.x, w.x_row, rows, w.x_sum, depth, w.a}.pack_all();
        for (int j = 0; j < cols; j += Size::tile_cols) {
          const int wide = least(Size::tile_cols, cols - j);
          bool contiguous = true;
          for (int e = 1; e < wide; ++e) {
            if (e % Size::lanes == 0) continue;
            contiguous = contiguous && w.c_col[j + e] == w.c_col[j + e - 1] + 1;
          }
          for (int i = 0; i < rows; i += Size::tile_rows) {
            blocked_tile(depth, w.a + static_cast<std::ptrdiff_t>(i) * depth,
                         w.b + static_cast<std::ptrdiff_t>(j) * depth, p.alpha, beta, p.c,
                         w.c_row + i, least(Size::tile_rows, rows - i), w.c_col + j, wide,
                         contiguous);
          }
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

/// Whether a nest may be that large.
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

template <Nest S, Class K, int... I>
KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t size_of(const Loops<S>& loops,
                                                   std::integer_sequence<int, I...>) {
  return (std::ptrdiff_t{1} * ... * loops.template extent<S.begin(K) + I>());
}

/// Whether a contraction is to be blocked.
template <class T, Nest S>
KOKKOS_FORCEINLINE_FUNCTION bool blocking_pays(const Loops<S>& loops) {
  const auto size = [&]<Class K>() KOKKOSCONTRACT_INLINE_LAMBDA {
    return size_of<S, K>(loops, std::make_integer_sequence<int, S.of(K)>{});
  };
  const std::ptrdiff_t rows = size.template operator()<Class::row>();
  const std::ptrdiff_t cols = size.template operator()<Class::col>();
  const std::ptrdiff_t sums = size.template operator()<Class::sum>();
  using Size = BlockSizes<T>;
  if (rows < 2 * Size::tile_rows || cols < Size::tile_cols || sums < 8) return false;
  const double products = static_cast<double>(rows * cols) * static_cast<double>(sums);
  if (products < least_blocked_products) return false;
  constexpr int row = S.end(Class::row) - 1;
  constexpr int col = S.end(Class::col) - 1;
  const bool matrices = loops.template y<col>() == 1 && rows == loops.template extent<row>() &&
                        cols == loops.template extent<col>();
  return !matrices || products >= least_blocked_matrix_products;
}

/// The loops of a nest as arrays, class by class.
struct LoopArrays {
  const int* count;
  const int* extent;
  const std::ptrdiff_t *x, *y, *c;
};

/// This worker's part of C.
template <class T>
KOKKOSCONTRACT_COLD_CODE void contract_blocked(const LoopArrays& loops, int rank, int size, T alpha,
                                               T beta, const T* x, const T* y, T* c) {
  BlockedProduct<T> product{{}, {}, {}, x, y, c, alpha, beta};
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
    product.c = c;
    std::ptrdiff_t left = p;
    for (int i = row - 1; i >= 0; --i) {
      const std::ptrdiff_t index = take_digit(left, loops.extent[i]);
      product.x += index * loops.x[i];
      product.y += index * loops.y[i];
      product.c += index * loops.c[i];
    }
    blocked_product(product, rank, size);
  }
}

/// The same from the loops of a nest. They are copied, so that a caller's can stay in registers.
template <class T, Nest S, int... I>
KOKKOS_FORCEINLINE_FUNCTION void contract_blocked(const Loops<S>& loops,
                                                  std::integer_sequence<int, I...>, int rank,
                                                  int size, T alpha, T beta, const T* x, const T* y,
                                                  T* c) {
  const int extents[] = {loops.template extent<I>()...};
  const std::ptrdiff_t xs[] = {loops.template x<I>()...};
  const std::ptrdiff_t ys[] = {loops.template y<I>()...};
  const std::ptrdiff_t cs[] = {loops.template c<I>()...};
  contract_blocked({S.count, extents, xs, ys, cs}, rank, size, alpha, beta, x, y, c);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
