// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_COPIEDPANEL_HPP
#define KOKKOSCONTRACT_DENSE_COPIEDPANEL_HPP

// Copies of a few columns of a matrix, by one worker of a host. Registers run along the copies
// whatever the strides of the matrix are.

#include <KokkosContract/operand/Matrix.hpp>
#include <KokkosContract/product/Blocked.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The columns of a panel, which are copied to the memory of a packed block. Registers may read and
/// write beyond the last row of a column.
template <class T>
struct CopiedPanel {
  static constexpr int W = native_lanes<T>;
  static constexpr int most_elements = BlockSizes<T>::sums * BlockSizes<T>::cols;
  using Register = Vec<T, W>;

  T* const x;
  const int rows, cols;
  const int stride;

  static constexpr int stride_of(int rows) { return (rows + W - 1) / W * W + W; }
  static constexpr bool has_room(int rows, int cols) {
    return rows < most_elements && stride_of(rows) <= most_elements / cols;
  }

  CopiedPanel(int number_of_rows, int number_of_cols)
      : x(BlockedWorkspace<T>::mine().b),
        rows(number_of_rows),
        cols(number_of_cols),
        stride(stride_of(number_of_rows)) {}

  KOKKOS_FORCEINLINE_FUNCTION T* at(int i, int j) const {
    return x + static_cast<std::ptrdiff_t>(j) * stride + i;
  }
  KOKKOS_FORCEINLINE_FUNCTION static Register get(const T* p) {
    return load<W, true, true>(p, 1, W);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void put(T* p, const Register& value) {
    store<W, true, true>(p, 1, value, W);
  }

  /// Copies from A, or to A, in squares of registers if the neighbours in a row of A are next to
  /// each other. Lower: elements above the diagonal are neither read nor written.
  template <bool ToA, bool Lower = false, class A>
  KOKKOS_FORCEINLINE_FUNCTION void copy(const A& a) const {
    int full_rows = 0, full_cols = 0;
    if constexpr (A::unit_cols) {
      full_rows = rows / W * W;
      full_cols = cols / W * W;
      for (int i = 0; i < full_rows; i += W) {
        for (int j = 0; j < (Lower && i < full_cols ? i : full_cols); j += W) {
          Register square[W];
          KOKKOSCONTRACT_UNROLL
          for (int l = 0; l < W; ++l) square[l] = get(ToA ? at(i, j + l) : &a(0, i + l, j));
          transpose(square);
          KOKKOSCONTRACT_UNROLL
          for (int l = 0; l < W; ++l) put(ToA ? &a(0, i + l, j) : at(i, j + l), square[l]);
        }
      }
    }
    for (int j = 0; j < cols; ++j) {
      const auto copy_rows = [&](int first, int last) KOKKOSCONTRACT_INLINE_LAMBDA {
        for (int i = first; i < last; ++i) {
          if constexpr (ToA) {
            a(0, i, j) = *at(i, j);
          } else {
            *at(i, j) = a(0, i, j);
          }
        }
      };
      const int below = Lower ? j / W * W + W : 0;
      const int first_of_squares = j < full_cols && below < rows ? below : rows;
      copy_rows(Lower ? j : 0, first_of_squares);
      copy_rows(first_of_squares < full_rows ? full_rows : first_of_squares, rows);
      if constexpr (!ToA) put(at(rows, j), Register::splat(T(0)));
    }
  }
};

/// An operand with run-time extents whose rows are contiguous.
template <class T>
using ContiguousRows = strided_t<T, StaticShape<2>{{dynamic, dynamic}, {dynamic, 1}}>;
template <class T>
KOKKOS_FORCEINLINE_FUNCTION ContiguousRows<T> contiguous_rows(T* data, int rows, int cols,
                                                              int stride) {
  const int extents[] = {rows, cols};
  const std::ptrdiff_t strides[] = {stride, 1};
  return {data, extents, strides};
}

/// Calls f(copy) for a copy of matrix A whose rows are contiguous, and copies it back.
template <class A, class F>
KOKKOS_FORCEINLINE_FUNCTION void with_copied_rows(const A& a, const F& f) {
  using T = typename A::value_type;
  const CopiedPanel<T> panel(a.cols(), a.rows());
  const Matrix<std::remove_cvref_t<decltype(a.a)>, false, true> transposed{a.a};  // runs forwards
  panel.template copy<false>(transposed);
  f(Matrix<ContiguousRows<T>, false, false, A::reverses_rows>{
      contiguous_rows(panel.x, a.rows(), a.cols(), panel.stride)});
  panel.template copy<true>(transposed);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
