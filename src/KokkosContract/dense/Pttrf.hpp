// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_PTTRF_HPP
#define KOKKOSCONTRACT_DENSE_PTTRF_HPP

// L D L^H of a tridiagonal matrix. A worker takes whole problems.

#include <KokkosContract/dense/Band.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

struct PttrfRoutine {
  static constexpr Signature signature{"Pttrf", 0};
  template <Level L, class D, class E, class Info = NoInfo>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const D& d, const E& e,
                                             const Info& info = {}) {
    using OpD = operand_t<D>;
    using T = value_t<D>;
    using AccD = accumulator_t<T>;
    using Acc = accumulator_t<T, value_t<E>>;
    require_output<D>();
    require_output<E>();
    static_assert(OpD::rank == 1 || OpD::rank == 2,
                  "KokkosContract: Pttrf: d must have rank 1, or 2 with a leading batch dimension");
    static_assert(operand_t<E>::rank == OpD::rank, "KokkosContract: Pttrf: e has the rank of d");
    static_assert(is_pack<T> == is_pack<value_t<E>>,
                  "KokkosContract: Pttrf: d and e both have packs, or neither has");
    static_assert(!std::is_integral_v<scalar_t<T>>,
                  "KokkosContract: Pttrf needs a floating-point type");
    constexpr bool batch = OpD::rank == 2;
    using Problems = InfoOfProblems<batch>;
    const Matrix<OpD, batch> diagonals{as_operand(d)};
    const Matrix<operand_t<E>, batch> off{as_operand(e)};
    const int n = diagonals.rows();
    const int problems = diagonals.batch();
    if (off.rows() != (n > 0 ? n - 1 : 0) || off.batch() != problems ||
        !info_fits<Problems, T>(info, problems)) {
      return extents_disagree;
    }
    for_each(level, problems, [&](std::ptrdiff_t number) KOKKOSCONTRACT_INLINE_LAMBDA {
      const auto z = static_cast<int>(number);
      using Real = std::remove_cvref_t<decltype(real_part(std::declval<AccD>()))>;
      Real update(real_t<AccD>(0));
      KOKKOSCONTRACT_NO_UNROLL
      for (int i = 0; i < n; ++i) {
        const Real pivot = real_part(convert<AccD>(diagonals(z, i, 0))) - update;
        diagonals(z, i, 0) = convert<T>(pivot);
        if constexpr (!is_pack<T>) {
          if (!(pivot > 0)) return;
        }
        if (i + 1 == n) return;
        const auto x = convert<Acc>(off(z, i, 0));
        const BandDivisor<Real> by(pivot);
        const Acc l = from_register<Acc>(by.template divide<Acc, 1>(to_register(x)));
        off(z, i, 0) = convert<value_t<E>>(l);
        update = real_part(l * conjugate_if<true>(x));
      }
    });
    level.barrier();
    return report<Problems, T>(
        level, problems, info, [&](int z, int l) KOKKOSCONTRACT_INLINE_LAMBDA {
          return first_not_positive(n, l, [&](int i) KOKKOSCONTRACT_INLINE_LAMBDA {
            return convert<AccD>(diagonals(z, i, 0));
          });
        });
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
