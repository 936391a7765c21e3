// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_GECON_HPP
#define KOKKOSCONTRACT_DENSE_GECON_HPP

// An estimate of the condition number from the factors of LU or Getrf, by a few solves, like
// LAPACK's gecon. The workers share the solves. Each worker reads all of a solution, so that all
// make the same decisions.

#include <KokkosContract/core/Lanewise.hpp>
#include <KokkosContract/dense/SolveLU.hpp>
#include <KokkosContract/operand/Matrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Computes x / |x|, or 1 for zero.
struct Sign {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(const T& x) const {
    if constexpr (is_complex<T>) {
      const auto size = Kokkos::abs(x);
      return size > 0 ? T(x.real() / size, x.imag() / size) : T(1);
    } else {
      return x < 0 ? T(-1) : T(1);
    }
  }
};

/// Lower bounds of the 1-norm of the inverse of op(A), by vectors x in the workspace.
template <class TransA, Level L, class A, class X>
struct InverseNorm {
  const L& level;
  const A& a;
  const X& x;

  using T = value_t<X>;
  using Acc = accumulator_t<T>;
  using Real = magnitude_t<Acc>;
  using R = scalar_t<Real>;
  static constexpr int lanes = is_pack<Acc> ? PackTraits<Acc>::lanes : 1;
  using Adjoint =
      std::conditional_t<is_transposed<TransA>, Trans::NoTranspose, Trans::ConjTranspose>;

  Real bound = Real(R(0));

  KOKKOS_FORCEINLINE_FUNCTION int size() const { return x.extent(0); }
  KOKKOS_FORCEINLINE_FUNCTION Acc get(int i) const {
    return convert<Acc>(x.data()[i * x.stride(0)]);
  }
  KOKKOS_FORCEINLINE_FUNCTION Real size_at(int i) const { return lanewise(Modulus{}, get(i)); }

  /// Sets x_i = f(i), after all workers have read x.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void set(const F& f) const {
    level.barrier();
    for_each(level, size(), [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
      const auto i = static_cast<int>(t);
      x.data()[i * x.stride(0)] = convert<T>(f(i));
    });
    level.barrier();
  }

  /// Improves the bound by op(A)^-1 x times `factor`. Returns whether it is better in a lane.
  KOKKOS_FORCEINLINE_FUNCTION bool improve(const R& factor) {
    SolveLURoutine<TransA>::run(level, a, x);
    Real sum(R(0));
    for (int i = 0; i < size(); ++i) sum = sum + size_at(i);
    sum = sum * Real(factor);
    bool improves = false;
    for (int l = 0; l < lanes; ++l)
      improves = improves || number_in_lane(sum, l) > number_in_lane(bound, l);
    bound = lanewise(Larger{}, bound, sum);
    return improves;
  }

  /// Finds the row of the largest element of the gradient, in each lane. Returns whether, in some
  /// lane, it is larger than the element in the previous `row`.
  KOKKOS_FORCEINLINE_FUNCTION bool ascend(int (&row)[lanes]) const {
    set([&](int i) KOKKOSCONTRACT_INLINE_LAMBDA { return lanewise(Sign{}, get(i)); });
    SolveLURoutine<Adjoint>::run(level, a, x);
    bool ascends = false;
    for (int l = 0; l < lanes; ++l) {
      const int before = row[l];
      const auto size_in_lane = [&](int i) {
        const Real sizes = size_at(i);
        return number_in_lane(sizes, l);
      };
      int best = 0;
      for (int i = 1; i < size(); ++i) {
        if (size_in_lane(i) > size_in_lane(best)) best = i;
      }
      ascends = ascends || before < 0 || size_in_lane(best) > size_in_lane(before);
      row[l] = best;
    }
    return ascends;
  }

  /// Estimates the norm (N. J. Higham, FORTRAN codes for estimating the one-norm of a real or
  /// complex matrix, ACM TOMS 14, 1988).
  KOKKOS_FORCEINLINE_FUNCTION void estimate() {
    const int n = size();
    set([&](int) KOKKOSCONTRACT_INLINE_LAMBDA { return Acc(real_t<Acc>(1) / real_t<Acc>(n)); });
    improve(R(1));
    int row[lanes];
    for (int l = 0; l < lanes; ++l) row[l] = -1;
    constexpr int most = 5;
    KOKKOSCONTRACT_NO_UNROLL
    for (int step = 0; step < most; ++step) {
      if (!for_any_team(level, ascend(row))) break;
      set([&](int i) KOKKOSCONTRACT_INLINE_LAMBDA {
        Acc unit(real_t<Acc>(0));
        for (int l = 0; l < lanes; ++l) {
          if (row[l] == i) number_in_lane(unit, l) = scalar_t<Acc>(1);
        }
        return unit;
      });
      if (!for_any_team(level, improve(R(1)))) break;
    }
    // This vector finds cases that cancel above.
    set([&](int i) KOKKOSCONTRACT_INLINE_LAMBDA {
      const R rest = R(i) / R(n > 1 ? n - 1 : 1);
      return Acc(real_t<Acc>(i % 2 == 0 ? 1 + rest : -1 - rest));
    });
    improve(R(2) / R(3 * (n > 0 ? n : 1)));
  }
};

/// Kind: One or Infinity.
template <class Kind>
struct GeconRoutine {
  static constexpr Signature signature{"Gecon", 2};
  static constexpr bool takes_batch = true;
  template <Level L, class A, class Norms, class W, class Results>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Norms& norms,
                                             const W& w, const Results& results) {
    require_output<W>();
    require_output<Results>();
    using OpA = operand_t<A>;
    using OpW = operand_t<W>;
    constexpr int rank = OpA::rank;
    constexpr bool batch = rank == 3;
    static_assert(std::is_same_v<Kind, Norm::One> || std::is_same_v<Kind, Norm::Infinity>,
                  "KokkosContract: Gecon: the norm is Norm::One or Norm::Infinity");
    static_assert(rank == 2 || batch,
                  "KokkosContract: Gecon: A must have rank 2, or 3 with a leading batch dimension");
    static_assert(OpW::rank == rank - 1,
                  "KokkosContract: Gecon: the workspace has rank 1, or 2 with a leading batch "
                  "dimension");
    static_assert(operand_t<Norms>::rank == rank - 2 && operand_t<Results>::rank == rank - 2,
                  "KokkosContract: Gecon: the norm of A and the result have rank 0, or 1 for a "
                  "batch");
    static_assert(std::is_same_v<value_t<A>, value_t<W>>,
                  "KokkosContract: Gecon: the workspace has elements of another type than A");
    static_assert(is_pack<value_t<A>> == is_pack<value_t<Results>>,
                  "KokkosContract: Gecon: matrices of packs need a result of packs");
    const OpA matrix = as_operand(a);
    const OpW workspace = as_operand(w);
    const auto norm = as_operand(norms);
    const auto result = as_operand(results);
    const int n = matrix.extent(rank - 1);
    if (matrix.extent(rank - 2) != n || workspace.extent(rank - 2) < n) return extents_disagree;
    if constexpr (batch) {
      const int problems = matrix.extent(0);
      if (workspace.extent(0) != problems || norm.extent(0) != problems ||
          result.extent(0) != problems) {
        return extents_disagree;
      }
      KOKKOSCONTRACT_NO_UNROLL
      for (int z = 0; z < problems; ++z) {
        estimate(level, sliced(matrix, z), sliced(norm, z), sliced(workspace, z),
                 sliced(result, z));
      }
    } else {
      estimate(level, matrix, norm, workspace, result);
    }
    return 0;
  }

 private:
  template <Level L, class A, class Of, class W, class To>
  KOKKOS_FORCEINLINE_FUNCTION static void estimate(const L& level, const A& a, const Of& norm,
                                                   const W& w, const To& to) {
    using TransA = std::conditional_t<std::is_same_v<Kind, Norm::One>, Trans::NoTranspose,
                                      Trans::ConjTranspose>;
    constexpr StaticShape<1> shape = [] {
      StaticShape<1> result = W::shape;
      result.extent[0] = A::shape.extent[1];
      return result;
    }();
    const int extent[] = {a.extent(1)};
    const std::ptrdiff_t stride[] = {w.stride(0)};
    const strided_t<value_t<W>, shape> x(w.data(), extent, stride);
    InverseNorm<TransA, L, A, decltype(x)> inverse{level, a, x};
    inverse.estimate();
    level.barrier();
    if (level.rank() == 0) {
      using T = typename To::value_type;
      using R = typename decltype(inverse)::R;
      const Matrix<A, false> factors{a};
      T rcond;
      for (int l = 0; l < inverse.lanes; ++l) {
        const auto of_a = static_cast<R>(number_in_lane(*norm.data(), l));
        const R of_inverse = number_in_lane(inverse.bound, l);
        const bool exists = first_zero_of_diagonal(factors, 0, extent[0], l) == 0 && of_a > 0 &&
                            of_inverse > 0 && of_inverse <= Kokkos::Experimental::finite_max_v<R>;
        const R reciprocal = exists ? R(1) / of_inverse / of_a : R(0);
        number_in_lane(rcond, l) = static_cast<scalar_t<T>>(extent[0] == 0 ? R(1) : reciprocal);
      }
      *to.data() = rcond;
    }
    level.barrier();
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
