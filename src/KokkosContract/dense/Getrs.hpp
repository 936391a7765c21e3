// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_GETRS_HPP
#define KOKKOSCONTRACT_DENSE_GETRS_HPP

// Solves with the factors of Getrf: row interchanges and two triangular solves.

#include <KokkosContract/dense/Factored.hpp>
#include <KokkosContract/dense/Getrf.hpp>
#include <KokkosContract/dense/SolveLU.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Runs B interchanges of problem z, from number p on.
template <int B, bool Backwards, class P, class M>
KOKKOS_FORCEINLINE_FUNCTION void interchange_block(const P& pivots, const M& m, int z, int p,
                                                   int first, int end) {
  using Acc = typename P::accumulator_type;
  row_number_t<Acc> rows[B];
  KOKKOSCONTRACT_UNROLL
  for (int q = 0; q < B; ++q) rows[q] = pivots.get(z, p + q);
  interchange<Acc, B, 1, Backwards>(m, z, p, rows, first, end);
}

/// Runs all interchanges of problem z in columns first to end - 1.
template <bool Backwards, class P, class M>
KOKKOS_FORCEINLINE_FUNCTION void interchange_all(const P& pivots, const M& m, int z, int first,
                                                 int end) {
  constexpr int block = is_pack<typename P::accumulator_type> ? 4 : 1;
  const int in_blocks = m.rows() / block * block;
  const auto rest = [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
    KOKKOSCONTRACT_NO_UNROLL
    for (int k = in_blocks; k < m.rows(); ++k) {
      const int p = Backwards ? in_blocks + m.rows() - 1 - k : k;
      interchange_block<1, Backwards>(pivots, m, z, p, first, end);
    }
  };
  if (Backwards) rest();
  KOKKOSCONTRACT_NO_UNROLL
  for (int k = 0; k < in_blocks; k += block) {
    const int p = Backwards ? in_blocks - block - k : k;
    interchange_block<block, Backwards>(pivots, m, z, p, first, end);
  }
  if (!Backwards) rest();
}

/// Runs all interchanges in all problems. Several workers take whole columns.
template <bool Backwards, Level L, class P, class M>
KOKKOS_FORCEINLINE_FUNCTION void interchange_all(const L& level, const P& pivots, const M& m) {
  if constexpr (is_single_worker<L>()) {
    for (int z = 0; z < m.batch(); ++z) interchange_all<Backwards>(pivots, m, z, 0, m.cols());
  } else {
    for_each_pair(level, m.batch(), m.cols(), [&](int z, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      interchange_all<Backwards>(pivots, m, z, j, j + 1);
    });
    level.barrier();
  }
}

/// The interchanges of Getrf for right-hand sides: before the solves, or backwards after them.
template <class P, bool Backwards>
struct Interchanges {
  static constexpr bool come_first = !Backwards;
  static constexpr bool come_last = Backwards;
  const P& pivots;

  template <Level L, class M>
  KOKKOS_FORCEINLINE_FUNCTION void apply(const L& level, const M& b) const {
    interchange_all<Backwards>(level, pivots, b);
  }
  /// Applies the interchanges to column j of problem z.
  template <class M>
  KOKKOS_FORCEINLINE_FUNCTION void apply(const M& b, int z, int j) const {
    interchange_all<Backwards>(pivots, b, z, j, j + 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION int get(int z, int p) const { return pivots.get(z, p); }
};

template <class TransA>
struct GetrsRoutine {
  static constexpr Signature signature{"Getrs", 2};
  static constexpr bool takes_batch = true;
  template <Level L, class A, class P, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const P& ipiv,
                                             const B& b) {
    using F = Factored<A, B>;
    static_assert(is_shared<P> == is_shared<A>,
                  "KokkosContract: Getrs: A and ipiv are both shared, or neither is");
    static_assert(is_pack<value_t<B>> || !is_pack<value_t<A>>,
                  "KokkosContract: Getrs: a matrix of packs needs a right-hand side of packs");
    // A matrix of scalars has the same interchanges in all lanes of its right-hand sides.
    using Acc = accumulator_t<std::conditional_t<is_pack<value_t<A>>, value_t<B>, value_t<A>>>;
    const Pivots<operand_t<P>, F::a_batch, Acc> pivots{as_operand(ipiv)};
    const auto rhs = F::right_hand_sides(b);
    if (!F::extents_agree(a, b) || !pivots.fits(rhs.batch(), rhs.rows())) return extents_disagree;
    using Factors = LUFactors<TransA>;
    const Interchanges<decltype(pivots), is_transposed<TransA>> rows{pivots};
    F::template solve_both<typename Factors::First, typename Factors::Second>(level, a, b, rows);
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
