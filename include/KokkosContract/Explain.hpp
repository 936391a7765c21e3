// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_EXPLAIN_HPP
#define KOKKOSCONTRACT_EXPLAIN_HPP

#include <KokkosContract/host/Explain.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Writes to `os`, in words, how `SerialContract<S>` on these operands (the inputs, then the
/// output) runs on the host: the class of each index, the loops after merging, the register tile,
/// the steps and their scratch for more than two inputs; then flops, bytes that must move (each
/// input read once, the output written once), the arithmetic intensity, and which of the two bounds
/// binds. Host only; the data is not looked at. Throws std::invalid_argument, naming the letter and
/// both extents, if two operands disagree.
///
///     explain<"ijk,kl->ijl">(std::cout, A, B, C);
template <Spec S, class... Operands>
std::ostream& explain(std::ostream& os, const Operands&... operands) {
  static_assert(sizeof...(Operands) == Impl::inputs_of<S> + 1,
                "KokkosContract: explain takes the inputs and the output");
  return Impl::explain_contraction<S>(os, Impl::as_operand(operands)...);
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
