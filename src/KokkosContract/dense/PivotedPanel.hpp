// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_PIVOTEDPANEL_HPP
#define KOKKOSCONTRACT_DENSE_PIVOTEDPANEL_HPP

// LU with partial pivoting of a few columns, by one worker of a host. The columns are copied, so
// that registers run along them. The elimination in a column also searches for its pivot.

#include <KokkosContract/dense/CopiedPanel.hpp>
#include <KokkosContract/dense/Interchange.hpp>
#include <KokkosContract/machine/Reciprocal.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The factorisation of copied columns.
template <class T>
struct PivotedPanel : CopiedPanel<T> {
  using CopiedPanel<T>::CopiedPanel;
  using CopiedPanel<T>::W;
  using CopiedPanel<T>::at;
  using CopiedPanel<T>::get;
  using CopiedPanel<T>::put;
  using CopiedPanel<T>::rows;
  using CopiedPanel<T>::cols;
  using Register = typename CopiedPanel<T>::Register;
  using Search = Largest<Pack<T, W>>;

  /// The row of the pivot in column p, where registers that began in row `first` were searched.
  KOKKOS_FORCEINLINE_FUNCTION int row_of(const Search& search, int first) const {
    const auto sizes = pack_of_sizes<Pack<T, W>>(search.size);
    const auto numbers = pack_of_sizes<Pack<T, W>>(search.row);
    int best = first;
    T most(-1);
    for (int l = 0; l < W; ++l) {
      const int row = static_cast<int>(numbers[l]) + l;
      if (row >= rows || !(sizes[l] >= most)) continue;
      if (sizes[l] > most || row < best) best = row;
      most = sizes[l];
    }
    return best;
  }

  /// The row of the pivot in column p.
  KOKKOS_FORCEINLINE_FUNCTION int search(int p) const {
    Search best(p);
    for (int i = p; i < rows; i += W) best.offer(get(at(i, p)), i);
    return row_of(best, p);
  }

  /// Computes the multipliers of column p. Returns whether the pivot has a reciprocal.
  KOKKOS_FORCEINLINE_FUNCTION bool divide_by_pivot(int p) const {
    const T pivot = *at(p, p);
    const bool invertible = has_reciprocal(pivot);
    const auto divisor =
        Register::splat(invertible ? T(1) / pivot : (pivot == T(0) ? T(1) : pivot));
    if (invertible) {
      for (int i = p + 1; i < rows; i += W) put(at(i, p), get(at(i, p)) * divisor);
    } else {
      for (int i = p + 1; i < rows; i += W) put(at(i, p), get(at(i, p)) / divisor);
    }
    return invertible;
  }

  /// Eliminates with column p in columns j to j + C - 1. Searches: returns the row of the pivot in
  /// column j, which follows column p.
  template <int C, bool Searches>
  KOKKOS_FORCEINLINE_FUNCTION int eliminate(int p, int j) const {
    Register pivot_row[C];
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < C; ++c) pivot_row[c] = Register::splat(*at(p, j + c));
    Search best(p + 1);
    for (int i = p + 1; i < rows; i += W) {
      const Register factor = get(at(i, p));
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < C; ++c) {
        const Register value = get(at(i, j + c)) - factor * pivot_row[c];
        put(at(i, j + c), value);
        if (Searches && c == 0) best.offer(value, i);
      }
    }
    return Searches ? row_of(best, p + 1) : 0;
  }

  /// Factors the columns. It calls put_pivot(p, row) for step p, in which rows p and `row` are
  /// interchanged. Returns whether all pivots have reciprocals.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION bool factor(const F& put_pivot) const {
    const int steps = rows < cols ? rows : cols;
    bool nonsingular = true;
    int row = search(0);
    for (int p = 0; p < steps; ++p) {
      put_pivot(p, row);
      for (int j = 0; row != p && j < cols; ++j) {
        const T value = *at(p, j);
        *at(p, j) = *at(row, j);
        *at(row, j) = value;
      }
      nonsingular = divide_by_pivot(p) && nonsingular;
      int j = p + 1;
      if (j < cols) row = eliminate<1, true>(p, j++);
      for (; j + 4 <= cols; j += 4) eliminate<4, false>(p, j);
      for (; j < cols; ++j) eliminate<1, false>(p, j);
    }
    return nonsingular;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
