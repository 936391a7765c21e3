// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HOST_HOSTCONTRACT_HPP
#define KOKKOSCONTRACT_HOST_HOSTCONTRACT_HPP

// A contraction as separate kernels: checks, and the algorithm of ContractAlgorithms.hpp.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/host/ContractAlgorithms.hpp>
#include <KokkosContract/host/ExtentTable.hpp>
#include <KokkosContract/operand/Overlap.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <stdexcept>
#include <string>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The type that sums are accumulated in.
template <class A, class B, class C>
struct AccumulatorOf {
  using type = accumulator_t<value_t<A>, value_t<B>, value_t<C>>;
};
template <class A, class C>
struct AccumulatorOf<A, NoOperand, C> {
  using type = accumulator_t<value_t<A>, value_t<C>>;
};

template <class Acc, class C, class Alpha, class Beta>
void check_factors(const Alpha& alpha, const Beta& beta) {
  const int fault = fault_of_factors<Acc, C>(alpha, beta);
  if (fault == atomic_needs_beta_one) {
    throw std::invalid_argument("KokkosContract: contract into an atomic View needs beta == 1");
  }
  if (fault == factor_is_no_integer) {
    throw std::invalid_argument(
        "KokkosContract: contract of integers needs an alpha and a beta that are integers of the "
        "type in which sums are accumulated");
  }
}

/// Throws where Kokkos would end the program. A kernel inside an OpenMP region of the caller is
/// nested and needs a second level of threads. If its deprecated code is enabled, Kokkos 4 runs the
/// kernel in the calling thread.
template <class Space>
void require_kernels_allowed([[maybe_unused]] const Space& exec) {
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_DEPRECATED_CODE_4)
  if constexpr (std::is_same_v<Space, Kokkos::OpenMP>) {
    const bool nested = omp_get_level() > exec.impl_internal_space_instance()->get_level();
    if (nested && (omp_get_level() > 1 || omp_get_max_active_levels() < 2)) {
      throw std::logic_error(
          "KokkosContract: contract is called inside an OpenMP parallel region, where Kokkos "
          "starts no kernel unless omp_set_max_active_levels(2) allows a second level; a thread "
          "alone calls SerialContract");
    }
  }
#endif
}

/// Throws in checked builds if the output overlaps an input, or itself.
template <class C, class... Inputs>
void require_apart([[maybe_unused]] const C& c, [[maybe_unused]] const Inputs&... inputs) {
  if constexpr (checked_build) {
    if ((overlap(c, inputs) || ...)) {
      throw std::invalid_argument("KokkosContract: the output of contract overlaps an input");
    }
    if (!C::atomic && repeats_elements(c)) {
      throw std::invalid_argument(
          "KokkosContract: two elements of the output of contract are at one address");
    }
  }
}

template <Spec S, Accuracy Needed, class Space, class Alpha, class A, class B, class Beta, class C>
void launch_contraction(const Space& exec, const Alpha& alpha, const A& a, const B& b,
                        const Beta& beta, const C& c) {
  constexpr Parsed p = Parse<S>::value;
  require_kernels_allowed(exec);
  ExtentTable table;
  table.read(p.input[0], as_operand(a));
  if constexpr (inputs_of<S> == 2) table.read(p.input[1], as_operand(b));
  table.read(p.output, as_operand(c));
  check_factors<typename AccumulatorOf<A, B, C>::type, operand_t<C>>(alpha, beta);
  if constexpr (inputs_of<S> == 2) {
    require_apart(as_operand(c), as_operand(a), as_operand(b));
  } else {
    require_apart(as_operand(c), as_operand(a));
  }
  const ContractCall<S, Needed, Space, Alpha, A, B, Beta, C> call{
      exec, alpha, a, b, beta, c, table.volume(letters_of(p.output))};
  ContractAlgorithms::run(call);
}

template <Spec S, Accuracy Needed, class Space, class Alpha, class A, class B, class Beta, class C>
void contract_on(const Space& exec, const Alpha& alpha, const A& a, const B& b, const Beta& beta,
                 const C& c) {
  const Kokkos::Profiling::ScopedRegion region(label_of_contract<S>());
  launch_contraction<S, Needed>(exec, alpha, a, b, beta, c);
}

template <Spec S, Accuracy Needed, class Space, class Alpha, class A, class Beta, class C>
void contract_on(const Space& exec, const Alpha& alpha, const A& a, const Beta& beta, const C& c) {
  const Kokkos::Profiling::ScopedRegion region(label_of_contract<S>());
  launch_contraction<S, Needed>(exec, alpha, a, NoOperand{}, beta, c);
}

/// Calls contract, and gives readable errors for a call of the wrong form. R: the request of the
/// caller.
template <Spec S, Choice R, class Space, class... Arguments>
void contract_from_host(const Space& exec, const Arguments&... arguments) {
  static_assert(Kokkos::is_execution_space_v<Space>,
                "KokkosContract: the first argument of contract is an execution space");
  static_assert(R.way == Way::best,
                "KokkosContract: contract has algorithms of its own, and takes no Way");
  static_assert(
      inputs_of<S> <= 2 && sizeof...(Arguments) == inputs_of<S> + 3,
      "KokkosContract: the arguments of contract are (exec, alpha, one operand for each of one "
      "or two inputs, beta, C)");
  static_assert((reaches<Space, Arguments> && ...),
                "KokkosContract: an operand of contract is in memory that the execution space "
                "cannot reach");
  contract_on<S, R.accuracy>(exec, arguments...);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
