// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HOST_HOSTCONTRACT_HPP
#define KOKKOSCONTRACT_HOST_HOSTCONTRACT_HPP

// A contraction as a kernel of its own. On a host all threads share the work. On a GPU there are
// four algorithms. Large products run by tiles (LargeContract.hpp). Copies whose unit stride
// changes run by squares (LargeTranspose.hpp). A batch of small products runs by teams that have
// several problems each, as in a user's kernel. Everything else runs by single threads.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/TeamPolicy.hpp>
#include <KokkosContract/host/ExtentTable.hpp>
#include <KokkosContract/large/LargeCopies.hpp>
#include <KokkosContract/operand/Overlap.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <stdexcept>
#include <string>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The name of a contraction in Kokkos Tools: `KokkosContract::contract<"ik,kj->ij">`.
template <Spec S>
const std::string& label_of_contract() {
  static const std::string label = [] {
    std::string text = "KokkosContract::contract<\"";
    for (std::size_t i = 0; S[i] != '\0'; ++i) text += S[i];
    return text + "\">";
  }();
  return label;
}

/// All threads of a kernel. They never wait for each other: the end of the kernel is their barrier.
/// On a host they may compute C in slices (product/OutputSlices.hpp).
struct GridLevel {
  int rank_;
  int size_;
  KOKKOS_FORCEINLINE_FUNCTION int size() const { return size_; }
  KOKKOS_FORCEINLINE_FUNCTION int rank() const { return rank_; }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {}
  /// A thread that works alone, on its own part of the output.
  KOKKOS_FORCEINLINE_FUNCTION static GridLevel alone() { return {0, 1}; }
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

/// Whether kernels for large tensors take an input A and an output C.
template <class Space, class Alpha, class A, class Beta, class C>
consteval bool is_of_one_type() {
  using T = value_t<C>;
  return is_gpu<Space> && (std::is_floating_point_v<T> || is_complex<T>) &&
         std::is_same_v<T, value_t<A>> && !operand_t<C>::atomic && !is_pack<Alpha> &&
         !is_pack<Beta>;
}
/// Whether contract_large takes these operands.
template <class Space, class Alpha, class A, class B, class Beta, class C>
consteval bool may_be_large() {
  if constexpr (std::is_same_v<B, NoOperand>) {
    return false;
  } else {
    return is_of_one_type<Space, Alpha, A, Beta, C>() && is_of_one_type<Space, Alpha, B, Beta, C>();
  }
}
/// Whether contract_by_squares takes these operands.
template <Spec S, class Space, class Alpha, class A, class B, class Beta, class C>
consteval bool may_be_transposed() {
  if constexpr (std::is_same_v<B, NoOperand>) {
    constexpr Parsed p = Parse<S>::value;
    bool same = p.input[0].rank == p.output.rank;
    for (int i = 0; i < p.output.rank; ++i) same = same && p.input[0].has(p.output.letter[i]);
    return same && is_of_one_type<Space, Alpha, A, Beta, C>();
  } else {
    return false;
  }
}

/// Whether contract_in_teams takes these operands.
template <Spec S, class Space, class A, class B, class C>
consteval bool may_run_in_teams() {
  if constexpr (std::is_same_v<B, NoOperand> || !is_gpu<Space>) {
    return false;
  } else {
    return RoutineTraits<ContractRoutine<S>>::has_batch_letter &&
           operand_t<A>::shape.extent[0] == dynamic && operand_t<B>::shape.extent[0] == dynamic &&
           operand_t<C>::shape.extent[0] == dynamic;
  }
}

/// Problems first to first + count - 1 of a batch.
template <class Op>
KOKKOS_FORCEINLINE_FUNCTION Op part_of_batch(const Op& op, int first, int count) {
  int extent[Op::rank]{};
  std::ptrdiff_t stride[Op::rank]{};
  for (int i = 0; i < Op::rank; ++i) {
    extent[i] = op.extent(i);
    stride[i] = op.stride(i);
  }
  extent[0] = count;
  return Op(op.data() + first * op.template stride<0>(), extent, stride);
}

template <Spec S, class Alpha, class A, class B, class Beta, class C>
struct TeamContractKernel {
  Alpha alpha;
  A a;
  B b;
  Beta beta;
  C c;
  TeamProblems of_teams;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto mine = problems_of(member, of_teams);
    const int count = mine.second - mine.first;
    // The host has compared the extents.
    (void)TeamEntry<ContractRoutine<S>>::invoke(member, alpha, part_of_batch(a, mine.first, count),
                                                part_of_batch(b, mine.first, count), beta,
                                                part_of_batch(c, mine.first, count));
  }
};

/// Bytes of a problem's inputs up to which teams are faster than tiles. The second limit holds if
/// there are enough problems for all teams of a GPU.
inline constexpr double most_bytes_of_problem = 16384;
inline constexpr double most_bytes_of_many_problems = 65536;
inline constexpr int many_problems = 1000;

/// Whether whole problems follow each other in memory.
template <class Op>
bool has_outer_batch(const Op& op) {
  for (int i = 1; i < Op::rank; ++i) {
    if (op.stride(i) > op.stride(0)) return false;
  }
  return true;
}

/// Returns false, with nothing done, if the problems are too large or interleaved.
template <Spec S, class Space, class Alpha, class A, class B, class Beta, class C>
bool contract_in_teams(const Space& exec, const Alpha& alpha, const A& a, const B& b,
                       const Beta& beta, const C& c) {
  const int problems = c.extent(0);
  const auto bytes = [](const auto& op) {
    double size = sizeof(typename std::remove_cvref_t<decltype(op)>::value_type);
    for (int i = 1; i < op.rank; ++i) size *= op.extent(i);
    return size;
  };
  const double most =
      problems < many_problems ? most_bytes_of_problem : most_bytes_of_many_problems;
  if (problems == 0 || bytes(a) + bytes(b) > most || !has_outer_batch(a) || !has_outer_batch(b) ||
      !has_outer_batch(c)) {
    return false;
  }
  const auto plan = team_policy(exec, problems, uses<TeamContract<S>>(a, b, c));
  Kokkos::parallel_for(label_of_contract<S>(), plan.policy,
                       TeamContractKernel<S, Alpha, A, B, Beta, C>{alpha, a, b, beta, c, plan});
  return true;
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
/// nested and needs a second level of threads. With its deprecated code, Kokkos 4 runs the kernel
/// in the calling thread.
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

template <Spec S, class Space, class Alpha, class A, class B, class Beta, class C>
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
  if constexpr (may_run_in_teams<S, Space, A, B, C>()) {
    if (contract_in_teams<S>(exec, alpha, as_operand(a), as_operand(b), beta, as_operand(c)))
      return;
  }
  if constexpr (may_be_large<Space, Alpha, A, B, Beta, C>()) {
    using T = value_t<C>;
    constexpr SliceKind kind_a = slice_kind<operand_t<A>>(p.input[0], p.output);
    constexpr SliceKind kind_b = slice_kind<operand_t<B>>(p.input[1], p.output);
    constexpr bool may_copy = Large::may_copy<operand_t<A>, operand_t<B>>(p);
    const auto in_a = as_operand(a);
    const auto in_b = as_operand(b);
    const auto out = as_operand(c);
    const LargeCall<T> call{p,
                            convert<T>(alpha),
                            in_a.data(),
                            dims_at_run_time(in_a),
                            in_b.data(),
                            dims_at_run_time(in_b),
                            convert<T>(beta),
                            out.data(),
                            dims_at_run_time(out)};
    if (!is_zero(alpha) && contract_large<kind_a, kind_b, may_copy>(exec, call)) return;
  }
  if constexpr (may_be_transposed<S, Space, Alpha, A, B, Beta, C>()) {
    using T = value_t<C>;
    const auto in = as_operand(a);
    const auto out = as_operand(c);
    if (!is_zero(alpha) &&
        contract_by_squares<T>(exec, p, convert<T>(alpha), in.data(), dims_at_run_time(in),
                               convert<T>(beta), out.data(), dims_at_run_time(out))) {
      return;
    }
  }
  // More threads than elements would be idle.
  const double elements = table.volume(letters_of(p.output));
  const int concurrency = exec.concurrency();
  const int workers = elements < concurrency ? static_cast<int>(elements) : concurrency;
  Kokkos::parallel_for(label_of_contract<S>(), Kokkos::RangePolicy<Space>(exec, 0, workers),
                       ContractKernel<S, Alpha, A, B, Beta, C>{alpha, a, b, beta, c, workers});
}

template <Spec S, class Space, class Alpha, class A, class B, class Beta, class C>
void contract_on(const Space& exec, const Alpha& alpha, const A& a, const B& b, const Beta& beta,
                 const C& c) {
  const Kokkos::Profiling::ScopedRegion region(label_of_contract<S>());
  launch_contraction<S>(exec, alpha, a, b, beta, c);
}

template <Spec S, class Space, class Alpha, class A, class Beta, class C>
void contract_on(const Space& exec, const Alpha& alpha, const A& a, const Beta& beta, const C& c) {
  const Kokkos::Profiling::ScopedRegion region(label_of_contract<S>());
  launch_contraction<S>(exec, alpha, a, NoOperand{}, beta, c);
}

/// contract, with readable errors for a call of the wrong form.
template <Spec S, class Space, class... Arguments>
void contract_from_host(const Space& exec, const Arguments&... arguments) {
  static_assert(Kokkos::is_execution_space_v<Space>,
                "KokkosContract: the first argument of contract is an execution space");
  static_assert(
      inputs_of<S> <= 2 && sizeof...(Arguments) == inputs_of<S> + 3,
      "KokkosContract: the arguments of contract are (exec, alpha, one operand for each of one "
      "or two inputs, beta, C)");
  static_assert((reaches<Space, Arguments> && ...),
                "KokkosContract: an operand of contract is in memory that the execution space "
                "cannot reach");
  contract_on<S>(exec, arguments...);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
