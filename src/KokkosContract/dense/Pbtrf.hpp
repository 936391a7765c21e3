// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_PBTRF_HPP
#define KOKKOSCONTRACT_DENSE_PBTRF_HPP

// Cholesky of a band matrix, right-looking. A worker takes whole problems. The upper triangle,
// transposed, holds the conjugate of the lower one, and its factor is the conjugate of L.

#include <KokkosContract/dense/Band.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Computes L of problem z in place. After a number that is not positive, it continues in packs
/// only.
template <class Rows, class Acc>
struct BandCholesky {
  const Rows& rows;
  int n;

  using T = typename Rows::value_type;
  using Register = register_t<Acc, 1>;
  using Factor = CholeskyFactor<Rows, Acc>;

  /// Element (i, i - distance).
  KOKKOS_FORCEINLINE_FUNCTION Register get(int z, int i, int distance) const {
    return to_register(convert<Acc>(rows(z, i, distance)));
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int z, int i, int distance, const Register& x) const {
    rows(z, i, distance) = convert<T>(from_register<Acc>(x));
  }

  KOKKOS_FORCEINLINE_FUNCTION void factor(int z) const {
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = 0; p < n; ++p) {
      const auto d = real_part(get(z, p, 0));
      rows(z, p, 0) = convert<T>(pack_of_sizes<Acc>(Factor::root_if_positive(d)));
      if constexpr (!is_pack<Acc>) {
        if (!Factor::is_positive(d)) return;
      }
      const auto reciprocal = Factor::inverse_root(d);
      const int below = n - 1 - p < rows.width ? n - 1 - p : rows.width;
      KOKKOSCONTRACT_NO_UNROLL
      for (int q = 1; q <= below; ++q) {
        const Register l = Factor::template times<1>(get(z, p + q, q), reciprocal);
        put(z, p + q, q, l);
        for (int r = 1; r <= q; ++r) {
          const Register x = conjugate_if<true>(get(z, p + r, r));
          put(z, p + q, q - r, get(z, p + q, q - r) - l * x);
        }
      }
    }
  }
};

template <class Triangle>
struct PbtrfRoutine {
  static constexpr Signature signature{"Pbtrf", 0};
  template <Level L, class A, class Info = NoInfo>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Info& info = {}) {
    using Op = operand_t<A>;
    using T = value_t<A>;
    using Acc = accumulator_t<T>;
    require_output<A>();
    static_assert(!std::is_integral_v<scalar_t<T>>,
                  "KokkosContract: Pbtrf needs a floating-point type");
    constexpr bool batch = Op::rank == 3;
    const BandStorage<Op, batch> band{as_operand(a)};
    if (band.diagonals() < 1 || !info_fits<Op, T>(info, band.batch())) return extents_disagree;
    using TransA = std::conditional_t<std::is_same_v<Triangle, Uplo::Lower>, Trans::NoTranspose,
                                      Trans::Transpose>;
    const auto rows = band.template triangle<Triangle, TransA>(0, band.diagonals() - 1);
    const BandCholesky<std::remove_const_t<decltype(rows)>, Acc> cholesky{rows, band.cols()};
    for_each(level, band.batch(), [&](std::ptrdiff_t z) KOKKOSCONTRACT_INLINE_LAMBDA {
      cholesky.factor(static_cast<int>(z));
    });
    level.barrier();
    return report<Op, T>(level, band.batch(), info, [&](int z, int l) KOKKOSCONTRACT_INLINE_LAMBDA {
      return first_not_positive(band.cols(), l, [&](int i) KOKKOSCONTRACT_INLINE_LAMBDA {
        return convert<Acc>(rows(z, i, 0));
      });
    });
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
