// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_SYR_HPP
#define KOKKOSCONTRACT_DENSE_SYR_HPP

#include <KokkosContract/core/Lanewise.hpp>
#include <KokkosContract/dense/Gemm.hpp>
#include <KokkosContract/operand/Matrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A diagonal element of a Hermitian matrix, which stays Hermitian only if alpha is real. (A zero
/// alpha changes nothing, in a lane as in all lanes.)
struct RealDiagonal {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(const T& x, const T& alpha) const {
    return alpha.imag() == 0 && alpha.real() != 0 ? T(x.real()) : x;
  }
};

/// Updates the triangle, each row on one worker. A column-major matrix is treated as transposed, so
/// that rows are contiguous.
template <class Triangle, class TransX>
struct SyrRoutine {
  static constexpr Signature signature{"Syr", 2};
  template <Level L, class Alpha, class X, class A>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Alpha& alpha, const X& x,
                                             const A& a) {
    require_output<A>();
    using OpA = operand_t<A>;
    using OpX = operand_t<X>;
    using T = value_t<A>;
    using Acc = accumulator_t<value_t<X>, T>;
    constexpr bool batch = OpA::rank == 3;
    constexpr bool x_batch = has_batch<X, batch>;
    static_assert(is_transposed<TransX>,
                  "KokkosContract: Syr: the tag is Trans::Transpose for x x^T, or "
                  "Trans::ConjTranspose for x x^H");
    static_assert(OpA::rank == 2 || batch,
                  "KokkosContract: Syr: A must have rank 2, or 3 with a leading batch dimension");
    static_assert(OpX::rank == (x_batch ? 2 : 1),
                  "KokkosContract: Syr: x must have rank 1, or 2 with a leading batch dimension, "
                  "which it needs if A has one, unless it is shared(x)");
    constexpr bool hermitian = is_conjugated<TransX> && is_complex<scalar_t<T>>;
    constexpr bool column_major = is_column_major(dims_of(OpA::shape));
    constexpr bool lower = std::is_same_v<Triangle, Uplo::Lower> != column_major;
    const Matrix<OpA, batch, column_major> matrix{as_operand(a)};
    const Matrix<OpX, x_batch> vector{as_operand(x)};
    const int n = matrix.rows();
    if (matrix.cols() != n || vector.rows() != n || (x_batch && vector.batch() != matrix.batch())) {
      return extents_disagree;
    }
    if (!keeps_value<Acc>(alpha)) return factor_is_no_integer;
    const auto by = factor<factor_t<Acc, Alpha>>(alpha);
    if (is_zero(by)) return 0;

    for_each_pair(level, matrix.batch(), n, [&](int z, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
      const auto element = [&](int k) { return convert<Acc>(vector(z, k, 0)); };
      const Acc x_i = conjugate_if < hermitian && column_major > (element(i));
      // If alpha is zero in a single lane, products with NaN are ignored in that lane.
      constexpr bool by_lane = is_pack<std::remove_cvref_t<decltype(by)>>;
      const auto by_alpha = [&](const Acc& value) {
        return linear_value<Acc>(by, value, by, false, Acc());
      };
      const Acc own = by_lane ? x_i : by_alpha(x_i);
      const int end = lower ? i + 1 : n;
      for (int j = lower ? 0 : i; j < end; ++j) {
        T& to = matrix(z, i, j);
        Acc term = own * conjugate_if < hermitian && !column_major > (element(j));
        if constexpr (by_lane) term = by_alpha(term);
        to = convert<T>(convert<Acc>(to) + term);
      }
      if constexpr (hermitian) {
        T& to = matrix(z, i, i);
        to = lanewise(RealDiagonal{}, to, convert<T>(by));
      }
    });
    level.barrier();
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
