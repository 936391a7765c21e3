// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_MATRIX_HPP
#define KOKKOSCONTRACT_OPERAND_MATRIX_HPP

// An operand in the form that factorisations and solves use: a batch of matrices, or a batch of
// one. Transposition and reversal of the indices happen here, so the kernels have one case only:
// lower, left, not transposed.

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/core/Vec.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/machine/LaneGrid.hpp>
#include <KokkosContract/machine/Reciprocal.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Batch: dimension 0 runs over the batch. A vector is a matrix of one column.
template <class Op, bool Batch, bool Transposed = false, bool ReverseRows = false,
          bool ReverseCols = false>
struct Matrix {
  /// Type of a value; the elements of an input may be const.
  using value_type = std::remove_const_t<typename Op::value_type>;
  static constexpr int first = Batch ? 1 : 0;
  static constexpr bool is_vector = Op::rank == first + 1;
  static constexpr int row_dimension = Transposed && !is_vector ? first + 1 : first;
  static constexpr int col_dimension = is_vector ? -1 : (Transposed ? first : first + 1);
  /// The stride in the operand, before a reversal.
  static constexpr std::ptrdiff_t row_stride = Op::shape.stride[row_dimension];
  static constexpr std::ptrdiff_t col_stride =
      is_vector ? 0 : Op::shape.stride[is_vector ? 0 : col_dimension];

  /// Whether neighbours in a row are known to be neighbours in memory.
  static constexpr bool unit_cols = [] {
    if constexpr (is_vector || ReverseCols) {
      return false;
    } else {
      return Op::shape.stride[col_dimension] == 1;
    }
  }();

  /// Whether neighbours in a column are known to be neighbours in memory.
  static constexpr bool unit_rows = !ReverseRows && Op::shape.stride[row_dimension] == 1;
  static constexpr std::ptrdiff_t static_rows = Op::shape.extent[row_dimension];
  static constexpr std::ptrdiff_t static_cols = [] {
    if constexpr (is_vector) {
      return std::ptrdiff_t{1};
    } else {
      return Op::shape.extent[col_dimension];
    }
  }();
  static constexpr bool reverses_rows = ReverseRows;
  static constexpr bool reverses_cols = ReverseCols;
  /// Whether neighbouring problems of the batch are known to be neighbours in memory.
  static constexpr bool is_interleaved = Batch && Op::shape.stride[0] == 1;
  static constexpr bool is_batch = Batch;
  static constexpr bool of_scratch = is_in_scratch<Op>;

  Op a;

  KOKKOS_FORCEINLINE_FUNCTION int batch() const {
    if constexpr (Batch) {
      return a.template extent<0>();
    } else {
      return 1;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION int rows() const { return a.template extent<row_dimension>(); }
  KOKKOS_FORCEINLINE_FUNCTION int cols() const {
    if constexpr (is_vector) {
      return 1;
    } else {
      return a.template extent<col_dimension>();
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION typename Op::value_type& operator()(int b, int i, int j) const {
    std::ptrdiff_t offset = (ReverseRows ? rows() - 1 - i : i) * a.template stride<row_dimension>();
    if constexpr (!is_vector) {
      offset += (ReverseCols ? cols() - 1 - j : j) * a.template stride<col_dimension>();
    }
    if constexpr (Batch) offset += b * a.template stride<0>();
    return a.data()[offset];
  }
};

/// The 1-based index of the first zero among the first n diagonal elements of problem z, or 0. For
/// packs the elements are those of this lane.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION int first_zero_of_diagonal(const M& a, int z, int n,
                                                       [[maybe_unused]] int lane) {
  using Acc = accumulator_t<typename M::value_type>;
  KOKKOSCONTRACT_NO_UNROLL
  for (int i = 0; i < n; ++i) {
    if constexpr (is_pack<Acc>) {
      if (convert<scalar_t<Acc>>(a(z, i, i)[lane]) == scalar_t<Acc>(0)) return i + 1;
    } else {
      if (convert<Acc>(a(z, i, i)) == Acc(0)) return i + 1;
    }
  }
  return 0;
}

/// Calls f.operator()<Size>(begin) for consecutive parts of n, of at most Most elements each. If N
/// is static (and then equal to n), their sizes differ by at most one. Otherwise the last parts
/// have one element.
template <std::ptrdiff_t N, int Most, class F>
KOKKOS_FORCEINLINE_FUNCTION void cut_evenly(int n, const F& f) {
  int begin = 0;
  if constexpr (N == dynamic) {
    for (; begin + Most <= n; begin += Most) f.template operator()<Most>(begin);
    if constexpr (Most > 1) {
      for (; begin < n; ++begin) f.template operator()<1>(begin);
    }
  } else if constexpr (N > 0) {
    constexpr int parts = (N + Most - 1) / Most;
    constexpr int small = N / parts;
    constexpr int end_of_large = N % parts * (small + 1);
    if constexpr (end_of_large > 0) {
      for (; begin < end_of_large; begin += small + 1) f.template operator()<small + 1>(begin);
    }
    for (; begin < N; begin += small) f.template operator()<small>(begin);
  }
}

/// Lanes of a host register for elements of type T. It is 1 on a GPU, or if the types do not allow
/// registers.
template <class T>
consteval int host_lanes() {
  if constexpr (has_vec<T>) {
    return native_lanes<T>;
  } else {
    return 1;
  }
}

/// Loads columns j to j + count - 1 of row i of problem z into a register. Full: count is known to
/// be W.
template <class Acc, int W, bool Full, class M>
KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> load_columns(const M& m, int z, int i, int j,
                                                            int count) {
  if constexpr (W == 1) {
    return to_register(convert<Acc>(m(z, i, j)));
  } else {
    return load<W, true, Full>(&m(z, i, j), 1, count);
  }
}
template <class Acc, int W, bool Full, class M>
KOKKOS_FORCEINLINE_FUNCTION void store_columns(const M& m, int z, int i, int j, int count,
                                               const register_t<Acc, W>& x) {
  if constexpr (W == 1) {
    m(z, i, j) = convert<typename M::value_type>(from_register<Acc>(x));
  } else {
    store<W, true, Full>(&m(z, i, j), 1, x, count);
  }
}

/// Lanes of a host register of columns of M, or 1 if they are not next to each other.
template <class Acc, class M>
consteval int column_lanes() {
  using T = typename M::value_type;
  return std::is_same_v<T, Acc> && M::unit_cols ? host_lanes<T>() : 1;
}

/// Calls f(z, begin, end) for columns first to cols - 1 of all problems, some on each worker. It
/// distributes whole problems if there are enough, and W columns at a time otherwise.
template <int W, Level L, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_columns(const L& level, int batch, int first, int cols,
                                             const F& f) {
  const int count = cols - first;
  const int part = batch >= level.size() ? count : W;
  const int parts = count > 0 ? (count + part - 1) / part : 0;
  for_each_pair(level, batch, parts, [&](int z, int number) KOKKOSCONTRACT_INLINE_LAMBDA {
    const int begin = first + number * part;
    f(z, begin, begin + part < cols ? begin + part : cols);
  });
}

/// Computes x / d, by the reciprocal if it exists. The reciprocal does not wait for x, so divisions
/// overlap.
template <int W, class T>
KOKKOS_FORCEINLINE_FUNCTION register_t<T, W> divide(const register_t<T, W>& x, const T& d) {
  if (has_reciprocal(d)) return x * splat<W>(T(1) / d);
  return quotient(x, splat<W>(d));
}

/// Adds |tiny| to a pivot, away from zero. A pack's lanes have their own signs.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T push_from_zero(const T& pivot, const T& tiny) {
  if constexpr (is_pack<T>) {
    T result;
    for (int l = 0; l < T::length; ++l) result[l] = push_from_zero(pivot[l], tiny[l]);
    return result;
  } else {
    using R = real_t<T>;
    const R size = Kokkos::abs(tiny);
    R real;
    if constexpr (is_complex<T>) {
      real = pivot.real();
    } else {
      real = pivot;
    }
    return real < R(0) ? pivot - T(size) : pivot + T(size);
  }
}

/// Computes x / divisor. The result is x where the divisor (in a pack: a lane of it) is zero, as in
/// an elimination without a pivot.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T divide_unless_zero(const T& x, const T& divisor) {
  if constexpr (is_pack<T>) {
    bool any_zero = false;
    for (int l = 0; l < T::length; ++l) any_zero = any_zero | (divisor[l] == scalar_t<T>(0));
    if (!any_zero) return quotient(x, divisor);
    T result;
    for (int l = 0; l < T::length; ++l) result[l] = divide_unless_zero(x[l], divisor[l]);
    return result;
  } else {
    return divisor == T(0) ? x : quotient(x, divisor);
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
