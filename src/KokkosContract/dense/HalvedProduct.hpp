// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_HALVEDPRODUCT_HPP
#define KOKKOSCONTRACT_DENSE_HALVEDPRODUCT_HPP

// Products B = L B with a triangle by one worker of a host, of matrices that may be large. It is a
// recursion over rows. The second half of the rows is multiplied. The product of the first half and
// of the matrix below is added to it. Then the first half is multiplied. So most of the work is in
// products of two matrices. A panel has few rows, which are multiplied at once.

#include <KokkosContract/dense/Halves.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <bool UnitDiagonal, bool Conjugate, class A, class B, class Acc>
struct LowerMultiplier;

/// Multiplies the rows of one panel. A and B are values, so that stores cannot change them.
template <bool UnitDiagonal, class A, class B>
KOKKOSCONTRACT_SHARED_FUNCTION void multiply_panel(A a, B b) {
  using Acc = accumulator_t<typename B::value_type>;
  const Acc one(real_t<Acc>(1));
  for_contiguous_rows(b, [&](const auto rows) KOKKOSCONTRACT_INLINE_LAMBDA {
    using Rows = std::remove_cvref_t<decltype(rows)>;
    LowerMultiplier<UnitDiagonal, false, A, Rows, Acc>{a, rows, one}
        .template by_columns<host_lanes<Acc>()>(SerialLevel{});
  });
}

/// Computes B = L B.
template <bool UnitDiagonal, class A, class B>
KOKKOSCONTRACT_SHARED_CODE void multiply_by_halves(const A& a, const B& b) {
  const int n = b.rows();
  constexpr int most = multiplied_halves.cols_of_panel;
  if (n <= most) return multiply_panel<UnitDiagonal>(a, b);
  const int half = first_half<most>(n);
  const B first = part_matrix(b, 0, 0, half, 0, b.cols());
  const B second = part_matrix(b, 0, half, n, 0, b.cols());
  multiply_by_halves<UnitDiagonal>(part_matrix(a, 0, half, n, half, n), second);
  add_apart<1>(part_of(a, 0, half, n, 0, half), first.a, second.a);
  multiply_by_halves<UnitDiagonal>(part_matrix(a, 0, 0, half, 0, half), first);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
