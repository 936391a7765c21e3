// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_SYMV_HPP
#define KOKKOSCONTRACT_DENSE_SYMV_HPP

#include <KokkosContract/core/Lanewise.hpp>
#include <KokkosContract/dense/Gemm.hpp>
#include <KokkosContract/operand/Matrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Computes each element of y on one worker. It is the dot product of x and a row. The part of the
/// row after the diagonal (before it for an upper triangle) is read as a column.
template <class Triangle, class TransA>
struct SymvRoutine {
  static constexpr Signature signature{"Symv", 4};
  template <Level L, class Alpha, class A, class X, class Beta, class Y>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Alpha& alpha, const A& a,
                                             const X& x, const Beta& beta, const Y& y) {
    require_output<Y>();
    using OpA = operand_t<A>;
    using OpX = operand_t<X>;
    using OpY = operand_t<Y>;
    using T = value_t<Y>;
    using Acc = accumulator_t<value_t<A>, value_t<X>, T>;
    constexpr bool batch = OpY::rank == 2;
    constexpr bool a_batch = has_batch<A, batch>;
    constexpr bool x_batch = has_batch<X, batch>;
    static_assert(is_transposed<TransA>,
                  "KokkosContract: Symv: the tag is Trans::Transpose for a symmetric A, or "
                  "Trans::ConjTranspose for a Hermitian one");
    static_assert(OpY::rank == 1 || batch,
                  "KokkosContract: Symv: y must have rank 1, or 2 with a leading batch dimension");
    static_assert(OpA::rank == (a_batch ? 3 : 2) && OpX::rank == (x_batch ? 2 : 1),
                  "KokkosContract: Symv: A must have rank 2 and x rank 1, and a leading batch "
                  "dimension more if y has one, unless they are in shared(...)");
    constexpr bool hermitian = is_conjugated<TransA> && is_complex<scalar_t<Acc>>;
    const Matrix<OpA, a_batch> matrix{as_operand(a)};
    const Matrix<OpX, x_batch> from{as_operand(x)};
    const Matrix<OpY, batch> to{as_operand(y)};
    const int n = to.rows();
    if (matrix.rows() != n || matrix.cols() != n || from.rows() != n ||
        (a_batch && matrix.batch() != to.batch()) || (x_batch && from.batch() != to.batch())) {
      return extents_disagree;
    }
    if (!keeps_value<Acc>(alpha) || !keeps_value<Acc>(beta)) return factor_is_no_integer;
    const auto by = factor<factor_t<Acc, Alpha>>(alpha);
    const auto keep = factor<factor_t<Acc, Beta>>(beta);
    const bool multiplies = !is_zero(by), reads = !is_zero(keep);

    for_each_pair(level, to.batch(), n, [&](int z, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
      Acc sum(scalar_t<Acc>(0));
      if (multiplies) sum = row_times<Acc, hermitian>(matrix, from, z, i, n);
      T& out = to(z, i, 0);
      out = convert<T>(linear_value<Acc>(by, sum, keep, reads, out));
    });
    level.barrier();
    return 0;
  }

 private:
  /// The product of row i of the matrix and x, for problem z.
  template <class Acc, bool Hermitian, class M, class V>
  KOKKOS_FORCEINLINE_FUNCTION static Acc row_times(const M& matrix, const V& x, int z, int i,
                                                   int n) {
    const auto element = [&](int k) { return convert<Acc>(x(z, k, 0)); };
    // The part of the row that is in the triangle, and the part that is read as a column.
    const auto in_row = [&](int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      return convert<Acc>(matrix(z, i, j)) * element(j);
    };
    const auto in_column = [&](int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      return conjugate_if<Hermitian>(convert<Acc>(matrix(z, j, i))) * element(j);
    };
    Acc sum = convert<Acc>(matrix(z, i, i));
    if constexpr (Hermitian) {
      sum = times_real(element(i), lanewise(RealPart{}, sum));
    } else {
      sum = sum * element(i);
    }
    if constexpr (std::is_same_v<Triangle, Uplo::Lower>) {
      return sum + (sum_of<Acc>(0, i, in_row) + sum_of<Acc>(i + 1, n, in_column));
    } else {
      return sum + (sum_of<Acc>(0, i, in_column) + sum_of<Acc>(i + 1, n, in_row));
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
