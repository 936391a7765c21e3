// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HOST_CONTRACTALGORITHMS_HPP
#define KOKKOSCONTRACT_HOST_CONTRACTALGORITHMS_HPP

// The algorithms of `contract`, and the list of them. Each algorithm is one type, and the first one
// that takes a call runs it. `explain` asks the same list. An algorithm provides:
//
//   text             its name and what it does, for `explain`
//   takes<Call>()    whether it is for the types of a call (ContractCall)
//   plan(call)       what `run` needs to know; false if the extents or strides do not suit it
//   run(call, plan)  launches the kernels
//
// On a host, threads run all calls, and share the work.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/TeamPolicy.hpp>
#include <KokkosContract/large/LargeCopies.hpp>
#include <optional>
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
      ContractRoutine<S>::run(level, alpha, a, b, beta, c);
    } else {
      ContractRoutine<S>::run(level, alpha, a, beta, c);
    }
  }
};

struct NoOperand {};

/// A call of `contract`: C = alpha A B + beta C, or alpha A + beta C if B is a NoOperand. The
/// extents agree. Needed: the accuracy that is enough.
template <Spec S, Accuracy Needed, class SpaceOfCall, class AlphaType, class AType, class BType,
          class BetaType, class CType>
struct ContractCall {
  static constexpr auto string = S;
  static constexpr Accuracy accuracy = Needed;
  static constexpr Parsed parsed = Parse<S>::value;
  using Space = SpaceOfCall;
  using Alpha = AlphaType;
  using A = AType;
  using B = BType;
  using Beta = BetaType;
  using C = CType;

  const Space& exec;
  const Alpha& alpha;
  const A& a;
  const B& b;
  const Beta& beta;
  const C& c;
  double elements;  // elements of C
};

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

/// Whether kernels for large tensors take an input A and an output C.
template <class Space, class Alpha, class A, class Beta, class C>
consteval bool is_of_one_type() {
  using T = value_t<C>;
  return is_gpu<Space> && (std::is_floating_point_v<T> || is_complex<T>) &&
         std::is_same_v<T, value_t<A>> && !operand_t<C>::atomic && !is_pack<Alpha> &&
         !is_pack<Beta>;
}
/// The types of a product by tiles.
template <class A, class B, class C, Accuracy Needed = Accuracy::full>
using large_types =
    BlockTypes<value_t<A>, accumulator_t<value_t<A>, value_t<B>>, value_t<C>, Needed>;

/// Whether kernels of tiles support these operands: operands of one type, or 16-bit floats if the
/// machine has MMA instructions for them. C may then have the type of the sums.
template <class Space, class Alpha, class A, class B, class Beta, class C>
consteval bool may_be_large() {
  if constexpr (std::is_same_v<B, NoOperand>) {
    return false;
  } else if constexpr (is_of_one_type<Space, Alpha, A, Beta, C>()) {
    return is_of_one_type<Space, Alpha, B, Beta, C>();
  } else if constexpr (is_gpu<Space> && !operand_t<C>::atomic && !is_pack<Alpha> &&
                       !is_pack<Beta> && std::is_same_v<value_t<A>, value_t<B>>) {
    using Types = large_types<A, B, C>;
    return are_short_floats<typename Types::Sum, value_t<A>, value_t<C>> &&
           is_atom<atom_of_types<machine_of_t<Space>, Types>>;
  } else {
    return false;
  }
}
/// Whether kernels of squares support these operands.
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

/// Whether teams with several problems each support these operands.
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

/// The operand with problems first to first + count - 1 of a batch.
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

template <Spec S, Accuracy Needed, class Alpha, class A, class B, class Beta, class C>
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
    using Routine = ContractRoutine<S, as_choice(Needed)>;
    (void)TeamEntry<Routine>::invoke(member, alpha, part_of_batch(a, mine.first, count),
                                     part_of_batch(b, mine.first, count), beta,
                                     part_of_batch(c, mine.first, count));
  }
};

/// Whether whole problems are consecutive in memory.
template <class Op>
bool has_outer_batch(const Op& op) {
  for (int i = 1; i < Op::rank; ++i) {
    if (op.stride(i) > op.stride(0)) return false;
  }
  return true;
}

/// A batch of small products, by teams that have several problems each, as in a user's kernel.
struct ContractByTeams {
  static constexpr const char* text = "teams (several problems of a batch each)";

  template <class Call>
  static consteval bool takes() {
    return may_run_in_teams<Call::string, typename Call::Space, typename Call::A, typename Call::B,
                            typename Call::C>();
  }
  /// Requires that the problems are neither large nor interleaved.
  template <class Call>
  static bool plan(const Call& call) {
    const auto a = as_operand(call.a);
    const auto b = as_operand(call.b);
    const auto c = as_operand(call.c);
    const auto bytes = [](const auto& op) {
      double size = sizeof(typename std::remove_cvref_t<decltype(op)>::value_type);
      for (int i = 1; i < op.rank; ++i) size *= op.extent(i);
      return size;
    };
    const int problems = c.extent(0);
    const double most =
        problems < many_problems ? most_bytes_of_problem : most_bytes_of_many_problems;
    return problems > 0 && bytes(a) + bytes(b) <= most && has_outer_batch(a) &&
           has_outer_batch(b) && has_outer_batch(c);
  }
  template <class Call>
  static void run(const Call& call, bool) {
    const auto a = as_operand(call.a);
    const auto b = as_operand(call.b);
    const auto c = as_operand(call.c);
    using Kernel =
        TeamContractKernel<Call::string, Call::accuracy, typename Call::Alpha,
                           std::remove_const_t<decltype(a)>, std::remove_const_t<decltype(b)>,
                           typename Call::Beta, std::remove_const_t<decltype(c)>>;
    using Routine = TeamContract<Call::string, Call::accuracy>;
    const auto plan = team_policy(call.exec, c.extent(0), uses<Routine>(a, b, c));
    Kokkos::parallel_for(label_of_contract<Call::string>(), plan.policy,
                         Kernel{call.alpha, a, b, call.beta, c, plan});
  }
};

/// Large products, by teams that hold tiles of C (large/LargeContract.hpp).
struct ContractByTiles {
  static constexpr const char* text = "tiles (a team holds a part of C, from slices of the inputs)";

  template <class Call>
  static consteval bool takes() {
    return may_be_large<typename Call::Space, typename Call::Alpha, typename Call::A,
                        typename Call::B, typename Call::Beta, typename Call::C>();
  }
  template <class Call>
  static std::optional<Large::Plan> plan(const Call& call) {
    using Kinds = KindsOf<Call>;
    if (is_zero(call.alpha)) return std::nullopt;
    const Large::Plan plan = Large::plan_of(processors(call.exec), large(call), Kinds::a, Kinds::b,
                                            y_by_positions<Call>());
    return plan.wanted ? std::optional(plan) : std::nullopt;
  }
  template <class Call>
  static void run(const Call& call, const std::optional<Large::Plan>& plan) {
    using Kinds = KindsOf<Call>;
    using A = operand_t<typename Call::A>;
    using B = operand_t<typename Call::B>;
    const Large::DeviceLaunch<typename Call::Space, TypesOf<Call>> launch{call.exec, {}};
    run_by_tiles<Kinds::a, Kinds::b, Large::may_copy<A, B>(Call::parsed)>(
        processors(call.exec), large(call), *plan, y_by_positions<Call>(), launch);
  }

 private:
  template <class Call>
  struct KindsOf {
    static constexpr Parsed p = Call::parsed;
    static constexpr SliceKind a = slice_kind<operand_t<typename Call::A>>(p.input[0], p.output);
    static constexpr SliceKind b = slice_kind<operand_t<typename Call::B>>(p.input[1], p.output);
  };
  template <class Call>
  using TypesOf = large_types<typename Call::A, typename Call::B, typename Call::C, Call::accuracy>;
  /// Whether the slices of Y should be by positions. They should without an atom, because FMAs take
  /// two columns at a time.
  template <class Call>
  static consteval bool y_by_positions() {
    return !is_atom<atom_of_types<machine_of_t<typename Call::Space>, TypesOf<Call>>>;
  }
  template <class Call>
  static auto large(const Call& call) {
    using Sum = typename TypesOf<Call>::Sum;
    const auto a = as_operand(call.a);
    const auto b = as_operand(call.b);
    const auto c = as_operand(call.c);
    return LargeCall<TypesOf<Call>>{
        Call::parsed,        convert<Sum>(call.alpha), a.data(), dims_at_run_time(a), b.data(),
        dims_at_run_time(b), convert<Sum>(call.beta),  c.data(), dims_at_run_time(c)};
  }
  /// Number of SMs of a GPU. An emulated GPU does not provide it.
  template <class Space>
  static double processors(const Space& exec) {
    if constexpr (requires { exec.concurrency(); }) {
      return std::max(1., exec.concurrency() / 2048.);
    } else {
      return 1;
    }
  }
};

/// Copies whose unit stride changes, by squares along both (large/LargeTranspose.hpp).
struct ContractBySquares {
  static constexpr const char* text = "squares (of a transposition, in shared memory)";

  template <class Call>
  static consteval bool takes() {
    return may_be_transposed<Call::string, typename Call::Space, typename Call::Alpha,
                             typename Call::A, typename Call::B, typename Call::Beta,
                             typename Call::C>();
  }
  template <class Call>
  static auto plan(const Call& call) {
    using T = value_t<typename Call::C>;
    constexpr Parsed p = Call::parsed;
    const auto a = as_operand(call.a);
    const auto c = as_operand(call.c);
    const ModeList modes =
        modes_of_copy(p.input[0], dims_at_run_time(a), p.output, dims_at_run_time(c));
    std::optional<Transposition<T>> squares(std::in_place);
    if (is_zero(call.alpha) || !squares->cut(modes)) {
      squares.reset();
    } else {
      squares->a = a.data();
      squares->c = c.data();
      squares->alpha = convert<T>(call.alpha);
      squares->beta = convert<T>(call.beta);
      squares->conjugates = p.input[0].conjugate;
    }
    return squares;
  }
  template <class Call, class T>
  static void run(const Call& call, const std::optional<Transposition<T>>& squares) {
    launch_transposition(call.exec, *squares);
  }
};

/// All other calls, and all calls on a host: threads that never wait for each other.
struct ContractByThreads {
  static constexpr const char* text = "threads (each has tiles of C in registers)";

  template <class Call>
  static consteval bool takes() {
    return true;
  }
  template <class Call>
  static bool plan(const Call&) {
    return true;
  }
  template <class Call>
  static void run(const Call& call, bool) {
    using Kernel = ContractKernel<Call::string, typename Call::Alpha, typename Call::A,
                                  typename Call::B, typename Call::Beta, typename Call::C>;
    // More threads than elements would be idle.
    const int concurrency = call.exec.concurrency();
    const int workers = call.elements < concurrency ? static_cast<int>(call.elements) : concurrency;
    Kokkos::parallel_for(label_of_contract<Call::string>(),
                         Kokkos::RangePolicy<typename Call::Space>(call.exec, 0, workers),
                         Kernel{call.alpha, call.a, call.b, call.beta, call.c, workers});
  }
};

/// The algorithms in their order.
template <class... Algorithms>
struct ContractAlgorithmList {
  template <class Call>
  static void run(const Call& call) {
    static_cast<void>((runs<Algorithms>(call) || ...));
  }
  /// The text of the algorithm that would run a call.
  template <class Call>
  static const char* text(const Call& call) {
    const char* found = nullptr;
    static_cast<void>((names<Algorithms>(call, found) || ...));
    return found;
  }

 private:
  template <class Algorithm, class Call>
  static bool runs(const Call& call) {
    if constexpr (Algorithm::template takes<Call>()) {
      if (const auto plan = Algorithm::plan(call)) {
        Algorithm::run(call, plan);
        return true;
      }
    }
    return false;
  }
  template <class Algorithm, class Call>
  static bool names(const Call& call, const char*& text) {
    if constexpr (Algorithm::template takes<Call>()) {
      if (Algorithm::plan(call)) {
        text = Algorithm::text;
        return true;
      }
    }
    return false;
  }
};
using ContractAlgorithms =
    ContractAlgorithmList<ContractByTeams, ContractByTiles, ContractBySquares, ContractByThreads>;

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
