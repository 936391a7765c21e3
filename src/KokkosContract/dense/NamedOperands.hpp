// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_NAMEDOPERANDS_HPP
#define KOKKOSCONTRACT_DENSE_NAMEDOPERANDS_HPP

// Contractions under the names of BLAS. Their errors name operands and dimensions, because their
// users wrote no letters.

#include <KokkosContract/product/Contract.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Its name appears in a compiler's error: the rank of an operand, and the rank that it needs.
template <char Operand, int Rank, int Needed>
struct rank_differs {
  static_assert(Operand == '\0',
                "KokkosContract: an operand has not the rank that the routine needs: see "
                "rank_differs<operand, its rank, the rank that it needs>; where the output has a "
                "leading batch dimension, inputs have one too, or are in shared(...)");
  static constexpr bool value = false;
};

/// Its name appears in a compiler's error: a dimension of an operand and a dimension of another
/// operand, whose static extents differ.
template <char One, int DimensionOfOne, std::ptrdiff_t ExtentOfOne, char Other,
          int DimensionOfOther, std::ptrdiff_t ExtentOfOther>
struct dimensions_differ {
  static_assert(One == '\0',
                "KokkosContract: two operands have different static extents: see "
                "dimensions_differ<operand, its dimension from 0, its extent, the other operand, "
                "its dimension, its extent>");
  static constexpr bool value = false;
};

/// A dimension of an operand.
struct NamedDimension {
  char operand = '\0';
  int dimension = 0;
  std::ptrdiff_t extent = dynamic;
};
struct DimensionClash {
  NamedDimension one, other;
};

/// An operand of a routine: its name in the routine's comment, and its indices as letters.
struct NamedLabels {
  char name = '\0';
  Labels labels{};
};

/// Two dimensions that must agree in the routine, and whose static extents differ. It has no name
/// if there are none.
consteval DimensionClash find_clash(const NamedLabels (&operand)[3], const Dims (&dims)[3]) {
  for (int p = 0; p < 3; ++p) {
    for (int q = 0; q < p; ++q) {
      for (int i = 0; i < dims[p].rank; ++i) {
        for (int j = 0; j < dims[q].rank; ++j) {
          const std::ptrdiff_t one = dims[q].extent[j], other = dims[p].extent[i];
          if (operand[q].labels.letter[j] == operand[p].labels.letter[i] && one != dynamic &&
              other != dynamic && one != other) {
            return {{operand[q].name, j, one}, {operand[p].name, i, other}};
          }
        }
      }
    }
  }
  return {};
}

template <NamedLabels Operand, class Op>
consteval bool has_rank() {
  if constexpr (Op::rank == Operand.labels.rank) {
    return true;
  } else {
    return rank_differs<Operand.name, Op::rank, Operand.labels.rank>::value;
  }
}

template <NamedLabels A, NamedLabels B, NamedLabels C, class OpA, class OpB, class OpC>
consteval bool dimensions_agree() {
  constexpr DimensionClash clash =
      find_clash({A, B, C}, {dims_of(OpA::shape), dims_of(OpB::shape), dims_of(OpC::shape)});
  if constexpr (clash.one.operand == '\0') {
    return true;
  } else {
    return dimensions_differ<clash.one.operand, clash.one.dimension, clash.one.extent,
                             clash.other.operand, clash.other.dimension, clash.other.extent>::value;
  }
}

/// Calls contract_labels for named operands. With one input there is no B.
template <NamedLabels A, NamedLabels B, NamedLabels C, Level L, class OpA, class OpB, class U>
KOKKOS_FORCEINLINE_FUNCTION int contract_named(const L& level, const OpA& a, const OpB& b,
                                               const U& update) {
  using OpC = typename U::Output;
  if constexpr (has_rank<A, OpA>() && has_rank<B, OpB>() && has_rank<C, OpC>()) {
    if constexpr (dimensions_agree<A, B, C, OpA, OpB, OpC>()) {
      return contract_labels<ProductLabels{A.labels, B.labels, C.labels, B.name != '\0'}>(
          level, a, b, update);
    }
  }
  return extents_disagree;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
