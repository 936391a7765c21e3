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
/// One or two inputs; operands, rules and meaning are those of SerialContract, in memory that exec
/// can access (of Views a compile-time error where not). The tiles of C are spread over all threads
/// of exec. Asynchronous: fence before using C on the host. Throws std::invalid_argument, naming
/// the index and both extents, if two operands disagree, if an atomic C comes with beta != 1, and
/// if alpha or beta of integers is none. Inside an OpenMP parallel region, Kokkos' OpenMP space
/// runs a kernel only where omp_set_max_active_levels(2) was called: else std::logic_error. The
/// calls of several threads on one instance of a space run one after another.
///
/// On a GPU, a sum that several teams share (few elements of C, many terms) takes memory for their
/// parts, some 100 MB at most, which is kept for the next call until Kokkos is finalized. So do
/// large products whose inputs have their neighbours along two different indices of the sum: one or
/// both are copied before, 512 MB at a time at most; where that is not free, they are read where
/// they are. With one input, where neighbours in C are no neighbours in A, squares of both go
/// through scratch memory, at the speed of a copy.
template <Spec S, class Space, class... Arguments>
void contract(const Space& exec, const Arguments&... arguments) {
  Impl::contract_from_host<S>(exec, arguments...);
}
/// Where a letter stands once without a mark.
template <Spec S, class Space, class... Arguments>
  requires(Impl::unmarked_letter<S> != '\0')
KOKKOSCONTRACT_DEPRECATED_STRING void contract(const Space& exec, const Arguments&... arguments) {
  Impl::contract_from_host<S>(exec, arguments...);
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
