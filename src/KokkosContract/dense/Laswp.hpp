// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_LASWP_HPP
#define KOKKOSCONTRACT_DENSE_LASWP_HPP

// Interchanges of rows or columns by given pivots: Laswp and ApplyPivot.

#include <KokkosContract/core/Codes.hpp>
#include <KokkosContract/dense/Interchange.hpp>
#include <KokkosContract/level/Call.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

// The row from which a pivot counts.
struct FromFirst {};  ///< the first row
struct FromOwn {};    ///< the row whose pivot it is

/// The row to which pivot p refers.
template <class Base, class Integer>
KOKKOS_FORCEINLINE_FUNCTION int pivot_row(int p, const Integer& pivot) {
  return static_cast<int>(pivot) + (std::is_same_v<Base, FromOwn> ? p : 0);
}

/// Swaps row p of problem z with the row of its pivot. Each lane has its own pivot.
template <class Base, class P, class M>
KOKKOS_FORCEINLINE_FUNCTION void swap_by_pivot(const P& pivots, const M& m, int z, int p, int first,
                                               int end) {
  using Acc = typename P::accumulator_type;
  if constexpr (is_pack<Acc>) {
    KOKKOSCONTRACT_NO_UNROLL
    for (int l = 0; l < Acc::length; ++l) {
      const int row = pivot_row<Base>(p, pivots.entry(z, p, l));
      if (row == p) continue;
      for (int j = first; j < end; ++j) {
        auto& one = m(z, p, j)[l];
        auto& other = m(z, row, j)[l];
        const auto before = one;
        one = other;
        other = before;
      }
    }
  } else {
    const int row = pivot_row<Base>(p, pivots.entry(z, p, 0));
    if (row != p) swap_rows(m, z, p, row, first, end);
  }
}

/// Calls f(z, begin, end) for the columns of all problems. Several workers take one column each.
template <Level L, class M, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_whole_columns(const L& level, const M& m, const F& f) {
  if constexpr (is_single_worker<L>()) {
    for (int z = 0; z < m.batch(); ++z) f(z, 0, m.cols());
  } else {
    for_each_pair(level, m.batch(), m.cols(),
                  [&](int z, int j) KOKKOSCONTRACT_INLINE_LAMBDA { f(z, j, j + 1); });
    level.barrier();
  }
}

/// Applies pivots to rows, or to columns (Side::Right). Order: Direct::Forward or Direct::Backward.
template <class Where, class Order, class Base>
struct PivotRoutine {
  static constexpr Signature signature{std::is_same_v<Base, FromFirst> ? "Laswp" : "ApplyPivot", 1};
  template <Level L, class P, class A>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const P& pivot, const A& a) {
    require_output<A>();
    using Op = operand_t<A>;
    using T = value_t<A>;
    constexpr bool of_columns = std::is_same_v<Where, Side::Right>;
    if constexpr (is_array<P>) {
      constexpr bool batch = operand_t<P>::rank == (is_pack<T> ? 3 : 2);
      require_rank<Op::rank - (batch ? 1 : 0)>();
      const Pivots<operand_t<P>, batch, T> pivots{as_operand(pivot)};
      const Matrix<Op, batch, of_columns> m{as_operand(a)};
      const int steps = pivots.ipiv.extent(pivots.row_dimension);
      if (steps > m.rows() || !pivots.fits(m.batch(), steps)) return extents_disagree;
      for_whole_columns(level, m, [&](int z, int begin, int end) KOKKOSCONTRACT_INLINE_LAMBDA {
        KOKKOSCONTRACT_NO_UNROLL
        for (int k = 0; k < steps; ++k) {
          const int p = std::is_same_v<Order, Direct::Backward> ? steps - 1 - k : k;
          swap_by_pivot<Base>(pivots, m, z, p, begin, end);
        }
      });
    } else {
      static_assert(std::is_integral_v<P> && std::is_same_v<Base, FromOwn>,
                    "KokkosContract: Laswp: the pivots are an operand of integers");
      require_rank<Op::rank>();
      const Matrix<Op, false, of_columns> m{as_operand(a)};
      if (pivot < 0 || (pivot != 0 && pivot >= m.rows())) return extents_disagree;
      for_whole_columns(level, m, [&](int z, int begin, int end) KOKKOSCONTRACT_INLINE_LAMBDA {
        if (pivot != 0) swap_rows(m, z, 0, static_cast<int>(pivot), begin, end);
      });
    }
    return 0;
  }

 private:
  template <int Rank>
  static consteval void require_rank() {
    static_assert(
        Rank == 1 || Rank == 2,
        "KokkosContract: A is a vector or a matrix, with a leading batch dimension if the "
        "pivots have one");
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
