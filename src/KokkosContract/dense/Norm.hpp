// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_NORM_HPP
#define KOKKOSCONTRACT_DENSE_NORM_HPP

// Norms of vectors and matrices. One worker computes a whole problem.

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/core/Lanewise.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/operand/Matrix.hpp>
#include <KokkosContract/product/Contract.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A norm of problem z. If the norm is one of sums, the sums are over the rows of the Matrix.
template <class Kind, class Acc, class M>
KOKKOS_FORCEINLINE_FUNCTION auto norm_of(const M& a, int z) {
  using Real = magnitude_t<Acc>;
  if constexpr (std::is_same_v<Kind, Norm::Frobenius>) {
    const auto sum_up = [&](const Real& scale) KOKKOSCONTRACT_INLINE_LAMBDA {
      Real sum(scalar_t<Real>(0));
      for (int i = 0; i < a.rows(); ++i) {
        sum = sum + sum_of<Real>(0, a.cols(), [&](int j) KOKKOSCONTRACT_INLINE_LAMBDA {
                return squared(times_real(convert<Acc>(a(z, i, j)), scale));
              });
      }
      return sum;
    };
    return scaled_squares<Real>(sum_up).root();
  } else {
    using Size = std::conditional_t<std::is_same_v<Kind, SumOfParts>, SumOfParts, Modulus>;
    const auto size = [](const auto& x) { return lanewise(Size{}, convert<Acc>(x)); };
    Real largest(scalar_t<Real>(0));
    for (int i = 0; i < a.rows(); ++i) {
      if constexpr (std::is_same_v<Kind, Norm::Max>) {
        for (int j = 0; j < a.cols(); ++j) largest = lanewise(Larger{}, largest, size(a(z, i, j)));
      } else {
        const Real sum = sum_of<Real>(
            0, a.cols(), [&](int j) KOKKOSCONTRACT_INLINE_LAMBDA { return size(a(z, i, j)); });
        largest = lanewise(Larger{}, largest, sum);
      }
    }
    return largest;
  }
}

/// Stores the norm of each problem in its result. Rank: the rank of one problem.
template <class Kind, int Rank>
struct NormRoutine {
  static constexpr Signature signature{
      Rank == 2 ? "Norm" : (std::is_same_v<Kind, SumOfParts> ? "Asum" : "Nrm2"), 1};
  template <Level L, class A, class Result>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Result& result) {
    require_output<Result>();
    using Op = operand_t<A>;
    using T = value_t<Result>;
    using Acc = accumulator_t<value_t<A>, real_t<T>>;
    constexpr bool batch = Op::rank == Rank + 1;
    static_assert(Op::rank == Rank || batch,
                  "KokkosContract: a norm is that of a vector (rank 1) or of a matrix (rank 2), or "
                  "of a batch of them, with one more, leading dimension");
    static_assert(operand_t<Result>::rank == (batch ? 1 : 0),
                  "KokkosContract: the result of a norm has rank 0, or 1 for a batch");
    static_assert(is_pack<T> == is_pack<Acc>,
                  "KokkosContract: norms of packs need a result of packs, others one of numbers");
    static_assert(!std::is_integral_v<scalar_t<Acc>>,
                  "KokkosContract: a norm needs a floating-point type");
    // A vector is a row, whose elements are summed.
    constexpr bool by_columns = std::is_same_v<Kind, Norm::One>;
    const auto out = as_operand(result);
    const auto matrix = [&] {
      if constexpr (Rank == 1) {
        return RowVector<Op, batch>{{as_operand(a)}};
      } else {
        return Matrix<Op, batch, by_columns>{as_operand(a)};
      }
    }();
    if constexpr (batch) {
      if (out.extent(0) != matrix.batch()) return extents_disagree;
    }
    for_each(level, matrix.batch(), [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int z = static_cast<int>(t);
      T* to = out.data();
      if (batch) to += z * out.stride(0);
      *to = convert<T>(norm_of<Kind, Acc>(matrix, z));
    });
    level.barrier();
    return 0;
  }

 private:
  /// A vector as a matrix of one row.
  template <class Op, bool Batch>
  struct RowVector {
    Matrix<Op, Batch> column;
    KOKKOS_FORCEINLINE_FUNCTION int batch() const { return column.batch(); }
    KOKKOS_FORCEINLINE_FUNCTION static int rows() { return 1; }
    KOKKOS_FORCEINLINE_FUNCTION int cols() const { return column.rows(); }
    KOKKOS_FORCEINLINE_FUNCTION auto& operator()(int z, int, int j) const {
      return column(z, j, 0);
    }
  };
};

struct IamaxRoutine {
  static constexpr Signature signature{"Iamax", 1};
  template <Level L, class X, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const X& x, const Index& index) {
    require_output<Index>();
    using Op = operand_t<X>;
    static_assert(Op::rank == 1 || Op::rank == 2,
                  "KokkosContract: Iamax: x must have rank 1, or 2 with a leading batch dimension");
    static_assert(operand_t<Index>::rank == Op::rank - 1,
                  "KokkosContract: Iamax: the index has rank 0, or 1 for a batch");
    constexpr bool batch = Op::rank == 2;
    const Matrix<Op, batch> vector{as_operand(x)};
    const auto out = as_operand(index);
    if constexpr (batch) {
      if (out.extent(0) != vector.batch()) return extents_disagree;
    }
    for_each(level, vector.batch(), [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int z = static_cast<int>(t);
      auto* to = out.data();
      if (batch) to += z * out.stride(0);
      *to = largest_of(vector, z);
    });
    level.barrier();
    return 0;
  }
  /// Returns the index itself, which each worker finds.
  template <Level L, class X>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const X& x) {
    static_assert(operand_t<X>::rank == 1,
                  "KokkosContract: Iamax: without a View for the indices, x must have rank 1");
    const int largest = largest_of(Matrix<operand_t<X>, false>{as_operand(x)}, 0);
    level.barrier();  // a worker that returns may change x while others still read it
    return largest;
  }

 private:
  template <class M>
  KOKKOS_FORCEINLINE_FUNCTION static int largest_of(const M& vector, int z) {
    using T = std::remove_const_t<typename M::value_type>;
    static_assert(!is_pack<T>, "KokkosContract: Iamax: packs are not supported");
    const auto get = [&](int i) { return convert<accumulator_t<T>>(vector(z, i, 0)); };
    int largest = 0;
    for (int i = 1; i < vector.rows(); ++i) {
      if (comes_before(get(i), get(largest))) largest = i;
    }
    return largest;
  }

  /// Whether x comes before y, which has the lower index: it is larger. NaN is larger than all
  /// numbers.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static bool comes_before(const T& x, const T& y) {
    using R = real_t<T>;
    const R a = size_of(x), b = size_of(y);
    if constexpr (is_complex<T>) {
      constexpr R most = Kokkos::Experimental::finite_max_v<R>;
      if (a > most && b > most) return size_of(x * R(0.25)) > size_of(y * R(0.25));
    }
    return a > b || (a != a && b == b);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
