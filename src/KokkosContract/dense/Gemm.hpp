// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_GEMM_HPP
#define KOKKOSCONTRACT_DENSE_GEMM_HPP

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/dense/NamedOperands.hpp>
#include <KokkosContract/level/Call.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The letters of a matrix operand: (batch) row column, transposed as the tag says.
template <class TransTag>
consteval Labels matrix_labels(bool batch, char row, char column) {
  Labels labels{};
  if (batch) labels.letter[labels.rank++] = 'b';
  labels.letter[labels.rank++] = is_transposed<TransTag> ? column : row;
  labels.letter[labels.rank++] = is_transposed<TransTag> ? row : column;
  labels.conjugate = is_conjugated<TransTag>;
  return labels;
}

consteval Labels vector_labels(bool batch, char row) {
  Labels labels{};
  if (batch) labels.letter[labels.rank++] = 'b';
  labels.letter[labels.rank++] = row;
  return labels;
}

/// Whether operand A takes part in a batch: it has the leading dimension unless it is shared.
template <class A, bool Batch>
inline constexpr bool has_batch = Batch && !is_shared<A>;

template <class TransA, class TransB>
struct GemmRoutine {
  static constexpr Signature signature{"Gemm", 4};
  static constexpr int ranks[5] = {0, 2, 2, 0, 2};
  static constexpr bool takes_batch = true;
  static constexpr bool scales_product = true;
  /// The letters of A (0), B (1) and C (2).
  template <int Operand>
  static consteval Labels labels(bool batch) {
    if constexpr (Operand == 0) return matrix_labels<TransA>(batch, 'i', 'k');
    if constexpr (Operand == 1) return matrix_labels<TransB>(batch, 'k', 'j');
    return matrix_labels<Trans::NoTranspose>(batch, 'i', 'j');
  }
  template <class Alpha, class A, class B, class Beta, class C>
  static consteval SmallPlans small_plans() {
    constexpr bool batch = operand_t<C>::rank == 3;
    constexpr ProductLabels all{labels<0>(has_batch<A, batch>), labels<1>(has_batch<B, batch>),
                                labels<2>(batch)};
    return small_plans_of_operands<all, operand_t<A>, operand_t<B>, operand_t<C>>();
  }
  template <Level L, class Alpha, class A, class B, class Beta, class C>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Alpha& alpha, const A& a,
                                             const B& b, const Beta& beta, const C& c) {
    constexpr int rank = operand_t<C>::rank;
    static_assert(rank == 2 || rank == 3,
                  "KokkosContract: Gemm: C must have rank 2, or 3 with a leading batch dimension");
    constexpr bool batch = rank == 3;
    constexpr Labels la = labels<0>(has_batch<A, batch>);
    constexpr Labels lb = labels<1>(has_batch<B, batch>);
    constexpr Labels lc = labels<2>(batch);
    return contract_named<NamedLabels{'A', la}, NamedLabels{'B', lb}, NamedLabels{'C', lc}>(
        level, as_operand(a), as_operand(b), Update{alpha, beta, as_operand(c), NoEpilogue{}});
  }
};

template <class TransA>
struct GemvRoutine {
  static constexpr Signature signature{"Gemv", 4};
  static constexpr int ranks[5] = {0, 2, 1, 0, 1};
  static constexpr bool takes_batch = true;
  static constexpr bool scales_product = true;
  /// The letters of A (0), x (1) and y (2).
  template <int Operand>
  static consteval Labels labels(bool batch) {
    if constexpr (Operand == 0) return matrix_labels<TransA>(batch, 'i', 'k');
    return vector_labels(batch, Operand == 1 ? 'k' : 'i');
  }
  template <class Alpha, class A, class X, class Beta, class Y>
  static consteval SmallPlans small_plans() {
    constexpr bool batch = operand_t<Y>::rank == 2;
    constexpr ProductLabels all{labels<0>(has_batch<A, batch>), labels<1>(has_batch<X, batch>),
                                labels<2>(batch)};
    return small_plans_of_operands<all, operand_t<A>, operand_t<X>, operand_t<Y>>();
  }
  template <Level L, class Alpha, class A, class X, class Beta, class Y>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Alpha& alpha, const A& a,
                                             const X& x, const Beta& beta, const Y& y) {
    constexpr int rank = operand_t<Y>::rank;
    static_assert(rank == 1 || rank == 2,
                  "KokkosContract: Gemv: y must have rank 1, or 2 with a leading batch dimension");
    constexpr bool batch = rank == 2;
    constexpr Labels la = labels<0>(has_batch<A, batch>);
    constexpr Labels lx = labels<1>(has_batch<X, batch>);
    constexpr Labels ly = labels<2>(batch);
    return contract_named<NamedLabels{'A', la}, NamedLabels{'x', lx}, NamedLabels{'y', ly}>(
        level, as_operand(a), as_operand(x), Update{alpha, beta, as_operand(y), NoEpilogue{}});
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
