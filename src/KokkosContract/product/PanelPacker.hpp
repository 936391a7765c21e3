// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_PANELPACKER_HPP
#define KOKKOSCONTRACT_PRODUCT_PANELPACKER_HPP

// Packs the panels of a blocked product (Blocked.hpp).

#include <KokkosContract/core/Vec.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Packs panels of P indices. Element (i, k) of panel i / P is at k * P + i % P of the panel. The
/// last index is repeated where there are no more indices. The panels have `depth` terms, and may
/// have terms besides these.
template <int P, class T>
struct PanelPacker {
  const T* from;
  const std::ptrdiff_t* index;
  int n;
  const std::ptrdiff_t* sum;
  int sums;
  T* to;
  int depth;

  // Sizes of the reads where neighbours in memory are not neighbours in a panel. Such reads are
  // squares of whole registers, or chunks of 16 bytes. Both are transposed in registers.
  static constexpr int lanes =
      P % native_lanes<T> == 0 ? native_lanes<T> : ((P & (P - 1)) == 0 ? P : 2);
  static constexpr int block = transposed_block<T, lanes>;
  /// Panels at a time whose elements are neighbours: the elements of a cache line.
  static constexpr int most_neighbours = 64 / static_cast<int>(sizeof(T));

  int panels() const { return (n + P - 1) / P; }
  T* panel(int q) const { return to + static_cast<std::ptrdiff_t>(q) * depth * P; }

  /// The distance to the panel whose elements follow those of the first panel in memory; 0 if there
  /// is none.
  int distance_of_neighbours() const {
    for (int d = 1; d * P + P <= n; ++d) {
      if (index[d * P] == index[0] + 1) return d;
    }
    return 0;
  }

  /// The number of panels q, q + d, q + 2 d, ... whose elements are neighbours. It holds for d
  /// panels q, from `first` on. The result is a multiple of `block`, or 1.
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

  bool is_contiguous(int k, int terms) const {
    bool contiguous = true;
    for (int t = 1; t < terms; ++t) contiguous = contiguous && sum[k + t] == sum[k] + t;
    return contiguous;
  }

  /// Moves at[p][offset + t] to to(t)[p].
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

  /// Packs terms k0 to k1 - 1 of the `run` panels q, q + d, ..., whose elements are neighbours.
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

  /// The number of terms from k0 to k1 - 1 that are packed in squares.
  int terms_of_squares(int k0, int k1) const {
    int k = k0;
    while (block > 1 && k + lanes <= k1 && is_contiguous(k, lanes)) k += lanes;
    return k - k0;
  }

  /// Packs terms k0 to k1 - 1 of panel q. The first `squares` of them are packed in squares.
  void pack(int q, int k0, int k1, int squares) const {
    const T* at[P];
    bool contiguous = true;
    for (int p = 0; p < P; ++p) {
      at[p] = from + index[q * P + p < n ? q * P + p : n - 1];
      contiguous = contiguous && at[p] == at[0] + p;
    }
    T* const target = panel(q);
    int k = k0;
    if (!contiguous) {
      KOKKOSCONTRACT_UNROLL
      for (int p = 0; p < P; p += lanes) {
        for (k = k0; k < k0 + squares; k += lanes) {
          Vec<T, lanes> row[lanes];
          KOKKOSCONTRACT_UNROLL
          for (int l = 0; l < lanes; ++l) {
            row[l] = load<lanes, true, true>(at[p + l] + sum[k], 1, lanes);
          }
          Impl::transpose(row);
          KOKKOSCONTRACT_UNROLL
          for (int t = 0; t < lanes; ++t) {
            store<lanes, true, true>(target + (k + t) * P + p, 1, row[t], lanes);
          }
        }
      }
    }
    for (; k < k1; ++k) {
      if (contiguous) {
        __builtin_memcpy(target + k * P, at[0] + sum[k], P * sizeof(T));
        continue;
      }
      if constexpr (block > 1) {
        if (k + block <= k1 && is_contiguous(k, block)) {
          transpose(at, sum[k], [&](int t) { return target + (k + t) * P; });
          k += block - 1;
          continue;
        }
      }
      KOKKOSCONTRACT_UNROLL
      for (int p = 0; p < P; ++p) target[k * P + p] = at[p][sum[k]];
    }
  }

  /// Packs a few sums at a time, so that the cache lines of all indices stay until they are used
  /// up.
  KOKKOSCONTRACT_SHARED_CODE void pack_all() const {
    const int few = sums > 1 && sum[1] - sum[0] == 1 ? 64 : 8;
    const int d = block > 1 && few == 8 ? distance_of_neighbours() : 0;
    for (int k0 = 0; k0 < sums; k0 += few) {
      const int k1 = k0 + few < sums ? k0 + few : sums;
      const int squares = terms_of_squares(k0, k1);
      for (int q = 0; q < panels();) {
        const int run = d > 0 ? neighbours(q, d) : 1;
        if (run == 1) {
          pack(q++, k0, k1, squares);
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

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
