// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_HOSTCONTRACT_HPP
#define KOKKOSCONTRACT_IMPL_HOSTCONTRACT_HPP

#include <KokkosContract/Impl/ExtentTable.hpp>
#include <KokkosContract/Impl/GridProduct.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// All threads of a kernel. They never wait for each other: the end of the kernel is their barrier.
struct GridLevel {
  int rank_;
  int size_;
  KOKKOS_FORCEINLINE_FUNCTION int size() const { return size_; }
  KOKKOS_FORCEINLINE_FUNCTION int rank() const { return rank_; }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {}
};

template <Spec S, class Alpha, class A, class B, class Beta, class C>
struct ContractKernel {
  Alpha alpha;
  A a;
  B b;
  Beta beta;
  C c;
  int workers;

  KOKKOS_FUNCTION void operator()(const int rank) const {
    const GridLevel level{rank, workers};
    if constexpr (inputs_of<S> == 2) {
      Impl::contract<S>(level, alpha, a, b, beta, c);
    } else {
      Impl::contract<S>(level, alpha, a, beta, c);
    }
  }
};

struct NoOperand {};

/// Whether contract_on_grid takes such operands.
template <class Space, class Alpha, class A, class B, class Beta, class C>
constexpr bool may_run_on_grid() {
  if constexpr (std::is_same_v<B, NoOperand> || !is_gpu<Space>) {
    return false;
  } else {
    using T = value_t<C>;
    return (std::is_floating_point_v<T> || is_complex<T>) && std::is_same_v<T, value_t<A>> &&
           std::is_same_v<T, value_t<B>> && !operand_t<C>::atomic && !is_pack<Alpha> &&
           !is_pack<Beta>;
  }
}

template <class A>
Dims dims_at_run_time(const A& a) {
  Dims dims;
  dims.rank = A::rank;
  for (int i = 0; i < A::rank; ++i) {
    dims.extent[i] = a.extent(i);
    dims.stride[i] = a.stride(i);
  }
  return dims;
}

template <Spec S, class Space, class Alpha, class A, class B, class Beta, class C>
void launch_contraction(const Space& exec, const Alpha& alpha, const A& a, const B& b,
                        const Beta& beta, const C& c) {
  constexpr Parsed p = Parse<S>::value;
  ExtentTable table;
  table.read(p.input[0], as_operand(a));
  if constexpr (inputs_of<S> == 2) table.read(p.input[1], as_operand(b));
  table.read(p.output, as_operand(c));
  if (operand_t<C>::atomic && !(beta == Beta(1))) {
    throw std::invalid_argument("KokkosContract: contract into an atomic View needs beta == 1");
  }
  if constexpr (may_run_on_grid<Space, Alpha, A, B, Beta, C>()) {
    using T = value_t<C>;
    const auto in_a = as_operand(a);
    const auto in_b = as_operand(b);
    const auto out = as_operand(c);
    if (!is_zero(alpha) &&
        contract_on_grid<T>(exec, p, convert<T>(alpha), in_a.data(), dims_at_run_time(in_a),
                            in_b.data(), dims_at_run_time(in_b), convert<T>(beta), out.data(),
                            dims_at_run_time(out))) {
      return;
    }
  }
  // A thread more than there are elements would find nothing to do.
  const double elements = table.volume(letters_of(p.output));
  const int concurrency = exec.concurrency();
  const int workers = elements < concurrency ? static_cast<int>(elements) : concurrency;
  Kokkos::parallel_for("KokkosContract::contract", Kokkos::RangePolicy<Space>(exec, 0, workers),
                       ContractKernel<S, Alpha, A, B, Beta, C>{alpha, a, b, beta, c, workers});
}

template <Spec S, class Space, class Alpha, class A, class B, class Beta, class C>
void contract_on(const Space& exec, const Alpha& alpha, const A& a, const B& b, const Beta& beta,
                 const C& c) {
  launch_contraction<S>(exec, alpha, a, b, beta, c);
}

template <Spec S, class Space, class Alpha, class A, class Beta, class C>
void contract_on(const Space& exec, const Alpha& alpha, const A& a, const Beta& beta, const C& c) {
  launch_contraction<S>(exec, alpha, a, NoOperand{}, beta, c);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
