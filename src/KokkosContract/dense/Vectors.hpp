// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_VECTORS_HPP
#define KOKKOSCONTRACT_DENSE_VECTORS_HPP

// Copy, Axpy, Dot and Ger: contractions under the names of BLAS.

#include <KokkosContract/dense/Gemm.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The letters of an operand of any rank. The first letter is for the batch.
consteval Labels element_labels(int rank) {
  Labels labels{};
  for (int d = 0; d < rank; ++d) labels.letter[labels.rank++] = static_cast<char>('b' + d);
  return labels;
}

/// The letters of an input that has all dimensions of the output, unless it is shared.
consteval Labels input_labels(Labels output, bool shared_input) {
  if (!shared_input) return output;
  Labels labels{};
  for (int d = 1; d < output.rank; ++d) labels.letter[labels.rank++] = output.letter[d];
  return labels;
}

/// Swaps the last two letters, if two letters follow that of the batch.
consteval Labels transposed_labels(Labels labels, bool conjugate) {
  if (labels.rank >= 2) {
    const char last = labels.letter[labels.rank - 1];
    labels.letter[labels.rank - 1] = labels.letter[labels.rank - 2];
    labels.letter[labels.rank - 2] = last;
  }
  labels.conjugate = conjugate;
  return labels;
}

/// Runs a contraction of one input, which is taken as it is or conjugated: C = alpha A + beta C.
template <NamedLabels From, NamedLabels To, Level L, class A, class U>
KOKKOS_FORCEINLINE_FUNCTION int contract_one(const L& level, const A& a, const U& update) {
  const strided_t<const value_t<A>, StaticShape<0>{}> none{};
  return contract_named<From, NamedLabels{}, To>(level, as_operand(a), none, update);
}

template <class TransA, int Rank>
struct CopyRoutine {
  static constexpr Signature signature{"Copy", 1};
  template <Level L, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const B& b) {
    require_output<B>();
    constexpr int rank = operand_t<B>::rank;
    static_assert(Rank < 0 || Rank == operand_t<A>::rank,
                  "KokkosContract: Copy: A has not the rank that the template argument says");
    static_assert(!is_transposed<TransA> || (rank > 0 && rank <= 3),
                  "KokkosContract: Copy: a transposed operand is a vector or a matrix, or has rank "
                  "3 with a leading batch dimension");
    constexpr Labels to = element_labels(rank);
    constexpr Labels plain = input_labels(to, is_shared<A>);
    constexpr Labels from =
        is_transposed<TransA> ? transposed_labels(plain, is_conjugated<TransA>) : plain;
    return contract_one<NamedLabels{'A', from}, NamedLabels{'B', to}>(
        level, a, Update{Constant<1>{}, Constant<0>{}, as_operand(b), NoEpilogue{}});
  }
};

struct AxpyRoutine {
  static constexpr Signature signature{"Axpy", 2};
  template <Level L, class Alpha, class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Alpha& alpha, const X& x,
                                             const Y& y) {
    require_output<Y>();
    constexpr Labels to = element_labels(operand_t<Y>::rank);
    constexpr Labels from = input_labels(to, is_shared<X>);
    if constexpr (is_array<Alpha>) {
      constexpr int rank = operand_t<Alpha>::rank;
      static_assert(rank <= 1 && rank <= to.rank,
                    "KokkosContract: Axpy: alpha is a number, or has one for each vector");
      return contract_named<NamedLabels{'a', element_labels(rank)}, NamedLabels{'x', from},
                            NamedLabels{'y', to}>(level, as_operand(alpha), as_operand(x),
                                                  Update{1, 1, as_operand(y), NoEpilogue{}});
    } else {
      return contract_one<NamedLabels{'x', from}, NamedLabels{'y', to}>(
          level, x, Update{alpha, 1, as_operand(y), NoEpilogue{}});
    }
  }
};

template <class TransX>
struct DotRoutine {
  static constexpr Signature signature{"Dot", 2};
  template <Level L, class X, class Y, class Result>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const X& x, const Y& y,
                                             const Result& result) {
    require_output<Result>();
    constexpr int rank = operand_t<Result>::rank;
    static_assert(rank <= 1,
                  "KokkosContract: Dot: the result has rank 0, or 1 with an entry for each pair of "
                  "vectors");
    constexpr bool several = rank == 1;
    constexpr bool columns = several && is_transposed<TransX>;
    constexpr Labels lx = labels_of<columns>(has_batch<X, several>);
    constexpr Labels ly = labels_of<columns>(has_batch<Y, several>);
    constexpr Labels conjugated = [](Labels labels) {
      labels.conjugate = !std::is_same_v<TransX, Trans::Transpose>;
      return labels;
    }(lx);
    return contract_named<NamedLabels{'x', conjugated}, NamedLabels{'y', ly},
                          NamedLabels{'r', element_labels(rank)}>(
        level, as_operand(x), as_operand(y), Update{1, 0, as_operand(result), NoEpilogue{}});
  }

 private:
  template <bool Columns>
  static consteval Labels labels_of(bool several) {
    const Labels labels = vector_labels(several, 'i');
    return Columns ? transposed_labels(labels, false) : labels;
  }
};

template <class TransY>
struct GerRoutine {
  static constexpr Signature signature{"Ger", 3};
  template <Level L, class Alpha, class X, class Y, class A>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Alpha& alpha, const X& x,
                                             const Y& y, const A& a) {
    require_output<A>();
    constexpr int rank = operand_t<A>::rank;
    static_assert(is_transposed<TransY>,
                  "KokkosContract: Ger: the tag is Trans::Transpose for x y^T, or "
                  "Trans::ConjTranspose for x y^H");
    static_assert(rank == 2 || rank == 3,
                  "KokkosContract: Ger: A must have rank 2, or 3 with a leading batch dimension");
    constexpr bool batch = rank == 3;
    constexpr Labels lx = vector_labels(has_batch<X, batch>, 'i');
    constexpr Labels ly = [](Labels labels) {
      labels.conjugate = is_conjugated<TransY>;
      return labels;
    }(vector_labels(has_batch<Y, batch>, 'j'));
    constexpr Labels la = matrix_labels<Trans::NoTranspose>(batch, 'i', 'j');
    return contract_named<NamedLabels{'x', lx}, NamedLabels{'y', ly}, NamedLabels{'A', la}>(
        level, as_operand(x), as_operand(y), Update{alpha, 1, as_operand(a), NoEpilogue{}});
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
