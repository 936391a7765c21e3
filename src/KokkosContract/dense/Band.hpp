// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_BAND_HPP
#define KOKKOSCONTRACT_DENSE_BAND_HPP

// Band matrices in LAPACK's storage: diagonals are rows of the operand, and columns of the matrix
// are its columns. Transposition and reversal happen here, so the sweeps have one case only: a
// lower triangle, from its first row on. An element of it is identified by its row and its distance
// from the diagonal, and its offset is linear in both.

#include <KokkosContract/dense/CholeskyFactor.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/operand/Info.hpp>
#include <KokkosContract/operand/Matrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Elements of a band of problem z, by row and distance from the diagonal.
template <class Op, bool Batch, int StaticWidth = 0>
struct BandRows {
  static constexpr int static_width = StaticWidth;  ///< 0: only known at run time
  using value_type = std::remove_const_t<typename Op::value_type>;
  Op a;
  std::ptrdiff_t origin, row_step, distance_step;
  int width;  ///< the largest distance

  KOKKOS_FORCEINLINE_FUNCTION typename Op::value_type& operator()([[maybe_unused]] int z, int i,
                                                                  int distance) const {
    std::ptrdiff_t offset = origin + i * row_step + distance * distance_step;
    if constexpr (Batch) offset += z * a.template stride<0>();
    return a.data()[offset];
  }
};

/// A matrix of diagonals, with or without a batch.
template <class Op, bool Batch>
struct BandStorage {
  static constexpr int first = Batch ? 1 : 0;
  static_assert(
      Op::rank == first + 2,
      "KokkosContract: a band matrix has rank 2 (diagonals, columns), or 3 with a leading "
      "batch dimension; shared(A) has rank 2");
  Op a;

  KOKKOS_FORCEINLINE_FUNCTION int batch() const {
    if constexpr (Batch) {
      return a.template extent<0>();
    } else {
      return 1;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION typename Op::value_type& element([[maybe_unused]] int z, int d,
                                                               int j) const {
    std::ptrdiff_t offset = d * a.template stride<first>() + j * a.template stride<first + 1>();
    if constexpr (Batch) offset += z * a.template stride<0>();
    return a.data()[offset];
  }
  KOKKOS_FORCEINLINE_FUNCTION int diagonals() const { return a.template extent<first>(); }
  KOKKOS_FORCEINLINE_FUNCTION int cols() const { return a.template extent<first + 1>(); }

  /// The triangle Stored, which is in rows `top` to top + width of the operand, as the lower
  /// triangle of a system with op(A). It is reversed if op(A) is an upper triangle.
  template <class Stored, class TransA>
  KOKKOS_FORCEINLINE_FUNCTION BandRows<Op, Batch> triangle(int top, int width) const {
    constexpr bool is_lower = std::is_same_v<Stored, Uplo::Lower>;
    constexpr bool is_reversed = is_lower == is_transposed<TransA>;
    const std::ptrdiff_t down = a.template stride<first>();
    const std::ptrdiff_t right = a.template stride<first + 1>();
    const std::ptrdiff_t origin =
        (is_lower ? top : top + width) * down + (is_reversed ? (cols() - 1) * right : 0);
    // Without a transposition the elements of a row are in different columns.
    const std::ptrdiff_t across = is_transposed<TransA> ? 0 : (is_lower ? -right : right);
    return {a, origin, is_reversed ? -right : right, (is_lower ? down : -down) + across, width};
  }

  /// Element (i + distance, i) of the matrix. Its diagonal is row `diagonal` of the operand.
  KOKKOS_FORCEINLINE_FUNCTION BandRows<Op, Batch> below_diagonal(int diagonal, int width) const {
    const std::ptrdiff_t down = a.template stride<first>();
    return {a, diagonal * down, a.template stride<first + 1>(), down, width};
  }
};

/// Whether the storage has room for a band of these widths and its fill-in.
template <class Band>
KOKKOS_FORCEINLINE_FUNCTION bool band_fits_fill_in(const Band& band, int kl, int ku) {
  return kl >= 0 && ku >= 0 && band.diagonals() > 2 * static_cast<std::ptrdiff_t>(kl) + ku;
}

/// The off-diagonal of a tridiagonal matrix, as a triangle that has only distance 1.
template <bool Reversed, bool Batch, class Op>
KOKKOS_FORCEINLINE_FUNCTION BandRows<Op, Batch, 1> neighbours(const Op& e, int n) {
  const std::ptrdiff_t step = e.template stride<Batch ? 1 : 0>();
  return {e, Reversed ? (n - 1) * step : -step, Reversed ? -step : step, 0, 1};
}

/// The facts that solvers share: which of their operands have a batch. Rank: the rank of the factor
/// without a batch. Vectors for a shared factor are the columns of one matrix.
template <int Rank, class A, class B>
struct BandSystem {
  static constexpr int matrix_rank = Rank;
  using Factor = A;
  using T = value_t<B>;
  using OpA = operand_t<A>;
  using OpB = operand_t<B>;
  using Acc = accumulator_t<value_t<A>, value_t<B>>;
  static constexpr bool batch = is_shared<A> || OpA::rank == Rank + 1;
  static constexpr bool a_batch = batch && !is_shared<A>;
  static constexpr bool vector = OpB::rank == (batch ? 2 : 1);
  static constexpr bool are_columns = is_shared<A> && vector;
  static_assert(OpA::rank == (a_batch ? Rank + 1 : Rank),
                "KokkosContract: a band matrix has rank 2 (a diagonal: rank 1), or one more for a "
                "leading batch dimension, which it has not in shared(...)");
  static_assert(
      vector || OpB::rank == (batch ? 3 : 2),
      "KokkosContract: right-hand sides have rank 1, or 2 for several, and one more where "
      "the matrix has a batch or is in shared(...)");
  static_assert(!std::is_integral_v<scalar_t<Acc>>,
                "KokkosContract: a band solve needs a floating-point type");

  template <bool Reversed>
  using Rhs = Matrix<OpB, batch && !are_columns, are_columns, Reversed, false>;

  /// Whether B has this number of rows and, if A has a batch, this number of problems.
  static KOKKOS_FORCEINLINE_FUNCTION bool fits(const OpB& b, int n, int problems) {
    require_right_hand_side<A, B>();
    const Rhs<false> rhs{b};
    return rhs.rows() == n && (!a_batch || rhs.batch() == problems);
  }
};

/// Computes x * r in each lane. r may be real while x is complex.
template <class Acc, int W, class R>
KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> scaled(const register_t<Acc, W>& x, const R& r) {
  if constexpr (is_complex<scalar_t<Acc>> && !is_complex<scalar_t<R>>) {
    Acc result = x;
    if constexpr (is_pack<Acc>) {
      for (int l = 0; l < Acc::length; ++l) result[l] = x[l] * number_in_lane(r, l);
    } else {
      result = x * r;
    }
    return result;
  } else {
    return x * splat<W>(convert<Acc>(r));
  }
}

/// A diagonal element, as a divisor. A row is multiplied by its reciprocal if that is usable. The
/// reciprocal does not wait for the row. A complex reciprocal is used only in a GPU's code, because
/// it costs accuracy.
template <class D>
struct BandDivisor {
  D d;
  D reciprocal;
  bool exists = true;

  BandDivisor() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit BandDivisor(const D& diagonal) : d(diagonal) {
    if constexpr (is_complex<scalar_t<D>> && !is_device_code()) {
      exists = false;
    } else {
      reciprocal = short_reciprocal(d, exists);
    }
  }
  template <class Acc, int W>
  KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> divide(const register_t<Acc, W>& x) const {
    if (exists) return scaled<Acc, W>(x, reciprocal);
    return quotient(x, splat<W>(convert<Acc>(d)));
  }
};

/// The reciprocal of a diagonal element that has one.
template <class D>
struct BandReciprocal {
  D reciprocal;
  template <class Acc, int W>
  KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> divide(const register_t<Acc, W>& x) const {
    return scaled<Acc, W>(x, reciprocal);
  }
};

/// The facts about an operand with or without a batch that report() and info_fits() need.
template <bool Batch>
struct InfoOfProblems {
  static constexpr int rank = Batch ? 3 : 2;
};

/// The 1-based index of the first of the n numbers get(i) that is not positive in lane l, or 0.
template <class Get>
KOKKOS_FORCEINLINE_FUNCTION int first_not_positive(int n, int l, const Get& get) {
  KOKKOSCONTRACT_NO_UNROLL
  for (int i = 0; i < n; ++i) {
    const auto x = real_part(get(i));
    if (!(number_in_lane(x, l) > 0)) return i + 1;
  }
  return 0;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
