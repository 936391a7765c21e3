// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HOSTCONTRACT_HPP
#define KOKKOSCONTRACT_HOSTCONTRACT_HPP

#include <KokkosContract/host/HostContract.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// A contraction as a kernel of its own, called from the host:
///
///     contract<"bij,bjk->bik">(exec, alpha, A, B, beta, C);
///     contract<"ij->ji">(exec, alpha, A, beta, C);
///
/// There are one or two inputs. Operands, rules and meaning are those of SerialContract. The memory
/// must be accessible by exec; a View that is not is a compile-time error. The tiles of C are
/// spread over all threads of exec. The call is asynchronous: fence before using C on the host. The
/// calls of several threads on one instance of a space run one after another.
///
/// Throws std::invalid_argument, naming the index and both extents, if two operands disagree. It
/// throws the same if an atomic C comes with beta != 1, or if C has integers and alpha or beta is
/// none. Inside an OpenMP parallel region, Kokkos' OpenMP space runs a kernel only after
/// omp_set_max_active_levels(2). Otherwise the call throws std::logic_error.
///
/// On a GPU several teams may share a sum (few elements of C, many terms). Their partial sums take
/// at most some 100 MB of memory, which is kept for the next call until Kokkos is finalized. Large
/// products may have inputs whose unit strides belong to two different indices of the sum. One or
/// both inputs are then copied first, at most 512 MB at a time. If that memory is not free, the
/// inputs are read without a copy. A single input whose unit stride differs from C's is transposed
/// in squares through scratch memory, at the speed of a copy.
///
/// W: the accuracy that is enough for products of floats, see Accuracy.
template <Spec S, Impl::ChoiceTag auto W = Accuracy::full, class Space, class... Arguments>
void contract(const Space& exec, const Arguments&... arguments) {
  Impl::contract_from_host<S, Impl::as_choice(W)>(exec, arguments...);
}
/// The overload for strings in which a letter occurs once without a mark.
template <Spec S, Impl::ChoiceTag auto W = Accuracy::full, class Space, class... Arguments>
  requires(Impl::unmarked_letter<S> != '\0')
KOKKOSCONTRACT_DEPRECATED_STRING void contract(const Space& exec, const Arguments&... arguments) {
  Impl::contract_from_host<S, Impl::as_choice(W)>(exec, arguments...);
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
