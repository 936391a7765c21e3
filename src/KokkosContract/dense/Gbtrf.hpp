// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_GBTRF_HPP
#define KOKKOSCONTRACT_DENSE_GBTRF_HPP

// LU of a band matrix with partial pivoting, right-looking, like LAPACK's dgbtf2. A worker takes
// whole problems.

#include <KokkosContract/dense/Band.hpp>
#include <KokkosContract/dense/PivotedEliminator.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class Band, class P, class Acc>
struct BandEliminator {
  const Band& band;
  const P& pivots;
  int rows, kl, ku;

  using T = std::remove_const_t<typename decltype(Band::a)::value_type>;
  using Register = register_t<Acc, 1>;

  KOKKOS_FORCEINLINE_FUNCTION int steps() const { return rows < band.cols() ? rows : band.cols(); }
  KOKKOS_FORCEINLINE_FUNCTION T& element(int z, int i, int j) const {
    return band.element(z, kl + ku + i - j, j);
  }
  KOKKOS_FORCEINLINE_FUNCTION Register get(int z, int i, int j) const {
    return to_register(convert<Acc>(element(z, i, j)));
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int z, int i, int j, const Register& x) const {
    element(z, i, j) = convert<T>(from_register<Acc>(x));
  }

  /// Clears the elements of column j that interchanges may fill in.
  KOKKOS_FORCEINLINE_FUNCTION void clear(int z, int j) const {
    KOKKOSCONTRACT_NO_UNROLL
    for (int d = kl + ku > j ? kl + ku - j : 0; d < kl; ++d) {
      band.element(z, d, j) = convert<T>(Acc(real_t<Acc>(0)));
    }
  }

  /// Interchanges rows p and `with` in columns p to last.
  KOKKOS_FORCEINLINE_FUNCTION void interchange(int z, int p, int below,
                                               const row_number_t<Acc>& with, int last) const {
    if constexpr (is_pack<Acc>) {
      if (is_in_all_lanes<Acc>(with, p)) return;
      KOKKOSCONTRACT_NO_UNROLL
      for (int j = p; j <= last; ++j) {
        Register x = get(z, p, j);
        for (int d = 1; d <= below; ++d) {
          Register y = get(z, p + d, j);
          swap_lanes<Acc>(with, row_number<Acc>(p + d), x, y);
          put(z, p + d, j, y);
        }
        put(z, p, j, x);
      }
    } else {
      if (with == p) return;
      KOKKOSCONTRACT_NO_UNROLL
      for (int j = p; j <= last; ++j) {
        const T x = element(z, p, j);
        element(z, p, j) = element(z, with, j);
        element(z, with, j) = x;
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void factor(int z) const {
    const int cols = band.cols();
    int last = 0;  // the last column that rows up to the current one reach
    KOKKOSCONTRACT_NO_UNROLL
    for (int j = ku + 1; j < kl + ku && j < cols; ++j) clear(z, j);
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = 0; p < steps(); ++p) {
      if (p + kl + ku < cols) clear(z, p + kl + ku);
      const int below = rows - 1 - p < kl ? rows - 1 - p : kl;
      Largest<Acc> best(p);
      for (int d = 0; d <= below; ++d) best.offer(get(z, p + d, p), p + d);
      pivots.put(z, p, best.row);
      int reach = p + kl + ku;
      if constexpr (!is_pack<Acc>) reach = best.row + ku;
      reach = reach < cols ? reach : cols - 1;
      last = last < reach ? reach : last;
      interchange(z, p, below, best.row, last);
      const Register pivot = get(z, p, p);
      const Register divisor = select<IsEqual>(size_of(pivot), all_lanes<Acc>(real_t<Acc>(0)),
                                               to_register(Acc(real_t<Acc>(1))), pivot);
      const BandDivisor<Acc> by(from_register<Acc>(divisor));
      KOKKOSCONTRACT_NO_UNROLL
      for (int d = 1; d <= below; ++d) {
        put(z, p + d, p, by.template divide<Acc, 1>(get(z, p + d, p)));
      }
      KOKKOSCONTRACT_NO_UNROLL
      for (int j = p + 1; j <= last; ++j) {
        const Register x = get(z, p, j);
        for (int d = 1; d <= below; ++d) {
          put(z, p + d, j, get(z, p + d, j) - get(z, p + d, p) * x);
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION int first_zero_pivot(int z, int l) const {
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = 0; i < steps(); ++i) {
      const Acc x = convert<Acc>(element(z, i, i));
      if (number_in_lane(x, l) == scalar_t<Acc>(0)) return i + 1;
    }
    return 0;
  }
};

struct GbtrfRoutine {
  static constexpr Signature signature{"Gbtrf", 0};
  template <Level L, class A, class P>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const P& ipiv, int kl,
                                             int ku) {
    return run(level, a, ipiv, kl, ku, -1, NoInfo{});
  }
  template <Level L, class A, class P, class Last>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const P& ipiv, int kl,
                                             int ku, const Last& last) {
    if constexpr (std::is_integral_v<Last>) {
      return run(level, a, ipiv, kl, ku, last, NoInfo{});
    } else {
      return run(level, a, ipiv, kl, ku, -1, last);
    }
  }
  /// m: rows of the matrix; -1: the number of columns.
  template <Level L, class A, class P, class Info>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const P& ipiv, int kl,
                                             int ku, int m, const Info& info) {
    using Op = operand_t<A>;
    using T = value_t<A>;
    using Acc = accumulator_t<T>;
    require_output<A>();
    require_output<P>();
    static_assert(!std::is_integral_v<scalar_t<T>>,
                  "KokkosContract: Gbtrf needs a floating-point type");
    constexpr bool batch = Op::rank == 3;
    const BandStorage<Op, batch> band{as_operand(a)};
    const Pivots<operand_t<P>, batch, Acc> pivots{as_operand(ipiv)};
    const BandEliminator<std::remove_const_t<decltype(band)>, std::remove_const_t<decltype(pivots)>,
                         Acc>
        eliminator{band, pivots, m == -1 ? band.cols() : m, kl, ku};
    if (m < -1 || !band_fits_fill_in(band, kl, ku) ||
        !pivots.fits(band.batch(), eliminator.steps()) || !info_fits<Op, T>(info, band.batch())) {
      return extents_disagree;
    }
    for_each(level, band.batch(), [&](std::ptrdiff_t z) KOKKOSCONTRACT_INLINE_LAMBDA {
      eliminator.factor(static_cast<int>(z));
    });
    level.barrier();
    return report<Op, T>(level, band.batch(), info, [&](int z, int l) KOKKOSCONTRACT_INLINE_LAMBDA {
      return eliminator.first_zero_pivot(z, l);
    });
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
