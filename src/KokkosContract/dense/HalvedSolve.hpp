// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_HALVEDSOLVE_HPP
#define KOKKOSCONTRACT_DENSE_HALVEDSOLVE_HPP

// Triangular solves L X = B by one worker of a host, of matrices that may be large. It is a
// recursion over rows. The first half of the rows is solved for. Its product with the matrix below
// is subtracted from the other half, which is solved for then. So most of the work is in products.
// A panel has few rows, which are solved for at once.

#include <KokkosContract/dense/Halves.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <bool UnitDiagonal, bool Conjugate, class A, class B, class Acc>
struct LowerSolver;

/// Solves for the rows of one panel. A and B are values, so that stores cannot change them.
template <bool UnitDiagonal, class A, class B>
KOKKOSCONTRACT_SHARED_FUNCTION void solve_panel(A a, B b) {
  using Acc = accumulator_t<typename B::value_type>;
  const Acc one(real_t<Acc>(1));
  for_contiguous_rows(b, [&](const auto rows) KOKKOSCONTRACT_INLINE_LAMBDA {
    using Rows = std::remove_cvref_t<decltype(rows)>;
    LowerSolver<UnitDiagonal, false, A, Rows, Acc>{a, rows, one}
        .template by_columns<host_lanes<Acc>()>(SerialLevel{});
  });
}

/// Solves L X = B for X, which replaces B. Panel: the most rows of a panel.
template <int Panel, bool UnitDiagonal, class A, class B>
KOKKOSCONTRACT_SHARED_CODE void solve_by_halves(const A& a, const B& b) {
  const int n = b.rows();
  if (n <= Panel) return solve_panel<UnitDiagonal>(a, b);
  const int half = first_half<Panel>(n);
  const B first = part_matrix(b, 0, 0, half, 0, b.cols());
  const B second = part_matrix(b, 0, half, n, 0, b.cols());
  solve_by_halves<Panel, UnitDiagonal>(part_matrix(a, 0, 0, half, 0, half), first);
  subtract_apart(part_of(a, 0, half, n, 0, half), first.a, second.a);
  solve_by_halves<Panel, UnitDiagonal>(part_matrix(a, 0, half, n, half, n), second);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
